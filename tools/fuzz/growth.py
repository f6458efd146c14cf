"""Growth: four times the input may take at most nine times as long, in every reader.

The time of this process is measured, not that of the clock, as the machine may be busy, and what
seems to grow too fast is measured again. ``python -m tools.fuzz.growth`` prints what it measures.
"""

import math
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from tools.fuzz.command import FaultError, run

__all__ = ["SHAPES", "answer", "attack", "measured"]

SHAPES: dict[str, Callable[[int], bytes]] = {
    "a long number with a dash": lambda n: _with_cell(b"1" * n + b"-"),
    "a long number": lambda n: _with_cell(b"9" * n),
    "a long decimal number": lambda n: _with_cell(b"0." + b"3" * n),
    "many dots and commas": lambda n: _with_cell(b"1.000," * n),
    "many dashes": lambda n: _with_cell(b"2020-" * n),
    "a long text": lambda n: _with_cell(b"ab" * n),
    "a long name": lambda n: b"a" * n + b",y\n" + b"1,no\n2,yes\n" * 20,
    "many quotes": lambda n: _with_cell(b'"' + b'""' * n + b'"'),
    "spaces": lambda n: _with_cell(b" " * n + b"1" + b" " * n),
    "blank lines first": lambda n: b"\n" * n + _with_cell(b"1"),
    "blank lines between": lambda n: _with_cell(b"1") + b"\n" * n + b"1,no\n",
    "empty cells": lambda n: b"x,y\n" + b",no\n,yes\n" * n,
    "many columns": lambda n: _wide(max(10, n // 100)),
    "brackets": lambda n: b'{"x": ' + b"[" * n + b"]" * n + b"}\n",
    "lines of JSON": lambda n: b'{"x": 1, "y": "no"}\n{"x": 2, "y": "yes"}\n' * (n // 4),
    "a long line without an end": lambda n: b"x,y\n" + b"1," * n,
}
"""Files of a size that grows with n."""

FIRST = 2_000
LARGEST = 2_000_000
"""Bytes of the largest file, as longer cells are refused: what takes less than `LEAST` is fast."""

LEAST = 0.4
"""CPU seconds below which growth cannot be distinguished from noise."""


class Growth(NamedTuple):
    """A size, and the CPU time of it and of a file four times as large."""

    n: int
    seconds: float
    seconds_of_four: float

    @property
    def exponent(self) -> float:
        """The power of the size that the time grows with: 1 = in proportion."""
        return math.log(self.seconds_of_four / self.seconds, 4)


def _with_cell(cell: bytes) -> bytes:
    return b"x,y\n" + b"1,no\n2,yes\n3,no\n" * 20 + cell + b",yes\n" + b"1,no\n2,yes\n" * 20


def _wide(n: int) -> bytes:
    lines = [b",".join(b"c%d" % i for i in range(n)) + b",y"]
    lines += [
        b",".join(b"%d" % ((i * j) % 7) for i in range(n)) + b",%d" % (j % 2) for j in range(6)
    ]
    return b"\n".join(lines) + b"\n"


def attack(seed: int, folder: Path) -> str:
    """Measure one of the shapes; return "refused" or "result", as its largest file was."""
    name = list(SHAPES)[seed % len(SHAPES)]
    found, answered = measured(name, folder)
    if found.seconds_of_four > 9 * max(found.seconds, LEAST):
        again, answered = measured(name, folder)
        if again.seconds_of_four > 9 * max(again.seconds, LEAST):
            raise FaultError(
                f"{name}: {again.n:,} took {again.seconds:.2f} s and {4 * again.n:,} took "
                f"{again.seconds_of_four:.2f} s"
            )
    return answered


def measured(name: str, folder: Path) -> tuple[Growth, str]:
    """Double the size until it can be measured, then take four times that; also the outcome."""
    n = FIRST
    seconds, _ = answer(name, n, folder)
    while seconds < LEAST and len(SHAPES[name](4 * n)) < LARGEST:
        n *= 2
        seconds, _ = answer(name, n, folder)
    last, answered = answer(name, 4 * n, folder)
    return Growth(n, seconds, last), answered


def answer(name: str, n: int, folder: Path) -> tuple[float, str]:
    """Fit a file of a shape; return the CPU time, and "refused" or "result"."""
    suffix = ".jsonl" if name in ("brackets", "lines of JSON") else ".csv"
    path = folder / f"table{suffix}"
    path.write_bytes(SHAPES[name](n))
    start = time.process_time()
    done = run("fit", path, "-t", "y", "-o", folder / "m.json", "--no-report", "-q")
    return time.process_time() - start, "result" if done else "refused"


def main() -> None:
    """Print a line per shape."""
    with tempfile.TemporaryDirectory() as folder:
        answer("a long text", FIRST, Path(folder))  # imports do not count
        for name in SHAPES:
            found, answered = measured(name, Path(folder))
            size = len(SHAPES[name](4 * found.n))
            print(
                f"{name:<28}{answered:<9}{size:>12,} bytes {found.seconds_of_four:>7.2f} s, "
                f"exponent {found.exponent:.2f}",
                flush=True,
            )


if __name__ == "__main__":
    sys.exit(main())

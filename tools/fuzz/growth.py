"""Growth: twice the input may take at most three times as long, in every reader.

The time of this process is measured, not that of the clock, as the machine may be busy.
"""

import time
from collections.abc import Callable
from pathlib import Path

from tools.fuzz.command import FaultError, run

__all__ = ["SHAPES", "attack"]

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
    "blank lines": lambda n: b"\n" * n + _with_cell(b"1"),
    "empty cells": lambda n: b"x,y\n" + b",no\n,yes\n" * n,
    "many columns": lambda n: _wide(max(10, n // 100)),
    "brackets": lambda n: b'{"x": ' + b"[" * n + b"]" * n + b"}\n",
    "lines of JSON": lambda n: b'{"x": 1, "y": "no"}\n{"x": 2, "y": "yes"}\n' * (n // 4),
    "a long line without an end": lambda n: b"x,y\n" + b"1," * n,
}
"""Files of a size that grows with n."""

FIRST, LAST = 2_000, 64_000
LEAST = 0.4
"""CPU seconds below which growth cannot be distinguished from noise."""


def _with_cell(cell: bytes) -> bytes:
    return b"x,y\n" + b"1,no\n2,yes\n3,no\n" * 20 + cell + b",yes\n" + b"1,no\n2,yes\n" * 20


def _wide(n: int) -> bytes:
    lines = [b",".join(b"c%d" % i for i in range(n)) + b",y"]
    lines += [
        b",".join(b"%d" % ((i * j) % 7) for i in range(n)) + b",%d" % (j % 2) for j in range(6)
    ]
    return b"\n".join(lines) + b"\n"


def attack(seed: int, folder: Path) -> str:
    """Fit files of growing size; return "refused" or "result", as the largest one was."""
    names = list(SHAPES)
    name = names[seed % len(names)]
    suffix = ".jsonl" if name in ("brackets", "lines of JSON") else ".csv"
    n, before, done = FIRST, 0.0, False
    while n <= LAST:
        path = folder / f"table{suffix}"
        path.write_bytes(SHAPES[name](n))
        start = time.process_time()
        done = run("fit", path, "-t", "y", "-o", folder / "m.json", "--no-report", "-q")
        took = time.process_time() - start
        if took > LEAST and before and took > 3 * max(before, LEAST / 3):
            raise FaultError(f"{name}: {n // 2:,} took {before:.2f} s and {n:,} took {took:.2f} s")
        n, before = 2 * n, took
    return "result" if done else "refused"

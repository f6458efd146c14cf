"""Minimum times, peak memory beyond the input, and the table of figures against targets."""

from __future__ import annotations

import argparse
import gc
import json
import multiprocessing
import os
import platform
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

_STATUS = Path("/proc/self/status")
_RESET_PEAK = Path("/proc/self/clear_refs")


@dataclass(frozen=True)
class Figure:
    """One measured number; `target` is None if it has none."""

    work: str
    figure: float
    target: float | None = None
    at_least: bool = False
    unit: str = ""
    note: str = ""

    @property
    def ok(self) -> bool:
        """Whether the target is met, or there is none."""
        if self.target is None:
            return True
        return self.figure >= self.target if self.at_least else self.figure <= self.target


def seconds(work: Callable[[], object]) -> float:
    """Wall time of one call, with no garbage collection inside it."""
    gc.collect()
    gc.disable()
    try:
        start = time.perf_counter()
        work()
        return time.perf_counter() - start
    finally:
        gc.enable()


def minimum_seconds(works: Mapping[str, Callable[[], object]], repeats: int) -> dict[str, float]:
    """Minimum wall time of each task; they take turns, so a slow spell affects all of them."""
    best = dict.fromkeys(works, float("inf"))
    for _ in range(repeats):
        for name, work in works.items():
            best[name] = min(best[name], seconds(work))
    return best


def peak_beyond_input(
    prepare: Callable[..., Callable[[], object]], *arguments: Any, warm_up: Callable[[], object]
) -> int:
    """Bytes by which the peak of a call rises over the memory held before it."""
    return call_beyond_input(prepare, *arguments, warm_up=warm_up).peak


@dataclass(frozen=True)
class Call:
    """Peak memory of a call in bytes beyond its input, its wall time, and what it reached."""

    peak: int
    seconds: float
    quality: Any


def call_beyond_input(
    prepare: Callable[..., Callable[[], Any]],
    *arguments: Any,
    warm_up: Callable[[], object],
    quality: Callable[[Any], Any] | None = None,
) -> Call:
    """Measure one call in a fresh process.

    `warm_up()` imports and loads what a first call loads, then `prepare(*arguments)` creates the
    input and returns the call that is measured; `quality` says in a few numbers what it returned.
    All are module-level functions, as a spawned process must find them by name.
    """
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    body = (sender, warm_up, prepare, arguments, quality)
    process = context.Process(target=_send_call, args=body)
    process.start()
    sender.close()
    try:
        return receiver.recv()
    except EOFError:
        raise RuntimeError(
            "The measured process ended without a figure; see its output above."
        ) from None
    finally:
        process.join()


def _send_call(
    sender: Any,
    warm_up: Callable[[], object],
    prepare: Callable[..., Callable[[], Any]],
    arguments: tuple[Any, ...],
    quality: Callable[[Any], Any] | None,
) -> None:
    """Body of the fresh process."""
    warm_up()
    work = prepare(*arguments)
    gc.collect()
    # Not ru_maxrss: Linux hands the parent's peak down through exec, and creating the input
    # peaks above what it leaves behind; both would hide a part of the call's memory.
    _RESET_PEAK.write_text("5")
    before = _status_bytes("VmRSS")
    start = time.perf_counter()
    kept = work()  # kept alive, as a user keeps the fitted estimator
    took = time.perf_counter() - start
    peak = _status_bytes("VmHWM") - before
    sender.send(Call(peak, took, None if quality is None else quality(kept)))


def _status_bytes(field: str) -> int:
    """A field of /proc/self/status: VmRSS is the memory held now, VmHWM its peak."""
    for line in _STATUS.read_text().splitlines():
        if line.startswith(field + ":"):
            return int(line.split()[1]) * 1024
    raise RuntimeError(f"{_STATUS} has no {field}: peak memory can be measured on Linux only.")


def arguments_with_json(description: str | None) -> argparse.ArgumentParser:
    """Parser with the option that every benchmark has."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--json", type=Path, metavar="PATH", help="file for the figures")
    return parser


def report(title: str, figures: Sequence[Figure], json_path: Path | None) -> int:
    """Print the table, save it if asked; the exit code is 1 when a target is missed."""
    print(f"\n{title}\n{table(figures)}")
    if json_path is not None:
        save_json(json_path, {"title": title, **machine(), "figures": as_dicts(figures)})
    return int(not all(figure.ok for figure in figures))


def table(figures: Sequence[Figure]) -> str:
    """The figures as aligned text: work, figure, target, ok or MISSED, note."""
    rows = [("work", "figure", "target", "", "")] + [_cells(figure) for figure in figures]
    widths = [max(len(row[column]) for row in rows) for column in range(4)]
    lines = ["  ".join(c.ljust(w) for c, w in zip(row[:4], widths, strict=True)) for row in rows]
    return "\n".join(f"{line}  {row[4]}".rstrip() for line, row in zip(lines, rows, strict=True))


def _cells(figure: Figure) -> tuple[str, str, str, str, str]:
    """One line of the table."""
    if figure.target is None:
        target, verdict = "", ""
    else:
        target = f"{'>=' if figure.at_least else '<='} {figure.target:g}{figure.unit}"
        verdict = "ok" if figure.ok else "MISSED"
    return figure.work, f"{figure.figure:.4g}{figure.unit}", target, verdict, figure.note


def as_dicts(figures: Sequence[Figure]) -> list[dict[str, Any]]:
    """The figures as plain dicts, with their verdict."""
    return [asdict(figure) | {"ok": figure.ok} for figure in figures]


def machine() -> dict[str, Any]:
    """What the figures were measured on."""
    return {
        "measured": time.strftime("%Y-%m-%dT%H:%M:%S%z"),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "platform": platform.platform(),
    }


def save_json(path: Path, content: dict[str, Any]) -> None:
    """Write to a file next to the final one, then rename: a reader never sees half a file."""
    partial = path.with_name(path.name + ".partial")
    partial.write_text(json.dumps(content, indent=1) + "\n", encoding="utf-8")
    partial.replace(path)

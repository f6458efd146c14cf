"""Trace how a reader of the code walks with one column, a pair, a prediction or a propagation.

``python -m tools.walk`` prints a table; ``--list column`` prints the files of one walk in the order
in which they are first entered, ``--steps column`` every change of file.

A walk is one command on a CSV file of 200 rows, on one thread, evaluated on one held-out part
rather than ten folds; it runs once before it is traced, so that imports do not count. What counts
is the call of a Python function whose source is in the package. Lambdas and comprehensions belong
to the function that they stand in; compiled kernels, which call nothing back, are not seen. Then

- *files* is the number of different source files,
- *changes of file* how often a call is in another file than the call before it,
- *changes of stage* likewise for folders (a module next to them is a stage of its own),
- *column asked for* how often another stage asks a table for numbers, counts, codes or batches,
- *summaries* how often the dict is made that the page and the terminal show.

Before the rebuild, the walk of a column had 68 files, 529 changes of file and 267 of stage
(in Python 60, 468 and 230); the column was asked for 9 times, and its summary was made twice.
"""

import argparse
import contextlib
import gc
import io
import random
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from inspect import CO_GENERATOR
from itertools import groupby, pairwise
from pathlib import Path
from types import FrameType
from typing import Any

import modlearn
from modlearn import cli

ROOT = Path(modlearn.__file__).parent
TABLE_STAGES = ("_tables", "_read")
QUESTIONS = ("numeric", "categories", "cells", "profiles", "batches", "codes", "summaries")
"""What a table is asked for."""

SUMMARY = "FitResult.summary"


@dataclass(frozen=True)
class Step:
    """A call: which file of the package, which function, and the file that called it."""

    file: str
    function: str
    caller: str
    is_resumed: bool = False  # whether a generator goes on, which was called before

    @property
    def stage(self) -> str:
        """Folder of the file, or the file where it stands next to the folders."""
        return stage_of(self.file)


def stage_of(file: str) -> str:
    """Return the first folder of a path in the package."""
    return file.partition("/")[0]


def file_of(frame: FrameType | None) -> str:
    """Return the path in the package of a frame or of the nearest one that called it, or ""."""
    while frame is not None:
        if file := file_of_code(frame):
            return file
        frame = frame.f_back
    return ""


def is_generator(frame: FrameType) -> bool:
    """Whether a frame is that of a generator, which is entered each time it is resumed."""
    return bool(frame.f_code.co_flags & CO_GENERATOR)


def file_of_code(frame: FrameType) -> str:
    """Return the path in the package of a Python source, or "" of anything else."""
    path = Path(frame.f_code.co_filename)
    inside = path.is_relative_to(ROOT) and path.suffix == ".py"
    return path.relative_to(ROOT).as_posix() if inside else ""


def trace(walk: Callable[[], None]) -> list[Step]:
    """Run a walk and return its calls."""
    steps: list[Step] = []
    generators: set[FrameType] = set()

    def note(frame: FrameType, event: str, _: Any) -> None:
        if event != "call" or frame.f_code.co_name.startswith("<"):
            return
        if file := file_of_code(frame):
            is_resumed = frame in generators
            if is_generator(frame):
                generators.add(frame)
            name = frame.f_code.co_qualname
            steps.append(Step(file, name, file_of(frame.f_back), is_resumed))

    # What an earlier walk left behind is not closed in the middle of this one.
    gc.collect()
    gc.disable()
    # Columns are searched on a thread of their own even where there is only one.
    threading.setprofile(note)
    sys.setprofile(note)
    try:
        walk()
    finally:
        sys.setprofile(None)
        threading.setprofile(None)
        gc.enable()
    return steps


# walks


def write_table(path: Path, n_rows: int = 200) -> None:
    """Write a table with two informative numbers; every fifth row has a label for propagation."""
    draw = random.Random(0)
    lines = ["x,z,target,few"]
    for i in range(n_rows):
        x, z = draw.random(), draw.random()
        label = "yes" if (x + 0.3 * z > 0.6) ^ (draw.random() < 0.1) else "no"
        lines.append(f"{x:.4f},{z:.4f},{label},{'' if i % 5 else label}")
    path.write_text("\n".join(lines) + "\n")


def command(*arguments: Any) -> Callable[[], None]:
    """Return what runs a command; its output goes nowhere."""

    def run() -> None:
        output = io.StringIO()
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            try:
                cli.main([str(argument) for argument in arguments])
            except SystemExit as end:
                if end.code:
                    raise RuntimeError(output.getvalue()) from end

    return run


def walks(folder: Path) -> dict[str, Callable[[], None]]:
    """Return the walks by name."""
    table = folder / "table.csv"
    write_table(table)
    model = folder / "model.modlearn.json"
    fit = ["fit", table, "--target", "target", "--test", 0.3, "--jobs", 1, "--out", model]

    def in_python() -> None:
        result = modlearn.fit(table, "target", only=["x"], test=0.3, n_jobs=1)
        result.report(folder / "report.html")

    return {
        "column": command(*fit, "--only", "x"),
        "column in Python": in_python,
        "pair": command(*fit, "--only", "x", "--only", "z", "--pairs", "all"),
        "predict": command("predict", model, table, "--jobs", 1, "--out", folder / "scored.csv"),
        "propagation": command(
            *("propagate", table, "--target", "few", "--drop", "target", "--jobs", 1),
            *("--out", folder / "spread.csv"),
        ),
    }


# output


def measures(steps: list[Step]) -> dict[str, int]:
    """Return the numbers of a walk."""
    return {
        "files": len({step.file for step in steps}),
        "changes of file": sum(a.file != b.file for a, b in pairwise(steps)),
        "changes of stage": sum(a.stage != b.stage for a, b in pairwise(steps)),
        "column asked for": sum(map(is_question, steps)),
        "summaries": sum(step.function == SUMMARY for step in steps),
    }


def is_question(step: Step) -> bool:
    """Whether another stage asks a table for something."""
    asked = step.function.rpartition(".")[2] in QUESTIONS and not step.is_resumed
    return asked and step.stage in TABLE_STAGES and stage_of(step.caller) not in TABLE_STAGES


def table_of(found: dict[str, dict[str, int]]) -> Iterator[str]:
    """Yield the lines of the table of walks."""
    names = list(next(iter(found.values())))
    yield "  ".join(["walk".ljust(18), *names])
    for walk, numbers in found.items():
        cells = [str(numbers[name]).rjust(len(name)) for name in names]
        yield "  ".join([walk.ljust(18), *cells])


def files_of(steps: list[Step]) -> Iterator[str]:
    """Yield every file once, with the function by which it is first entered."""
    first: dict[str, str] = {}
    for step in steps:
        first.setdefault(step.file, step.function)
    for i, (file, function) in enumerate(first.items(), 1):
        yield f"{i}. `{file}`: `{function}`"


def changes_of(steps: list[Step]) -> Iterator[str]:
    """Yield every change of file, with the functions called there before the next one."""
    for i, (file, called) in enumerate(groupby(steps, lambda step: step.file), 1):
        yield f"{i}. {file}: {', '.join(dict.fromkeys(step.function for step in called))}"


def main() -> None:
    """Print the table, or one walk."""
    parser = argparse.ArgumentParser(prog="python -m tools.walk", description=__doc__)
    parser.add_argument("--list", metavar="WALK", help="the files of a walk as a numbered list")
    parser.add_argument("--steps", metavar="WALK", help="every change of file of a walk")
    options = parser.parse_args()
    chosen = options.list or options.steps
    with tempfile.TemporaryDirectory() as folder:
        traced: dict[str, list[Step]] = {}
        for name, walk in walks(Path(folder)).items():
            # A walk may need the model of the one before: all are run, few are traced.
            walk()
            if chosen in (None, name):
                traced[name] = trace(walk)
    if not traced:
        parser.error(f"there is no walk {chosen!r}")
    write = files_of if options.list else changes_of
    lines = (
        write(traced[chosen]) if chosen else table_of({k: measures(v) for k, v in traced.items()})
    )
    print("\n".join(lines))


if __name__ == "__main__":
    main()

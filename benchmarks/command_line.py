"""The command from file to file: fit against Khiops 11, predict against a copy by DuckDB.

Whole processes are timed, starting Python included. Khiops reads the same rows from a file of its
own format, with its schema given; without `khiops` installed that figure is left out.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_iris

from benchmarks import synthetic, timing
from benchmarks.timing import Figure

COMMAND = (sys.executable, "-m", "modlearn")
COLUMNS = 10
KHIOPS_TARGET, COPY_TARGET, IRIS_TARGET, MEMORY_TARGET = 10.0, 3.0, 2.0, 1024.0


def modlearn(*arguments: object, folder: Path) -> None:
    """Run the command in a folder; it must succeed."""
    subprocess.run([*COMMAND, *map(str, arguments)], cwd=folder, check=True, capture_output=True)


def table(rows: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Ten columns of distinct numbers; half of them are informative."""
    frame, codes = synthetic.TABLES["noisy steps"](rows)
    return frame.rename(columns=str), codes


def fit_figures(folder: Path, rows: int, repeats: int) -> list[Figure]:
    """A CSV file to a model and a report."""
    frame, codes = table(rows)
    frame.assign(y=codes).to_csv(folder / "table.csv", index=False)
    work = partial(modlearn, "fit", "table.csv", "-t", "y", folder=folder)
    ours = timing.minimum_seconds({"fit": work}, repeats)["fit"]
    title = f"modlearn fit, {rows:.0e} x {COLUMNS} CSV, with report"
    if find_spec("khiops") is None:
        return [Figure(title, ours, unit=" s", note="Khiops is not installed")]
    from benchmarks import khiops_peer

    khiops_peer.require_khiops()
    khiops = min(
        khiops_peer.analyze(frame, codes, classifier=True).analyzing for _ in range(repeats)
    )
    note = f"{khiops:.1f} / {ours:.2f} s"
    work_name = f"{title}: Khiops / ours"
    return [Figure(work_name, khiops / ours, KHIOPS_TARGET, at_least=True, unit=" x", note=note)]


def predict_figures(folder: Path, rows: int, repeats: int) -> list[Figure]:
    """Parquet to Parquet, and DuckDB copying the same file."""
    small, codes = table(100_000)
    small.assign(y=codes).to_parquet(folder / "small.parquet", index=False)
    modlearn("fit", "small.parquet", "-t", "y", "--no-report", folder=folder)
    large, _ = table(rows)
    large.to_parquet(folder / "large.parquet", index=False)
    del large
    copy = f"COPY (FROM '{folder}/large.parquet') TO '{folder}/copy.parquet'"
    arguments = ("predict", "small.y.modlearn.json", "large.parquet", "-o", "scored.parquet")
    works = {
        "copy": partial(_in_new_process, copy),
        "predict": partial(modlearn, *arguments, folder=folder),
    }
    best = timing.minimum_seconds(works, repeats)
    ratio, note = best["predict"] / best["copy"], f"{best['predict']:.1f} / {best['copy']:.1f} s"
    peak = _peak_mebibytes(arguments, folder)
    title = f"modlearn predict, {rows:.0e} rows, Parquet to Parquet"
    return [
        Figure(f"{title} / copy by DuckDB", ratio, COPY_TARGET, unit=" x", note=note),
        Figure(f"{title}, peak memory", peak, MEMORY_TARGET, unit=" MiB"),
    ]


def _in_new_process(query: str) -> None:
    """A copy starts Python and DuckDB too."""
    code = f"import duckdb; duckdb.execute({query!r})"
    subprocess.run([sys.executable, "-c", code], check=True)


def _peak_mebibytes(arguments: Sequence[str], folder: Path) -> float:
    """Peak of the whole process, measured by a process that does nothing else."""
    code = (
        "import resource, subprocess, sys; subprocess.run(sys.argv[1:], check=True, "
        "capture_output=True); print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"
    )
    command = [sys.executable, "-c", code, *COMMAND, *arguments]
    found = subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True)
    return int(found.stdout) / 1024


def iris_figure(folder: Path, repeats: int) -> Figure:
    """The whole process on a small table."""
    iris = load_iris(as_frame=True).frame
    iris.to_csv(folder / "iris.csv", index=False)
    work = partial(modlearn, "fit", "iris.csv", "-t", "target", folder=folder)
    best = timing.minimum_seconds({"iris": work}, repeats)["iris"]
    return Figure("modlearn fit on iris, whole process", best, IRIS_TARGET, unit=" s")


def main() -> int:
    """Measure and report."""
    parser = timing.arguments_with_json(__doc__)
    parser.add_argument("--fit-rows", type=int, default=1_000_000)
    parser.add_argument("--predict-rows", type=int, default=10_000_000)
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="command_line_") as name:
        folder = Path(name)
        figures = [
            iris_figure(folder, arguments.repeats),
            *fit_figures(folder, arguments.fit_rows, arguments.repeats),
            *predict_figures(folder, arguments.predict_rows, arguments.repeats),
        ]
    return timing.report("From file to file", figures, arguments.json)


if __name__ == "__main__":
    raise SystemExit(main())

"""What a small job waits for: Encoder.fit on iris, warm, and `import modlearn`."""

from __future__ import annotations

import subprocess
import sys
from functools import partial

from benchmarks import timing
from benchmarks.timing import Figure

FIT_TARGET_MS = 5.0
IMPORT_TARGET_MS = 50.0
_TIMED_IMPORT = (
    "import time; start = time.perf_counter(); import {modules}; print(time.perf_counter() - start)"
)


def fit_figures(repeats: int) -> list[Figure]:
    """Encoder.fit on iris as a NumPy array and as a pandas frame, after one warm-up fit each."""
    from sklearn.datasets import load_iris

    from modlearn import Encoder

    iris = load_iris(as_frame=True)
    labels = iris.target.to_numpy()
    tables = {"NumPy": iris.data.to_numpy(), "pandas": iris.data}
    figures = []
    for kind, table in tables.items():
        estimator = Encoder().fit(table, labels)
        best = timing.minimum_seconds({"fit": partial(estimator.fit, table, labels)}, repeats)
        levels = ", ".join(f"{level:.3f}" for level in estimator.levels_.values())
        note = f"levels {levels}"
        work = f"Encoder.fit, iris, {kind}"
        figures.append(Figure(work, best["fit"] * 1e3, FIT_TARGET_MS, unit=" ms", note=note))
    return figures


def import_seconds(modules: str) -> float:
    """Seconds that the import takes in a fresh interpreter, its start not included."""
    command = [sys.executable, "-c", _TIMED_IMPORT.format(modules=modules)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def import_figure(repeats: int) -> Figure:
    """`import modlearn` beyond `import sklearn.base`: the difference of the minima."""
    choices = ("sklearn.base", "sklearn.base, modlearn")
    best = dict.fromkeys(choices, float("inf"))
    for _ in range(repeats):
        for modules in choices:
            best[modules] = min(best[modules], import_seconds(modules))
    base, both = best.values()
    note = f"{both * 1e3:.0f} ms with, {base * 1e3:.0f} ms without"
    return Figure("import modlearn", (both - base) * 1e3, IMPORT_TARGET_MS, unit=" ms", note=note)


def main() -> int:
    """Measure and report."""
    parser = timing.arguments_with_json(__doc__)
    parser.add_argument("--fits", type=int, default=50, help="repeats of fit")
    parser.add_argument("--imports", type=int, default=10, help="repeats of the import")
    arguments = parser.parse_args()
    figures = [*fit_figures(arguments.fits), import_figure(arguments.imports)]
    return timing.report("Start-up", figures, arguments.json)


if __name__ == "__main__":
    raise SystemExit(main())

"""Time of small jobs: a warm Encoder.fit on Iris, importing Encoder, and the help text."""

from __future__ import annotations

import subprocess
import sys
from functools import partial

from benchmarks import timing
from benchmarks.timing import Figure

FIT_TARGET_MS = 5.0
IMPORT_TARGET_MS = 50.0
HELP_TARGET_MS = 100.0
_TIMED_IMPORT = (
    "import time; start = time.perf_counter(); {imports}; print(time.perf_counter() - start)"
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


def import_seconds(imports: str) -> float:
    """Seconds that the imports take in a fresh interpreter, its start not included."""
    command = [sys.executable, "-c", _TIMED_IMPORT.format(imports=imports)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def import_figure(repeats: int) -> Figure:
    """`from modlearn import Encoder` beyond `import sklearn.base`: the difference of the minima."""
    choices = ("import sklearn.base", "import sklearn.base; from modlearn import Encoder")
    best = dict.fromkeys(choices, float("inf"))
    for _ in range(repeats):
        for imports in choices:
            best[imports] = min(best[imports], import_seconds(imports))
    base, both = best.values()
    note = f"{both * 1e3:.0f} ms with, {base * 1e3:.0f} ms without"
    work = "from modlearn import Encoder"
    return Figure(work, (both - base) * 1e3, IMPORT_TARGET_MS, unit=" ms", note=note)


def help_figure(repeats: int) -> Figure:
    """The whole process of `modlearn --help`."""
    command = [sys.executable, "-c", "from modlearn.cli import main; main()", "--help"]
    best = timing.minimum_seconds(
        {"help": partial(subprocess.run, command, check=True, capture_output=True)}, repeats
    )
    return Figure("modlearn --help", best["help"] * 1e3, HELP_TARGET_MS, unit=" ms")


def main() -> int:
    """Measure and report."""
    parser = timing.arguments_with_json(__doc__)
    parser.add_argument("--fits", type=int, default=50, help="repeats of fit")
    parser.add_argument("--imports", type=int, default=10, help="repeats of the import")
    arguments = parser.parse_args()
    figures = [
        *fit_figures(arguments.fits),
        import_figure(arguments.imports),
        help_figure(arguments.imports),
    ]
    return timing.report("Start-up", figures, arguments.json)


if __name__ == "__main__":
    raise SystemExit(main())

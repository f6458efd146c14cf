"""Discretizer.fit on one numeric column: time against np.argsort, growth, peak memory.

An informative and a pure-noise column are fitted; the figure is the worse of the two.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from benchmarks import synthetic, timing
from benchmarks.timing import Figure

KINDS = {"informative": synthetic.stepped_column, "noise": synthetic.noise_column}
CLASSES = (2, 26)
REPEATS = {100_000: 20, 1_000_000: 7, 10_000_000: 3}
RATIO_TARGETS = {
    (1_000_000, 2): 1.5,
    (10_000_000, 2): 0.7,
    (1_000_000, 26): 4.0,
    (10_000_000, 26): 2.0,
}
EXPONENT_TARGET = 1.1
MEMORY_TARGET = 6.0


@dataclass(frozen=True)
class Run:
    """Times in seconds for one column, and the quality reached."""

    rows: int
    classes: int
    kind: str
    fit: float
    argsort: float
    parts: int
    level: float

    @property
    def ratio(self) -> float:
        """Time of fit over time of np.argsort."""
        return self.fit / self.argsort

    @property
    def note(self) -> str:
        """What was fitted, how long it took, what was found."""
        found = f"{self.parts} parts, level {self.level:.4f}"
        return f"{self.kind}: {self.fit * 1e3:.1f} / {self.argsort * 1e3:.1f} ms, {found}"


def prepare(rows: int, classes: int, kind: str) -> Callable[[], object]:
    """Create the column; the returned call fits it in one thread."""
    from modlearn import Discretizer

    values, labels = KINDS[kind](rows, classes)
    table = values.reshape(-1, 1)
    return lambda: Discretizer(n_jobs=None).fit(table, labels)


def warm_up() -> None:
    """Import everything and fit once."""
    prepare(1_000, 2, "informative")()


def run(rows: int, classes: int, kind: str) -> Run:
    """Fit and argsort the same column in turns."""
    from modlearn import Discretizer

    values, labels = KINDS[kind](rows, classes)
    table = values.reshape(-1, 1)
    estimator = Discretizer(n_jobs=None)
    best = timing.minimum_seconds(
        {"fit": lambda: estimator.fit(table, labels), "argsort": lambda: np.argsort(values)},
        REPEATS[rows],
    )
    partition = estimator.partitions_["x0"]
    parts, level = len(partition.counts), partition.level
    return Run(rows, classes, kind, best["fit"], best["argsort"], parts, level)


def ratio_figures(runs: Sequence[Run]) -> list[Figure]:
    """Time against np.argsort per number of rows and classes."""
    figures = []
    for rows, classes in dict.fromkeys((run.rows, run.classes) for run in runs):
        same = [run for run in runs if (run.rows, run.classes) == (rows, classes)]
        worst = max(same, key=lambda run: run.ratio)
        work = f"fit / argsort, {rows:.0e} rows, {classes} classes"
        target = RATIO_TARGETS.get((rows, classes))
        figures.append(Figure(work, worst.ratio, target, unit=" x", note=worst.note))
    return figures


def exponent_figures(runs: Sequence[Run]) -> list[Figure]:
    """Exponent of time between the smallest and the largest number of rows."""
    fewest, most = min(run.rows for run in runs), max(run.rows for run in runs)
    by_case = {(run.rows, run.classes, run.kind): run for run in runs}
    pairs = [(r, by_case[most, r.classes, r.kind]) for r in runs if r.rows == fewest]
    small, large = max(pairs, key=lambda pair: pair[1].fit / pair[0].fit)
    exponent = math.log(large.fit / small.fit, most / fewest)
    peer = math.log(large.argsort / small.argsort, most / fewest)
    work = f"exponent of time, {fewest:.0e} to {most:.0e} rows"
    note = f"{small.kind}, {small.classes} classes; np.argsort: {peer:.3f}"
    return [Figure(work, exponent, EXPONENT_TARGET, note=note)]


def memory_figures(rows: int) -> list[Figure]:
    """Peak memory beyond the input, in columns of float64."""
    figures = []
    for classes in CLASSES:
        peaks = {
            kind: timing.peak_beyond_input(prepare, rows, classes, kind, warm_up=warm_up)
            for kind in KINDS
        }
        kind = max(peaks, key=peaks.__getitem__)
        work = f"peak memory / column, {rows:.0e} rows, {classes} classes"
        note = f"{kind}: {peaks[kind] / 2**20:.0f} MiB"
        figures.append(Figure(work, peaks[kind] / (8 * rows), MEMORY_TARGET, unit=" x", note=note))
    return figures


def main() -> int:
    """Measure and report."""
    parser = timing.arguments_with_json(__doc__)
    parser.add_argument("--quick", action="store_true", help="only 1e5 and 1e6 rows")
    arguments = parser.parse_args()
    sizes = sorted(REPEATS)[:2] if arguments.quick else sorted(REPEATS)
    warm_up()
    runs = [run(rows, classes, kind) for rows in sizes for classes in CLASSES for kind in KINDS]
    figures = [*ratio_figures(runs), *exponent_figures(runs)]
    figures += [figure for rows in sizes[1:] for figure in memory_figures(rows)]
    return timing.report("Discretizer.fit, one column, one thread", figures, arguments.json)


if __name__ == "__main__":
    raise SystemExit(main())

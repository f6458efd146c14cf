"""LabelDistributionPropagation: the pass against its graph, end to end against scikit-learn.

Rows are points around ten centers in 20 columns, and 5 % are labeled; accuracy is that of the
others. Peak memory is taken in a fresh process. Growth is of the propagation alone, on graphs
that are cheap to get: neighbors by SciPy's k-d tree of points in the plane, in random order, so
that neighbors lie all over the memory.
"""

from __future__ import annotations

import math
import os
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks import synthetic, timing
from benchmarks.timing import Figure

COLUMNS, CLASSES, NEIGHBORS = 20, 10, 10
ROWS, QUICK_ROWS = 1_000_000, 100_000
PEER_ROWS = 50_000
FEWEST_ROWS = 10_000
SWEEPS = {"single pass": 0, "default sweeps": 10}

GRAPH_TARGET = 5.0
PEER_TARGET = 3.0
MEMORY_TARGET = 4.0
RECALL_TARGET = 0.95
EXPONENT_TARGET = 1.1

Codes = NDArray[np.int64]
Blobs = tuple[NDArray[np.float64], Codes, Codes]


def blobs(rows: int) -> Blobs:
    """Points, their classes, and the labels: -1 for most."""
    return synthetic.labeled_blobs(rows, COLUMNS, CLASSES)


def accuracy(found: NDArray[Any], codes: Codes, labels: Codes) -> float:
    """Share of unlabeled rows classified correctly; abstaining is an error."""
    hidden = labels < 0
    return float(np.mean(found[hidden] == codes[hidden]))


def no_progress(*_: object) -> None:
    """Report nothing."""


def propagation(graph: Any, labels: Codes, sweeps: int) -> Callable[[], Any]:
    """The call that spreads labels over a graph, from a copy of them: the labels are used up."""
    from modlearn._neighbors.distributions import spread_labels

    distributions = np.zeros((len(labels), CLASSES))
    labeled = np.flatnonzero(labels >= 0)
    distributions[labeled, labels[labeled]] = 1.0
    n_jobs = os.cpu_count() or 1
    return lambda: spread_labels(graph, distributions.copy(), None, sweeps, n_jobs, no_progress)


def decided(spread: Callable[[], Any]) -> Codes:
    """Classes found by a call of `propagation`, -1 where nothing is known."""
    rows, _ = spread()
    return np.where(rows.undecided, -1, rows.known.argmax(axis=1))


def graph_figures(rows: int, repeats: int) -> list[Figure]:
    """Propagation alone, in % of the time of building its graph, once."""
    from modlearn._neighbors.graph import SearchedNeighbors

    points, codes, labels = blobs(rows)
    n_jobs = os.cpu_count() or 1
    searched = SearchedNeighbors(points, "auto", "approximate", NEIGHBORS, n_jobs)
    graphs: list[Any] = []
    building = timing.seconds(lambda: graphs.append(searched.of_rows(no_progress).graph()))
    works = {name: propagation(graphs[0], labels, sweeps) for name, sweeps in SWEEPS.items()}
    best = timing.minimum_seconds(works, repeats)
    target = GRAPH_TARGET if rows == ROWS else None
    figures = []
    for name, work in works.items():
        right = 100 * accuracy(decided(work), codes, labels)
        note = f"{best[name]:.2f} / {building:.1f} s, accuracy {right:.2f} %"
        title = f"propagation / graph, {name}, {rows:.0e} x {COLUMNS}"
        share = 100 * best[name] / building
        figures.append(Figure(title, share, target, unit=" %", note=note))
    return figures


def peers() -> dict[str, Any]:
    """Estimators: first ours with its defaults, then the published method, then the others."""
    from sklearn.semi_supervised import LabelPropagation, LabelSpreading

    from modlearn import LabelDistributionPropagation

    parameters = {"kernel": "knn", "n_neighbors": NEIGHBORS, "n_jobs": -1}
    return {
        "ours": LabelDistributionPropagation(),
        "ours, single pass": LabelDistributionPropagation(sweeps=0),
        "LabelSpreading": LabelSpreading(**parameters),
        "LabelPropagation": LabelPropagation(**parameters),
    }


def fit_quietly(estimator: Any, points: NDArray[np.float64], labels: Codes) -> None:
    """Fit, ignoring warnings of peers that stop before they converge or divide 0 by 0."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        estimator.fit(points, labels)


def peer_figures(rows: int, repeats: int) -> list[Figure]:
    """Time of each peer over that of ours, end to end."""
    points, codes, labels = blobs(rows)
    estimators = peers()
    works = {
        name: (lambda estimator=estimator: fit_quietly(estimator, points, labels))
        for name, estimator in estimators.items()
    }
    best = timing.minimum_seconds(works, repeats)
    notes = {
        name: f"{best[name]:.2f} s, {100 * accuracy(found.transduction_, codes, labels):.2f} %"
        for name, found in estimators.items()
    }
    ours, single, *others = estimators
    size = f"{rows:.0e} x {COLUMNS}"
    ratio = best[single] / best[ours]
    figures = [Figure(f"{single} / {ours}, {size}", ratio, unit=" x", note=notes[single])]
    for name in others:
        note = f"{notes[name]}; ours {notes[ours]}"
        ratio = best[name] / best[ours]
        figures.append(Figure(f"{name} / ours, {size}", ratio, PEER_TARGET, True, " x", note))
    return figures


def prepare(rows: int) -> Callable[[], Any]:
    """Create the table; the returned call fits it with the approximate engine."""
    from modlearn import LabelDistributionPropagation

    points, codes, labels = blobs(rows)
    estimator = LabelDistributionPropagation(NEIGHBORS, engine="approximate")
    return lambda: (estimator.fit(points, labels), codes, labels)


def warm_up() -> None:
    """Import everything and fit once."""
    prepare(2_000)()


def quality(result: tuple[Any, Codes, Codes]) -> tuple[float, float]:
    """Recall of the engine, and accuracy."""
    fitted, codes, labels = result
    return fitted.recall_, accuracy(fitted.transduction_, codes, labels)


def memory_figures(rows: int) -> list[Figure]:
    """Peak memory of fit over the size of its table, and the recall."""
    call = timing.call_beyond_input(prepare, rows, warm_up=warm_up, quality=quality)
    recall, right = call.quality
    table = 8 * rows * COLUMNS
    size = f"approximate, {rows:.0e} x {COLUMNS}"
    note = f"{call.peak / 2**20:.0f} / {table / 2**20:.0f} MiB, fit {call.seconds:.1f} s"
    target = MEMORY_TARGET if rows == ROWS else None
    return [
        Figure(f"peak memory / table, {size}", call.peak / table, target, unit=" x", note=note),
        Figure(
            f"recall, {size}", recall, RECALL_TARGET, at_least=True,
            note=f"accuracy {100 * right:.2f} %",
        ),
    ]  # fmt: skip


def planar_graph(rows: int) -> tuple[Any, Codes]:
    """Neighbors of points in a square, in random order, and their classes: ten stripes."""
    from scipy.spatial import cKDTree

    from modlearn._neighbors.graph import Neighbors

    points = np.random.default_rng(7).random((rows, 2))
    distances, found = cKDTree(points).query(points, NEIGHBORS + 1, workers=-1)
    nearest = np.ascontiguousarray(found[:, 1:], dtype=np.int32)
    graph = Neighbors.of_lists(nearest, np.ascontiguousarray(distances[:, 1:])).graph()
    return graph, (points[:, 0] * CLASSES).astype(np.int64)


def growth_seconds(rows: int, repeats: int) -> dict[str, tuple[float, float]]:
    """Minimum time and accuracy of the single pass, and with sweeps."""
    graph, codes = planar_graph(rows)
    labels = np.where(np.random.default_rng(8).random(rows) < 0.05, codes, -1)
    works = {name: propagation(graph, labels, sweeps) for name, sweeps in SWEEPS.items()}
    best = timing.minimum_seconds(works, repeats)
    return {
        name: (best[name], accuracy(decided(work), codes, labels)) for name, work in works.items()
    }


def growth_figures(most: int, repeats: int) -> list[Figure]:
    """Exponent of the time of the propagation between the fewest and the most rows."""
    small = growth_seconds(FEWEST_ROWS, 10 * repeats)
    large = growth_seconds(most, repeats)
    target = EXPONENT_TARGET if most == ROWS else None
    figures = []
    for name in SWEEPS:
        (short, right_short), (long, right_long) = small[name], large[name]
        note = (
            f"{short * 1e3:.1f} to {long * 1e3:.0f} ms, "
            f"accuracy {100 * right_short:.2f} and {100 * right_long:.2f} %"
        )
        exponent = math.log(long / short, most / FEWEST_ROWS)
        title = f"exponent of time, {name}, {FEWEST_ROWS:.0e} to {most:.0e} rows"
        figures.append(Figure(title, exponent, target, note=note))
    return figures


def main() -> int:
    """Measure and report."""
    parser = timing.arguments_with_json(__doc__)
    parser.add_argument("--quick", action="store_true", help="1e5 rows instead of 1e6")
    parser.add_argument("--peer-rows", type=int, default=PEER_ROWS)
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    rows, repeats = QUICK_ROWS if arguments.quick else ROWS, arguments.repeats
    warm_up()
    figures = [
        *growth_figures(rows, repeats),
        *peer_figures(arguments.peer_rows, repeats),
        *graph_figures(rows, repeats),
        *memory_figures(rows),
    ]
    title = f"LabelDistributionPropagation, {CLASSES} classes, 5 % labeled, {NEIGHBORS} neighbors"
    return timing.report(title, figures, arguments.json)


if __name__ == "__main__":
    raise SystemExit(main())

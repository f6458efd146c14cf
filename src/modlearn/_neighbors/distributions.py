"""What is known about rows, and how it spreads: the pass, the sweeps, and averages."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from modlearn._neighbors.graph import Graph
from modlearn._neighbors.points import Array
from modlearn._neighbors.propagation import Propagation, average_rows, log_masses
from modlearn._parallel import Progress, map_in_threads

__all__ = ["LabelDistributions", "average_over", "spread_labels"]

STEP = 50_000
"""Number of rows decided between two progress reports, or two chances to interrupt."""

ROWS_PER_TASK = 8_192
"""Number of rows that a thread averages at a time."""

Weights = NDArray[np.float64] | None
Lists = tuple[NDArray[np.int64], NDArray[np.int32]]


@dataclass(frozen=True)
class LabelDistributions:
    """What is known about each row."""

    # (n, J), distribution over the classes, adding up to 1; zero if nothing is known.
    known: NDArray[np.float64]
    # (n,), the probability that is known, as (high + low) * 2**exponent: it may be very small.
    masses: Array

    @property
    def log_mass(self) -> NDArray[np.float64]:
        """Log of the probability that is known, shape (n,); -inf if nothing is known."""
        return log_masses(self.masses)

    @property
    def undecided(self) -> NDArray[np.bool_]:
        """Whether nothing is known about a row, shape (n,)."""
        return np.asarray(self.masses["high"] == 0.0)

    @property
    def unknown_mass(self) -> NDArray[np.float64]:
        """Probability that is not known, shape (n,)."""
        return np.abs(np.expm1(self.log_mass))


def spread_labels(
    graph: Graph,
    labels: NDArray[np.float64],
    weights: Weights,
    sweeps: int,
    n_jobs: int,
    progress: Progress,
) -> tuple[LabelDistributions, NDArray[np.int32]]:
    """Decide rows in one pass, then sweep; return what is known, and the order of decisions.

    A sweep replaces every unlabeled row by the average of its neighbors and of the rows that it is
    a neighbor of, all at once. Rows that only a sweep reaches come last in the order. `labels`
    (n, J) holds the distributions of labeled rows, zero in the others, and is overwritten;
    `weights` (n,) say how much each row counts as a neighbor.
    """
    labeled = np.flatnonzero(np.any(labels, axis=1))
    pass_ = Propagation(graph.pointer, graph.rows, weights, graph.radii, labels)
    _decide(pass_, len(labels) - len(labeled), progress)
    known, masses, order = pass_.result()
    found, orders = LabelDistributions(known, masses), [order]
    fixed = known[labeled], masses[labeled]
    both_ways = [(graph.pointer, graph.rows), pass_.reverse_lists()]
    # Free the queue and the result of the pass before the sweeps.
    del pass_, known, masses
    rows = [found, _empty(len(labels), found)]
    average, tasks = _averaging(both_ways, weights, rows)
    for i in range(sweeps):
        map_in_threads(average, tasks, n_jobs)
        rows[1].known[labeled], rows[1].masses[labeled] = fixed
        reached = (rows[0].masses["high"] == 0) & (rows[1].masses["high"] != 0)
        orders.append(np.flatnonzero(reached).astype(np.int32))
        rows.reverse()
        progress("sweeps", i + 1, sweeps)
    return rows[0], np.concatenate(orders)


def _decide(pass_: Propagation, n_open: int, progress: Progress) -> None:
    """Run the pass to its end, in steps."""
    more = n_open > 0
    while more:
        n_decided, more = pass_.advance(STEP)
        progress("rows", n_decided if more else n_open, n_open)


def average_over(
    lists: Sequence[Lists], weights: Weights, rows: LabelDistributions, n_jobs: int
) -> LabelDistributions:
    """Average what is known about the rows that each list names, a row per list."""
    averages = _empty(len(lists[0][0]) - 1, rows)
    average, tasks = _averaging(lists, weights, [rows, averages])
    map_in_threads(average, tasks, n_jobs)
    return averages


def _empty(n: int, like: LabelDistributions) -> LabelDistributions:
    """Return n rows about which nothing is known."""
    return LabelDistributions(np.zeros((n, like.known.shape[1])), np.zeros(n, like.masses.dtype))


def _averaging(
    lists: Sequence[Lists], weights: Weights, rows: list[LabelDistributions]
) -> tuple[Callable[[int], None], range]:
    """Return what writes averages of rows[0] to rows[1], a task at a time, and the tasks."""
    n = len(rows[1].masses)
    return lambda first: average_rows(
        lists,
        weights,
        rows[0].masses,
        rows[0].known,
        first,
        min(first + ROWS_PER_TASK, n),
        rows[1].known,
        rows[1].masses,
    ), range(0, n, ROWS_PER_TASK)

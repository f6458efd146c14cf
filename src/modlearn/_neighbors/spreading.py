"""From neighbors and labels to label distributions: the pass, the sweeps, and averages."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from modlearn._neighbors.distributions import LabelDistributions
from modlearn._neighbors.graph import Graph
from modlearn._neighbors.propagation import Propagation, average_rows
from modlearn._parallel import Progress, map_in_threads

__all__ = ["average_over", "spread_labels"]

STEP = 50_000
"""Number of rows decided between two progress reports, or two chances to interrupt."""

ROWS_PER_TASK = 8_192
"""Number of rows that a thread averages at a time."""

Weights = NDArray[np.float64] | None
Lists = tuple[NDArray[np.int64], NDArray[np.int32]]


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
    a neighbor of, all at once. Rows that only a sweep reaches come last in the order.

    Parameters
    ----------
    graph : Graph
        Neighbors of the rows.
    labels : ndarray of shape (n, J)
        Distributions of labeled rows, zero in the others; overwritten.
    weights : ndarray of shape (n,) or None
        How much each row counts as a neighbor.
    sweeps, n_jobs : int
        Number of sweeps, and number of threads.
    progress : callable
        Called with the stage, the amount done, and the total amount.
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
    spare = None
    for i in range(sweeps):
        swept = average_over(both_ways, weights, found, n_jobs, spare)
        swept.known[labeled], swept.masses[labeled] = fixed
        orders.append(np.flatnonzero(found.undecided & ~swept.undecided).astype(np.int32))
        spare, found = found, swept
        progress("sweeps", i + 1, sweeps)
    return found, np.concatenate(orders)


def _decide(pass_: Propagation, n_open: int, progress: Progress) -> None:
    """Run the pass to its end, in steps."""
    more = n_open > 0
    while more:
        n_decided, more = pass_.advance(STEP)
        progress("rows", n_decided if more else n_open, n_open)


def average_over(
    lists: Sequence[Lists],
    weights: Weights,
    rows: LabelDistributions,
    n_jobs: int,
    spare: LabelDistributions | None = None,
) -> LabelDistributions:
    """Average what is known about the rows that each list names.

    The result is written to the memory of `spare`, if one is passed; it has a row per list.
    """
    n = len(lists[0][0]) - 1
    if spare is None:
        known = np.zeros((n, rows.known.shape[1]))
        masses = np.zeros(n, dtype=rows.masses.dtype)
    else:
        known, masses = spare.known, spare.masses

    def average(first: int) -> None:
        last = min(first + ROWS_PER_TASK, n)
        average_rows(lists, weights, rows.masses, rows.known, first, last, known, masses)

    map_in_threads(average, range(0, n, ROWS_PER_TASK), n_jobs)
    return LabelDistributions(known, masses)

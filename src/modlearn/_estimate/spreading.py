"""From neighbours and labels to label distributions: the pass, sweeps, and averages."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from modlearn._count.neighbors import Neighbors
from modlearn._count.threads import map_in_threads
from modlearn._model.propagation import LabelDistributions
from modlearn._optimize.propagation import Propagation, average_rows

__all__ = ["average_over", "propagate", "sweep"]

STEP = 50_000
"""Rows between two reports of progress, or two chances to interrupt."""

Votes = NDArray[np.float64] | None


def propagate(
    neighbors: Neighbors,
    votes: Votes,
    labels: NDArray[np.float64],
    progress: Callable[[int, int], None],
) -> tuple[LabelDistributions, NDArray[np.int32]]:
    """Decide rows in one pass; returns their distributions, and their order."""
    pass_ = Propagation(neighbors.pointer, neighbors.rows, votes, neighbors.radii, labels)
    n_open = int(np.count_nonzero(~labels.any(1)))
    more = n_open > 0
    while more:
        n_decided, more = pass_.advance(STEP)
        progress(n_decided if more else n_open, n_open)
    known, masses, order = pass_.result()
    return LabelDistributions(known, masses), order


def sweep(
    neighbors: Neighbors,
    votes: Votes,
    rows: LabelDistributions,
    kept: NDArray[np.bool_],
    n_jobs: int,
) -> LabelDistributions:
    """Replace every row, but those kept, by the average of its neighbours as they are."""
    averages = average_over(neighbors, votes, rows, n_jobs)
    averages.known[kept], averages.masses[kept] = rows.known[kept], rows.masses[kept]
    return averages


def average_over(
    neighbors: Neighbors, votes: Votes, rows: LabelDistributions, n_jobs: int
) -> LabelDistributions:
    """Average the distributions of neighbours, for each row that has a list of them."""
    n = neighbors.n_rows
    known = np.zeros((n, rows.known.shape[1]))
    masses = np.zeros(n, dtype=rows.masses.dtype)
    graph = neighbors.pointer, neighbors.rows, votes

    def average(first: int) -> None:
        last = min(first + STEP, n)
        average_rows(*graph, rows.masses, rows.known, first, last, known, masses)

    map_in_threads(average, range(0, n, STEP), n_jobs)
    return LabelDistributions(known, masses)

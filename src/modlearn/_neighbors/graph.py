"""Nearest neighbors of every row: what counts are to partitions, this graph is to propagation."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from modlearn._neighbors._ranking import distances_to, nearest
from modlearn._neighbors.brute import BruteForce
from modlearn._neighbors.engines import Engine, Points

__all__ = ["Graph", "Neighbors", "neighbors_of_new", "neighbors_of_rows"]

BLOCK = 16_384
"""Rows that are looked up together."""

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Graph:
    """What propagation needs of lists of neighbors: of the distances only the last of each."""

    pointer: NDArray[np.int64]
    rows: NDArray[np.int32]
    radii: NDArray[np.float64]


@dataclass(frozen=True)
class Neighbors:
    """Lists of neighbors, nearest first.

    Parameters
    ----------
    pointer : ndarray of shape (n+1,), int64
        Neighbors of row i are ``rows[pointer[i] : pointer[i + 1]]``.
    rows : ndarray of shape (E,), int32
        Row numbers of the neighbors.
    distances : ndarray of shape (E,), float64
        How far away each is.
    """

    pointer: NDArray[np.int64]
    rows: NDArray[np.int32]
    distances: NDArray[np.float64]

    @property
    def n_rows(self) -> int:
        """Number of rows that have a list."""
        return len(self.pointer) - 1

    @property
    def radii(self) -> NDArray[np.float64]:
        """Distance of the last neighbor, shape (n,); inf of a row without any."""
        radii = np.full(self.n_rows, np.inf)
        filled = np.flatnonzero(np.diff(self.pointer))
        radii[filled] = self.distances[self.pointer[filled + 1] - 1]
        return radii

    def graph(self) -> Graph:
        """The lists without their distances, which are a good part of the memory."""
        return Graph(self.pointer, self.rows, self.radii)

    @classmethod
    def of_lists(cls, rows: NDArray[np.int32], distances: NDArray[np.float64]) -> Neighbors:
        """Lists of equal length, both of shape (n, k)."""
        n, k = rows.shape
        pointer = np.arange(n + 1, dtype=np.int64) * k
        return cls(pointer, rows.reshape(-1), distances.reshape(-1))


def neighbors_of_rows(
    engine: Engine, points: Points, n_neighbors: int, progress: Progress
) -> Neighbors:
    """The n_neighbors nearest other rows of every row, fewer if there are not so many."""
    n, k = points.shape[0], min(n_neighbors, points.shape[0] - 1)
    if k and isinstance(engine, BruteForce):
        found = _finite(*engine.candidates_of_rows(k, progress))
        return Neighbors.of_lists(*nearest(*found, 0, k))
    rows, distances = np.empty((n, k), dtype=np.int32), np.empty((n, k))
    for first, last in _blocks(n if k else 0):
        found = _candidates(engine, points, points[first:last], k + 1)
        rows[first:last], distances[first:last] = nearest(*found, first, k)
        progress(last, n)
    return Neighbors.of_lists(rows, distances)


def neighbors_of_new(
    engine: Engine, points: Points, queries: Points, n_neighbors: int
) -> Neighbors:
    """The n_neighbors nearest rows of new points."""
    n, k = queries.shape[0], min(n_neighbors, points.shape[0])
    rows, distances = np.empty((n, k), dtype=np.int32), np.empty((n, k))
    for first, last in _blocks(n):
        found = _candidates(engine, points, queries[first:last], k)
        rows[first:last], distances[first:last] = nearest(*found, -1, k)
    return Neighbors.of_lists(rows, distances)


def _candidates(
    engine: Engine, points: Points, queries: Points, k: int
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """Candidates of an engine, with distances that are the same whatever the engine."""
    rows, distances = _finite(*engine.candidates(queries, k))
    return rows, distances if sp.issparse(points) else distances_to(points, queries, rows)


def _finite(
    rows: NDArray[np.int32], distances: NDArray[np.float64]
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """The same, but refuse distances that overflow: engines then name rows that do not exist."""
    if not np.isfinite(distances).all():
        raise ValueError(
            "Distances between rows are too large for floats: divide the columns by a number, "
            'or use representation="auto", which scales them.'
        )
    return rows, distances


def _blocks(n: int) -> Iterator[tuple[int, int]]:
    for first in range(0, n, BLOCK):
        yield first, min(first + BLOCK, n)

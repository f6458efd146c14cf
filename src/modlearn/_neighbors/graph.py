"""Nearest neighbors of every row, the graph that labels spread along, and how they are found."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from modlearn._neighbors._ranking import distances_to, nearest
from modlearn._neighbors.brute import BruteForce
from modlearn._neighbors.embedding import learn_embedding, learn_raw
from modlearn._neighbors.engines import ENGINES, Engine, choose_engine
from modlearn._neighbors.points import Candidates, Points, RowProgress

__all__ = ["Graph", "Neighbors", "SearchedNeighbors", "neighbors_of_new", "neighbors_of_rows"]

BLOCK = 16_384
"""Number of rows that are looked up together."""

LOW_RECALL = 0.9
"""If a smaller share of the true neighbors is found, the user is warned."""


@dataclass(frozen=True)
class Graph:
    """Lists of neighbors without their distances; propagation needs only the largest distance."""

    # (n+1,), neighbors of row i are ``rows[pointer[i] : pointer[i + 1]]``.
    pointer: NDArray[np.int64]
    rows: NDArray[np.int32]  # (E,), row numbers of the neighbors
    radii: NDArray[np.float64]  # (n,), distance of the last neighbor; infinite if a row has none


@dataclass(frozen=True)
class Neighbors:
    """Lists of neighbors, nearest first."""

    # (n+1,), neighbors of row i are ``rows[pointer[i] : pointer[i + 1]]``.
    pointer: NDArray[np.int64]
    rows: NDArray[np.int32]  # (E,), row numbers of the neighbors
    distances: NDArray[np.float64]  # (E,), distance of each neighbor

    @property
    def n_rows(self) -> int:
        """Number of rows that have a list."""
        return len(self.pointer) - 1

    @property
    def radii(self) -> NDArray[np.float64]:
        """Distance of the last neighbor, shape (n,); infinite if a row has none."""
        radii = np.full(self.n_rows, np.inf)
        filled = np.flatnonzero(np.diff(self.pointer))
        radii[filled] = self.distances[self.pointer[filled + 1] - 1]
        return radii

    def graph(self) -> Graph:
        """Return the lists without their distances, which take much of the memory."""
        return Graph(self.pointer, self.rows, self.radii)

    @classmethod
    def of_lists(cls, rows: NDArray[np.int32], distances: NDArray[np.float64]) -> Neighbors:
        """Create lists of equal length from two arrays of shape (n, k)."""
        n, k = rows.shape
        pointer = np.arange(n + 1, dtype=np.int64) * k
        return cls(pointer, rows.reshape(-1), distances.reshape(-1))


class SearchedNeighbors:
    """Rows of a table as points, and the engine that searches them."""

    def __init__(
        self, X: Any, representation: str, engine: str, n_neighbors: int, n_jobs: int
    ) -> None:
        learn = learn_raw if representation == "raw" else learn_embedding
        self.embedding, self.points = learn(X)
        self.n_rows: int = self.points.shape[0]
        self.engine = choose_engine(engine, self.points)
        if representation != "raw" and self.engine == "approximate":
            # The search uses single precision anyway, and these points are our own copy.
            self.points = self.points.astype(np.float32, copy=False)
        self.n_neighbors, self.n_jobs = n_neighbors, n_jobs
        self.recall = 1.0
        self.index: Engine | None = None

    def of_rows(self, progress: RowProgress) -> Neighbors:
        """Find the neighbors of the rows among themselves."""
        found = neighbors_of_rows(self._built(), self.points, self.n_neighbors, progress)
        self.recall = self._built().recall
        if self.recall < LOW_RECALL:
            warnings.warn(
                f"Only {self.recall:.0%} of the nearest neighbors of a sample were found, which "
                'happens if many rows are equal: engine="brute" finds all of them but is slower.',
                stacklevel=2,
            )
        return found

    def of_new(self, X: Any) -> Neighbors:
        """Find the neighbors of the rows of another table."""
        queries = self.embedding.points(X).astype(self.points.dtype, copy=False)
        if sp.issparse(queries) and not sp.issparse(self.points):
            raise ValueError("X is sparse, but the training data was dense: pass X.toarray().")
        return neighbors_of_new(self._built(), self.points, queries, self.n_neighbors)

    def _built(self) -> Engine:
        """The index, which is not pickled but built again from the points."""
        if self.index is None:
            self.index = ENGINES[self.engine](self.points, self.n_jobs)
        return self.index

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "index": None}


def neighbors_of_rows(
    engine: Engine, points: Points, n_neighbors: int, progress: RowProgress
) -> Neighbors:
    """Return the n_neighbors nearest other rows of every row, or all if there are fewer."""
    n, k = points.shape[0], min(n_neighbors, points.shape[0] - 1)
    if k and isinstance(engine, BruteForce):
        found = _refuse_overflow(*engine.candidates_of_rows(k, progress))
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
    """Return the n_neighbors nearest rows of new points."""
    n, k = queries.shape[0], min(n_neighbors, points.shape[0])
    rows, distances = np.empty((n, k), dtype=np.int32), np.empty((n, k))
    for first, last in _blocks(n):
        found = _candidates(engine, points, queries[first:last], k)
        rows[first:last], distances[first:last] = nearest(*found, -1, k)
    return Neighbors.of_lists(rows, distances)


def _candidates(engine: Engine, points: Points, queries: Points, k: int) -> Candidates:
    """Return the candidates of an engine, with distances that do not depend on the engine."""
    rows, distances = _refuse_overflow(*engine.candidates(queries, k))
    return rows, distances if sp.issparse(points) else distances_to(points, queries, rows)


def _refuse_overflow(rows: NDArray[np.int32], distances: NDArray[np.float64]) -> Candidates:
    """Return candidates, or raise if a distance overflows: engines then return arbitrary rows."""
    if not np.isfinite(distances).all():
        raise ValueError(
            "Distances between rows are too large for floats: divide the columns by a constant, "
            'or use representation="auto", which scales them.'
        )
    return rows, distances


def _blocks(n: int) -> Iterator[tuple[int, int]]:
    """Yield the first and last row of each block."""
    for first in range(0, n, BLOCK):
        yield first, min(first + BLOCK, n)

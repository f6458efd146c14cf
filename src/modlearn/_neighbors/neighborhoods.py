"""Sources of neighbors: a search among points, or a graph that the user passes."""

from __future__ import annotations

import warnings
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp

from modlearn._neighbors.embedding import RawPoints, learn_embedding
from modlearn._neighbors.engines import ENGINES, Engine, choose_engine
from modlearn._neighbors.graph import Neighbors, neighbors_of_new, neighbors_of_rows
from modlearn._neighbors.points import RowProgress
from modlearn._neighbors.precomputed import read_neighbors

__all__ = ["Neighborhood", "PrecomputedNeighbors", "SearchedNeighbors"]

LOW_RECALL = 0.9
"""If a smaller share of the true neighbors is found, the user is warned."""


class SearchedNeighbors:
    """Rows of a table as points, and the engine that searches them."""

    def __init__(
        self, X: Any, representation: str, engine: str, n_neighbors: int, n_jobs: int
    ) -> None:
        self.embedding = RawPoints() if representation == "raw" else learn_embedding(X)
        self.points = self.embedding.points(X)
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


class PrecomputedNeighbors:
    """A graph of neighbors that the user passes."""

    engine = "precomputed"
    recall = 1.0

    def __init__(self, graph: Any, n_neighbors: int) -> None:
        self.n_neighbors = n_neighbors
        self.graph = read_neighbors(graph, None, n_neighbors)
        self.n_rows = self.graph.n_rows

    def of_rows(self, progress: RowProgress) -> Neighbors:
        """Return the neighbors of the rows of the graph."""
        return self.graph

    def of_new(self, graph: Any) -> Neighbors:
        """Read the neighbors of new rows among the training rows."""
        return read_neighbors(graph, self.n_rows, self.n_neighbors)

    def __getstate__(self) -> dict[str, Any]:
        return {"n_neighbors": self.n_neighbors, "n_rows": self.n_rows}


Neighborhood: TypeAlias = SearchedNeighbors | PrecomputedNeighbors

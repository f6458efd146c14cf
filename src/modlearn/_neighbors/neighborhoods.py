"""Where neighbors come from: a search among points, or a graph that the user gives."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp

from modlearn._neighbors.embedding import RawPoints, learn_embedding
from modlearn._neighbors.engines import ENGINES, Engine, settled_engine
from modlearn._neighbors.graph import Neighbors, neighbors_of_new, neighbors_of_rows
from modlearn._neighbors.precomputed import neighbors_given

__all__ = ["GivenNeighbors", "SearchedNeighbors"]

FEW_FOUND = 0.9
"""Below this share of the true neighbors a user should know of it."""


class SearchedNeighbors:
    """Rows of a table as points, and the engine that searches them."""

    def __init__(self, X: Any, representation: str, engine: str, n_neighbors: int, n_jobs: int):
        self.embedding = RawPoints() if representation == "raw" else learn_embedding(X)
        self.points = self.embedding.points(X)
        self.n_rows = self.points.shape[0]
        self.engine = settled_engine(engine, self.points)
        if representation != "raw" and self.engine == "approximate":
            # The search is of single precision anyway, and these points are a copy of ours.
            self.points = self.points.astype(np.float32, copy=False)
        self.n_neighbors, self.n_jobs = n_neighbors, n_jobs
        self.recall = 1.0
        self.index: Engine | None = None

    def of_rows(self, progress: Callable[[int, int], None]) -> Neighbors:
        """Neighbors of the rows themselves."""
        found = neighbors_of_rows(self._built(), self.points, self.n_neighbors, progress)
        self.recall = self._built().recall
        if self.recall < FEW_FOUND:
            warnings.warn(
                f"Only {self.recall:.0%} of the nearest neighbors of a sample were found, as "
                'happens where many rows are equal: engine="brute" finds all, but takes longer.',
                stacklevel=2,
            )
        return found

    def of_new(self, X: Any) -> Neighbors:
        """Neighbors of the rows of another table."""
        queries = self.embedding.points(X).astype(self.points.dtype, copy=False)
        if sp.issparse(queries) and not sp.issparse(self.points):
            raise ValueError("X is sparse, but in fit it was dense: pass X.toarray().")
        return neighbors_of_new(self._built(), self.points, queries, self.n_neighbors)

    def _built(self) -> Engine:
        """The index, which is not part of a pickle: it is built anew from the points."""
        if self.index is None:
            self.index = ENGINES[self.engine](self.points, self.n_jobs)
        return self.index

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "index": None}


class GivenNeighbors:
    """A graph of neighbors found elsewhere."""

    engine = "precomputed"
    recall = 1.0

    def __init__(self, graph: Any, n_neighbors: int):
        self.n_neighbors = n_neighbors
        self.graph = neighbors_given(graph, None, n_neighbors)
        self.n_rows = self.graph.n_rows

    def of_rows(self, progress: Callable[[int, int], None]) -> Neighbors:
        """Neighbors of the rows that the graph is about."""
        return self.graph

    def of_new(self, graph: Any) -> Neighbors:
        """Neighbors of new rows among them."""
        return neighbors_given(graph, self.n_rows, self.n_neighbors)

    def __getstate__(self) -> dict[str, Any]:
        return {"n_neighbors": self.n_neighbors, "n_rows": self.n_rows}

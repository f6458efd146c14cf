"""Neighbors that the user has already found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from modlearn._neighbors.graph import Neighbors
from modlearn._neighbors.points import Array, RowProgress

__all__ = ["PrecomputedNeighbors", "read_neighbors"]


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


@dataclass(frozen=True)
class _Edges:
    """Edges from rows to columns of a graph, shape (E,) each, and the shape of the graph."""

    rows: Array
    columns: Array
    distances: NDArray[np.float64]
    shape: tuple[int, int]


def read_neighbors(graph: Any, n_known: int | None, n_neighbors: int) -> Neighbors:
    """Read a graph, and keep the n_neighbors nearest of each row.

    It is a sparse matrix (n, n_known) of distances, other entries not stored; or a pair of arrays
    (n, k), row numbers of the neighbors, -1 = none, and their distances. `n_known` rows can be
    neighbors; None = the n rows themselves, but not of themselves.
    """
    edges = _edges_of_matrix(graph) if sp.issparse(graph) else _edges_of_lists(graph, n_known)
    n = edges.shape[0]
    _check(edges, n if n_known is None else n_known)
    keep = edges.columns >= 0
    if n_known is None:
        keep &= edges.columns != edges.rows
    return _nearest(edges, keep, n_neighbors)


def _edges_of_matrix(matrix: Any) -> _Edges:
    """Return the stored entries of a sparse matrix; a stored zero is a distance."""
    entries = sp.coo_array(matrix)
    return _Edges(entries.row, entries.col, entries.data.astype(np.float64), entries.shape)


def _edges_of_lists(lists: Any, n_known: int | None) -> _Edges:
    """Return the edges from two arrays of shape (n, k)."""
    if not (isinstance(lists, tuple | list) and len(lists) == 2):
        raise ValueError(
            f"X is a {type(lists).__name__}: with representation='precomputed', pass a sparse "
            "matrix of distances, or a pair of arrays: row numbers and distances of neighbors."
        )
    columns, distances = np.asarray(lists[0]), np.asarray(lists[1], dtype=np.float64)
    if columns.ndim != 2 or columns.shape != distances.shape or columns.dtype.kind not in "iu":
        raise ValueError(
            f"The row numbers of neighbors have shape {columns.shape} and type {columns.dtype}, "
            f"their distances have shape {distances.shape}: pass integers and distances, both of "
            "shape (n, k)."
        )
    n = len(columns)
    rows = np.repeat(np.arange(n), columns.shape[1])
    shape = (n, n if n_known is None else n_known)
    return _Edges(rows, columns.reshape(-1).astype(np.int64), distances.reshape(-1), shape)


def _check(edges: _Edges, n_known: int) -> None:
    """Refuse a graph of the wrong shape, row numbers out of range, and impossible distances."""
    if edges.shape[1] != n_known:
        raise ValueError(
            f"The graph has shape {edges.shape}, but {n_known} rows can be neighbors: pass a graph "
            f"of shape ({edges.shape[0]}, {n_known})."
        )
    listed = edges.columns >= 0
    beyond = (edges.columns < -1) | (edges.columns >= n_known)
    if beyond.any():
        i = int(np.argmax(beyond))
        raise ValueError(
            f"Row {edges.rows[i]} of the graph has neighbor {edges.columns[i]}: row numbers are "
            f"0 to {n_known - 1}, or -1 for none."
        )
    bad = listed & ~(np.isfinite(edges.distances) & (edges.distances >= 0))
    if bad.any():
        i = int(np.argmax(bad))
        raise ValueError(
            f"Row {edges.rows[i]} of the graph has a neighbor at distance {edges.distances[i]}: "
            "distances must be finite and not negative."
        )


def _nearest(edges: _Edges, keep: NDArray[np.bool_], n_neighbors: int) -> Neighbors:
    """Return the nearest edges of each row, ties by row number."""
    rows, columns, distances = edges.rows[keep], edges.columns[keep], edges.distances[keep]
    order = np.lexsort((columns, distances, rows))
    starts = np.searchsorted(rows[order], np.arange(edges.shape[0] + 1))
    rank = np.arange(len(order)) - starts[rows[order]]
    order = order[rank < n_neighbors]
    pointer = np.searchsorted(rows[order], np.arange(edges.shape[0] + 1)).astype(np.int64)
    return Neighbors(pointer, columns[order].astype(np.int32), distances[order])

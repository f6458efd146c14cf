"""Neighbors that a user has found already."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp

from modlearn._neighbors.graph import Neighbors

__all__ = ["neighbors_given"]


@dataclass(frozen=True)
class _Edges:
    """Edges from rows to columns of a graph with so many rows and columns."""

    rows: np.ndarray
    columns: np.ndarray
    distances: np.ndarray
    shape: tuple[int, int]


def neighbors_given(graph: Any, n_known: int | None, n_neighbors: int) -> Neighbors:
    """Read a graph, and keep the n_neighbors nearest of each row.

    Parameters
    ----------
    graph : sparse matrix of shape (n, n_known), or pair of arrays of shape (n, k)
        Distances to neighbors, all other entries not stored; or row numbers of the neighbors,
        -1 = none, and their distances.
    n_known : int or None
        Number of rows that can be neighbors; None = the n rows themselves, none its own neighbor.
    n_neighbors : int
        Most neighbors of a row.
    """
    edges = _edges_of_matrix(graph) if sp.issparse(graph) else _edges_of_lists(graph, n_known)
    n = edges.shape[0]
    _check(edges, n if n_known is None else n_known)
    keep = edges.columns >= 0
    if n_known is None:
        keep &= edges.columns != edges.rows
    return _nearest(edges, keep, n_neighbors)


def _edges_of_matrix(matrix: Any) -> _Edges:
    """Stored entries of a sparse matrix; a zero that is stored is a distance."""
    entries = sp.coo_array(matrix)
    return _Edges(entries.row, entries.col, entries.data.astype(np.float64), entries.shape)


def _edges_of_lists(lists: Any, n_known: int | None) -> _Edges:
    """Edges of two arrays of shape (n, k)."""
    if not (isinstance(lists, tuple | list) and len(lists) == 2):
        raise ValueError(
            f"X is a {type(lists).__name__}: with representation='precomputed', pass a sparse "
            "matrix of distances, or a pair of arrays, row numbers and distances of neighbors."
        )
    columns, distances = np.asarray(lists[0]), np.asarray(lists[1], dtype=np.float64)
    if columns.ndim != 2 or columns.shape != distances.shape or columns.dtype.kind not in "iu":
        raise ValueError(
            f"Neighbors of shape {columns.shape} and type {columns.dtype} with distances of shape "
            f"{distances.shape}: give whole row numbers and distances, both of shape (n, k)."
        )
    n = len(columns)
    rows = np.repeat(np.arange(n), columns.shape[1])
    shape = (n, n if n_known is None else n_known)
    return _Edges(rows, columns.reshape(-1).astype(np.int64), distances.reshape(-1), shape)


def _check(edges: _Edges, n_known: int) -> None:
    """Refuse graphs of another shape, numbers that are no rows, and distances that are none."""
    if edges.shape[1] != n_known:
        raise ValueError(
            f"The graph has shape {edges.shape}, but {n_known} rows can be neighbors: give one "
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


def _nearest(edges: _Edges, keep: np.ndarray, n_neighbors: int) -> Neighbors:
    """The nearest of each row's edges, ties by row number."""
    rows, columns, distances = edges.rows[keep], edges.columns[keep], edges.distances[keep]
    order = np.lexsort((columns, distances, rows))
    starts = np.searchsorted(rows[order], np.arange(edges.shape[0] + 1))
    rank = np.arange(len(order)) - starts[rows[order]]
    order = order[rank < n_neighbors]
    pointer = np.searchsorted(rows[order], np.arange(edges.shape[0] + 1)).astype(np.int64)
    return Neighbors(pointer, columns[order].astype(np.int32), distances[order])

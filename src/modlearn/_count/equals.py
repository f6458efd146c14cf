"""Rows that are the same point."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from modlearn._count.engines import Points

__all__ = ["points_of_rows"]


def points_of_rows(points: Points, most: int) -> NDArray[np.intp] | None:
    """Number the points, shape (n,): rows that more than `most` others equal are one; None = none.

    The neighbours of a row would be copies of it alone, which know no more than it does.
    Points are numbered in the order in which they come first.
    """
    keys = _projected(points)
    _, group, counts = np.unique(keys, return_inverse=True, return_counts=True)
    common = counts[group] > most + 1
    if not common.any():
        return None
    leader = np.arange(len(keys))
    rows = np.flatnonzero(common)
    _, first, inverse = np.unique(group[rows], return_index=True, return_inverse=True)
    leader[rows] = rows[first[inverse]]
    # Different rows may share a key, however unlikely that is.
    leader = np.where(_equal(points, leader), leader, np.arange(len(keys)))
    return np.unique(leader, return_inverse=True)[1]


def _projected(points: Points) -> NDArray[np.float64]:
    """A number per row, the same for equal rows, shape (n,)."""
    direction = np.random.default_rng(0).standard_normal(points.shape[1])
    if sp.issparse(points):
        return np.asarray(points @ direction)
    return np.einsum("ij,j->i", points, direction)


def _equal(points: Points, leader: NDArray[np.intp]) -> NDArray[np.bool_]:
    """Whether each row equals the row that leads it, shape (n,)."""
    same = np.ones(len(leader), dtype=bool)
    led = np.flatnonzero(leader != np.arange(len(leader)))
    differs = points[led] != points[leader[led]]
    same[led] = ~np.asarray(differs.sum(1), dtype=bool).reshape(-1)
    return same

"""Engines that find near points, behind one small interface."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from modlearn._count.brute import BruteForce

__all__ = ["ENGINES", "Engine", "Points", "brute_force", "build_engine", "settled_engine"]

Points: TypeAlias = Any  # an ndarray or a sparse csr_array of shape (n, d)
Candidates = tuple[NDArray[np.int32], NDArray[np.float64]]


class Engine(Protocol):
    """An index of points."""

    def candidates(self, queries: Points, k: int) -> Candidates:
        """At least the k nearest points (m, c) of each query, in any order, and their distances."""


class KDTree:
    """SciPy's k-d tree: exact, best with few coordinates."""

    def __init__(self, points: Points, n_jobs: int) -> None:
        from scipy.spatial import cKDTree

        self.tree: Any = cKDTree(points, balanced_tree=False, compact_nodes=True)
        self.n_jobs = n_jobs

    def candidates(self, queries: Points, k: int) -> Candidates:
        """The k nearest points of each query."""
        distances, rows = self.tree.query(queries, k=[*range(1, k + 1)], workers=self.n_jobs)
        return rows.astype(np.int32), distances


class SparseBruteForce:
    """All distances between sparse points: exact."""

    def __init__(self, points: Points, n_jobs: int) -> None:
        from sklearn.neighbors import NearestNeighbors

        self.index: Any = NearestNeighbors(algorithm="brute", n_jobs=n_jobs).fit(points)

    def candidates(self, queries: Points, k: int) -> Candidates:
        """The k nearest points of each query."""
        distances, rows = self.index.kneighbors(queries, n_neighbors=k)
        return rows.astype(np.int32), np.ascontiguousarray(distances, dtype=np.float64)


def brute_force(points: Points, n_jobs: int) -> Engine:
    """All distances, for many coordinates and for sparse points."""
    engine = SparseBruteForce if sp.issparse(points) else BruteForce
    return engine(points, n_jobs)


ENGINES: dict[str, Callable[[Points, int], Engine]] = {"kdtree": KDTree, "brute": brute_force}


def settled_engine(engine: str, points: Points) -> str:
    """The engine that "auto" stands for."""
    if engine != "auto":
        return engine
    return "brute" if sp.issparse(points) or points.shape[1] > 15 else "kdtree"


def build_engine(engine: str, points: Points, n_jobs: int) -> Engine:
    """Index the points."""
    return ENGINES[engine](points, n_jobs)

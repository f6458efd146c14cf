"""Engines that find near points, behind one small interface."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp

from modlearn._neighbors.brute import BruteForce
from modlearn._neighbors.points import Candidates, Points
from modlearn._parallel import map_in_threads

__all__ = ["ENGINES", "Engine", "choose_engine"]


class Engine(Protocol):
    """An index of points."""

    recall: float
    """Share of the true neighbors that are found; 1 if the engine is exact."""

    def candidates(self, queries: Points, k: int) -> Candidates:
        """Return at least the k nearest points (m, c) of each query, in any order."""


QUERIES_PER_TASK = 1024
"""Number of queries that a thread looks up in a tree at a time."""


class KDTree:
    """SciPy's k-d tree: exact, best with few coordinates."""

    recall = 1.0

    def __init__(self, points: Points, n_jobs: int) -> None:
        from scipy.spatial import cKDTree

        if sp.issparse(points):
            raise ValueError(
                'engine="kdtree" needs dense points: pass X.toarray(), or use engine="brute".'
            )
        self.tree: Any = cKDTree(points)
        self.n_jobs = n_jobs

    def candidates(self, queries: Points, k: int) -> Candidates:
        """Return the k nearest points of each query."""
        rows = np.empty((len(queries), k), dtype=np.int32)
        distances = np.empty((len(queries), k))

        def work(first: int) -> None:
            some = slice(first, first + QUERIES_PER_TASK)
            distances[some], rows[some] = self.tree.query(queries[some], k=[*range(1, k + 1)])

        # SciPy's own threads, if interrupted, write to memory that has been freed.
        map_in_threads(work, range(0, len(queries), QUERIES_PER_TASK), self.n_jobs)
        return rows, distances


WORKING_MEMORY = 64
"""Megabytes of distances held at a time; scikit-learn's 1024 take more memory, not less time."""


class SparseBruteForce:
    """All distances between sparse points: exact."""

    recall = 1.0

    def __init__(self, points: Points, n_jobs: int) -> None:
        from sklearn.neighbors import NearestNeighbors

        self.index: Any = NearestNeighbors(algorithm="brute", n_jobs=n_jobs).fit(points)

    def candidates(self, queries: Points, k: int) -> Candidates:
        """Return the k nearest points of each query."""
        from sklearn import config_context

        with config_context(working_memory=WORKING_MEMORY):
            distances, rows = self.index.kneighbors(queries, n_neighbors=k)
        return rows.astype(np.int32), np.ascontiguousarray(distances, dtype=np.float64)


def brute_force(points: Points, n_jobs: int) -> Engine:
    """Prepare a search of all distances, for many coordinates and for sparse points."""
    engine = SparseBruteForce if sp.issparse(points) else BruteForce
    return engine(points, n_jobs)


def approximate(points: Points, n_jobs: int) -> Engine:
    """Build an approximate index, for very many points."""
    if sp.issparse(points):
        raise ValueError(
            f'engine="approximate" needs dense points, but these are sparse, with '
            f"{points.shape[1]:,} coordinates: drop columns with very many categories, or use "
            'engine="brute".'
        )
    # Imported late: faiss is an optional dependency.
    from modlearn._neighbors.approximate import SmallWorld

    return SmallWorld(points, n_jobs)


ENGINES: dict[str, Callable[[Points, int], Engine]] = {
    "kdtree": KDTree,
    "brute": brute_force,
    "approximate": approximate,
}

FEW_COORDINATES = 6
"""Up to this number of coordinates, a k-d tree is fastest."""

MANY_POINTS = 200_000
"""With at least this number of points, an approximate search is faster than all distances."""


def choose_engine(engine: str, points: Points) -> str:
    """Return the engine that "auto" selects for these points, or the one named."""
    if engine != "auto":
        return engine
    n, d = points.shape
    if sp.issparse(points):
        return "brute"
    if d <= FEW_COORDINATES:
        return "kdtree"
    if n < MANY_POINTS:
        return "brute"
    if find_spec("faiss"):
        return "approximate"
    warnings.warn(
        f"Computing all distances between {n:,} rows takes a long time: install a faster engine "
        'with pip install "modlearn[approximate]".',
        stacklevel=2,
    )
    return "brute"

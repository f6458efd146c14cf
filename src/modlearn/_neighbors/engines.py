"""Engines that find near points, behind one small interface."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any, Protocol, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from modlearn._neighbors.brute import BruteForce
from modlearn._parallel import map_in_threads

__all__ = ["ENGINES", "Engine", "Points", "settled_engine"]

Points: TypeAlias = Any  # an ndarray or a sparse csr_array of shape (n, d)
Candidates = tuple[NDArray[np.int32], NDArray[np.float64]]


class Engine(Protocol):
    """An index of points."""

    recall: float
    """Share of the true neighbors that are found; 1 if the engine is exact."""

    def candidates(self, queries: Points, k: int) -> Candidates:
        """At least the k nearest points (m, c) of each query, in any order, and their distances."""


AT_A_TIME = 1024
"""Points that a thread looks up in a tree before it takes others."""


class KDTree:
    """SciPy's k-d tree: exact, best with few coordinates."""

    recall = 1.0

    def __init__(self, points: Points, n_jobs: int) -> None:
        from scipy.spatial import cKDTree

        self.tree: Any = cKDTree(points)
        self.n_jobs = n_jobs

    def candidates(self, queries: Points, k: int) -> Candidates:
        """The k nearest points of each query."""
        rows = np.empty((len(queries), k), dtype=np.int32)
        distances = np.empty((len(queries), k))

        def work(first: int) -> None:
            some = slice(first, first + AT_A_TIME)
            distances[some], rows[some] = self.tree.query(queries[some], k=[*range(1, k + 1)])

        # Not SciPy's threads: interrupted, they write to memory that is given back already.
        map_in_threads(work, range(0, len(queries), AT_A_TIME), self.n_jobs)
        return rows, distances


def kd_tree(points: Points, n_jobs: int) -> Engine:
    """A tree, for few coordinates."""
    if sp.issparse(points):
        raise ValueError(
            'engine="kdtree" needs dense points: pass X.toarray(), or use engine="brute".'
        )
    return KDTree(points, n_jobs)


MEGABYTES = 64
"""Distances held at a time; scikit-learn's 1024 need twice as much, and are no faster."""


class SparseBruteForce:
    """All distances between sparse points: exact."""

    recall = 1.0

    def __init__(self, points: Points, n_jobs: int) -> None:
        from sklearn.neighbors import NearestNeighbors

        self.index: Any = NearestNeighbors(algorithm="brute", n_jobs=n_jobs).fit(points)

    def candidates(self, queries: Points, k: int) -> Candidates:
        """The k nearest points of each query."""
        from sklearn import config_context

        with config_context(working_memory=MEGABYTES):
            distances, rows = self.index.kneighbors(queries, n_neighbors=k)
        return rows.astype(np.int32), np.ascontiguousarray(distances, dtype=np.float64)


def brute_force(points: Points, n_jobs: int) -> Engine:
    """All distances, for many coordinates and for sparse points."""
    engine = SparseBruteForce if sp.issparse(points) else BruteForce
    return engine(points, n_jobs)


def approximate(points: Points, n_jobs: int) -> Engine:
    """A graph that is searched, for very many points."""
    if sp.issparse(points):
        raise ValueError(
            f'engine="approximate" needs dense points, and these have {points.shape[1]:,} '
            "coordinates, most of them 0: drop columns with very many categories, or use "
            'engine="brute".'
        )
    # Not imported before: faiss is an extra.
    from modlearn._neighbors.approximate import SmallWorld

    return SmallWorld(points, n_jobs)


ENGINES: dict[str, Callable[[Points, int], Engine]] = {
    "kdtree": kd_tree,
    "brute": brute_force,
    "approximate": approximate,
}

FEW_COORDINATES = 6
"""Up to so many a k-d tree is fastest."""

MANY_POINTS = 200_000
"""From so many on all distances take longer than an approximate search."""


def settled_engine(engine: str, points: Points) -> str:
    """The engine that "auto" stands for."""
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
        f"All distances between {n:,} rows are computed, which takes long: "
        'pip install "modlearn[approximate]" for a faster engine.',
        stacklevel=2,
    )
    return "brute"

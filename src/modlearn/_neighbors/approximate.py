"""Approximate neighbors of very many points, found in the HNSW graphs of faiss."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from modlearn._neighbors._ranking import distances_to, nearest
from modlearn._neighbors.brute import BruteForce, scaling_unit
from modlearn._neighbors.points import Array, Candidates

__all__ = ["SmallWorld"]

N_LINKS = 16
"""Number of links of a point in the graph."""

BUILD_WIDTH = 60
"""Number of points examined when a point is linked."""

TARGET_RECALL = 0.96
"""The search is widened until it finds this share of the true neighbors of a sample."""

SEARCH_WIDTHS = (64, 128, 256, 512, 1024)
"""Numbers of points examined per query, tried in this order."""

MIN_GAIN = 0.005
"""Recall that a wider search must add to be worth its time."""

SAMPLE_SIZE = 400
"""Number of points on which recall is measured."""


class SmallWorld:
    """Hierarchical navigable small world graph; its result does not depend on threads.

    The search is widened until it finds nearly all neighbors of a sample of the points.
    """

    recall = 1.0

    def __init__(self, points: Array, n_jobs: int) -> None:
        self.faiss, self.n_jobs, self.points = _import_faiss(), n_jobs, points
        # Far from the origin, single precision would lose the digits in which distances differ.
        self.center = points.mean(0, dtype=np.float64)
        self.unit = scaling_unit(points, self.center)
        self.index: Any = self.faiss.IndexHNSWFlat(points.shape[1], N_LINKS)
        self.index.hnsw.efConstruction = BUILD_WIDTH
        self.faiss.omp_set_num_threads(n_jobs)
        # Add all points at once: in batches, separate clusters are linked less well.
        self.index.add(self._single(points))
        self.k_tuned = 0

    def candidates(self, queries: Array, k: int) -> Candidates:
        """Return approximately the k nearest points of each query, with their distances."""
        if k > self.k_tuned:
            self._tune(k)
        rows, distances = self._search(queries, k)
        # Among many equal points the graph may be disconnected, with a component of fewer than k.
        incomplete = np.flatnonzero((rows < 0).any(1))
        if len(incomplete):
            exact = BruteForce(self.points, self.n_jobs).candidates(queries[incomplete], k)
            rows[incomplete], distances[incomplete] = nearest(*exact, -1, k)
        return rows, distances

    def _single(self, points: Array) -> NDArray[np.float32]:
        """Return points centered at the origin, in single precision."""
        moved = points - self.center
        moved *= self.unit
        return np.ascontiguousarray(moved, dtype=np.float32)

    def _search(self, queries: Array, k: int) -> Candidates:
        self.faiss.omp_set_num_threads(self.n_jobs)
        _, rows = self.index.search(self._single(queries), k)
        rows = rows.astype(np.int32)
        return rows, distances_to(self.points, queries, rows)

    def _tune(self, k: int) -> None:
        """Widen the search until it finds the neighbors of a sample, or gains nothing more."""
        sample = np.ascontiguousarray(self.points[:: max(1, len(self.points) // SAMPLE_SIZE)])
        # A point is its own nearest neighbor, which does not count.
        n_listed = min(k + 1, len(self.points))
        _, true = BruteForce(self.points, self.n_jobs).candidates(sample, n_listed)
        farthest = np.partition(true, n_listed - 1, axis=1)[:, n_listed - 1 : n_listed]
        self.recall, self.k_tuned = 0.0, k
        for width in SEARCH_WIDTHS:
            self.index.hnsw.efSearch = max(width, n_listed)
            _, found = self._search(sample, n_listed)
            # Which of equally near points are found does not matter.
            hits = np.count_nonzero(found <= farthest, axis=1) - 1
            before, self.recall = self.recall, float(np.mean(hits) / max(1, n_listed - 1))
            # Points that are not linked are not found, however wide the search.
            if self.recall >= TARGET_RECALL or self.recall < before + MIN_GAIN:
                return


def _import_faiss() -> Any:
    """Import faiss, or raise an error that says how to install it."""
    try:
        import faiss
    except ImportError:
        raise ImportError(
            'engine="approximate" needs faiss: install it with pip install "modlearn[approximate]".'
        ) from None
    return faiss

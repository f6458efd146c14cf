"""Approximate neighbors of very many points, by the graphs of faiss."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from modlearn._neighbors._ranking import distances_to, nearest
from modlearn._neighbors.brute import BruteForce, handy_unit

__all__ = ["SmallWorld"]

LINKS, BREADTH = 16, 60
"""Links of a point, and points looked at when it is linked."""

AIM = 0.96
"""Share of the true neighbors that the search is widened for, measured on a sample."""

WIDTHS = (64, 128, 256, 512, 1024)
"""Points looked at in a search."""

LEAST_GAIN = 0.005
"""By so much a wider search must find more to be worth its time."""

SAMPLE = 400
"""Points of the sample."""


class SmallWorld:
    """Hierarchical navigable small world graph: its result does not depend on the threads.

    The search is widened until it finds nearly all neighbors of a sample of the points.
    """

    recall = 1.0

    def __init__(self, points: np.ndarray, n_jobs: int) -> None:
        self.faiss, self.n_jobs, self.points = _import_faiss(), n_jobs, points
        # Far from the origin, single precision would lose the digits in which distances differ.
        self.center = points.mean(0, dtype=np.float64)
        self.unit = handy_unit(points, self.center)
        self.index: Any = self.faiss.IndexHNSWFlat(points.shape[1], LINKS)
        self.index.hnsw.efConstruction = BREADTH
        self.faiss.omp_set_num_threads(n_jobs)
        # All at once: added in pieces, points of separate clusters are linked less well.
        self.index.add(self._single(points))
        self.k_tuned = 0

    def candidates(
        self, queries: np.ndarray, k: int
    ) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        """About the k nearest points of each query, with their distances."""
        if k > self.k_tuned:
            self._widen(k)
        rows, distances = self._search(queries, k)
        # Among many equal points the graph falls into pieces, of which one may have less than k.
        lost = np.flatnonzero((rows < 0).any(1))
        if len(lost):
            exact = BruteForce(self.points, self.n_jobs).candidates(queries[lost], k)
            rows[lost], distances[lost] = nearest(*exact, -1, k)
        return rows, distances

    def _single(self, points: np.ndarray) -> NDArray[np.float32]:
        moved = points - self.center
        moved *= self.unit
        return np.ascontiguousarray(moved, dtype=np.float32)

    def _search(self, queries: np.ndarray, k: int) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        self.faiss.omp_set_num_threads(self.n_jobs)
        _, rows = self.index.search(self._single(queries), k)
        rows = rows.astype(np.int32)
        return rows, distances_to(self.points, queries, rows)

    def _widen(self, k: int) -> None:
        """Widen the search until the neighbors of a sample are found, or it is at its widest."""
        sample = np.ascontiguousarray(self.points[:: max(1, len(self.points) // SAMPLE)])
        # A point is the nearest of itself: it is looked for, but not counted.
        listed = min(k + 1, len(self.points))
        _, true = BruteForce(self.points, self.n_jobs).candidates(sample, listed)
        farthest = np.partition(true, listed - 1, axis=1)[:, listed - 1 : listed]
        self.recall, self.k_tuned = 0.0, k
        for width in WIDTHS:
            self.index.hnsw.efSearch = max(width, listed)
            _, found = self._search(sample, listed)
            # Which of equally near points are found does not matter.
            hits = np.count_nonzero(found <= farthest, axis=1) - 1
            before, self.recall = self.recall, float(np.mean(hits) / max(1, listed - 1))
            # Points that are not linked are not found however wide the search.
            if self.recall >= AIM or self.recall < before + LEAST_GAIN:
                return


def _import_faiss() -> Any:
    """Import the library, or say how to get it."""
    try:
        import faiss
    except ImportError:
        raise ImportError(
            'engine="approximate" needs faiss: pip install "modlearn[approximate]".'
        ) from None
    return faiss

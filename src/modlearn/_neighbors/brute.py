"""Exact neighbors from all distances: matrix products of small blocks, whose best are kept.

Nearness is -|x - y|²/2 = x·y - |x|²/2 - |y|²/2, which one matrix product computes. Products are
first computed in single precision. Queries for which single precision cannot separate the nearest
points from the others are repeated in double precision, and the few whose products are too
inaccurate even then are repeated with differences.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from threading import Event, Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from modlearn._neighbors._ranking import distances_to
from modlearn._neighbors._selection import keep_best, keep_best_pairs
from modlearn._neighbors.points import Array, Candidates, RowProgress
from modlearn._parallel import map_in_threads, one_blas_thread

__all__ = ["BruteForce", "scaling_unit"]

BLOCK = 768
"""Number of rows and columns of a block; its products stay in the cache."""

SPARE = 4
"""Number of candidates beyond the k nearest that single precision keeps for exact ranking."""

MOST_LISTS = 8
"""With more threads than this, separate lists per thread are not worth their memory."""

NEGLIGIBLE = 1e-9
"""Squared distances that differ by less than this share count as tied."""


@dataclass(frozen=True)
class _Best:
    """The nearest points found so far, in any order."""

    nearness: Array  # (m, c)
    rows: NDArray[np.int32]  # (m, c), -1 = none yet
    least: Array  # (m,), the lowest nearness of each row

    @classmethod
    def none(cls, m: int, c: int, dtype: np.dtype[Any]) -> _Best:
        """Return empty lists of c candidates for m queries."""
        nothing = np.full((m, c), -np.inf, dtype=dtype)
        return cls(nothing, np.full((m, c), -1, dtype=np.int32), np.full(m, -np.inf, dtype=dtype))

    def part(self, block: slice) -> tuple[Array, NDArray[np.int32], Array]:
        """Return views of the lists of some queries."""
        return self.nearness[block], self.rows[block], self.least[block]


class BruteForce:
    """Dense points, searched by blocks in all threads."""

    recall = 1.0

    def __init__(self, points: Array, n_jobs: int) -> None:
        self.points = points
        self.n_jobs = n_jobs
        # Far from the origin, products would lose the digits in which distances differ.
        self.center = points.mean(0, dtype=np.float64)
        self.unit = scaling_unit(points, self.center)
        self.single = self._columns(np.float32)

    def candidates(self, queries: Array, k: int) -> Candidates:
        """Return the k nearest points of each query and a few more, with their distances."""
        best = self._search(queries, k, self.single)
        return self._checked(queries, k, best, len(self.points))

    def candidates_of_rows(self, k: int, progress: RowProgress) -> Candidates:
        """Return the k nearest other points of each point and a few more, with their distances."""
        best = self._search_pairs(k, progress)
        return self._checked(self.points, k, best, len(self.points) - 1)

    def _checked(self, queries: Array, k: int, best: _Best, n_possible: int) -> Candidates:
        """Return candidates with distances; search again where single precision is too coarse."""
        rows = best.rows
        distances = distances_to(self.points, queries, rows)
        if rows.shape[1] < n_possible:
            again = np.flatnonzero(self._in_doubt(queries, k, distances, best.least))
            if len(again):
                rows[again], distances[again] = self._searched_again(queries[again], k)
        return rows, distances

    @np.errstate(over="ignore", invalid="ignore")
    def _searched_again(self, queries: Array, k: int) -> Candidates:
        """Return candidates in double precision, or from differences where that is too coarse."""
        rows = self._search(queries, k, self._columns(np.float64)).rows
        distances = distances_to(self.points, queries, rows)
        # A query may itself be a point, which is then the first of its k + 1 nearest.
        farthest = self.unit * np.partition(distances, k, axis=1)[:, k]
        error = self._error(queries, farthest, np.float64)
        vague = (farthest > 0) & (error > NEGLIGIBLE * farthest**2)
        unresolved = np.flatnonzero(vague | (rows < 0).any(1))
        every_row = np.arange(len(self.points), dtype=np.int32)[None]

        def compare(i: int) -> None:
            apart = distances_to(self.points, queries[i : i + 1], every_row)[0]
            rows[i] = np.argpartition(apart, rows.shape[1] - 1)[: rows.shape[1]]
            distances[i] = apart[rows[i]]

        map_in_threads(compare, unresolved.tolist(), self.n_jobs)
        return rows, distances

    def _columns(self, dtype: type[np.floating[Any]]) -> Array:
        """Return points as columns, then ones, then -|y|²/2, shape (d+2, n)."""
        n, d = self.points.shape
        columns = np.ones((d + 2, n), dtype=dtype)
        self._write_centered(self.points, columns[:d].T)
        np.einsum("ij,ij->j", columns[:d], columns[:d], out=columns[-1])
        columns[-1] *= -0.5
        return columns

    def _lines(self, queries: Array, dtype: np.dtype[Any]) -> Array:
        """Return queries as rows, then -|x|²/2, then ones, shape (m, d+2)."""
        m, d = queries.shape
        lines = np.ones((m, d + 2), dtype=dtype)
        # A query whose square overflows finds nothing here and is searched again.
        with np.errstate(over="ignore"):
            self._write_centered(queries, lines[:, :d])
            lines[:, d] = -0.5 * np.einsum("ij,ij->i", lines[:, :d], lines[:, :d])
        return lines

    def _write_centered(self, points: Array, out: Array) -> None:
        """Write points (m, d) centered at the origin, in blocks that need little memory."""
        for first in range(0, len(points), BLOCK):
            block = slice(first, first + BLOCK)
            out[block] = (points[block] - self.center) * self.unit

    def _search(self, queries: Array, k: int, columns: Array) -> _Best:
        """Return the k nearest points of each query and SPARE more."""
        n, m = len(self.points), len(queries)
        best = _Best.none(m, min(k + SPARE, n), columns.dtype)
        lines = self._lines(queries, columns.dtype)
        ended = Event()

        def work(first: int) -> None:
            block = slice(first, first + BLOCK)
            for start in range(0, n, BLOCK):
                if ended.is_set():
                    return
                with np.errstate(over="ignore", invalid="ignore"):
                    scores = lines[block] @ columns[:, start : start + BLOCK]
                keep_best(scores, start, *best.part(block))

        try:
            with one_blas_thread():
                map_in_threads(work, range(0, m, BLOCK), self.n_jobs)
        finally:
            # After an interruption, threads at work would otherwise go through all points.
            ended.set()
        return best

    def _search_pairs(self, k: int, progress: RowProgress) -> _Best:
        """Return the k nearest points of each point and SPARE more; examine each pair once.

        Every thread has its own lists, which are joined at the end.
        """
        n, columns = len(self.points), self.single
        lines = self._lines(self.points, columns.dtype)
        n_threads = min(self.n_jobs, MOST_LISTS)
        lists = [_Best.none(n, min(k + SPARE, n - 1), columns.dtype) for _ in range(n_threads)]
        free, done = deque(lists), _PairProgress(n, progress)

        def work(first: int) -> None:
            best = free.pop()
            line = lines[first : first + BLOCK]
            products = np.empty((len(line), BLOCK), dtype=columns.dtype)
            for start in range(first, n, BLOCK):
                if done.ended:
                    return
                some = columns[:, start : start + BLOCK]
                scores = np.matmul(line, some, out=products if some.shape[1] == BLOCK else None)
                keep_best_pairs(scores, first, start, *best.part(slice(None)))
            free.append(best)
            done.add(first)

        try:
            with one_blas_thread():
                map_in_threads(work, range(0, n, BLOCK), n_threads)
        finally:
            done.end()
        return _joined(lists)

    @np.errstate(over="ignore", invalid="ignore")
    def _in_doubt(
        self, queries: Array, k: int, distances: NDArray[np.float64], least: Array
    ) -> NDArray[np.bool_]:
        """Return for each query whether rounding may have left out a nearer point.

        A point that was left out is not nearer than `least`, except for rounding errors of products
        of d+2 terms; and if it is among the nearest, its norm is bounded too.
        """
        farthest = self.unit * np.partition(distances, k - 1, axis=1)[:, k - 1]
        error = self._error(queries, farthest, np.float32)
        # The negation of <, not >=, so that NaN counts as uncertain.
        return ~np.asarray(farthest**2 < -2.0 * least - error)

    def _error(self, queries: Array, farthest: Array, dtype: type[np.floating[Any]]) -> Array:
        """Return a bound (m,) on the rounding error of squared distances up to `farthest`."""
        norms = np.linalg.norm((queries - self.center) * self.unit, axis=1)
        terms = queries.shape[1] + 8
        return np.asarray(terms * float(np.finfo(dtype).eps) * (2 * norms + farthest) ** 2)


class _PairProgress:
    """Progress of threads that examine pairs; one thread at a time reports finished blocks."""

    def __init__(self, n: int, progress: RowProgress) -> None:
        self.n, self.progress = n, progress
        self.n_pairs, self.lock, self.ended = 0, Lock(), False

    def add(self, first: int) -> None:
        """Report the average number of rows done, after the block of this first row."""
        n_rows = min(BLOCK, self.n - first)
        with self.lock:
            self.n_pairs += n_rows * (self.n - first) - n_rows * (n_rows + 1) // 2
            if not self.ended:
                self.progress(2 * self.n_pairs // (self.n - 1), self.n)

    def end(self) -> None:
        """Stop reporting: after an interruption, threads may still be at work."""
        with self.lock:
            self.ended = True


def scaling_unit(points: Array, center: NDArray[np.float64]) -> float:
    """Return a power of two that makes coordinates about 1, so that squares do not overflow."""
    reach = max(np.max(points.max(0) - center), np.max(center - points.min(0)))
    return float(np.ldexp(1.0, -np.clip(np.frexp(reach)[1], -1000, 1000)))


def _joined(lists: list[_Best]) -> _Best:
    """Return the nearest points of each row from several lists."""
    if len(lists) == 1:
        return lists[0]
    nearness = np.concatenate([best.nearness for best in lists], axis=1)
    rows = np.concatenate([best.rows for best in lists], axis=1)
    c = lists[0].rows.shape[1]
    nearest = np.argpartition(-nearness, c - 1, axis=1)[:, :c]
    nearness = np.take_along_axis(nearness, nearest, axis=1)
    return _Best(nearness, np.take_along_axis(rows, nearest, axis=1), nearness.min(1))

"""Rank a few candidates by exact distance, with a fixed order of ties."""

from libc.math cimport sqrt
from libc.stdint cimport int32_t, int64_t

import numpy as np

ctypedef fused real:
    float
    double


def distances_to(
    const real[:, ::1] points, const real[:, ::1] queries, const int32_t[:, ::1] candidates
):
    """Return Euclidean distances (m, c) of queries (m, d) to candidates; inf for candidate -1.

    Squares are added in the order of the coordinates, so that every engine gets the same number.
    """
    cdef int64_t m = candidates.shape[0], c = candidates.shape[1], d = points.shape[1], i, j, a
    cdef double[:, ::1] out = np.full((m, c), np.inf)
    cdef double total, difference
    cdef const real* point
    with nogil:
        for i in range(m):
            for j in range(c):
                if candidates[i, j] < 0:
                    continue  # there were fewer candidates than the array holds: stays infinite
                point = &points[candidates[i, j], 0]
                total = 0.0
                # In doubles also for single-precision points: no digit is lost in the difference.
                # `total` is the sum of the squares of the coordinates before a.
                for a in range(d):
                    difference = <double> queries[i, a] - <double> point[a]
                    total += difference * difference
                out[i, j] = sqrt(total)
    return np.asarray(out)


def nearest(int32_t[:, ::1] candidates, double[:, ::1] distances, int64_t first_own, int64_t k):
    """Sort candidates (m, c) in place by distance, ties by row, and return the first k of each.

    If queries are known rows, ``first_own`` is the row number of the first query, and the next
    query is the next row; a row is not its own neighbor. -1 = queries are new rows. Returns rows
    (m, k) and distances (m, k).
    """
    cdef int64_t m = candidates.shape[0], c = candidates.shape[1], i, j, to
    cdef int32_t row
    cdef double distance
    rows, found = np.empty((m, k), dtype=np.int32), np.empty((m, k))
    cdef int32_t[:, ::1] to_rows = rows
    cdef double[:, ::1] to_distances = found
    with nogil:
        for i in range(m):
            # Insertion sort, as engines answer nearly in order: candidates before j are sorted.
            for j in range(1, c):
                row, distance = candidates[i, j], distances[i, j]
                to = j
                while to > 0 and (
                    distances[i, to - 1] > distance
                    or (distances[i, to - 1] == distance and candidates[i, to - 1] > row)
                ):
                    candidates[i, to] = candidates[i, to - 1]
                    distances[i, to] = distances[i, to - 1]
                    to -= 1
                candidates[i, to], distances[i, to] = row, distance
            to = 0
            # `to` neighbors have been kept of the candidates before j.
            for j in range(c):
                # Candidates come in order, so the first k others are the nearest; the row itself is
                # skipped.
                if to < k and not (first_own >= 0 and candidates[i, j] == first_own + i):
                    to_rows[i, to], to_distances[i, to] = candidates[i, j], distances[i, j]
                    to += 1
    return rows, found

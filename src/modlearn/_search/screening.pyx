"""How much a pair of columns scores, before its grid is searched.

Columns are cut into eight runs of about equally many rows, or their seven most frequent values and
the rest. The promise of a pair is how far formula 3 puts the best of three fixed grids (of 2 x 2,
4 x 4 and 8 x 8 cells) below the better of the two columns alone. It looks at cells, so that
columns which tell nothing alone are found.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int64_t, uint8_t

import numpy as np

from modlearn.criteria.grid cimport cells_cost


cdef enum:
    RUNS = 8

RUNS_OF_COLUMN = RUNS


cdef double least_cost(
    int64_t* cells, int64_t* scratch, int64_t J, const double* priors
) noexcept nogil:
    """Least cost over the resolutions of a grid of 8 x 8 cells; `priors[I]` is that of I x I."""
    cdef int64_t side = RUNS, a, b, j
    cdef double best = INFINITY
    for j in range(RUNS * RUNS * J):
        scratch[j] = cells[j]
    while side > 1:
        best = min(best, cells_cost(scratch, side * side, J) + priors[side])
        side //= 2
        # In place: a cell is read before it is written to, as it comes from four later ones.
        for a in range(side):
            for b in range(side):
                for j in range(J):
                    scratch[(a * side + b) * J + j] = (
                        scratch[(4 * a * side + 2 * b) * J + j]
                        + scratch[(4 * a * side + 2 * b + 1) * J + j]
                        + scratch[((4 * a + 2) * side + 2 * b) * J + j]
                        + scratch[((4 * a + 2) * side + 2 * b + 1) * J + j]
                    )
    return best


cdef double least_cost_of_side(
    const int64_t* cells, int64_t* scratch, int64_t J, const double* priors, bint first
) noexcept nogil:
    """Least cost of one column alone, over its resolutions; `priors[I]` is that of I x 1."""
    cdef int64_t side = RUNS, a, b, j
    cdef double best = INFINITY
    for j in range(RUNS * J):
        scratch[j] = 0
    for a in range(RUNS):
        for b in range(RUNS):
            for j in range(J):
                scratch[(a if first else b) * J + j] += cells[(a * RUNS + b) * J + j]
    while side > 0:
        best = min(best, cells_cost(scratch, side, J) + priors[side])
        side //= 2
        for j in range(side):
            for b in range(J):
                scratch[j * J + b] = scratch[2 * j * J + b] + scratch[(2 * j + 1) * J + b]
    return best


def screening_scores(runs, classes, rows, int64_t n_classes, pairs, grid_priors, side_priors):
    """Promise of every pair, shape (n_pairs,), in nats.

    Parameters
    ----------
    runs : ndarray of shape (K, n), uint8
        Run of every row in each column, 0 to 7.
    classes : ndarray of shape (n,), int32
        Class of every row.
    rows : ndarray of shape (n,), int64, or None
        How many rows each stands for; None = one.
    n_classes : int
        J.
    pairs : ndarray of shape (n_pairs, 2), int64
        The columns of each pair.
    grid_priors, side_priors : ndarray of shape (9,)
        Prior of I x I and of I x 1 parts.
    """
    cdef const uint8_t[:, ::1] run = runs
    cdef const int[::1] label = classes
    cdef bint weighted = rows is not None
    cdef const int64_t[::1] weight = rows if weighted else np.ones(1, dtype=np.int64)
    cdef const int64_t[:, ::1] pair = pairs
    cdef const double[::1] of_grid = grid_priors, of_side = side_priors
    scores = np.empty(len(pairs))
    cdef double[::1] promise = scores
    cdef int64_t J = n_classes
    cdef int64_t[::1] cells = np.zeros(RUNS * RUNS * J, dtype=np.int64)
    cdef int64_t[::1] scratch = np.zeros(RUNS * RUNS * J, dtype=np.int64)
    cdef int64_t p, i, n = label.shape[0]
    cdef const uint8_t* first
    cdef const uint8_t* second
    cdef double alone
    with nogil:
        for p in range(pair.shape[0]):
            first, second = &run[pair[p, 0], 0], &run[pair[p, 1], 0]
            cells[:] = 0
            for i in range(n):
                cells[(first[i] * RUNS + second[i]) * J + label[i]] += weight[i] if weighted else 1
            alone = min(
                least_cost_of_side(&cells[0], &scratch[0], J, &of_side[0], True),
                least_cost_of_side(&cells[0], &scratch[0], J, &of_side[0], False),
            )
            promise[p] = alone - least_cost(&cells[0], &scratch[0], J, &of_grid[0])
    return scores

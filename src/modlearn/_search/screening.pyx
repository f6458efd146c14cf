"""How much a pair of columns scores before its grid is searched, from counts of coarse cells.

Columns are cut into eight runs of about equal numbers of rows, or their seven most frequent values
and the rest. The score of a pair is how far formula 3 puts the best of three fixed grids (of 2 x 2,
4 x 4 and 8 x 8 cells) below the better of the two columns alone. It looks at cells, so that columns
are found which are informative only together.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int64_t

import numpy as np

from modlearn.criteria.grid cimport cells_cost


cdef enum:
    RUNS = 8

RUNS_OF_COLUMN = RUNS


cdef double least_cost(
    const int64_t* cells, int64_t* scratch, int64_t J, const double* priors
) noexcept nogil:
    """Least cost over the resolutions of a grid of 8 x 8 cells; `priors[I]` is that of I x I."""
    cdef int64_t side = RUNS, a, b, j
    cdef double best = INFINITY
    for j in range(RUNS * RUNS * J):
        scratch[j] = cells[j]
    # `scratch` holds a grid of side x side cells, and `best` is the least cost of finer ones.
    # A single cell is not tried here: one part is among those of the columns alone.
    while side > 1:
        best = min(best, cells_cost(scratch, side * side, J) + priors[side])
        side //= 2
        # Four cells become one, in place: they all lie at or after the cell that is written.
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
    # Rows of the other column's runs are added up.
    for a in range(RUNS):
        for b in range(RUNS):
            for j in range(J):
                scratch[(a if first else b) * J + j] += cells[(a * RUNS + b) * J + j]
    # `scratch` holds `side` parts, down to one, and `best` is the least cost of more parts.
    while side > 0:
        best = min(best, cells_cost(scratch, side, J) + priors[side])
        side //= 2
        # Two neighboring parts become one, in place: both lie at or after the part that is written.
        for a in range(side):
            for j in range(J):
                scratch[a * J + j] = scratch[2 * a * J + j] + scratch[(2 * a + 1) * J + j]
    return best


def screening_scores(cells, grid_priors, side_priors):
    """Score of every pair, shape (n_pairs,), in nats.

    Parameters
    ----------
    cells : ndarray of shape (n_pairs, 8, 8, J), int64, contiguous
        Rows per run of the first column, run of the second and class.
    grid_priors, side_priors : ndarray of shape (9,)
        Prior of I x I and of I x 1 parts.
    """
    n_pairs, first_runs, second_runs, n_classes = cells.shape
    if (first_runs, second_runs) != (RUNS, RUNS):
        raise ValueError(f"Columns have {RUNS} runs each, got {first_runs} and {second_runs}.")
    cdef const int64_t[:, ::1] counts = cells.reshape(n_pairs, -1)
    cdef const double[::1] of_grid = grid_priors, of_side = side_priors
    scores = np.empty(n_pairs)
    cdef double[::1] score = scores
    cdef int64_t J = n_classes, p
    cdef int64_t[::1] scratch = np.zeros(RUNS * RUNS * J, dtype=np.int64)
    cdef double alone
    with nogil:
        # `scratch` is overwritten by every call; the counts themselves stay.
        for p in range(counts.shape[0]):
            alone = min(
                least_cost_of_side(&counts[p, 0], &scratch[0], J, &of_side[0], True),
                least_cost_of_side(&counts[p, 0], &scratch[0], J, &of_side[0], False),
            )
            score[p] = alone - least_cost(&counts[p, 0], &scratch[0], J, &of_grid[0])
    return scores

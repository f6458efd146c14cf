"""The terms of formula 3 that depend on the cells, for kernels."""

from libc.stdint cimport int64_t

from modlearn.criteria.discretization cimport sum_log_factorials, telescoped_part_cost


cdef inline double cells_cost(const int64_t* N_cj, int64_t n_cells, int64_t J) noexcept nogil:
    """sum_c log C(N_c+J-1, J-1) + log (N_c! / prod_j N_cj!): an empty cell costs nothing."""
    cdef double cost = 0.0
    cdef int64_t c, j, N_c
    # `cost` is that of the cells before c.
    for c in range(n_cells):
        # An empty cell costs log (J-1)! - log (J-1)! = 0: grids may be large and sparse.
        N_c = 0
        for j in range(J):
            N_c += N_cj[c * J + j]
        cost += telescoped_part_cost(N_c, J, sum_log_factorials(&N_cj[c * J], J))
    return cost

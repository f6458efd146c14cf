"""The terms of formula 1 and of the semi-supervised criterion, for kernels.

N_i rows of a part, N_ij of them in class j, J classes; superscript l = labelled, u = unlabelled.
"""

from libc.stdint cimport int64_t

from modlearn.criteria.combinatorics cimport log_binomial, log_factorial


cdef inline double bounds_prior(int64_t N, int64_t I) noexcept nogil:
    """log C(N+I-1, I-1): which bounds (Bondu et al. 2008 Eq. 2, second term)."""
    return log_binomial(N + I - 1, I - 1)


cdef inline double distribution_prior(int64_t N_i, int64_t J) noexcept nogil:
    """log C(N_i+J-1, J-1): which class distribution (Eq. 2, third term)."""
    return log_binomial(N_i + J - 1, J - 1)


cdef inline double sum_log_factorials(const int64_t* N_ij, int64_t J) noexcept nogil:
    """sum_j log N_ij!"""
    cdef double total = 0.0
    cdef int64_t j
    for j in range(J):
        total += log_factorial(N_ij[j])
    return total


cdef inline double telescoped_part_cost(int64_t N_i, int64_t J, double sum_logs) noexcept nogil:
    """log (N_i+J-1)! - log (J-1)! - sum_j log N_ij!: the third and fourth term of Eq. 2 together."""
    return log_factorial(N_i + J - 1) - log_factorial(J - 1) - sum_logs


cdef inline int64_t lemma_b(int64_t labelled, int64_t N_i, int64_t N_il) noexcept nogil:
    """ceil((N_i+1) N_ij^l / N_i^l - 1), or a little less where the product leaves 63 bits."""
    if N_i < <int64_t> 1 << 31:
        return ((N_i + 1) * labelled + N_il - 1) // N_il - 1
    return max(labelled, <int64_t> ((N_i + 1.0) * labelled / N_il * (1.0 - 1e-15)) - 2)


cdef inline void apportion(
    const int64_t* labelled, int64_t J, int64_t N_i, int64_t N_il, int64_t* N_ij
) noexcept nogil:
    """Best N_ij >= N_ij^l with sum N_i: D'Hondt's rule, each unit to the largest N_ij^l/(N_ij+1).

    Lemma B never exceeds the result and falls at most J-1 units short of it: it is the start.
    """
    cdef int64_t j, best, given = 0
    cdef double ratio, best_ratio
    for j in range(J):
        N_ij[j] = 0
        if labelled[j] > 0:
            N_ij[j] = lemma_b(labelled[j], N_i, N_il)
        given += N_ij[j]
    while given < N_i:
        best, best_ratio = 0, -1.0
        for j in range(J):
            ratio = <double> labelled[j] / <double> (N_ij[j] + 1)
            if ratio > best_ratio:
                best, best_ratio = j, ratio
        N_ij[best] += 1
        given += 1


cdef inline double map_part_cost(
    const int64_t* labelled, int64_t J, int64_t N_il, int64_t N_iu, int64_t* N_ij
) noexcept nogil:
    """Eq. 8's terms of one part at its best N_ij, which is left in `N_ij`."""
    cdef int64_t j, N_i = N_il + N_iu
    cdef double cost = distribution_prior(N_i, J)
    if N_il == 0:
        # Without a label every N_ij explains the part equally well: only the prior is left.
        return cost
    apportion(labelled, J, N_i, N_il, N_ij)
    cost += log_factorial(N_i) - log_factorial(N_iu)
    for j in range(J):
        cost += log_factorial(N_ij[j] - labelled[j]) - log_factorial(N_ij[j])
    return cost

"""The terms of formula 1 and of the semi-supervised criterion, for kernels.

N_i rows of a part, N_ij of them in class j, J classes; superscript l = labeled, u = unlabeled.
"""

from libc.stdint cimport int64_t

from modlearn.criteria.combinatorics cimport log_binomial, log_factorial


cdef inline double distribution_prior(int64_t N_i, int64_t J) noexcept nogil:
    """log C(N_i+J-1, J-1): which class distribution (Eq. 2, third term)."""
    return log_binomial(N_i + J - 1, J - 1)


cdef inline double sum_log_factorials(const int64_t* N_ij, int64_t J) noexcept nogil:
    """sum_j log N_ij!"""
    cdef double total = 0.0
    cdef int64_t j
    # `total` is the sum over the classes before j.
    for j in range(J):
        total += log_factorial(N_ij[j])
    return total


cdef inline double telescoped_part_cost(int64_t N_i, int64_t J, double sum_logs) noexcept nogil:
    """log (N_i+J-1)! - log (J-1)! - sum_j log N_ij!: the third and fourth term of Eq. 2."""
    return log_factorial(N_i + J - 1) - log_factorial(J - 1) - sum_logs


cdef inline double gain_of_totals(int64_t N_a, int64_t N_b, int64_t J) noexcept nogil:
    """What merging parts a and b takes off the part costs of Eq. 2, but for the class terms.

    log (N_a+J-1)! + log (N_b+J-1)! - log (N_a+N_b+J-1)! - log (J-1)!
    """
    return (
        log_factorial(N_a + J - 1) + log_factorial(N_b + J - 1)
        - log_factorial(N_a + N_b + J - 1) - log_factorial(J - 1)
    )


cdef inline double gain_of_class(int64_t N_aj, int64_t N_bj) noexcept nogil:
    """What it takes off the term of class j: log (N_aj+N_bj)! - log N_aj! - log N_bj!.

    It is 0 if one of the two is 0.
    """
    return log_factorial(N_aj + N_bj) - log_factorial(N_aj) - log_factorial(N_bj)


cdef inline int64_t seats(
    int64_t labeled, int64_t twice_quota, int64_t N_il
) noexcept nogil:
    """floor(N_ij^l / d) for the divisor d = 2 N_i^l / twice_quota."""
    # The product fits in 63 bits: exact. Beyond, doubles guess; a wrong unit is given or taken
    # back.
    if twice_quota < <int64_t> 1 << 32 and labeled < <int64_t> 1 << 31:
        return labeled * twice_quota // (2 * N_il)
    return <int64_t> (0.5 * labeled * twice_quota / N_il)


cdef inline bint more_due(
    const int64_t* labeled, int64_t a, int64_t seats_a, int64_t b, int64_t seats_b
) noexcept nogil:
    """Whether N_a^l / seats_a > N_b^l / seats_b."""
    return <double> labeled[a] * seats_b > <double> labeled[b] * seats_a


cdef inline void apportion(
    const int64_t* labeled, int64_t J, int64_t N_i, int64_t N_il, int64_t* N_ij
) noexcept nogil:
    """Best N_ij >= N_ij^l with sum N_i: D'Hondt's rule, each unit to the largest N_ij^l/(N_ij+1).

    The rule gives floor(N_ij^l / d) for some divisor d. One is guessed, by which classes lose half
    a unit each, and the few units that are wrong are taken back or given in the rule's order.
    Lemma B is the divisor N_i^l / (N_i+1), which may leave up to J-1 units.
    """
    cdef int64_t j, best, due, given = 0, n_occurring = 0
    # Each class that occurs is expected to lose half a unit by rounding down: the quota is larger
    # by that much, so that the sum is near N_i.
    for j in range(J):
        n_occurring += labeled[j] > 0
    for j in range(J):
        N_ij[j] = seats(labeled[j], 2 * N_i + n_occurring, N_il) if labeled[j] > 0 else 0
        given += N_ij[j]
    # `given` units are shared out: too few are given in the order of the rule, ...
    while given < N_i:
        # `best` is the class that is most due among those before j; N_ij is floor(N_ij^l / d) for
        # some d, and stays so for a smaller d after each round.
        best = 0
        for j in range(1, J):
            if more_due(labeled, j, N_ij[j] + 1, best, N_ij[best] + 1):
                best = j
        due = N_ij[best] + 1
        for j in range(J):
            # All classes that are equally due get one at once.
            if given < N_i and not more_due(labeled, best, due, j, N_ij[j] + 1):
                N_ij[j] += 1
                given += 1
    # ... too many are taken back in the opposite order.
    while given > N_i:
        # `best` is the class whose last unit was least due among those before j; d grows now.
        best = -1
        for j in range(J):
            if N_ij[j] > 0 and (best < 0 or more_due(labeled, best, N_ij[best], j, N_ij[j])):
                best = j
        due = N_ij[best]
        for j in range(J):
            if given > N_i and N_ij[j] > 0 and not more_due(labeled, j, N_ij[j], best, due):
                N_ij[j] -= 1
                given -= 1


cdef inline double map_part_cost(
    const int64_t* labeled, int64_t J, int64_t N_il, int64_t N_iu, int64_t* N_ij
) noexcept nogil:
    """Eq. 8's terms of one part at its best N_ij, which is left in `N_ij`."""
    cdef int64_t j, N_i = N_il + N_iu
    cdef double cost = distribution_prior(N_i, J)
    if N_il == 0:
        # Without a label every N_ij explains the part equally well: only the prior is left.
        return cost
    apportion(labeled, J, N_i, N_il, N_ij)
    cost += log_factorial(N_i) - log_factorial(N_iu)
    for j in range(J):
        if labeled[j] > 0:
            cost += log_factorial(N_ij[j] - labeled[j]) - log_factorial(N_ij[j])
    return cost

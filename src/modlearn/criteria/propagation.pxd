"""Eqs. 5 and 6 of kNN label distribution propagation (Gøttcke et al. 2021), for kernels.

A row is the average of its neighbors (Eq. 5); a part of it is unknown. It is kept as a
distribution over the J classes that adds up to 1, and the mass that is known (Eq. 6).
"""

from libc.stdint cimport int32_t, int64_t

from modlearn.criteria.mass cimport Mass, normalized, over, relative


cdef extern from *:
    """
    #if defined(__GNUC__) || defined(__clang__)
    #define prefetch(address) __builtin_prefetch(address)
    #else
    #define prefetch(address)
    #endif
    """
    void prefetch(const void* address) noexcept nogil


cdef struct Lists:
    # Rows that a row is averaged over: kNN(x), and maybe the rows that have x among theirs.
    int n
    const int64_t* pointers[2]
    const int32_t* rows[2]
    const double* weights  # (m,) of the rows listed, or NULL: all count the same


cdef struct State:
    int64_t J
    const Mass* masses   # (m,), negative where a row does not count yet
    int64_t stride       # bytes from one to the next
    const double* known  # (m, J)


cdef inline const Mass* mass_at(const State* state, int64_t row) noexcept nogil:
    return <const Mass*> (<const char*> state.masses + row * state.stride)


cdef inline double all_votes(const Lists* lists, int64_t row) noexcept nogil:
    """What the known mass of a row is divided by: |kNN(x)| of Eq. 5."""
    cdef int64_t e
    cdef int s
    cdef double total = 0.0
    # `total` is the weight of the lists before s, and of the rows before e.
    for s in range(lists.n):
        if lists.weights == NULL:
            total += <double> (lists.pointers[s][row + 1] - lists.pointers[s][row])
        else:
            for e in range(lists.pointers[s][row], lists.pointers[s][row + 1]):
                total += lists.weights[lists.rows[s][e]]
    return total


cdef inline void fetch(const Lists* lists, int64_t row, const State* state) noexcept nogil:
    """Ask the memory for what is known of the rows listed, which are far apart."""
    cdef int64_t e
    cdef int32_t other
    cdef int s
    # Nothing is computed: addresses are only announced, so that later reads do not wait.
    for s in range(lists.n):
        for e in range(lists.pointers[s][row], lists.pointers[s][row + 1]):
            other = lists.rows[s][e]
            prefetch(mass_at(state, other))


cdef enum:
    NOTHING = -(1 << 30)


cdef inline int64_t top_exponent(
    const Lists* lists, int64_t row, const State* state
) noexcept nogil:
    """The largest exponent of the masses that count, or NOTHING."""
    cdef int64_t e, top = NOTHING
    cdef int32_t other
    cdef int s
    cdef const Mass* mass
    # `top` is the largest exponent among the rows before e. Rows that wait have negative masses and
    # do not count.
    for s in range(lists.n):
        for e in range(lists.pointers[s][row], lists.pointers[s][row + 1]):
            other = lists.rows[s][e]
            mass = mass_at(state, other)
            if mass.high > 0.0 and (lists.weights == NULL or lists.weights[other] > 0.0):
                top = max(top, mass.exponent)
                prefetch(state.known + other * state.J)
                prefetch(state.known + other * state.J + state.J - 1)
    return top


cdef inline Mass average(
    const Lists* lists, int64_t row, const State* state, double* out
) noexcept nogil:
    """Pr(c|x) over Pr(known|x), Eq. 5, shape (J,), zero where nothing is known.

    Returns the votes for what is known, to the digits of one double.
    """
    cdef int64_t e, c, top
    cdef int32_t other
    cdef int s
    cdef double weight, total = 0.0
    cdef const double* known
    fetch(lists, row, state)
    top = top_exponent(lists, row, state)
    for c in range(state.J):
        out[c] = 0.0
    if top == NOTHING:
        return Mass(0.0, 0.0, 0)
    # `out` holds the weighted sum of the rows before e, and `total` their weights, in units of
    # 2**top: the largest mass is then near 1, and what underflows would not change a digit.
    for s in range(lists.n):
        for e in range(lists.pointers[s][row], lists.pointers[s][row + 1]):
            other = lists.rows[s][e]
            weight = relative(mass_at(state, other)[0], top)
            if lists.weights != NULL:
                weight *= lists.weights[other]
            # A row that waits, or one far below the largest mass, adds nothing.
            if weight > 0.0:
                known = state.known + other * state.J
                total += weight
                # The known part adds up to 1; how much is known is in the mass that is returned.
                for c in range(state.J):
                    out[c] += weight * known[c]
    for c in range(state.J):
        out[c] /= total
    return normalized(total, 0.0, top)


cdef inline Mass known_share(const Lists* lists, int64_t row, Mass votes) noexcept nogil:
    """w(x), Eq. 6: votes for what is known, over all votes."""
    return votes if votes.high == 0.0 else over(votes, all_votes(lists, row))

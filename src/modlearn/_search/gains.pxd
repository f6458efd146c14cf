"""How much the part costs fall when two parts become one: from counts, or sorted entries."""

from libc.stdint cimport int32_t, int64_t, uint64_t

from modlearn.criteria.discretization cimport gain_of_class, gain_of_totals, map_part_cost


cdef struct Entries:
    int32_t n
    const int32_t* classes  # increasing
    const int64_t* counts
    int64_t labeled        # rows with a class


cdef struct Scratch:
    int64_t J          # classes of a cell
    bint one_cell
    bint with_unlabeled
    int64_t* dense      # (J+1,) zero between uses
    int64_t* completed  # (J+1,)


cdef extern from *:
    """
    #ifdef _MSC_VER
    #include <intrin.h>
    static inline int lowest_bit(unsigned long long bits) {
        unsigned long at;
        _BitScanForward64(&at, bits);
        return (int) at;
    }
    #else
    static inline int lowest_bit(unsigned long long bits) { return __builtin_ctzll(bits); }
    #endif
    """
    int lowest_bit(uint64_t bits) noexcept nogil


cdef struct Counts:
    int32_t* of_class    # (J,)
    uint64_t occurring   # a bit for each class that has rows
    int64_t rows


cdef inline double gain_of_counts(
    const Counts* a, const Counts* b, int64_t J
) noexcept nogil:
    """c(A) + c(B) - c(A and B) of formula 1; classes in only one of them cancel."""
    cdef uint64_t common = a.occurring & b.occurring
    cdef double gain = gain_of_totals(a.rows, b.rows, J)
    cdef int j
    if J == 2:
        # Both classes are sooner added than asked for.
        gain += gain_of_class(a.of_class[0], b.of_class[0])
        return gain + gain_of_class(a.of_class[1], b.of_class[1])
    while common:
        j = lowest_bit(common)
        gain += gain_of_class(a.of_class[j], b.of_class[j])
        common &= common - 1
    return gain


cdef inline double supervised_gain(const Entries* a, const Entries* b, int64_t J) noexcept nogil:
    """The same from entries."""
    cdef int32_t i = 0, k = 0
    cdef double gain = gain_of_totals(a.labeled, b.labeled, J)
    while i < a.n and k < b.n:
        if a.classes[i] < b.classes[k]:
            i += 1
        elif a.classes[i] > b.classes[k]:
            k += 1
        else:
            gain += gain_of_class(a.counts[i], b.counts[k])
            i += 1
            k += 1
    return gain


cdef inline double gain_of_cells(const Entries* a, const Entries* b, int64_t J) noexcept nogil:
    """The same of formula 3, over the cells that both have."""
    cdef int32_t i = 0, k = 0
    cdef int64_t end, rows_a, rows_b
    cdef double gain = 0.0
    while i < a.n and k < b.n:
        end = (max(a.classes[i], b.classes[k]) // J) * J
        while i < a.n and a.classes[i] < end:
            i += 1
        while k < b.n and b.classes[k] < end:
            k += 1
        end += J
        if i == a.n or k == b.n or a.classes[i] >= end or b.classes[k] >= end:
            continue
        rows_a, rows_b = 0, 0
        while (i < a.n and a.classes[i] < end) or (k < b.n and b.classes[k] < end):
            if k == b.n or (i < a.n and a.classes[i] < b.classes[k]):
                rows_a += a.counts[i]
                i += 1
            elif i == a.n or a.classes[i] > b.classes[k]:
                rows_b += b.counts[k]
                k += 1
            else:
                gain += gain_of_class(a.counts[i], b.counts[k])
                rows_a += a.counts[i]
                rows_b += b.counts[k]
                i += 1
                k += 1
        gain += gain_of_totals(rows_a, rows_b, J)
    return gain


cdef inline void spread(const Entries* part, Scratch* scratch) noexcept nogil:
    cdef int32_t i
    for i in range(part.n):
        scratch.dense[part.classes[i]] += part.counts[i]


cdef inline double map_cost_of_dense(int64_t labeled, Scratch* scratch) noexcept nogil:
    """Semi-supervised cost of the rows in `dense`, which is cleared."""
    cdef int64_t j
    cdef double cost = map_part_cost(
        scratch.dense, scratch.J, labeled, scratch.dense[scratch.J], scratch.completed
    )
    for j in range(scratch.J + 1):
        scratch.dense[j] = 0
    return cost


cdef inline double merge_gain(
    const Entries* a, const Entries* b, Scratch* scratch
) noexcept nogil:
    """c(A) + c(B) - c(A and B) of the criterion."""
    cdef double gain
    if not scratch.one_cell:
        return gain_of_cells(a, b, scratch.J)
    if not scratch.with_unlabeled:
        return supervised_gain(a, b, scratch.J)
    spread(a, scratch)
    gain = map_cost_of_dense(a.labeled, scratch)
    spread(b, scratch)
    gain += map_cost_of_dense(b.labeled, scratch)
    spread(a, scratch)
    spread(b, scratch)
    return gain - map_cost_of_dense(a.labeled + b.labeled, scratch)


cdef inline int32_t write_union(
    const Entries* a, const Entries* b, int32_t* classes, int64_t* counts
) noexcept nogil:
    """Entries of both, class by class; returns how many. The output may lie over b, not over a."""
    cdef int32_t i = 0, k = 0, n = 0
    while i < a.n or k < b.n:
        if k == b.n or (i < a.n and a.classes[i] < b.classes[k]):
            classes[n], counts[n] = a.classes[i], a.counts[i]
            i += 1
        elif i == a.n or a.classes[i] > b.classes[k]:
            classes[n], counts[n] = b.classes[k], b.counts[k]
            k += 1
        else:
            classes[n], counts[n] = a.classes[i], a.counts[i] + b.counts[k]
            i += 1
            k += 1
        n += 1
    return n

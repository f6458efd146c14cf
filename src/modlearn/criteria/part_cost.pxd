"""What a search minimizes: a prior on the number of parts, plus a cost for every part.

A part is known by its counts: how many rows it has of each *label*. What a label stands for (a
class, a class within a cell of a grid, "unlabeled", a part of another column) is known to the cost
alone.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t


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


cdef struct Part:
    # A part with an entry for every label that occurs in it.
    int32_t n
    const int32_t* labels  # increasing
    const int64_t* counts
    int64_t rows           # sum of the counts


cdef struct DenseParts:
    # Parts with a count for every label, for at most 64 labels: those of part p begin at
    # counts[p * n_labels].
    const int32_t* counts
    const uint64_t* occurring  # of each part; bit j is set if label j has rows
    const int64_t* rows        # of each part


cdef struct Sequence:
    # Blocks in order: block b holds the entries pointer[b] to before pointer[b+1].
    int64_t n_blocks
    const int32_t* pointer
    const int32_t* labels  # increasing within a block
    const int64_t* counts


cdef struct Split:
    # The best bound that a scan has met so far.
    int64_t last           # end of the window: both sides of the bound lie before this block
    int64_t min_part_size
    double least           # cost of both sides that a bound must fall below
    int64_t best           # the bound that does, -1 if none


cdef class PartCost:
    cdef readonly int64_t n_labels
    cdef readonly object prior
    cdef readonly bint is_slow
    cdef readonly bint has_bound
    cdef readonly int64_t most_dense_labels
    cdef int64_t[:, ::1] memory  # (3, n_labels): the next three pointers
    cdef int64_t* left_counts
    cdef int64_t* right_counts
    cdef int64_t* sums
    cdef int64_t left_rows, right_rows

    cdef int check_labels(self, int64_t n_labels) except -1

    # One part, or one and another
    cdef double cost(self, const int64_t* counts) noexcept nogil
    cdef double cost_with(
        self, const int64_t* counts, const int64_t* other, int sign
    ) noexcept nogil
    cdef double gain(self, const Part* a, const Part* b) noexcept nogil
    cdef double sparse_cost(self, const Part* a, const Part* b) noexcept nogil
    cdef double dense_gain(self, const DenseParts* parts, int64_t a, int64_t b) noexcept nogil

    # All intervals with the same end
    cdef int begin_rows(self, const Sequence* blocks) except -1
    cdef void fill_row(
        self, const Sequence* blocks, int64_t first, int64_t end, double* row
    ) noexcept nogil

    # One bound that moves through a window
    cdef void begin_scan(self, const int64_t* counts) noexcept nogil
    cdef double right_cost(self) noexcept nogil
    cdef void scan(
        self, const Sequence* blocks, int64_t first, int64_t end, Split* split
    ) noexcept nogil
    cdef double bound(self, const int64_t* moved) noexcept nogil
    cdef void move(self, const int64_t* moved) noexcept nogil

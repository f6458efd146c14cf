"""Formula 1's part cost, with what it keeps between calls."""

from libc.stdint cimport int64_t

from modlearn.criteria.part_cost cimport PartCost, Sequence


cdef struct Side:
    # The rows on one side of a bound.
    int64_t* counts
    double* logs      # log counts!
    int64_t rows
    double sum_logs   # sum of the logs


cdef class ClassCost(PartCost):
    cdef int64_t J    # classes over which a part pays for a distribution
    cdef double[:, ::1] log_memory
    cdef Side left, right
    cdef int64_t[:, ::1] rows_before  # (n_labels + 1, B + 1) of each label, and of all

    cdef void fill_row_of_few(self, int64_t first, int64_t end, double* row) noexcept nogil
    cdef void fill_row_of_many(
        self, const Sequence* blocks, int64_t first, int64_t end, double* row
    ) noexcept nogil

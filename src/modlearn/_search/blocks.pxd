"""The sequence of blocks that every interval search works on."""

from libc.stdint cimport int32_t, int64_t

cdef class Blocks:
    cdef readonly int64_t n_blocks
    cdef readonly int64_t n_classes
    cdef readonly int64_t cell_size
    cdef readonly bint with_unlabeled
    cdef int32_t[::1] start_view
    cdef int32_t[::1] pointer_view
    cdef int32_t[::1] class_view
    cdef int64_t[::1] count_view
    cdef int32_t* start
    cdef int32_t* pointer
    cdef int32_t* classes
    cdef int64_t* counts
    cdef int64_t mile  # 0 where nothing is noted, or no longer true
    cdef int64_t[:, ::1] sums  # (miles+1, J+1) rows before every `mile`-th block

    cdef add_up(self, int64_t mile)
    cdef void point_to_views(self)
    cdef void sort_entries(self, int64_t block) noexcept nogil

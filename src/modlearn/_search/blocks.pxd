"""The sequence of blocks that every interval search works on."""

from libc.stdint cimport int32_t, int64_t

from modlearn.criteria.part_cost cimport Part, PartCost, Sequence


cdef class Blocks:
    cdef readonly int64_t n_blocks
    cdef readonly int64_t n_labels
    cdef int32_t[::1] start_view
    cdef int32_t[::1] pointer_view
    cdef int32_t[::1] label_view
    cdef int64_t[::1] count_view
    cdef int32_t* start
    cdef int32_t* pointer
    cdef int32_t* labels
    cdef int64_t* counts
    cdef int64_t stride  # 0 where nothing is noted, or no longer true
    cdef int64_t[:, ::1] sums  # (strides+1, n_labels) rows before every `stride`-th block

    cdef Sequence sequence_for(self, PartCost cost) except *
    cdef add_up(self, int64_t stride)
    cdef void point_to_views(self)
    cdef void sort_entries(self, int64_t block) noexcept nogil


cdef inline int32_t write_union(
    const Part* a, const Part* b, int32_t* labels, int64_t* counts
) noexcept nogil:
    """Entries of both, label by label; returns how many.

    The output must not lie over a. It may lie over b if it begins a.n entries before b, or earlier.
    """
    cdef int32_t i = 0, k = 0, n = 0
    # n <= i + k <= a.n + k: writing never overtakes what is still to be read of b.
    while i < a.n or k < b.n:
        if k == b.n or (i < a.n and a.labels[i] < b.labels[k]):
            labels[n], counts[n] = a.labels[i], a.counts[i]
            i += 1
        elif i == a.n or a.labels[i] > b.labels[k]:
            labels[n], counts[n] = b.labels[k], b.counts[k]
            k += 1
        else:
            labels[n], counts[n] = a.labels[i], a.counts[i] + b.counts[k]
            i += 1
            k += 1
        n += 1
    return n

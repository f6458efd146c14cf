"""Exact search over the partitions of a sequence of blocks into intervals."""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t, uintptr_t

import numpy as np

from modlearn._search.blocks cimport Blocks
from modlearn.criteria.part_cost cimport PartCost, Sequence


cdef enum:
    PAGE = 65536         # costs in one piece of memory, which may lie in a gap between others
    LARGE_PAGE = 524288  # likewise for many costs: 4 MiB may lie on huge pages, which saves time


cdef class IntervalCosts:
    """Part costs of intervals of blocks, and the searches over them.

    Intervals that end before block e begin at `firsts[e]` or later; `firsts`, int64 of shape
    (B+1,), does not decrease. Their costs stand in one row, by their first block.
    """

    cdef readonly int64_t n_blocks
    cdef double tolerance
    cdef int64_t[::1] firsts
    cdef uintptr_t[::1] rows
    cdef list pages
    cdef double[::1] least
    cdef int32_t[::1] n_parts
    cdef int32_t[::1] previous

    def __init__(
        self, Blocks blocks, PartCost cost, firsts, double tolerance, int64_t min_part_size=1
    ):
        cdef int64_t B = blocks.n_blocks
        self.n_blocks, self.tolerance, self.firsts = B, tolerance, firsts
        self.allocate_rows()
        self.least = np.empty(B + 1)
        self.n_parts = np.empty(B + 1, dtype=np.int32)
        self.previous = np.empty(B + 1, dtype=np.int32)
        self.fill_rows(blocks, cost)
        if min_part_size > 1:
            self.forbid_small_parts(blocks, min_part_size)

    cdef int allocate_rows(self) except -1:
        """Memory for the costs: each row in one piece, on a page with others."""
        cdef int64_t end, n, left = 0, total = 0, size
        cdef double[::1] page
        cdef double* free = NULL
        self.rows, self.pages = np.zeros(self.n_blocks + 1, dtype=np.uintp), []
        # `total` is the number of intervals that end before block `end` or earlier.
        for end in range(1, self.n_blocks + 1):
            total += end - self.firsts[end]
        size = PAGE if total < 4 * LARGE_PAGE else LARGE_PAGE
        # `total` costs have no memory yet; `left` of them fit on the page, from `free` on.
        for end in range(1, self.n_blocks + 1):
            n = end - self.firsts[end]
            if n > left:
                left = max(n, min(total, size))
                page = np.empty(left)
                self.pages.append(page)
                free = &page[0]
            self.rows[end] = <uintptr_t> free
            free, left, total = free + n, left - n, total - n
        return 0

    cdef inline double* row(self, int64_t end) noexcept nogil:
        """Costs of the intervals that end before block `end`, at the number of their first one."""
        return <double*> self.rows[end] - self.firsts[end]

    cdef int fill_rows(self, Blocks blocks, PartCost cost) except -1:
        """Costs of all intervals, those with the same end at a time."""
        cdef Sequence sequence = blocks.sequence_for(cost)
        cdef int64_t end
        cost.begin_rows(&sequence)
        with nogil:
            # Rows before `end` are filled. A cost with shortcuts goes from the shortest interval of
            # a row to the longest, so that each adds one block.
            for end in range(1, self.n_blocks + 1):
                cost.fill_row(&sequence, self.firsts[end], end, self.row(end))
        return 0

    cdef int forbid_small_parts(self, Blocks blocks, int64_t min_part_size) except -1:
        """Infinite costs for intervals of too few rows, but for the one of all blocks."""
        cdef int64_t[::1] before = np.zeros(self.n_blocks + 1, dtype=np.int64)
        cdef int64_t s, end
        cdef int32_t e
        with nogil:
            for end in range(1, self.n_blocks + 1):
                before[end] = before[end - 1]
                for e in range(blocks.pointer[end - 1], blocks.pointer[end]):
                    before[end] += blocks.counts[e]
                # before[b] is the number of rows before block b, for all b up to `end`.
                for s in range(self.firsts[end], end):
                    if before[end] - before[s] < min_part_size and end - s < self.n_blocks:
                        self.row(end)[s] = INFINITY
        return 0

    def penalized(self, double penalty):
        """Least cost with every part charged `penalty`, fewest parts on ties: bounds, sum of costs.

        Bounds are block numbers, shape (I+1,), from 0 to B.
        """
        with nogil:
            self.run_penalized(penalty)
        bounds, end = [self.n_blocks], self.n_blocks
        # The optimal parts of the blocks before `end` are read backwards, the last one first.
        while end > 0:
            end = self.previous[end]
            bounds.append(end)
        n_parts = len(bounds) - 1
        return np.array(bounds[::-1], dtype=np.int64), self.least[self.n_blocks] - penalty * n_parts

    cdef void run_penalized(self, double penalty) noexcept nogil:
        cdef int64_t s, end, first, best
        cdef double least, cost
        cdef const double* row
        cdef double* F = &self.least[0]
        F[0], self.n_parts[0] = 0.0, 0
        # F[s] is the least cost of the blocks before s, for all s below `end`, each part charged
        # the penalty; n_parts[s] and previous[s] are the parts it has and where the last begins.
        for end in range(1, self.n_blocks + 1):
            first = self.firsts[end]
            row = self.row(end)
            best, least = first, F[first] + row[first]
            # `best` is the best first block of the last part among those before s.
            for s in range(first + 1, end):
                cost = F[s] + row[s]
                # Almost never true; what is nearly as good wins with fewer parts.
                if cost <= least + self.tolerance and (
                    cost < least - self.tolerance or self.n_parts[s] < self.n_parts[best]
                ):
                    best, least = s, cost
            F[end] = least + penalty
            self.n_parts[end] = self.n_parts[best] + 1
            self.previous[end] = <int32_t> best

    def best_with(self, int64_t n_parts):
        """Least cost for every number of parts from 1 to `n_parts`: costs (n_parts,), and bounds.

        Bounds are a function of the number of parts.
        """
        cdef int64_t B = self.n_blocks, k
        costs = np.full(n_parts + 1, np.inf)
        previous_array = np.zeros((n_parts + 1, B + 1), dtype=np.int32)
        layer, following = np.full(B + 1, np.inf), np.full(B + 1, np.inf)
        layer[0] = 0.0
        cdef int32_t[:, ::1] previous = previous_array
        cdef double[::1] before = layer, after = following
        # before[e] is the least cost of the blocks before e in k - 1 parts.
        for k in range(1, n_parts + 1):
            with nogil:
                self.run_layer(&before[0], &after[0], &previous[k, 0])
            costs[k] = after[B]
            before, after = after, before

        def bounds(parts):
            end, ends = B, [B]
            # In the best partition with `parts` parts, the part of this number ends at `end`.
            for layer_number in range(parts, 0, -1):
                end = previous_array[layer_number, end]
                ends.append(end)
            return np.array(ends[::-1], dtype=np.int64)

        return costs[1:], bounds

    cdef void run_layer(
        self, const double* before, double* after, int32_t* previous
    ) noexcept nogil:
        """One more part: after[end] = min over s of before[s] + cost of [s, end)."""
        cdef int64_t s, end, first, best
        cdef const double* row
        after[0] = INFINITY
        # after[e] and previous[e] are final for all e before `end`. A part has at least one block,
        # so that no blocks cannot be divided into parts: after[0] is infinite.
        for end in range(1, self.n_blocks + 1):
            first = self.firsts[end]
            row = self.row(end)
            best = first
            # Of first blocks that cost the same the leftmost stays the best.
            for s in range(first + 1, end):
                if before[s] + row[s] < before[best] + row[best] - self.tolerance:
                    best = s
            after[end] = before[best] + row[best]
            previous[end] = <int32_t> best

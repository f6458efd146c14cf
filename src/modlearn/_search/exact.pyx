"""Exact search over the partitions of a sequence of blocks into intervals."""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t, uintptr_t

import numpy as np

from modlearn._search.blocks cimport Blocks
from modlearn.criteria.combinatorics cimport log_factorial
from modlearn.criteria.discretization cimport map_part_cost, telescoped_part_cost


cdef enum:
    PAGE = 65536         # costs in one piece of memory, which may lie in a gap between others
    LARGE_PAGE = 524288  # the same of many costs: 4 MiB may lie on huge pages, which saves time
    FEW_CLASSES = 8      # up to so many, to look all of them up beats adding only what changes


cdef struct Sums:
    int64_t* counts     # (J+1,) rows per class, the unlabeled ones last
    double* logs        # (J+1,) log counts!
    int64_t* completed  # (J+1,) scratch of the semi-supervised cost


cdef class CellSums:
    """Rows of a part by class and by cell."""

    cdef int64_t[::1] counts    # rows per class of every cell
    cdef double[::1] logs       # log counts!
    cdef int64_t[::1] rows      # rows per cell
    cdef double[::1] row_logs   # log (rows + J - 1)! / (J - 1)!
    cdef int32_t[::1] cells     # cell of every entry of the blocks

    def __cinit__(self, Blocks blocks):
        n_cells = blocks.n_classes // blocks.cell_size
        self.counts, self.logs = np.zeros(blocks.n_classes, np.int64), np.zeros(blocks.n_classes)
        self.rows, self.row_logs = np.zeros(n_cells, dtype=np.int64), np.zeros(n_cells)
        # Once for all: to divide at every use would double the time.
        self.cells = np.asarray(blocks.class_view) // np.int32(blocks.cell_size)

    cdef void clear(self) noexcept nogil:
        self.counts[:] = 0
        self.logs[:] = 0.0
        self.rows[:] = 0
        self.row_logs[:] = 0.0


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

    def __init__(self, Blocks blocks, firsts, double tolerance, int64_t min_part_size=1):
        cdef int64_t B = blocks.n_blocks
        self.n_blocks, self.tolerance, self.firsts = B, tolerance, firsts
        self.allocate_rows()
        self.least = np.empty(B + 1)
        self.n_parts = np.empty(B + 1, dtype=np.int32)
        self.previous = np.empty(B + 1, dtype=np.int32)
        if blocks.cell_size < blocks.n_classes:
            self.fill_rows_of_cells(blocks)
        elif blocks.n_classes <= FEW_CLASSES and not blocks.with_unlabeled:
            self.fill_rows_of_few(blocks, min_part_size)
        else:
            self.fill_rows(blocks, min_part_size)

    cdef int allocate_rows(self) except -1:
        """Memory for the costs: each row in one piece, on a page with others."""
        cdef int64_t end, n, left = 0, total = 0, size
        cdef double[::1] page
        cdef double* place = NULL
        self.rows, self.pages = np.zeros(self.n_blocks + 1, dtype=np.uintp), []
        for end in range(1, self.n_blocks + 1):
            total += end - self.firsts[end]
        size = PAGE if total < 4 * LARGE_PAGE else LARGE_PAGE
        for end in range(1, self.n_blocks + 1):
            n = end - self.firsts[end]
            if n > left:
                left = max(n, min(total, size))
                page = np.empty(left)
                self.pages.append(page)
                place = &page[0]
            self.rows[end] = <uintptr_t> place
            place, left, total = place + n, left - n, total - n
        return 0

    cdef inline double* row(self, int64_t end) noexcept nogil:
        """Costs of the intervals that end before block `end`, at the number of their first one."""
        return <double*> self.rows[end] - self.firsts[end]

    cdef int fill_rows(self, Blocks blocks, int64_t min_part_size) except -1:
        """Costs of all intervals."""
        memory = np.zeros((2, blocks.n_classes + 1), dtype=np.int64)
        cdef int64_t[:, ::1] counts = memory
        cdef double[::1] logs = np.zeros(blocks.n_classes + 1)
        cdef Sums sums = Sums(&counts[0, 0], &logs[0], &counts[1, 0])
        cdef int64_t end
        with nogil:
            for end in range(1, self.n_blocks + 1):
                self.fill_row(blocks, end, min_part_size, &sums)
        return 0

    cdef void fill_row(
        self, Blocks blocks, int64_t end, int64_t min_part_size, Sums* sums
    ) noexcept nogil:
        """Costs of the intervals ending before block `end`, the shortest one first."""
        cdef int64_t s, rows = 0, J = blocks.n_classes
        cdef int64_t label
        cdef int32_t e
        cdef double sum_logs = 0.0, cost
        cdef double* row = self.row(end)
        for label in range(J + 1):
            sums.counts[label], sums.logs[label] = 0, 0.0
        for s in range(end - 1, self.firsts[end] - 1, -1):
            for e in range(blocks.pointer[s], blocks.pointer[s + 1]):
                label = blocks.classes[e]
                sums.counts[label] += blocks.counts[e]
                if label < J:
                    rows += blocks.counts[e]
                    sum_logs -= sums.logs[label]
                    sums.logs[label] = log_factorial(sums.counts[label])
                    sum_logs += sums.logs[label]
            if blocks.with_unlabeled:
                cost = map_part_cost(sums.counts, J, rows, sums.counts[J], sums.completed)
            else:
                cost = telescoped_part_cost(rows, J, sum_logs)
            if self.too_small(rows + sums.counts[J], s, end, min_part_size):
                cost = INFINITY
            row[s] = cost

    cdef inline bint too_small(
        self, int64_t rows, int64_t first, int64_t end, int64_t min_part_size
    ) noexcept nogil:
        """One part is always allowed, however few rows there are."""
        return rows < min_part_size and end - first < self.n_blocks

    cdef int fill_rows_of_few(self, Blocks blocks, int64_t min_part_size) except -1:
        """The same for few classes: no cost has to wait for that of the next shorter interval."""
        cdef int64_t J = blocks.n_classes, end, s, label
        table = blocks.dense()
        sums = np.zeros((J + 1, self.n_blocks + 1), dtype=np.int64)
        np.cumsum(np.column_stack((table, table.sum(axis=1))).T, axis=1, out=sums[:, 1:])
        cdef const int64_t[:, ::1] before = sums  # rows of each class, and of all, before a block
        cdef const int64_t* rows
        cdef double* row
        with nogil:
            for end in range(1, self.n_blocks + 1):
                row, rows = self.row(end), &before[J, 0]
                for s in range(self.firsts[end], end):
                    row[s] = telescoped_part_cost(rows[end] - rows[s], J, 0.0)
                for label in range(J):
                    rows = &before[label, 0]
                    for s in range(self.firsts[end], end):
                        row[s] -= log_factorial(rows[end] - rows[s])
                if min_part_size > 1:
                    rows = &before[J, 0]
                    for s in range(self.firsts[end], end):
                        if self.too_small(rows[end] - rows[s], s, end, min_part_size):
                            row[s] = INFINITY
        return 0

    cdef int fill_rows_of_cells(self, Blocks blocks) except -1:
        """The same for parts of several cells."""
        cdef int64_t end
        cdef CellSums sums = CellSums(blocks)
        with nogil:
            for end in range(1, self.n_blocks + 1):
                self.fill_row_of_cells(blocks, end, sums)
        return 0

    cdef void fill_row_of_cells(self, Blocks blocks, int64_t end, CellSums sums) noexcept nogil:
        cdef int64_t s, label, cell, J = blocks.cell_size
        cdef int32_t e
        cdef double cost = 0.0, prior = log_factorial(J - 1)
        cdef double* row = self.row(end)
        cdef int64_t* counts = &sums.counts[0]
        cdef int64_t* rows = &sums.rows[0]
        cdef double* logs = &sums.logs[0]
        cdef double* row_logs = &sums.row_logs[0]
        sums.clear()
        for s in range(end - 1, self.firsts[end] - 1, -1):
            for e in range(blocks.pointer[s], blocks.pointer[s + 1]):
                label = blocks.classes[e]
                cell = sums.cells[e]
                counts[label] += blocks.counts[e]
                rows[cell] += blocks.counts[e]
                cost += logs[label] - row_logs[cell]
                logs[label] = log_factorial(counts[label])
                row_logs[cell] = log_factorial(rows[cell] + J - 1) - prior
                cost += row_logs[cell] - logs[label]
            row[s] = cost

    def penalized(self, double penalty):
        """Least cost with every part charged `penalty`, fewest parts on ties: bounds, sum of costs.

        Bounds are block numbers, shape (I+1,), from 0 to B.
        """
        with nogil:
            self.run_penalized(penalty)
        bounds, end = [self.n_blocks], self.n_blocks
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
        for end in range(1, self.n_blocks + 1):
            first = self.firsts[end]
            row = self.row(end)
            best, least = first, F[first] + row[first]
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
        for k in range(1, n_parts + 1):
            with nogil:
                self.run_layer(&before[0], &after[0], &previous[k, 0])
            costs[k] = after[B]
            before, after = after, before

        def bounds(parts):
            end, ends = B, [B]
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
        for end in range(1, self.n_blocks + 1):
            first = self.firsts[end]
            row = self.row(end)
            best = first
            for s in range(first + 1, end):
                if before[s] + row[s] < before[best] + row[best] - self.tolerance:
                    best = s
            after[end] = before[best] + row[best]
            previous[end] = <int32_t> best

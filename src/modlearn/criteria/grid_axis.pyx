"""Formula 3 as a part cost: one axis of a grid, while the other axis is fixed.

A part of the axis has a cell for each of the K parts of the other axis, and costs what its cells
do: sum_c log (N_c+J-1)! - log (J-1)! - sum_cj log N_cj!. Rows of cell c and class j have the label
c * J + j.
"""

cimport cython
from libc.stdint cimport int32_t, int64_t

import numpy as np

from modlearn.criteria.class_cost import ClassCost
from modlearn.criteria.combinatorics cimport log_factorial
from modlearn.criteria.discretization cimport gain_of_class, gain_of_totals, telescoped_part_cost
from modlearn.criteria.grid cimport cells_cost
from modlearn.criteria.part_cost cimport Part, PartCost, Sequence, Split

__all__ = ["AxisCost", "axis_cost"]


cdef struct Side:
    # The rows on one side of a bound.
    int64_t* counts
    double* logs       # log counts!
    int64_t rows
    double sum_logs    # sum of the logs
    int64_t* cell_rows
    double* cell_logs  # log (rows + J - 1)! - log (J - 1)! of every cell
    double sum_cells   # sum of these


@cython.final
cdef class AxisCost(PartCost):
    """The cost of the cells of each part of one axis of a grid, in formula 3.

    Parameters
    ----------
    n_cells : int
        K, the number of parts of the other axis.
    n_classes : int
        J, the number of classes.
    prior : callable
        The prior of I parts of this axis.

    Examples
    --------
    >>> from modlearn.criteria import AxisCost, axis_prior, grid_cost
    >>> cost = AxisCost(2, 2, lambda I: axis_prior(10, None, I) + axis_prior(10, None, 2))
    >>> cells = [[5, 1, 0, 0], [0, 4, 0, 0]]
    >>> round(cost.total(cells) - grid_cost([[[5, 1], [0, 0]], [[0, 4], [0, 0]]]), 12)
    0.0
    """

    cdef int64_t J, n_cells
    cdef double constant        # log (J - 1)!
    cdef int32_t[::1] cell_of   # (n_labels,): a lookup is faster than a division
    cdef double[:, ::1] log_memory
    cdef int64_t[:, ::1] cell_memory
    cdef double[:, ::1] cell_log_memory
    cdef Side left, right

    def __init__(self, n_cells, n_classes, prior):
        PartCost.__init__(self, n_cells * n_classes, prior)
        self.J, self.n_cells, self.is_slow = n_classes, n_cells, False
        self.constant = log_factorial(n_classes - 1)
        self.cell_of = np.repeat(np.arange(n_cells, dtype=np.int32), n_classes)
        self.log_memory = np.zeros((2, self.n_labels))
        self.cell_memory = np.zeros((2, n_cells), dtype=np.int64)
        self.cell_log_memory = np.zeros((2, n_cells))
        self.left = Side(
            self.left_counts, &self.log_memory[0, 0], 0, 0.0,
            &self.cell_memory[0, 0], &self.cell_log_memory[0, 0], 0.0,
        )
        self.right = Side(
            self.right_counts, &self.log_memory[1, 0], 0, 0.0,
            &self.cell_memory[1, 0], &self.cell_log_memory[1, 0], 0.0,
        )

    cdef double cost(self, const int64_t* counts) noexcept nogil:
        return cells_cost(counts, self.n_cells, self.J)

    cdef double cost_with(
        self, const int64_t* counts, const int64_t* other, int sign
    ) noexcept nogil:
        cdef double sum_logs, cost = 0.0
        cdef int64_t c, j, count, rows
        for c in range(self.n_cells):
            rows, sum_logs = 0, 0.0
            # `cost` is that of the cells before c, `rows` and `sum_logs` those of the classes
            # before j.
            for j in range(c * self.J, (c + 1) * self.J):
                count = counts[j] + sign * other[j]
                rows += count
                sum_logs += log_factorial(count)
            cost += telescoped_part_cost(rows, self.J, sum_logs)
        return cost

    cdef double gain(self, const Part* a, const Part* b) noexcept nogil:
        """Cells that only one of the parts has cancel: both lists are walked for common ones."""
        cdef int32_t i = 0, k = 0
        cdef int64_t end, rows_a, rows_b
        cdef double gain = 0.0
        # At the head of the loop labels[i] and labels[k] each begin a cell, or follow one's begin,
        # and cells before both have been added if they are common.
        while i < a.n and k < b.n:
            # The later of the two cells: labels before it are of cells that only one part has. Such
            # a cell costs the same before and after the merge.
            end = self.cell_of[max(a.labels[i], b.labels[k])] * self.J
            while i < a.n and a.labels[i] < end:
                i += 1
            while k < b.n and b.labels[k] < end:
                k += 1
            # Now `end` is behind that cell. If either part has no label in it, it is not common
            # after all.
            end += self.J
            if i == a.n or k == b.n or a.labels[i] >= end or b.labels[k] >= end:
                continue
            rows_a, rows_b = 0, 0
            # Both parts have the cell that ends before label `end`: its labels in order.
            while (i < a.n and a.labels[i] < end) or (k < b.n and b.labels[k] < end):
                if k == b.n or (i < a.n and a.labels[i] < b.labels[k]):
                    rows_a += a.counts[i]
                    i += 1
                elif i == a.n or a.labels[i] > b.labels[k]:
                    rows_b += b.counts[k]
                    k += 1
                else:
                    gain += gain_of_class(a.counts[i], b.counts[k])
                    rows_a += a.counts[i]
                    rows_b += b.counts[k]
                    i += 1
                    k += 1
            # A class that is in one of the two cells only gains nothing, but its rows count in the
            # total.
            gain += gain_of_totals(rows_a, rows_b, self.J)
        return gain

    cdef inline void clear(self, Side* side) noexcept nogil:
        cdef int64_t label, cell
        side.rows, side.sum_logs, side.sum_cells = 0, 0.0, 0.0
        for label in range(self.n_labels):
            side.counts[label], side.logs[label] = 0, 0.0
        for cell in range(self.n_cells):
            side.cell_rows[cell], side.cell_logs[cell] = 0, 0.0

    cdef inline void add_rows(self, Side* side, int64_t label, int64_t change) noexcept nogil:
        """Change a count, and keep both sums of log factorials up to date."""
        cdef int64_t cell = self.cell_of[label]
        side.counts[label] += change
        side.rows += change
        # A row changes two terms: that of its class within the cell, and that of the cell.
        side.sum_logs -= side.logs[label]
        side.logs[label] = log_factorial(side.counts[label])
        side.sum_logs += side.logs[label]
        side.cell_rows[cell] += change
        side.sum_cells -= side.cell_logs[cell]
        side.cell_logs[cell] = log_factorial(side.cell_rows[cell] + self.J - 1) - self.constant
        side.sum_cells += side.cell_logs[cell]

    cdef void fill_row(
        self, const Sequence* blocks, int64_t first, int64_t end, double* row
    ) noexcept nogil:
        cdef int64_t s, label, cell
        cdef int32_t e
        cdef double cost = 0.0, constant = self.constant
        cdef Side part = self.left
        # `part` borrows the memory of the left side, which no scan uses at the same time.
        self.clear(&part)
        # At the head of the loop `part` holds the rows of blocks s+1 to before `end`, and `cost`
        # is what they cost; an entry changes the terms of its label and of its cell.
        for s in range(end - 1, first - 1, -1):
            for e in range(blocks.pointer[s], blocks.pointer[s + 1]):
                label = blocks.labels[e]
                cell = self.cell_of[label]
                part.counts[label] += blocks.counts[e]
                part.cell_rows[cell] += blocks.counts[e]
                cost += part.logs[label] - part.cell_logs[cell]
                part.logs[label] = log_factorial(part.counts[label])
                part.cell_logs[cell] = log_factorial(part.cell_rows[cell] + self.J - 1) - constant
                cost += part.cell_logs[cell] - part.logs[label]
            row[s] = cost

    cdef void begin_scan(self, const int64_t* counts) noexcept nogil:
        cdef int64_t label, cell
        self.clear(&self.left)
        self.clear(&self.right)
        for label in range(self.n_labels):
            self.right.counts[label] = counts[label]
            self.right.rows += counts[label]
            self.right.logs[label] = log_factorial(counts[label])
            self.right.sum_logs += self.right.logs[label]
            self.right.cell_rows[self.cell_of[label]] += counts[label]
        # All rows are counted now: each cell has its final number, and its logarithm is taken once.
        for cell in range(self.n_cells):
            self.right.cell_logs[cell] = (
                log_factorial(self.right.cell_rows[cell] + self.J - 1) - self.constant
            )
            self.right.sum_cells += self.right.cell_logs[cell]

    cdef double right_cost(self) noexcept nogil:
        return self.right.sum_cells - self.right.sum_logs

    cdef void scan(
        self, const Sequence* blocks, int64_t first, int64_t end, Split* split
    ) noexcept nogil:
        # Copies: the compiler may keep their sums in registers.
        cdef Side left = self.left, right = self.right
        cdef int64_t b
        cdef int32_t e
        cdef double cost
        # At the head of the loop the bound stands before block b.
        for b in range(first, end):
            for e in range(blocks.pointer[b], blocks.pointer[b + 1]):
                self.add_rows(&left, blocks.labels[e], blocks.counts[e])
                self.add_rows(&right, blocks.labels[e], -blocks.counts[e])
            # At the end of the window nothing is left on the right, and small parts are not
            # allowed.
            if b + 1 == split.last or min(left.rows, right.rows) < split.min_part_size:
                continue
            cost = (left.sum_cells - left.sum_logs) + (right.sum_cells - right.sum_logs)
            if cost < split.least:
                split.least, split.best = cost, b + 1
        self.left, self.right = left, right

    cdef void move(self, const int64_t* moved) noexcept nogil:
        cdef int64_t label
        for label in range(self.n_labels):
            if moved[label]:
                self.add_rows(&self.left, label, moved[label])
                self.add_rows(&self.right, label, -moved[label])


def axis_cost(n_cells, n_classes, prior):
    """Return the part cost of one axis of a grid, given K parts of the other axis.

    With one cell per part, formula 3 is formula 1, whose part cost has more shortcuts.

    Examples
    --------
    >>> from modlearn.criteria import axis_cost, grouping_prior
    >>> type(axis_cost(1, 2, grouping_prior)).__name__
    'ClassCost'
    """
    if n_cells == 1:
        return ClassCost(n_classes, prior)
    return AxisCost(n_cells, n_classes, prior)

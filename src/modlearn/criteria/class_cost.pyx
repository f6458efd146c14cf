"""Formula 1 as a part cost: which class distribution a part has, and which row has which class.

The cost of a part is log (N_i+J-1)! - log (J-1)! - sum_j log N_ij!.

A scan for the best bound skips blocks that cannot hold it. A bound within blocks that have m_j rows
of class j leaves k_j of them on its left, 0 <= k_j <= m_j. With L and R rows on both sides before,
both sides then cost T(k_1 + ... + k_J) - sum_j H_j(k_j) - 2 log (J-1)! with

    T(t) = log (L+t+J-1)! + log (R-t+J-1)!,    H_j(k) = log (L_j+k)! + log (R_j-k)!,

all convex. So T lies above its tangent, and a tangent minus H_j is concave, thus lowest at an end
of [0, m_j]: the sum of these lowest values is below the cost of every bound within the blocks.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t

import numpy as np

from modlearn.criteria.combinatorics cimport log_factorial
from modlearn.criteria.discretization cimport (
    gain_of_class, gain_of_totals, sum_log_factorials, telescoped_part_cost,
)
from modlearn.criteria.part_cost cimport DenseParts, Part, PartCost, Sequence, Split, lowest_bit

__all__ = ["ClassCost"]


cdef enum:
    FEW_LABELS = 8          # up to here, looking all of them up beats adding only what changes
    MOST_DENSE_LABELS = 64  # bits of DenseParts.occurring


cdef inline void add_rows(Side* side, int64_t label, int64_t change) noexcept nogil:
    """Change a count, and keep the sum of log factorials up to date."""
    side.counts[label] += change
    side.rows += change
    # Only the term of this label changes. The old one is taken from memory, not computed again: a
    # logarithm less, and exactly what was added.
    side.sum_logs -= side.logs[label]
    side.logs[label] = log_factorial(side.counts[label])
    side.sum_logs += side.logs[label]


cdef class ClassCost(PartCost):
    """The cost of the class distribution and the classes of each part, in formulas 1 and 2.

    Parameters
    ----------
    n_classes : int
        J, the number of classes.
    prior : callable
        The prior of I parts: `discretization_prior` of N rows, or `grouping_prior` of V values.

    Examples
    --------
    >>> from modlearn.criteria import ClassCost, discretization_cost, discretization_prior
    >>> cost = ClassCost(2, lambda I: discretization_prior(10, I))
    >>> counts = [[5, 1], [0, 4]]
    >>> round(cost.total(counts) - discretization_cost(counts), 12)
    0.0
    """

    def __init__(self, n_classes, prior):
        PartCost.__init__(self, n_classes, prior)
        self.J = n_classes
        self.is_slow, self.has_bound, self.most_dense_labels = False, True, MOST_DENSE_LABELS
        self.log_memory = np.zeros((2, max(1, n_classes)))
        self.left = Side(self.left_counts, &self.log_memory[0, 0], 0, 0.0)
        self.right = Side(self.right_counts, &self.log_memory[1, 0], 0, 0.0)

    @property
    def n_alike(self):
        return self.n_labels

    @property
    def joins_pure_runs(self):
        return True

    @property
    def is_concave(self):
        return True

    cdef double cost(self, const int64_t* counts) noexcept nogil:
        cdef int64_t j, rows = 0
        # All terms from the counts themselves, without the rounding that a running sum collects.
        for j in range(self.n_labels):
            rows += counts[j]
        return telescoped_part_cost(rows, self.J, sum_log_factorials(counts, self.n_labels))

    cdef double cost_with(
        self, const int64_t* counts, const int64_t* other, int sign
    ) noexcept nogil:
        cdef int64_t j, count, rows = 0
        cdef double sum_logs = 0.0
        for j in range(self.n_labels):
            count = counts[j] + sign * other[j]
            rows += count
            sum_logs += log_factorial(count)
        return telescoped_part_cost(rows, self.J, sum_logs)

    cdef double gain(self, const Part* a, const Part* b) noexcept nogil:
        """Classes that only one of the parts has cancel: both lists are walked for common ones."""
        cdef int32_t i = 0, k = 0
        cdef double gain = gain_of_totals(a.rows, b.rows, self.J)
        # Labels below both labels[i] and labels[k] have been added if they are common.
        while i < a.n and k < b.n:
            if a.labels[i] < b.labels[k]:
                i += 1
            elif a.labels[i] > b.labels[k]:
                k += 1
            else:
                gain += gain_of_class(a.counts[i], b.counts[k])
                i += 1
                k += 1
        return gain

    cdef double dense_gain(self, const DenseParts* parts, int64_t a, int64_t b) noexcept nogil:
        cdef const int32_t* of_a = &parts.counts[a * self.n_labels]
        cdef const int32_t* of_b = &parts.counts[b * self.n_labels]
        cdef double gain = gain_of_totals(parts.rows[a], parts.rows[b], self.J)
        cdef uint64_t common
        cdef int j
        if self.n_labels == 2:
            # Adding both classes is faster than checking whether they are common.
            gain += gain_of_class(of_a[0], of_b[0])
            return gain + gain_of_class(of_a[1], of_b[1])
        # A class that only one part has gains nothing, log N! - log N! - log 0! = 0: it is skipped.
        common = parts.occurring[a] & parts.occurring[b]
        # `common` keeps a bit for every common class that is still to be added.
        while common:
            j = lowest_bit(common)
            gain += gain_of_class(of_a[j], of_b[j])
            common &= common - 1
        return gain

    cdef int begin_rows(self, const Sequence* blocks) except -1:
        """For few classes, add up the rows of each, and of all, before every block."""
        cdef int64_t b, j, n = self.n_labels
        cdef int32_t e
        if n > FEW_LABELS:
            return 0
        self.rows_before = np.zeros((n + 1, blocks.n_blocks + 1), dtype=np.int64)
        cdef int64_t[:, ::1] before = self.rows_before
        with nogil:
            # Columns up to b are complete at the head of the loop.
            for b in range(blocks.n_blocks):
                for j in range(n + 1):
                    before[j, b + 1] = before[j, b]
                for e in range(blocks.pointer[b], blocks.pointer[b + 1]):
                    before[blocks.labels[e], b + 1] += blocks.counts[e]
                    before[n, b + 1] += blocks.counts[e]
        return 0

    cdef void fill_row(
        self, const Sequence* blocks, int64_t first, int64_t end, double* row
    ) noexcept nogil:
        if self.n_labels <= FEW_LABELS:
            self.fill_row_of_few(first, end, row)
        else:
            self.fill_row_of_many(blocks, first, end, row)

    cdef void fill_row_of_few(self, int64_t first, int64_t end, double* row) noexcept nogil:
        """From sums before blocks: no cost has to wait for that of the next shorter interval."""
        cdef int64_t s, label
        cdef const int64_t* before = &self.rows_before[self.n_labels, 0]
        for s in range(first, end):
            row[s] = telescoped_part_cost(before[end] - before[s], self.J, 0.0)
        # The classes below `label` have been taken off all costs of the row.
        for label in range(self.n_labels):
            before = &self.rows_before[label, 0]
            for s in range(first, end):
                row[s] -= log_factorial(before[end] - before[s])

    cdef void fill_row_of_many(
        self, const Sequence* blocks, int64_t first, int64_t end, double* row
    ) noexcept nogil:
        """From the shortest interval to the longest: only labels of the next block change."""
        cdef int64_t s, label
        cdef int32_t e
        cdef Side part = self.left
        part.rows, part.sum_logs = 0, 0.0
        for label in range(self.n_labels):
            part.counts[label], part.logs[label] = 0, 0.0
        # At the head of the loop `part` holds the rows of blocks s+1 to before `end`.
        for s in range(end - 1, first - 1, -1):
            for e in range(blocks.pointer[s], blocks.pointer[s + 1]):
                add_rows(&part, blocks.labels[e], blocks.counts[e])
            row[s] = telescoped_part_cost(part.rows, self.J, part.sum_logs)

    cdef void begin_scan(self, const int64_t* counts) noexcept nogil:
        cdef int64_t label
        self.left.rows, self.left.sum_logs = 0, 0.0
        self.right.rows, self.right.sum_logs = 0, 0.0
        # From here on `logs` are the log factorials of `counts`, and `sum_logs` is their sum.
        for label in range(self.n_labels):
            self.left.counts[label], self.left.logs[label] = 0, 0.0
            self.right.counts[label] = counts[label]
            self.right.rows += counts[label]
            self.right.logs[label] = log_factorial(counts[label])
            self.right.sum_logs += self.right.logs[label]

    cdef double right_cost(self) noexcept nogil:
        return telescoped_part_cost(self.right.rows, self.J, self.right.sum_logs)

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
                add_rows(&left, blocks.labels[e], blocks.counts[e])
                add_rows(&right, blocks.labels[e], -blocks.counts[e])
            # At the end of the window nothing is left on the right, and small parts are not
            # allowed.
            if b + 1 == split.last or min(left.rows, right.rows) < split.min_part_size:
                continue
            cost = telescoped_part_cost(left.rows, self.J, left.sum_logs) + telescoped_part_cost(
                right.rows, self.J, right.sum_logs
            )
            if cost < split.least:
                split.least, split.best = cost, b + 1
        self.left, self.right = left, right

    cdef double bound(self, const int64_t* moved) noexcept nogil:
        """The tangent of T at half the rows, and for each class the lower end (see above)."""
        cdef int64_t label, m, rows = 0, middle
        cdef int64_t L = self.left.rows + self.J - 1, R = self.right.rows + self.J - 1
        cdef double tangent, slope, change, bound
        # T is convex in the number t of rows that the bound passes, 0 <= t <= rows. The line
        # through its values at the middle and one row further is therefore below it at every whole
        # t.
        for label in range(self.n_labels):
            rows += moved[label]
        middle = rows // 2
        tangent = log_factorial(L + middle) + log_factorial(R - middle)
        slope = log_factorial(L + middle + 1) + log_factorial(R - middle - 1) - tangent
        bound = tangent - slope * middle - 2.0 * log_factorial(self.J - 1)
        bound -= self.left.sum_logs + self.right.sum_logs
        # `bound` has k_j = 0 for all classes from `label` up, and the better end for those below.
        for label in range(self.n_labels):
            m = moved[label]
            # A class without rows in these blocks moves none: its change is 0 either way. For the
            # others the concave term is least at k_j = 0, which changes nothing, or at k_j = m.
            if m:
                change = m * slope + (
                    self.left.logs[label] - log_factorial(self.left.counts[label] + m)
                    + self.right.logs[label] - log_factorial(self.right.counts[label] - m)
                )
                if change < 0.0:
                    bound += change
        return bound

    cdef void move(self, const int64_t* moved) noexcept nogil:
        cdef int64_t label
        for label in range(self.n_labels):
            if moved[label]:
                add_rows(&self.left, label, moved[label])
                add_rows(&self.right, label, -moved[label])

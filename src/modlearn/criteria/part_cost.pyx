"""What a search minimizes: the cost of every part, and of the number of parts.

Every method here is built on `cost` alone, the cost of a part from its counts. A new criterion is
therefore a class with a `cost` and a prior, and all searches run with it. A subclass overrides a
method if its equation has a shortcut; the methods work on a whole row, merge or window at a time,
so that inner loops are compiled into one call.
"""

from libc.math cimport INFINITY

import numpy as np

from modlearn.criteria.counts import as_counts

__all__ = ["PartCost"]


cdef class PartCost:
    """A prior on the number of parts plus a cost for every part, in nats.

    A part cost has working memory and therefore belongs to one search: threads do not share it.

    Parameters
    ----------
    n_labels : int
        Length of the counts of a part.
    prior : callable
        The prior of I parts, for a number or an array of numbers I; increasing and concave.

    Attributes
    ----------
    is_slow : bool
        Whether the cost of an interval takes much longer than adding up its rows.
    has_bound : bool
        Whether `bound` returns more than minus infinity.
    most_dense_labels : int
        Up to this number of labels, `dense_gain` may be called and is faster than `gain`.
    n_alike : int
        Number of leading labels that may be renumbered without changing any cost.
    joins_pure_runs : bool
        Whether a partition of least cost never cuts a run of values that all have one label.
    is_concave : bool
        Whether the cost of a part is strictly concave in its counts, so that values with
        proportional counts share a group in every grouping of least cost.
    """

    def __init__(self, n_labels, prior):
        if type(self) is PartCost:
            raise TypeError("PartCost has no cost of its own: use one of its subclasses.")
        self.n_labels, self.prior = n_labels, prior
        self.is_slow, self.has_bound, self.most_dense_labels = True, False, 0
        self.memory = np.zeros((3, max(1, n_labels)), dtype=np.int64)
        self.left_counts, self.right_counts = &self.memory[0, 0], &self.memory[1, 0]
        self.sums = &self.memory[2, 0]

    @property
    def n_alike(self):
        return 0

    @property
    def joins_pure_runs(self):
        return False

    @property
    def is_concave(self):
        return False

    def part_costs(self, counts):
        """Return the cost of every part, shape (I,), from counts of shape (I, n_labels)."""
        table = as_counts(counts)
        self.check_labels(table.shape[1])
        cdef const int64_t[:, ::1] parts = table
        result = np.empty(len(table))
        cdef double[::1] costs = result
        cdef Py_ssize_t i
        # The working memory is used by one part at a time.
        for i in range(parts.shape[0]):
            costs[i] = self.cost(&parts[i, 0])
        return result

    def total(self, counts):
        """Return the cost of a partition: the prior of its I parts plus the cost of each part."""
        return float(self.prior(len(counts)) + self.part_costs(counts).sum())

    def priors(self, most_parts):
        """Return the prior of I parts at index I, from 0 (which costs nothing) to most_parts."""
        return np.concatenate(([0.0], self.prior(np.arange(1, most_parts + 1))))

    cdef int check_labels(self, int64_t n_labels) except -1:
        """Raise unless parts have as many counts as the cost reads."""
        if n_labels != self.n_labels:
            raise ValueError(f"Counts of {n_labels} labels do not fit a cost of {self.n_labels}.")
        return 0

    cdef double cost(self, const int64_t* counts) noexcept nogil:
        """Cost of a part from its counts. The one method that every subclass has."""
        return 0.0

    cdef double cost_with(
        self, const int64_t* counts, const int64_t* other, int sign
    ) noexcept nogil:
        """Cost of a part with the rows of another added (sign 1) or taken away (sign -1)."""
        cdef int64_t j
        # `sums` is free between calls: no method keeps anything in it.
        for j in range(self.n_labels):
            self.sums[j] = counts[j] + sign * other[j]
        return self.cost(self.sums)

    cdef double gain(self, const Part* a, const Part* b) noexcept nogil:
        """How much the part costs fall when a and b become one: c(a) + c(b) - c(a and b)."""
        cdef double gain = self.sparse_cost(a, NULL)
        gain += self.sparse_cost(b, NULL)
        return gain - self.sparse_cost(a, b)

    cdef double sparse_cost(self, const Part* a, const Part* b) noexcept nogil:
        """Cost of a, or of a and b together."""
        cdef int64_t j
        cdef int32_t i
        for j in range(self.n_labels):
            self.sums[j] = 0
        # `sums` is zero but for the labels of a, which are set, and those of b, which are added: a
        # part lists each of its labels once.
        for i in range(a.n):
            self.sums[a.labels[i]] = a.counts[i]
        if b != NULL:
            for i in range(b.n):
                self.sums[b.labels[i]] += b.counts[i]
        return self.cost(self.sums)

    cdef double dense_gain(self, const DenseParts* parts, int64_t a, int64_t b) noexcept nogil:
        """The gain of two dense parts; called only if `most_dense_labels` allows it."""
        return -INFINITY

    cdef int begin_rows(self, const Sequence* blocks) except -1:
        """Get ready for `fill_row` on these blocks."""
        return 0

    cdef void fill_row(
        self, const Sequence* blocks, int64_t first, int64_t end, double* row
    ) noexcept nogil:
        """Write the cost of the blocks s to before `end` to row[s], for s from `first` up."""
        cdef int64_t s, j
        cdef int32_t e
        for j in range(self.n_labels):
            self.sums[j] = 0
        # The interval grows by one block on its left: `sums` holds the rows of s+1 to before end.
        for s in range(end - 1, first - 1, -1):
            for e in range(blocks.pointer[s], blocks.pointer[s + 1]):
                self.sums[blocks.labels[e]] += blocks.counts[e]
            # Adding a block's rows takes a step per entry, the cost a step per label: `is_slow`
            # says that the latter dominates.
            row[s] = self.cost(self.sums)

    cdef void begin_scan(self, const int64_t* counts) noexcept nogil:
        """Put a bound at the left end of a window with these counts: all rows are on its right."""
        cdef int64_t j
        self.left_rows, self.right_rows = 0, 0
        # Left and right always add up to the window.
        for j in range(self.n_labels):
            self.left_counts[j], self.right_counts[j] = 0, counts[j]
            self.right_rows += counts[j]

    cdef double right_cost(self) noexcept nogil:
        """Cost of the rows on the right of the bound."""
        return self.cost(self.right_counts)

    cdef void scan(
        self, const Sequence* blocks, int64_t first, int64_t end, Split* split
    ) noexcept nogil:
        """Move the bound from before block `first` to before block `end`, noting the best one."""
        cdef int64_t b
        cdef int32_t e
        cdef double cost
        # At the head of the loop the bound stands before block b.
        for b in range(first, end):
            for e in range(blocks.pointer[b], blocks.pointer[b + 1]):
                self.left_counts[blocks.labels[e]] += blocks.counts[e]
                self.right_counts[blocks.labels[e]] -= blocks.counts[e]
                self.left_rows += blocks.counts[e]
                self.right_rows -= blocks.counts[e]
            # At the end of the window nothing is left on the right, and small parts are not
            # allowed: the rows have moved, but their cost is not needed.
            if b + 1 == split.last or min(self.left_rows, self.right_rows) < split.min_part_size:
                continue
            cost = self.cost(self.left_counts) + self.cost(self.right_counts)
            # Only a lower cost is noted, so that of equal bounds the leftmost wins.
            if cost < split.least:
                split.least, split.best = cost, b + 1

    cdef double bound(self, const int64_t* moved) noexcept nogil:
        """At most the cost of both sides for any bound in the next blocks, with rows `moved`."""
        return -INFINITY

    cdef void move(self, const int64_t* moved) noexcept nogil:
        """Move the bound past blocks whose rows are `moved`, without reading them."""
        cdef int64_t j
        for j in range(self.n_labels):
            self.left_counts[j] += moved[j]
            self.right_counts[j] -= moved[j]
            self.left_rows += moved[j]
            self.right_rows -= moved[j]

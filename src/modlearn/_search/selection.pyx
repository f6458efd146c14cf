"""Subsets of variables for a naive Bayes: fast forward-backward passes, and their average.

The state of a row is its class probabilities up to a factor, so that trying a variable takes one
product per class and row, without logarithms or exponentials.
"""

from libc.math cimport exp, log
from libc.stdint cimport int32_t, int64_t, uint8_t

import numpy as np

cdef enum:
    LANES = 4     # classes at a time
    TOGETHER = 8  # rows whose sums are multiplied before a logarithm is taken

cdef float NEGLIGIBLE = 1e-30  # smaller numbers would be slow, and change no sum


cdef inline double dot(const float* a, const float* b, int64_t n) noexcept nogil:
    """Sum of products of n entries, n a multiple of LANES."""
    cdef float s0 = 0, s1 = 0, s2 = 0, s3 = 0
    cdef int64_t j
    # Four sums that do not wait for each other; padding adds zeros.
    for j in range(0, n, 4):
        s0 += a[j] * b[j]
        s1 += a[j + 1] * b[j + 1]
        s2 += a[j + 2] * b[j + 2]
        s3 += a[j + 3] * b[j + 3]
    return <double> (s0 + s1) + <double> (s2 + s3)


def _padded_exponentials(tables):
    """exp(table - largest of the line) in single precision, zeros up to a whole number of lanes."""
    parts, J = tables.shape
    padded = np.zeros((parts, -(-J // LANES) * LANES), dtype=np.float32)
    padded[:, :J] = np.exp(tables - tables.max(axis=1, keepdims=True))
    return padded


cdef class SubsetSearch:
    """Searches for subsets of low cost, and sums up how well each variable did in them.

    Parameters
    ----------
    codes, classes, rows, tables, offsets, log_prior
        As for ``Likelihood``.
    priors : ndarray of shape (K+1,), float64
        Cost of selecting k variables, at index k.
    """

    cdef const int32_t[:, ::1] codes
    cdef const int32_t[::1] classes
    cdef const double[::1] rows
    cdef const double[:, ::1] tables
    cdef const int64_t[::1] offsets
    cdef const double[::1] log_prior, priors
    cdef const float[:, :, ::1] factors   # by which a variable changes probabilities: in, out
    cdef double[:, ::1] constants         # (2, K): what a variable changes besides: in, out
    cdef double[:, ::1] scores            # (n, J)
    cdef float[:, ::1] state              # (n, J padded): exp(score - largest score)
    cdef double behind                    # sum over rows of: largest score - that of the own class
    cdef uint8_t[::1] selected            # (K,)
    cdef int64_t n_selected
    cdef double cost, null_cost
    cdef double total                     # compression of all subsets so far
    cdef double[::1] entered              # (K,): the total when a variable was selected
    cdef double[::1] votes                # (K,): compression of the subsets with a variable

    def __init__(self, codes, classes, rows, tables, offsets, log_prior, priors):
        self.codes, self.classes, self.rows = codes, classes, rows
        self.tables, self.offsets = tables, offsets
        self.log_prior, self.priors = log_prior, priors
        self.factors = np.stack((_padded_exponentials(tables), _padded_exponentials(-tables)))
        self.constants = _constants(codes, classes, rows, tables, offsets)
        K, n = codes.shape
        self.scores = np.empty((n, len(log_prior)))
        self.state = np.zeros((n, self.factors.shape[2]), dtype=np.float32)
        self.selected = np.zeros(K, dtype=np.uint8)
        self.entered, self.votes = np.zeros(K), np.zeros(K)

    def search(self, const int32_t[::1] order, int most_rounds):
        """From no variable, add those that help and take away those that do not, in the order.

        Returns the cost reached.
        """
        cdef int64_t i, rounds
        cdef bint changed
        with nogil:
            self.clear()
            # A round is a pass that adds and a pass that takes away; none that changes nothing is
            # repeated, as it would change nothing again.
            for rounds in range(most_rounds):
                changed = False
                for i in range(order.shape[0]):
                    if not self.selected[order[i]]:
                        changed |= self.attempt(order[i], 0)
                for i in range(order.shape[0]):
                    if self.selected[order[i]]:
                        changed |= self.attempt(order[i], 1)
                if not changed:
                    break
            # Variables that are still selected were in all subsets since they entered.
            for i in range(order.shape[0]):
                if self.selected[i]:
                    self.votes[i] += self.total - self.entered[i]
        return self.cost

    def weights(self):
        """Share of each variable in the compression of all subsets tried so far: shape (K,)."""
        return np.asarray(self.votes) / self.total if self.total > 0 else np.zeros(len(self.votes))

    cdef void clear(self) noexcept nogil:
        """Select nothing."""
        cdef int64_t i, j
        for i in range(self.scores.shape[0]):
            for j in range(self.scores.shape[1]):
                self.scores[i, j] = self.log_prior[j]
        for i in range(self.selected.shape[0]):
            self.selected[i] = False
        self.n_selected = 0
        self.refresh()
        self.cost = self.null_cost = self.priors[0] + self.log_sums() + self.behind

    cdef bint attempt(self, int64_t k, int way) noexcept nogil:
        """Try to add (way 0) or take away (way 1) a variable; returns whether that was kept."""
        cdef int64_t size = self.n_selected + (1 if way == 0 else -1)
        cdef double cost = (
            self.priors[size] + self.log_sums_with(k, way) + self.behind + self.constants[way, k]
        )
        cdef double compression = max(0.0, 1.0 - cost / self.null_cost)
        # A smaller change may be rounding.
        cdef bint kept = cost < self.cost - 1e-8 * self.null_cost
        self.total += compression
        # The vote of a variable is the compression of all subsets tried that have it. While it is
        # selected these are all, so the total at its entry is kept instead of a sum. The trial
        # subset itself counts for k only if it has k.
        if way == 0:
            self.votes[k] += compression
            if kept:
                self.entered[k] = self.total
        elif kept:
            self.votes[k] += self.total - compression - self.entered[k]
        else:
            self.votes[k] -= compression
        if kept:
            self.cost, self.n_selected = cost, size
            self.selected[k] = way == 0
            self.apply(k, 1.0 if way == 0 else -1.0)
        return kept

    cdef void apply(self, int64_t k, double sign) noexcept nogil:
        """Add a variable to the scores, or take it away."""
        cdef int64_t i, j
        cdef const double* line
        # Scores of rows before i have changed. The state is computed anew from them, so that
        # rounding in single precision does not add up over many moves.
        for i in range(self.scores.shape[0]):
            line = &self.tables[self.offsets[k] + self.codes[k, i], 0]
            for j in range(self.scores.shape[1]):
                self.scores[i, j] += sign * line[j]
        self.refresh()

    cdef void refresh(self) noexcept nogil:
        """Compute the state from the scores."""
        cdef int64_t i, j
        cdef double largest
        cdef float share
        self.behind = 0.0
        # `behind` is that of rows before i: what the cost of a row has in addition to its log sum.
        for i in range(self.scores.shape[0]):
            # The largest score becomes 1: nothing overflows, and a state is never all zero.
            largest = self.scores[i, 0]
            for j in range(1, self.scores.shape[1]):
                largest = max(largest, self.scores[i, j])
            for j in range(self.scores.shape[1]):
                share = <float> exp(self.scores[i, j] - largest)
                self.state[i, j] = share if share > NEGLIGIBLE else 0.0
            self.behind += self.rows[i] * (largest - self.scores[i, self.classes[i]])

    cdef double log_sums(self) noexcept nogil:
        """Sum over rows of the log of the sum of the state."""
        cdef int64_t i, j
        cdef double total = 0.0, row
        # `total` is that of rows before i. The padding after the last class is zero, and left out.
        for i in range(self.state.shape[0]):
            row = 0.0
            for j in range(self.scores.shape[1]):
                row += self.state[i, j]
            total += self.rows[i] * log(row)
        return total

    cdef double log_sums_with(self, int64_t k, int way) noexcept nogil:
        """What `log_sums` would be if a variable were added or taken away."""
        cdef int64_t n = self.state.shape[0], width = self.state.shape[1], i = 0, t
        cdef const int32_t* codes = &self.codes[k, 0]
        cdef const float* factors = &self.factors[way, self.offsets[k], 0]
        cdef const float* state = &self.state[0, 0]
        cdef double total = 0.0, product, row
        # `total` is that of the rows before i. One logarithm serves the product of eight sums,
        # which are neither large nor tiny; rows that count more than once have one of their own.
        while i < n:
            product = 1.0
            for t in range(i, min(i + TOGETHER, n)):
                row = dot(state + t * width, factors + codes[t] * width, width)
                if self.rows[t] == 1.0:
                    product *= row
                else:
                    total += self.rows[t] * log(row)
            total += log(product)
            i += TOGETHER
        return total


def _constants(codes, classes, rows, tables, offsets):
    """Sum over rows of: largest of the line - entry of the own class; for tables and -tables."""
    result = np.zeros((2, len(codes)))
    entries = tables.max(axis=1, keepdims=True) - tables, tables - tables.min(axis=1, keepdims=True)
    for k, column in enumerate(codes):
        lines = column + offsets[k]
        for way in range(2):
            result[way, k] = rows @ entries[way][lines, classes]
    return result

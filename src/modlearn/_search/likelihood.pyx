"""Scores of a weighted naive Bayes, the likelihood of the classes, its gradient and curvature.

A variable has a table of log P(part | class), shape (parts, J), from which a row takes the line of
its part. Tables stand one below the other, and `offsets` says where each begins. Rows are worked on
in blocks, whose scores stay in the cache while one variable after the other is added.
"""

from libc.math cimport exp, log, sqrt
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, malloc

import numpy as np

cdef enum:
    BLOCK = 512  # rows

cdef struct Rows:
    int64_t n, J
    const int32_t* classes
    const double* counts


cdef inline double softmax(double* scores, int64_t J) noexcept nogil:
    """Turn scores into probabilities; returns the log of their sum."""
    cdef double largest = scores[0], total = 0.0
    cdef int64_t j
    # The largest score becomes exp(0): nothing overflows, and the sum is at least 1.
    for j in range(1, J):
        largest = max(largest, scores[j])
    for j in range(J):
        scores[j] = exp(scores[j] - largest)
        total += scores[j]
    for j in range(J):
        scores[j] /= total
    return largest + log(total)


cdef inline void add_table(
    const double* table, double weight, const int32_t* codes, int64_t n, int64_t J, double* scores
) noexcept nogil:
    """Add a variable to the scores (n, J)."""
    cdef int64_t i, j
    cdef const double* line
    if J == 2:
        # Without the inner loop, whose two steps cost less than its end.
        for i in range(n):
            line = table + 2 * <int64_t> codes[i]
            scores[2 * i] += weight * line[0]
            scores[2 * i + 1] += weight * line[1]
        return
    # Scores of rows before i have the variable added; `scores` points to row i.
    for i in range(n):
        line = table + J * codes[i]
        for j in range(J):
            scores[j] += weight * line[j]
        scores += J


cdef inline void add_own(
    const double* own, double weight, const int32_t* codes, const Rows* rows, double* scores
) noexcept nogil:
    """Add to the score of each row's own class what leaving the row out changes."""
    cdef int64_t i
    # One score per row changes: the row is its own witness for its own class only.
    for i in range(rows.n):
        scores[i * rows.J + rows.classes[i]] += (
            weight * own[rows.J * codes[i] + rows.classes[i]]
        )


cdef double loss_of(const Rows* rows, double* scores) noexcept nogil:
    """Negative log-likelihood; the scores become its derivatives."""
    cdef double total = 0.0, own
    cdef int64_t i, j
    # Scores of rows before i are derivatives, `total` is their loss; `scores` points to row i.
    for i in range(rows.n):
        own = scores[rows.classes[i]]
        total += rows.counts[i] * (softmax(scores, rows.J) - own)
        # The derivative by score j is p_j, less 1 for the own class, times the number of rows.
        scores[rows.classes[i]] -= 1.0
        for j in range(rows.J):
            scores[j] *= rows.counts[i]
        scores += rows.J
    return total


cdef inline double product(const double* a, const double* b, int64_t J) noexcept nogil:
    """sum_j a_j b_j, in four sums that do not wait for each other."""
    cdef double sums[4]
    cdef int64_t i, j, whole = J & ~<int64_t> 3
    for i in range(4):
        sums[i] = 0.0
    j = 0
    # sums[i] has the products i, i + 4, i + 8, ... before j.
    while j < whole:
        for i in range(4):
            sums[i] += a[j + i] * b[j + i]
        j += 4
    # At most three products are left, one for each of the first sums.
    for j in range(whole, J):
        sums[j - whole] += a[j] * b[j]
    return (sums[0] + sums[1]) + (sums[2] + sums[3])


cdef double derivative(
    const double* table, const double* own, const int32_t* codes, const Rows* rows,
    const double* residuals,
) noexcept nogil:
    """Derivative of the loss by the weight of one variable."""
    cdef double total = 0.0
    cdef int64_t i, J = rows.J
    # The sum over rows before i of derivative by score times score per unit of weight.
    for i in range(rows.n):
        total += product(table + J * codes[i], residuals, J)
        total += own[J * codes[i] + rows.classes[i]] * residuals[rows.classes[i]]
        residuals += J
    return total


cdef void curvature_line(
    const double* table, const double* own, const int32_t* codes, const Rows* rows,
    const double* p, const double* root, float* target,
) noexcept nogil:
    """sqrt(c_n p_nj) (L_nkj - sum_l p_nl L_nkl) of one variable k, for rows n and classes j."""
    cdef int64_t n, j, J = rows.J
    cdef const double* line
    cdef double mean, value
    # The own class of a row has `value` added to its line, as it is the row itself that is left
    # out; pointers p, root and target stand at row n.
    for n in range(rows.n):
        line = table + J * codes[n]
        value = own[J * codes[n] + rows.classes[n]]
        mean = p[rows.classes[n]] * value
        for j in range(J):
            # The mean of the line under the probabilities of the row: what all classes share has no
            # curvature.
            mean += p[j] * line[j]
        for j in range(J):
            target[j] = <float> (root[j] * (line[j] - mean))
        target[rows.classes[n]] += <float> (root[rows.classes[n]] * value)
        p += J
        root += J
        target += J


cdef class Likelihood:
    """The classes of rows under a weighted naive Bayes.

    Parameters
    ----------
    codes : ndarray of shape (K, n), int32
        Part of each variable.
    classes : ndarray of shape (n,), int32
        Class.
    rows : ndarray of shape (n,), float64
        How often each row counts.
    tables : ndarray of shape (parts of all variables, J), float64
        log P(part | class).
    own : ndarray of shape (parts of all variables, J), float64
        What to add for a row's own class: what leaving that row out changes.
    offsets : ndarray of shape (K,), int64
        Where the table of each variable begins.
    log_prior : ndarray of shape (J,), float64
        log P(class).
    """

    cdef const int32_t[:, ::1] codes
    cdef const int32_t[::1] classes
    cdef const double[::1] rows
    cdef const double[:, ::1] tables, own
    cdef const int64_t[::1] offsets
    cdef const double[::1] log_prior

    def __init__(self, codes, classes, rows, tables, own, offsets, log_prior):
        self.codes, self.classes, self.rows = codes, classes, rows
        self.tables, self.own, self.offsets = tables, own, offsets
        self.log_prior = log_prior

    cdef Rows block(self, int64_t first, int64_t last) noexcept nogil:
        cdef Rows rows
        rows.n, rows.J = min(last - first, BLOCK), self.log_prior.shape[0]
        rows.classes, rows.counts = &self.classes[first], &self.rows[first]
        return rows

    cdef void score(
        self, const Rows* rows, int64_t first, const int32_t[::1] used, const double[::1] weights,
        double* scores,
    ) noexcept nogil:
        """Scores of a block, shape (n, J), with the weights of the used variables."""
        cdef int64_t i, j, k
        # Every row begins with the prior of the classes.
        for i in range(rows.n):
            for j in range(rows.J):
                scores[i * rows.J + j] = self.log_prior[j]
        # Scores hold the prior and the variables used before the i-th.
        for i in range(used.shape[0]):
            k = used[i]
            if weights[i] != 0.0:
                add_table(&self.tables[self.offsets[k], 0], weights[i], &self.codes[k, first],
                          rows.n, rows.J, scores)
                add_own(&self.own[self.offsets[k], 0], weights[i], &self.codes[k, first], rows,
                        scores)

    def loss_and_gradient(
        self, const int32_t[::1] used, const double[::1] weights, const int32_t[::1] wanted,
        int64_t first, int64_t last,
    ):
        """Loss of rows first to last, and its derivatives by the weights of the wanted variables.

        Variables that are not used have weight 0.
        """
        cdef int64_t J = self.log_prior.shape[0], start, i, k
        cdef double loss = 0.0
        cdef Rows rows
        result = np.zeros(wanted.shape[0])
        cdef double[::1] gradient = result
        cdef double* scores = <double*> malloc(BLOCK * J * sizeof(double))
        if scores == NULL:
            raise MemoryError
        with nogil:
            start = first
            # Loss and gradient are those of the rows before `start`.
            while start < last:
                rows = self.block(start, last)
                self.score(&rows, start, used, weights, scores)
                loss += loss_of(&rows, scores)
                # `scores` are derivatives now: a variable's derivative is their product with its
                # table.
                for i in range(wanted.shape[0]):
                    k = wanted[i]
                    gradient[i] += derivative(
                        &self.tables[self.offsets[k], 0], &self.own[self.offsets[k], 0],
                        &self.codes[k, start], &rows, scores,
                    )
                start += BLOCK
            free(scores)
        return loss, result

    def curvature_factor(
        self, const int32_t[::1] used, const double[::1] weights, int64_t first, int64_t last
    ):
        """A of shape (used, rows * J) with AA' = the second derivatives of the loss.

        Entry k, (n, j) is sqrt(c_n p_nj) (L_nkj - sum_l p_nl L_nkl), c_n how often row n counts.
        In single precision: it says which step to try, not whether the step helps.
        """
        cdef int64_t J = self.log_prior.shape[0], start, i, j, k, n
        cdef Rows rows
        factor = np.empty((used.shape[0], (last - first) * J), dtype=np.float32)
        cdef float[:, ::1] A = factor
        cdef double[:, ::1] p = np.empty((BLOCK, J))
        cdef double[:, ::1] root = np.empty((BLOCK, J))
        with nogil:
            start = first
            # Columns of A for rows before `start` are written.
            while start < last:
                rows = self.block(start, last)
                self.score(&rows, start, used, weights, &p[0, 0])
                # Probabilities, and the roots of their weights, of rows before n are known.
                for n in range(rows.n):
                    softmax(&p[n, 0], J)
                    for j in range(J):
                        root[n, j] = sqrt(rows.counts[n] * p[n, j])
                for i in range(used.shape[0]):
                    k = used[i]
                    curvature_line(
                        &self.tables[self.offsets[k], 0], &self.own[self.offsets[k], 0],
                        &self.codes[k, start], &rows, &p[0, 0], &root[0, 0],
                        &A[i, (start - first) * J],
                    )
                start += BLOCK
        return factor


cdef inline void add_residuals(
    const double* residuals, const int32_t* lines, int64_t n, int64_t J, double* gradient
) noexcept nogil:
    """Add the residuals (n, J) of the rows to the lines of the tables that they find."""
    cdef int64_t i, j
    cdef double* line
    # Lines of rows before i are added; several rows may find the same line.
    for i in range(n):
        line = gradient + J * <int64_t> lines[i]
        for j in range(J):
            line[j] += residuals[j]
        residuals += J


cdef class TableLikelihood:
    """The classes of rows under an additive model, as a function of its tables of scores.

    The tables of all terms stand one below the other, P lines in all.

    Parameters
    ----------
    lines : ndarray of shape (K, n), int32
        The line that each row finds in the table of each term, counted from the first table on.
    classes : ndarray of shape (n,), int32
        Class.
    rows : ndarray of shape (n,), float64
        How often each row counts.
    base : ndarray of shape (J,), float64
        Score of each class before any term is added.
    """

    cdef const int32_t[:, ::1] lines
    cdef const int32_t[::1] classes
    cdef const double[::1] rows
    cdef const double[::1] base

    def __init__(self, lines, classes, rows, base):
        self.lines, self.classes, self.rows, self.base = lines, classes, rows, base

    cdef void score(
        self, const Rows* rows, int64_t first, const double[:, ::1] tables, double* scores
    ) noexcept nogil:
        """Scores of a block, shape (n, J)."""
        cdef int64_t i, j, k
        # Every row begins with the base, and then adds its line of each term.
        for i in range(rows.n):
            for j in range(rows.J):
                scores[i * rows.J + j] = self.base[j]
        # Scores hold the base and the terms before k.
        for k in range(self.lines.shape[0]):
            add_table(&tables[0, 0], 1.0, &self.lines[k, first], rows.n, rows.J, scores)

    def loss_and_gradient(self, const double[:, ::1] tables, int64_t first, int64_t last):
        """Loss of rows first to last, and its derivatives by the entries of the tables (P, J)."""
        cdef int64_t J = self.base.shape[0], start = first, k
        cdef double loss = 0.0
        cdef Rows rows
        result = np.zeros((tables.shape[0], J))
        cdef double[:, ::1] gradient = result
        cdef double* scores = <double*> malloc(BLOCK * J * sizeof(double))
        if scores == NULL:
            raise MemoryError
        with nogil:
            # Loss and gradient are those of the rows before `start`.
            while start < last:
                rows.n, rows.J = min(last - start, BLOCK), J
                rows.classes, rows.counts = &self.classes[start], &self.rows[start]
                self.score(&rows, start, tables, scores)
                loss += loss_of(&rows, scores)
                # Each term gets the residuals of all rows of the block, which are in the cache.
                for k in range(self.lines.shape[0]):
                    add_residuals(scores, &self.lines[k, start], rows.n, J, &gradient[0, 0])
                start += BLOCK
            free(scores)
        return loss, result


def add_to_scores(
    const int32_t[::1] codes, const double[:, ::1] table, double[:, ::1] scores, int64_t first,
    int64_t last,
):
    """Add the table's line of each row to its scores (n, J), for rows first to last.

    Code c has line c + 1 of the table; line 0 is that of a value never seen in training, code -1.
    """
    cdef int64_t J = table.shape[1]
    if first < last:
        with nogil:
            # The base is line 1, so that code -1 finds line 0 and no row has to be asked.
            add_table(&table[1, 0], 1.0, &codes[first], last - first, J, &scores[first, 0])


def to_probabilities(double[:, ::1] scores):
    """Turn scores (n, J) into probabilities, in place; returns the logs of their sums (n,)."""
    result = np.empty(scores.shape[0])
    cdef double[::1] logs = result
    cdef int64_t i
    with nogil:
        # Rows before i are probabilities.
        for i in range(scores.shape[0]):
            logs[i] = softmax(&scores[i, 0], scores.shape[1])
    return result


def box_quadratic(const double[:, ::1] H, const double[::1] gradient, const double[::1] weights):
    """Step d with 0 <= weights + d <= 1 where gradient'd + d'Hd / 2 is least.

    One coordinate after the other, until no step changes the value by more than rounding.
    """
    cdef int64_t K = weights.shape[0], i, k, sweep
    cdef double step, target, largest, scale = 0.0
    result = np.zeros(K)
    slopes = np.array(gradient)
    cdef double[::1] d = result
    cdef double[::1] slope = slopes
    with nogil:
        # slope = gradient + H d: the derivatives of the value at the step d. Each coordinate goes
        # to its best value within the bounds, the others fixed, which never raises the value.
        for sweep in range(1000):
            largest = 0.0
            for k in range(K):
                # A variable without curvature changes no probability: any step is as good as none.
                if H[k, k] <= 0.0:
                    continue
                target = min(max(weights[k] + d[k] - slope[k] / H[k, k], 0.0), 1.0)
                step = target - weights[k] - d[k]
                if step == 0.0:
                    continue
                d[k] += step
                largest = max(largest, step * step * H[k, k])
                # The other slopes follow the step, which keeps the invariant.
                for i in range(K):
                    slope[i] += step * H[k, i]
            scale = max(scale, largest)
            # A whole sweep gained less than rounding does, compared with the largest gain so far.
            if largest <= 1e-16 * scale:
                break
    return result

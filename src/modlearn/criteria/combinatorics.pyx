"""Logarithms of factorials, binomials and partition numbers, in float64."""

from libc.math cimport exp, log1p
from libc.stdlib cimport malloc

import math

import numpy as np

__all__ = ["log_binomials", "log_factorials", "log_partitions"]


cdef extern from "math.h" nogil:
    long double logl(long double)


cdef double* _filled_table() noexcept:
    """log n! for n below the table size, summed in extended precision."""
    cdef double* table = <double*> malloc(LOG_FACTORIAL_TABLE_SIZE * sizeof(double))
    cdef long double total = 0.0
    cdef int n
    table[0] = 0.0
    # `total` is log (n-1)!, with eleven bits more than a double has.
    for n in range(1, LOG_FACTORIAL_TABLE_SIZE):
        total += logl(n)
        table[n] = <double> total
    return table


log_factorial_table = _filled_table()


def log_factorials(n):
    """Return log n! for every entry.

    Examples
    --------
    >>> from modlearn.criteria import log_factorials
    >>> log_factorials([0, 1, 5]).round(4)
    array([0.    , 0.    , 4.7875])
    """
    numbers = np.asarray(n, dtype=np.int64)
    if numbers.size and numbers.min() < 0:
        raise ValueError(f"A factorial needs n >= 0, got {numbers.min()}.")
    flat = np.ascontiguousarray(numbers).reshape(-1)
    result = np.empty(flat.shape)
    cdef const int64_t[::1] source = flat
    cdef double[::1] target = result
    cdef Py_ssize_t i
    for i in range(source.shape[0]):
        target[i] = log_factorial(source[i])
    return result.reshape(numbers.shape)[()]


def log_binomials(n, k):
    """Return log C(n, k) for every pair of entries.

    Examples
    --------
    >>> from modlearn.criteria import log_binomials
    >>> float(log_binomials(5, 2).round(4))
    2.3026
    """
    n, k = np.asarray(n, dtype=np.int64), np.asarray(k, dtype=np.int64)
    return log_factorials(n) - log_factorials(k) - log_factorials(n - k)


cdef double _log_dobinski_sum(
    int64_t V, int64_t I, const double* alternating, int64_t n_alternating
) noexcept nogil:
    """log of sum_{j=1..I} j^V / j! * d(I-j), terms taken downwards from their largest one."""
    cdef int64_t j, low = 1, high = I, middle
    cdef double term, largest, total = 0.0
    # V log j - log j! rises up to its mode, where V/j = log(j+1) or so, and falls after it. The
    # mode lies between low and high, which close in on it.
    while low < high:
        middle = (low + high) // 2
        # The term after the middle is larger than that at the middle: the mode is further up.
        if V * log1p(1.0 / middle) > log(middle + 1.0):
            low = middle + 1
        else:
            high = middle
    largest = V * log(<double> low) - log_factorial(low)
    # Terms from j+1 up to the mode have been added. They fall towards j = 1, so that the first one
    # that is negligible ends the sum; two steps from the mode may have the factor d(1) = 0.
    for j in range(low, 0, -1):
        term = V * log(<double> j) - log_factorial(j) - largest
        if term < -60.0 and j < low - 2:
            break
        total += exp(term) * alternating[min(I - j, n_alternating - 1)]
    # Likewise beyond the mode, towards I.
    for j in range(low + 1, I + 1):
        term = V * log(<double> j) - log_factorial(j) - largest
        if term < -60.0:
            break
        total += exp(term) * alternating[min(I - j, n_alternating - 1)]
    return largest + log(total)


def log_partitions(V, I):
    """Return log B(V, I), where B counts the ways to put V values into at most I groups.

    ``B(V, I) = S(V, 1) + ... + S(V, I)`` with Stirling numbers of the second kind
    (formula 2 of Boullé 2007). They are not summed one by one: Dobinski's formula,
    cut off at I groups,

    ``B(V, I) = sum_{j=1..I} j^V / j! * d(I-j)``,  ``d(m) = sum_{i=0..m} (-1)^i / i!``,

    has no negative term (``d(0) = 1``, ``d(1) = 0``, then 1/2, 1/3, ... towards 1/e), so
    its logarithm is exact to rounding for any V. Terms below e^-60 of the largest are
    left out. The rounding error is that of ``V log j``: 1e-12 at V = 1,000 and 2e-9 at
    V = 1,000,000.

    Examples
    --------
    >>> from modlearn.criteria import log_partitions
    >>> float(log_partitions(10, 10).round(4)), math.log(115975)  # doctest: +ELLIPSIS
    (11.6611, 11.6611...)
    """
    values = int(V)
    groups = np.atleast_1d(np.asarray(I, dtype=np.int64))
    if values < 1 or groups.min(initial=1) < 1:
        raise ValueError(f"B(V, I) needs V >= 1 and I >= 1, got V={V} and I={I}.")
    signs = np.array([(-1) ** i / math.factorial(i) for i in range(30)])
    cdef double[::1] alternating = np.cumsum(signs)
    alternating[1] = 0.0
    # Groups stay empty beyond V of them, so that B(V, I) = B(V, V).
    cdef const int64_t[::1] counts = np.minimum(groups, values).reshape(-1)
    result = np.empty(groups.size)
    cdef double[::1] logs = result
    cdef Py_ssize_t i
    cdef int64_t n_values = values
    for i in range(counts.shape[0]):
        logs[i] = _log_dobinski_sum(n_values, counts[i], &alternating[0], alternating.shape[0])
    return result.reshape(groups.shape) if np.ndim(I) else result[0]

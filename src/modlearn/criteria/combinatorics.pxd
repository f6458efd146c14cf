"""Logarithms of the counting numbers that every criterion is made of."""

from libc.math cimport log
from libc.stdint cimport int64_t

cdef enum:
    LOG_FACTORIAL_TABLE_SIZE = 65536

cdef double* log_factorial_table


cdef inline double stirling_series(double n) noexcept nogil:
    """log n! ~ (n + 1/2) log n - n + log(2 pi)/2 + 1/(12 n) - 1/(360 n^3).

    The first term left out is 1/(1260 n^5): below 1e-27 where the table ends,
    so the result is exact to the last bits of a double.
    """
    cdef double inverse = 1.0 / n
    return (
        (n + 0.5) * log(n) - n + 0.918938533204672741780329736406
        + inverse * (1.0 / 12.0 - inverse * inverse / 360.0)
    )


cdef inline double log_factorial(int64_t n) noexcept nogil:
    """log n!"""
    # Most counts are small; the table takes half a megabyte and is filled once.
    if n < LOG_FACTORIAL_TABLE_SIZE:
        return log_factorial_table[n]
    return stirling_series(<double> n)


cdef inline double log_binomial(int64_t n, int64_t k) noexcept nogil:
    """log C(n, k) = log n! - log k! - log (n-k)!"""
    return log_factorial(n) - log_factorial(k) - log_factorial(n - k)

"""Known mass of a row: a number that may be far below the least double, to twice its digits.

Mass shrinks with every step away from a label, and rows of equal mass are told apart by other
rules: 106 bits make masses that are equal on paper come out equal, whatever the order of a sum.
"""

from libc.math cimport frexp, ldexp, log
from libc.stdint cimport int64_t


cdef struct Mass:
    double high       # in [0.5, 1), or 0
    double low        # rounding error of `high`
    int64_t exponent  # the mass is (high + low) * 2**exponent


cdef inline Mass normalized(double high, double low, int64_t exponent) noexcept nogil:
    """The mass (high + low) * 2**exponent; low is at most half a unit of high's last digit."""
    cdef int shift
    cdef double top = high + low
    cdef double rest = low - (top - high)
    # Nothing is left, such as a difference of equal masses: zero has one form, to compare equal.
    if top == 0.0:
        return Mass(0.0, 0.0, 0)
    top = frexp(top, &shift)
    return Mass(top, ldexp(rest, -shift), exponent + shift)


cdef inline Mass mass_of(double value) noexcept nogil:
    return normalized(value, 0.0, 0)


cdef inline double log_mass(Mass a) noexcept nogil:
    """Natural logarithm; -inf of no mass."""
    return log(a.high) + <double> a.exponent * log(2.0)


cdef inline double relative(Mass a, int64_t exponent) noexcept nogil:
    """The mass over 2**exponent, as a double."""
    cdef int64_t shift = a.exponent - exponent
    # Below the least double nothing is left, and the shift may not fit in an int.
    return 0.0 if shift < -1100 else ldexp(a.high, <int> shift)


cdef inline Mass add(Mass a, Mass b) noexcept nogil:
    cdef double total, part, error
    cdef int64_t shift
    # The larger exponent first: a sum is computed in its units.
    if a.high == 0.0 or (b.high != 0.0 and b.exponent > a.exponent):
        a, b = b, a
    shift = b.exponent - a.exponent
    # Beyond the last digit of both parts of `a`.
    if b.high == 0.0 or shift < -160:
        return a
    b.high, b.low = ldexp(b.high, <int> shift), ldexp(b.low, <int> shift)
    total = a.high + b.high
    # The rounding error of a sum, exactly, whichever of the two is larger (Knuth 1969).
    part = total - a.high
    error = (a.high - (total - part)) + (b.high - part)
    return normalized(total, error + (a.low + b.low), a.exponent)


cdef inline double product_error(double a, double b, double product) noexcept nogil:
    """What a * b exceeds its rounded value by (Dekker 1971): halves of 26 bits multiply exactly."""
    cdef double splitter = 134217729.0
    cdef double c = splitter * a, d = splitter * b
    cdef double a_high = c - (c - a), b_high = d - (d - b)
    cdef double a_low = a - a_high, b_low = b - b_high
    return ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


cdef inline Mass times(Mass a, double factor) noexcept nogil:
    cdef double product = a.high * factor
    # The digits that a.high * factor loses, and those that a.low adds.
    return normalized(
        product, product_error(a.high, factor, product) + a.low * factor, a.exponent
    )


cdef inline Mass over(Mass a, double divisor) noexcept nogil:
    cdef double quotient = a.high / divisor
    # The remainder of the division, exactly: what the quotient's digits leave over.
    cdef double product = quotient * divisor
    cdef double rest = (a.high - product) - product_error(quotient, divisor, product) + a.low
    return normalized(quotient, rest / divisor, a.exponent)

"""The interval that each number falls in."""

from libc.stdint cimport int32_t

import numpy as np


cdef enum:
    FEW = 4  # so few values are searched one by one


cdef inline int32_t code_of(const double* cuts, int32_t half, double value) noexcept nogil:
    """The number of cuts below a value, of 2 * half - 1 cuts."""
    cdef int32_t code = 0
    # `code` cuts are known to be below the value; fewer than 2 * half more can be.
    while half > 0:
        code += half * (cuts[code + half - 1] < value)
        half //= 2
    return code


cdef inline int32_t code_among(const double[:] cuts, double value) noexcept nogil:
    """The number of cuts below a value."""
    cdef Py_ssize_t low = 0, high = cuts.shape[0], middle
    # The cuts before `low` are below the value, and those from `high` are not; NaN is above none.
    while low < high:
        middle = (low + high) // 2
        if cuts[middle] < value:
            low = middle + 1
        else:
            high = middle
    return <int32_t> low


def interval_codes(const double[:] values, const double[:] cuts, bint missing_alone):
    """Return the number of cuts below each value, shape (n,), int32; NaN is below all cuts.

    If missing is a part of its own, the code of every other value is one higher. The binary search
    takes the same number of steps for every value and has no branch that could be mispredicted, and
    four values are searched at a time: it is several times faster than ``np.searchsorted`` for few
    cuts.
    """
    cdef Py_ssize_t n = values.shape[0], i, last
    cdef int32_t size = 1, half, a, b, c, d
    result = np.empty(n, dtype=np.int32)
    cdef int32_t[::1] codes = result
    if n < FEW:
        # Padding would take longer than the search.
        for i in range(n):
            codes[i] = code_among(cuts, values[i]) + (missing_alone and values[i] == values[i])
        return result
    # Padded with infinite cuts, which are below no value, to one less than a power of two.
    while size <= cuts.shape[0]:
        size *= 2
    filled = np.full(size, np.inf)
    filled[: cuts.shape[0]] = cuts
    cdef const double[::1] padded = filled
    cdef const double* of = &padded[0]
    cdef double v, w, x, y
    with nogil:
        last = n - n % 4
        # Codes before i are known. The four searches do not wait for each other.
        for i in range(0, last, 4):
            v, w, x, y = values[i], values[i + 1], values[i + 2], values[i + 3]
            a = b = c = d = 0
            half = size // 2
            # Each of a, b, c and d is a number of cuts known to be below its value.
            while half > 0:
                a += half * (of[a + half - 1] < v)
                b += half * (of[b + half - 1] < w)
                c += half * (of[c + half - 1] < x)
                d += half * (of[d + half - 1] < y)
                half //= 2
            codes[i], codes[i + 1], codes[i + 2], codes[i + 3] = a, b, c, d
        for i in range(last, n):
            codes[i] = code_of(of, size // 2, values[i])
        if missing_alone:
            # Missing is part 0 then; it differs from itself, and all others are one part further.
            for i in range(n):
                codes[i] += values[i] == values[i]
    return result

"""The interval that each number falls in."""

from libc.stdint cimport int32_t

import numpy as np


def interval_codes(const double[:] values, cuts, bint missing_alone):
    """Return the number of cuts below each value, shape (n,), int32; NaN is below all cuts.

    If missing is a part of its own, the code of every other value is one higher. The binary search
    takes the same number of steps for every value and has no branch that could be mispredicted: it
    is several times faster than ``np.searchsorted`` for few cuts.
    """
    cdef Py_ssize_t size = 1, half, i, code
    # Padded with infinite cuts, which are below no value, to one less than a power of two.
    while size <= len(cuts):
        size *= 2
    filled = np.full(size - 1, np.inf)
    filled[: len(cuts)] = cuts
    cdef const double[::1] padded = filled
    result = np.empty(values.shape[0], dtype=np.int32)
    cdef int32_t[::1] codes = result
    cdef double value
    with nogil:
        for i in range(values.shape[0]):
            value = values[i]
            code = 0
            half = size // 2
            # `code` cuts are known to be below the value; fewer than 2 * half more can be.
            while half > 0:
                code += half * (padded[code + half - 1] < value)
                half //= 2
            if missing_alone:
                code += value == value
            codes[i] = <int32_t> code
    return result

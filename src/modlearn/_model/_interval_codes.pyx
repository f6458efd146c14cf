"""Where numbers fall among cuts."""

from libc.stdint cimport int32_t

import numpy as np


def interval_codes(const double[:] values, cuts, bint missing_alone):
    """Number of cuts below each value, shape (n,), int32; missing (NaN) is below all cuts.

    If missing stands alone, every other value is one place higher. A binary search of as many
    steps for every value, which has nothing to guess wrong: several times faster than
    ``np.searchsorted`` among few cuts.
    """
    cdef Py_ssize_t size = 1, half, i, place
    while size <= len(cuts):
        size *= 2
    cdef const double[::1] padded = np.append(cuts, np.full(size - 1 - len(cuts), np.inf))
    result = np.empty(values.shape[0], dtype=np.int32)
    cdef int32_t[::1] places = result
    cdef double value
    with nogil:
        for i in range(values.shape[0]):
            value = values[i]
            place = 0
            half = size // 2
            while half > 0:
                place += half * (padded[place + half - 1] < value)
                half //= 2
            if missing_alone:
                place += value == value
            places[i] = <int32_t> place
    return result

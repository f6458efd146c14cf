"""A number per row that is the same for rows that agree in all their codes."""

from libc.stdint cimport int32_t, uint64_t

import numpy as np


cdef inline uint64_t mixed(uint64_t key, uint64_t code) noexcept nogil:
    """One step of a hash: a code moves every bit of the key (multipliers of SplitMix64)."""
    key = (key ^ (code + 0x9E3779B97F4A7C15u)) * 0xBF58476D1CE4E5B9u
    key = (key ^ (key >> 29)) * 0x94D049BB133111EBu
    return key ^ (key >> 32)


def row_keys(codes, const int32_t[::1] classes):
    """Hash the codes (K arrays of shape (n,), int32) and the class of each row; shape (n,)."""
    result = np.zeros(classes.shape[0], dtype=np.uint64)
    cdef uint64_t[::1] keys = result
    cdef const int32_t[::1] column
    cdef Py_ssize_t i
    # keys[i] is the hash of the class and of the columns before this one.
    for column in (classes, *codes):
        with nogil:
            for i in range(keys.shape[0]):
                keys[i] = mixed(keys[i], <uint64_t> column[i])
    return result

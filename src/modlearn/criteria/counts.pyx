"""What goes into every criterion, rows of class j in part i, and what comes out: a level."""

from libc.stdint cimport int64_t

import numpy as np

__all__ = ["as_counts", "level"]

MOST_ROWS = 2**53
"""Larger counts are not exact as floats."""


def as_counts(counts):
    """Return counts as a contiguous int64 array of shape (I, J); anything else is refused."""
    array = np.asarray(counts)
    if array.ndim != 2 or 0 in array.shape:
        raise ValueError(
            f"A count table has one row per part and one column per class, got shape {array.shape}."
        )
    table = array
    if array.dtype != np.int64 or not array.flags.c_contiguous:
        with np.errstate(invalid="ignore"):  # NaN is refused below, with a clearer message
            table = np.ascontiguousarray(array, dtype=np.int64)
    if (table is not array and (table != array).any()) or not _are_counts(table.reshape(-1)):
        raise ValueError("Counts must be non-negative whole numbers.")
    if table.sum(dtype=np.float64) >= MOST_ROWS:
        raise ValueError("Counts add up to 2**53 or more, which floats cannot represent exactly.")
    return table


cdef bint _are_counts(const int64_t[::1] table) noexcept nogil:
    """Whether no entry is negative."""
    cdef Py_ssize_t i
    # No entry before i is negative.
    for i in range(table.shape[0]):
        if table[i] < 0:
            return False
    return True


def level(double cost, double null_cost):
    """Return how informative a partition is about the target: max(0, 1 - cost / null cost).

    Examples
    --------
    >>> from modlearn.criteria import level
    >>> level(25.0, 100.0), level(120.0, 100.0)
    (0.75, 0.0)
    """
    return max(0.0, 1.0 - cost / null_cost) if null_cost > 0 else 0.0

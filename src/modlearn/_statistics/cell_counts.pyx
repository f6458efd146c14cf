"""Rows per cell of a grid and class: of one pair at any parts, or of many pairs at coarse ones."""

from libc.stdint cimport int32_t, int64_t, uint8_t

import numpy as np


cdef Py_ssize_t n_parts(const Py_ssize_t[::1] parts) noexcept nogil:
    cdef Py_ssize_t v, largest = 0
    # `largest` is the last part of the values before v; parts are numbered from 0.
    for v in range(parts.shape[0]):
        largest = max(largest, parts[v])
    return largest + 1


def count_cells(parts, codes, const int32_t[::1] classes, rows, Py_ssize_t n_classes):
    """Rows per cell and class, shape (I1, I2, J), int64.

    `parts` holds the part of every value of each axis, intp, and `codes` the value of every row
    on each, int32. Every row has a class. `rows`, int64, says how many rows each stands for;
    None = one.
    """
    cdef const Py_ssize_t[::1] first_part = parts[0], second_part = parts[1]
    cdef const int32_t[::1] first = codes[0], second = codes[1]
    cdef Py_ssize_t width = n_parts(second_part), cell, i
    counts = np.zeros((n_parts(first_part), width, n_classes), dtype=np.int64)
    cdef int64_t[::1] flat = counts.reshape(-1)
    cdef bint weighted = rows is not None
    cdef const int64_t[::1] weights = rows if weighted else flat  # not read without weights
    with nogil:
        # `flat` has counted the rows before i.
        for i in range(classes.shape[0]):
            cell = first_part[first[i]] * width + second_part[second[i]]
            flat[cell * n_classes + classes[i]] += weights[i] if weighted else 1
    return counts


def count_coarse_cells(
    const uint8_t[:, ::1] runs, const int32_t[::1] classes, rows, Py_ssize_t n_classes,
    const int64_t[:, ::1] pairs, Py_ssize_t n_runs,
):
    """Rows per cell and class of every pair of columns, shape (n_pairs, n_runs, n_runs, J), int64.

    `runs`, of shape (K, n), holds the run of every row in each column, below `n_runs`, and `pairs`
    the two columns of each pair. `rows`, int64, says how many rows each stands for; None = one.
    """
    counts = np.zeros((pairs.shape[0], n_runs, n_runs, n_classes), dtype=np.int64)
    cdef int64_t[:, ::1] flat = counts.reshape(pairs.shape[0], -1)
    cdef bint weighted = rows is not None
    cdef const int64_t[::1] weights = rows if weighted else np.ones(1, dtype=np.int64)
    cdef Py_ssize_t p, i
    cdef const uint8_t* first
    cdef const uint8_t* second
    cdef int64_t* cells
    with nogil:
        # One pair after the other: its cells stay in the cache while all rows pass by.
        for p in range(pairs.shape[0]):
            first, second = &runs[pairs[p, 0], 0], &runs[pairs[p, 1], 0]
            cells = &flat[p, 0]
            # `cells` has counted the rows before i: cell (a, b) and class j are at (a R + b) J + j,
            # R the number of runs.
            for i in range(classes.shape[0]):
                cells[(first[i] * n_runs + second[i]) * n_classes + classes[i]] += (
                    weights[i] if weighted else 1
                )
    return counts

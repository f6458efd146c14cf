"""Bins between increasing edges: what an engine counts instead of values.

Bin 0 holds missing values, bin b + 1 the values v for which b edges are less than v: (edge b - 1,
edge b]. Thousands of edges are found in a few steps by a table: numbers are divided into cells of
equal width, and only the edges of a number's own cell are compared with it. Where that puts most
edges into few cells, cells have equal width on the scale of the bits of a number, which is about
that of its logarithm.
"""

from libc.math cimport isnan
from libc.stdint cimport INT64_MIN, int64_t
from libc.string cimport memcpy

import numpy as np
from numpy.typing import NDArray

__all__ = ["Edges"]

ctypedef fused group_t:
    unsigned char
    unsigned short
    int

CELLS_PER_EDGE = 8
"""Most cells then hold at most one edge, and one comparison finds the bin of a number."""

LEAST_CELLS = 4096
"""Few edges are found faster if most cells hold none: the processor foresees that."""


cdef struct Finder:
    # What a loop over numbers needs, apart from the object so that it stays in registers.
    const double* edges
    const int* first  # number of edges in cells before each cell
    double low
    double scale
    double last  # the number of the last cell
    bint by_bits


cdef inline double on_scale(double value, bint by_bits) noexcept nogil:
    """A number, or its bits as a number that never decreases as numbers grow."""
    cdef int64_t bits
    if not by_bits:
        return value
    memcpy(&bits, &value, sizeof(double))
    return <double> (bits if bits >= 0 else INT64_MIN - bits)


cdef inline Py_ssize_t cell_of(const Finder* finder, double value, bint by_bits) noexcept nogil:
    """Cell of a number. It never decreases as numbers grow, however products are rounded."""
    cdef double position = (on_scale(value, by_bits) - finder.low) * finder.scale
    # The product of infinity and 0 is not a number: compare so that it is in the first cell.
    position = position if position > 0.0 else 0.0
    position = position if position < finder.last else finder.last
    return <Py_ssize_t> position


cdef inline Py_ssize_t below(const Finder* finder, double value, bint by_bits) noexcept nogil:
    """Number of edges that are less than a number."""
    cdef Py_ssize_t cell = cell_of(finder, value, by_bits)
    # Edges of earlier cells are less than the number, those of later cells are not.
    cdef Py_ssize_t low = finder.first[cell], n = finder.first[cell + 1] - low, half
    # Edges before `low` are less than the number, those from low + n are not.
    while n > 1:
        half = n >> 1
        low += half if finder.edges[low + half - 1] < value else 0
        n -= half
    # One edge is left, or none; behind the last one is a number that is read and does not count.
    return low + (n & (finder.edges[low] < value))


cdef inline Py_ssize_t bin_of(const Finder* finder, double value, bint by_bits) noexcept nogil:
    """Bin of a number, 0 = missing."""
    return 0 if isnan(value) else 1 + below(finder, value, by_bits)


cdef class Edges:
    """Increasing edges, with a table to find the bin of a number."""

    cdef const double[::1] _edges
    cdef const int[::1] _first
    cdef Finder _finder

    def __init__(self, edges):
        ordered = np.ascontiguousarray(edges, dtype=np.float64)
        self._edges = np.append(ordered, np.inf)
        n_cells = max(LEAST_CELLS, CELLS_PER_EDGE * len(ordered))
        finite = ordered[np.isfinite(ordered)]
        tables = []
        for by_bits in (False, True):
            self._divide(finite, by_bits, n_cells)
            cells = self._cells(ordered)
            first = np.searchsorted(cells, np.arange(n_cells + 1)).astype(np.int32)
            # About how many comparisons the numbers need, if as many lie between any two edges.
            sizes = np.diff(first)
            tables.append((float(np.sum(sizes * np.log2(sizes + 1.0))), by_bits, first))
        _, by_bits, self._first = min(tables, key=lambda table: table[:2])
        self._divide(finite, by_bits, n_cells)
        self._finder.edges, self._finder.first = &self._edges[0], &self._first[0]

    cdef void _divide(self, finite, bint by_bits, Py_ssize_t n_cells):
        """Divide the range of the edges into cells."""
        self._finder.by_bits, self._finder.last = by_bits, n_cells - 1
        self._finder.low, self._finder.scale = 0.0, 0.0
        if not len(finite):
            return
        self._finder.low = on_scale(finite.min(), by_bits)
        cdef double width = on_scale(finite.max(), by_bits) - self._finder.low
        # A range of no or infinite width is one cell, whose edges are bisected.
        if width > 0.0:
            self._finder.scale = n_cells / width
        # Products would overflow; here, too, one cell is left.
        if self._finder.scale > 1e300:
            self._finder.scale = 0.0

    cdef _cells(self, const double[::1] values):
        """Cell of each number."""
        found = np.empty(values.shape[0], dtype=np.intp)
        cdef Py_ssize_t[::1] out = found
        cdef Py_ssize_t i
        # By the same rounding as in the search, so that no edge is looked for in a wrong cell.
        for i in range(values.shape[0]):
            out[i] = cell_of(&self._finder, values[i], self._finder.by_bits)
        return found

    def count(self, const double[::1] values, const group_t[::1] groups, long long[:, ::1] counts):
        """Add the rows of values and their groups to counts of shape (n_edges + 2, n_groups)."""
        cdef Finder finder = self._finder
        cdef Py_ssize_t i
        with nogil:
            # `counts` holds the rows before i. The scale is asked for outside of the loop.
            if finder.by_bits:
                for i in range(values.shape[0]):
                    counts[bin_of(&finder, values[i], True), groups[i]] += 1
            else:
                for i in range(values.shape[0]):
                    counts[bin_of(&finder, values[i], False), groups[i]] += 1

    def codes(self, const double[::1] values) -> NDArray[np.int32]:
        """Return the bin of each value."""
        found = np.empty(values.shape[0], dtype=np.int32)
        cdef int[::1] out = found
        cdef Finder finder = self._finder
        cdef Py_ssize_t i
        with nogil:
            # Bins before i are known.
            for i in range(values.shape[0]):
                out[i] = <int> bin_of(&finder, values[i], finder.by_bits)
        return found

    def inside(self, const double[::1] values) -> NDArray[np.intp]:
        """Return the positions of values inside the windows that pairs of edges enclose."""
        found = np.empty(values.shape[0], dtype=np.intp)
        cdef Py_ssize_t[::1] out = found
        cdef Finder finder = self._finder
        cdef Py_ssize_t i, is_value, n = 0
        with nogil:
            # The first n positions are those of values before i that are inside; missing ones,
            # which differ from themselves, are not. A branch would often be foreseen wrongly.
            for i in range(values.shape[0]):
                out[n] = i
                is_value = values[i] == values[i]
                n += below(&finder, values[i], finder.by_bits) & is_value
        return found[:n].copy()

"""Blocks: what no bound may split, with the rows of every class, stored sparsely.

Block b holds the entries ``pointer[b] : pointer[b+1]`` of ``classes`` and ``counts``, classes
in increasing order. ``start[b]`` says where it begins in the sequence it was built from. Class
number J stands for unlabeled rows; it occurs only where ``with_unlabeled`` is set.

On one axis of a grid, whose other axis is fixed, a part has a cell for each part of the other. Rows
of cell c and class j then are of class number ``c * cell_size + j``, where ``cell_size`` is J.
"""

from libc.stdint cimport uint8_t, uint16_t

import numpy as np

ctypedef fused Label:
    uint8_t
    uint16_t
    int32_t


cdef class Blocks:
    """A sequence of blocks, shared by kernels without copying."""

    def __cinit__(
        self, start, pointer, classes, counts, n_classes, with_unlabeled=False, cell_size=None
    ):
        self.n_blocks = len(pointer) - 1
        self.n_classes = n_classes
        self.cell_size = n_classes if cell_size is None else cell_size
        self.with_unlabeled = with_unlabeled
        self.start_view, self.pointer_view = start, pointer
        self.class_view, self.count_view = classes, counts
        self.point_to_views()

    @property
    def starts(self):
        """Where every block begins in the sequence below, and its end: shape (B+1,)."""
        return np.asarray(self.start_view)

    cdef void point_to_views(self):
        self.start, self.pointer = &self.start_view[0], &self.pointer_view[0]
        if self.class_view.shape[0]:
            self.classes, self.counts = &self.class_view[0], &self.count_view[0]

    cdef add_up(self, int64_t mile):
        """Note the rows of every class before every `mile`-th block, for `sums`."""
        cdef int64_t n_labels = self.n_classes + 1, n_miles = self.n_blocks // mile, m, label
        cdef int32_t e
        cdef int64_t[:, ::1] sums
        if self.mile == mile:
            return
        sums = np.zeros((n_miles + 1, n_labels), dtype=np.int64)
        with nogil:
            for m in range(n_miles):
                for label in range(n_labels):
                    sums[m + 1, label] = sums[m, label]
                for e in range(self.pointer[m * mile], self.pointer[(m + 1) * mile]):
                    sums[m + 1, self.classes[e]] += self.counts[e]
        self.sums, self.mile = sums, mile

    def sort_classes(self):
        """Renumber the classes by what is in them, in place; returns the old number of each.

        The most frequent class comes first, of equally frequent ones that with the lower mean
        place. No sum over classes then depends on the order in which they came.
        """
        cdef int64_t J = self.n_classes, b
        cdef int32_t e
        totals, places = np.zeros(J + 1), np.zeros(J + 1)
        cdef double[::1] total = totals, place = places
        with nogil:
            for b in range(self.n_blocks):
                for e in range(self.pointer[b], self.pointer[b + 1]):
                    total[self.classes[e]] += self.counts[e]
                    place[self.classes[e]] += <double> b * self.counts[e]
        order = np.lexsort((places[:J], -totals[:J]))
        if (order == np.arange(J)).all():
            return order
        self.mile = 0
        numbers = np.append(np.argsort(order), J).astype(np.int32)
        cdef const int32_t[::1] number = numbers
        with nogil:
            for b in range(self.n_blocks):
                for e in range(self.pointer[b], self.pointer[b + 1]):
                    self.classes[e] = number[self.classes[e]]
                self.sort_entries(b)
        return order

    cdef void sort_entries(self, int64_t block) noexcept nogil:
        """Entries of a block by increasing class; they are few, or nearly in order."""
        cdef int32_t first = self.pointer[block], i, k, label
        cdef int64_t count
        for i in range(first + 1, self.pointer[block + 1]):
            label, count, k = self.classes[i], self.counts[i], i
            while k > first and self.classes[k - 1] > label:
                self.classes[k], self.counts[k] = self.classes[k - 1], self.counts[k - 1]
                k -= 1
            self.classes[k], self.counts[k] = label, count

    def dense(self):
        """Counts per block and class, the unlabeled rows last: shape (B, J) or (B, J+1)."""
        table = np.zeros((self.n_blocks, self.n_classes + self.with_unlabeled), dtype=np.int64)
        rows = np.repeat(np.arange(self.n_blocks), np.diff(np.asarray(self.pointer_view)))
        n_entries = self.pointer_view[self.n_blocks]
        np.add.at(
            table,
            (rows, np.asarray(self.class_view)[:n_entries]),
            np.asarray(self.count_view)[:n_entries],
        )
        return table


def from_dense(table, with_unlabeled=False):
    """Blocks from counts of shape (B, J), or (B, J+1) with the unlabeled rows last."""
    table = np.asarray(table, dtype=np.int64)
    rows, columns = np.nonzero(table)
    pointer = np.searchsorted(rows, np.arange(len(table) + 1)).astype(np.int32)
    return Blocks(
        np.arange(len(table) + 1, dtype=np.int32),
        pointer,
        columns.astype(np.int32),
        np.ascontiguousarray(table[rows, columns]),
        table.shape[1] - with_unlabeled,
        with_unlabeled,
    )


cdef inline bint same_value(double a, double b) noexcept nogil:
    """Missing is one value, though NaN differs from itself."""
    return a == b or (a != a and b != b)


cdef struct Builder:
    int32_t* start
    int32_t* pointer
    int32_t* classes
    int64_t* counts
    int64_t n_blocks
    int64_t n_entries
    int32_t pure_class  # class of the last block if it is pure, else -1


cdef inline void append_pure(
    Builder* built, int32_t first, int32_t label, int64_t count, bint join
) noexcept nogil:
    """A value with rows of one class: lengthens a pure run of that class, or begins a block."""
    if join and built.pure_class == label:
        built.counts[built.n_entries - 1] += count
        return
    built.start[built.n_blocks] = first
    built.pointer[built.n_blocks] = <int32_t> built.n_entries
    built.classes[built.n_entries] = label
    built.counts[built.n_entries] = count
    built.n_entries += 1
    built.n_blocks += 1
    built.pure_class = label


cdef void append_tied(
    Builder* built, int32_t first, int64_t* totals, int64_t n_labels, bint join
) noexcept nogil:
    """A value shared by several rows, whose counts per class are in `totals`; clears them."""
    cdef int64_t label, occurring = 0, only = 0
    for label in range(n_labels):
        if totals[label]:
            occurring, only = occurring + 1, label
    if occurring == 1:
        append_pure(built, first, <int32_t> only, totals[only], join)
        totals[only] = 0
        return
    built.start[built.n_blocks] = first
    built.pointer[built.n_blocks] = <int32_t> built.n_entries
    for label in range(n_labels):
        if totals[label]:
            built.classes[built.n_entries] = <int32_t> label
            built.counts[built.n_entries] = totals[label]
            built.n_entries += 1
            totals[label] = 0
    built.n_blocks += 1
    built.pure_class = -1


def elementary_blocks(
    const double[::1] values, const Label[::1] classes, counts, n_classes,
    bint with_unlabeled=False, bint join_pure_runs=True, cell_size=None,
):
    """Blocks of equal values from entries sorted by value.

    An optimal partition never cuts inside a run of values that are pure in the same class: the
    cost is concave in the number of rows moved across such a cut, so that one end of the run is
    at least as good a place. ``join_pure_runs`` makes each such run one block.

    `counts` is an int64 array of rows per entry, or None where every entry is one row.
    """
    cdef int64_t n = values.shape[0], n_labels = n_classes + with_unlabeled
    start, pointer = np.empty(n + 1, dtype=np.int32), np.empty(n + 1, dtype=np.int32)
    block_classes, block_counts = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int64)
    totals_array = np.zeros(n_labels, dtype=np.int64)
    cdef int32_t[::1] starts = start, pointers = pointer, entry_classes = block_classes
    cdef int64_t[::1] entry_counts = block_counts, totals = totals_array
    cdef bint weighted = counts is not None
    cdef const int64_t[::1] rows = counts if weighted else totals_array
    cdef Builder built
    cdef int64_t i = 0, first
    if n:
        built = Builder(
            &starts[0], &pointers[0], &entry_classes[0], &entry_counts[0], 0, 0, -1
        )
        with nogil:
            while i < n:
                first = i
                i += 1
                if i == n or not same_value(values[first], values[i]):
                    append_pure(
                        &built, <int32_t> first, <int32_t> classes[first],
                        rows[first] if weighted else 1, join_pure_runs,
                    )
                    continue
                totals[classes[first]] += rows[first] if weighted else 1
                while i < n and same_value(values[first], values[i]):
                    totals[classes[i]] += rows[i] if weighted else 1
                    i += 1
                append_tied(&built, <int32_t> first, &totals[0], n_labels, join_pure_runs)
    else:
        built = Builder(NULL, NULL, NULL, NULL, 0, 0, -1)
    start[built.n_blocks] = n
    pointer[built.n_blocks] = built.n_entries
    return Blocks(
        start[: built.n_blocks + 1], pointer[: built.n_blocks + 1],
        block_classes[: built.n_entries], block_counts[: built.n_entries],
        n_classes, with_unlabeled, cell_size,
    )


def combined(Blocks blocks, starts):
    """Neighboring blocks as one: from each of `starts`, int64 of shape (B'+1,), to the next."""
    cdef const int64_t[::1] at = starts
    cdef int64_t n = at.shape[0] - 1, b, label, n_entries = 0
    cdef int64_t n_labels = blocks.n_classes + blocks.with_unlabeled
    pointer = np.zeros(n + 1, dtype=np.int32)
    most = int(min(blocks.pointer[blocks.n_blocks], n * n_labels))
    classes, counts = np.empty(most, dtype=np.int32), np.empty(most, dtype=np.int64)
    cdef int32_t[::1] pointers = pointer, entry_classes = classes
    cdef int64_t[::1] entry_counts = counts, totals = np.zeros(n_labels, dtype=np.int64)
    cdef int32_t e
    with nogil:
        for b in range(n):
            for e in range(blocks.pointer[at[b]], blocks.pointer[at[b + 1]]):
                totals[blocks.classes[e]] += blocks.counts[e]
            for label in range(n_labels):
                if totals[label]:
                    entry_classes[n_entries] = <int32_t> label
                    entry_counts[n_entries] = totals[label]
                    totals[label] = 0
                    n_entries += 1
            pointers[b + 1] = <int32_t> n_entries
    return Blocks(
        np.asarray(starts, dtype=np.int32), pointer, classes[:n_entries], counts[:n_entries],
        blocks.n_classes, blocks.with_unlabeled, blocks.cell_size,
    )

"""Blocks: what no bound may split, with the rows of every label, stored sparsely.

Block b holds the entries ``pointer[b] : pointer[b+1]`` of ``labels`` and ``counts``, labels in
increasing order. ``start[b]`` says where it begins in the sequence it was built from. What the
labels stand for is known to the part cost alone.
"""

from libc.stdint cimport uint8_t, uint16_t

import numpy as np

ctypedef fused Label:
    uint8_t
    uint16_t
    int32_t


cdef class Blocks:
    """A sequence of blocks, shared by kernels without copying."""

    def __cinit__(self, start, pointer, labels, counts, n_labels):
        self.n_blocks = len(pointer) - 1
        self.n_labels = n_labels
        self.start_view, self.pointer_view = start, pointer
        self.label_view, self.count_view = labels, counts
        self.point_to_views()

    @property
    def starts(self):
        """Where every block begins in the sequence below, and its end: shape (B+1,)."""
        return np.asarray(self.start_view)

    cdef void point_to_views(self):
        # The pointers are read without the GIL; the views keep their memory alive. A sequence
        # without rows has no first label to point to.
        self.start, self.pointer = &self.start_view[0], &self.pointer_view[0]
        if self.label_view.shape[0]:
            self.labels, self.counts = &self.label_view[0], &self.count_view[0]

    cdef Sequence sequence_for(self, PartCost cost) except *:
        """The blocks as a part cost reads them, which must know all their labels."""
        cost.check_labels(self.n_labels)
        return Sequence(self.n_blocks, self.pointer, self.labels, self.counts)

    cdef add_up(self, int64_t stride):
        """Note the rows of every label before every `stride`-th block, in `sums`."""
        cdef int64_t n_strides = self.n_blocks // stride, m, label
        cdef int32_t e
        cdef int64_t[:, ::1] sums
        # Another search over the same blocks asks for the same sums: they are kept.
        if self.stride == stride:
            return
        sums = np.zeros((n_strides + 1, self.n_labels), dtype=np.int64)
        with nogil:
            # sums[m] is complete at the head of the loop: the rows before block m * stride.
            for m in range(n_strides):
                for label in range(self.n_labels):
                    sums[m + 1, label] = sums[m, label]
                for e in range(self.pointer[m * stride], self.pointer[(m + 1) * stride]):
                    sums[m + 1, self.labels[e]] += self.counts[e]
        self.sums, self.stride = sums, stride

    def sort_labels(self, n_sorted):
        """Renumber the first `n_sorted` labels by what is in them, in place.

        The most frequent label comes first; of equally frequent ones, the one with the lower mean
        block. No sum over labels then depends on the order in which they came. Returns the old
        number of each, intp of shape (n_sorted,).
        """
        cdef int64_t b
        cdef int32_t e
        totals, moments = np.zeros(self.n_labels), np.zeros(self.n_labels)
        cdef double[::1] total = totals, moment = moments
        with nogil:
            # Rows of every label before block b, and the sum of their block numbers.
            for b in range(self.n_blocks):
                for e in range(self.pointer[b], self.pointer[b + 1]):
                    total[self.labels[e]] += self.counts[e]
                    moment[self.labels[e]] += <double> b * self.counts[e]
        order = np.lexsort((moments[:n_sorted], -totals[:n_sorted]))
        if (order == np.arange(n_sorted)).all():
            return order
        # The sums of `add_up` are by the old numbers.
        self.stride = 0
        numbers = np.append(np.argsort(order), np.arange(n_sorted, self.n_labels))
        cdef const int32_t[::1] number = numbers.astype(np.int32)
        with nogil:
            # Blocks before b have the new numbers, in increasing order again.
            for b in range(self.n_blocks):
                for e in range(self.pointer[b], self.pointer[b + 1]):
                    self.labels[e] = number[self.labels[e]]
                self.sort_entries(b)
        return order

    cdef void sort_entries(self, int64_t block) noexcept nogil:
        """Entries of a block by increasing label; they are few, or nearly in order."""
        cdef int32_t first = self.pointer[block], i, k, label
        cdef int64_t count
        # Insertion sort: the entries from `first` to before i are in order.
        for i in range(first + 1, self.pointer[block + 1]):
            label, count, k = self.labels[i], self.counts[i], i
            while k > first and self.labels[k - 1] > label:
                self.labels[k], self.counts[k] = self.labels[k - 1], self.counts[k - 1]
                k -= 1
            self.labels[k], self.counts[k] = label, count

    def dense(self):
        """Counts per block and label: shape (B, n_labels)."""
        table = np.zeros((self.n_blocks, self.n_labels), dtype=np.int64)
        rows = np.repeat(np.arange(self.n_blocks), np.diff(np.asarray(self.pointer_view)))
        n_entries = self.pointer_view[self.n_blocks]
        np.add.at(
            table,
            (rows, np.asarray(self.label_view)[:n_entries]),
            np.asarray(self.count_view)[:n_entries],
        )
        return table


def from_dense(table):
    """Blocks from counts of shape (B, n_labels)."""
    table = np.asarray(table, dtype=np.int64)
    rows, columns = np.nonzero(table)
    pointer = np.searchsorted(rows, np.arange(len(table) + 1)).astype(np.int32)
    return Blocks(
        np.arange(len(table) + 1, dtype=np.int32),
        pointer,
        columns.astype(np.int32),
        np.ascontiguousarray(table[rows, columns]),
        table.shape[1],
    )


cdef inline bint same_value(double a, double b) noexcept nogil:
    """Missing is one value, though NaN differs from itself."""
    return a == b or (a != a and b != b)


cdef struct Builder:
    # Blocks as far as they have been written.
    int32_t* start
    int32_t* pointer
    int32_t* labels
    int64_t* counts
    int64_t n_blocks
    int64_t n_entries
    int32_t pure_label  # label of the last block if it is pure, else -1


cdef inline void append_pure(
    Builder* built, int32_t first, int32_t label, int64_t count, bint join
) noexcept nogil:
    """A value with rows of one label: lengthens a pure run of that label, or begins a block."""
    # Equal labels follow each other: the run grows, and no bound may stand inside it.
    if join and built.pure_label == label:
        built.counts[built.n_entries - 1] += count
        return
    built.start[built.n_blocks] = first
    built.pointer[built.n_blocks] = <int32_t> built.n_entries
    built.labels[built.n_entries] = label
    built.counts[built.n_entries] = count
    built.n_entries += 1
    built.n_blocks += 1
    built.pure_label = label


cdef void append_tied(
    Builder* built, int32_t first, int64_t* totals, int64_t n_labels, bint join
) noexcept nogil:
    """A value shared by several entries, with counts per label in `totals`; clears them."""
    cdef int64_t label, occurring = 0, only = 0
    # `occurring` labels below `label` have rows, the last of them is `only`.
    for label in range(n_labels):
        if totals[label]:
            occurring, only = occurring + 1, label
    # If all rows of the value have one label, they are one entry, which may join a pure run.
    if occurring == 1:
        append_pure(built, first, <int32_t> only, totals[only], join)
        totals[only] = 0
        return
    built.start[built.n_blocks] = first
    built.pointer[built.n_blocks] = <int32_t> built.n_entries
    for label in range(n_labels):
        if totals[label]:
            built.labels[built.n_entries] = <int32_t> label
            built.counts[built.n_entries] = totals[label]
            built.n_entries += 1
            totals[label] = 0
    built.n_blocks += 1
    built.pure_label = -1


def elementary_blocks(
    const double[::1] values, const Label[::1] labels, counts, n_labels, bint join_pure_runs=True
):
    """Blocks of equal values from entries sorted by value.

    An optimal partition never cuts inside a run of values that are pure in the same class: the
    cost is concave in the number of rows moved across such a cut, so that one end of the run is
    at least as good a bound. ``join_pure_runs`` makes each such run one block.

    `counts` is an int64 array of rows per entry, or None where every entry is one row.
    """
    cdef int64_t n = values.shape[0], n_totals = n_labels
    start, pointer = np.empty(n + 1, dtype=np.int32), np.empty(n + 1, dtype=np.int32)
    block_labels, block_counts = np.empty(n, dtype=np.int32), np.empty(n, dtype=np.int64)
    totals_array = np.zeros(n_labels, dtype=np.int64)
    cdef int32_t[::1] starts = start, pointers = pointer, entry_labels = block_labels
    cdef int64_t[::1] entry_counts = block_counts, totals = totals_array
    cdef bint weighted = counts is not None
    cdef const int64_t[::1] rows = counts if weighted else totals_array
    cdef Builder built
    cdef int64_t i = 0, first
    if n:
        built = Builder(&starts[0], &pointers[0], &entry_labels[0], &entry_counts[0], 0, 0, -1)
        with nogil:
            # Entries before i are in blocks, `totals` is zero, and entry i begins a new value.
            while i < n:
                first = i
                i += 1
                # Most values of a continuous column occur once: no totals are needed.
                if i == n or not same_value(values[first], values[i]):
                    append_pure(
                        &built, <int32_t> first, <int32_t> labels[first],
                        rows[first] if weighted else 1, join_pure_runs,
                    )
                    continue
                totals[labels[first]] += rows[first] if weighted else 1
                while i < n and same_value(values[first], values[i]):
                    totals[labels[i]] += rows[i] if weighted else 1
                    i += 1
                append_tied(&built, <int32_t> first, &totals[0], n_totals, join_pure_runs)
    else:
        built = Builder(NULL, NULL, NULL, NULL, 0, 0, -1)
    start[built.n_blocks] = n
    pointer[built.n_blocks] = built.n_entries
    return Blocks(
        start[: built.n_blocks + 1], pointer[: built.n_blocks + 1],
        block_labels[: built.n_entries], block_counts[: built.n_entries], n_labels,
    )


def combined(Blocks blocks, starts):
    """Neighboring blocks as one: from each of `starts`, int64 of shape (B'+1,), to the next."""
    cdef const int64_t[::1] at = starts
    cdef int64_t n = at.shape[0] - 1, b, label, n_entries = 0, n_labels = blocks.n_labels
    pointer = np.zeros(n + 1, dtype=np.int32)
    # Blocks that are combined have no more entries than before, and at most one per label each.
    most = int(min(blocks.pointer[blocks.n_blocks], n * n_labels))
    labels, counts = np.empty(most, dtype=np.int32), np.empty(most, dtype=np.int64)
    cdef int32_t[::1] pointers = pointer, entry_labels = labels
    cdef int64_t[::1] entry_counts = counts, totals = np.zeros(n_labels, dtype=np.int64)
    cdef int32_t e
    with nogil:
        # `totals` is zero, and blocks before b are written, at the head of the loop.
        for b in range(n):
            for e in range(blocks.pointer[at[b]], blocks.pointer[at[b + 1]]):
                totals[blocks.labels[e]] += blocks.counts[e]
            for label in range(n_labels):
                if totals[label]:
                    entry_labels[n_entries] = <int32_t> label
                    entry_counts[n_entries] = totals[label]
                    totals[label] = 0
                    n_entries += 1
            pointers[b + 1] = <int32_t> n_entries
    return Blocks(
        np.asarray(starts, dtype=np.int32), pointer, labels[:n_entries], counts[:n_entries],
        n_labels,
    )

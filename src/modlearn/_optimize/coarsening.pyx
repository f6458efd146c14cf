"""Bottom-up merging in rounds: many blocks to a few that lose next to nothing.

Plain greedy merging takes the best pair, one at a time, from a heap. Here every pair that is
better than both pairs beside it merges in the same round, so that a round is one scan of memory;
a merge changes only the gains next to it, and mostly for the worse. Chunks that fit the cache
are worked down before they are joined to the next.
"""

from libc.stdint cimport int32_t, int64_t, uint64_t

import numpy as np

from modlearn._optimize.blocks cimport Blocks
from modlearn.criteria.combinatorics cimport log_factorial
from modlearn.criteria.discretization cimport map_part_cost

from modlearn._optimize.blocks import Blocks as BlocksType

cdef enum:
    CHUNK = 16384
    MOST_MERGED_AT_ONCE = 64


cdef struct Runs:
    int64_t n
    int32_t* start
    int32_t* pointer
    int32_t* classes
    int64_t* counts
    int64_t* totals  # labelled rows per run


cdef struct Scratch:
    int64_t J
    bint with_unlabeled
    int64_t* dense     # (J+1,), zero between uses
    int64_t* completed # (J,)


cdef inline uint64_t mixed(uint64_t index) noexcept nogil:
    """Bits of the index, stirred: breaks ties between equal gains without favouring a side."""
    index = (index ^ (index >> 16)) * <uint64_t> 0x9E3779B97F4A7C15
    return index ^ (index >> 29)


cdef double supervised_gain(const Runs* runs, int64_t left, int64_t J) noexcept nogil:
    """c(A) + c(B) - c(A and B) of formula 1; classes in only one of them cancel."""
    cdef int64_t n_left = runs.totals[left], n_right = runs.totals[left + 1]
    cdef int32_t i = runs.pointer[left], end_left = runs.pointer[left + 1]
    cdef int32_t k = end_left, end_right = runs.pointer[left + 2]
    cdef double gain = (
        log_factorial(n_left + J - 1) + log_factorial(n_right + J - 1)
        - log_factorial(n_left + n_right + J - 1) - log_factorial(J - 1)
    )
    while i < end_left and k < end_right:
        if runs.classes[i] < runs.classes[k]:
            i += 1
        elif runs.classes[i] > runs.classes[k]:
            k += 1
        else:
            gain += (
                log_factorial(runs.counts[i] + runs.counts[k])
                - log_factorial(runs.counts[i]) - log_factorial(runs.counts[k])
            )
            i += 1
            k += 1
    return gain


cdef double map_cost_of_runs(
    const Runs* runs, int64_t left, int64_t n_runs, Scratch* scratch
) noexcept nogil:
    """Semi-supervised cost of neighbouring runs taken as one part."""
    cdef int32_t e, first = runs.pointer[left], last = runs.pointer[left + n_runs]
    cdef int64_t i, labelled = 0
    cdef double cost
    for e in range(first, last):
        scratch.dense[runs.classes[e]] += runs.counts[e]
    for i in range(left, left + n_runs):
        labelled += runs.totals[i]
    cost = map_part_cost(
        scratch.dense, scratch.J, labelled, scratch.dense[scratch.J], scratch.completed
    )
    for e in range(first, last):
        scratch.dense[runs.classes[e]] = 0
    return cost


cdef inline double merge_gain(const Runs* runs, int64_t left, Scratch* scratch) noexcept nogil:
    """How much the part costs fall when run `left` and the next become one."""
    if not scratch.with_unlabeled:
        return supervised_gain(runs, left, scratch.J)
    return (
        map_cost_of_runs(runs, left, 1, scratch) + map_cost_of_runs(runs, left + 1, 1, scratch)
        - map_cost_of_runs(runs, left, 2, scratch)
    )


cdef inline bint beats(double gain, int64_t i, double other, int64_t k) noexcept nogil:
    return gain > other or (gain == other and mixed(i) > mixed(k))


cdef int64_t mark_local_maxima(
    const double* gains, int64_t n_pairs, double least, char* merged
) noexcept nogil:
    """Pairs worth merging that beat both neighbours; returns how many."""
    cdef int64_t i, n_marked = 0
    for i in range(n_pairs):
        merged[i] = (
            gains[i] > least
            and (i == 0 or beats(gains[i], i, gains[i - 1], i - 1))
            and (i == n_pairs - 1 or beats(gains[i], i, gains[i + 1], i + 1))
        )
        n_marked += merged[i]
    return n_marked


cdef int64_t mark_better_half(
    const double* gains, int64_t n_pairs, double least, char* merged
) noexcept nogil:
    """Every second pair among those at least as good as the mean one that is worth merging.

    Gains that rise steadily have one maximum; this keeps the number of rounds small there.
    """
    cdef int64_t i, worth = 0, n_marked = 0
    cdef double mean = 0.0
    for i in range(n_pairs):
        if gains[i] > least:
            mean += gains[i]
            worth += 1
    if worth == 0:
        return 0
    mean /= worth
    for i in range(n_pairs):
        merged[i] = gains[i] > least and gains[i] >= mean and not (i > 0 and merged[i - 1])
        n_marked += merged[i]
    return n_marked


cdef void append_run(const Runs* source, int64_t i, int64_t n_runs, Runs* target) noexcept nogil:
    """Append one run, or two as their union, to the target."""
    cdef int32_t a = source.pointer[i], end_a = source.pointer[i + 1]
    cdef int32_t b = end_a, end_b = source.pointer[i + n_runs]
    cdef int32_t at = target.pointer[target.n]
    target.start[target.n] = source.start[i]
    target.totals[target.n] = source.totals[i] + (source.totals[i + 1] if n_runs == 2 else 0)
    while a < end_a or b < end_b:
        if b == end_b or (a < end_a and source.classes[a] < source.classes[b]):
            target.classes[at] = source.classes[a]
            target.counts[at] = source.counts[a]
            a += 1
        elif a == end_a or source.classes[a] > source.classes[b]:
            target.classes[at] = source.classes[b]
            target.counts[at] = source.counts[b]
            b += 1
        else:
            target.classes[at] = source.classes[a]
            target.counts[at] = source.counts[a] + source.counts[b]
            a += 1
            b += 1
        at += 1
    target.n += 1
    target.pointer[target.n] = at


cdef void merge_marked(const Runs* source, const char* merged, Runs* target) noexcept nogil:
    cdef int64_t i = 0
    target.n = 0
    target.pointer[0] = 0
    while i < source.n:
        if i < source.n - 1 and merged[i]:
            append_run(source, i, 2, target)
            i += 2
        else:
            append_run(source, i, 1, target)
            i += 1
    target.start[target.n] = source.start[source.n]


cdef void work_down(
    Runs* runs, Runs* spare, int64_t most_runs, double prior_step,
    double* gains, char* merged, Scratch* scratch,
) noexcept nogil:
    """Rounds of merges in `runs` until `most_runs` are left or no merge lowers the cost."""
    cdef int64_t i, n_marked
    while runs.n > most_runs:
        for i in range(runs.n - 1):
            gains[i] = merge_gain(runs, i, scratch)
        n_marked = mark_local_maxima(gains, runs.n - 1, -prior_step, merged)
        if n_marked < runs.n // 16:
            n_marked = mark_better_half(gains, runs.n - 1, -prior_step, merged)
        if n_marked == 0:
            return
        merge_marked(runs, merged, spare)
        runs[0], spare[0] = spare[0], runs[0]


cdef void load_chunk(Blocks blocks, int64_t first, int64_t last, Runs* runs) noexcept nogil:
    cdef int64_t b, n = last - first
    cdef int32_t e, base = blocks.pointer[first], label
    for b in range(n):
        runs.start[b] = <int32_t> (first + b)
        runs.pointer[b] = blocks.pointer[first + b] - base
        runs.totals[b] = 0
        for e in range(blocks.pointer[first + b], blocks.pointer[first + b + 1]):
            label = blocks.classes[e]
            runs.classes[e - base] = label
            runs.counts[e - base] = blocks.counts[e]
            if label < blocks.n_classes:
                runs.totals[b] += blocks.counts[e]
    runs.start[n] = <int32_t> last
    runs.pointer[n] = blocks.pointer[last] - base
    runs.n = n


cdef class Workspace:
    """The arrays of two lists of runs and of one round, for chunks up to a given size."""

    cdef list arrays
    cdef Runs runs, spare
    cdef double[::1] gains
    cdef char[::1] merged
    cdef int64_t[::1] dense, completed
    cdef Scratch scratch

    def __cinit__(self, Blocks blocks, n_runs, n_entries):
        self.arrays = []
        self.allocate(&self.runs, n_runs, n_entries)
        self.allocate(&self.spare, n_runs, n_entries)
        self.gains, self.merged = np.empty(n_runs), np.empty(n_runs, dtype=np.int8)
        self.dense = np.zeros(blocks.n_classes + 1, dtype=np.int64)
        self.completed = np.zeros(blocks.n_classes + 1, dtype=np.int64)
        self.scratch = Scratch(
            blocks.n_classes, blocks.with_unlabeled, &self.dense[0], &self.completed[0]
        )

    cdef void allocate(self, Runs* runs, n_runs, n_entries):
        cdef int32_t[::1] start = np.empty(n_runs + 1, dtype=np.int32)
        cdef int32_t[::1] pointer = np.empty(n_runs + 1, dtype=np.int32)
        cdef int32_t[::1] classes = np.empty(n_entries + 1, dtype=np.int32)
        cdef int64_t[::1] counts = np.empty(n_entries + 1, dtype=np.int64)
        cdef int64_t[::1] totals = np.empty(n_runs + 1, dtype=np.int64)
        self.arrays += [start, pointer, classes, counts, totals]
        runs.n = 0
        runs.start, runs.pointer, runs.classes = &start[0], &pointer[0], &classes[0]
        runs.counts, runs.totals = &counts[0], &totals[0]


def merge_in_rounds(Blocks blocks, int64_t most_blocks, double prior_step):
    """Fewer blocks, at most 64 of the given ones in each, and no merge that raises the cost.

    `prior_step` is what the prior saves per merge. Starts of the result count given blocks.
    """
    cdef int64_t n = blocks.n_blocks, first, last, goal, i, longest, n_out = 0, n_entries = 0
    cdef int64_t factor = min(MOST_MERGED_AT_ONCE, max(1, n // most_blocks))
    edges = list(range(0, n, CHUNK)) + [n]
    pointer = np.asarray(blocks.pointer_view)
    longest = int(np.diff(pointer[edges]).max())
    cdef Workspace work = Workspace(blocks, min(n, CHUNK), longest)
    cdef const int32_t[::1] out
    starts, pointers, classes, counts = [], [], [], []
    for first, last in zip(edges[:-1], edges[1:]):
        goal = most_blocks if n <= CHUNK else max(1, (last - first) // factor)
        with nogil:
            load_chunk(blocks, first, last, &work.runs)
            work_down(
                &work.runs, &work.spare, goal, prior_step, &work.gains[0], &work.merged[0],
                &work.scratch,
            )
        n_out = work.runs.n
        starts.append(np.array(<int32_t[:n_out]> work.runs.start))
        pointers.append(np.array(<int32_t[:n_out]> work.runs.pointer) + np.int32(n_entries))
        longest = work.runs.pointer[n_out]
        classes.append(np.array(<int32_t[:longest]> work.runs.classes))
        counts.append(np.array(<int64_t[:longest]> work.runs.counts))
        n_entries += longest
    starts.append(np.array([n], dtype=np.int32))
    pointers.append(np.array([n_entries], dtype=np.int32))
    return BlocksType(
        np.concatenate(starts), np.concatenate(pointers), np.concatenate(classes),
        np.concatenate(counts), blocks.n_classes, blocks.with_unlabeled,
    )

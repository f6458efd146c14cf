"""Plain greedy merging: always the neighbouring pair whose merge lowers the cost most."""

from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy

import numpy as np

from modlearn._optimize.blocks cimport Blocks
from modlearn._optimize.gains cimport Entries, Scratch, merge_gain, write_union


cdef struct Pair:
    double gain
    int32_t left   # its left run
    int32_t stamp  # of the pair; an older one has been overtaken by a merge


cdef inline bint above(const Pair* a, const Pair* b) noexcept nogil:
    """Larger gains first, of equal ones the leftmost."""
    return a.gain > b.gain or (a.gain == b.gain and a.left < b.left)


cdef class Heap:
    """Pairs by decreasing gain."""

    cdef int64_t n
    cdef Pair[::1] pairs

    def __cinit__(self, capacity):
        self.pairs = np.empty(
            capacity, dtype=[("gain", np.float64), ("left", np.int32), ("stamp", np.int32)]
        )

    cdef void push(self, Pair pair) noexcept nogil:
        cdef int64_t i = self.n, parent
        self.n += 1
        while i > 0:
            parent = (i - 1) // 2
            if not above(&pair, &self.pairs[parent]):
                break
            self.pairs[i] = self.pairs[parent]
            i = parent
        self.pairs[i] = pair

    cdef Pair pop(self) noexcept nogil:
        cdef Pair top = self.pairs[0], last
        cdef int64_t i = 0, child
        self.n -= 1
        last = self.pairs[self.n]
        while True:
            child = 2 * i + 1
            if child >= self.n:
                break
            if child + 1 < self.n and above(&self.pairs[child + 1], &self.pairs[child]):
                child += 1
            if not above(&self.pairs[child], &last):
                break
            self.pairs[i] = self.pairs[child]
            i = child
        self.pairs[i] = last
        return top


cdef class Chain:
    """Runs of blocks, each linked to the next; the entries of a run lie where its blocks lay."""

    cdef int64_t n
    cdef int32_t[::1] first, length, following, preceding, stamps
    cdef int64_t[::1] labelled
    cdef int32_t[::1] classes
    cdef int64_t[::1] counts
    cdef int64_t[:, ::1] memory
    cdef int32_t[::1] held_classes
    cdef int64_t[::1] held_counts
    cdef Scratch scratch
    cdef Heap heap

    def __cinit__(self, Blocks blocks):
        pointer = np.asarray(blocks.pointer_view)
        cdef int64_t n = blocks.n_blocks, J = blocks.n_classes, i
        cdef int32_t e
        self.n = n
        self.first, self.length = pointer[:-1].copy(), np.diff(pointer)
        self.following = np.arange(1, n + 1, dtype=np.int32)
        self.preceding = np.arange(-1, n - 1, dtype=np.int32)
        self.stamps, self.labelled = np.zeros(n, dtype=np.int32), np.zeros(n, dtype=np.int64)
        self.classes, self.counts = blocks.class_view, blocks.count_view
        self.memory = np.zeros((2, J + 1), dtype=np.int64)
        self.held_classes = np.zeros(J + 1, dtype=np.int32)
        self.held_counts = np.zeros(J + 1, dtype=np.int64)
        self.scratch = Scratch(
            blocks.cell_size, blocks.cell_size == J, blocks.with_unlabeled,
            &self.memory[0, 0], &self.memory[1, 0],
        )
        self.heap = Heap(3 * n + 1)
        for i in range(n):
            for e in range(self.first[i], self.first[i] + self.length[i]):
                if self.classes[e] < J:
                    self.labelled[i] += self.counts[e]

    cdef inline Entries entries(self, int32_t run) noexcept nogil:
        return Entries(
            self.length[run], &self.classes[self.first[run]], &self.counts[self.first[run]],
            self.labelled[run],
        )

    cdef void offer(self, int32_t left) noexcept nogil:
        """Put the pair of a run and the next on the heap."""
        cdef Entries a, b
        self.stamps[left] += 1
        if self.following[left] < self.stamps.shape[0]:
            a, b = self.entries(left), self.entries(self.following[left])
            self.heap.push(Pair(merge_gain(&a, &b, &self.scratch), left, self.stamps[left]))

    cdef void absorb_next(self, int32_t left) noexcept nogil:
        """The run after `left` becomes part of it."""
        cdef int32_t right = self.following[left]
        cdef Entries a = self.entries(left), b = self.entries(right)
        memcpy(&self.held_classes[0], a.classes, a.n * sizeof(int32_t))
        memcpy(&self.held_counts[0], a.counts, a.n * sizeof(int64_t))
        a.classes, a.counts = &self.held_classes[0], &self.held_counts[0]
        self.length[left] = write_union(
            &a, &b, &self.classes[self.first[left]], &self.counts[self.first[left]]
        )
        self.labelled[left] += self.labelled[right]
        self.stamps[right] = -1
        self.following[left] = self.following[right]
        if self.following[left] < self.stamps.shape[0]:
            self.preceding[self.following[left]] = left
        self.n -= 1

    cdef bint merge_best(self, double least) noexcept nogil:
        """Merge the best pair; False if it gains less than `least`."""
        cdef Pair best
        while self.heap.n:
            best = self.heap.pop()
            if self.stamps[best.left] != best.stamp:
                continue
            if best.gain <= least:
                self.heap.push(best)
                return False
            self.absorb_next(best.left)
            self.offer(best.left)
            if self.preceding[best.left] >= 0:
                self.offer(self.preceding[best.left])
            return True
        return False

    cdef void offer_all(self) noexcept nogil:
        cdef int32_t i
        for i in range(<int32_t> self.n):
            self.offer(i)

    cdef void work_down(self, int64_t most_runs, double prior_step) noexcept nogil:
        """Merge until `most_runs` are left or no merge lowers the cost."""
        while self.n > most_runs and self.merge_best(-prior_step):
            pass

    def starts(self):
        """Where the runs begin, and the end: int64."""
        starts, i = [], 0
        while i < self.stamps.shape[0]:
            starts.append(i)
            i = self.following[i]
        return np.array([*starts, i], dtype=np.int64)


def merge_greedily(Blocks blocks, int64_t most_blocks, prior_step):
    """Merge down to `most_blocks`, the best pair first, while that lowers the cost.

    `prior_step(I)` is what the prior saves when I parts become one less; it grows as parts
    become fewer and is asked for again whenever their number has halved, or merging stops.
    Uses the blocks up; returns where those that are left begin, and the end, in given blocks:
    int64.
    """
    cdef Chain chain = Chain(blocks)
    cdef int64_t goal, before = -1
    cdef double step
    with nogil:
        chain.offer_all()
    while chain.n > most_blocks and chain.n != before:
        before, goal, step = chain.n, max(most_blocks, chain.n // 2), prior_step(chain.n)
        with nogil:
            chain.work_down(goal, step)
    return chain.starts()

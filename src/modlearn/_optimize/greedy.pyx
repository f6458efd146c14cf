"""Plain greedy merging: always the neighbouring pair whose merge lowers the cost most."""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t
from libc.string cimport memcpy

import numpy as np

from modlearn._optimize.blocks cimport Blocks
from modlearn._optimize.gains cimport Entries, Scratch, merge_gain, write_union


cdef enum:
    BRANCHES = 16  # of a node; 2 ** SHIFT
    SHIFT = 4
    MOST_LEVELS = 9


cdef inline double larger(double a, double b) noexcept nogil:
    return a if a > b else b


cdef inline double largest(const double* v) noexcept nogil:
    """Of one node: four at a time, as each comparison has to wait for the one before."""
    cdef double a = v[0], b = v[1], c = v[2], d = v[3]
    cdef int i
    for i in range(4, BRANCHES, 4):
        a, b, c, d = larger(a, v[i]), larger(b, v[i + 1]), larger(c, v[i + 2]), larger(d, v[i + 3])
    return larger(larger(a, b), larger(c, d))


cdef class Tournament:
    """Numbers by place, and the place of the largest, the leftmost of equal ones.

    A tree of maxima: a change climbs only as far as it matters.
    """

    cdef int64_t n
    cdef int n_levels
    cdef double* levels[MOST_LEVELS]
    cdef list memory

    def __cinit__(self, int64_t n):
        cdef double[::1] level
        self.n, self.n_levels, self.memory = n, 0, []
        while self.n_levels == 0 or n > 1:
            n = (n + BRANCHES - 1) >> SHIFT
            # Whole nodes: what is beyond the end never wins.
            level = np.full(n << SHIFT, -np.inf)
            self.memory.append(level)
            self.levels[self.n_levels] = &level[0]
            self.n_levels += 1

    cdef void fill_nodes(self) noexcept nogil:
        """All maxima, from numbers that were written into the first level."""
        cdef int64_t k, n = self.n
        cdef int level
        for level in range(1, self.n_levels):
            n = (n + BRANCHES - 1) >> SHIFT
            for k in range(n):
                self.levels[level][k] = largest(self.levels[level - 1] + (k << SHIFT))

    cdef void put(self, int64_t place, double number) noexcept nogil:
        cdef int level
        cdef double most
        self.levels[0][place] = number
        for level in range(1, self.n_levels):
            place >>= SHIFT
            most = largest(self.levels[level - 1] + (place << SHIFT))
            if most == self.levels[level][place]:
                return
            self.levels[level][place] = most

    cdef int64_t best(self) noexcept nogil:
        """Place of the largest number."""
        cdef int level = self.n_levels - 1
        cdef int64_t place = 0
        cdef double most = largest(self.levels[level])
        while level >= 0:
            place <<= SHIFT
            while self.levels[level][place] != most:
                place += 1
            level -= 1
        return place


cdef class Chain:
    """Runs of blocks, each linked to the next; the entries of a run lie where its blocks lay."""

    cdef int64_t n
    cdef int32_t[::1] first, length, following, preceding
    cdef int64_t[::1] labelled
    cdef int32_t[::1] classes
    cdef int64_t[::1] counts
    cdef int64_t[:, ::1] memory
    cdef int32_t[::1] held_classes
    cdef int64_t[::1] held_counts
    cdef Scratch scratch
    cdef Tournament gains  # of merging a run with the next, at the place of its first block

    def __cinit__(self, Blocks blocks):
        pointer = np.asarray(blocks.pointer_view)
        cdef int64_t n = blocks.n_blocks, J = blocks.n_classes, i
        cdef int32_t e
        self.n = n
        self.first, self.length = pointer[:-1].copy(), np.diff(pointer)
        self.following = np.arange(1, n + 1, dtype=np.int32)
        self.preceding = np.arange(-1, n - 1, dtype=np.int32)
        self.labelled = np.zeros(n, dtype=np.int64)
        self.classes, self.counts = blocks.class_view, blocks.count_view
        self.memory = np.zeros((2, J + 1), dtype=np.int64)
        self.held_classes = np.zeros(J + 1, dtype=np.int32)
        self.held_counts = np.zeros(J + 1, dtype=np.int64)
        self.scratch = Scratch(
            blocks.cell_size, blocks.cell_size == J, blocks.with_unlabeled,
            &self.memory[0, 0], &self.memory[1, 0],
        )
        self.gains = Tournament(n)
        for i in range(n):
            for e in range(self.first[i], self.first[i] + self.length[i]):
                if self.classes[e] < J:
                    self.labelled[i] += self.counts[e]

    cdef inline Entries entries(self, int32_t run) noexcept nogil:
        return Entries(
            self.length[run], &self.classes[self.first[run]], &self.counts[self.first[run]],
            self.labelled[run],
        )

    cdef double gain(self, int32_t left) noexcept nogil:
        """Of merging a run with the next."""
        cdef Entries a, b
        if self.following[left] == self.first.shape[0]:
            return -INFINITY
        a, b = self.entries(left), self.entries(self.following[left])
        return merge_gain(&a, &b, &self.scratch)

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
        self.following[left] = self.following[right]
        if self.following[left] < self.first.shape[0]:
            self.preceding[self.following[left]] = left
        self.n -= 1

    cdef bint merge_best(self, double least) noexcept nogil:
        """Merge the best pair; False if it gains less than `least`."""
        cdef int32_t left = <int32_t> self.gains.best(), right = self.following[left]
        if self.gains.levels[0][left] <= least:
            return False
        self.absorb_next(left)
        self.gains.put(right, -INFINITY)
        self.gains.put(left, self.gain(left))
        if self.preceding[left] >= 0:
            self.gains.put(self.preceding[left], self.gain(self.preceding[left]))
        return True

    cdef void find_gains(self) noexcept nogil:
        cdef int32_t i
        for i in range(<int32_t> self.n):
            self.gains.levels[0][i] = self.gain(i)
        self.gains.fill_nodes()

    cdef void work_down(self, int64_t most_runs, double prior_step) noexcept nogil:
        """Merge until `most_runs` are left or no merge lowers the cost."""
        while self.n > most_runs and self.merge_best(-prior_step):
            pass

    def starts(self):
        """Where the runs begin, and the end: int64."""
        starts, i = [], 0
        while i < self.first.shape[0]:
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
        chain.find_gains()
    while chain.n > most_blocks and chain.n != before:
        before, goal, step = chain.n, max(most_blocks, chain.n // 2), prior_step(chain.n)
        with nogil:
            chain.work_down(goal, step)
    return chain.starts()

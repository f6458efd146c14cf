"""Plain greedy merging: always the neighboring pair whose merge lowers the cost most."""

cimport cython
from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memcpy

import numpy as np

from modlearn._search.blocks cimport Blocks
from modlearn._search.gains cimport (
    Counts, Entries, Scratch, gain_of_counts, lowest_bit, merge_gain, write_union,
)


cdef enum:
    BRANCHES = 16  # of a node; 2 ** SHIFT
    SHIFT = 4
    MOST_LEVELS = 9
    PLACE_BITS = 24
    MOST_COUNTED = 64  # with no more classes a run has a count for each,
    MOST_COUNTS = 1 << 23  # unless there are more of them than this

cdef double NO_PAIR = -1e300


cdef inline double larger(double a, double b) noexcept nogil:
    return a if a > b else b


cdef inline double largest(const double* v) noexcept nogil:
    """Of one node: four lanes, which the compiler turns into two pairs."""
    cdef double lane[4]
    cdef int i, k
    for i in range(4):
        lane[i] = v[i]
    for k in range(1, BRANCHES // 4):
        for i in range(4):
            lane[i] = larger(lane[i], v[4 * k + i])
    return larger(larger(lane[0], lane[1]), larger(lane[2], lane[3]))


cdef union Number:
    double value
    uint64_t bits


@cython.final
cdef class Tournament:
    """Numbers by place, and the largest with its place, the leftmost of equal ones.

    A tree of maxima. The last bits of a number are its place, so that the largest needs not be
    looked for. Numbers that agree in the first 28 of 52 bits count as equal, however many places
    there are (up to 2**24; in fewer bits if there are more).
    """

    cdef int n_levels
    cdef uint64_t place_bits
    cdef double* levels[MOST_LEVELS]
    cdef list memory

    def __cinit__(self, int64_t n):
        cdef double[::1] level
        self.n_levels, self.memory = 0, []
        self.place_bits = (<uint64_t> 1 << max(PLACE_BITS, int(n).bit_length())) - 1
        while self.n_levels == 0 or n > 1:
            n = (n + BRANCHES - 1) >> SHIFT
            # Whole nodes: what is beyond the end never wins.
            level = np.full(n << SHIFT, NO_PAIR)
            self.memory.append(level)
            self.levels[self.n_levels] = &level[0]
            self.n_levels += 1

    cdef inline uint64_t code(self, uint64_t bits, uint64_t place) noexcept nogil:
        """The place as last bits, or back: of two numbers the left one must come out larger."""
        return place if bits >> 63 else place ^ self.place_bits

    cdef inline void write(self, int64_t place, double number) noexcept nogil:
        """Put a number in its place; the nodes above are mended or filled afterwards."""
        cdef Number n
        n.value = number
        n.bits = (n.bits & ~self.place_bits) | self.code(n.bits, <uint64_t> place)
        self.levels[0][place] = n.value

    cdef inline double rounded(self, double number) noexcept nogil:
        """A number without its last bits: equal ones, and theirs with a place, become the same."""
        cdef Number n
        n.value = number
        n.bits &= ~self.place_bits
        return n.value

    cdef inline double largest(self, int64_t* place) noexcept nogil:
        """The largest number, rounded, and its place."""
        cdef Number n
        n.value = largest(self.levels[self.n_levels - 1])
        place[0] = <int64_t> self.code(n.bits, n.bits & self.place_bits)
        return self.rounded(n.value)

    cdef inline void fill_node(self, int level, int64_t node) noexcept nogil:
        self.levels[level][node] = largest(self.levels[level - 1] + (node << SHIFT))

    cdef void fill(self, int64_t n) noexcept nogil:
        """All nodes above n places."""
        cdef int64_t node
        cdef int level
        for level in range(1, self.n_levels):
            n = (n + BRANCHES - 1) >> SHIFT
            for node in range(n):
                self.fill_node(level, node)

    cdef inline void mend(self, int64_t a, int64_t b, int64_t c) noexcept nogil:
        """The nodes above three places, mostly the same ones."""
        cdef int level
        for level in range(1, self.n_levels):
            a, b, c = a >> SHIFT, b >> SHIFT, c >> SHIFT
            self.fill_node(level, b)
            if a != b:
                self.fill_node(level, a)
            if c != b:
                self.fill_node(level, c)


cdef inline uint64_t hashed(uint64_t left, uint64_t right) noexcept nogil:
    """One number for two in this order."""
    left = (left ^ (left >> 31)) * <uint64_t> 0x9E3779B97F4A7C15
    return (left + right) * <uint64_t> 0xBF58476D1CE4E5B9


@cython.final
cdef class Chain:
    """Runs of blocks, each linked to the next, at the place of its first block.

    A run has a count for every class where classes are few, or else the entries of its blocks
    added up, where those of the first lay.
    """

    cdef int64_t n, n_places, first_block
    cdef int64_t n_classes
    cdef bint counted
    cdef int32_t[::1] following, preceding
    cdef uint64_t[::1] history  # hash of the blocks of a run and the order of their merges
    cdef int32_t[::1] table     # (n * J,) rows of every class
    cdef uint64_t[::1] occurring
    cdef int32_t[::1] first, length, classes
    cdef int64_t[::1] labeled, counts
    cdef int64_t[:, ::1] memory
    cdef int32_t[::1] held_classes
    cdef int64_t[::1] held_counts
    cdef Scratch scratch
    cdef Tournament gains  # of merging a run with the next
    cdef double lowest     # gain of a merge so far

    def __cinit__(self, Blocks blocks, int64_t first, int64_t last):
        cdef int64_t n = last - first, i
        self.n, self.n_places, self.first_block = n, n, first
        self.n_classes, self.lowest = blocks.n_classes, INFINITY
        self.following = np.arange(1, n + 1, dtype=np.int32)
        self.preceding = np.arange(-1, n - 1, dtype=np.int32)
        self.history = np.empty(n, dtype=np.uint64)
        self.gains = Tournament(n)
        self.counted = (
            blocks.cell_size == blocks.n_classes <= MOST_COUNTED and not blocks.with_unlabeled
            and n * blocks.n_classes <= MOST_COUNTS
        )
        if self.counted:
            self.take_counts(blocks)
            self.counted = np.sum(self.labeled) < 2**31
        if not self.counted:
            self.take_entries(blocks)
        with nogil:
            for i in range(n):
                self.history[i] = hashed(<uint64_t> (first + i), 0)
                self.gains.write(i, self.gain(<int32_t> i))
            self.gains.fill(n)

    cdef take_counts(self, Blocks blocks):
        cdef int64_t J = self.n_classes, i, b
        cdef int32_t e
        self.table = np.zeros(self.n * J, dtype=np.int32)
        self.occurring = np.zeros(self.n, dtype=np.uint64)
        self.labeled = np.zeros(self.n, dtype=np.int64)
        with nogil:
            for i in range(self.n):
                b = self.first_block + i
                for e in range(blocks.pointer[b], blocks.pointer[b + 1]):
                    self.table[i * J + blocks.classes[e]] = <int32_t> blocks.counts[e]
                    self.occurring[i] |= <uint64_t> 1 << blocks.classes[e]
                    self.labeled[i] += blocks.counts[e]

    cdef take_entries(self, Blocks blocks):
        cdef int64_t J = self.n_classes, n = self.n, i
        cdef int32_t e
        pointer = np.asarray(blocks.pointer_view)[self.first_block : self.first_block + n + 1]
        of_stretch = slice(pointer[0], pointer[n])
        self.classes = np.asarray(blocks.class_view)[of_stretch].copy()
        self.counts = np.asarray(blocks.count_view)[of_stretch].copy()
        self.first, self.length = pointer[:n] - pointer[0], np.diff(pointer)
        self.labeled = np.zeros(n, dtype=np.int64)
        self.memory = np.zeros((2, J + 1), dtype=np.int64)
        self.held_classes = np.zeros(J + 1, dtype=np.int32)
        self.held_counts = np.zeros(J + 1, dtype=np.int64)
        self.scratch = Scratch(
            blocks.cell_size, blocks.cell_size == J, blocks.with_unlabeled,
            &self.memory[0, 0], &self.memory[1, 0],
        )
        with nogil:
            for i in range(n):
                for e in range(self.first[i], self.first[i] + self.length[i]):
                    if self.classes[e] < J:
                        self.labeled[i] += self.counts[e]

    cdef inline Counts of_classes(self, int32_t run) noexcept nogil:
        return Counts(
            &self.table[run * self.n_classes], self.occurring[run], self.labeled[run]
        )

    cdef inline Entries entries(self, int32_t run) noexcept nogil:
        return Entries(
            self.length[run], &self.classes[self.first[run]], &self.counts[self.first[run]],
            self.labeled[run],
        )

    cdef double gain(self, int32_t left) noexcept nogil:
        """Of merging a run with the next."""
        cdef Entries a, b
        cdef Counts of_left, of_right
        cdef int32_t right = self.following[left]
        if right == self.n_places:
            return NO_PAIR
        if self.counted:
            of_left, of_right = self.of_classes(left), self.of_classes(right)
            return gain_of_counts(&of_left, &of_right, self.n_classes)
        a, b = self.entries(left), self.entries(right)
        return merge_gain(&a, &b, &self.scratch)

    cdef void add_counts(self, int32_t left, int32_t right) noexcept nogil:
        cdef Counts a = self.of_classes(left), b = self.of_classes(right)
        cdef int j
        self.occurring[left] |= b.occurring
        if self.n_classes == 2:
            # As in `gain_of_counts`.
            a.of_class[0] += b.of_class[0]
            a.of_class[1] += b.of_class[1]
            return
        while b.occurring:
            j = lowest_bit(b.occurring)
            a.of_class[j] += b.of_class[j]
            b.occurring &= b.occurring - 1

    cdef void add_entries(self, int32_t left, int32_t right) noexcept nogil:
        cdef Entries a = self.entries(left), b = self.entries(right)
        memcpy(&self.held_classes[0], a.classes, a.n * sizeof(int32_t))
        memcpy(&self.held_counts[0], a.counts, a.n * sizeof(int64_t))
        a.classes, a.counts = &self.held_classes[0], &self.held_counts[0]
        self.length[left] = write_union(
            &a, &b, &self.classes[self.first[left]], &self.counts[self.first[left]]
        )

    cdef void absorb_next(self, int32_t left) noexcept nogil:
        """The run after `left` becomes part of it."""
        cdef int32_t right = self.following[left], before = self.preceding[left]
        if self.counted:
            self.add_counts(left, right)
        else:
            self.add_entries(left, right)
        self.labeled[left] += self.labeled[right]
        self.history[left] = hashed(self.history[left], self.history[right])
        self.following[left] = self.following[right]
        if self.following[left] < self.n_places:
            self.preceding[self.following[left]] = left
        self.gains.write(right, NO_PAIR)
        self.gains.write(left, self.gain(left))
        if before < 0:
            before = left
        else:
            self.gains.write(before, self.gain(before))
        self.gains.mend(before, left, right)
        self.n -= 1

    cdef void work_down(self, int64_t most_runs, double least) noexcept nogil:
        """Merge until `most_runs` are left or no merge gains more than `least`."""
        cdef double gain
        cdef int64_t left = 0
        least = self.gains.rounded(least)
        while self.n > max(most_runs, 1):
            gain = self.gains.largest(&left)
            if gain <= least:
                return
            self.lowest = min(self.lowest, gain)
            self.absorb_next(<int32_t> left)

    cdef places(self):
        """Of the runs, and the end: int64."""
        cdef int64_t i = 0, k = 0
        places = np.empty(self.n + 1, dtype=np.int64)
        cdef int64_t[::1] result = places
        with nogil:
            while i < self.n_places:
                result[k] = i
                i, k = self.following[i], k + 1
            result[k] = i
        return places


def merge_greedily(Blocks blocks, goals):
    """Merge, the best pair first, to one goal after the other.

    A goal is a number of blocks, fewer than that of the goal before, and a gain: merging stops
    with so many blocks, or where no merge gains more. Returns for each goal where the blocks
    that are left begin, and the end, in given blocks: int64.
    """
    cdef Chain chain = Chain(blocks, 0, blocks.n_blocks)
    cdef int64_t most
    cdef double least
    found = []
    for most, least in goals:
        with nogil:
            chain.work_down(most, least)
        found.append(chain.places())
    return found


def merge_stretch(Blocks blocks, int64_t first, int64_t last, double least, int64_t most_blocks):
    """Merge the blocks from `first` to before `last` alone, the best pair first.

    While a merge gains more than `least` and more than `most_blocks` are left. Returns where
    those that are left begin, and the end; for each a hash of its blocks and the order of their
    merges; and the least gain of a merge.
    """
    cdef Chain chain = Chain(blocks, first, last)
    with nogil:
        chain.work_down(most_blocks, least)
    places = chain.places()
    return places + first, np.asarray(chain.history)[places[: chain.n]], chain.lowest

"""Plain greedy merging: always the neighboring pair whose merge lowers the cost most."""

cimport cython
from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t, uint64_t
from libc.string cimport memcpy

import numpy as np

from modlearn._search.blocks cimport Blocks, write_union
from modlearn.criteria.part_cost cimport DenseParts, Part, PartCost, lowest_bit


cdef enum:
    BRANCHES = 16  # of a node; 2 ** SHIFT
    SHIFT = 4
    MOST_LEVELS = 9
    POSITION_BITS = 24
    MOST_COUNTS = 1 << 23  # of all runs together: beyond, a run has entries instead of counts

cdef double NO_PAIR = -1e300


cdef inline double larger(double a, double b) noexcept nogil:
    return a if a > b else b


cdef inline double largest(const double* v) noexcept nogil:
    """Of one node: four lanes, which the compiler turns into two pairs."""
    cdef double lane[4]
    cdef int i, k
    for i in range(4):
        lane[i] = v[i]
    # lane[i] is the largest of every fourth number from the i-th, among the first 4 k.
    for k in range(1, BRANCHES // 4):
        for i in range(4):
            lane[i] = larger(lane[i], v[4 * k + i])
    return larger(larger(lane[0], lane[1]), larger(lane[2], lane[3]))


cdef union Number:
    double value
    uint64_t bits


@cython.final
cdef class Tournament:
    """Numbers by position, and the largest with its position, the leftmost of equal ones.

    A tree of maxima: a node at one level is the largest of its BRANCHES children one level below.
    The last bits of a number are its position, so that the largest need not be looked for. Numbers
    that agree in the first 28 of 52 bits count as equal, however many positions there are (up to
    2**24; in fewer bits if there are more).
    """

    cdef int n_levels
    cdef uint64_t position_bits
    cdef double* levels[MOST_LEVELS]
    cdef list memory

    def __cinit__(self, int64_t n):
        cdef double[::1] level
        self.n_levels, self.memory = 0, []
        self.position_bits = (<uint64_t> 1 << max(POSITION_BITS, int(n).bit_length())) - 1
        # The level before this one has n nodes; the last level is a single node.
        while self.n_levels == 0 or n > 1:
            n = (n + BRANCHES - 1) >> SHIFT
            # Whole nodes: what is beyond the end never wins.
            level = np.full(n << SHIFT, NO_PAIR)
            self.memory.append(level)
            self.levels[self.n_levels] = &level[0]
            self.n_levels += 1

    cdef inline uint64_t code(self, uint64_t bits, uint64_t position) noexcept nogil:
        """The position as last bits, or back: of equal numbers the left one must come out larger.

        More bits make a positive number larger and a negative one smaller.
        """
        return position if bits >> 63 else position ^ self.position_bits

    cdef inline void write(self, int64_t position, double number) noexcept nogil:
        """Put a number at its position; the nodes above are updated or filled afterwards."""
        cdef Number n
        n.value = number
        n.bits = (n.bits & ~self.position_bits) | self.code(n.bits, <uint64_t> position)
        self.levels[0][position] = n.value

    cdef inline double rounded(self, double number) noexcept nogil:
        """A number without its last bits, with which numbers that count as equal are the same."""
        cdef Number n
        n.value = number
        n.bits &= ~self.position_bits
        return n.value

    cdef inline double largest(self, int64_t* position) noexcept nogil:
        """The largest number, rounded, and its position."""
        cdef Number n
        n.value = largest(self.levels[self.n_levels - 1])
        position[0] = <int64_t> self.code(n.bits, n.bits & self.position_bits)
        return self.rounded(n.value)

    cdef inline void fill_node(self, int level, int64_t node) noexcept nogil:
        self.levels[level][node] = largest(self.levels[level - 1] + (node << SHIFT))

    cdef void fill(self, int64_t n) noexcept nogil:
        """All nodes above n positions."""
        cdef int64_t node
        cdef int level
        # The levels below `level` are filled.
        for level in range(1, self.n_levels):
            n = (n + BRANCHES - 1) >> SHIFT
            for node in range(n):
                self.fill_node(level, node)

    cdef inline void update(self, int64_t a, int64_t b, int64_t c) noexcept nogil:
        """The nodes above three positions, mostly the same ones."""
        cdef int level
        # a, b and c are the nodes at this level above the three; all other nodes hold.
        for level in range(1, self.n_levels):
            a, b, c = a >> SHIFT, b >> SHIFT, c >> SHIFT
            self.fill_node(level, b)
            # A few levels up, neighboring positions are below the same node, filled once.
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
    """Runs of blocks, each linked to the next, known by the position of its first block.

    A run has a count for every label where the cost asks for that, or else the entries of its
    blocks added up, where those of the first lay.
    """

    cdef int64_t n, n_positions, first_block
    cdef int64_t n_labels
    cdef bint dense
    cdef PartCost cost
    cdef int32_t[::1] following, preceding
    cdef uint64_t[::1] history  # hash of the blocks of a run and the order of their merges
    cdef int32_t[::1] table     # (n * n_labels,) rows of every label
    cdef uint64_t[::1] occurring
    cdef DenseParts parts       # the last two, and `rows`
    cdef int32_t[::1] first, length, labels
    cdef int64_t[::1] rows, counts
    cdef int32_t[::1] held_labels
    cdef int64_t[::1] held_counts
    cdef Tournament gains  # of merging a run with the next
    cdef double lowest     # gain of a merge so far

    def __cinit__(self, Blocks blocks, PartCost cost, int64_t first, int64_t last):
        cdef int64_t n = last - first, i
        blocks.sequence_for(cost)
        self.n, self.n_positions, self.first_block = n, n, first
        self.n_labels, self.cost, self.lowest = blocks.n_labels, cost, INFINITY
        self.following = np.arange(1, n + 1, dtype=np.int32)
        self.preceding = np.arange(-1, n - 1, dtype=np.int32)
        self.history = np.empty(n, dtype=np.uint64)
        self.gains = Tournament(n)
        self.dense = self.n_labels <= cost.most_dense_labels and n * self.n_labels <= MOST_COUNTS
        if self.dense:
            self.take_counts(blocks)
            # Counts have 32 bits and must hold all rows: a run may absorb the whole segment.
            self.dense = np.sum(self.rows) < 2**31
        if not self.dense:
            self.take_entries(blocks)
        with nogil:
            # Every block is a run of its own, and meets the next one.
            for i in range(n):
                self.history[i] = hashed(<uint64_t> (first + i), 0)
                self.gains.write(i, self.gain(<int32_t> i))
            self.gains.fill(n)

    cdef take_counts(self, Blocks blocks):
        cdef int64_t J = self.n_labels, i, b
        cdef int32_t e
        self.table = np.zeros(self.n * J, dtype=np.int32)
        self.occurring = np.zeros(self.n, dtype=np.uint64)
        self.rows = np.zeros(self.n, dtype=np.int64)
        with nogil:
            # Runs before i have their counts, and a bit for every label that occurs in them.
            for i in range(self.n):
                b = self.first_block + i
                for e in range(blocks.pointer[b], blocks.pointer[b + 1]):
                    self.table[i * J + blocks.labels[e]] = <int32_t> blocks.counts[e]
                    self.occurring[i] |= <uint64_t> 1 << blocks.labels[e]
                    self.rows[i] += blocks.counts[e]
        self.parts = DenseParts(&self.table[0], &self.occurring[0], &self.rows[0])

    cdef take_entries(self, Blocks blocks):
        cdef int64_t n = self.n, i
        cdef int32_t e
        pointer = np.asarray(blocks.pointer_view)[self.first_block : self.first_block + n + 1]
        of_segment = slice(pointer[0], pointer[n])
        self.labels = np.asarray(blocks.label_view)[of_segment].copy()
        self.counts = np.asarray(blocks.count_view)[of_segment].copy()
        self.first, self.length = pointer[:n] - pointer[0], np.diff(pointer)
        self.rows = np.zeros(n, dtype=np.int64)
        self.held_labels = np.zeros(self.n_labels, dtype=np.int32)
        self.held_counts = np.zeros(self.n_labels, dtype=np.int64)
        with nogil:
            # rows[i] is complete for runs before i: the entries of a run follow each other.
            for i in range(n):
                for e in range(self.first[i], self.first[i] + self.length[i]):
                    self.rows[i] += self.counts[e]

    cdef inline Part part(self, int32_t run) noexcept nogil:
        return Part(
            self.length[run], &self.labels[self.first[run]], &self.counts[self.first[run]],
            self.rows[run],
        )

    cdef inline double gain(self, int32_t left) noexcept nogil:
        """Of merging a run with the next."""
        cdef Part a, b
        cdef int32_t right = self.following[left]
        # The last run has no next one; all others have a gain, which may be negative.
        if right == self.n_positions:
            return NO_PAIR
        if self.dense:
            return self.cost.dense_gain(&self.parts, left, right)
        a, b = self.part(left), self.part(right)
        return self.cost.gain(&a, &b)

    cdef void add_counts(self, int32_t left, int32_t right) noexcept nogil:
        cdef int32_t* sums = &self.table[left * self.n_labels]
        cdef const int32_t* added = &self.table[right * self.n_labels]
        cdef uint64_t rest = self.occurring[right]
        cdef int j
        self.occurring[left] |= rest
        if self.n_labels == 2:
            # Both are sooner added than asked for.
            sums[0] += added[0]
            sums[1] += added[1]
            return
        # `rest` keeps a bit for every added label that is still to be added.
        while rest:
            j = lowest_bit(rest)
            sums[j] += added[j]
            rest &= rest - 1

    cdef void add_entries(self, int32_t left, int32_t right) noexcept nogil:
        cdef Part a = self.part(left), b = self.part(right)
        # The union is written over a, which is therefore put aside. It fits: what was merged into
        # a, and b, lay between a's first entry and the next run's.
        memcpy(&self.held_labels[0], a.labels, a.n * sizeof(int32_t))
        memcpy(&self.held_counts[0], a.counts, a.n * sizeof(int64_t))
        a.labels, a.counts = &self.held_labels[0], &self.held_counts[0]
        self.length[left] = write_union(
            &a, &b, &self.labels[self.first[left]], &self.counts[self.first[left]]
        )

    cdef void absorb_next(self, int32_t left) noexcept nogil:
        """The run after `left` becomes part of it."""
        cdef int32_t right = self.following[left], before = self.preceding[left]
        if self.dense:
            self.add_counts(left, right)
        else:
            self.add_entries(left, right)
        self.rows[left] += self.rows[right]
        self.history[left] = hashed(self.history[left], self.history[right])
        # `right` leaves the chain: its neighbors are linked to each other, and its memory belongs
        # to `left`.
        self.following[left] = self.following[right]
        if self.following[left] < self.n_positions:
            self.preceding[self.following[left]] = left
        # Only the pairs that the merged run is in have another gain now.
        self.gains.write(right, NO_PAIR)
        self.gains.write(left, self.gain(left))
        if before < 0:
            # The first run has no pair on its left: there is nothing to write, and one node less to
            # update.
            before = left
        else:
            self.gains.write(before, self.gain(before))
        self.gains.update(before, left, right)
        self.n -= 1

    cdef void work_down(self, int64_t most_runs, double least) noexcept nogil:
        """Merge until `most_runs` are left or no merge gains more than `least`."""
        cdef double gain
        cdef int64_t left = 0
        least = self.gains.rounded(least)
        # The tournament holds the gain of every run with the next, and NO_PAIR elsewhere.
        while self.n > max(most_runs, 1):
            gain = self.gains.largest(&left)
            # The largest gain is too small, so all others are: nothing is left to merge.
            if gain <= least:
                return
            self.lowest = min(self.lowest, gain)
            self.absorb_next(<int32_t> left)

    cdef starts(self):
        """Positions of the runs, and the end: int64."""
        cdef int64_t i = 0, k = 0
        starts = np.empty(self.n + 1, dtype=np.int64)
        cdef int64_t[::1] result = starts
        with nogil:
            # Run k, the next to be written, begins at position i.
            while i < self.n_positions:
                result[k] = i
                i, k = self.following[i], k + 1
            result[k] = i
        return starts


def merge_greedily(Blocks blocks, PartCost cost, goals):
    """Merge, the best pair first, to one goal after the other.

    A goal is a number of blocks, smaller than that of the goal before, and a gain: merging stops
    at this number of blocks, or where no merge gains more. Returns for each goal where the blocks
    that are left begin, and the end, in given blocks: int64.
    """
    cdef Chain chain = Chain(blocks, cost, 0, blocks.n_blocks)
    cdef int64_t most
    cdef double least
    found = []
    for most, least in goals:
        with nogil:
            chain.work_down(most, least)
        found.append(chain.starts())
    return found


def merge_segment(
    Blocks blocks, PartCost cost, int64_t first, int64_t last, double least, int64_t most_blocks
):
    """Merge the blocks from `first` to before `last` alone, the best pair first.

    Merging goes on while a merge gains more than `least` and more than `most_blocks` are left.
    Returns where the blocks that are left begin, and the end; for each a hash of its blocks and of
    the order of their merges; and the least gain of a merge.
    """
    cdef Chain chain = Chain(blocks, cost, first, last)
    with nogil:
        chain.work_down(most_blocks, least)
    starts = chain.starts()
    return starts + first, np.asarray(chain.history)[starts[: chain.n]], chain.lowest

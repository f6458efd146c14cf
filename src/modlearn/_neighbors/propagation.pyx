"""kNN label distribution propagation: the single pass of the paper, and averaging sweeps."""

from libc.stdint cimport int32_t, int64_t

import numpy as np

from modlearn.criteria.mass cimport Mass, add, log_mass, mass_of, over, times
from modlearn.criteria.propagation cimport (
    Lists, State, all_votes, average, fetch, known_share, prefetch,
)

from modlearn.criteria.propagation import MASS


cdef struct Waiting:
    # A row that is not decided yet, as it stands in the queue.
    double mass
    double radius
    int32_t exponent
    int32_t row


cdef inline bint before(const Waiting* a, const Waiting* b) noexcept nogil:
    """More known mass first; on ties the smaller neighborhood, then the earlier row."""
    if a.exponent != b.exponent:
        return a.exponent > b.exponent
    if a.mass != b.mass:
        return a.mass > b.mass
    if a.radius != b.radius:
        return a.radius < b.radius
    return a.row < b.row


cdef enum:
    NOT_QUEUED = -1
    DECIDED = -2


cdef class Queue:
    """Rows by decreasing known mass; a row moves up when its mass grows.

    A heap whose nodes have four children: no entry comes before its parent, that of entry i being
    entry (i - 1) // 4.
    """

    cdef int64_t n
    cdef Waiting[::1] entries
    cdef int32_t[::1] position_of  # (n,) or NOT_QUEUED, or DECIDED

    def __cinit__(self, n_rows):
        kind = [
            ("mass", np.float64), ("radius", np.float64), ("exponent", np.int32), ("row", np.int32)
        ]
        self.entries = np.empty(n_rows, dtype=np.dtype(kind, align=True))
        self.position_of = np.full(n_rows, NOT_QUEUED, dtype=np.int32)

    cdef inline void put(self, const Waiting* waiting, int64_t i) noexcept nogil:
        self.entries[i] = waiting[0]
        self.position_of[waiting.row] = <int32_t> i

    cdef inline void fetch(self, int32_t row) noexcept nogil:
        """Prefetch the entry of a row and its parent."""
        cdef int64_t i = self.position_of[row]
        if i > 0:
            prefetch(&self.entries[i])
            prefetch(&self.entries[(i - 1) // 4])

    cdef void raise_to(self, Waiting waiting) noexcept nogil:
        """Queue a row, or move it up to where its mass belongs."""
        cdef int64_t i = self.position_of[waiting.row], parent
        # A row that is not queued yet enters at the end of the heap, where entry n is free.
        if i < 0:
            i = self.n
            self.n += 1
        # Entry i is free, and all entries below it come after the row. The row fits there as soon
        # as it does not come before the parent; until then the parent moves down.
        while i > 0:
            parent = (i - 1) // 4
            if not before(&waiting, &self.entries[parent]):
                break
            self.put(&self.entries[parent], i)
            i = parent
        self.put(&waiting, i)

    cdef int32_t pop(self) noexcept nogil:
        """Remove and return the row with the most known mass."""
        cdef int32_t row = self.entries[0].row
        cdef int64_t i = 0, child, k
        cdef Waiting last
        self.position_of[row] = DECIDED
        self.n -= 1
        # The row was the only one: there is no last entry to fill the gap.
        if self.n == 0:
            return row
        last = self.entries[self.n]
        # Entry i is free, and the last entry, which was taken off the end, comes after all entries
        # above it. It fits there if no child comes before it; else the first child moves up.
        while 4 * i + 1 < self.n:
            child = 4 * i + 1
            # `child` comes before all children of i that precede k.
            for k in range(child + 1, min(child + 4, self.n)):
                if before(&self.entries[k], &self.entries[child]):
                    child = k
            if not before(&self.entries[child], &last):
                break
            self.put(&self.entries[child], i)
            i = child
        self.put(&last, i)
        return row


cdef struct Row:
    # One cache line, as rows are accessed at random. The neighbors that a row is averaged over are
    # mostly those to which its own mass is passed on.
    Mass mass       # known mass; for a waiting row, minus the votes it has received
    double divisor  # all votes
    double radius
    int64_t unused[3]


_ROW = np.dtype([
    ("mass", MASS), ("divisor", np.float64), ("radius", np.float64), ("unused", np.int64, 3)
])


def _aligned_zeros(n, dtype):
    """Zeros of shape (n,) that start with a line of the cache."""
    spare = np.zeros(n * dtype.itemsize + 64, dtype=np.uint8)
    first = -spare.ctypes.data % 64
    return spare[first : first + n * dtype.itemsize].view(dtype)


cdef class Propagation:
    """Label distributions of rows joined by a graph.

    Parameters
    ----------
    pointer, neighbors : ndarray of shape (n+1,), int64, and (E,), int32
        Neighbors of row i are ``neighbors[pointer[i] : pointer[i + 1]]``.
    weights : ndarray of shape (n,), float64, or None
        How much each row counts as a neighbor; None = all equally.
    radii : ndarray of shape (n,), float64
        Distance to the last neighbor: among rows with equal mass, the one with the smallest radius,
        where rows are dense, comes first.
    labels : ndarray of shape (n, J), float64
        Distributions of the labeled rows, adding up to 1 or less; other rows are zero. Written
        to: it becomes the result.
    """

    cdef int64_t n, J, n_decided
    cdef const int64_t[::1] pointer
    cdef const int32_t[::1] neighbors
    cdef const double[::1] weights
    cdef double[:, ::1] known       # (n, J), rows adding up to 1, or zero
    cdef Row[::1] rows              # (n,)
    cdef int32_t[::1] order         # (n,) rows in the order in which they are decided
    cdef int64_t[::1] reverse_pointer
    cdef int32_t[::1] reverse_rows
    cdef Lists lists
    cdef Queue queue

    def __init__(self, pointer, neighbors, weights, radii, labels):
        self.n, self.J = labels.shape
        self.pointer, self.neighbors = pointer, neighbors
        self.weights = weights
        self.known = labels
        rows = _aligned_zeros(self.n, _ROW)
        rows["radius"] = radii
        self.rows = rows
        self.order = np.empty(self.n, dtype=np.int32)
        self.queue = Queue(self.n)
        self.reverse_pointer = np.zeros(self.n + 2, dtype=np.int64)
        self.reverse_rows = np.empty(len(neighbors), dtype=np.int32)
        self.lists.n = 1 if len(neighbors) else 0
        self.lists.pointers[0] = &self.pointer[0]
        if len(neighbors):
            self.lists.rows[0] = &self.neighbors[0]
        self.lists.weights = NULL if weights is None else &self.weights[0]
        with nogil:
            self.reverse()
            self.fix_labels()

    cdef void reverse(self) noexcept nogil:
        """List for every row the rows that it is a neighbor of: a counting sort of the edges."""
        cdef int64_t row, e
        cdef int64_t* start = &self.reverse_pointer[0]
        # start[i + 2] becomes the number of rows that have i as a neighbor, then start[i + 1] where
        # the list of i begins; as the list is filled, start[i + 1] moves to its end, which is where
        # the list of i + 1 begins: what a pointer holds.
        # First pass: how many rows list each row, two positions further on.
        for e in range(self.neighbors.shape[0]):
            start[self.neighbors[e] + 2] += 1
        # Second pass: sums of these numbers, so that start[i + 1] is where the list of i begins.
        for row in range(self.n):
            start[row + 2] += start[row + 1]
        # Third pass: every edge is written to the list of its neighbor, rows in increasing order.
        for row in range(self.n):
            self.rows[row].divisor = all_votes(&self.lists, row)
            for e in range(self.pointer[row], self.pointer[row + 1]):
                self.reverse_rows[start[self.neighbors[e] + 1]] = <int32_t> row
                start[self.neighbors[e] + 1] += 1

    cdef void fix_labels(self) noexcept nogil:
        """Labeled rows are fixed from the start; then their neighbors are queued."""
        cdef int64_t row, c
        cdef double total
        for row in range(self.n):
            total = 0.0
            # A row without labels adds up to zero: it is not known, and stays zero until it is
            # decided.
            for c in range(self.J):
                total += self.known[row, c]
            if total > 0.0:
                self.queue.position_of[row] = DECIDED
                self.rows[row].mass = mass_of(total)
                for c in range(self.J):
                    self.known[row, c] /= total
        for row in range(self.n):
            # Only now, when no labeled row can be queued any more.
            if self.queue.position_of[row] == DECIDED:
                self.notify_neighbors(row)

    cdef void notify_neighbors(self, int64_t row) noexcept nogil:
        """Add the mass of a decided row to the rows that it is a neighbor of."""
        cdef int64_t e
        cdef int32_t other
        cdef Mass mass = self.rows[row].mass
        if self.lists.weights != NULL:
            mass = times(mass, self.weights[row])
        # Rows that count nothing as neighbors leave all votes as they are.
        if mass.high == 0.0:
            return
        # Three passes: rows, then their queue entries, are prefetched before they are used.
        for e in range(self.reverse_pointer[row], self.reverse_pointer[row + 1]):
            other = self.reverse_rows[e]
            prefetch(&self.rows[other])
            prefetch(&self.queue.position_of[other])
        for e in range(self.reverse_pointer[row], self.reverse_pointer[row + 1]):
            self.queue.fetch(self.reverse_rows[e])
        for e in range(self.reverse_pointer[row], self.reverse_pointer[row + 1]):
            other = self.reverse_rows[e]
            # A decided row is final: votes that come later do not change it.
            if self.queue.position_of[other] != DECIDED:
                self.accumulate(&self.rows[other], other, mass)

    cdef inline void accumulate(self, Row* row, int32_t number, Mass mass) noexcept nogil:
        """Add to the votes of a row that waits, and move it up."""
        # A waiting row has minus its votes, so that a negative mass marks it as not decided. What
        # it is queued by is their share of all votes.
        row.mass = add(row.mass, Mass(-mass.high, -mass.low, mass.exponent))
        mass = over(row.mass, -row.divisor)
        self.queue.raise_to(Waiting(mass.high, row.radius, <int32_t> mass.exponent, number))

    cdef inline void fetch_lists(self, int32_t row) noexcept nogil:
        """Prefetch the lists of the row that is probably next."""
        prefetch(&self.neighbors[self.pointer[row]])
        prefetch(&self.reverse_pointer[row])

    cdef inline void fetch_rows(self, int32_t row, const State* state) noexcept nogil:
        """Prefetch what the row that is probably next will read."""
        fetch(&self.lists, row, state)
        prefetch(&self.reverse_rows[self.reverse_pointer[row]])
        prefetch(&self.known[row, 0])
        prefetch(&self.rows[row])

    cdef void decide(self, int64_t n_rows) noexcept nogil:
        """Decide up to n_rows rows, those with the most known mass first."""
        cdef int64_t i
        cdef int32_t row
        cdef State state = State(self.J, &self.rows[0].mass, sizeof(Row), &self.known[0, 0])
        # Decided rows have their final distribution and mass, and have passed their mass on. Masses
        # only grow that way, so the first row of the queue cannot be overtaken: it is final.
        for i in range(n_rows):
            if self.queue.n == 0:
                return
            row = self.queue.pop()
            self.order[self.n_decided] = row
            self.n_decided += 1
            if self.queue.n > 0:
                self.fetch_lists(self.queue.entries[0].row)
            # Only decided rows have a positive mass, and thus count in the average.
            average(&self.lists, row, &state, &self.known[row, 0])
            self.rows[row].mass = over(self.rows[row].mass, -self.rows[row].divisor)
            if self.queue.n > 0:
                self.fetch_rows(self.queue.entries[0].row, &state)
            self.notify_neighbors(row)

    def advance(self, int64_t n_rows):
        """Decide up to n_rows more rows; returns how many are decided, and whether any is left."""
        with nogil:
            self.decide(n_rows)
        return self.n_decided, self.queue.n > 0

    def result(self):
        """Distributions (n, J), masses (n,) and the order in which rows were decided."""
        order = np.asarray(self.order)[: self.n_decided]
        masses = np.asarray(self.rows)["mass"].copy()
        masses[masses["high"] < 0] = 0
        return np.asarray(self.known), masses, order

    def reverse_lists(self):
        """For every row the rows that it is a neighbor of: pointer (n+1,) and rows (E,)."""
        return np.asarray(self.reverse_pointer)[: self.n + 1], np.asarray(self.reverse_rows)


def average_rows(lists, weights, masses, known, int64_t first, int64_t last, out, out_masses):
    """Write the averages of rows first to last over the rows that their lists name.

    Parameters
    ----------
    lists : sequence of one or two pairs of ndarray
        Pointer (n+1,), int64, and rows (E,), int32; a row in two lists counts twice.
    weights : ndarray of shape (m,), float64, or None
        How much each of the rows listed counts.
    masses, known : ndarray of shape (m,) and (m, J)
        Masses and distributions of the rows listed.
    out, out_masses : ndarray of shape (n, J) and (n,)
        Written to.
    """
    cdef const int64_t[::1] pointers
    cdef const int32_t[::1] rows
    cdef const double[::1] given_weights = weights
    cdef const Mass[::1] given_masses = masses
    cdef const double[:, ::1] given = known
    cdef double[:, ::1] to = out
    cdef Mass[::1] to_masses = out_masses
    cdef Lists given_lists
    cdef int64_t row
    cdef State state
    cdef Mass votes
    given_lists.n = 0
    given_lists.weights = NULL if weights is None else &given_weights[0]
    for pointers, rows in lists:
        if rows.shape[0]:
            given_lists.pointers[given_lists.n] = &pointers[0]
            given_lists.rows[given_lists.n] = &rows[0]
            given_lists.n += 1
    state = State(known.shape[1], &given_masses[0], sizeof(Mass), &given[0, 0])
    with nogil:
        # `out` is written and `known` is read: rows do not depend on each other's order.
        for row in range(first, last):
            votes = average(&given_lists, row, &state, &to[row, 0])
            to_masses[row] = known_share(&given_lists, row, votes)


def log_masses(masses):
    """Natural logarithms of masses (n,), -inf of none."""
    cdef const Mass[::1] given = masses
    cdef double[::1] out = np.empty(len(masses))
    cdef int64_t row
    with nogil:
        for row in range(given.shape[0]):
            out[row] = log_mass(given[row])
    return np.asarray(out)

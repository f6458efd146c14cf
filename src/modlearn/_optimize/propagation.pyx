"""kNN label distribution propagation: the single pass of the paper, and averaging sweeps.

A row is the average of its neighbours (Eq. 5), of which some part is unknown. It is kept as a
distribution over the classes and the mass that is known (Eq. 6).
"""

from libc.stdint cimport int32_t, int64_t

import numpy as np

from modlearn._optimize.mass cimport (
    Mass, add, log_mass, mass_of, over, relative, times,
)


cdef extern from *:
    """
    #if defined(__GNUC__) || defined(__clang__)
    #define prefetch(address) __builtin_prefetch(address)
    #else
    #define prefetch(address)
    #endif
    """
    void prefetch(const void* address) noexcept nogil


cdef struct Graph:
    const int64_t* pointer   # (n+1,)
    const int32_t* neighbors # (E,)
    const double* votes      # (E,) weight of each neighbour, or NULL: all alike


cdef inline double vote(const Graph* graph, int64_t edge) noexcept nogil:
    return 1.0 if graph.votes == NULL else graph.votes[edge]


cdef double all_votes(const Graph* graph, int64_t row) noexcept nogil:
    """What the known mass of a row is divided by: |kNN(x)| of Eq. 5."""
    cdef int64_t e
    cdef double total = 0.0
    if graph.votes == NULL:
        return <double> (graph.pointer[row + 1] - graph.pointer[row])
    for e in range(graph.pointer[row], graph.pointer[row + 1]):
        total += graph.votes[e]
    return total


cdef Mass known_mass(const Graph* graph, int64_t row, const Mass* masses) noexcept nogil:
    """w(x), Eq. 6."""
    cdef Mass total = Mass(0.0, 0.0, 0)
    cdef int64_t e
    for e in range(graph.pointer[row], graph.pointer[row + 1]):
        if vote(graph, e) > 0.0:
            total = add(total, times(masses[graph.neighbors[e]], vote(graph, e)))
    return total if total.high == 0.0 else over(total, all_votes(graph, row))


cdef void average(
    const Graph* graph, int64_t row, const Mass* masses, const double* known, int64_t J, double* out
) noexcept nogil:
    """Pr(c|x) over Pr(known|x), Eq. 5, shape (J,); zero where nothing is known."""
    cdef int64_t e, c, top = 0
    cdef bint any_known = False
    cdef double weight, total = 0.0
    cdef const double* other
    for e in range(graph.pointer[row], graph.pointer[row + 1]):
        prefetch(masses + graph.neighbors[e])
        prefetch(known + graph.neighbors[e] * J)
        prefetch(known + graph.neighbors[e] * J + J - 1)
    for c in range(J):
        out[c] = 0.0
    for e in range(graph.pointer[row], graph.pointer[row + 1]):
        if masses[graph.neighbors[e]].high > 0.0 and vote(graph, e) > 0.0:
            if not any_known or masses[graph.neighbors[e]].exponent > top:
                top = masses[graph.neighbors[e]].exponent
            any_known = True
    if not any_known:
        return
    for e in range(graph.pointer[row], graph.pointer[row + 1]):
        weight = relative(masses[graph.neighbors[e]], top) * vote(graph, e)
        if weight > 0.0:
            other = known + graph.neighbors[e] * J
            for c in range(J):
                out[c] += weight * other[c]
    for c in range(J):
        total += out[c]
    for c in range(J):
        out[c] /= total


cdef struct Place:
    double mass
    int64_t exponent
    double radius
    int32_t row


cdef inline bint before(const Place* a, const Place* b) noexcept nogil:
    """More known mass first; on ties the smaller neighbourhood, then the earlier row."""
    if a.exponent != b.exponent:
        return a.exponent > b.exponent
    if a.mass != b.mass:
        return a.mass > b.mass
    if a.radius != b.radius:
        return a.radius < b.radius
    return a.row < b.row


cdef class Queue:
    """Rows by decreasing known mass; a row moves up when its mass grows."""

    cdef int64_t n
    cdef Place[::1] places
    cdef int32_t[::1] place_of  # (n,) -1 = not queued

    def __cinit__(self, n_rows):
        kind = [
            ("mass", np.float64), ("exponent", np.int64), ("radius", np.float64), ("row", np.int32)
        ]
        self.places = np.empty(n_rows, dtype=np.dtype(kind, align=True))
        self.place_of = np.full(n_rows, -1, dtype=np.int32)

    cdef inline void put(self, const Place* place, int64_t i) noexcept nogil:
        self.places[i] = place[0]
        self.place_of[place.row] = <int32_t> i

    cdef void raise_to(self, Place place) noexcept nogil:
        """Queue a row, or move it up to where its mass belongs."""
        cdef int64_t i = self.place_of[place.row], parent
        if i < 0:
            i = self.n
            self.n += 1
        while i > 0:
            parent = (i - 1) // 4
            if not before(&place, &self.places[parent]):
                break
            self.put(&self.places[parent], i)
            i = parent
        self.put(&place, i)

    cdef int32_t pop(self) noexcept nogil:
        """The row with most known mass."""
        cdef int32_t row = self.places[0].row
        cdef int64_t i = 0, child, k
        cdef Place last
        self.place_of[row] = -1
        self.n -= 1
        if self.n == 0:
            return row
        last = self.places[self.n]
        while 4 * i + 1 < self.n:
            child = 4 * i + 1
            for k in range(child + 1, min(child + 4, self.n)):
                if before(&self.places[k], &self.places[child]):
                    child = k
            if not before(&self.places[child], &last):
                break
            self.put(&self.places[child], i)
            i = child
        self.put(&last, i)
        return row


cdef class Propagation:
    """Label distributions of rows joined by a graph.

    Parameters
    ----------
    pointer, neighbors : ndarray of shape (n+1,), int64, and (E,), int32
        Neighbours of row i are ``neighbors[pointer[i] : pointer[i + 1]]``.
    votes : ndarray of shape (E,), float64, or None
        Weight of each neighbour; None = all alike.
    radii : ndarray of shape (n,), float64
        Distance to the last neighbour: of rows with equal mass the one in the denser place is first.
    labels : ndarray of shape (n, J), float64
        Distributions of the labelled rows, adding up to 1 or less; other rows are zero.
    """

    cdef int64_t n, J, n_decided
    cdef const int64_t[::1] pointer
    cdef const int32_t[::1] neighbors
    cdef const double[::1] votes
    cdef const double[::1] radii
    cdef double[:, ::1] known       # (n, J), rows adding up to 1, or zero
    cdef Mass[::1] masses           # (n,) of fixed rows
    cdef Mass[::1] sums             # (n,) votes for what is known, of queued rows
    cdef double[::1] divisors       # (n,) all votes
    cdef int32_t[::1] order         # (n,) rows in the order in which they are decided
    cdef char[::1] fixed            # (n,)
    cdef int64_t[::1] reverse_pointer
    cdef int32_t[::1] reverse_rows
    cdef double[::1] reverse_votes
    cdef Graph graph
    cdef Queue queue

    def __init__(self, pointer, neighbors, votes, radii, labels):
        self.n, self.J = labels.shape
        self.pointer, self.neighbors, self.radii = pointer, neighbors, radii
        self.graph = Graph(&self.pointer[0], NULL, NULL)
        if len(neighbors):
            self.graph.neighbors = &self.neighbors[0]
        if votes is not None and len(votes):
            self.votes = votes
            self.graph.votes = &self.votes[0]
        self.known = labels.copy()
        kind = np.dtype([("high", np.float64), ("low", np.float64), ("exponent", np.int64)])
        self.masses, self.sums = np.zeros(self.n, dtype=kind), np.zeros(self.n, dtype=kind)
        self.divisors = np.zeros(self.n)
        self.order = np.empty(self.n, dtype=np.int32)
        self.fixed = np.zeros(self.n, dtype=np.int8)
        self.queue = Queue(self.n)
        self.reverse_pointer = np.zeros(self.n + 2, dtype=np.int64)
        self.reverse_rows = np.empty(len(neighbors), dtype=np.int32)
        self.reverse_votes = np.empty(0 if self.graph.votes == NULL else len(neighbors))
        with nogil:
            self.reverse()
            self.fix_labels()

    cdef void reverse(self) noexcept nogil:
        """List for every row the rows that it is a neighbour of."""
        cdef int64_t row, e, to
        cdef int64_t* start = &self.reverse_pointer[0]
        for e in range(self.neighbors.shape[0]):
            start[self.neighbors[e] + 2] += 1
        for row in range(self.n):
            start[row + 2] += start[row + 1]
        for row in range(self.n):
            self.divisors[row] = all_votes(&self.graph, row)
            for e in range(self.pointer[row], self.pointer[row + 1]):
                to = start[self.neighbors[e] + 1]
                start[self.neighbors[e] + 1] += 1
                self.reverse_rows[to] = <int32_t> row
                if self.graph.votes != NULL:
                    self.reverse_votes[to] = self.votes[e]

    cdef void fix_labels(self) noexcept nogil:
        """Labelled rows are fixed from the start; then their neighbours are queued."""
        cdef int64_t row, c
        cdef double total
        for row in range(self.n):
            total = 0.0
            for c in range(self.J):
                total += self.known[row, c]
            if total > 0.0:
                self.fixed[row] = 1
                self.masses[row] = mass_of(total)
                for c in range(self.J):
                    self.known[row, c] /= total
        for row in range(self.n):
            if self.fixed[row]:
                self.tell_neighbors(row)

    cdef void tell_neighbors(self, int64_t row) noexcept nogil:
        """Add what is known of a fixed row to the rows that it is a neighbour of."""
        cdef int64_t e
        cdef int32_t other
        cdef Mass mass
        for e in range(self.reverse_pointer[row], self.reverse_pointer[row + 1]):
            other = self.reverse_rows[e]
            prefetch(&self.sums[other])
            prefetch(&self.divisors[other])
            prefetch(&self.radii[other])
            prefetch(&self.fixed[other])
            prefetch(&self.queue.place_of[other])
        for e in range(self.reverse_pointer[row], self.reverse_pointer[row + 1]):
            other = self.reverse_rows[e]
            if self.fixed[other]:
                continue
            mass = self.masses[row]
            if self.graph.votes != NULL:
                if self.reverse_votes[e] <= 0.0:
                    continue
                mass = times(mass, self.reverse_votes[e])
            self.sums[other] = add(self.sums[other], mass)
            mass = over(self.sums[other], self.divisors[other])
            self.queue.raise_to(Place(mass.high, mass.exponent, self.radii[other], other))

    cdef void decide(self, int64_t n_rows) noexcept nogil:
        cdef int64_t i
        cdef int32_t row
        for i in range(n_rows):
            if self.queue.n == 0:
                return
            row = self.queue.pop()
            self.order[self.n_decided] = row
            self.n_decided += 1
            self.fixed[row] = 1
            self.masses[row] = over(self.sums[row], self.divisors[row])
            average(
                &self.graph, row, &self.masses[0], &self.known[0, 0], self.J, &self.known[row, 0]
            )
            self.tell_neighbors(row)

    def advance(self, int64_t n_rows):
        """Decide up to n_rows more rows; returns how many are decided, and whether any is left."""
        with nogil:
            self.decide(n_rows)
        return self.n_decided, self.queue.n > 0

    def result(self):
        """Distributions (n, J), masses (n,) and the order in which rows were decided."""
        return np.asarray(self.known), np.asarray(self.masses), np.asarray(self.order)[: self.n_decided]


def average_rows(pointer, neighbors, votes, masses, known, int64_t first, int64_t last, out, out_masses):
    """Write the averages of rows first to last over their neighbours.

    Neighbours are rows of ``known`` (m, J) with ``masses`` (m,); ``out`` and ``out_masses`` are
    of shape (n, J) and (n,).
    """
    cdef const int64_t[::1] pointers = pointer
    cdef const int32_t[::1] indices = neighbors
    cdef const double[::1] weights
    cdef const Mass[::1] given_masses = masses
    cdef const double[:, ::1] given = known
    cdef double[:, ::1] to = out
    cdef Mass[::1] to_masses = out_masses
    cdef Graph graph = Graph(&pointers[0], NULL, NULL)
    cdef int64_t row, J = known.shape[1]
    if len(neighbors) == 0:
        return
    graph.neighbors = &indices[0]
    if votes is not None:
        weights = votes
        graph.votes = &weights[0]
    with nogil:
        for row in range(first, last):
            to_masses[row] = known_mass(&graph, row, &given_masses[0])
            average(&graph, row, &given_masses[0], &given[0, 0], J, &to[row, 0])


def log_masses(masses):
    """Natural logarithms of masses (n,), -inf of none."""
    cdef const Mass[::1] given = masses
    cdef double[::1] out = np.empty(len(masses))
    cdef int64_t row
    with nogil:
        for row in range(given.shape[0]):
            out[row] = log_mass(given[row])
    return np.asarray(out)

"""Local search at full resolution: move a bound, merge two parts, split one.

A scan for the best place of a bound skips stretches of blocks that cannot hold it. A bound inside
a stretch with m_j rows of class j leaves k_j of them on the left, 0 <= k_j <= m_j. Under formula 1
both sides then cost T(k_1 + ... + k_J) - sum_j H_j(k_j) with

    T(t) = log (L+t+J-1)! + log (R-t+J-1)!,    H_j(k) = log (L_j+k)! + log (R_j-k)!,

all convex. So T lies above its tangent, and a tangent minus H_j is lowest at an end of [0, m_j]:
the sum of these ends bounds the cost of the whole stretch from below.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t

import numpy as np

from modlearn._search.blocks cimport Blocks
from modlearn.criteria.combinatorics cimport log_factorial
from modlearn.criteria.discretization cimport map_part_cost, telescoped_part_cost


cdef struct Side:
    int64_t* counts  # (J+1,)
    double* logs     # (J+1,) log counts!
    int64_t rows     # labeled
    double sum_logs  # sum of the logs
    int64_t* cell_rows
    double* cell_logs  # log (rows + J - 1)! / (J - 1)! of every cell
    double sum_cells   # sum of these


cdef class Scanner:
    """Scans windows of the blocks for the best place of one bound."""

    cdef Blocks blocks
    cdef int64_t J, min_part_size, mile, stretch, cell_size, n_cells
    cdef double prior
    cdef int64_t[:, ::1] memory
    cdef double[:, ::1] log_memory
    cdef int64_t[:, ::1] cell_memory
    cdef double[:, ::1] cell_log_memory
    cdef Side left, right
    cdef int64_t* moved
    cdef int64_t* completed

    def __cinit__(self, Blocks blocks, min_part_size):
        self.blocks, self.J, self.min_part_size = blocks, blocks.n_classes, min_part_size
        self.memory = np.zeros((4, self.J + 1), dtype=np.int64)
        self.log_memory = np.zeros((2, self.J + 1))
        self.left.counts, self.right.counts = &self.memory[0, 0], &self.memory[1, 0]
        self.left.logs, self.right.logs = &self.log_memory[0, 0], &self.log_memory[1, 0]
        self.moved, self.completed = &self.memory[2, 0], &self.memory[3, 0]
        self.mile = max(64, 16 * self.J)
        self.stretch = min(self.mile, 2048)
        blocks.add_up(self.mile)
        self.cell_size, self.n_cells = blocks.cell_size, max(1, self.J // blocks.cell_size)
        self.prior = log_factorial(self.cell_size - 1)
        self.cell_memory = np.zeros((2, self.n_cells), dtype=np.int64)
        self.cell_log_memory = np.zeros((2, self.n_cells))
        self.left.cell_rows, self.right.cell_rows = &self.cell_memory[0, 0], &self.cell_memory[1, 0]
        self.left.cell_logs = &self.cell_log_memory[0, 0]
        self.right.cell_logs = &self.cell_log_memory[1, 0]

    cdef inline void add(self, Side* side, int64_t block, int sign) noexcept nogil:
        """Put the rows of a block on a side, or take them away, with their log factorials."""
        cdef int32_t e
        for e in range(self.blocks.pointer[block], self.blocks.pointer[block + 1]):
            self.add_rows(side, self.blocks.classes[e], sign * self.blocks.counts[e])

    cdef inline void add_rows(self, Side* side, int64_t label, int64_t change) noexcept nogil:
        side.counts[label] += change
        if label < self.J:
            side.rows += change
            side.sum_logs -= side.logs[label]
            side.logs[label] = log_factorial(side.counts[label])
            side.sum_logs += side.logs[label]
            if self.n_cells > 1:
                self.add_to_cell(side, <int32_t> label // <int32_t> self.cell_size, change)

    cdef inline void add_to_cell(self, Side* side, int64_t cell, int64_t change) noexcept nogil:
        side.cell_rows[cell] += change
        side.sum_cells -= side.cell_logs[cell]
        side.cell_logs[cell] = log_factorial(side.cell_rows[cell] + self.cell_size - 1) - self.prior
        side.sum_cells += side.cell_logs[cell]

    cdef void clear(self, Side* side) noexcept nogil:
        """No rows on a side."""
        cdef int64_t label, cell
        side.rows, side.sum_logs, side.sum_cells = 0, 0.0, 0.0
        for label in range(self.J + 1):
            side.counts[label], side.logs[label] = 0, 0.0
        for cell in range(self.n_cells):
            side.cell_rows[cell], side.cell_logs[cell] = 0, 0.0

    cdef inline double cost(self, const Side* side) noexcept nogil:
        if self.n_cells > 1:
            return side.sum_cells - side.sum_logs
        if self.blocks.with_unlabeled:
            return map_part_cost(
                side.counts, self.J, side.rows, side.counts[self.J], self.completed
            )
        return telescoped_part_cost(side.rows, self.J, side.sum_logs)

    cdef void count(self, int64_t first, int64_t last, int64_t* counts) noexcept nogil:
        """Rows of every class from block `first` to before `last`: between miles, and beside."""
        cdef int64_t begin = (first + self.mile - 1) // self.mile, end = last // self.mile
        cdef int64_t label
        if begin >= end:
            for label in range(self.J + 1):
                counts[label] = 0
            self.count_entries(first, last, counts)
            return
        for label in range(self.J + 1):
            counts[label] = self.blocks.sums[end, label] - self.blocks.sums[begin, label]
        self.count_entries(first, begin * self.mile, counts)
        self.count_entries(end * self.mile, last, counts)

    cdef inline void count_entries(
        self, int64_t first, int64_t last, int64_t* counts
    ) noexcept nogil:
        cdef int32_t e
        for e in range(self.blocks.pointer[first], self.blocks.pointer[last]):
            counts[self.blocks.classes[e]] += self.blocks.counts[e]

    cdef void gather(self, int64_t first, int64_t last, Side* side) noexcept nogil:
        """All rows of a window on one side."""
        cdef int64_t label, cell
        self.clear(side)
        self.count(first, last, side.counts)
        for label in range(self.J):
            side.rows += side.counts[label]
            side.logs[label] = log_factorial(side.counts[label])
            side.sum_logs += side.logs[label]
        if self.n_cells > 1:
            for label in range(self.J):
                side.cell_rows[label // self.cell_size] += side.counts[label]
            for cell in range(self.n_cells):
                self.add_to_cell(side, cell, 0)

    cdef double cost_of(self, int64_t first, int64_t last) noexcept nogil:
        self.gather(first, last, &self.right)
        return self.cost(&self.right)

    cdef inline bint large_enough(self) noexcept nogil:
        return (
            self.left.rows + self.left.counts[self.J] >= self.min_part_size
            and self.right.rows + self.right.counts[self.J] >= self.min_part_size
        )

    cdef double lower_bound(self, int64_t first, int64_t last) noexcept nogil:
        """Least cost of both sides for a bound within the stretch; leaves its rows in `moved`."""
        cdef int64_t label, m, rows = 0, middle
        cdef int64_t L = self.left.rows + self.J - 1, R = self.right.rows + self.J - 1
        cdef double tangent, slope, change, bound
        self.count(first, last, self.moved)
        for label in range(self.J):
            rows += self.moved[label]
        middle = rows // 2
        tangent = log_factorial(L + middle) + log_factorial(R - middle)
        slope = log_factorial(L + middle + 1) + log_factorial(R - middle - 1) - tangent
        bound = tangent - slope * middle - 2.0 * log_factorial(self.J - 1)
        bound -= self.left.sum_logs + self.right.sum_logs
        for label in range(self.J):
            m = self.moved[label]
            if m:
                change = m * slope + (
                    self.left.logs[label] - log_factorial(self.left.counts[label] + m)
                    + self.right.logs[label] - log_factorial(self.right.counts[label] - m)
                )
                if change < 0.0:
                    bound += change
        return bound

    cdef void skip(self) noexcept nogil:
        """Move the stretch summed up in `moved` to the left side."""
        cdef int64_t label
        for label in range(self.J):
            if self.moved[label]:
                self.add_rows(&self.left, label, self.moved[label])
                self.add_rows(&self.right, label, -self.moved[label])

    cdef int64_t best_bound(
        self, int64_t first, int64_t last, double least, double* reached
    ) noexcept nogil:
        """Block before which a bound costs less than `least`, the best such one; -1 if none."""
        cdef int64_t b = first, end, best = -1
        cdef double cost
        self.gather(first, last, &self.right)
        self.clear(&self.left)
        while b < last:
            end = min((b // self.stretch + 1) * self.stretch, last)
            if end < last and self.n_cells == 1 and not self.blocks.with_unlabeled and (
                self.lower_bound(b, end) >= least
            ):
                self.skip()
                b = end
                continue
            while b < end:
                self.add(&self.left, b, 1)
                self.add(&self.right, b, -1)
                b += 1
                if b == last or not self.large_enough():
                    continue
                cost = self.cost(&self.left) + self.cost(&self.right)
                if cost < least:
                    least, best = cost, b
        reached[0] = least
        return best


def part_costs_of(Blocks blocks, const int64_t[::1] bounds):
    """Cost of every part between neighboring bounds, shape (I,)."""
    cdef Scanner scanner = Scanner(blocks, 1)
    costs = np.empty(bounds.shape[0] - 1)
    cdef double[::1] result = costs
    cdef Py_ssize_t i
    with nogil:
        for i in range(result.shape[0]):
            result[i] = scanner.cost_of(bounds[i], bounds[i + 1])
    return costs


def move_bounds(Blocks blocks, bounds, double tolerance, min_part_size=1):
    """Every bound at its best place between its neighbors, until none moves: shape (I+1,)."""
    moved = np.array(bounds, dtype=np.int64)
    cdef int64_t[::1] at = moved
    cdef double[::1] costs = part_costs_of(blocks, moved)
    cdef char[::1] waiting = np.ones(len(moved), dtype=np.int8)
    cdef Scanner scanner = Scanner(blocks, min_part_size)
    cdef Py_ssize_t i, I = at.shape[0] - 1
    cdef int64_t place
    cdef double reached = 0.0, left, right
    cdef bint any_moved = True
    with nogil:
        while any_moved:
            any_moved = False
            for i in range(1, I):
                if not waiting[i]:
                    continue
                waiting[i] = 0
                place = scanner.best_bound(
                    at[i - 1], at[i + 1], costs[i - 1] + costs[i] - tolerance, &reached
                )
                if place < 0:
                    continue
                left, right = scanner.cost_of(at[i - 1], place), scanner.cost_of(place, at[i + 1])
                # A long scan adds up roundings: without this check bounds could move for ever.
                if left + right < costs[i - 1] + costs[i] - tolerance:
                    at[i], costs[i - 1], costs[i] = place, left, right
                    waiting[i - 1] = waiting[i + 1] = 1
                    any_moved = True
    return moved


def merge_parts(Blocks blocks, bounds, const double[::1] prior, double tolerance):
    """Merge neighboring parts, the best pair first, while that lowers the cost: shape (I+1,).

    `prior[I]` is the prior of I parts.
    """
    at = [int(b) for b in bounds]
    costs = list(part_costs_of(blocks, np.asarray(bounds, dtype=np.int64)))
    cdef Scanner scanner = Scanner(blocks, 1)
    pairs = [scanner.cost_of(at[i], at[i + 2]) - costs[i] - costs[i + 1] for i in range(len(at) - 2)]
    while pairs:
        best = min(range(len(pairs)), key=pairs.__getitem__)
        n_parts = len(costs)
        if pairs[best] + prior[n_parts - 1] - prior[n_parts] >= -tolerance:
            break
        costs[best : best + 2] = [costs[best] + costs[best + 1] + pairs[best]]
        del at[best + 1], pairs[best]
        for i in (best - 1, best):
            if 0 <= i < len(pairs):
                pairs[i] = scanner.cost_of(at[i], at[i + 2]) - costs[i] - costs[i + 1]
    return np.array(at, dtype=np.int64)


def split_parts(
    Blocks blocks, bounds, const double[::1] prior, double tolerance, min_part_size=1
):
    """Split every part once where that lowers the cost; `prior` limits the number of parts."""
    cdef const int64_t[::1] at = np.asarray(bounds, dtype=np.int64)
    cdef double[::1] costs = part_costs_of(blocks, np.asarray(bounds, dtype=np.int64))
    cdef Scanner scanner = Scanner(blocks, min_part_size)
    cdef Py_ssize_t i, n_parts = costs.shape[0]
    cdef int64_t place
    cdef double reached = 0.0, least
    split = [at[0]]
    for i in range(costs.shape[0]):
        if n_parts + 1 < prior.shape[0] and at[i + 1] - at[i] > 1:
            least = costs[i] + prior[n_parts] - prior[n_parts + 1] - tolerance
            with nogil:
                place = scanner.best_bound(at[i], at[i + 1], least, &reached)
                if place >= 0:
                    reached = scanner.cost_of(at[i], place) + scanner.cost_of(place, at[i + 1])
            if place >= 0 and reached < least:
                split.append(place)
                n_parts += 1
        split.append(at[i + 1])
    return np.array(split, dtype=np.int64)


def split_best_part(Blocks blocks, bounds, min_part_size=1):
    """One split more, where it lowers the part costs most; the same bounds if none is allowed."""
    cdef const int64_t[::1] at = np.asarray(bounds, dtype=np.int64)
    cdef const double[::1] costs = part_costs_of(blocks, np.asarray(bounds, dtype=np.int64))
    cdef Scanner scanner = Scanner(blocks, min_part_size)
    cdef Py_ssize_t i
    cdef int64_t place, best_place = -1
    cdef double reached = 0.0, least_change = INFINITY
    with nogil:
        for i in range(costs.shape[0]):
            place = scanner.best_bound(at[i], at[i + 1], costs[i] + least_change, &reached)
            if place >= 0:
                best_place, least_change = place, reached - costs[i]
    return np.sort(np.append(bounds, best_place)) if best_place >= 0 else np.asarray(bounds)

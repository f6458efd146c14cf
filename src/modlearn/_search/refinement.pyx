"""Local search at full resolution: move a bound, merge two parts, split one.

A scan for the best bound of a window skips segments of blocks that cannot hold it, where the part
cost has a lower bound of the cost of both sides for every bound within a segment.
"""

cimport cython
from libc.math cimport INFINITY
from libc.stdint cimport int32_t, int64_t

import numpy as np

from modlearn._search.blocks cimport Blocks
from modlearn.criteria.part_cost cimport PartCost, Sequence, Split


@cython.final
cdef class Scanner:
    """Scans windows of the blocks for the best position of one bound."""

    cdef Blocks blocks
    cdef PartCost cost
    cdef Sequence sequence
    cdef int64_t min_part_size, stride, segment
    cdef int64_t[:, ::1] memory
    cdef int64_t* window   # (n_labels,) rows of the window
    cdef int64_t* moved    # (n_labels,) rows of the segment that may be skipped

    def __cinit__(self, Blocks blocks, PartCost cost, min_part_size):
        self.sequence = blocks.sequence_for(cost)
        self.blocks, self.cost, self.min_part_size = blocks, cost, min_part_size
        self.memory = np.zeros((2, max(1, blocks.n_labels)), dtype=np.int64)
        self.window, self.moved = &self.memory[0, 0], &self.memory[1, 0]
        # Long enough that to add up the rows of a segment takes less time than to scan it.
        self.stride = max(64, 16 * blocks.n_labels)
        self.segment = min(self.stride, 2048)
        blocks.add_up(self.stride)

    cdef void count(self, int64_t first, int64_t last, int64_t* counts) noexcept nogil:
        """Rows of every label from block `first` to before `last`, from sums at whole strides."""
        cdef int64_t begin = (first + self.stride - 1) // self.stride, end = last // self.stride
        cdef int64_t label
        # The range is within one stride: no whole sums to subtract, and few entries to add.
        if begin >= end:
            for label in range(self.blocks.n_labels):
                counts[label] = 0
            self.count_entries(first, last, counts)
            return
        for label in range(self.blocks.n_labels):
            counts[label] = self.blocks.sums[end, label] - self.blocks.sums[begin, label]
        # The blocks before the first whole stride and after the last one.
        self.count_entries(first, begin * self.stride, counts)
        self.count_entries(end * self.stride, last, counts)

    cdef inline void count_entries(
        self, int64_t first, int64_t last, int64_t* counts
    ) noexcept nogil:
        cdef int32_t e
        for e in range(self.blocks.pointer[first], self.blocks.pointer[last]):
            counts[self.blocks.labels[e]] += self.blocks.counts[e]

    cdef double cost_of(self, int64_t first, int64_t last) noexcept nogil:
        """Cost of the blocks from `first` to before `last` as one part."""
        self.count(first, last, self.window)
        self.cost.begin_scan(self.window)
        return self.cost.right_cost()

    cdef int64_t best_bound(
        self, int64_t first, int64_t last, double least, double* reached
    ) noexcept nogil:
        """Block before which a bound costs less than `least`, the best such one; -1 if none."""
        cdef int64_t b = first, end
        cdef Split split = Split(last, self.min_part_size, least, -1)
        # All rows of the window start on the right, and pass to the left as the bound moves.
        self.count(first, last, self.window)
        self.cost.begin_scan(self.window)
        # The bound stands before block b, and split.best is the best bound up to there.
        while b < last:
            # Segments end at multiples of their length, most of them where sums are stored, so that
            # their rows are counted fast. The last one is always scanned: no bound may stand at its
            # end.
            end = min((b // self.segment + 1) * self.segment, last)
            if self.cost.has_bound and end < last:
                self.count(b, end, self.moved)
                # No bound in the segment, or at its end, costs less: skipping it loses nothing.
                if self.cost.bound(self.moved) >= split.least:
                    self.cost.move(self.moved)
                    b = end
                    continue
            self.cost.scan(&self.sequence, b, end, &split)
            b = end
        reached[0] = split.least
        return split.best


def part_costs_of(Blocks blocks, PartCost cost, const int64_t[::1] bounds):
    """Cost of every part between neighboring bounds, shape (I,)."""
    cdef Scanner scanner = Scanner(blocks, cost, 1)
    costs = np.empty(bounds.shape[0] - 1)
    cdef double[::1] result = costs
    cdef Py_ssize_t i
    with nogil:
        for i in range(result.shape[0]):
            result[i] = scanner.cost_of(bounds[i], bounds[i + 1])
    return costs


def move_bounds(Blocks blocks, PartCost cost, bounds, double tolerance, min_part_size=1):
    """Every bound at its best position between its neighbors, until none moves: shape (I+1,)."""
    moved = np.array(bounds, dtype=np.int64)
    cdef int64_t[::1] at = moved
    cdef double[::1] costs = part_costs_of(blocks, cost, moved)
    cdef char[::1] waiting = np.ones(len(moved), dtype=np.int8)
    cdef Scanner scanner = Scanner(blocks, cost, min_part_size)
    cdef Py_ssize_t i, I = at.shape[0] - 1
    cdef int64_t position
    cdef double reached = 0.0, left, right
    cdef bint any_moved = True
    with nogil:
        # A bound that is not waiting is the best one between its neighbors, to the tolerance.
        while any_moved:
            any_moved = False
            for i in range(1, I):
                # Neither neighbor has moved since this bound was found best: scanning again would
                # find it again.
                if not waiting[i]:
                    continue
                waiting[i] = 0
                position = scanner.best_bound(
                    at[i - 1], at[i + 1], costs[i - 1] + costs[i] - tolerance, &reached
                )
                # The bound already is where the two parts cost least, to the tolerance.
                if position < 0:
                    continue
                left = scanner.cost_of(at[i - 1], position)
                right = scanner.cost_of(position, at[i + 1])
                # A long scan adds up roundings: without this check bounds could move for ever.
                if left + right < costs[i - 1] + costs[i] - tolerance:
                    at[i], costs[i - 1], costs[i] = position, left, right
                    waiting[i - 1] = waiting[i + 1] = 1
                    any_moved = True
    return moved


def merge_parts(Blocks blocks, PartCost cost, bounds, double tolerance):
    """Merge neighboring parts, the best pair first, while that lowers the cost: shape (I+1,)."""
    cdef const double[::1] prior = cost.priors(len(bounds) - 1)
    at = [int(b) for b in bounds]
    costs = list(part_costs_of(blocks, cost, np.asarray(bounds, dtype=np.int64)))
    cdef Scanner scanner = Scanner(blocks, cost, 1)
    pairs = [
        scanner.cost_of(at[i], at[i + 2]) - costs[i] - costs[i + 1] for i in range(len(at) - 2)
    ]
    # pairs[i] is how much the part costs rise when parts i and i + 1 become one.
    while pairs:
        # The pair whose merge raises the part costs least; the prior of one part less is taken off
        # for all pairs alike.
        best = min(range(len(pairs)), key=pairs.__getitem__)
        n_parts = len(costs)
        if pairs[best] + prior[n_parts - 1] - prior[n_parts] >= -tolerance:
            break
        costs[best : best + 2] = [costs[best] + costs[best + 1] + pairs[best]]
        del at[best + 1], pairs[best]
        # Only the pairs that the merged part is in have another cost now.
        for i in (best - 1, best):
            if 0 <= i < len(pairs):
                pairs[i] = scanner.cost_of(at[i], at[i + 2]) - costs[i] - costs[i + 1]
    return np.array(at, dtype=np.int64)


def split_parts(
    Blocks blocks, PartCost cost, bounds, int64_t most_parts, double tolerance, min_part_size=1
):
    """Split every part once where that lowers the cost, up to `most_parts`: shape (I+1,)."""
    cdef const double[::1] prior = cost.priors(max(most_parts, len(bounds) - 1))
    cdef const int64_t[::1] at = np.asarray(bounds, dtype=np.int64)
    cdef double[::1] costs = part_costs_of(blocks, cost, np.asarray(bounds, dtype=np.int64))
    cdef Scanner scanner = Scanner(blocks, cost, min_part_size)
    cdef Py_ssize_t i, n_parts = costs.shape[0]
    cdef int64_t position
    cdef double reached = 0.0, least
    split = [at[0]]
    # `split` are the bounds up to at[i], of n_parts parts together with those of the rest.
    for i in range(costs.shape[0]):
        if n_parts < most_parts and at[i + 1] - at[i] > 1:
            # Two parts must cost less than this together, for the prior of one part more.
            least = costs[i] + prior[n_parts] - prior[n_parts + 1] - tolerance
            with nogil:
                position = scanner.best_bound(at[i], at[i + 1], least, &reached)
                if position >= 0:
                    reached = scanner.cost_of(at[i], position)
                    reached += scanner.cost_of(position, at[i + 1])
            if position >= 0 and reached < least:
                split.append(position)
                n_parts += 1
        split.append(at[i + 1])
    return np.array(split, dtype=np.int64)


def split_best_part(Blocks blocks, PartCost cost, bounds, min_part_size=1):
    """One split more, where it lowers the part costs most; the same bounds if none is allowed."""
    cdef const int64_t[::1] at = np.asarray(bounds, dtype=np.int64)
    cdef const double[::1] costs = part_costs_of(blocks, cost, np.asarray(bounds, dtype=np.int64))
    cdef Scanner scanner = Scanner(blocks, cost, min_part_size)
    cdef Py_ssize_t i
    cdef int64_t position, best_position = -1
    cdef double reached = 0.0, least_change = INFINITY
    with nogil:
        # A split of the next part must change the costs by less than the best one before did.
        for i in range(costs.shape[0]):
            position = scanner.best_bound(at[i], at[i + 1], costs[i] + least_change, &reached)
            if position >= 0:
                best_position, least_change = position, reached - costs[i]
    return np.sort(np.append(bounds, best_position)) if best_position >= 0 else np.asarray(bounds)

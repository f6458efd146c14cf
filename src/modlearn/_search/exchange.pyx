"""Grouping of many values: merging the best pair of groups, and exchange moves of single values."""

cimport cython
from libc.math cimport INFINITY
from libc.stdint cimport int64_t

import numpy as np

from modlearn.criteria.part_cost cimport PartCost


@cython.final
cdef class Merging:
    """Groups that merge pair by pair, with the gain of every pair at hand."""

    cdef int64_t n
    cdef PartCost cost
    cdef double tolerance
    cdef int64_t[:, ::1] counts
    cdef int64_t[::1] rows
    cdef double[::1] costs
    cdef double[:, ::1] gains
    cdef double[::1] best_gain
    cdef int64_t[::1] partner
    cdef char[::1] alive

    def __init__(self, counts, PartCost cost, double tolerance):
        cost.check_labels(counts.shape[1])
        self.n, self.cost, self.tolerance = counts.shape[0], cost, tolerance
        self.counts, self.rows = counts.copy(), counts.sum(axis=1)
        self.costs, self.gains = np.empty(self.n), np.full((self.n, self.n), -np.inf)
        self.best_gain, self.partner = np.full(self.n, -np.inf), np.zeros(self.n, dtype=np.int64)
        self.alive = np.ones(self.n, dtype=np.int8)
        cdef int64_t i
        with nogil:
            # Costs first: the gain of a pair is read off the costs of both of its groups.
            for i in range(self.n):
                self.costs[i] = self.cost.cost(&self.counts[i, 0])
            for i in range(self.n):
                self.fill_gains(i)
                self.find_partner(i)

    cdef double gain(self, int64_t i, int64_t k) noexcept nogil:
        """How much the part costs fall when two groups become one."""
        return self.costs[i] + self.costs[k] - self.cost.cost_with(
            &self.counts[i, 0], &self.counts[k, 0], 1
        )

    cdef void fill_gains(self, int64_t i) noexcept nogil:
        """Gains of group i with every later one; a pair is kept under its earlier group."""
        cdef int64_t k
        for k in range(i + 1, self.n):
            if self.alive[k]:
                self.gains[i, k] = self.gain(i, k)

    cdef void find_partner(self, int64_t i) noexcept nogil:
        """The later group with which group i gains most; of equal ones the first."""
        cdef int64_t k
        self.best_gain[i] = -INFINITY
        # best_gain[i] is that of the best partner before k.
        for k in range(i + 1, self.n):
            if self.alive[k] and self.gains[i, k] > self.best_gain[i] + self.tolerance:
                self.best_gain[i], self.partner[i] = self.gains[i, k], k

    cdef void absorb(self, int64_t i, int64_t k) noexcept nogil:
        """Group k becomes part of group i."""
        cdef int64_t j, other
        # Counts, rows and cost of group i are those of both groups from here on.
        for j in range(self.cost.n_labels):
            self.counts[i, j] += self.counts[k, j]
        self.rows[i] += self.rows[k]
        self.costs[i] = self.cost.cost(&self.counts[i, 0])
        self.alive[k] = 0
        self.fill_gains(i)
        self.find_partner(i)
        # Only gains with group i have changed. An earlier group's best partner needs to be looked
        # for anew only if it was i or k; else it stays, unless group i has become better.
        for other in range(self.n):
            if not self.alive[other] or other == i:
                continue
            if other < i:
                self.gains[other, i] = self.gain(other, i)
                if self.partner[other] not in (i, k) and (
                    self.gains[other, i] > self.best_gain[other] + self.tolerance
                ):
                    self.best_gain[other], self.partner[other] = self.gains[other, i], i
            if self.partner[other] == k or self.partner[other] == i:
                self.find_partner(other)

    cdef int64_t best_group(self) noexcept nogil:
        """The group whose merge with its partner gains most."""
        cdef int64_t i, best = -1
        # `best` is the best group before i; of equal gains the first one wins.
        for i in range(self.n):
            if self.alive[i] and (
                best < 0 or self.best_gain[i] > self.best_gain[best] + self.tolerance
            ):
                best = i
        return best

    def all_merges(self):
        """Pairs (kept, absorbed) in the order of merging, and the part costs after each."""
        cdef int64_t i, k
        pairs, total = [], float(np.asarray(self.costs).sum())
        totals = [total]
        # `total` is the part costs after the merges so far: each takes its gain off.
        for _ in range(self.n - 1):
            with nogil:
                i = self.best_group()
                k = self.partner[i]
                total -= self.best_gain[i]
                self.absorb(i, k)
            pairs.append((i, k))
            totals.append(total)
        return pairs, np.array(totals)


def merge_groups(counts, PartCost cost, max_groups, min_part_size, double tolerance):
    """Best grouping met while always the best pair merges: group of every item, intp (M,).

    `counts` has shape (M, n_labels).
    """
    n_items = len(counts)
    pairs, totals = Merging(counts, cost, tolerance).all_merges()
    totals = totals + cost.priors(n_items)[:0:-1]
    rows, groups = counts.sum(axis=1), np.arange(n_items)
    best, best_total = groups, np.inf
    # `groups` is the grouping after n_merged merges, and `rows` has the sizes of its groups, 0 for
    # groups that were absorbed. On ties later groupings win, which have fewer groups.
    for n_merged in range(n_items):
        if n_merged:
            kept, absorbed = pairs[n_merged - 1]
            groups = np.where(groups == absorbed, kept, groups)
            rows[kept] += rows[absorbed]
            rows[absorbed] = 0
        n_groups = n_items - n_merged
        allowed = n_groups == 1 or (
            n_groups <= max_groups and (min_part_size <= 1 or rows[rows > 0].min() >= min_part_size)
        )
        if allowed and totals[n_merged] <= best_total + tolerance:
            best, best_total = groups, totals[n_merged]
    return np.unique(best, return_inverse=True)[1]


@cython.final
cdef class Exchange:
    """Groups that trade single items while that lowers the cost."""

    cdef int64_t n_items, n_groups, min_part_size, n_slots
    cdef PartCost cost
    cdef const int64_t[:, ::1] items
    cdef const int64_t[::1] item_rows
    cdef int64_t[::1] group_of, sizes, rows
    cdef int64_t[:, ::1] counts
    cdef double[::1] costs
    cdef const double[::1] prior
    cdef double tolerance

    def __init__(self, items, groups, PartCost cost, max_groups, min_part_size, tolerance):
        cost.check_labels(items.shape[1])
        n_groups, prior = int(groups.max()) + 1, cost.priors(max_groups)
        self.n_items, self.cost = items.shape[0], cost
        self.n_groups, self.min_part_size, self.tolerance = n_groups, min_part_size, tolerance
        self.items, self.item_rows, self.prior = items, items.sum(axis=1), prior
        self.group_of = groups.astype(np.int64)
        self.n_slots = min(len(prior) - 1, 2 * n_groups + 8)
        counts = np.zeros((self.n_slots, items.shape[1]), dtype=np.int64)
        np.add.at(counts, groups, items)
        self.counts, self.rows = counts, counts.sum(axis=1)
        self.sizes = np.bincount(groups, minlength=self.n_slots)
        self.costs = np.zeros(self.n_slots)
        cdef int64_t g
        for g in range(n_groups):
            self.costs[g] = cost.cost(&self.counts[g, 0])

    cdef double change(self, int64_t item, int64_t target, double without) noexcept nogil:
        """Change of the cost when an item moves; `without` is the cost of its group without it."""
        cdef int64_t source = self.group_of[item], n_after = self.n_groups
        cdef double cost = without - self.costs[source] - self.costs[target] + (
            self.cost.cost_with(&self.counts[target, 0], &self.items[item, 0], 1)
        )
        # Moving to an empty slot makes a group, and moving the only item of a group removes one.
        n_after += (self.sizes[target] == 0) - (self.sizes[source] == 1)
        # Not allowed: there is no prior of more groups.
        if n_after >= self.prior.shape[0]:
            return INFINITY
        return cost + self.prior[n_after] - self.prior[self.n_groups]

    cdef void move(self, int64_t item, int64_t target, double without) noexcept nogil:
        cdef int64_t source = self.group_of[item], j
        for j in range(self.cost.n_labels):
            self.counts[source, j] -= self.items[item, j]
            self.counts[target, j] += self.items[item, j]
        self.rows[source] -= self.item_rows[item]
        self.rows[target] += self.item_rows[item]
        self.n_groups += (self.sizes[target] == 0) - (self.sizes[source] == 1)
        self.sizes[source] -= 1
        self.sizes[target] += 1
        self.costs[source] = without
        self.costs[target] = self.cost.cost(&self.counts[target, 0])
        self.group_of[item] = target

    cdef bint improve(self, int64_t item) noexcept nogil:
        """Move an item to the group where it lowers the cost most, which may be a new one."""
        cdef int64_t source = self.group_of[item], g, best = -1
        cdef int64_t left = self.rows[source] - self.item_rows[item]
        cdef double without = 0.0, change, best_change = -self.tolerance
        cdef bint tried_empty = self.sizes[source] == 1
        # The rest of the group would be too small; an item alone leaves no rest.
        if left < self.min_part_size and self.sizes[source] > 1:
            return False
        if self.sizes[source] > 1:
            without = self.cost.cost_with(&self.counts[source, 0], &self.items[item, 0], -1)
        # `best` is the best group before g. Empty ones are all alike: one of them is tried, unless
        # the item is alone already, when a new group of its own changes nothing.
        for g in range(self.n_slots):
            # Skipped are the item's own group, empty slots after the first, and an empty slot if
            # the item alone would be too small a group.
            if g == source or (self.sizes[g] == 0 and (
                tried_empty or self.item_rows[item] < self.min_part_size
            )):
                continue
            tried_empty |= self.sizes[g] == 0
            change = self.change(item, g, without)
            if change < best_change:
                best, best_change = g, change
        if best >= 0:
            self.move(item, best, without)
        return best >= 0

    def run(self):
        """Group of every item once no exchange lowers the cost."""
        cdef int64_t item
        cdef bint improved = True
        with nogil:
            # Every move lowers the cost by more than the tolerance: the loop ends.
            while improved:
                improved = False
                for item in range(self.n_items):
                    improved |= self.improve(item)
        return np.unique(np.asarray(self.group_of), return_inverse=True)[1]


def exchange_items(items, groups, PartCost cost, max_groups, min_part_size, double tolerance):
    """Groups after exchange moves, from the given ones: intp of shape (M,)."""
    return Exchange(items, groups, cost, max_groups, min_part_size, tolerance).run()

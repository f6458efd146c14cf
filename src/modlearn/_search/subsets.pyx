"""Exhaustive search over all groupings of a few values.

A set of values is an integer whose bit v is set if value v belongs to it, so that all sets of V
values are the numbers up to 2**V - 1, and every subset of a set is a smaller number.
"""

from libc.math cimport INFINITY
from libc.stdint cimport int64_t

import numpy as np

from modlearn.criteria.part_cost cimport PartCost


cdef void fill_subset_costs(
    const int64_t[:, ::1] counts, PartCost cost, double[::1] costs, int64_t[::1] sums,
    int64_t min_part_size,
) noexcept nogil:
    """Part cost of every set of values, numbered by its bits."""
    cdef int64_t n_values = counts.shape[0], J = counts.shape[1], subset, value, j, rows
    cdef int64_t everything = (<int64_t> 1 << n_values) - 1
    # The costs of all smaller numbers are final; each set adds up its own values in `sums`.
    for subset in range(1, everything + 1):
        rows = 0
        for j in range(J):
            sums[j] = 0
        for value in range(n_values):
            if subset >> value & 1:
                for j in range(J):
                    sums[j] += counts[value, j]
        for j in range(J):
            rows += sums[j]
        costs[subset] = cost.cost(&sums[0])
        # A group that is too small can be part of no grouping, unless it is the only group.
        if rows < min_part_size and subset != everything:
            costs[subset] = INFINITY


cdef void add_group(
    const double[::1] costs, const double[::1] before, double[::1] after, int64_t[::1] chosen,
    double tolerance,
) noexcept nogil:
    """Least cost of every set in one group more; the new group holds the lowest value."""
    cdef int64_t subset, group, rest, lowest
    after[0] = INFINITY
    # `before` has the least cost of every set in one group less, and `after` is right up to
    # `subset`. That the new group holds the lowest value of the set loses nothing: some group
    # does, and groups have no order. So each grouping is tried once rather than once per order.
    for subset in range(1, after.shape[0]):
        lowest = subset & -subset
        rest = subset ^ lowest
        after[subset] = INFINITY
        chosen[subset] = 0
        group = rest
        # `group` runs through all subsets of `rest`, from the whole down to the empty one: what it
        # leaves over is shared by the other groups. Over all sets these are 3**V steps.
        while True:
            # Sets that cannot be divided cost infinity, which is never less.
            if costs[group | lowest] + before[rest ^ group] < after[subset] - tolerance:
                after[subset] = costs[group | lowest] + before[rest ^ group]
                chosen[subset] = group | lowest
            if group == 0:
                break
            group = (group - 1) & rest


def best_grouping_of_few(counts, PartCost cost, max_groups, min_part_size, double tolerance):
    """Group of every value in the grouping of least cost: intp of shape (V,).

    `counts` has shape (V, n_labels).
    """
    cdef const int64_t[:, ::1] table = np.ascontiguousarray(counts, dtype=np.int64)
    cdef int64_t n_values = table.shape[0], n_labels = table.shape[1], least = min_part_size
    cost.check_labels(n_labels)
    prior = cost.priors(max_groups)
    cdef int64_t everything = (<int64_t> 1 << n_values) - 1
    cdef double[::1] costs = np.full(everything + 1, np.inf)
    cdef double[::1] before = np.full(everything + 1, np.inf), after
    cdef int64_t[::1] sums = np.empty(n_labels, dtype=np.int64), chosen
    with nogil:
        fill_subset_costs(table, cost, costs, sums, least)
    choices, best, best_total = [], 1, np.inf
    before[0] = 0.0  # no values in no group
    # `before` has the least cost of every set in n_groups - 1 groups, `choices` the group of the
    # lowest value of every set for each number of groups so far.
    for n_groups in range(1, max_groups + 1):
        after = np.empty(everything + 1)
        chosen = np.zeros(everything + 1, dtype=np.int64)
        with nogil:
            add_group(costs, before, after, chosen, tolerance)
        choices.append(chosen)
        before = after
        if after[everything] + prior[n_groups] < best_total - tolerance:
            best, best_total = n_groups, after[everything] + prior[n_groups]
    groups = np.empty(n_values, dtype=np.intp)
    rest = everything
    # The values in `rest` are still without a group, and have n_groups groups among them.
    for n_groups in range(best, 0, -1):
        members = choices[n_groups - 1][rest]
        groups[[v for v in range(n_values) if members >> v & 1]] = n_groups - 1
        rest ^= members
    return groups

"""The best grouping of the values of a categorical column.

The cost of a part is strictly concave in its vector of class counts: it is -log of an integral of
exponentials of linear functions. Moving rows between two groups along a line is therefore best
done to an end of that line. Two facts follow. Values with proportional counts, pure values of one
class among them, share a group in every optimum: they are joined to one item beforehand. And with
two classes the counts of one of two groups are a corner of the polygon of all sums of values,
which splits them by the share of a class: in this order every optimal group is an interval, and
the exact search over intervals is exhaustive.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from modlearn._count.tables import ValueCounts
from modlearn._optimize.blocks import from_dense
from modlearn._optimize.exchange import exchange_items, merge_groups
from modlearn._optimize.intervals import (
    Limits,
    Optimum,
    best_intervals,
    coarsen,
    tolerance_of,
)
from modlearn._optimize.subsets import best_grouping_of_few
from modlearn.criteria import grouping_cost, grouping_prior

__all__ = ["Grouping", "best_groups", "group_values"]

EXHAUSTIVE_ITEMS = 12
"""All groupings of so many items are tried."""

MERGED_ITEMS = 1500
"""So many items are merged pair by pair; more of them are first reduced to so many."""

Counts = NDArray[np.int64]
Groups = NDArray[np.intp]


@dataclass(frozen=True)
class Grouping:
    """Groups of the values of a categorical column, the largest first.

    Parameters
    ----------
    group_of_value : ndarray of shape (V,), intp
        The group of every value.
    counts : ndarray of shape (I, J), int64
        Rows per group and class.
    cost, null_cost : float
        Of this grouping and of one group.
    proven : bool
        Whether no grouping costs less.
    """

    group_of_value: Groups
    counts: Counts
    cost: float
    null_cost: float
    proven: bool


def group_values(values: ValueCounts, limits: Limits) -> Grouping:
    """Find the grouping of least cost."""
    groups, proven = best_groups(values, limits)
    counts = values.summed(groups)
    null_cost = grouping_cost(counts.sum(axis=0, keepdims=True), values.n_values)
    return Grouping(groups, counts, grouping_cost(counts, values.n_values), null_cost, proven)


def best_groups(values: ValueCounts, limits: Limits) -> tuple[Groups, bool]:
    """Group of every value, shape (V,), largest group first; and whether no grouping is better."""
    item_of_value = _proportional(values)
    free = Limits(limits.max_parts)
    found, proven = _best_of_items(values.summed(item_of_value), values.n_values, free)
    groups = found[item_of_value]
    if not limits.allow(values.summed(groups).sum(axis=1)):
        # A least size may call for proportional values in different groups.
        every = np.arange(values.n_values)
        groups, _ = _best_of_items(values.summed(every), values.n_values, limits)
        proven = values.n_values <= EXHAUSTIVE_ITEMS
    return _largest_first(values, groups), proven


def _proportional(values: ValueCounts) -> Groups:
    """Number of the item of every value; values with proportional counts share one."""
    starts = values.pointer[:-1]
    divisors = np.gcd.reduceat(values.rows, starts)
    reduced = values.rows // np.repeat(divisors, np.diff(values.pointer))
    # Equal reduced counts have equal sums of random 64-bit words; others have not.
    words = np.random.default_rng(0).integers(0, 2**64, values.n_classes, dtype=np.uint64)
    sums = np.add.reduceat(reduced.astype(np.uint64) * words[values.classes], starts)
    _, first, item = np.unique(sums, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[item]


def _largest_first(values: ValueCounts, groups: Groups) -> Groups:
    """Groups renumbered by decreasing rows, on ties by their first value."""
    _, first, groups = np.unique(groups, return_index=True, return_inverse=True)
    rows = values.summed(groups).sum(axis=1)
    return np.argsort(np.lexsort((first, -rows)))[groups]


def _best_of_items(items: Counts, n_values: int, limits: Limits) -> tuple[Groups, bool]:
    """Group of every item, shape (M,), and whether no grouping of the items is better."""
    items = _in_canonical_class_order(items)
    if len(items) <= EXHAUSTIVE_ITEMS:
        return _best_of_few(items, n_values, limits), True
    if items.shape[1] == 2:
        return _best_by_share(items, n_values, limits)
    return _merged_and_exchanged(items, n_values, limits), False


def _in_canonical_class_order(items: Counts) -> Counts:
    """Columns sorted by what is in them, so that no result depends on the order of classes."""
    columns = np.ascontiguousarray(items.T)
    order = sorted(range(len(columns)), key=lambda j: (-columns[j].sum(), columns[j].tobytes()))
    return np.ascontiguousarray(items[:, order])


def _priors(n_values: int, most_groups: int) -> NDArray[np.float64]:
    """Prior of I groups at position I, from 0 to most_groups."""
    return np.concatenate(([0.0], grouping_prior(n_values, np.arange(1, most_groups + 1))))


def _best_of_few(items: Counts, n_values: int, limits: Limits) -> Groups:
    most = min(limits.max_parts or len(items), len(items))
    tolerance = tolerance_of(int(items.sum()))
    return best_grouping_of_few(
        items, _priors(n_values, most), most, limits.min_part_size, tolerance
    )


def _best_by_share(items: Counts, n_values: int, limits: Limits) -> tuple[Groups, bool]:
    """Intervals in the order of the share of the first class."""
    share = items[:, 0] / items.sum(axis=1)
    order = np.argsort(share, kind="stable")
    found: Optimum = best_intervals(
        from_dense(items[order]),
        lambda n_groups: grouping_prior(n_values, n_groups),
        int(items.sum()),
        limits,
    )
    groups = np.empty(len(items), dtype=np.intp)
    groups[order] = np.repeat(np.arange(len(found.bounds) - 1), np.diff(found.bounds))
    return groups, found.proven


def _merged_and_exchanged(items: Counts, n_values: int, limits: Limits) -> Groups:
    """Pairs merged, then items exchanged and groups merged again until nothing helps."""
    tolerance = tolerance_of(int(items.sum()))
    most = min(limits.max_parts or len(items), len(items))
    groups = _reduced(items, n_values)
    n_groups = 0
    while True:
        summed = np.zeros((int(groups.max()) + 1, items.shape[1]), dtype=np.int64)
        np.add.at(summed, groups, items)
        prior = _priors(n_values, len(summed))
        groups = merge_groups(summed, prior, most, limits.min_part_size, tolerance)[groups]
        if int(groups.max()) + 1 == n_groups:
            return groups
        prior = _priors(n_values, min(most, 2 * int(groups.max()) + 10))
        groups = exchange_items(items, groups, prior, limits.min_part_size, tolerance)
        n_groups = int(groups.max()) + 1


def _reduced(items: Counts, n_values: int) -> Groups:
    """At most MERGED_ITEMS groups of items alike in their leading class and its share."""
    if len(items) <= MERGED_ITEMS:
        return np.arange(len(items))
    leading = items.argmax(axis=1)
    share = items.max(axis=1) / items.sum(axis=1)
    order = np.lexsort((share, leading))
    _, starts = coarsen(
        from_dense(items[order]),
        lambda n_groups: grouping_prior(n_values, n_groups),
        MERGED_ITEMS,
    )
    groups = np.empty(len(items), dtype=np.intp)
    groups[order] = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
    return groups

"""The best grouping of the values of a categorical column.

The cost of a part is strictly concave in its vector of class counts: it is -log of an integral of
exponentials of linear functions. (A part cost says whether it is.) Moving rows between two groups
along a line is therefore best done to an end of that line. Two facts follow. Values with
proportional counts, pure values of one class among them, share a group in every optimum: they are
joined to one item beforehand. And with two classes the counts of one of two groups are a corner of
the polygon of all sums of values, which splits them by the share of a class: in this order every
optimal group is an interval, and the exact search over intervals is exhaustive.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from modlearn._search.blocks import from_dense
from modlearn._search.coarsening import merge_in_rounds
from modlearn._search.exchange import exchange_items, merge_groups
from modlearn._search.intervals import (
    Limits,
    best_intervals,
    is_exact,
    tolerance_of,
)
from modlearn._search.subsets import best_grouping_of_few
from modlearn._statistics.categories import CategoryCounts
from modlearn.criteria import Costing, Criterion, PartCost, grouping_prior

__all__ = [
    "Grouping",
    "best_groups",
    "group_values",
    "improved_groups",
    "proportional",
    "similar_items",
    "summed_items",
]

EXHAUSTIVE_ITEMS = 12
"""All groupings of up to this number of items are tried."""

MERGED_ITEMS = 1500
"""Up to this number of items are merged pair by pair."""

REDUCED_ITEMS = 800
"""More items than that are first reduced to this number."""

MANY_ITEMS = 20_000
"""With more items than this only the cheapest start is improved."""

FINE_GROUPS = 20
"""This number of groups trade items as if groups were free, before they merge."""

Counts = NDArray[np.int64]
Groups = NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Grouping:
    """Groups of the values of a categorical column, largest first.

    Parameters
    ----------
    group_of_value : ndarray of shape (V,), intp
        The group of every value.
    counts : ndarray of shape (I, J), int64
        Rows per group and class.
    cost, null_cost : float
        Cost of this grouping and of one group.
    proven : bool
        Whether no grouping costs less.
    """

    group_of_value: Groups
    counts: Counts
    cost: float
    null_cost: float
    proven: bool


def group_values(values: CategoryCounts, criterion: Criterion, limits: Limits) -> Grouping:
    """Find the grouping of lowest cost."""
    n_values = values.n_values
    groups, proven = best_groups(values, criterion.group_part_cost, limits)
    counts = values.summed(groups)
    null_cost = criterion.group_cost(counts.sum(axis=0, keepdims=True), n_values)
    return Grouping(groups, counts, criterion.group_cost(counts, n_values), null_cost, proven)


def best_groups(values: CategoryCounts, part_cost: Costing, limits: Limits) -> tuple[Groups, bool]:
    """Return the group of every value, largest group first; and whether it is proven optimal."""
    cost = part_cost(values.n_classes, partial(grouping_prior, values.n_values))
    free_cost = part_cost(values.n_classes, np.zeros_like)
    every = np.arange(values.n_values)
    item_of_value = proportional(values) if cost.is_concave else every
    free = Limits(limits.max_parts)
    found, proven = _best_of_items(values.summed(item_of_value), cost, free_cost, free)
    groups = found[item_of_value]
    if not limits.allow(values.summed(groups).sum(axis=1)):
        # A minimum size may require proportional values in different groups.
        groups, proven = _best_of_items(values.summed(every), cost, free_cost, limits)
        proven = proven and values.n_values <= EXHAUSTIVE_ITEMS
    return _largest_first(values, groups), proven


def proportional(values: CategoryCounts) -> Groups:
    """Return the item number of every value; values with proportional counts share one."""
    starts = values.pointer[:-1]
    divisors = np.gcd.reduceat(values.rows, starts)
    reduced = values.rows // np.repeat(divisors, np.diff(values.pointer))
    # Equal reduced counts have equal sums of random 64-bit words. The probability that any two of a
    # million others have equal sums is below 1e-7.
    words = np.random.default_rng(0).integers(0, 2**64, values.n_classes, dtype=np.uint64)
    sums = np.add.reduceat(reduced.astype(np.uint64) * words[values.classes], starts)
    _, first, item = np.unique(sums, return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[item]


def _largest_first(values: CategoryCounts, groups: Groups) -> Groups:
    """Renumber groups by decreasing rows, ties by their first value."""
    _, first, groups = np.unique(groups, return_index=True, return_inverse=True)
    rows = values.summed(groups).sum(axis=1)
    return np.argsort(np.lexsort((first, -rows)))[groups]


def _best_of_items(
    items: Counts, cost: PartCost, free_cost: PartCost, limits: Limits
) -> tuple[Groups, bool]:
    """Return the group of every item, shape (M,), and whether it is proven optimal.

    `free_cost` is the cost without a prior, as if groups were free.
    """
    items = _in_canonical_class_order(items, cost.n_alike)
    if len(items) <= EXHAUSTIVE_ITEMS:
        return _best_of_few(items, cost, limits), is_exact(int(items.sum()))
    if items.shape[1] == 2 and cost.is_concave:
        return _best_by_share(items, cost, limits)
    return _best_of_starts(items, cost, free_cost, limits), False


def _in_canonical_class_order(items: Counts, n_alike: int) -> Counts:
    """Sort alike labels by their counts, so that no result depends on the order of classes."""
    columns = np.ascontiguousarray(items.T)
    order = sorted(range(n_alike), key=lambda j: (-columns[j].sum(), columns[j].tobytes()))
    return np.ascontiguousarray(items[:, [*order, *range(n_alike, len(columns))]])


def _best_of_few(items: Counts, cost: PartCost, limits: Limits) -> Groups:
    most = min(limits.max_parts or len(items), len(items))
    tolerance = tolerance_of(int(items.sum()))
    return best_grouping_of_few(items, cost, most, limits.min_part_size, tolerance)


def _best_by_share(items: Counts, cost: PartCost, limits: Limits) -> tuple[Groups, bool]:
    """Return intervals in the order of the share of the first class; and whether optimal."""
    order = np.argsort(items[:, 0] / items.sum(axis=1), kind="stable")
    found = best_intervals(from_dense(items[order]), cost, int(items.sum()), limits)
    groups = _groups_between(found.bounds, order)
    if limits.min_part_size > 1:
        # Rows that a small group lacks may come from any other group.
        groups = improved_groups(items, groups, cost, limits)
    return groups, found.proven


def _groups_between(bounds: NDArray[np.int64], order: NDArray[np.intp]) -> Groups:
    """Return the group of every item, from bounds in the order of the items."""
    groups = np.empty(len(order), dtype=np.intp)
    groups[order] = np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
    return groups


def _best_of_starts(items: Counts, cost: PartCost, free_cost: PartCost, limits: Limits) -> Groups:
    """Return the best groups from three starts: merged pairs, intervals on two axes, many groups.

    Merging pairs fails for many values with few rows each, where no two look similar. An order by
    what values have in common with others does not, nor do groups that may first trade items
    freely. Each start is improved, and the best result is kept.
    """
    reduced = similar_items(items, cost, MERGED_ITEMS, REDUCED_ITEMS)
    starts = [reduced, _fine_groups(items, reduced, free_cost, limits)]
    starts += [_intervals_along(items, scores, cost, limits) for scores in _axes(items)]
    if len(items) > MANY_ITEMS:
        starts = [_cheapest(items, [_merged(items, g, cost, limits) for g in starts], cost)]
    found = [improved_groups(items, groups, cost, limits) for groups in starts]
    return _cheapest(items, found, cost)


def _cheapest(items: Counts, groupings: list[Groups], cost: PartCost) -> Groups:
    """Return the first of the groupings with the lowest cost."""
    costs = [cost.total(summed_items(items, groups)) for groups in groupings]
    least = min(costs) + tolerance_of(int(items.sum()))
    return next(groups for groups, cost in zip(groupings, costs, strict=True) if cost <= least)


def _fine_groups(items: Counts, reduced: Groups, free_cost: PartCost, limits: Limits) -> Groups:
    """Return at most FINE_GROUPS groups of the reduced items, regardless of their prior."""
    tolerance, size = tolerance_of(int(items.sum())), limits.min_part_size
    summed = summed_items(items, reduced)
    groups = merge_groups(summed, free_cost, FINE_GROUPS, size, tolerance)
    found = exchange_items(summed, groups, free_cost, int(groups.max()) + 1, size, tolerance)
    return found[reduced]


def _intervals_along(
    items: Counts, scores: NDArray[np.float64], cost: PartCost, limits: Limits
) -> Groups:
    """Return good intervals in the order of the scores, as a start: runs are merged first."""
    order = np.argsort(scores, kind="stable")
    ordered = items[order]
    starts = _merged_at_any_price(ordered, cost, MERGED_ITEMS)
    coarse = from_dense(np.add.reduceat(ordered, starts[:-1], axis=0))
    found = best_intervals(coarse, cost, int(items.sum()), limits)
    return _groups_between(starts[found.bounds], order)


def _merged_at_any_price(items: Counts, cost: PartCost, most: int) -> NDArray[np.int64]:
    """Merge neighbors to at most `most` runs, best pairs first; return their starts and the end.

    Pairs merge even if that raises the cost: with few rows per value and many groups, the prior of
    one more group is almost 0, and a value becomes informative only together with others.
    """
    return merge_in_rounds(from_dense(items), cost, most)


def _axes(items: Counts) -> NDArray[np.float64]:
    """Return the scores of items on the first two axes of a correspondence analysis, (2, M).

    Classes without rows, as some training rows leave them, have no part in it.
    """
    items = items[:, items.any(axis=0)]
    if items.shape[1] < 2:
        return np.zeros((2, len(items)))
    shares = items / items.sum()
    rows, columns = shares.sum(axis=1, keepdims=True), shares.sum(axis=0, keepdims=True)
    residuals = (shares - rows * columns) / np.sqrt(rows * columns)
    axes = np.linalg.eigh(residuals.T @ residuals).eigenvectors[:, [-1, -2]]
    axes *= np.sign(axes[np.abs(axes).argmax(axis=0), [0, 1]])
    # Rounded, so that scores that differ only by rounding errors are ties.
    scores: NDArray[np.float64] = np.round(residuals / np.sqrt(rows) @ axes, 9).T
    return scores


def summed_items(items: Counts, groups: Groups) -> Counts:
    """Count rows per group and class."""
    summed = np.zeros((int(groups.max()) + 1, items.shape[1]), dtype=np.int64)
    np.add.at(summed, groups, items)
    return summed


def _merged(items: Counts, groups: Groups, cost: PartCost, limits: Limits) -> Groups:
    """Return the best groups met while the best pair of groups is merged repeatedly."""
    most = min(limits.max_parts or len(items), len(items))
    summed, tolerance = summed_items(items, groups), tolerance_of(int(items.sum()))
    return merge_groups(summed, cost, most, limits.min_part_size, tolerance)[groups]


def improved_groups(items: Counts, groups: Groups, cost: PartCost, limits: Limits) -> Groups:
    """Merge groups, exchange items and merge again until nothing helps."""
    most = min(limits.max_parts or len(items), len(items))
    tolerance, size = tolerance_of(int(items.sum())), limits.min_part_size
    n_groups = 0
    while True:
        groups = _merged(items, groups, cost, limits)
        if int(groups.max()) + 1 == n_groups:
            return groups
        most_tried = min(most, 2 * int(groups.max()) + 10)
        groups = exchange_items(items, groups, cost, most_tried, size, tolerance)
        n_groups = int(groups.max()) + 1


def similar_items(items: Counts, cost: PartCost, most: int, n_groups: int) -> Groups:
    """Return a group per item or, for more than `most` items, at most `n_groups` groups.

    The items of such a group are similar in their leading class and its share.
    """
    if len(items) <= most:
        return np.arange(len(items))
    leading = items.argmax(axis=1)
    share = items.max(axis=1) / items.sum(axis=1)
    order = np.lexsort((share, leading))
    starts = _merged_at_any_price(items[order], cost, n_groups)
    return _groups_between(starts, order)

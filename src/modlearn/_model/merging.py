"""Parts of a column that are put together, as the axes of a tree have them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from modlearn._model.partitions import Groups, Intervals, Partition
from modlearn.criteria import discretization_cost, grouping_cost, level

__all__ = ["merged"]


def merged(partition: Partition, parts: NDArray[np.intp]) -> Partition:
    """Return a partition of fewer parts; `parts` holds the new part of each, shape (I,).

    The new parts of intervals must have their order.
    """
    counts = np.zeros((int(parts.max()) + 1, partition.counts.shape[1]), dtype=np.int64)
    np.add.at(counts, parts, partition.counts)
    unlabeled = np.zeros(len(counts), dtype=np.int64)
    np.add.at(unlabeled, parts, partition.unlabeled_counts)
    one_part = counts.sum(axis=0, keepdims=True)
    if isinstance(partition, Intervals):
        found: Partition = _intervals(partition, parts)
        cost, null_cost = discretization_cost(counts), discretization_cost(one_part)
    else:
        assert isinstance(partition, Groups)
        found = replace(partition, groups=_members(partition, parts))
        n_values = sum(map(len, partition.groups))
        cost, null_cost = grouping_cost(counts, n_values), grouping_cost(one_part, n_values)
    return replace(
        found,
        counts=counts,
        unlabeled_counts=unlabeled,
        cost=cost,
        null_cost=null_cost,
        level=level(cost, null_cost),
        proven_optimal=False,
    )


def _intervals(intervals: Intervals, parts: NDArray[np.intp]) -> Intervals:
    """Return intervals without the cuts within new parts."""
    kept = np.diff(parts) > 0
    missing_alone = intervals.missing_alone and bool(kept[:1].all())
    of_cuts = kept[intervals.missing_alone :]
    return replace(
        intervals,
        cuts=intervals.cuts[of_cuts],
        sides=intervals.sides[of_cuts],
        missing_alone=missing_alone and len(parts) > 1,
    )


def _members(groups: Groups, parts: NDArray[np.intp]) -> tuple[tuple[object, ...], ...]:
    """Return the values of each new group, in the order of those before."""
    found: list[list[object]] = [[] for _ in range(int(parts.max()) + 1)]
    for group, part in zip(groups.groups, parts.tolist(), strict=True):
        found[part].extend(group)
    return tuple(map(tuple, found))

"""A column as an axis of grids: its distinct values, and parts of them as a partition."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from modlearn._fit.columns import members_of_groups
from modlearn._model.groups import Groups
from modlearn._model.intervals import Intervals
from modlearn._model.partition import Partition
from modlearn._search.cuts import median_cut, midpoint
from modlearn._statistics.categories import CategoryCounts
from modlearn._statistics.numeric import NumericCounts
from modlearn._statistics.rows import Bins, Rows
from modlearn.criteria import discretization_cost, grouping_cost, level

__all__ = ["AxisColumn", "axis_column", "axis_partition", "largest_first"]

Parts = NDArray[np.intp]


@dataclass(frozen=True)
class AxisColumn:
    """One column as an axis, and what is known of it alone.

    Parameters
    ----------
    partition : Partition
        Its best partition.
    values : ndarray of shape (V,), or tuple
        Its distinct values among the labeled rows, missing first.
    rows : ndarray of shape (V,), int64
        Labeled rows of each value.
    parts : ndarray of shape (V,), intp
        Part of each value in the best partition.
    unlabeled : NumericCounts or CategoryCounts
        The unlabeled rows.
    """

    partition: Partition
    values: NDArray[np.float64] | tuple[Hashable, ...]
    rows: NDArray[np.int64]
    parts: Parts
    unlabeled: NumericCounts | CategoryCounts

    @property
    def name(self) -> Hashable:
        """Name of the column."""
        return self.partition.name

    @property
    def ordered(self) -> bool:
        """Whether parts are intervals; otherwise they are groups."""
        return isinstance(self.partition, Intervals)

    @property
    def n_values(self) -> int:
        """V, the number of distinct values."""
        return len(self.values)

    @property
    def saving(self) -> float:
        """What the partition saves compared with one part, in nats."""
        return self.partition.null_cost - self.partition.cost

    @cached_property
    def null_cost(self) -> float:
        """Cost of one part, by the criterion of labeled rows."""
        return self.cost(self.partition.counts.sum(axis=0, keepdims=True))

    def cost(self, counts: NDArray[np.int64]) -> float:
        """Cost of parts with these counts, by the criterion of labeled rows."""
        if self.ordered:
            return discretization_cost(counts)
        return grouping_cost(counts, self.n_values)

    def bins(self, n_bins: int) -> Bins:
        """A coarse view: runs of values with about equally many rows, or the most frequent values."""
        if not self.ordered:
            rank = np.argsort(np.argsort(-self.rows, kind="stable"))
            return Bins(self.name, np.minimum(rank, n_bins - 1).astype(np.uint8))
        if self.n_values <= n_bins:
            return Bins(self.name, np.arange(self.n_values, dtype=np.uint8))
        middles = np.cumsum(self.rows) - self.rows / 2
        runs = (middles * (n_bins / self.rows.sum())).astype(np.int32)
        return Bins(self.name, np.unique(runs, return_inverse=True)[1].astype(np.uint8))


def axis_column(rows: Rows, partition: Partition) -> AxisColumn:
    """Count a column and number its values."""
    if isinstance(partition, Intervals):
        (numbers,) = rows.numeric([partition.name])
        values, counts = numbers.labeled().distinct()
        parts = partition.codes(values).astype(np.intp)
        return AxisColumn(partition, values, counts, parts, numbers.unlabeled())
    assert isinstance(partition, Groups)
    (categories,) = rows.categories([partition.name])
    labeled = categories.labeled()
    parts = partition.codes(labeled.values).astype(np.intp)
    return AxisColumn(
        partition, labeled.values, labeled.rows_of_values, parts, categories.unlabeled()
    )


def largest_first(parts: Parts, rows: NDArray[np.int64]) -> NDArray[np.intp]:
    """Groups by decreasing rows, on ties by their first value."""
    first = np.unique(parts, return_index=True)[1]
    return np.lexsort((first, -rows))


def axis_partition(column: AxisColumn, parts: Parts, counts: NDArray[np.int64]) -> Partition:
    """One axis of a grid as a partition of its column."""
    if column.ordered:
        return _intervals(column, parts, counts)
    known, cost, values = column.partition, column.cost(counts), column.values
    assert isinstance(values, tuple)
    return Groups(
        name=known.name,
        classes=known.classes,
        counts=counts,
        unlabeled_counts=_unlabeled_of_groups(column, parts, len(counts)),
        cost=cost,
        null_cost=column.null_cost,
        level=level(cost, column.null_cost),
        proven_optimal=False,
        groups=members_of_groups(values, parts, column.rows),
    )


def _unlabeled_of_groups(column: AxisColumn, parts: Parts, n_parts: int) -> NDArray[np.int64]:
    """Unlabeled rows per group; values that only they have are in no group."""
    found = np.zeros(n_parts, dtype=np.int64)
    rest = column.unlabeled
    assert isinstance(rest, CategoryCounts)
    if rest.n_values:
        assert isinstance(column.values, tuple)
        part_of = dict(zip(column.values, parts.tolist(), strict=True))
        for value, rows in zip(rest.values, rest.rows_of_values.tolist(), strict=True):
            if value in part_of:
                found[part_of[value]] += rows
    return found


def _intervals(column: AxisColumn, parts: Parts, counts: NDArray[np.int64]) -> Intervals:
    """The intervals of an axis; cuts are midway, or at the median of the unlabeled rows between."""
    known, values, rest = column.partition, column.values, column.unlabeled
    assert isinstance(known, Intervals)
    assert isinstance(values, np.ndarray)
    assert isinstance(rest, NumericCounts)
    ends = np.flatnonzero(np.diff(parts)) + 1
    missing_alone = len(ends) > 0 and bool(np.isnan(values[ends[0] - 1]))
    left, right = values[ends - 1][missing_alone:], values[ends][missing_alone:]
    if len(rest.values):
        cuts = np.array([median_cut(a, b, rest) for a, b in zip(left, right, strict=True)])
        sides = _sides(left, right, cuts, rest)
    else:
        cuts, sides = np.atleast_1d(midpoint(left, right)), np.column_stack((left, right))
    cost = column.cost(counts)
    found = Intervals(
        name=known.name,
        classes=known.classes,
        counts=counts,
        unlabeled_counts=np.zeros(len(counts), dtype=np.int64),
        cost=cost,
        null_cost=column.null_cost,
        level=level(cost, column.null_cost),
        proven_optimal=False,
        cuts=cuts.astype(np.float64),
        sides=sides,
        missing_alone=missing_alone,
        n_missing=(int(column.rows[0]) if np.isnan(values[0]) else 0) + rest.missing_rows,
        kind=known.kind,
    )
    if len(rest.values):
        codes = found.codes(rest.values)
        found.unlabeled_counts[:] = np.bincount(codes, rest.rows, len(counts)).astype(np.int64)
    return found


def _sides(
    left: NDArray[np.float64],
    right: NDArray[np.float64],
    cuts: NDArray[np.float64],
    unlabeled: NumericCounts,
) -> NDArray[np.float64]:
    """Values next to every cut, shape (n_cuts, 2): the labeled ones given, or unlabeled ones."""
    rest = np.concatenate(([-np.inf], unlabeled.values[unlabeled.n_missing :], [np.inf]))
    right_of = np.searchsorted(rest[1:-1], cuts, side="right")
    return np.column_stack(
        (np.maximum(left, rest[right_of]), np.minimum(right, rest[right_of + 1]))
    )

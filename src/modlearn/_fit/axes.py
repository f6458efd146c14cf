"""A column as an axis of grids: its values numbered, and parts of them as a partition."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from modlearn._fit.columns import members_of_groups, missing_rows
from modlearn._model.groups import Groups
from modlearn._model.intervals import Intervals
from modlearn._model.partition import Partition
from modlearn._search.cuts import median_cut, midpoint
from modlearn._statistics.numeric import NumericCounts
from modlearn._statistics.numeric import count_numbers
from modlearn._statistics.pairs import Axis
from modlearn._tables.memory.table import Table
from modlearn._tables.target import Target
from modlearn.criteria import discretization_cost, grouping_cost, level

__all__ = ["AxisColumn", "axis_column", "axis_partition", "largest_first"]

Parts = NDArray[np.intp]


@dataclass(frozen=True)
class AxisColumn:
    """One column as an axis, and what is known of it alone."""

    partition: Partition
    axis: Axis
    values: NDArray[np.float64] | tuple[Hashable, ...]  # (V,), missing first
    parts: Parts  # (V,) of the partition
    rows: NDArray[np.int64]  # (V,) labeled rows
    unlabeled: NumericCounts | None
    unlabeled_rows: NDArray[np.int64]  # (V + 1,) of a categorical column, those of others last

    @property
    def saving(self) -> float:
        """What the partition saves against one part, in nats."""
        return self.partition.null_cost - self.partition.cost

    @cached_property
    def null_cost(self) -> float:
        """Cost of one part, by the criterion of labeled rows."""
        return self.cost(self.partition.counts.sum(axis=0, keepdims=True))

    def cost(self, counts: NDArray[np.int64]) -> float:
        """Cost of parts with these counts, by the criterion of labeled rows."""
        if self.axis.ordered:
            return discretization_cost(counts)
        return grouping_cost(counts, self.axis.n_values)


def axis_column(
    table: Table, i: int, partition: Partition, target: Target, used: NDArray[np.bool_]
) -> AxisColumn:
    """Read a column and number its values."""
    if isinstance(partition, Intervals):
        return _numeric(table.numeric(i).values, partition, target, used)
    assert isinstance(partition, Groups)
    column = table.categorical(i)
    found, codes = np.unique(column.codes[used], return_inverse=True)
    values = tuple(None if c < 0 else column.categories[c] for c in found.tolist())
    axis = Axis(codes.astype(np.int32), len(values), ordered=False)
    weights = _weights(target)
    rest = ~target.is_labeled
    places = np.full(len(column.categories) + 1, len(values), dtype=np.intp)
    places[found + 1] = np.arange(len(values))
    rest_rows = np.bincount(places[column.codes[rest] + 1], weights[rest], len(values) + 1)
    return AxisColumn(
        partition, axis, values, partition.codes(values).astype(np.intp),
        _rows_of(codes, weights[used]), None, rest_rows.astype(np.int64),
    )  # fmt: skip


def _weights(target: Target) -> NDArray[np.int64]:
    """How often every row counts."""
    return np.ones(len(target.codes), dtype=np.int64) if target.weights is None else target.weights


def _rows_of(codes: NDArray[np.intp], weights: NDArray[np.int64]) -> NDArray[np.int64]:
    return np.bincount(codes, weights).astype(np.int64)


def _numeric(
    values: NDArray[np.float64], partition: Intervals, target: Target, used: NDArray[np.bool_]
) -> AxisColumn:
    """Number the values of a numeric column; missing comes first."""
    found, codes = np.unique(values[used], return_inverse=True)
    if np.isnan(found[-1]):
        found, codes = np.roll(found, 1), (codes + 1) % len(found)
    weights = _weights(target)
    rest = np.flatnonzero(~target.is_labeled)
    unlabeled = count_numbers(
        values[rest], target.codes[rest], None if target.weights is None else weights[rest],
        target.n_classes,
    )  # fmt: skip
    axis = Axis(codes.astype(np.int32), len(found), ordered=True)
    return AxisColumn(
        partition, axis, found, partition.codes(found).astype(np.intp),
        _rows_of(codes, weights[used]), unlabeled,
        np.zeros(0, dtype=np.int64),
    )  # fmt: skip


def largest_first(parts: Parts, rows: NDArray[np.int64]) -> NDArray[np.intp]:
    """Groups by decreasing rows, on ties by their first value."""
    first = np.unique(parts, return_index=True)[1]
    return np.lexsort((first, -rows))


def axis_partition(column: AxisColumn, parts: Parts, counts: NDArray[np.int64]) -> Partition:
    """One axis of a grid as a partition of its column."""
    if column.axis.ordered:
        return _intervals(column, parts, counts)
    known, cost = column.partition, column.cost(counts)
    names = list(column.values)
    # Values that only unlabeled rows have are in no group, and so belong to the first.
    rest_parts = np.append(parts, 0)
    return Groups(
        name=known.name,
        classes=known.classes,
        counts=counts,
        unlabeled_counts=_rows_of(rest_parts, column.unlabeled_rows),
        cost=cost,
        null_cost=column.null_cost,
        level=level(cost, column.null_cost),
        proven_optimal=False,
        groups=members_of_groups(names, parts, column.rows),
    )


def _intervals(column: AxisColumn, parts: Parts, counts: NDArray[np.int64]) -> Intervals:
    """The intervals of an axis; cuts are midway, or amid the unlabeled rows between."""
    known, values = column.partition, column.values
    assert isinstance(known, Intervals)
    assert isinstance(values, np.ndarray)
    assert column.unlabeled is not None
    ends = np.flatnonzero(np.diff(parts)) + 1
    missing_alone = len(ends) > 0 and bool(np.isnan(values[ends[0] - 1]))
    left, right = values[ends - 1][missing_alone:], values[ends][missing_alone:]
    rest = column.unlabeled
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
        n_missing=(int(column.rows[0]) if np.isnan(values[0]) else 0) + missing_rows(rest),
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
    place = np.searchsorted(rest[1:-1], cuts, side="right")
    return np.column_stack((np.maximum(left, rest[place]), np.minimum(right, rest[place + 1])))

"""The group of a left-out row's value, reassigned from the value's other rows.

Weights are found by predicting each row from all others. The rows of a group are easily left out
one at a time, but the group of a value was chosen by the rows of that value, the left-out row among
them. If values have few rows, this matters more than anything else: a value that occurs once is
always in the group of its class, and says nothing about the next row, whose value is another one.
So a value is reassigned by its other rows: to the group where they are most probable, or to none if
there are none, like a value that was never seen. On an axis of a grid, a group consists of several
cells, and the other rows of a value are most probable in a group by the cells they would fall in.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from modlearn._model.grid import Grid
from modlearn._model.partitions import Groups, Partition
from modlearn._statistics.batches import Batch
from modlearn._statistics.categories import CategoryCounts
from modlearn._statistics.profiles import Profiles
from modlearn._statistics.rows import Rows
from modlearn.criteria import (
    class_shares,
    elsewhere_log_likelihoods,
    part_log_likelihoods,
    reassigned_log_likelihoods,
)

__all__ = ["LeftOutAxis", "LeftOutParts", "ValueNumbers"]

Codes = NDArray[np.int32]
Floats = NDArray[np.float64]

MOST_NUMBERS = 2_000_000
"""Entries times groups that are compared at once."""

ALIKE = 1e-9
"""Log-probabilities that differ by less are equal: rounding must not decide between groups."""


@dataclass(frozen=True, eq=False)
class ValueNumbers:
    """The values of a categorical column, each as a part of its own.

    Parameters
    ----------
    name : hashable
        Name of the column.
    number_of : dict of hashable to int
        Number of each value, from 0.
    """

    name: Hashable
    number_of: dict[Hashable, int]

    @property
    def columns(self) -> tuple[Hashable, ...]:
        """Names of the columns that the part of a row depends on: one."""
        return (self.name,)

    def codes_in(self, batch: Batch) -> Codes:
        """Return the number of the value of every row, shape (n,); -1 = an unseen value."""
        codes, categories = batch.categorical(self.name)
        known = [self.number_of.get(value, -1) for value in (None, *categories)]
        return np.array(known, dtype=np.int32)[codes + 1]


@dataclass(frozen=True)
class _Entries:
    """Labeled rows of a column by value, part of the other axis and class, in this order.

    Parameters
    ----------
    values, others, classes, rows : ndarray of shape (E,)
        Value, part of the other axis (0 if there is none), class, and number of rows.
    own : ndarray of shape (V,)
        Group of each value.
    """

    values: NDArray[np.int64]
    others: NDArray[np.int64]
    classes: NDArray[np.int64]
    rows: NDArray[np.int64]
    own: NDArray[np.int32]

    @classmethod
    def of_column(cls, groups: Groups, counts: CategoryCounts) -> _Entries:
        values = np.repeat(np.arange(counts.n_values), np.diff(counts.pointer))
        classes = counts.classes.astype(np.int64)
        return cls(values, np.zeros_like(values), classes, counts.rows, groups.codes(counts.values))

    @classmethod
    def of_axis(cls, groups: Groups, profiles: Profiles) -> _Entries:
        """Sort profiles of values and parts of the other axis; values must be known."""
        order = np.lexsort((profiles.classes, profiles.codes[1], profiles.codes[0]))
        order = order[profiles.codes[0][order] >= 0]
        keys = (*profiles.codes, profiles.classes, profiles.rows)
        values, others, classes, rows = (key[order].astype(np.int64) for key in keys)
        sizes = list(map(len, groups.groups))
        return cls(values, others, classes, rows, np.repeat(np.arange(len(sizes)), sizes))

    def chunks(self, n_groups: int) -> Iterator[slice]:
        """Yield whole values, as many as may be compared with all groups at once."""
        starts = np.append(np.flatnonzero(np.diff(self.values, prepend=-1)), len(self.values))
        first = 0
        while first < len(self.values):
            end = np.searchsorted(starts, first + MOST_NUMBERS // n_groups, side="right") - 1
            last = int(max(starts[end], starts[np.searchsorted(starts, first, side="right")]))
            yield slice(first, last)
            first = last

    def lines(self, counts: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return what each entry finds in groups of counts (I, H, J), if one of its rows leaves.

        g = its own group g, I + g = another group g, 2 I = none.
        """
        n_groups, n_classes = len(counts), counts.shape[-1]
        shares = class_shares(counts.reshape(-1, n_classes)).reshape(n_groups, -1)
        labels, own = self.others * n_classes + self.classes, self.own[self.values]
        found = np.empty(len(own), dtype=np.int64)
        for some in self.chunks(n_groups):
            entries = self.values[some], labels[some], self.rows[some]
            found[some] = _nearest(reassigned_log_likelihoods(*entries, shares), own[some])
        found[np.bincount(self.values, self.rows)[self.values] == 1] = 2 * n_groups
        return found


def _nearest(likelihoods: Floats, own: NDArray[np.integer]) -> NDArray[np.int64]:
    """Return the line of the most probable group; the own one, or the first, of equals."""
    best = likelihoods >= likelihoods.max(axis=1, keepdims=True) - ALIKE
    elsewhere = likelihoods.shape[1] + best.argmax(axis=1)
    return np.where(best[np.arange(len(own)), own], own, elsewhere)


@dataclass(frozen=True, eq=False)
class LeftOutAxis:
    """The group of each value, as each of its rows finds it when it is left out.

    Parameters
    ----------
    values : ValueNumbers
        The values.
    other : Partition or None
        The other axis of a grid, on which it depends which cell a row leaves; None = no grid.
    keys : ndarray of shape (n_keys,), int64
        Values and parts of the other axis that occur together, v H + h, increasing.
    kinds : ndarray of shape (n_keys,), int32
        Keys whose rows find the same groups are of one kind, numbered from 0. The last kind, which
        no key has, is that of values that are not known, as an engine pools rare ones.
    lines : ndarray of shape (n_kinds, J), int32
        What a row of a kind and class finds: g = its own group g, I + g = another group g, 2 I =
        none.
    """

    values: ValueNumbers
    other: Partition | None
    keys: NDArray[np.int64]
    kinds: Codes
    lines: Codes

    @classmethod
    def of(
        cls,
        values: ValueNumbers,
        other: Partition | None,
        entries: _Entries,
        counts: NDArray[np.int64],
    ) -> LeftOutAxis:
        """Assign each value anew without each of its rows; counts have shape (I, H, J)."""
        keys = entries.values * counts.shape[1] + entries.others
        starts = np.diff(keys, prepend=-1) != 0
        lines = np.zeros((int(starts.sum()), counts.shape[2]), dtype=np.int32)
        lines[np.cumsum(starts) - 1, entries.classes] = entries.lines(counts)
        found, kinds = np.unique(lines, axis=0, return_inverse=True)
        none = np.full((1, found.shape[1]), 2 * len(counts), dtype=np.int32)
        numbers = kinds.reshape(-1).astype(np.int32)
        return cls(values, other, keys[starts], numbers, np.concatenate((found, none)))

    @property
    def columns(self) -> tuple[Hashable, ...]:
        """Names of the columns that the part of a row depends on: one, or both of a grid."""
        return (*self.values.columns, *(() if self.other is None else self.other.columns))

    def codes_in(self, batch: Batch) -> Codes:
        """Return the kind of every row, shape (n,); the last one for values that are not known."""
        value = self.values.codes_in(batch).astype(np.int64)
        key = value
        if self.other is not None:
            key = key * self.other.n_parts + self.other.codes_in(batch)
        unknown = np.int32(len(self.lines) - 1)
        found = np.append(self.kinds, unknown)[np.searchsorted(self.keys, key)]
        return np.where(value < 0, unknown, found)


@dataclass(frozen=True, eq=False)
class LeftOutParts:
    """The parts of a variable with categories, as a left-out row finds them.

    Parameters
    ----------
    axes : tuple of LeftOutAxis or Partition
        One, or both of a grid. One of two may have intervals.
    sizes : tuple of int
        Number of parts of each axis.
    table, left_out : ndarray of shape (2 C + 1, J), float64
        log P(part | class) of each line, from all rows and without the row itself: c = its own part
        or cell c, C + c = another one, 2 C = none.
    """

    axes: tuple[LeftOutAxis | Partition, ...]
    sizes: tuple[int, ...]
    table: Floats
    left_out: Floats

    @classmethod
    def of_groups(cls, groups: Groups, counts: CategoryCounts, table: Floats) -> LeftOutParts:
        """Return what rows find in the groups of a column; `counts` are those of labeled rows."""
        numbers = ValueNumbers(groups.name, {value: v for v, value in enumerate(counts.values)})
        entries = _Entries.of_column(groups, counts)
        axis = LeftOutAxis.of(numbers, None, entries, groups.counts[:, None, :])
        return cls((axis,), (groups.n_parts,), *_lines_of(groups.counts, table))

    @classmethod
    def of_grid(cls, grid: Grid, rows: Rows, table: Floats) -> LeftOutParts:
        """Return what rows find in the cells of a grid.

        Each axis with categories is assigned anew while the other one stays as it is.
        """
        axes = tuple(
            _axis_of_grid(grid, k, rows) if isinstance(axis, Groups) else axis
            for k, axis in enumerate(grid.axes)
        )
        return cls(axes, grid.counts.shape[:2], *_lines_of(grid.cells, table))

    def lines(self, codes: Sequence[Codes], classes: Codes) -> Codes:
        """Return the line of the tables that rows of kinds and classes find, shape (n,)."""
        found = [
            axis.lines[kinds, classes] if isinstance(axis, LeftOutAxis) else kinds
            for axis, kinds in zip(self.axes, codes, strict=True)
        ]
        lines, size = np.stack(found), np.array(self.sizes)[:, None]
        n_cells = int(size.prod())
        cells: NDArray[np.intp] = np.ravel_multi_index(tuple(lines % size), self.sizes)
        cells[(lines >= size).any(axis=0)] += n_cells
        cells[(lines == 2 * size).any(axis=0)] = 2 * n_cells
        return cells.astype(np.int32)


def _axis_of_grid(grid: Grid, k: int, rows: Rows) -> LeftOutAxis:
    """Return an axis with categories of a grid."""
    axis, other = grid.axes[k], grid.axes[1 - k]
    assert isinstance(axis, Groups)
    values = [value for group in axis.groups for value in group]
    numbers = ValueNumbers(axis.name, {value: v for v, value in enumerate(values)})
    entries = _Entries.of_axis(axis, rows.profiles([numbers, other], 1))
    return LeftOutAxis.of(numbers, other, entries, np.moveaxis(grid.counts, k, 0))


def _lines_of(counts: NDArray[np.int64], table: Floats) -> tuple[Floats, Floats]:
    """Return the lines of own parts, of others, and of none: from all rows, and without one."""
    without = part_log_likelihoods(counts, left_out=True)
    none = np.zeros((1, table.shape[1]))
    return (
        np.concatenate((table, table, none)),
        np.concatenate((without, elsewhere_log_likelihoods(counts), none)),
    )

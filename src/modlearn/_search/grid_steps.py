"""One step of a grid search: partition an axis, given parts of the other."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import NDArray

from modlearn._search.axis_parts import Parts
from modlearn._search.blocks import elementary_blocks
from modlearn._search.grouping import improved_groups, proportional, similar_items, summed_items
from modlearn._search.intervals import Limits, good_intervals, improved_intervals, tolerance_of
from modlearn._search.subsets import best_grouping_of_few
from modlearn._statistics.categories import CategoryCounts
from modlearn._statistics.pairs import Axis, PairCounts, distinct_keys
from modlearn.criteria import axis_cost, axis_prior, cell_costs

__all__ = ["FEW_VALUES", "MERGED_BLOCKS", "Steps"]

MERGED_BLOCKS = 250
"""If there are more blocks, a step merges them greedily to this number, then searches exactly."""

FEW_VALUES = 7
"""All groupings of up to this number of values are tried in a step."""

SINGLE_VALUES = 64
"""Up to this number of values, every step also merges from groups of one value each."""

MERGED_VALUES = 300
"""The first step does so up to this number of values; more are first reduced by similarity."""

REMEMBERED_PRIORS = 4096
"""Priors of an axis with up to this number of values are cached for the next pair."""


def _priors(n_rows: int, axis: Axis) -> NDArray[np.float64]:
    """Return the prior of I parts of an axis at index I, from 0 to V."""
    few = axis.n_values <= REMEMBERED_PRIORS
    return (_remembered_priors if few else _all_priors)(n_rows, axis.n_values, axis.ordered)


def _all_priors(n_rows: int, n_values: int, ordered: bool) -> NDArray[np.float64]:
    grouped = None if ordered else n_values
    return np.concatenate(([0.0], axis_prior(n_rows, grouped, np.arange(1, n_values + 1))))


_remembered_priors = lru_cache(maxsize=1024)(_all_priors)


@dataclass(frozen=True)
class _SortedRows:
    """Rows by increasing value of an ordered axis."""

    values: NDArray[np.float64]
    others: NDArray[np.int32]
    classes: NDArray[np.int32]
    rows: NDArray[np.int64] | None

    @classmethod
    def of(cls, pair: PairCounts, axis: int) -> _SortedRows:
        """Sort the rows of a pair, with their values on the other axis."""
        order = pair.axes[axis].order
        return cls(
            pair.axes[axis].codes[order].astype(np.float64),
            pair.axes[1 - axis].codes[order],
            pair.classes[order],
            None if pair.rows is None else pair.rows[order],
        )


@dataclass(frozen=True)
class Steps:
    """Steps on one pair."""

    pair: PairCounts

    @cached_property
    def tolerance(self) -> float:
        """Costs that differ by less are equal."""
        return tolerance_of(self.pair.n_rows)

    @cached_property
    def priors(self) -> list[NDArray[np.float64]]:
        """Prior of I parts of each axis."""
        return [_priors(self.pair.n_rows, axis) for axis in self.pair.axes]

    def parts(self, axis: int, fixed: Parts, current: Parts | None) -> Parts:
        """Return good parts of one axis, given those of the other."""
        if self.pair.axes[axis].n_values == 1:
            return np.zeros(1, dtype=np.intp)
        if self.pair.axes[axis].ordered:
            return self.intervals(axis, fixed, current)
        return self.groups(axis, fixed, current)

    @cached_property
    def sorted_rows(self) -> list[_SortedRows]:
        """The rows in the order of each axis."""
        return [_SortedRows.of(self.pair, axis) for axis in (0, 1)]

    def intervals(self, axis: int, fixed: Parts, current: Parts | None) -> Parts:
        """Return intervals of the values of an axis, given parts of the other."""
        rows, J = self.sorted_rows[axis], self.pair.n_classes
        cells = fixed.astype(np.int32)[rows.others] * np.int32(J) + rows.classes
        blocks = elementary_blocks(rows.values, cells, rows.rows, (int(fixed.max()) + 1) * J)
        cost = axis_cost(int(fixed.max()) + 1, J, self.priors[axis].__getitem__)
        if current is None:
            bounds = good_intervals(blocks, cost, self.pair.n_rows, MERGED_BLOCKS)
        else:
            firsts = np.searchsorted(rows.values, np.flatnonzero(np.diff(current)) + 1)
            known = np.searchsorted(blocks.starts, firsts)
            bounds = improved_intervals(blocks, cost, self.pair.n_rows, known)
        cuts = rows.values[blocks.starts[bounds[1:-1]]]
        return np.searchsorted(cuts, np.arange(self.pair.axes[axis].n_values), side="right")

    def groups(self, axis: int, fixed: Parts, current: Parts | None) -> Parts:
        """Return groups of the values of an axis, given parts of the other."""
        pair, J = self.pair, self.pair.n_classes
        cells = fixed[pair.axes[1 - axis].codes] * J + pair.classes
        values = _value_counts(pair.axes[axis], cells, (int(fixed.max()) + 1) * J, pair.rows)
        n, prior = values.n_values, self.priors[axis]
        cost = axis_cost(int(fixed.max()) + 1, J, prior.__getitem__)
        if n <= FEW_VALUES:
            items = values.summed(np.arange(n))
            return best_grouping_of_few(items, cost, n, 1, self.tolerance)
        # Values with proportional counts share a group in every optimum.
        item_of_value = proportional(values)
        items = values.summed(item_of_value)
        starts = []
        if current is None or len(items) <= SINGLE_VALUES:
            starts.append(similar_items(items, cost, MERGED_VALUES, MERGED_VALUES))
        if current is not None:
            first = np.unique(item_of_value, return_index=True)[1]
            starts.append(np.unique(current[first], return_inverse=True)[1])
        found = [improved_groups(items, groups, cost, Limits()) for groups in starts]
        cells_of = (summed_items(items, groups).reshape(-1, J) for groups in found)
        costs = [cell_costs(c) + prior[len(c) * J // items.shape[1]] for c in cells_of]
        return found[int(np.argmin(costs))][item_of_value]


def _value_counts(
    axis: Axis, cells: NDArray[np.intp], n_labels: int, rows: NDArray[np.int64] | None
) -> CategoryCounts:
    """Count rows per value of an axis, cell and class."""
    keys = axis.codes.astype(np.int64) * n_labels + cells
    found, counts = distinct_keys(keys, rows, axis.n_values * n_labels)
    values, labels = np.divmod(found, n_labels)
    pointer = np.searchsorted(values, np.arange(axis.n_values + 1))
    return CategoryCounts(pointer, labels.astype(np.int32), counts, n_labels)

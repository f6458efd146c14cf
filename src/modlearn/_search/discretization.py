"""The best discretization of a numeric column, by any criterion."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from modlearn._search.blocks import Blocks, combined, elementary_blocks
from modlearn._search.intervals import Limits, Optimum, best_intervals
from modlearn._statistics.numeric import NumericCounts
from modlearn.criteria import Criterion, PartCost, discretization_prior, level

__all__ = ["Discretization", "discretize", "median_cut", "midpoint"]


def midpoint(
    left: NDArray[np.float64] | float, right: NDArray[np.float64] | float
) -> NDArray[np.float64]:
    """Return the float midway between left < right, at least left and less than right.

    Next to an infinite value the cut keeps every finite number on the finite side.

    Examples
    --------
    >>> from modlearn._search.discretization import midpoint
    >>> midpoint([2.9, -np.inf], [3.0, 5.0])
    array([2.95, -inf])
    """
    left, right = np.asarray(left, dtype=np.float64), np.asarray(right, dtype=np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        middle = (left + right) / 2
        # The sum of two huge values overflows; the sum of their halves does not.
        middle = np.where(np.isfinite(middle), middle, left / 2 + right / 2)
    middle = np.where(np.isneginf(left) & np.isposinf(right), 0.0, middle)
    largest = np.finfo(np.float64).max
    middle = np.where(np.isfinite(left) & np.isposinf(right), largest, middle)
    # There is no float between neighboring floats: the left one is the bound.
    return np.where(middle < right, middle, left)[()]


def median_cut(left: float, right: float, unlabeled: NumericCounts) -> float:
    """Return the median of the unlabeled values between two values, or their midpoint if none."""
    n_missing = unlabeled.n_missing
    values = unlabeled.values[n_missing:]
    first = np.searchsorted(values, left, side="right")
    last = np.searchsorted(values, right, side="left")
    if first == last:
        return float(midpoint(left, right))
    values = values[first:last]
    if unlabeled.rows is None:
        n = len(values)
        return float(_between(values[(n - 1) // 2], values[n // 2]))
    rows = np.cumsum(unlabeled.rows[n_missing:][first:last])
    low, high = np.searchsorted(rows, [(rows[-1] + 1) // 2, rows[-1] // 2 + 1], side="left")
    return float(_between(values[low], values[high]))


def _between(low: float, high: float) -> NDArray[np.float64]:
    """Return the midpoint of two values that may be equal."""
    return midpoint(low, high) if low < high else np.asarray(low)


@dataclass(frozen=True, eq=False)
class Discretization:
    """Intervals of a numeric column.

    Parameters
    ----------
    cuts : ndarray of float64
        Bounds between neighboring intervals, increasing; each belongs to the interval on its left.
    sides : ndarray of shape (n_cuts, 2), float64
        The values on both sides of every cut.
    missing_alone : bool
        Whether the first part holds only missing values.
    counts : ndarray of shape (I, J), int64
        Labeled rows per part and class.
    unlabeled : ndarray of shape (I,), int64
        Unlabeled rows per part.
    n_missing : int
        Rows without a value.
    cost, null_cost : float
        Cost of this partition and of one part, by the criterion of the method.
    level : float
        1 - cost / null_cost, 0 = not informative.
    proven : bool
        Whether no partition costs less.
    """

    cuts: NDArray[np.float64]
    sides: NDArray[np.float64]
    missing_alone: bool
    counts: NDArray[np.int64]
    unlabeled: NDArray[np.int64]
    n_missing: int
    cost: float
    null_cost: float
    level: float
    proven: bool


def discretize(table: NumericCounts, criterion: Criterion, limits: Limits) -> Discretization:
    """Find the discretization of lowest cost."""
    labeled, unlabeled = table.by_label()
    n_missing, n_missing_rows = table.missing
    values = table.values[n_missing:]
    lows = values if table.lows is None else table.lows[n_missing:]
    n_rows = table.n_rows if criterion.counts_all_rows else labeled.n_rows
    cost = criterion.part_cost(table.n_classes, partial(discretization_prior, n_rows))
    found = _optimum(table if criterion.labels_unlabeled else labeled, cost, n_rows, limits)
    one_part = found.counts.sum(axis=0, keepdims=True)
    costs = criterion.cost(found.counts, n_rows), criterion.cost(one_part, n_rows)
    cuts, missing_alone = found.cuts(unlabeled if criterion.cuts_at_medians else None)
    right = np.searchsorted(values, cuts, side="right")
    return Discretization(
        cuts=cuts,
        sides=np.column_stack((values[right - 1], lows[right])),
        missing_alone=missing_alone,
        counts=found.counts[:, : table.n_classes],
        unlabeled=_rows_of_parts(unlabeled, cuts, missing_alone, len(found.counts)),
        n_missing=n_missing_rows,
        cost=costs[0],
        null_cost=costs[1],
        level=level(*costs),
        # Cuts within the bins of an engine were not compared; in a pure one, none would be better.
        proven=found.proven
        and (table.lows is None or (limits.min_part_size <= 1 and _ranges_are_pure(labeled))),
    )


def _ranges_are_pure(labeled: NumericCounts) -> bool:
    """Return whether entries that stand for ranges of values have rows of one class each."""
    values, classes = labeled.values, labeled.classes
    again = (values[1:] == values[:-1]) & (classes[1:] != classes[:-1])
    return not (again & (labeled.lowest[1:] < values[1:])).any()


def _rows_of_parts(
    unlabeled: NumericCounts, cuts: NDArray[np.float64], missing_alone: bool, n_parts: int
) -> NDArray[np.int64]:
    """Return the unlabeled rows of every part, shape (I,)."""
    rows = np.zeros(n_parts, dtype=np.int64)
    parts = np.searchsorted(cuts, unlabeled.values, side="left") + missing_alone
    parts[np.isnan(unlabeled.values)] = 0
    np.add.at(rows, parts, 1 if unlabeled.rows is None else unlabeled.rows)
    return rows


@dataclass(frozen=True, eq=False)
class _EntryPartition:
    """Parts as ranges of the sorted entries."""

    entries: NumericCounts
    ends: NDArray[np.int64]  # (I-1,) first entry of every part except the first
    counts: NDArray[np.int64]  # (I, J) or (I, J+1)
    proven: bool

    def cuts(self, unlabeled: NumericCounts | None) -> tuple[NDArray[np.float64], bool]:
        """Return a cut between neighboring parts, and whether missing is a part of its own.

        Cuts are midway, or at the median of the unlabeled values between two parts.
        """
        entries = self.entries
        lows = entries.values if entries.lows is None else entries.lows
        left, right = entries.values[self.ends - 1], lows[self.ends]
        missing_alone = len(left) > 0 and bool(np.isnan(left[0]))
        left, right = left[missing_alone:], right[missing_alone:]
        if unlabeled is None:
            return midpoint(left, right), missing_alone
        cuts = [median_cut(a, b, unlabeled) for a, b in zip(left, right, strict=True)]
        return np.array(cuts, dtype=np.float64), missing_alone


def _optimum(
    entries: NumericCounts, cost: PartCost, n_rows: int, limits: Limits
) -> _EntryPartition:
    """Return the best intervals of the entries; n_rows is the number of rows in the prior."""
    blocks_of = partial(
        elementary_blocks, entries.values, entries.classes, entries.rows, cost.n_labels
    )
    blocks = blocks_of(join_pure_runs=cost.joins_pure_runs)
    order = blocks.sort_labels(cost.n_alike)
    found = best_intervals(blocks, cost, n_rows, Limits(limits.max_parts))
    counts = _counts(blocks, found, order)
    if limits.min_part_size > 1 and not limits.allow(counts.sum(axis=1)):
        # A minimum size may require a cut within a pure run.
        blocks = blocks_of(join_pure_runs=False)
        order = blocks.sort_labels(cost.n_alike)
        found = best_intervals(blocks, cost, n_rows, limits)
        counts = _counts(blocks, found, order)
    ends = blocks.starts[found.bounds[1:-1]].astype(np.int64)
    return _EntryPartition(entries, ends, counts, found.proven)


def _counts(blocks: Blocks, found: Optimum, order: NDArray[np.intp]) -> NDArray[np.int64]:
    """Return rows per part and class, with the classes in their original order."""
    counts = combined(blocks, found.bounds).dense()
    original = counts.copy()
    original[:, order] = counts[:, : len(order)]
    return original

"""The best discretization of a numeric column, by any of the four methods."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from modlearn._search.blocks import Blocks, combined, elementary_blocks
from modlearn._search.intervals import Limits, Optimum, best_intervals
from modlearn._statistics.numeric import NumericCounts
from modlearn.criteria import (
    ClassCost,
    MapCost,
    PartCost,
    averaged_cost,
    discretization_cost,
    discretization_prior,
    map_cost,
)

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


@dataclass(frozen=True)
class Discretization:
    """Intervals of a numeric column.

    Parameters
    ----------
    cuts : ndarray of float64
        Bounds between neighboring intervals, increasing; each belongs to the interval on its left.
    missing_alone : bool
        Whether the first part holds only missing values.
    counts : ndarray of shape (I, J), int64
        Labeled rows per part and class.
    unlabeled : ndarray of shape (I,), int64
        Unlabeled rows per part.
    cost, null_cost : float
        Cost of this partition and of one part, by the criterion of the method.
    proven : bool
        Whether no partition costs less.
    """

    cuts: NDArray[np.float64]
    missing_alone: bool
    counts: NDArray[np.int64]
    unlabeled: NDArray[np.int64]
    cost: float
    null_cost: float
    proven: bool


def discretize(table: NumericCounts, method: str, limits: Limits) -> Discretization:
    """Find the discretization of lowest cost; method "supervised" ignores unlabeled rows."""
    return {
        "supervised": _supervised,
        "map": _maximum_a_posteriori,
        "averaged": _averaged,
        "post_optimized": _post_optimized,
    }[method](table, limits)


def _supervised(table: NumericCounts, limits: Limits) -> Discretization:
    """Formula 1 on the labeled rows, with cuts midway between neighboring values."""
    found, costs = _by_formula_1(table, limits)
    return _discretization(table, found, found.at_midpoints(), costs)


def _post_optimized(table: NumericCounts, limits: Limits) -> Discretization:
    """Formula 1 on the labeled rows, with cuts at the median of the unlabeled values between."""
    found, costs = _by_formula_1(table, limits)
    return _discretization(table, found, found.at_medians(table.unlabeled()), costs)


def _by_formula_1(table: NumericCounts, limits: Limits) -> tuple[_Found, tuple[float, float]]:
    """Return the best parts of the labeled rows, their cost, and that of one part."""
    labeled = table.labeled()
    found = _optimum_by_class(labeled, labeled.n_rows, limits)
    counts = found.counts
    return found, (discretization_cost(counts), discretization_cost(_one_part(counts)))


def _averaged(table: NumericCounts, limits: Limits) -> Discretization:
    """The supervised part costs under the prior on all rows.

    The cost does not change as a cut moves between two labeled values, so it goes to the median of
    the unlabeled values there.
    """
    n_rows, unlabeled = table.n_rows, table.unlabeled()
    found = _optimum_by_class(table.labeled(), n_rows, limits)
    # The parts of the unlabeled rows cancel: only their number matters.
    rest = np.zeros(len(found.counts), dtype=np.int64)
    rest[0] = unlabeled.n_rows
    null = averaged_cost(_one_part(found.counts), rest[:1])
    return _discretization(
        table, found, found.at_medians(unlabeled), (averaged_cost(found.counts, rest), null)
    )


def _maximum_a_posteriori(table: NumericCounts, limits: Limits) -> Discretization:
    """Eq. 8 at the best completion of the labels; every distinct value may bound an interval."""
    cost = MapCost(table.n_classes, partial(discretization_prior, table.n_rows))
    found = _optimum(table, cost, table.n_rows, limits)
    counts, rest = found.counts[:, :-1], found.counts[:, -1]
    costs = map_cost(counts, rest), map_cost(_one_part(counts), [rest.sum()])
    cuts, missing_alone = found.at_midpoints()
    return Discretization(cuts, missing_alone, counts, rest, *costs, found.proven)


@dataclass(frozen=True)
class _Found:
    """Parts as ranges of the sorted entries."""

    entries: NumericCounts
    ends: NDArray[np.int64]  # (I-1,) first entry of every part except the first
    counts: NDArray[np.int64]  # (I, J) or (I, J+1)
    proven: bool

    def _sides(self) -> tuple[NDArray[np.float64], NDArray[np.float64], bool]:
        """Return the values on both sides of every cut, and whether missing is a part."""
        left, right = self.entries.values[self.ends - 1], self.entries.values[self.ends]
        missing_alone = len(left) > 0 and bool(np.isnan(left[0]))
        return left[missing_alone:], right[missing_alone:], missing_alone

    def at_midpoints(self) -> tuple[NDArray[np.float64], bool]:
        left, right, missing_alone = self._sides()
        return midpoint(left, right), missing_alone

    def at_medians(self, unlabeled: NumericCounts) -> tuple[NDArray[np.float64], bool]:
        left, right, missing_alone = self._sides()
        cuts = [median_cut(a, b, unlabeled) for a, b in zip(left, right, strict=True)]
        return np.array(cuts, dtype=np.float64), missing_alone


def _optimum_by_class(labeled: NumericCounts, n_rows: int, limits: Limits) -> _Found:
    """Return the best intervals of the labeled entries by the part costs of formula 1."""
    cost = ClassCost(labeled.n_classes, partial(discretization_prior, n_rows))
    return _optimum(labeled, cost, n_rows, limits)


def _optimum(entries: NumericCounts, cost: PartCost, n_rows: int, limits: Limits) -> _Found:
    """Return the best intervals of the entries; n_rows is the number of rows in the prior."""
    blocks_of = partial(
        elementary_blocks, entries.values, entries.classes, entries.rows, cost.n_labels
    )
    blocks = blocks_of(join_pure_runs=cost.joins_pure_runs)
    order = blocks.sort_labels(cost.n_alike)
    found = best_intervals(blocks, cost, n_rows, Limits(limits.max_parts))
    if not limits.allow(_counts(blocks, found, order).sum(axis=1)):
        # A minimum size may require a cut within a pure run.
        blocks = blocks_of(join_pure_runs=False)
        order = blocks.sort_labels(cost.n_alike)
        found = best_intervals(blocks, cost, n_rows, limits)
    ends = blocks.starts[found.bounds[1:-1]].astype(np.int64)
    return _Found(entries, ends, _counts(blocks, found, order), found.proven)


def _counts(blocks: Blocks, found: Optimum, order: NDArray[np.intp]) -> NDArray[np.int64]:
    """Return rows per part and class, with the classes in their original order."""
    counts = combined(blocks, found.bounds).dense()
    original = counts.copy()
    original[:, order] = counts[:, : len(order)]
    return original


def _one_part(counts: NDArray[np.int64]) -> NDArray[np.int64]:
    total: NDArray[np.int64] = counts.sum(axis=0, keepdims=True)
    return total


def _discretization(
    table: NumericCounts,
    found: _Found,
    cuts: tuple[NDArray[np.float64], bool],
    costs: tuple[float, float],
) -> Discretization:
    """Count the unlabeled rows of every part."""
    unlabeled = table.unlabeled()
    rest = np.zeros(len(found.counts), dtype=np.int64)
    parts = np.searchsorted(cuts[0], unlabeled.values, side="left") + cuts[1]
    parts[np.isnan(unlabeled.values)] = 0
    np.add.at(rest, parts, 1 if unlabeled.rows is None else unlabeled.rows)
    return Discretization(*cuts, found.counts, rest, *costs, found.proven)

"""Counts of a numeric column: its values in order, with class and number of rows."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from modlearn._statistics.sorting import sort_with_payload

__all__ = ["ClassNumbers", "NumericCounts", "count_numbers", "smallest_type"]

ClassNumbers = NDArray[np.uint8] | NDArray[np.uint16] | NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class NumericCounts:
    """Entries (value, class, rows) of a numeric column in increasing order of the value."""

    # (n,), the values, missing ones (NaN) first: missing is a position below every value.
    values: NDArray[np.float64]
    classes: ClassNumbers  # (n,), class of each entry; n_classes stands for unlabeled
    rows: NDArray[np.int64] | None  # (n,), number of rows of each entry; None = one each
    n_classes: int  # J, the number of classes
    folds: NDArray[Any] | None = None  # (n,), fold of each entry, for counts that are split by fold
    # (n,), lower bound of each entry that stands for a range of values up to ``values``, as an
    # engine counts them in fine bins; equal to its value where an entry is one value. None = all
    # are.
    lows: NDArray[np.float64] | None = None

    @property
    def n_rows(self) -> int:
        """Number of rows of each entry."""
        return len(self.values) if self.rows is None else int(self.rows.sum())

    @property
    def n_missing(self) -> int:
        """Number of entries without a value; they come first."""
        if not len(self.values) or not np.isnan(self.values[0]):
            return 0
        return int(np.searchsorted(~np.isnan(self.values), True))

    @property
    def missing(self) -> tuple[int, int]:
        """Number of entries, and of rows, without a value."""
        n_entries = self.n_missing
        return n_entries, n_entries if self.rows is None else int(self.rows[:n_entries].sum())

    def by_label(self) -> tuple[NumericCounts, NumericCounts]:
        """Return the entries with a class, and those without."""
        labeled = self.classes < self.n_classes
        if labeled.all():  # masks of millions of entries take time
            return self, self._only(slice(0))
        return self._only(labeled), self._only(~labeled)

    def whole(self) -> NumericCounts:
        """Return the counts of all rows, no longer split by fold."""
        return replace(self, folds=None)

    def without(self, fold: int) -> NumericCounts:
        """Return the counts of all rows except those of a fold."""
        assert self.folds is not None
        return replace(self._only(self.folds != fold), folds=None)

    def only(self, folds: int | tuple[int, ...]) -> NumericCounts:
        """Return the counts of the rows of a fold, or of several."""
        assert self.folds is not None
        return replace(self._only(np.isin(self.folds, folds)), folds=None)

    def distinct(self) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """Return the distinct values, missing first, and the number of rows of each."""
        if not len(self.values):
            return self.values, np.zeros(0, dtype=np.int64)
        starts = self._starts()
        return self.values[starts], np.add.reduceat(self._rows, starts)

    def distinct_lows(self) -> NDArray[np.float64] | None:
        """Return the lower bound of each of the distinct values; None if none is a range."""
        return None if self.lows is None else self.lows[self._starts()]

    def _starts(self) -> NDArray[np.intp]:
        """Return the first entry of each distinct value."""
        # Missing values are one position, although NaN differs from NaN.
        first = self.values[1:] != self.values[:-1]
        first[: max(self.n_missing - 1, 0)] = False
        return np.concatenate(([0], np.flatnonzero(first) + 1))

    def in_bins(self, edges: NDArray[np.float64]) -> NumericCounts:
        """Return the counts of ranges between values of entries, which `edges` holds in order."""
        entry = np.searchsorted(edges, self.values, side="left")
        entry[: self.n_missing] = -1
        key = entry * (self.n_classes + 1) + self.classes
        found, inverse = np.unique(key, return_inverse=True)
        rows = np.bincount(inverse, self._rows, len(found)).astype(np.int64)
        bins, classes = np.divmod(found, self.n_classes + 1)
        first = np.searchsorted(entry, bins)
        values = np.append(edges, [self.values[-1:].max(initial=-np.inf), np.nan])[bins]
        small = classes.astype(smallest_type(self.n_classes))
        return NumericCounts(values, small, rows, self.n_classes, None, self.lowest[first])

    def membership(self, other: NumericCounts) -> NumericCounts:
        """Return the rows of two columns; the class is the column they come from, 0 or 1."""
        values = np.concatenate((self.values, other.values))
        values, order = sort_with_payload(values, np.arange(len(values), dtype=np.int32))
        classes = np.repeat(np.array([0, 1], np.uint8), [len(self.values), len(other.values)])
        rows = np.concatenate((self._rows, other._rows))
        return NumericCounts(values, classes[order], rows[order], 2)

    def __add__(self, other: NumericCounts) -> NumericCounts:
        """Return the counts of the rows of both."""
        return self._combined(other, 1)

    def __sub__(self, other: NumericCounts) -> NumericCounts:
        """Return the counts of the rows without those of the other."""
        return self._combined(other, -1)

    @property
    def lowest(self) -> NDArray[np.float64]:
        """Lower bound of each entry, which is its value unless it stands for a range of values."""
        return self.values if self.lows is None else self.lows

    @property
    def _rows(self) -> NDArray[np.int64]:
        return np.ones(len(self.values), dtype=np.int64) if self.rows is None else self.rows

    def _only(self, kept: NDArray[np.bool_] | slice) -> NumericCounts:
        if not isinstance(kept, slice) and kept.all():
            return self
        rows = None if self.rows is None else self.rows[kept]
        folds = None if self.folds is None else self.folds[kept]
        lows = None if self.lows is None else self.lows[kept]
        values, classes = self.values[kept], self.classes[kept]
        return NumericCounts(values, classes, rows, self.n_classes, folds, lows)

    def _combined(self, other: NumericCounts, sign: int) -> NumericCounts:
        """Return the sum or difference, with one entry per value and class."""
        values = np.concatenate((self.values, other.values))
        classes = np.concatenate((self.classes, other.classes)).astype(np.int64)
        rows = np.concatenate((self._rows, sign * other._rows))
        order = np.lexsort((classes, values, ~np.isnan(values)))
        values, classes, rows = values[order], classes[order], rows[order]
        same = (values[1:] == values[:-1]) | (np.isnan(values[1:]) & np.isnan(values[:-1]))
        starts = np.concatenate(([0], np.flatnonzero(~same | (np.diff(classes) != 0)) + 1))
        totals = np.add.reduceat(rows, starts) if len(rows) else rows
        if (totals < 0).any():
            raise ValueError("The counts to subtract hold rows that these counts do not have.")
        kept = starts[totals > 0] if len(rows) else starts[:0]
        small = classes[kept].astype(smallest_type(self.n_classes))
        return NumericCounts(values[kept], small, totals[totals > 0], self.n_classes)


def count_numbers(
    values: NDArray[np.float64],
    classes: NDArray[np.int32],
    weights: NDArray[np.int64] | None,
    n_classes: int,
    folds: NDArray[Any] | None = None,
) -> NumericCounts:
    """Sort (value, class) by value; rows of weight 0 do not count.

    `folds` gives the fold of every row, from 0, if the counts are to be split by fold.
    """
    if weights is not None:
        counting = np.flatnonzero(weights).astype(np.int32)
        values, order = sort_with_payload(values[counting], counting)
        small = classes[order].astype(smallest_type(n_classes))
        split = None if folds is None else folds[order]
        return NumericCounts(values, small, weights[order], n_classes, split)
    if folds is None:
        small = classes.astype(smallest_type(n_classes))
        return NumericCounts(*sort_with_payload(values, small), None, n_classes)
    # Class and fold are carried along as one number, which costs no more than the class alone.
    n_folds = int(folds.max(initial=0)) + 1
    both = classes * np.int32(n_folds) + folds
    values, carried = sort_with_payload(
        values, both.astype(smallest_type((n_classes + 1) * n_folds))
    )
    sorted_classes, sorted_folds = np.divmod(carried, carried.dtype.type(n_folds))
    small = sorted_classes.astype(smallest_type(n_classes), copy=False)
    return NumericCounts(values, small, None, n_classes, sorted_folds.astype(np.uint8, copy=False))


def smallest_type(largest: int) -> Any:
    """Return the smallest type of class numbers: a sort has less to carry if classes are few."""
    if largest <= np.iinfo(np.uint8).max:
        return np.uint8
    return np.uint16 if largest <= np.iinfo(np.uint16).max else np.int32

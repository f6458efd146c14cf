"""Counts of a categorical column: the number of rows of each value and class."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array

__all__ = ["POOLED", "POOLED_NUMBER", "CategoryCounts", "count_categories", "pooled_among"]

POOLED = "\N{REPLACEMENT CHARACTER} values that are rare"
"""Name of the rare values of a column that has too many to count each."""

POOLED_NUMBER = 1 - 2**53
"""Stands for rare values where categories are numbers: no column holds numbers and texts."""


def pooled_among(values: Collection[Hashable]) -> str | int | None:
    """Return the value that stands for rare ones, if it is among the values of a column."""
    return next((one for one in (POOLED, POOLED_NUMBER) if one in values), None)


@dataclass(frozen=True, eq=False)
class CategoryCounts:
    """Rows per value and class of a categorical column, stored sparsely."""

    # (V+1,), value v has the entries ``pointer[v] : pointer[v+1]``; none is empty.
    pointer: NDArray[np.int64]
    classes: NDArray[np.int32]  # (n,), class of each entry; n_classes stands for unlabeled
    rows: NDArray[np.int64]  # (n,), number of rows of each entry
    n_classes: int  # J, the number of classes
    values: tuple[Hashable, ...] = ()  # the values that occur, None for missing
    folds: NDArray[Any] | None = None  # (n,), fold of each entry, for counts that are split by fold

    @property
    def n_values(self) -> int:
        """V, the number of distinct values."""
        return len(self.pointer) - 1

    @property
    def has_pooled(self) -> bool:
        """Whether one of the values stands for several."""
        return pooled_among(self.values) is not None

    @property
    def rows_of_values(self) -> NDArray[np.int64]:
        """Number of rows of each value, shape (V,)."""
        return np.add.reduceat(self.rows, self.pointer[:-1])

    def by_label(self) -> tuple[CategoryCounts, CategoryCounts]:
        """Return the entries with a class, and those without."""
        labeled = self.classes < self.n_classes
        return self._only(labeled), self._only(~labeled)

    def whole(self) -> CategoryCounts:
        """Return the counts of all rows, no longer split by fold."""
        return self._merged()

    def without(self, fold: int) -> CategoryCounts:
        """Return the counts of all rows except those of a fold."""
        return self._only(~self._in(fold))._merged()

    def only(self, folds: int | tuple[int, ...]) -> CategoryCounts:
        """Return the counts of the rows of a fold, or of several."""
        return self._only(self._in(folds))._merged()

    def summed(self, groups: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return the rows per group and class, shape (I, J), for the group of every value."""
        table = np.zeros((int(groups.max()) + 1, self.n_classes), dtype=np.int64)
        np.add.at(table, (groups[self._value_of_entry], self.classes), self.rows)
        return table

    def membership(self, other: CategoryCounts) -> CategoryCounts:
        """Return the rows of two columns; the class is the column they come from, 0 or 1."""
        one, two = (
            CategoryCounts(
                np.arange(counts.n_values + 1),
                np.full(counts.n_values, k, dtype=np.int32),
                counts.rows_of_values,
                2,
                counts.values,
            )
            for k, counts in enumerate((self, other))
        )
        return one + two

    def __add__(self, other: CategoryCounts) -> CategoryCounts:
        """Return the counts of the rows of both."""
        return self._combined(other, 1)

    def __sub__(self, other: CategoryCounts) -> CategoryCounts:
        """Return the counts of the rows without those of the other."""
        return self._combined(other, -1)

    def _in(self, folds: int | tuple[int, ...]) -> NDArray[np.bool_]:
        """Return which entries belong to a fold, or to one of several."""
        assert self.folds is not None
        return np.isin(self.folds, folds)

    @cached_property
    def _value_of_entry(self) -> NDArray[np.int64]:
        return np.repeat(np.arange(self.n_values), np.diff(self.pointer))

    def _only(self, kept: NDArray[np.bool_]) -> CategoryCounts:
        if kept.all():
            return self
        values = self._value_of_entry[kept]
        folds = None if self.folds is None else self.folds[kept]
        return _from_entries(
            self.values, values, self.classes[kept], self.rows[kept], self.n_classes, folds
        )

    def _merged(self) -> CategoryCounts:
        """Return one entry per value and class, whatever the fold."""
        if not len(self.rows):
            return CategoryCounts(self.pointer, self.classes, self.rows, self.n_classes)
        key = self._value_of_entry * (self.n_classes + 1) + self.classes
        starts = np.concatenate(([0], np.flatnonzero(np.diff(key)) + 1)).astype(np.int64)
        return _from_entries(
            self.values,
            self._value_of_entry[starts],
            self.classes[starts],
            np.add.reduceat(self.rows, starts),
            self.n_classes,
        )

    def _combined(self, other: CategoryCounts, sign: int) -> CategoryCounts:
        """Return the sum or difference; new values of the other come last."""
        codes = {value: code for code, value in enumerate(self.values)}
        for value in other.values:
            codes.setdefault(value, len(codes))
        lookup = np.array([codes[value] for value in other.values], dtype=np.int64)
        values = np.concatenate((self._value_of_entry, lookup[other._value_of_entry]))
        classes = np.concatenate((self.classes, other.classes))
        rows = np.concatenate((self.rows, sign * other.rows))
        shape = len(codes), self.n_classes + 1
        table = coo_array((rows, (values, classes)), shape=shape).tocsr()
        if (table.data < 0).any():
            raise ValueError("The counts to subtract hold rows that these counts do not have.")
        table.eliminate_zeros()
        return _from_table(table, tuple(codes), self.n_classes)


def count_categories(
    codes: NDArray[np.int32],
    categories: Sequence[Hashable],
    classes: NDArray[np.int32],
    weights: NDArray[np.int64] | None,
    n_classes: int,
    folds: NDArray[Any] | None = None,
) -> CategoryCounts:
    """Count rows by value and class; missing, code -1, is a value like any other.

    `folds` gives the fold of every row, from 0, if the counts are to be split by fold.
    """
    rows = np.ones(len(codes), dtype=np.int64) if weights is None else weights
    if weights is not None and not weights.all():
        counted = weights > 0
        codes, classes, rows = codes[counted], classes[counted], rows[counted]
        folds = None if folds is None else folds[counted]
    n_folds = 1 if folds is None else int(folds.max(initial=0)) + 1
    columns = classes if folds is None else classes * np.int32(n_folds) + folds
    shape = len(categories) + 1, (n_classes + 1) * n_folds
    table = coo_array((rows, (codes + 1, columns)), shape=shape).tocsr()
    counts = _from_table(table, (None, *categories), n_classes)
    if folds is None:
        return counts
    classes, split = np.divmod(counts.classes, np.int32(n_folds))
    return CategoryCounts(
        counts.pointer, classes, counts.rows, n_classes, counts.values, split.astype(np.uint8)
    )


def _from_table(table: Any, values: tuple[Hashable, ...], n_classes: int) -> CategoryCounts:
    """Return counts from a sparse table of rows per value and class, without empty values."""
    occurring = np.flatnonzero(np.diff(table.indptr))
    pointer = np.append(table.indptr[occurring], table.indptr[-1]).astype(np.int64)
    classes, rows = table.indices.astype(np.int32), table.data.astype(np.int64)
    return CategoryCounts(pointer, classes, rows, n_classes, _at(values, occurring))


def _from_entries(
    names: tuple[Hashable, ...],
    values: NDArray[np.int64],
    classes: NDArray[np.int32],
    rows: NDArray[np.int64],
    n_classes: int,
    folds: NDArray[Any] | None = None,
) -> CategoryCounts:
    """Return counts from entries in the order of their values, without empty values."""
    starts = np.flatnonzero(np.diff(values, prepend=-1))
    pointer = np.append(starts, len(values)).astype(np.int64)
    return CategoryCounts(pointer, classes, rows, n_classes, _at(names, values[starts]), folds)


def _at(values: tuple[Hashable, ...], positions: NDArray[np.integer]) -> tuple[Hashable, ...]:
    """Return the values at ascending positions, as a slice if none between them is left out."""
    if len(positions) and positions[-1] - positions[0] == len(positions) - 1:
        return values[positions[0] : positions[-1] + 1]
    return tuple([values[i] for i in positions.tolist()])

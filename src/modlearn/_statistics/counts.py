"""Count tables: all that is known of a column after it has been counted."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["CategoryCounts", "ClassNumbers", "NumericCounts"]

ClassNumbers = NDArray[np.uint8] | NDArray[np.uint16] | NDArray[np.int32]


@dataclass(frozen=True)
class NumericCounts:
    """A numeric column: entries (value, class, rows) in increasing order of the value.

    Parameters
    ----------
    values : ndarray of shape (n,), float64
        Missing ones (NaN) first: missing is a position below every value.
    classes : ndarray of shape (n,), of the smallest type that holds n_classes
        Class of the entry; n_classes stands for unlabeled.
    rows : ndarray of shape (n,), int64, or None
        How many rows the entry stands for; None = one each.
    n_classes : int
        J.
    """

    values: NDArray[np.float64]
    classes: ClassNumbers
    rows: NDArray[np.int64] | None
    n_classes: int

    @property
    def n_rows(self) -> int:
        """Rows of all entries."""
        return len(self.values) if self.rows is None else int(self.rows.sum())

    @property
    def n_missing(self) -> int:
        """Entries without a value; they come first."""
        if not len(self.values) or not np.isnan(self.values[0]):
            return 0
        return int(np.searchsorted(~np.isnan(self.values), True))

    def labeled(self) -> NumericCounts:
        """Return the entries with a class."""
        return self._only(self.classes < self.n_classes)

    def unlabeled(self) -> NumericCounts:
        """Return the entries without a class."""
        return self._only(self.classes == self.n_classes)

    def _only(self, kept: NDArray[np.bool_]) -> NumericCounts:
        if kept.all():
            return self
        rows = None if self.rows is None else self.rows[kept]
        return NumericCounts(self.values[kept], self.classes[kept], rows, self.n_classes)


@dataclass(frozen=True)
class CategoryCounts:
    """A categorical column: rows per value and class, stored sparsely.

    Parameters
    ----------
    pointer : ndarray of shape (V+1,), int64
        Value v has the entries ``pointer[v] : pointer[v+1]``; none is empty.
    classes : ndarray of int32
        Class of every entry.
    rows : ndarray of int64
        Rows of every entry.
    n_classes : int
        J.
    """

    pointer: NDArray[np.int64]
    classes: NDArray[np.int32]
    rows: NDArray[np.int64]
    n_classes: int

    @property
    def n_values(self) -> int:
        """V, the number of distinct values."""
        return len(self.pointer) - 1

    def summed(self, groups: NDArray[np.intp]) -> NDArray[np.int64]:
        """Return the rows per group and class, shape (I, J), for the group of every value."""
        table = np.zeros((int(groups.max()) + 1, self.n_classes), dtype=np.int64)
        values = np.repeat(np.arange(self.n_values), np.diff(self.pointer))
        np.add.at(table, (groups[values], self.classes), self.rows)
        return table

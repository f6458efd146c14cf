"""How many categories of each column fit in memory: all columns share what there is."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from sys import getsizeof

from modlearn._engines.table import EngineTable, Folds
from modlearn.schema import Column

__all__ = ["BYTES_PER_ENTRY", "CategoryShares"]

BYTES_PER_CATEGORY = 400
"""Memory that a category takes in counts and groups, besides its entries."""

BYTES_PER_ENTRY = 100
"""Memory that a value of one class and fold takes while its column is counted."""

SHORT = 60
"""Bytes of a text that both include; longer texts take more."""

FEW_TEXTS = 1_000
"""Number of texts of the sample that show how long those of a column are."""


@dataclass(frozen=True, eq=False)
class CategoryShares:
    """The memory that columns of categories share.

    Parameters
    ----------
    table : EngineTable
        The table.
    columns : tuple of Column
        Its columns of categories, views not among them: these have few.
    at_most : int
        Most values of a column that are kept, however much memory there is.
    """

    table: EngineTable
    columns: tuple[Column, ...]
    at_most: int
    _most: dict[int, int] = field(default_factory=dict, init=False)

    @cached_property
    def room(self) -> int:
        """Number of bytes that categories may take: half of all if there are numbers, too."""
        are_all = len(self.columns) == len(self.table.columns)
        return self.table.memory if are_all else self.table.memory // 2

    def most(self, folds: Folds) -> int:
        """Return how many values of each column are kept; columns with fewer leave their share."""
        if folds.n_folds not in self._most:
            size = partial(self._size_of_all, folds=folds, n_values=self.n_values)
            fitting = bisect_right(range(self.at_most + 1), self.room, key=size) - 1
            self._most[folds.n_folds] = max(1, fitting)
        return self._most[folds.n_folds]

    def reserved(self, folds: Folds) -> int:
        """Return the number of bytes of all columns, whether they have been counted or not."""
        return self._size_of_all(self.most(folds), folds, self.n_values)

    def are_many(self, name: Hashable, folds: Folds) -> bool:
        """Return whether a column has more values than are kept."""
        names = [column.name for column in self.columns]
        return name in names and self.n_values[names.index(name)] > self.most(folds)

    @cached_property
    def n_values(self) -> list[int]:
        """Number of values of each column.

        The engine is not asked if every row could have its own: it is the number of rows then.
        """
        n_rows = self.table.n_rows
        every_row = [n_rows] * len(self.columns)
        size = self._size_of_all(n_rows, Folds("0", 1), every_row)
        if n_rows <= self.at_most and size <= self.room:
            return every_row
        return [self.table.n_distinct(self.table.columns[one.name]) for one in self.columns]

    def size(self, n_values: int, folds: Folds, name: Hashable) -> int:
        """Return about how many bytes the counts of a column with some values take."""
        n_groups = (self.table.n_classes + 1) * folds.n_folds
        n_entries = min(self.table.n_rows, n_values * n_groups)
        longer = self._longer.get(name, 0)
        return n_values * (BYTES_PER_CATEGORY + longer) + n_entries * (BYTES_PER_ENTRY + longer)

    def _size_of_all(self, most: int, folds: Folds, n_values: Sequence[int]) -> int:
        """Return the bytes of all columns if at most `most` values of each are kept."""
        return sum(
            self.size(min(most, n), folds, column.name)
            for column, n in zip(self.columns, n_values, strict=True)
        )

    @cached_property
    def _longer(self) -> dict[Hashable, int]:
        """By how many bytes the texts of a column exceed short ones, on average."""
        found = {}
        for column in self.columns:
            cells = self.table.sample_cells[column.name][:FEW_TEXTS]
            sizes = [getsizeof(one) for one in cells.tolist() if isinstance(one, str)]
            found[column.name] = max(0, round(sum(sizes) / max(1, len(sizes))) - SHORT)
        return found

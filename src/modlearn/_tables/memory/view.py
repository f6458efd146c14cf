"""Some columns and some rows of a table, without a copy of the rest."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from modlearn._tables.cells import Kind
from modlearn._tables.memory.column import CategoricalColumn, NumericColumn
from modlearn._tables.memory.table import KeptTable, Table

__all__ = ["TableView", "view"]


@dataclass(frozen=True)
class TableView(Table):
    """A table made of columns and rows of another one, each read when it is asked for.

    Parameters
    ----------
    whole : Table
        The other one, which best keeps what it reads.
    columns : tuple of int
        Places of the columns.
    rows : ndarray of int, or None
        Numbers of the rows; None = all.
    column_kinds : tuple of Kind
        Of every column; a number may be said to be a category.
    """

    whole: Table
    columns: tuple[int, ...]
    rows: NDArray[np.intp] | None
    column_kinds: tuple[Kind, ...]

    def kinds(self) -> list[Kind]:
        """Kind of each column."""
        return list(self.column_kinds)

    def numeric(self, i: int) -> NumericColumn:
        """Read column ``i`` as numbers."""
        column = self.whole.numeric(self.columns[i])
        return column if self.rows is None else replace(column, values=column.values[self.rows])

    def categorical(self, i: int) -> CategoricalColumn:
        """Read column ``i`` as categories, of which some may have no row."""
        column = self.whole.categorical(self.columns[i])
        return column if self.rows is None else replace(column, codes=column.codes[self.rows])

    def at_rows(self, rows: NDArray[np.intp]) -> TableView:
        """Return some of the rows."""
        chosen = rows if self.rows is None else self.rows[rows]
        # Not replaced in place: a view that keeps what it has read keeps it of its own rows.
        return TableView(
            self.names,
            len(rows),
            self.sources,
            self.whole,
            self.columns,
            chosen,
            self.column_kinds,
        )

    def at_columns(self, columns: Sequence[int]) -> TableView:
        """Return some of the columns."""
        return TableView(
            [self.names[i] for i in columns],
            self.n_rows,
            [self.sources[i] for i in columns],
            self.whole,
            tuple(self.columns[i] for i in columns),
            self.rows,
            tuple(self.column_kinds[i] for i in columns),
        )

    def kept(self) -> Table:
        """Return the same table, which keeps what it has read."""
        return self if self.rows is None else _KeptView(**self.__dict__)


@dataclass(frozen=True)
class _KeptView(KeptTable, TableView):
    """A view that keeps what it has read."""


def view(table: Table, columns: Sequence[int], kinds: Sequence[Kind]) -> TableView:
    """All rows of some columns, read once, as the kinds given."""
    return TableView(
        names=[table.names[i] for i in columns],
        n_rows=table.n_rows,
        sources=[table.sources[i] for i in columns],
        whole=table.kept(),
        columns=tuple(columns),
        rows=None,
        column_kinds=tuple(kinds),
    )

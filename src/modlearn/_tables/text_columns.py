"""Texts and numbers of frames, read as dates or numbers in the way that files are read."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from modlearn._tables.cells import Cells, Coded, distinct
from modlearn._tables.memory.column import Source, cells_of, kind_of
from modlearn._tables.memory.table import Table
from modlearn._tables.notes import ReadingNote
from modlearn.errors import ColumnError
from modlearn.schema import Column, Kind

__all__ = ["as_in_training", "read_dates"]

TYPES = {"i": "BIGINT", "u": "UBIGINT", "f": "DOUBLE"}


def as_in_training(table: Table, columns: Sequence[Column | None]) -> Table:
    """Return a table whose texts are dates or numbers where they were in the training data.

    Its columns are those of the training data; None = it was not one of them.
    """
    sources = list(table.sources)
    for i, (name, column) in enumerate(zip(table.names, columns, strict=True)):
        if column is None or not (column.kind is Kind.DATETIME or column.format):
            continue
        kind = kind_of(sources[i], f"Column {name!r}")
        if kind is Kind.TEXT or (kind is Kind.NUMERIC and column.kind is Kind.DATETIME):
            sources[i] = _read_known(sources[i], name, column)
    return Table(table.names, table.n_rows, sources)


def read_dates(
    table: Table, requested: Mapping[int, str | None]
) -> tuple[Table, list[ReadingNote]]:
    """Return a table with columns read as dates in these formats, and notes; None = detected."""
    sources, notes = list(table.sources), []
    for i, format in requested.items():
        name = table.names[i]
        if kind_of(sources[i], f"Column {name!r}") is not Kind.DATETIME:
            sources[i], about = _read_requested(sources[i], name, format)
            notes += about
    return Table(table.names, table.n_rows, sources), notes


def _read_known(source: Source, name: Hashable, column: Column) -> Source:
    """Read a column as the kind and in the format that it had in the training data."""
    from modlearn._tables.files.columns import read_as

    values = _Distinct(source, name)
    with values.opened() as opened:
        read = read_as(opened.columns[0], column.kind, column.format)
        return values.cells(opened, read) if read.kind is column.kind else source


def _read_requested(
    source: Source, name: Hashable, format: str | None
) -> tuple[Source, list[ReadingNote]]:
    """Read a column as dates."""
    from modlearn._tables.files.date_columns import read_requested_dates

    values = _Distinct(source, name)
    with values.opened() as opened:
        read_requested_dates(opened, {str(name): format})
        return values.cells(opened, opened.columns[0]), opened.notes


class _Distinct:
    """The distinct values of a column, which DuckDB reads as another kind.

    Parameters
    ----------
    source : Source
        Texts or numbers.
    name : hashable
        Name of the column.
    """

    def __init__(self, source: Source, name: Hashable) -> None:
        cells, self.name = cells_of(source, f"Column {name!r}"), name
        if isinstance(cells, Coded):
            self.codes, self.type = cells.codes, "VARCHAR"
            self.values = [None if value is None else str(value) for value in cells.values]
            return
        if cells.values.dtype.kind not in TYPES:
            raise ColumnError(f"Column {name!r} holds neither text nor numbers to read as dates.")
        self.codes, found = distinct(cells)
        self.values, self.type = found.tolist(), TYPES[cells.values.dtype.kind]

    def opened(self) -> Any:
        """Return the values as a table of DuckDB."""
        from modlearn._tables.files.columns import identifier, natural_columns
        from modlearn._tables.files.relation import FileSource, Piece
        from modlearn._tables.files.workspace import Workspace

        workspace, n_rows = Workspace(), len(self.values)
        values = f"unnest(CAST(? AS {self.type}[])) AS {identifier(str(self.name))}"
        workspace.execute(f"CREATE TABLE texts AS SELECT {values}", [self.values])
        columns, pieces = natural_columns(workspace, "texts"), [Piece("texts", "rowid", n_rows)]
        return FileSource(workspace, columns, "texts", pieces, n_rows, path="the table")

    def cells(self, opened: Any, column: Any) -> Cells:
        """Return the cells of all rows."""
        from modlearn._tables.files.columns import IS_MISSING_WORD

        missing_word = IS_MISSING_WORD.format(c=column.raw)
        rows = opened.workspace.rows(
            f"SELECT {column.value}, {column.raw} IS NULL OR {missing_word} FROM texts"
        )
        for code in np.unique(self.codes[self.codes >= 0]).tolist() if column.needed else ():
            value, is_missing = rows[code]
            if value is None and not is_missing:
                self._refuse(code, column.needed)
        # A code of -1 finds the filler at the end.
        read = [0 if value is None else value for value, _ in rows]
        type_ = "M8[us]" if column.kind is Kind.DATETIME else np.float64
        values = np.array([*read, 0], dtype=np.int64 if type_ == "M8[us]" else type_)
        missing = np.array([*(value is None for value, _ in rows), True])[self.codes]
        return Cells(values[self.codes].view(type_), missing, column.format)

    def _refuse(self, code: int, needed: str) -> None:
        """Raise for a value that is not of the kind that is needed."""
        row = int(np.flatnonzero(self.codes == code)[0])
        raise ColumnError(
            f"Column {self.name!r} row {row} is {self.values[code]!r}, where {needed} are needed: "
            "correct the cell, set it to None, or leave the column out."
        )

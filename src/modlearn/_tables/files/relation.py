"""A table in files or a database, whose columns are read into memory, all rows or in batches."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from modlearn._tables.cells import Cells
from modlearn._tables.files.columns import IS_MISSING_WORD, FileColumn, read_as
from modlearn._tables.files.texts import Selection, TextEncoding
from modlearn._tables.files.workspace import Workspace, identifier
from modlearn._tables.memory.table import Table
from modlearn._tables.names import listed
from modlearn._tables.notes import ReadingNote
from modlearn.errors import ColumnError, NestedColumnError
from modlearn.schema import Kind

__all__ = ["FileSource", "Piece"]

ROW_GROUP = 122_880
"""Rows that DuckDB stores together by default."""

TIME_TYPES = {Kind.DATETIME: "M8[us]", Kind.DURATION: "m8[us]"}


@dataclass(frozen=True)
class Piece:
    """Rows of one file or table, numbered from 0 to `stop` - 1, perhaps with gaps.

    Parameters
    ----------
    relation : str
        SQL that follows FROM.
    row : str
        SQL of the row number.
    stop : int
        One more than the last row number.
    group : int
        Rows that are decompressed together.
    """

    relation: str
    row: str
    stop: int
    group: int = ROW_GROUP


@dataclass
class FileSource:
    """A table in files or a database, whose columns are read into memory, all rows or in batches.

    Parameters
    ----------
    workspace : Workspace
        Where the relation is known.
    columns : list of FileColumn
        The columns, in the order of the file.
    whole : str
        SQL of all rows, as it follows FROM.
    pieces : list of Piece
        All rows in the same order, in pieces whose rows are numbered.
    n_rows : int
        Number of rows.
    notes : list of ReadingNote
        What a user should know about how the file was read.
    kinds_to_read : mapping of column name to Kind
        Kinds that columns are read as, instead of their own.
    path : str
        The name that the user gave.
    database : tuple of str and str, default=None
        Path and alias of an attached database file.
    line_of : callable, default=None
        Gives the line number of a row of a text file; 0 if it is not found.
    has_many_texts : dict of str to bool
        Whether a column of text, by its SQL, has too many values for DuckDB to number them.
    """

    workspace: Workspace
    columns: list[FileColumn]
    whole: str
    pieces: list[Piece]
    n_rows: int
    notes: list[ReadingNote] = field(default_factory=list)
    kinds_to_read: Mapping[str, str] = field(default_factory=dict)
    path: str = ""
    database: tuple[str, str] | None = None
    line_of: Callable[[int], int] | None = None
    has_many_texts: dict[str, bool] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """Names of the columns."""
        return [column.name for column in self.columns]

    @property
    def types(self) -> dict[str, Kind]:
        """Kind of each column, by name."""
        return {column.name: column.kind for column in self.columns}

    def read(
        self, names: Sequence[str] | None = None, types: Mapping[str, str] | None = None
    ) -> Table:
        """Read columns, all by default, as the kinds in `types` (default: `kinds_to_read`)."""
        columns = self._columns(names, types)
        if len(self.pieces) == 1:
            selection = Selection(self.pieces[0].relation, self.pieces[0].row)
        else:
            selection = Selection(self.whole)
        return self._read(columns, selection, self.n_rows)

    def batches(
        self,
        names: Sequence[str] | None = None,
        n_rows: int = ROW_GROUP,
        types: Mapping[str, str] | None = None,
    ) -> Iterator[Table]:
        """Read columns in the order of the rows, at most `n_rows` rows at a time."""
        columns = self._columns(names, types)
        for piece in self.pieces:
            # A group of rows that is split between batches is decompressed several times.
            step = n_rows - n_rows % piece.group or n_rows
            for start in range(0, piece.stop, step):
                stop = min(start + step, piece.stop)
                condition = f"{piece.row} BETWEEN {start} AND {stop - 1}"
                selection = Selection(piece.relation, piece.row, condition)
                table = self._read(columns, selection, stop - start)
                if table.n_rows:
                    yield table

    def select(self, names: Sequence[str] | None = None) -> str:
        """Return the SQL of columns as they are in the file, to copy them."""
        columns = self._columns(names, {})
        selected = ", ".join(f"{column.raw} AS {identifier(column.name)}" for column in columns)
        return f"SELECT {selected} FROM {self.whole}"

    def close(self) -> None:
        """Remove all temporary files."""
        self.workspace.close()

    def __enter__(self) -> FileSource:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def _columns(
        self, names: Sequence[str] | None, kinds: Mapping[str, str] | None
    ) -> list[FileColumn]:
        """The columns of these names, each with the kind it is to be read as."""
        known = {column.name: column for column in self.columns}
        kinds = self.kinds_to_read if kinds is None else kinds
        names = self.names if names is None else names
        for name in names:
            if name not in known:
                raise ColumnError(
                    f"There is no column {name!r} in {self.path!r}: it has "
                    f"{listed(self.names, 20)}."
                )
        return [read_as(known[name], kinds.get(name)) for name in names]

    def _read(self, columns: list[FileColumn], selection: Selection, n_rows: int) -> Table:
        """Read some rows of columns."""
        for column in columns:
            self._refuse(column, selection)
        texts = [column.value for column in columns if column.kind == Kind.TEXT]
        with TextEncoding(self.workspace, selection, self.has_many_texts) as encoding:
            coded = dict(zip(texts, encoding.sql_of_codes(texts), strict=True))
            selected = [coded.get(column.value, column.value) for column in columns]
            n_rows, arrays = self._fetch(selected, selection, n_rows)
            cells = [
                encoding.cells(column.value, array)
                if column.value in coded
                else _cells(column, array)
                for column, array in zip(columns, arrays, strict=True)
            ]
        return Table([column.name for column in columns], n_rows, list(cells))

    def _fetch(
        self, selected: list[str], selection: Selection, n_rows: int
    ) -> tuple[int, list[NDArray[Any]]]:
        """Arrays of expressions, and the number of their rows."""
        if not selected:
            return n_rows, []
        aliased = ", ".join(f"{value} AS c{i}" for i, value in enumerate(selected))
        arrays = self.workspace.arrays(selection.select(aliased))
        return len(arrays[0]), arrays

    def _refuse(self, column: FileColumn, selection: Selection) -> None:
        """Raise where a column cannot be read as the kind it is needed as."""
        if column.kind == Kind.NESTED:
            raise NestedColumnError(
                f"Column {column.name!r} is nested: each cell holds several values. Split it into "
                "one column per value, or drop it."
            )
        if not column.needed:
            return
        wrong = f"{column.raw} IS NOT NULL AND {column.value} IS NULL"
        known = IS_MISSING_WORD.format(c=column.raw)
        found = self.workspace.rows(
            selection.select(f"{selection.row or -1}, {column.raw}")
            + f" AND {wrong} AND NOT {known} LIMIT 1"
        )
        if found:
            where = self._line_or_row(found[0][0]) if selection.row else "a row"
            raise ColumnError(
                f"Column {column.name!r} holds text, {where} is {found[0][1]!r}, where "
                f"{column.needed} are needed: correct the cell, declare it missing (on the command "
                "line: --missing), or leave the column out."
            )

    def _line_or_row(self, row: int) -> str:
        """What a user calls a row: its line number in an editor, or its number counted from 1."""
        line = self.line_of(row) if self.line_of else 0
        return f"line {line}" if line else f"row {row + 1}"


def _cells(column: FileColumn, array: NDArray[Any]) -> Cells:
    """Cells of an array that DuckDB has made."""
    missing = np.ma.getmaskarray(array) if isinstance(array, np.ma.MaskedArray) else None
    values = np.asarray(array.data if isinstance(array, np.ma.MaskedArray) else array)
    if column.kind in TIME_TYPES:
        values = values.astype(np.int64, copy=False).view(TIME_TYPES[column.kind])
    if missing is None or not missing.any():
        return Cells(values)
    if values.dtype == np.float64 and values.flags.writeable:
        values[missing] = np.nan  # saves the mask
        return Cells(values)
    return Cells(values, missing)

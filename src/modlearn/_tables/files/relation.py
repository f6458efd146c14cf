"""A table in files or a database, whose columns are read into memory, all rows or in batches."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from modlearn._tables.cells import Cells, CodedCells
from modlearn._tables.files.columns import (
    IS_MISSING_WORD,
    FileColumn,
    as_exact_text,
    count_merged,
    identifier,
    natural_columns,
    read_as,
)
from modlearn._tables.files.parse_errors import shortened, unreadable
from modlearn._tables.files.workspace import Workspace, is_interruption
from modlearn._tables.memory.table import Table
from modlearn._tables.notes import ReadingNote
from modlearn.errors import ColumnError, NestedColumnError, spelled
from modlearn.schema import Kind, free_name, listed

__all__ = [
    "COLUMNS_PER_QUERY",
    "FileSource",
    "Piece",
    "Selection",
    "TextEncoding",
    "copied",
    "hides_row_numbers",
    "of_table",
    "reading",
]

MOST_ENUMERATED = 5_000
"""Most distinct texts that DuckDB numbers in an ENUM; creating a larger one takes too long."""

MOST_EXACT = 100_000
"""Most values of a column whose exact texts are kept besides their numbers."""

COLUMNS_PER_QUERY = 100
"""Number of columns that one query counts."""

CHUNK = 200_000
"""Number of rows whose texts are Python objects at the same time."""


@dataclass(frozen=True)
class Selection:
    """Rows of a relation."""

    relation: str  # SQL that follows FROM
    row: str = ""  # SQL of the row number; empty if rows have none
    condition: str = "true"  # SQL that follows WHERE

    def select(self, expressions: str) -> str:
        """Return the SQL of expressions for these rows."""
        return f"SELECT {expressions} FROM {self.relation} WHERE {self.condition}"


class TextEncoding:
    """Numbers the texts of some rows: by DuckDB where they repeat, otherwise chunk by chunk.

    `has_many` says whether a text, by its SQL, has more values than an ENUM should have. It is
    extended here, as it holds for other rows of the same table, too.
    """

    def __init__(
        self, workspace: Workspace, selection: Selection, has_many: dict[str, bool]
    ) -> None:
        self.workspace, self.selection, self.has_many = workspace, selection, has_many
        self.enums: dict[str, str] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        for name in self.enums.values():
            self.workspace.execute(f"DROP TYPE IF EXISTS {name}")

    def sql_of_codes(self, values: Sequence[str]) -> list[str]:
        """Return the SQL of the codes of texts, from their SQL; NULL if Python numbers them."""
        self._count([value for value in values if value not in self.has_many])
        return [self._codes(value) for value in values]

    def _count(self, values: Sequence[str]) -> None:
        """Determine which texts have too many values for DuckDB to number them."""
        for start in range(0, len(values), COLUMNS_PER_QUERY):
            some = values[start : start + COLUMNS_PER_QUERY]
            counts = ", ".join(f"count(DISTINCT {value})" for value in some)
            (row,) = self.workspace.execute(self.selection.select(counts)).fetchall()
            self.has_many |= {v: n > MOST_ENUMERATED for v, n in zip(some, row, strict=True)}

    def _codes(self, value: str) -> str:
        """SQL of the codes of one text."""
        if self.has_many[value]:
            return "NULL"
        if value not in self.enums:
            name = f"texts{len(self.enums)}"
            distinct = self.selection.select(f"DISTINCT {value} AS v")
            self.workspace.execute(
                f"CREATE TYPE {name} AS ENUM ({distinct} AND {value} IS NOT NULL ORDER BY v)"
            )
            self.enums[value] = name
        return f"enum_code(CAST({value} AS {self.enums[value]}))"

    def cells(self, value: str, codes: NDArray[Any]) -> CodedCells:
        """Return the codes with their texts."""
        if self.has_many[value]:
            return self._number_in_python(value)
        filled = np.ma.filled(codes.astype(np.int32), -1)
        sql = f"SELECT unnest(enum_range(NULL::{self.enums[value]}))"
        return CodedCells(filled, [text for (text,) in self.workspace.execute(sql).fetchall()])

    def _number_in_python(self, value: str) -> CodedCells:
        """Number the texts in the order of their first row."""
        numbers: defaultdict[Any, int] = defaultdict()
        numbers.default_factory = numbers.__len__
        parts = []
        result = self.workspace.execute(self.selection.select(value))
        while rows := result.fetchmany(CHUNK):
            parts.append(
                np.fromiter(
                    (-1 if text is None else numbers[text] for (text,) in rows),
                    dtype=np.int32,
                    count=len(rows),
                )
            )
        return CodedCells(np.concatenate(parts) if parts else np.empty(0, np.int32), list(numbers))


ROW_GROUP = 122_880
"""Number of rows that DuckDB stores together by default."""

TIME_TYPES = {Kind.DATETIME: "M8[us]", Kind.DURATION: "m8[us]"}


@dataclass(frozen=True)
class Piece:
    """Rows of one file or table, numbered from 0 to `stop` - 1, possibly with gaps."""

    relation: str  # SQL that follows FROM
    row: str  # SQL of the row number
    stop: int  # one more than the last row number
    group: int = ROW_GROUP  # rows that are decompressed together


@dataclass
class FileSource(AbstractContextManager["FileSource"]):
    """A table in files or a database; its columns are read into memory, all rows or in batches."""

    workspace: Workspace  # the DuckDB connection that knows the relation
    columns: list[FileColumn]  # the columns, in the order of the file
    whole: str  # SQL of all rows, as it follows FROM
    pieces: list[Piece]  # all rows in the same order, in pieces whose rows are numbered
    n_rows: int
    # What the user should know about how the file was read.
    notes: list[ReadingNote] = field(default_factory=list)
    # Kinds that columns are read as, instead of their own.
    kinds_to_read: Mapping[str, str] = field(default_factory=dict)
    # Formats of dates and numbers in columns of these kinds.
    formats_to_read: Mapping[str, str] = field(default_factory=dict)
    path: str = ""  # the name that the user passed
    database: tuple[str, str] | None = None  # path and alias of an attached database file
    # Returns the line number of a row of a text file; 0 if it is not found.
    line_of: Callable[[int], int] | None = None
    # Whether a column of text, by its SQL, has too many values for DuckDB to number them.
    has_many_texts: dict[str, bool] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.names = [column.name for column in self.columns]

    @property
    def types(self) -> dict[str, Kind]:
        """Kind of each column, by name."""
        return {column.name: column.kind for column in self.columns}

    def read(
        self,
        names: Sequence[str] | None = None,
        types: Mapping[str, str] | None = None,
        formats: Mapping[str, str] | None = None,
    ) -> Table:
        """Read columns, all by default, as the kinds in `types` (default: `kinds_to_read`)."""
        columns = self._columns(names, types, formats)
        if len(self.pieces) == 1:
            selection = Selection(self.pieces[0].relation, self.pieces[0].row)
        else:
            selection = Selection(self.whole)
        return self._read(columns, selection, self.n_rows)

    def batches(
        self,
        names: Sequence[str] | None = None,
        n_rows: int = ROW_GROUP,
    ) -> Iterator[Table]:
        """Read columns in the order of the rows, at most `n_rows` rows at a time."""
        columns = self._columns(names)
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
        columns = self._columns(names, {}, {})
        selected = ", ".join(f"{column.raw} AS {identifier(column.name)}" for column in columns)
        return f"SELECT {selected} FROM {self.whole}"

    def close(self) -> None:
        """Remove all temporary files."""
        self.workspace.close()

    def __exit__(self, *error: object) -> None:
        self.close()

    def _columns(
        self,
        names: Sequence[str] | None,
        kinds: Mapping[str, str] | None = None,
        formats: Mapping[str, str] | None = None,
    ) -> list[FileColumn]:
        """Return the columns with these names, each with the kind it is to be read as."""
        known = {column.name: column for column in self.columns}
        kinds = self.kinds_to_read if kinds is None else kinds
        formats = self.formats_to_read if formats is None else formats
        names = self.names if names is None else names
        for name in names:
            if name not in known:
                raise ColumnError(
                    f"There is no column {name!r} in {self.path!r}: it has "
                    f"{listed(self.names, 20)}."
                )
        return [
            read_as(known[name], kinds[name], formats.get(name)) if name in kinds else known[name]
            for name in names
        ]

    def _read(self, columns: list[FileColumn], selection: Selection, n_rows: int) -> Table:
        """Read some rows of columns; damage may be found only now."""
        with reading(self.path):
            return self._cells(columns, selection, n_rows)

    def _cells(self, columns: list[FileColumn], selection: Selection, n_rows: int) -> Table:
        """Read some rows of columns."""
        for column in columns:
            self._refuse(column, selection)
        merged = self._merged(columns, selection)
        exact = {
            column.name: as_exact_text(column)
            for column in columns
            if 0 < merged.get(column.name, (0,))[0] <= MOST_EXACT
        }
        values = [exact.get(column.name, column.value) for column in columns]
        texts = [
            value
            for column, value in zip(columns, values, strict=True)
            if column.kind == Kind.TEXT or column.name in exact
        ]
        with TextEncoding(self.workspace, selection, self.has_many_texts) as encoding:
            coded = dict(zip(texts, encoding.sql_of_codes(texts), strict=True))
            selected = [coded.get(value, value) for value in values]
            n_rows, arrays = self._fetch(selected, selection, n_rows)
            cells = [
                encoding.cells(value, array) if value in coded else _cells(column, array)
                for column, value, array in zip(columns, values, arrays, strict=True)
            ]
        for i, (column, read) in enumerate(zip(columns, cells, strict=True)):
            if isinstance(read, Cells):
                cells[i] = replace(read, merged=merged.get(column.name))
            elif column.name in exact:
                cells[i] = self._with_numbers(read, column, exact[column.name], selection)
        return Table([column.name for column in columns], n_rows, list(cells))

    def _merged(
        self, columns: list[FileColumn], selection: Selection
    ) -> dict[str, tuple[int, int]]:
        """Count the numbers that would merge as float64, before and after, by column name."""
        rounded = [c for c in columns if c.long and c.family in ("float", "big")]
        return count_merged(self.workspace, rounded, selection.select) if rounded else {}

    def _with_numbers(
        self, cells: CodedCells, column: FileColumn, text: str, selection: Selection
    ) -> CodedCells:
        """Return texts as labels of their numbers."""
        sql = selection.select(f"DISTINCT {text}, {column.value}")
        numbers = dict(self.workspace.execute(sql).fetchall())
        return CodedCells(cells.codes, [numbers[label] for label in cells.values], cells.values)

    def _fetch(
        self, selected: list[str], selection: Selection, n_rows: int
    ) -> tuple[int, list[NDArray[Any]]]:
        """Return arrays of expressions, and their number of rows."""
        if not selected:
            return n_rows, []
        aliased = ", ".join(f"{value} AS c{i}" for i, value in enumerate(selected))
        arrays = list(self.workspace.execute(selection.select(aliased)).fetchnumpy().values())
        return len(arrays[0]), arrays

    def refuse_cells(self) -> None:
        """Raise if a cell of any column cannot be read as the kind that is needed."""
        needed = [column for column in self.columns if column.needed]
        with reading(self.path):
            for piece in self.pieces:
                for column in needed:
                    self._refuse(column, Selection(piece.relation, piece.row))

    def _refuse(self, column: FileColumn, selection: Selection) -> None:
        """Raise if a column cannot be read as the kind that is needed."""
        if column.kind == Kind.NESTED:
            raise NestedColumnError(
                f"Column {column.name!r} is nested: each cell holds several values. Split it into "
                "one column per value, or drop it."
            )
        if not column.needed:
            return
        wrong = f"{column.raw} IS NOT NULL AND {column.value} IS NULL"
        known = IS_MISSING_WORD.format(c=column.raw)
        found = self.workspace.execute(
            selection.select(f"{selection.row or -1}, {column.raw}")
            + f" AND {wrong} AND NOT {known} LIMIT 1"
        ).fetchone()
        if found:
            where = self._line_or_row(found[0]) if selection.row else "a row"
            raise _wrong_cell(column, f"{where} is {shortened(found[1])!r}")

    def _line_or_row(self, row: int) -> str:
        """Return how the user finds a row: by its line number, or its number counted from 1."""
        line = self.line_of(row) if self.line_of else 0
        return f"line {line}" if line else f"row {row + 1}"


@contextmanager
def reading(shown: str) -> Iterator[None]:
    """Raise what DuckDB raises while it reads a file as an error of the file, or as the user's."""
    import duckdb

    try:
        yield
    except (duckdb.Error, RuntimeError) as error:
        if is_interruption(error):
            raise KeyboardInterrupt from None
        raise unreadable(shown, error) from None


def _wrong_cell(column: FileColumn, example: str) -> ColumnError:
    """Return the error that a cell is not of the kind that is needed."""
    held = "text" if column.is_text else "numbers"

    def message(spell: Callable[[str], str]) -> str:
        option = spell("date_format")
        remedies = f"pass its format with {option}, " * (column.kind == Kind.DATETIME)
        if not column.is_text:
            remedies += f"use the column as numbers, without {option}, "
        return (
            f"Column {column.name!r} holds {held} ({example}), but {column.needed} are needed: "
            f"correct the cell, {remedies}declare it missing with {spell('--missing')}, or train "
            f"the model without the column, with {spell('drop')}."
        )

    return ColumnError(*spelled(message))


def _cells(column: FileColumn, array: NDArray[Any]) -> Cells:
    """Return the cells of an array from DuckDB."""
    missing = np.ma.getmaskarray(array) if isinstance(array, np.ma.MaskedArray) else None
    values = np.asarray(array.data if isinstance(array, np.ma.MaskedArray) else array)
    if column.kind in TIME_TYPES:
        type_ = "M8[ns]" if column.family == "nanoseconds" else TIME_TYPES[column.kind]
        values = values.astype(np.int64, copy=False).view(type_)
    if missing is None or not missing.any():
        return Cells(values, format=column.format)
    if values.dtype == np.float64 and values.flags.writeable:
        values[missing] = np.nan  # saves the mask
        missing = None
    return Cells(values, missing, column.format)


def of_table(workspace: Workspace, table: str) -> FileSource:
    """Return a DuckDB table by its row numbers; in our own tables, a column rowid is renamed."""
    columns = _with_row_numbers(workspace, table)
    sql = f"SELECT count(*), max(rowid) FROM {table}"
    ((n_rows, last),) = workspace.execute(sql).fetchall()
    stop = 0 if last is None else last + 1
    return FileSource(workspace, columns, table, [Piece(table, "rowid", stop)], n_rows)


def _with_row_numbers(workspace: Workspace, table: str) -> list[FileColumn]:
    """Return the columns; one stored as rowid is renamed, as it would hide the row numbers."""
    columns = natural_columns(workspace, table)
    hiding = next((column for column in columns if hides_row_numbers(column)), None)
    if hiding is None:
        return columns
    stored = free_name(hiding.name, {column.name.lower() for column in columns})
    workspace.execute(f"ALTER TABLE {table} RENAME COLUMN {hiding.raw} TO {identifier(stored)}")
    renamed = natural_columns(workspace, table)
    return [replace(new, name=old.name) for new, old in zip(renamed, columns, strict=True)]


def hides_row_numbers(column: FileColumn) -> bool:
    """Whether DuckDB, which ignores case, would confuse the column with the row numbers."""
    return column.name.lower() == "rowid"


def copied(workspace: Workspace, query: str, paths: Sequence[Path]) -> FileSource:
    """Copy the rows of a query to a temporary table."""
    table = workspace.new_table(sum(path.stat().st_size * 4 for path in paths))
    workspace.execute(f"CREATE TABLE {table} AS {query}")
    return of_table(workspace, table)

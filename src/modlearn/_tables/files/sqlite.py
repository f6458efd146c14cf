"""SQLite tables, read with the standard library: DuckDB would have to download an extension.

SQLite has types per cell, DuckDB per column. A column gets the type that fits all of its cells. The
first batch of rows suggests it; if a later batch does not fit, the table is copied once more.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from modlearn._tables.files.columns import identifier
from modlearn._tables.files.dialect import DATE, MOMENT
from modlearn._tables.files.workspace import Workspace
from modlearn.errors import ColumnError, FileError
from modlearn.schema import unique_names

__all__ = ["insert_cells", "load_sqlite"]

ROWS_PER_BATCH = 10_000
"""Number of rows whose cells are Python objects at the same time; they fit in the cache."""

NUMERIC = ("BIGINT", "DOUBLE", None)
"""Types of columns without text; None = all cells are NULL so far."""


@dataclass(frozen=True)
class _Column:
    """A column: its name in SQLite and in DuckDB, and whether it is declared as text."""

    source: str
    name: str
    is_text: bool


def load_sqlite(
    workspace: Workspace, path: Path, choose: Callable[[list[str]], str]
) -> tuple[str, set[str]]:
    """Copy a table to DuckDB; return its name there and the columns declared as text."""
    try:
        with closing(_connect(path)) as database:
            database.execute("BEGIN")  # all queries see the same rows
            table = choose(_tables(database))
            columns = _columns(database, table)
            copied = workspace.new_table(path.stat().st_size, len(columns))
            types = ["VARCHAR" if column.is_text else None for column in columns]
            while not _copy(workspace, copied, _batches(database, table, columns), columns, types):
                pass
    except sqlite3.Error as error:
        raise FileError(
            f"The file {str(path)!r} is not a valid SQLite database: {error}. Check or restore it."
        ) from None
    return copied, {column.name for column in columns if column.is_text}


def _connect(path: Path) -> sqlite3.Connection:
    """Open a database for reading; roll back the transaction of a process that was killed."""
    uri = path.resolve().as_uri()
    database = sqlite3.connect(f"{uri}?mode=ro", uri=True)
    try:
        database.execute("PRAGMA schema_version")
    except sqlite3.Error as error:
        database.close()
        if error.sqlite_errorname != "SQLITE_READONLY_ROLLBACK":
            raise
        return sqlite3.connect(f"{uri}?mode=rw", uri=True)
    return database


def _tables(database: sqlite3.Connection) -> list[str]:
    """Names of tables and views."""
    rows = database.execute(
        "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') "
        "AND name NOT LIKE 'sqlite_%' ORDER BY name"
    )
    return [name for (name,) in rows]


def _columns(database: sqlite3.Connection, table: str) -> list[_Column]:
    """Return the columns of a table."""
    rows = database.execute(f"PRAGMA table_xinfo({identifier(table)})").fetchall()
    declared = {row[1]: row[2].upper() for row in rows if row[6] != 1}  # 1 = hidden
    names, _ = unique_names(list(declared))
    return [
        _Column(source, name, any(word in type_ for word in ("CHAR", "CLOB", "TEXT")))
        for (source, type_), name in zip(declared.items(), names, strict=True)
    ]


def _batches(
    database: sqlite3.Connection, table: str, columns: Sequence[_Column]
) -> Iterator[list[tuple[Any, ...]]]:
    """Yield the cells of each column, some rows at a time."""
    names = ", ".join(identifier(column.source) for column in columns)
    cursor = database.execute(f"SELECT {names} FROM {identifier(table)}")
    while rows := cursor.fetchmany(ROWS_PER_BATCH):
        # Not zip(*rows): an iterator per row keeps the garbage collector busy.
        yield [tuple(map(itemgetter(i), rows)) for i in range(len(columns))]


def _copy(
    workspace: Workspace,
    copied: str,
    batches: Iterable[list[tuple[Any, ...]]],
    columns: Sequence[_Column],
    types: list[str | None],
) -> bool:
    """Copy batches and widen `types` to fit their cells; return whether the copy has these types.

    The types of the first batch are used; if a later batch needs others, only `types` is updated.
    """
    fits, is_created = True, False
    for batch in batches:
        found = [_type_of(*pair) for pair in zip(columns, batch, strict=True)]
        widened = [_common(*pair) for pair in zip(types, found, strict=True)]
        fits = fits and (widened == types or not is_created)
        types[:] = widened
        if not is_created:
            _create(workspace, copied, columns, types)
            is_created = True
        if fits:
            insert_cells(workspace, copied, batch, types)
    if not is_created:
        _create(workspace, copied, columns, types)
    return fits


def _type_of(column: _Column, cells: tuple[Any, ...]) -> str | None:
    """Return the DuckDB type that fits cells; None if all are NULL."""
    found = set(map(type, cells)) - {type(None)}
    if bytes in found:
        raise ColumnError(
            f"Column {column.source!r} holds bytes, which cannot be read: read a view without it."
        )
    if column.is_text or not found:
        return "VARCHAR" if column.is_text else None
    if found <= {int, float}:
        return "BIGINT" if found == {int} else "DOUBLE"
    return _type_of_texts(set(cells) - {None, ""}) if found == {str} else "VARCHAR"


def _type_of_texts(texts: set[str]) -> str:
    """Return the DuckDB type of texts: SQLite stores dates as text."""
    for type_, pattern in (("DATE", DATE), ("TIMESTAMP", MOMENT)):
        if texts and all(map(pattern.fullmatch, texts)) and all(map(_is_valid_date, texts)):
            return type_
    return "VARCHAR"


def _is_valid_date(text: str) -> bool:
    """Whether a text in the form of a date is one: there is no month 13."""
    try:
        datetime.fromisoformat(text)
    except ValueError:
        return False
    return True


def _common(one: str | None, other: str | None) -> str | None:
    """Return the type that fits the cells of two types."""
    if one is None or other is None or one == other:
        return one or other
    return "DOUBLE" if {one, other} == {"BIGINT", "DOUBLE"} else "VARCHAR"


def _create(
    workspace: Workspace, copied: str, columns: Sequence[_Column], types: Sequence[str | None]
) -> None:
    """Create the empty table in DuckDB; a column without any cell could be numbers."""
    fields = ", ".join(
        f"{identifier(column.name)} {type_ or 'DOUBLE'}"
        for column, type_ in zip(columns, types, strict=True)
    )
    workspace.execute(f"CREATE OR REPLACE TABLE {copied} ({fields})")


def insert_cells(
    workspace: Workspace, copied: str, batch: list[tuple[Any, ...]], types: Sequence[str | None]
) -> None:
    """Append rows to the table in DuckDB."""
    arrays = {f"c{i}": _array(*pair) for i, pair in enumerate(zip(batch, types, strict=True))}
    selected = ", ".join(_sql(f"c{i}", type_) for i, type_ in enumerate(types))
    workspace.connection.register("python_cells", arrays)
    try:
        workspace.execute(f"INSERT INTO {copied} SELECT {selected} FROM python_cells")
    finally:
        workspace.connection.unregister("python_cells")


def _sql(name: str, type_: str | None) -> str:
    """Return the SQL of an array as its type; empty text is missing, as in delimited text."""
    if type_ in NUMERIC:
        return name
    return f"CAST(nullif(CAST({name} AS VARCHAR), '') AS {type_})"


def _array(cells: tuple[Any, ...], type_: str | None) -> NDArray[Any]:
    """Return cells as an array that DuckDB reads, masked or None where they are NULL."""
    if type_ not in NUMERIC:
        if not set(map(type, cells)) <= {str, type(None)}:
            cells = tuple(None if cell is None else str(cell) for cell in cells)
        return np.array(cells, dtype=object)
    dtype = np.int64 if type_ == "BIGINT" else np.float64
    if None not in cells:
        return np.array(cells, dtype=dtype)
    values = np.array([0 if cell is None else cell for cell in cells], dtype=dtype)
    return np.ma.array(values, mask=[cell is None for cell in cells])

"""Tables of SQLite, read by the standard library: DuckDB would have to download an extension."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from modlearn._tables.files.workspace import Workspace, identifier
from modlearn._tables.names import unique_names
from modlearn.errors import ColumnError, FileError

__all__ = ["load_sqlite"]

ROWS_PER_BATCH = 50_000
"""Rows whose cells are Python objects at a time."""

COLUMNS_PER_QUERY = 500
"""Columns whose storage classes are counted together; SQLite limits the columns of a result."""

STORAGE_CLASSES = ("integer", "real", "text", "blob")


@dataclass(frozen=True)
class _Column:
    """A column: its name in SQLite and in DuckDB, the type it is copied as, and why."""

    source: str
    name: str
    type: str
    is_declared_text: bool


def load_sqlite(
    workspace: Workspace, path: Path, choose: Callable[[list[str]], str]
) -> tuple[str, set[str]]:
    """Copy a table to DuckDB; return its name there and the columns declared as text."""
    try:
        with closing(_connect(path)) as database:
            database.execute("BEGIN")  # all queries see the same rows
            table = choose(_tables(database))
            columns = _columns(database, table)
            copied = _create(workspace, path.stat().st_size, columns)
            for rows in _batches(database, table, columns):
                _insert(workspace, copied, columns, rows)
    except sqlite3.Error as error:
        raise FileError(
            f"The file {str(path)!r} is not a valid SQLite database: {error}. Check or restore it."
        ) from None
    return copied, {column.name for column in columns if column.is_declared_text}


def _connect(path: Path) -> sqlite3.Connection:
    """Open a database for reading; roll back what a killed process left in it."""
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
    """The columns, each with a DuckDB type that holds every cell: SQLite's types are per cell."""
    rows = database.execute(f"PRAGMA table_xinfo({identifier(table)})").fetchall()
    declared = [row for row in rows if row[6] != 1]  # 1 = hidden in a virtual table
    names, _ = unique_names([row[1] for row in declared])
    found = _storage_classes(database, table, [row[1] for row in declared])
    columns = []
    for name, (_, source, type_name, *_), classes in zip(names, declared, found, strict=True):
        if "blob" in classes:
            raise ColumnError(
                f"Column {source!r} holds bytes, which cannot be read: read a view without it."
            )
        is_text = any(word in type_name.upper() for word in ("CHAR", "CLOB", "TEXT"))
        columns.append(_Column(source, name, _type_of(classes, is_text), is_text))
    return columns


def _storage_classes(
    database: sqlite3.Connection, table: str, names: Sequence[str]
) -> Iterator[set[str]]:
    """The storage classes that occur among the cells of each column, NULL excepted."""
    width = len(STORAGE_CLASSES)
    for start in range(0, len(names), COLUMNS_PER_QUERY):
        some = names[start : start + COLUMNS_PER_QUERY]
        occurs = [
            f"max(typeof({identifier(name)}) = '{each}')"
            for name in some
            for each in STORAGE_CLASSES
        ]
        (row,) = database.execute(f"SELECT {', '.join(occurs)} FROM {identifier(table)}")
        for i in range(len(some)):
            flags = row[i * width : (i + 1) * width]
            yield {each for each, flag in zip(STORAGE_CLASSES, flags, strict=True) if flag}


def _type_of(classes: set[str], is_text: bool) -> str:
    """The DuckDB type of a column with cells of these storage classes."""
    if is_text or "text" in classes:
        return "VARCHAR"
    return "BIGINT" if classes == {"integer"} else "DOUBLE"


def _create(workspace: Workspace, n_bytes: int, columns: Sequence[_Column]) -> str:
    """Create the empty table in DuckDB; return its name."""
    workspace.allow_columns(len(columns))
    table = f"{workspace.spool(n_bytes)}.{workspace.new_name('copied')}"
    fields = ", ".join(f"{identifier(column.name)} {column.type}" for column in columns)
    workspace.run(f"CREATE TABLE {table} ({fields})")
    return table


def _batches(
    database: sqlite3.Connection, table: str, columns: Sequence[_Column]
) -> Iterator[list[tuple[Any, ...]]]:
    """Rows of the table, some at a time."""
    names = ", ".join(identifier(column.source) for column in columns)
    cursor = database.execute(f"SELECT {names} FROM {identifier(table)}")
    while rows := cursor.fetchmany(ROWS_PER_BATCH):
        yield rows


def _insert(
    workspace: Workspace, table: str, columns: Sequence[_Column], rows: list[tuple[Any, ...]]
) -> None:
    """Append rows to the table in DuckDB, column by column."""
    arrays = {
        f"c{i}": _array(cells, column.type)
        for i, (column, cells) in enumerate(zip(columns, zip(*rows, strict=True), strict=True))
    }
    selected = ", ".join(f"CAST(c{i} AS {column.type})" for i, column in enumerate(columns))
    workspace.connection.register("sqlite_rows", arrays)
    try:
        workspace.run(f"INSERT INTO {table} SELECT {selected} FROM sqlite_rows")
    finally:
        workspace.connection.unregister("sqlite_rows")


def _array(cells: tuple[Any, ...], type_name: str) -> NDArray[Any]:
    """Cells of a column as an array that DuckDB reads, masked or None where they are NULL."""
    if type_name == "VARCHAR":
        # An empty text is missing, as in delimited text.
        texts = [None if cell is None or cell == "" else str(cell) for cell in cells]
        return np.array(texts, dtype=object)
    missing = np.array([cell is None for cell in cells])
    filled = [0 if cell is None else cell for cell in cells] if missing.any() else cells
    values = np.array(filled, dtype=np.int64 if type_name == "BIGINT" else np.float64)
    return np.ma.array(values, mask=missing) if missing.any() else values

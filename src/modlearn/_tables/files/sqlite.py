"""Tables of SQLite, by the standard library: DuckDB would have to fetch an extension for them."""

from __future__ import annotations

import csv
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from modlearn._tables.files.delimited import load_delimited
from modlearn._tables.files.options import ReadOptions
from modlearn._tables.files.workspace import Workspace, identifier
from modlearn.errors import ColumnError, FileError

__all__ = ["load_sqlite"]


def load_sqlite(
    workspace: Workspace, path: Path, choose: Callable[[list[str]], str]
) -> tuple[str, set[str]]:
    """Copy a table by way of delimited text; return its name and the columns declared as text."""
    text = workspace.path("sqlite.csv")
    try:
        with closing(_connected(path)) as database:
            known = database.execute(
                "SELECT name FROM sqlite_master WHERE type IN ('table', 'view') "
                "AND name NOT LIKE 'sqlite_%' ORDER BY name"
            ).fetchall()
            table = choose([name for (name,) in known])
            declared = _write_text(database, table, text)
    except sqlite3.Error as error:
        raise FileError(f"The file {str(path)!r} is no database of SQLite: {error}.") from None
    texts = {name for name, kind in declared.items() if _is_text(kind)}
    options = ReadOptions(delimiter=",", quote='"', header=True, types=dict.fromkeys(texts, "text"))
    parsed, _, _ = load_delimited(workspace, [text], [f"{path}::{table}"], options)
    text.unlink()
    return parsed, texts


def _connected(path: Path) -> sqlite3.Connection:
    """The database, which is only read; of one that a killed process left, what it began goes."""
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


def _is_text(declared: str) -> bool:
    """Whether SQLite gives a declared type the affinity of text."""
    return any(word in declared.upper() for word in ("CHAR", "CLOB", "TEXT"))


def _write_text(database: sqlite3.Connection, table: str, path: Path) -> dict[str, str]:
    """Write a table as delimited text; return the declared types of its columns."""
    rows = database.execute(f"PRAGMA table_info({identifier(table)})").fetchall()
    declared = {row[1]: row[2] for row in rows}
    cursor = database.execute(f"SELECT * FROM {identifier(table)}")
    with path.open("w", encoding="utf-8", newline="") as file:
        # with both characters at the end of lines, cells that hold either get quotes
        writer = csv.writer(file, quoting=csv.QUOTE_MINIMAL, lineterminator="\r\n")
        writer.writerow(declared)
        while some := cursor.fetchmany(10_000):
            for row in some:
                _refuse_bytes(row, declared)
            writer.writerows(some)
    return declared


def _refuse_bytes(row: tuple[object, ...], names: dict[str, str]) -> None:
    """Raise for a cell of bytes."""
    for value, name in zip(row, names, strict=True):
        if isinstance(value, bytes):
            raise ColumnError(f"Column {name!r} holds bytes: leave it out by a view without it.")

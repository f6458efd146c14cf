"""Writing tables to database files, each replaced in one transaction."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing, nullcontext, suppress
from pathlib import Path

from modlearn._files import full_disk, whole_file
from modlearn._tables.files.columns import family_of, identifier
from modlearn._tables.files.parse_errors import shortened
from modlearn._tables.files.relation import FileSource
from modlearn._tables.files.workspace import literal
from modlearn.errors import FileError

__all__ = ["unwritable", "write_duckdb", "write_sqlite"]

ROWS_PER_BATCH = 10_000

# Families of DuckDB's types; all others are written as text.
SQLITE_TYPES = {
    "integer": "INTEGER",
    "unsigned": "INTEGER",
    "boolean": "INTEGER",
    "float": "REAL",
    "big": "REAL",
}
SQLITE_VALUES = {
    "integer": "{c}",
    "unsigned": "CAST({c} AS VARCHAR)",  # SQLite would turn those beyond its integers into floats
    "float": "{c}",
    "big": "CAST({c} AS DOUBLE)",
    "boolean": "CAST({c} AS INTEGER)",
}


def write_duckdb(source: FileSource, query: str, path: Path, table: str) -> None:
    """Write the rows of a query to a table of a DuckDB file."""
    if not path.exists():
        with whole_file(path) as temporary:
            temporary.unlink()  # DuckDB creates the file
            _replace_table(source, query, temporary, table)
        return
    if source.database is not None and path.samefile(source.database[0]):
        query = _set_aside(source, query)
    _replace_table(source, query, path, table)


def _set_aside(source: FileSource, query: str) -> str:
    """Copy the rows out of the database that is to be written, and detach it."""
    assert source.database is not None
    workspace = source.workspace
    copied = workspace.new_table(Path(source.database[0]).stat().st_size)
    workspace.execute(f"CREATE TABLE {copied} AS {query}")
    workspace.execute(f"DETACH {source.database[1]}")
    return f"SELECT * FROM {copied}"


def _replace_table(source: FileSource, query: str, path: Path, table: str) -> None:
    """Replace a table of a database that nothing else has open."""
    import duckdb

    workspace = source.workspace
    workspace.execute(f"ATTACH {literal(str(path))} AS output")
    try:
        workspace.execute("BEGIN")
        workspace.execute(f"CREATE OR REPLACE TABLE output.main.{identifier(table)} AS {query}")
        workspace.execute("COMMIT")
        workspace.execute("DETACH output")
    except BaseException:
        # What failed may have ended the transaction; the first error is the one to report.
        for statement in ("ROLLBACK", "DETACH output"):
            with suppress(duckdb.Error):
                workspace.execute(statement)
        raise


def write_sqlite(source: FileSource, query: str, path: Path, table: str) -> None:
    """Write the rows of a query to a table of an SQLite file."""
    # A new database is first written to a temporary file; an existing one has transactions.
    with nullcontext(path) if path.exists() else whole_file(path) as file:
        try:
            _replace_sqlite_table(source, query, file, table)
        except sqlite3.Error as error:
            _roll_back(file)
            raise unwritable(str(path), error) from None


def _roll_back(path: Path) -> None:
    """Let SQLite undo what a failed transaction left in the file, and remove its journal."""
    with suppress(sqlite3.Error), closing(sqlite3.connect(path)) as database:
        database.execute("SELECT count(*) FROM sqlite_master").fetchall()


def unwritable(shown: str, error: Exception) -> FileError:
    """Return the error for a file that cannot be written, with the reason in one line."""
    text = str(error).strip()
    if re.search("No space left|disk is full|File too large|quota exceeded", text):
        return full_disk(shown)
    return FileError(f"{shown!r} cannot be written: {shortened(text.splitlines()[0], 200)}")


def _replace_sqlite_table(source: FileSource, query: str, path: Path, table: str) -> None:
    """Replace a table of an SQLite file in one transaction, some rows at a time."""
    workspace = source.workspace
    described = workspace.execute(f"DESCRIBE {query}").fetchall()
    families = {
        row[0]: "unsigned" if row[1] == "UBIGINT" else family_of(row[1]) for row in described
    }
    name = identifier(table)
    columns = ", ".join(
        f"{identifier(column)} {SQLITE_TYPES.get(family, 'TEXT')}"
        for column, family in families.items()
    )
    values = ", ".join(
        SQLITE_VALUES.get(family, "CAST({c} AS VARCHAR)").format(c=identifier(column))
        for column, family in families.items()
    )
    marks = ", ".join("?" * len(families))
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("BEGIN IMMEDIATE")
        database.execute(f"DROP TABLE IF EXISTS {name}")
        database.execute(f"CREATE TABLE {name} ({columns})")
        result = workspace.execute(f"SELECT {values} FROM ({query})")
        while rows := result.fetchmany(ROWS_PER_BATCH):
            database.executemany(f"INSERT INTO {name} VALUES ({marks})", rows)
        database.execute("COMMIT")

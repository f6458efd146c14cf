"""Tables of databases: of DuckDB, read where they are, and of SQLite, copied."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from modlearn._parallel import in_other_thread
from modlearn._tables.files.columns import identifier, natural_columns
from modlearn._tables.files.options import OpenRequest
from modlearn._tables.files.relation import FileSource, copied, hides_row_numbers, of_table
from modlearn._tables.files.sqlite import load_sqlite
from modlearn._tables.files.text_types import reinterpret_texts
from modlearn._tables.files.workspace import Workspace, literal
from modlearn.errors import FileError
from modlearn.schema import listed

__all__ = ["open_duckdb", "open_sqlite"]


def open_duckdb(opening: OpenRequest) -> FileSource:
    """Open a table of a database; a view is copied, and a table whose row numbers are hidden."""
    opening.workspace.execute(f"ATTACH {literal(str(opening.paths[0]))} AS input (READ_ONLY)")
    rows = opening.workspace.execute(
        "SELECT schema_name, table_name, 'table' FROM duckdb_tables() WHERE database_name = 'input'"
        " UNION ALL SELECT schema_name, view_name, 'view' FROM duckdb_views() "
        "WHERE database_name = 'input' AND NOT internal ORDER BY 1, 2"
    ).fetchall()
    known = {
        name if schema == "main" else f"{schema}.{name}": (schema, name, kind)
        for schema, name, kind in rows
    }
    schema, name, kind = known[_table_to_read(opening.shown[0], opening.table, list(known))]
    full = f"input.{identifier(schema)}.{identifier(name)}"
    if kind == "view":
        source = of_table(opening.workspace, _copy_view(opening.workspace, opening.paths[0], full))
    elif any(map(hides_row_numbers, natural_columns(opening.workspace, full))):
        source = copied(opening.workspace, f"SELECT * FROM {full}", opening.paths)
    else:
        source = of_table(opening.workspace, full)
    source.database = (str(opening.paths[0]), "input")
    opening.workspace.allow_columns(len(source.columns))
    return source


def _copy_view(workspace: Workspace, path: Path, view: str) -> str:
    """Copy a view of a database, attached as `input`, to a table; return the name of the table.

    A view is SQL that somebody else wrote. It runs where it reaches no file but its own database,
    no network and no extension.
    """
    import duckdb

    name = workspace.new_name("view")
    copy = str(workspace.path(f"{name}.duckdb"))
    limits = "SELECT current_setting('threads'), current_setting('memory_limit')"
    ((threads, memory),) = workspace.rows(limits)
    with duckdb.connect(":memory:", config={"autoinstall_known_extensions": "false"}) as guarded:
        setup = (
            f"ATTACH {literal(str(path))} AS input (READ_ONLY)",
            f"ATTACH {literal(copy)} AS output",
            f"SET threads = {threads}",
            f"SET memory_limit = '{memory}'",
            f"SET temp_directory = {literal(str(workspace.path(f'{name}-spill')))}",
            "SET TimeZone = 'UTC'",
            "SET enable_progress_bar = false",
            "SET enable_external_access = false",
            "SET lock_configuration = true",
        )
        for statement in setup:
            guarded.execute(statement)
        try:
            # Signals reach the main thread, but not while it joins many rows.
            copy_rows = partial(
                guarded.execute, f"CREATE TABLE output.rows AS SELECT * FROM {view}"
            )
            in_other_thread(copy_rows, guarded.interrupt)
        except duckdb.PermissionException as error:
            raise FileError(
                f"The view {view.removeprefix('input.')} of {str(path)!r} reads something outside "
                f"of its database, which is not allowed: {str(error).splitlines()[0]}. Copy its "
                "rows to a table first."
            ) from None
    workspace.execute(f"ATTACH {literal(copy)} AS {name}")
    return f"{name}.rows"


def open_sqlite(opening: OpenRequest) -> FileSource:
    """Copy a table of SQLite; texts that are not declared as such may be dates or numbers."""
    copied, declared_texts = load_sqlite(
        opening.workspace,
        opening.paths[0],
        lambda known: _table_to_read(opening.shown[0], opening.table, known),
    )
    source = of_table(opening.workspace, copied)
    reinterpret_texts(source, declared_texts, opening)
    return source


def _table_to_read(shown: str, table: str | None, known: list[str]) -> str:
    """Return the table named, or the only table."""
    tables = listed(known, 20) or "none"
    if table is None and len(known) == 1:
        return known[0]
    if table is None:
        example = known[0] if known else "table"
        raise FileError(
            f"The database {shown!r} has {len(known)} tables, {tables}: name one, such as "
            f"'{shown}::{example}'."
        )
    if table not in known:
        raise FileError(f"There is no table {table!r} in {shown!r}: name one of {tables}.")
    return table

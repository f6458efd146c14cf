"""What the name of a table means: a file of any kind, several, a table in a database, or "-"."""

from __future__ import annotations

import glob
import json
import re
import shutil
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path

from modlearn._read.arrow import load_arrow
from modlearn._read.delimited import load_delimited
from modlearn._read.dialect import free_name
from modlearn._read.encoding import compression_of, opened, unpacking
from modlearn._read.options import ReadOptions
from modlearn._read.relation import FileColumn, FileSource, Piece, natural_column
from modlearn._read.sqlite import load_sqlite
from modlearn._read.text_types import reinterpret
from modlearn._read.workspace import Workspace, identifier, literal
from modlearn.errors import FileError

__all__ = ["ReadOptions", "format_of_name", "open_source", "split_database"]

ENDINGS = {
    ".csv": "csv",
    ".txt": "csv",
    ".data": "csv",
    ".tsv": "tsv",
    ".tab": "tsv",
    ".parquet": "parquet",
    ".pq": "parquet",
    ".jsonl": "json",
    ".ndjson": "json",
    ".json": "json",
    ".arrow": "arrow",
    ".feather": "arrow",
    ".ipc": "arrow",
    ".arrows": "arrow",
    ".duckdb": "duckdb",
    ".ddb": "duckdb",
    ".sqlite": "sqlite",
    ".sqlite3": "sqlite",
}
PACKINGS = {".gz": "gzip", ".zst": "zstd"}
MAGIC = {
    b"PAR1": "parquet",
    b"ARROW1": "arrow",
    b"\xff\xff\xff\xff": "arrow",
    b"SQLite format 3\x00": "sqlite",
}


def open_source(name: str | PathLike[str], options: ReadOptions | None = None) -> FileSource:
    """Open a table in files.

    Parameters
    ----------
    name : path
        A file of delimited text, Parquet, JSON lines or Arrow, packed or not; a pattern such as
        ``"part-*.parquet"``; ``"shop.duckdb::orders"`` or ``"shop.sqlite::orders"`` for a table of
        a database; ``"-"`` for standard input, or the name of a pipe.
    options : ReadOptions, default=None
        What the file does not say itself.

    Returns
    -------
    FileSource
        With ``names``, ``types``, ``n_rows``, ``notes``, ``read`` and ``batches``; close it, or use
        it in a ``with`` statement.
    """
    options = options or ReadOptions()
    workspace = Workspace(options.n_jobs)
    try:
        return _open(workspace, fspath(name), options)
    except BaseException:
        workspace.close()
        raise


def _open(workspace: Workspace, name: str, options: ReadOptions) -> FileSource:
    import duckdb

    path, table = split_database(name)
    is_stream = _is_stream(path)
    paths = [_spooled(workspace, path)] if is_stream else _paths(path)
    shown = [name] if is_stream else [str(path) for path in paths]
    kind = options.format or _common_format(paths, path, table)
    opener = OPENERS.get(kind)
    if opener is None:
        raise FileError(
            f"The format {kind!r} is not known: give one of {', '.join(sorted(OPENERS))}."
        )
    if kind == "tsv":
        options = replace(options, delimiter=options.delimiter or "\t")
    try:
        source = opener(workspace, paths, shown, table, options)
    except duckdb.Error as error:
        raise FileError(f"The file {name!r} cannot be read: {_said(error)}") from None
    source.path, source.wanted = name, options.types
    return source


def _said(error: Exception) -> str:
    """The first line of what DuckDB says, without the name that it has for the error."""
    text = str(error).strip().splitlines()[0]
    return re.sub(r"^[\w ]+ Error: ", "", text).rstrip(" .") + "."


def split_database(name: str) -> tuple[str, str | None]:
    """Path of a file, and the name of a table if one follows behind ``::``."""
    path, mark, table = name.partition("::")
    if not mark or Path(name).exists():
        return name, None
    return path, table


def _is_stream(path: str) -> bool:
    """Whether a name stands for what can be read only once, such as the output of a command."""
    there = Path(path)
    return path == "-" or (there.exists() and not there.is_file() and not there.is_dir())


def _paths(path: str) -> list[Path]:
    """The files that are meant, sorted."""
    if Path(path).is_file():
        return [Path(path)]
    if Path(path).is_dir():
        raise FileError(f"{path!r} is a folder: give the files in it, such as '{path}/*.csv'.")
    # a pattern may be absolute, which Path.glob does not take
    found = sorted(glob.glob(path, recursive=True)) if glob.has_magic(path) else []  # noqa: PTH207
    files = [Path(name) for name in found if Path(name).is_file()]
    if not files:
        what = "No file matches" if glob.has_magic(path) else "There is no file"
        raise FileError(f"{what} {path!r}: check the name and the folder.")
    return files


def _spooled(workspace: Workspace, name: str) -> Path:
    """Standard input, or a pipe, in a file."""
    path = workspace.path("standard-input")
    with (
        nullcontext(sys.stdin.buffer) if name == "-" else Path(name).open("rb") as stream,
        path.open("wb") as file,
    ):
        shutil.copyfileobj(stream, file, 1 << 20)
    return path


def _common_format(paths: Sequence[Path], path: str, table: str | None) -> str:
    """Format of the files: by their first bytes where these tell, else by their name."""
    kinds = {_format(each) for each in paths}
    if len(kinds) > 1:
        raise FileError(
            f"The files of {path!r} are of several kinds ({', '.join(sorted(kinds))}): "
            "give a pattern that matches files of one kind."
        )
    (kind,) = kinds
    if table is not None and kind not in ("duckdb", "sqlite"):
        raise FileError(
            f"{path!r} is no database of DuckDB or SQLite, so it has no table {table!r}: "
            "leave out what stands behind '::'."
        )
    return kind


def _format(path: Path) -> str:
    """Format of one file."""
    with path.open("rb") as file:
        start = file.read(16)
    told = next((kind for magic, kind in MAGIC.items() if start.startswith(magic)), None)
    if told:
        return told
    if start[8:12] == b"DUCK":
        return "duckdb"
    named = format_of_name(path.name)[0]
    if named == "csv" and not compression_of(path) and start.lstrip().startswith(b"{"):
        return "json"
    return named or ("json" if start.lstrip().startswith((b"{", b"[")) else "csv")


def format_of_name(name: str) -> tuple[str | None, str | None]:
    """Format and packing that the ending of a name stands for."""
    path = Path(name.lower())
    packing = PACKINGS.get(path.suffix)
    if packing:
        path = path.with_suffix("")
    return ENDINGS.get(path.suffix), packing


def _open_delimited(
    workspace: Workspace,
    paths: Sequence[Path],
    shown: Sequence[str],
    table: str | None,
    options: ReadOptions,
) -> FileSource:
    parsed, files, notes = load_delimited(workspace, paths, shown, options)
    source = _interpreted(workspace, parsed, notes, options)
    if len(files) == 1:
        source.line_of = files[0].line_of
    return source


def _interpreted(
    workspace: Workspace, table: str, notes: list[str], options: ReadOptions
) -> FileSource:
    """A table of our own, of whose texts some are read as another type."""
    source = _of_table(workspace, table)
    texts = [
        column
        for column in source.columns
        if column.family == "text"
        and options.types.get(column.name) not in ("text", "categorical", "boolean")
    ]
    found, told = reinterpret(workspace, table, texts, options)
    source.columns = [found.get(column.name, column) for column in source.columns]
    source.notes = [*notes, *told]
    return source


def _of_table(workspace: Workspace, table: str) -> FileSource:
    """A table of DuckDB, whose rows are numbered; one of our own if a column is called rowid."""
    columns = _with_row_numbers(workspace, table)
    (n_rows, last) = workspace.rows(f"SELECT count(*), max(rowid) FROM {table}")[0]
    stop = 0 if last is None else last + 1
    return FileSource(workspace, columns, table, [Piece(table, "rowid", stop)], n_rows)


def _with_row_numbers(workspace: Workspace, table: str) -> list[FileColumn]:
    """The columns, none of which is stored as rowid: it would hide the numbers of the rows."""
    columns = _described(workspace, table)
    hiding = next((column for column in columns if _hides_row_numbers(column)), None)
    if hiding is None:
        return columns
    stored = free_name(hiding.name, {column.name.lower() for column in columns})
    workspace.run(f"ALTER TABLE {table} RENAME COLUMN {hiding.raw} TO {identifier(stored)}")
    renamed = _described(workspace, table)
    return [replace(new, name=old.name) for new, old in zip(renamed, columns, strict=True)]


def _hides_row_numbers(column: FileColumn) -> bool:
    """Whether DuckDB, to which case means nothing, would take the column for the row numbers."""
    return column.name.lower() == "rowid"


def _described(workspace: Workspace, relation: str) -> list[FileColumn]:
    rows = workspace.rows(f"DESCRIBE SELECT * FROM {relation}")
    return [natural_column(row[0], row[1]) for row in rows]


def _open_parquet(
    workspace: Workspace,
    paths: Sequence[Path],
    shown: Sequence[str],
    table: str | None,
    options: ReadOptions,
) -> FileSource:
    """Parquet stays where it is: rows are found by their number in the file."""
    files = [_exact(path) for path in paths]
    sizes = [_size_of_parquet(workspace, file) for file in files]
    whole = f"read_parquet([{', '.join(files)}], hive_partitioning = false)"
    columns = _described(workspace, whole)
    workspace.allow_columns(len(columns))
    if any(column.name.lower() == "file_row_number" for column in columns):
        return _copied(workspace, f"SELECT * FROM {whole}", paths)
    pieces = [
        Piece(
            f"read_parquet({file}, file_row_number = true, hive_partitioning = false)",
            "file_row_number",
            *size,
        )
        for file, size in zip(files, sizes, strict=True)
    ]
    return FileSource(workspace, columns, whole, pieces, sum(n_rows for n_rows, _ in sizes))


def _exact(path: Path) -> str:
    """A path as DuckDB takes it, no pattern."""
    return literal("".join(f"[{c}]" if c in "*?[" else c for c in str(path)))


def _size_of_parquet(workspace: Workspace, file: str) -> tuple[int, int]:
    """Rows of a file, and of a group that is unpacked together."""
    sql = f"SELECT num_rows, num_row_groups FROM parquet_file_metadata({file})"
    n_rows, n_groups = map(int, workspace.rows(sql)[0])
    if not n_groups:
        return n_rows, 1
    sql = f"SELECT max(row_group_num_rows) FROM parquet_metadata({file}) WHERE row_group_id = 0"
    return n_rows, int(workspace.rows(sql)[0][0] or 1)


def _copied(workspace: Workspace, query: str, paths: Sequence[Path]) -> FileSource:
    """The rows of a query in a table of our own."""
    size = sum(path.stat().st_size * 4 for path in paths)
    table = f"{workspace.spool(size)}.{workspace.new_name('copied')}"
    workspace.run(f"CREATE TABLE {table} AS {query}")
    return _of_table(workspace, table)


def _open_json(
    workspace: Workspace,
    paths: Sequence[Path],
    shown: Sequence[str],
    table: str | None,
    options: ReadOptions,
) -> FileSource:
    if not any(path.stat().st_size for path in paths):
        raise FileError(f"The file {shown[0]!r} is empty: give one with rows.")
    packing = compression_of(paths[0]) or "uncompressed"
    files = ", ".join(map(_exact, paths))
    relation = (
        f"read_json([{files}], compression = '{packing}', sample_size = -1, "
        f"maximum_object_size = 67108864{_without_maps(workspace)})"
    )
    import duckdb

    try:
        source = _copied(workspace, f"SELECT * FROM {relation}", paths)
    except duckdb.InvalidInputException:
        _refuse_malformed_line(paths, shown)
        raise
    if source.names == ["json"]:
        raise FileError(
            f"The file {shown[0]!r} holds no objects with named values: give one object per line, "
            'such as {"age": 31, "city": "Oslo"}.'
        )
    # JSON has numbers, but no dates: of its texts only these are something else
    texts = [column for column in source.columns if column.family == "text"]
    found, _ = reinterpret(workspace, source.whole, texts, options)
    dates = {name: column for name, column in found.items() if column.family == "datetime"}
    source.columns = [dates.get(column.name, column) for column in source.columns]
    return source


def _without_maps(workspace: Workspace) -> str:
    """The option by which keys are columns even where each object has few of them."""
    option = "map_inference_threshold"
    known = workspace.rows(
        "SELECT 1 FROM duckdb_functions() WHERE function_name = 'read_json' "
        f"AND list_contains(parameters, {literal(option)})"
    )
    return f", {option} = -1" if known else ""


def _refuse_malformed_line(paths: Sequence[Path], shown: Sequence[str]) -> None:
    """Raise for the first line that is no JSON."""
    for path, name in zip(paths, shown, strict=True):
        if compression_of(path) == "zstd":
            continue
        with unpacking(name), opened(path, name) as file:
            for number, line in enumerate(file, 1):
                try:
                    json.loads(line) if line.strip() else None
                except ValueError as error:
                    raise FileError(
                        f"Line {number} of {name!r} is no JSON, {error}: write one object per line."
                    ) from None


def _open_duckdb(
    workspace: Workspace,
    paths: Sequence[Path],
    shown: Sequence[str],
    table: str | None,
    options: ReadOptions,
) -> FileSource:
    """A table of a database; copied if its rows have no numbers, as in a view, or hide them."""
    workspace.run(f"ATTACH {literal(str(paths[0]))} AS input (READ_ONLY)")
    rows = workspace.rows(
        "SELECT schema_name, table_name, 'table' FROM duckdb_tables() WHERE database_name = 'input'"
        " UNION ALL SELECT schema_name, view_name, 'view' FROM duckdb_views() "
        "WHERE database_name = 'input' AND NOT internal ORDER BY 1, 2"
    )
    known = {
        name if schema == "main" else f"{schema}.{name}": (schema, name, kind)
        for schema, name, kind in rows
    }
    schema, name, kind = known[_chosen_table(shown[0], table, list(known))]
    full = f"input.{identifier(schema)}.{identifier(name)}"
    if kind == "view" or any(map(_hides_row_numbers, _described(workspace, full))):
        source = _copied(workspace, f"SELECT * FROM {full}", paths)
    else:
        source = _of_table(workspace, full)
    source.database = (str(paths[0]), "input")
    workspace.allow_columns(len(source.columns))
    return source


def _chosen_table(shown: str, table: str | None, known: list[str]) -> str:
    """The table that is meant: the one named, or the only one."""
    listed = ", ".join(map(repr, known[:20])) or "none"
    if table is None and len(known) == 1:
        return known[0]
    if table is None:
        example = known[0] if known else "table"
        raise FileError(
            f"The database {shown!r} has {len(known)} tables, {listed}: name one, such as "
            f"'{shown}::{example}'."
        )
    if table not in known:
        raise FileError(f"There is no table {table!r} in {shown!r}: it has {listed}.")
    return table


def _open_sqlite(
    workspace: Workspace,
    paths: Sequence[Path],
    shown: Sequence[str],
    table: str | None,
    options: ReadOptions,
) -> FileSource:
    parsed, forced = load_sqlite(
        workspace, paths[0], lambda known: _chosen_table(shown[0], table, known)
    )
    source = _of_table(workspace, parsed)
    texts = [c for c in source.columns if c.family == "text" and c.name not in forced]
    found, source.notes = reinterpret(workspace, parsed, texts, options)
    source.columns = [found.get(column.name, column) for column in source.columns]
    return source


def _open_arrow(
    workspace: Workspace,
    paths: Sequence[Path],
    shown: Sequence[str],
    table: str | None,
    options: ReadOptions,
) -> FileSource:
    return _of_table(workspace, load_arrow(workspace, paths, shown))


Opener = Callable[[Workspace, Sequence[Path], Sequence[str], str | None, ReadOptions], FileSource]
OPENERS: dict[str, Opener] = {
    "csv": _open_delimited,
    "tsv": _open_delimited,
    "parquet": _open_parquet,
    "json": _open_json,
    "arrow": _open_arrow,
    "duckdb": _open_duckdb,
    "sqlite": _open_sqlite,
}

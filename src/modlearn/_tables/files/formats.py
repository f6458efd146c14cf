"""Files of each format, opened as tables whose rows are numbered."""

from __future__ import annotations

import glob
import json
import re
import shutil
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from os import PathLike, fspath
from pathlib import Path

from modlearn._tables.files.arrow import load_arrow
from modlearn._tables.files.columns import FileColumn, identifier, natural_columns
from modlearn._tables.files.date_columns import dates_by_name, read_requested_dates
from modlearn._tables.files.delimited import load_delimited
from modlearn._tables.files.options import ReadOptions
from modlearn._tables.files.parse_errors import unreadable
from modlearn._tables.files.relation import FileSource, Piece
from modlearn._tables.files.spreadsheets import OLE, ZIP, is_workbook, load_sheet
from modlearn._tables.files.sqlite import load_sqlite
from modlearn._tables.files.text_types import reinterpret
from modlearn._tables.files.workspace import (
    Workspace,
    compression_of,
    copy_view,
    decompressing,
    file_literal,
    interruptible,
    literal,
    open_bytes,
)
from modlearn.errors import FileError
from modlearn.schema import NUMBER_FORMATS, Kind, free_name, listed

__all__ = [
    "OPENERS",
    "Opening",
    "ReadOptions",
    "format_of_name",
    "open_source",
    "overwritten",
    "refuse_name",
    "split_database",
]

NOT_REINTERPRETED = (Kind.TEXT, Kind.BOOLEAN, Kind.DATETIME)
"""Columns that are read as one of these kinds are not examined: "n/a" and "01/02/2012" stay text
until they are read."""


@dataclass(frozen=True)
class Opening:
    """A request to open files.

    Parameters
    ----------
    workspace : Workspace
        The DuckDB connection that opens them.
    paths : sequence of Path
        Files of one format.
    shown : sequence of str
        Names of the files, as the user passed them.
    table : str or None
        The table of a database, if one is named.
    options : ReadOptions
        Options that replace what would be detected.
    """

    workspace: Workspace
    paths: Sequence[Path]
    shown: Sequence[str]
    table: str | None
    options: ReadOptions


def _open_delimited(opening: Opening) -> FileSource:
    """Parse delimited text into a temporary table."""
    parsed, files, notes = load_delimited(
        opening.workspace, opening.paths, opening.shown, opening.options
    )
    source = _of_table(opening.workspace, parsed)
    _reinterpret_texts(source, set(), opening)
    dates_by_name(source, {*opening.options.types, *opening.options.dates})
    source.notes = [*notes, *source.notes]
    if len(files) == 1:
        source.line_of = files[0].line_of
    return source


def _reinterpret_texts(source: FileSource, as_they_are: set[str], opening: Opening) -> None:
    """Read columns of text as another kind if all their cells are of it, except some columns."""
    texts = [
        column
        for column in source.columns
        if column.family == "text"
        and column.name not in as_they_are
        and column.name not in opening.options.dates
        and column.name not in opening.options.formats
        and opening.options.types.get(column.name) not in NOT_REINTERPRETED
    ]
    found, notes = reinterpret(opening.workspace, source.whole, texts, opening.options)
    source.columns = [found.get(column.name, column) for column in source.columns]
    source.notes = notes


def _of_table(workspace: Workspace, table: str) -> FileSource:
    """Return a DuckDB table by its row numbers; in our own tables, a column rowid is renamed."""
    columns = _with_row_numbers(workspace, table)
    sql = f"SELECT count(*), max(rowid) FROM {table}"
    ((n_rows, last),) = workspace.execute(sql).fetchall()
    stop = 0 if last is None else last + 1
    return FileSource(workspace, columns, table, [Piece(table, "rowid", stop)], n_rows)


def _with_row_numbers(workspace: Workspace, table: str) -> list[FileColumn]:
    """Return the columns; one stored as rowid is renamed, as it would hide the row numbers."""
    columns = natural_columns(workspace, table)
    hiding = next((column for column in columns if _hides_row_numbers(column)), None)
    if hiding is None:
        return columns
    stored = free_name(hiding.name, {column.name.lower() for column in columns})
    workspace.execute(f"ALTER TABLE {table} RENAME COLUMN {hiding.raw} TO {identifier(stored)}")
    renamed = natural_columns(workspace, table)
    return [replace(new, name=old.name) for new, old in zip(renamed, columns, strict=True)]


def _hides_row_numbers(column: FileColumn) -> bool:
    """Whether DuckDB, which ignores case, would confuse the column with the row numbers."""
    return column.name.lower() == "rowid"


def _open_parquet(opening: Opening) -> FileSource:
    """Read Parquet without a copy: rows are found by their number in the file."""
    files = [file_literal(path) for path in opening.paths]
    sizes = [_size_of_parquet(opening.workspace, file) for file in files]
    whole = f"read_parquet([{', '.join(files)}], hive_partitioning = false)"
    columns = natural_columns(opening.workspace, whole)
    opening.workspace.allow_columns(len(columns))
    if any(column.name.lower() == "file_row_number" for column in columns):
        return _copied(opening.workspace, f"SELECT * FROM {whole}", opening.paths)
    pieces = [
        Piece(
            f"read_parquet({file}, file_row_number = true, hive_partitioning = false)",
            "file_row_number",
            *size,
        )
        for file, size in zip(files, sizes, strict=True)
    ]
    return FileSource(opening.workspace, columns, whole, pieces, sum(n_rows for n_rows, _ in sizes))


def _size_of_parquet(workspace: Workspace, file: str) -> tuple[int, int]:
    """Return the number of rows of a file, and of a row group, which is decompressed at once."""
    sql = f"SELECT num_rows, num_row_groups FROM parquet_file_metadata({file})"
    ((n_rows, n_groups),) = workspace.execute(sql).fetchall()
    if not n_groups:
        return n_rows, 1
    sql = f"SELECT max(row_group_num_rows) FROM parquet_metadata({file}) WHERE row_group_id = 0"
    ((n_grouped,),) = workspace.execute(sql).fetchall()
    return n_rows, n_grouped or 1


def _copied(workspace: Workspace, query: str, paths: Sequence[Path]) -> FileSource:
    """Copy the rows of a query to a temporary table."""
    table = workspace.new_table(sum(path.stat().st_size * 4 for path in paths))
    workspace.execute(f"CREATE TABLE {table} AS {query}")
    return _of_table(workspace, table)


def _open_json(opening: Opening) -> FileSource:
    """Copy JSON objects to a table; their texts may be dates."""
    if not any(path.stat().st_size for path in opening.paths):
        raise FileError(f"The file {opening.shown[0]!r} is empty: pass a file with rows.")
    compression = compression_of(opening.paths[0]) or "uncompressed"
    files = ", ".join(map(file_literal, opening.paths))
    relation = (
        f"read_json([{files}], compression = '{compression}', sample_size = -1, "
        f"maximum_object_size = 67108864{_without_maps(opening.workspace)})"
    )
    import duckdb

    try:
        source = _copied(opening.workspace, f"SELECT * FROM {relation}", opening.paths)
    except duckdb.InvalidInputException:
        _refuse_malformed_line(opening.paths, opening.shown)
        raise
    if source.names == ["json"]:
        raise FileError(
            f"The file {opening.shown[0]!r} does not hold JSON objects, or has a value whose name "
            'is empty: write one object per line, such as {"age": 31, "city": "Oslo"}.'
        )
    # JSON has numbers but no dates, so texts are reinterpreted only as dates.
    texts = {column.name: column for column in source.columns}
    _reinterpret_texts(source, set(), opening)
    source.columns = [
        column if column.kind == Kind.DATETIME else texts[column.name] for column in source.columns
    ]
    dates = {column.name for column in source.columns if column.kind == Kind.DATETIME}
    source.notes = [note for note in source.notes if note.numbers["column"] in dates]
    return source


def _without_maps(workspace: Workspace) -> str:
    """Return the option that turns keys into columns even if each object has few of them."""
    option = "map_inference_threshold"
    known = workspace.execute(
        "SELECT 1 FROM duckdb_functions() WHERE function_name = 'read_json' "
        "AND list_contains(parameters, $1)",
        [option],
    )
    return f", {option} = -1" if known.fetchone() else ""


def _refuse_malformed_line(paths: Sequence[Path], shown: Sequence[str]) -> None:
    """Raise for the first line that is not valid JSON."""
    for path, name in zip(paths, shown, strict=True):
        if compression_of(path) == "zstd":
            continue
        with decompressing(name), open_bytes(path, name) as file:
            for number, line in enumerate(file, 1):
                try:
                    json.loads(line) if line.strip() else None
                except ValueError as error:
                    raise FileError(
                        f"Line {number} of {name!r} is not valid JSON ({error}): write one object "
                        "per line."
                    ) from None


def _open_duckdb(opening: Opening) -> FileSource:
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
    schema, name, kind = known[_chosen_table(opening.shown[0], opening.table, list(known))]
    full = f"input.{identifier(schema)}.{identifier(name)}"
    if kind == "view":
        source = _of_table(opening.workspace, copy_view(opening.workspace, opening.paths[0], full))
    elif any(map(_hides_row_numbers, natural_columns(opening.workspace, full))):
        source = _copied(opening.workspace, f"SELECT * FROM {full}", opening.paths)
    else:
        source = _of_table(opening.workspace, full)
    source.database = (str(opening.paths[0]), "input")
    opening.workspace.allow_columns(len(source.columns))
    return source


def _chosen_table(shown: str, table: str | None, known: list[str]) -> str:
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


def _open_sqlite(opening: Opening) -> FileSource:
    """Copy a table of SQLite; texts that are not declared as such may be dates or numbers."""
    copied, declared_texts = load_sqlite(
        opening.workspace,
        opening.paths[0],
        lambda known: _chosen_table(opening.shown[0], opening.table, known),
    )
    source = _of_table(opening.workspace, copied)
    _reinterpret_texts(source, declared_texts, opening)
    return source


def _open_arrow(opening: Opening) -> FileSource:
    """Copy Arrow files to a table."""
    return _of_table(opening.workspace, load_arrow(opening.workspace, opening.paths, opening.shown))


def _open_excel(opening: Opening) -> FileSource:
    """Copy a sheet of a workbook; texts may be dates or numbers, as in delimited text."""
    if len(opening.paths) > 1:
        raise FileError(
            f"The pattern matches {len(opening.paths)} workbooks, such as {opening.shown[0]!r}: "
            "name one of them, or save their sheets as CSV."
        )
    sheet = load_sheet(
        opening.workspace, opening.paths[0], opening.shown[0], opening.table, opening.options
    )
    source = _of_table(opening.workspace, sheet.table)
    _reinterpret_texts(source, set(), opening)
    dates_by_name(source, {*opening.options.types, *opening.options.dates})
    source.notes = [*sheet.notes, *source.notes]
    source.line_of = lambda row: sheet.rows[row]
    return source


OPENERS: dict[str, Callable[[Opening], FileSource]] = {
    "csv": _open_delimited,
    "tsv": _open_delimited,
    "parquet": _open_parquet,
    "json": _open_json,
    "arrow": _open_arrow,
    "duckdb": _open_duckdb,
    "sqlite": _open_sqlite,
    "excel": _open_excel,
}


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
    ".xlsx": "excel",
    ".xlsm": "excel",
    ".xls": "excel",
    ".ods": "excel",
}
COMPRESSIONS = {".gz": "gzip", ".zst": "zstd"}
MAGIC = {
    b"PAR1": "parquet",
    b"ARROW1": "arrow",
    b"\xff\xff\xff\xff": "arrow",
    b"SQLite format 3\x00": "sqlite",
}

JSON = re.compile(rb'\s*(\{\s*(["}]|$)|\[\s*([{\]]|$))')
"""How JSON objects begin; the first name of a CSV file may begin with a brace, too."""


def open_source(name: str | PathLike[str], options: ReadOptions | None = None) -> FileSource:
    """Open a table in files.

    Parameters
    ----------
    name : path
        A file of delimited text, Parquet, JSON lines or Arrow, compressed or not; a pattern such as
        ``"part-*.parquet"``; ``"shop.duckdb::orders"`` or ``"shop.sqlite::orders"`` for a table of
        a database, ``"book.xlsx::Sheet2"`` for a sheet of a workbook; ``"-"`` for standard input,
        or the name of a pipe.
    options : ReadOptions, default=None
        Options that replace what would be detected.

    Returns
    -------
    FileSource
        The open table, with ``names``, ``types``, ``n_rows``, ``notes``, ``read`` and ``batches``;
        close it, or use it in a ``with`` statement.
    """
    options = options or ReadOptions()
    workspace = Workspace(options.n_jobs)
    try:
        with interruptible():
            return _open(workspace, fspath(name), options)
    except BaseException:
        workspace.close()
        raise


def _open(workspace: Workspace, name: str, options: ReadOptions) -> FileSource:
    """Find the files and their format, and open them."""
    import duckdb

    path, table = split_database(name)
    is_stream = _is_stream(path)
    paths = [_spooled(workspace, path)] if is_stream else _paths(path)
    shown = [name] if is_stream else [str(path) for path in paths]
    format = options.format or _common_format(paths, path, table)
    opener = OPENERS.get(format)
    if opener is None:
        raise FileError(
            f"The format {format!r} is not known: pass one of {', '.join(sorted(OPENERS))}."
        )
    if format == "tsv":
        options = replace(options, delimiter=options.delimiter or "\t")
    if options.decimal:  # the user knows better than the model
        known = {n: f for n, f in options.formats.items() if f not in NUMBER_FORMATS}
        options = replace(options, formats=known)
    try:
        source = opener(Opening(workspace, paths, shown, table, options))
    except duckdb.InterruptException:
        raise
    except duckdb.Error as error:
        raise unreadable(name, error) from None
    source.path, source.formats_to_read = name, options.formats
    source.kinds_to_read = {n: k for n, k in options.types.items() if n not in options.dates}
    read_requested_dates(source, options.dates)
    return source


def split_database(name: str) -> tuple[str, str | None]:
    """Split a name into the path of a file and the table named after ``::``, if any."""
    path, mark, table = name.partition("::")
    if not mark or Path(name).exists():
        return name, None
    return path, table


def overwritten(outputs: Sequence[str], inputs: Sequence[str]) -> str | None:
    """Return the first input that writing to a file, or to a table of a database, would replace."""
    targets = [split_database(name) for name in outputs]
    for name in inputs:
        path, table = split_database(name)
        # A pattern may be absolute, which Path.glob does not accept.
        is_pattern = not Path(path).exists() and glob.has_magic(path)
        files = glob.glob(path, recursive=True) if is_pattern else [path]  # noqa: PTH207
        for target, new in targets:
            same = [file for file in files if _is_same(file, target)]
            # Databases ignore case in the names of tables.
            if same and (new is None or (table or "").lower() == new.lower()):
                return same[0] if new is None else name
    return None


def _is_same(path: str, other: str) -> bool:
    return Path(path).exists() and Path(other).exists() and Path(path).samefile(other)


def _is_stream(path: str) -> bool:
    """Whether a name refers to a stream that can be read only once, such as a pipe."""
    file = Path(path)
    return path == "-" or (file.exists() and not file.is_file() and not file.is_dir())


def _paths(path: str) -> list[Path]:
    """Return the files that a name refers to, sorted."""
    if Path(path).is_file():
        refuse_name(path)
        return [Path(path)]
    if Path(path).is_dir():
        raise FileError(f"{path!r} is a folder: name the files in it, such as '{path}/*.csv'.")
    # A pattern may be absolute, which Path.glob does not accept.
    found = sorted(glob.glob(path, recursive=True)) if glob.has_magic(path) else []  # noqa: PTH207
    files = [Path(name) for name in found if Path(name).is_file()]
    for file in files:
        refuse_name(str(file))
    if not files:
        _refuse_links(Path(path))
        problem = "No file matches" if glob.has_magic(path) else "There is no file"
        raise FileError(f"{problem} {path!r}: check the name and the folder.")
    return files


def refuse_name(path: str) -> None:
    """Raise for the name of a file that DuckDB cannot open, as it is not valid UTF-8."""
    if any("\ud800" <= character <= "\udfff" for character in path):
        raise FileError(
            f"The name {path!r} is not valid UTF-8, as the bytes written with a backslash are not "
            "characters: rename the file or its folder."
        )


def _refuse_links(path: Path) -> None:
    """Raise if a path leads to nothing because of a link."""
    for link in (path, *path.parents):
        if link.is_symlink() and not link.exists():
            raise FileError(
                f"{str(link)!r} is a link to {str(link.readlink())!r}, which does not exist or "
                "leads back to the link: correct the link, or name the file itself."
            )


def _spooled(workspace: Workspace, name: str) -> Path:
    """Copy standard input, or a pipe, to a file; return its path."""
    path = workspace.path("standard-input")
    with (
        nullcontext(sys.stdin.buffer) if name == "-" else Path(name).open("rb") as stream,
        path.open("wb") as file,
    ):
        shutil.copyfileobj(stream, file, 1 << 20)
    return path


def _common_format(paths: Sequence[Path], path: str, table: str | None) -> str:
    """Return the format that all files have."""
    formats = {_format(each) for each in paths}
    if len(formats) > 1:
        raise FileError(
            f"The files of {path!r} have several formats ({', '.join(sorted(formats))}): "
            "use a pattern that matches files of one format."
        )
    (format,) = formats
    if table is not None and format not in ("duckdb", "sqlite", "excel"):
        raise FileError(
            f"{path!r} is neither a database nor a workbook, so it has no table {table!r}: "
            "remove '::' and what follows it."
        )
    return format


def _format(path: Path) -> str:
    """Return the format of a file: by its first bytes if they are conclusive, else by its name."""
    with path.open("rb") as file:
        start = file.read(64)
    format = next((name for magic, name in MAGIC.items() if start.startswith(magic)), None)
    if format:
        return format
    if start[8:12] == b"DUCK":
        return "duckdb"
    if start.startswith((ZIP, OLE)) and is_workbook(start, path):
        return "excel"
    if start.startswith(ZIP):
        raise FileError(f"The file {str(path)!r} is a ZIP archive: extract the table from it.")
    named = format_of_name(path.name)[0]
    if named == "excel":
        _refuse_web_page(path, start)
        named = "csv"  # many programs write delimited text and call it .xls
    if named in (None, "csv") and JSON.match(start):
        return "json"
    return named or "csv"


def _refuse_web_page(path: Path, start: bytes) -> None:
    """Raise for a file that is called a workbook but is not even text with delimiters."""
    if not start or start.lstrip(b"\xef\xbb\xbf \r\n\t").startswith(b"<"):
        what = "a page of HTML or XML" if start else "empty"
        raise FileError(
            f"The file {str(path)!r} is {what}, not a workbook: open it in a spreadsheet program "
            "and save it as .xlsx, or as CSV."
        )


def format_of_name(name: str) -> tuple[str | None, str | None]:
    """Return the format and the compression that the file extension stands for."""
    path = Path(name.lower())
    compression = COMPRESSIONS.get(path.suffix)
    if compression:
        path = path.with_suffix("")
    return ENDINGS.get(path.suffix), compression

"""What the name of a table refers to: one or several files, a table in a database, or "-"."""

from __future__ import annotations

import glob
import re
import shutil
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path

from modlearn._tables.files.encoding import compression_of
from modlearn._tables.files.formats import OPENERS, Opening
from modlearn._tables.files.options import ReadOptions
from modlearn._tables.files.relation import FileSource
from modlearn._tables.files.workspace import Workspace
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
COMPRESSIONS = {".gz": "gzip", ".zst": "zstd"}
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
        A file of delimited text, Parquet, JSON lines or Arrow, compressed or not; a pattern such as
        ``"part-*.parquet"``; ``"shop.duckdb::orders"`` or ``"shop.sqlite::orders"`` for a table of
        a database; ``"-"`` for standard input, or the name of a pipe.
    options : ReadOptions, default=None
        Options for what is not to be detected.

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
            f"The format {format!r} is not known: use one of {', '.join(sorted(OPENERS))}."
        )
    if format == "tsv":
        options = replace(options, delimiter=options.delimiter or "\t")
    try:
        source = opener(Opening(workspace, paths, shown, table, options))
    except duckdb.Error as error:
        raise FileError(f"The file {name!r} cannot be read: {_reason(error)}") from None
    source.path, source.kinds_to_read = name, options.types
    return source


def _reason(error: Exception) -> str:
    """The first line of DuckDB's message, without its name for the error."""
    text = str(error).strip().splitlines()[0]
    return re.sub(r"^[\w ]+ Error: ", "", text).rstrip(" .") + "."


def split_database(name: str) -> tuple[str, str | None]:
    """Split a name into the path of a file and the table named after ``::``, if any."""
    path, mark, table = name.partition("::")
    if not mark or Path(name).exists():
        return name, None
    return path, table


def _is_stream(path: str) -> bool:
    """Whether a name refers to what can be read only once, such as the output of a command."""
    file = Path(path)
    return path == "-" or (file.exists() and not file.is_file() and not file.is_dir())


def _paths(path: str) -> list[Path]:
    """The files that a name refers to, sorted."""
    if Path(path).is_file():
        return [Path(path)]
    if Path(path).is_dir():
        raise FileError(f"{path!r} is a folder: name the files in it, such as '{path}/*.csv'.")
    # A pattern may be absolute, which Path.glob does not accept.
    found = sorted(glob.glob(path, recursive=True)) if glob.has_magic(path) else []  # noqa: PTH207
    files = [Path(name) for name in found if Path(name).is_file()]
    if not files:
        problem = "No file matches" if glob.has_magic(path) else "There is no file"
        raise FileError(f"{problem} {path!r}: check the name and the folder.")
    return files


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
    """The format that all files have."""
    formats = {_format(each) for each in paths}
    if len(formats) > 1:
        raise FileError(
            f"The files of {path!r} have several formats ({', '.join(sorted(formats))}): "
            "use a pattern that matches files of one format."
        )
    (format,) = formats
    if table is not None and format not in ("duckdb", "sqlite"):
        raise FileError(
            f"{path!r} is not a DuckDB or SQLite database, so it has no table {table!r}: "
            "remove '::' and what follows it."
        )
    return format


def _format(path: Path) -> str:
    """Format of a file: by its first bytes where they are conclusive, otherwise by its name."""
    with path.open("rb") as file:
        start = file.read(16)
    format = next((name for magic, name in MAGIC.items() if start.startswith(magic)), None)
    if format:
        return format
    if start[8:12] == b"DUCK":
        return "duckdb"
    named = format_of_name(path.name)[0]
    if named == "csv" and not compression_of(path) and start.lstrip().startswith(b"{"):
        return "json"
    return named or ("json" if start.lstrip().startswith((b"{", b"[")) else "csv")


def format_of_name(name: str) -> tuple[str | None, str | None]:
    """Return the format and the compression that the ending of a name stands for."""
    path = Path(name.lower())
    compression = COMPRESSIONS.get(path.suffix)
    if compression:
        path = path.with_suffix("")
    return ENDINGS.get(path.suffix), compression

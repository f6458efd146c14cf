"""Which files a name stands for, which format they have, and who opens it."""

from __future__ import annotations

import glob
import re
import shutil
import sys
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from os import PathLike, fspath
from pathlib import Path

from modlearn._addresses import DATABASES, without_password
from modlearn._files import MODEL_MARK
from modlearn._tables.files.arrow import open_arrow, open_parquet
from modlearn._tables.files.databases import open_duckdb, open_sqlite
from modlearn._tables.files.date_columns import read_requested_dates
from modlearn._tables.files.delimited import open_delimited
from modlearn._tables.files.json_lines import open_json
from modlearn._tables.files.options import OpenRequest, ReadOptions
from modlearn._tables.files.relation import FileSource, reading
from modlearn._tables.files.spreadsheets import OLE, ZIP, is_workbook, open_excel
from modlearn._tables.files.workspace import Workspace, is_interruption
from modlearn.errors import FileError
from modlearn.schema import NUMBER_FORMATS

__all__ = [
    "OPENERS",
    "ReadOptions",
    "format_of_name",
    "open_source",
    "overwritten",
    "refuse_name",
    "split_database",
]

OPENERS: dict[str, Callable[[OpenRequest], FileSource]] = {
    "csv": open_delimited,
    "tsv": open_delimited,
    "parquet": open_parquet,
    "json": open_json,
    "arrow": open_arrow,
    "duckdb": open_duckdb,
    "sqlite": open_sqlite,
    "excel": open_excel,
}


ENDINGS = {
    "csv": (".csv", ".txt", ".data"),
    "tsv": (".tsv", ".tab"),
    "parquet": (".parquet", ".pq"),
    "json": (".jsonl", ".ndjson", ".json"),
    "arrow": (".arrow", ".feather", ".ipc", ".arrows"),
    "duckdb": (".duckdb", ".ddb"),
    "sqlite": (".sqlite", ".sqlite3"),
    "excel": (".xlsx", ".xlsm", ".xls", ".ods"),
}
FORMAT_OF = {ending: format for format, endings in ENDINGS.items() for ending in endings}
COMPRESSIONS = {".gz": "gzip", ".zst": "zstd"}
MAGIC = {
    b"PAR1": "parquet",
    b"ARROW1": "arrow",
    b"\xff\xff\xff\xff": "arrow",
    b"SQLite format 3\x00": "sqlite",
}

OTHER_FILES = {
    b"\x89PNG": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"GIF8": "a GIF image",
    b"%PDF": "a PDF document",
    b"Rar!": "a RAR archive",
    b"7z\xbc\xaf": "a 7-Zip archive",
    b"\x80\x04": "a Python pickle",
    b"\x80\x05": "a Python pickle",
    b"\x89HDF": "an HDF5 file",
    b"\x7fELF": "a program",
    b"<!DOCTYPE html": "a web page",
}
"""How files begin that people pass by mistake, and what they are."""

JSON = re.compile(rb'\s*(\{\s*(["}]|$)|\[\s*([{\]]|$))')
"""How JSON objects begin; the first name of a CSV file may begin with a brace, too."""


def open_source(name: str | PathLike[str], options: ReadOptions | None = None) -> FileSource:
    """Open a table in files; close it, or use it in a ``with`` statement.

    A name is that of a file of delimited text, Parquet, JSON lines or Arrow, compressed or not; a
    pattern such as ``"part-*.parquet"``; ``"shop.duckdb::orders"`` or ``"shop.sqlite::orders"`` for
    a table of a database, ``"book.xlsx::Sheet2"`` for a sheet of a workbook; ``"-"`` for standard
    input, or the name of a pipe.
    """
    options = options or ReadOptions()
    workspace = Workspace(options.n_jobs)
    try:
        return _open(workspace, fspath(name), options)
    except BaseException as error:
        workspace.close()
        if is_interruption(error):
            raise KeyboardInterrupt from None
        raise


def _open(workspace: Workspace, name: str, options: ReadOptions) -> FileSource:
    """Find the files and their format, and open them."""
    if "://" in name:
        addressed = [database for database in DATABASES if database.schemes]
        addresses = " or ".join(f"{one.title} such as {one.example!r}" for one in addressed)
        raise FileError(
            f"{without_password(name)!r} is not a file: only fit and analyze take addresses, those "
            f"of {addresses}. Export the table to a Parquet file."
        )
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
    with reading(name):
        source = opener(OpenRequest(workspace, paths, shown, table, options))
    source.path, source.formats_to_read = name, options.formats
    source.kinds_to_read = {n: k for n, k in options.types.items() if n not in options.dates}
    if options.dates:
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
        shown = without_password(path)
        raise FileError(f"{problem} {shown!r}: check the name and the folder.")
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
    other = next((what for first, what in OTHER_FILES.items() if start.startswith(first)), None)
    if other or MODEL_MARK in start:
        other = other or "a model that modlearn wrote"
        raise FileError(
            f"The file {str(path)!r} is {other}, not a table: pass a CSV, Parquet, JSON Lines, "
            "Arrow, Excel, DuckDB or SQLite file."
        )
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
    return FORMAT_OF.get(path.suffix), compression

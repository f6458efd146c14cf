"""Delimited text, strictly parsed by DuckDB: problems that its sniffer would skip are reported."""

from __future__ import annotations

import glob
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from modlearn._tables.files.date_columns import CALLED_A_DATE, dates_by_name
from modlearn._tables.files.dialect import LEAST_LINES, Dialect, read_head, with_one_line_end
from modlearn._tables.files.options import OpenRequest, ReadOptions
from modlearn._tables.files.parse_errors import (
    LONGEST_LINE,
    MixedLineEndsError,
    NotUnicodeError,
    OtherTypeError,
    explain,
    line_of_record,
    parse_error,
)
from modlearn._tables.files.relation import FileSource, of_table
from modlearn._tables.files.text_types import reinterpret_texts
from modlearn._tables.files.workspace import Rewrite, Workspace, inspect_bytes, recode
from modlearn._tables.notes import ReadingNote
from modlearn._tables.spelling import COMMA
from modlearn.errors import FileError
from modlearn.schema import Kind, unique_names

if TYPE_CHECKING:
    import duckdb

__all__ = ["TextFile", "open_delimited"]

HEAD_LINES = 1000
HEAD_CHARACTERS = 1_000_000
"""The head of a file: at most HEAD_LINES lines, but only LEAST_LINES if they are very long."""

ONE_COLUMN = Dialect("\x1e\x1f\x1e", "", "", 1)  # any single character may occur in a file
ONE_TEXT = {"line": "VARCHAR"}
UTF_8 = ("utf-8", "utf8", "utf-8-sig")

READ_CSV = (
    "read_csv($path, auto_detect = false, delim = $delimiter, quote = $quote, escape = $escape, "
    "skip = $n_blank, header = $has_header, columns = $types, nullstr = $missing, "
    f"compression = $compression, max_line_size = {LONGEST_LINE})"
)
"""Every option is set, so that nothing is detected."""


@dataclass(frozen=True)
class TextFile:
    """A file of delimited text."""

    path: Path  # the file that is read; may be a copy in UTF-8
    shown: str  # the name that the user passed
    compression: str | None
    dialect: Dialect  # delimiter, quote and escape of the file
    names: list[str]
    has_header: bool  # whether the first record names the columns
    n_blank: int = 0  # empty lines before the first record
    is_utf8: bool = False  # whether the file is a copy that was converted to UTF-8
    # How often its line ends were made the same: outside of quotes first, then everywhere.
    n_repairs: int = 0

    @property
    def size(self) -> int:
        """Approximate size in bytes after decompression."""
        return self.path.stat().st_size * (8 if self.compression else 1)

    def line_of(self, row: int) -> int:
        """Return the line number of a row, which is counted from 0; 0 if it is not found."""
        record = row + self.has_header
        return line_of_record(self.path, self.shown, self.dialect, record, self.n_blank)

    def converted(self, path: Path) -> TextFile:
        """Return this file with the path of its copy in UTF-8."""
        return replace(self, path=path, compression=None, is_utf8=True)

    def parameters(self, types: dict[str, str], missing: Sequence[str] = ()) -> dict[str, Any]:
        """Return the parameters of READ_CSV."""
        return {
            "path": glob.escape(str(self.path)),
            "delimiter": self.dialect.delimiter,
            "quote": self.dialect.quote,
            "escape": self.dialect.escape,
            "n_blank": self.n_blank,
            "has_header": self.has_header,
            "types": {name: types[name] for name in self.names},
            "missing": list(dict.fromkeys(["", *missing])),
            "compression": self.compression or "none",
        }


def open_delimited(opening: OpenRequest) -> FileSource:
    """Parse files of delimited text into one temporary table."""
    workspace, options = opening.workspace, opening.options
    notes: list[ReadingNote] = []
    files = []
    types: dict[str, str] = {}
    words: set[str] = set()
    for path, name in zip(opening.paths, opening.shown, strict=True):
        file, guessed, plainly_text = _inspect(workspace, path, name, options, notes)
        files.append(file)
        types = {**guessed, **types} if not types else _common(types, guessed)
        words |= plainly_text
    _refuse_other_columns(files)
    forced = {name for name, kind in options.types.items() if kind == Kind.TEXT}
    # Without other cells, "1.234" would be read as a decimal number.
    forced |= {name for name, format in options.formats.items() if format == COMMA}
    types = {name: "VARCHAR" if name in forced else type_ for name, type_ in types.items()}
    table = workspace.new_table(sum(file.size for file in files), len(types))
    _load_until_it_fits(workspace, table, files, types, options, notes)
    source = of_table(workspace, table)
    source.notes = notes
    if any(column.family == "text" and column.name not in words for column in source.columns):
        reinterpret_texts(source, words, opening)
    if any(map(CALLED_A_DATE.search, source.names)):
        dates_by_name(source, {*options.types, *options.dates})
    if len(files) == 1:
        source.line_of = files[0].line_of
    return source


def _common(types: dict[str, str], others: dict[str, str]) -> dict[str, str]:
    """Return types that fit two files; a column whose types differ is first parsed as text."""
    return {
        name: type_ if others.get(name, type_) == type_ else "VARCHAR"
        for name, type_ in types.items()
    }


def _inspect(
    workspace: Workspace, path: Path, shown: str, options: ReadOptions, notes: list[ReadingNote]
) -> tuple[TextFile, dict[str, str], set[str]]:
    """Return the file, recoded if necessary, the types of its first lines, and columns of words."""
    compression, encoding = inspect_bytes(path, shown)
    if (options.encoding or "utf-8").lower().replace("_", "-") not in UTF_8:
        encoding = options.encoding
    file = TextFile(path, shown, compression, ONE_COLUMN, ["line"], False)
    if encoding:
        file = file.converted(recode(workspace, path, shown, encoding))
    file, repaired, lines = _head(workspace, file, notes)
    while lines and not lines[-1]:
        lines.pop()
    if not lines:
        raise FileError(
            f"The file {shown!r} is empty, or its first {HEAD_LINES:,} lines are: pass a file that "
            "begins with a header and rows."
        )
    head = read_head(lines, shown, options)
    names, changed = unique_names(head.titles)
    if not head.has_header and options.header is None:
        notes.append(ReadingNote("no_header", {"file": shown, "n_columns": len(names)}))
    for title in dict.fromkeys(changed):
        notes.append(ReadingNote("repeated_name", {"file": shown, "column": title}))
    # Line ends that are mixed only inside values stay as they are; DuckDB refuses all others.
    # But one in a name, or before the names, would make DuckDB read no rows at all.
    if head.n_blank or any("\n" in name for name in names):
        file = repaired
    file = replace(
        file, dialect=head.dialect, names=names, has_header=head.has_header, n_blank=head.n_blank
    )
    words = {name for name, is_text in zip(names, head.are_words, strict=True) if is_text}
    return file, dict(zip(names, head.types, strict=True)), words


def _head(
    workspace: Workspace, file: TextFile, notes: list[ReadingNote]
) -> tuple[TextFile, TextFile, list[str]]:
    """Return the first lines, the file in UTF-8, and a copy if line ends had to be repaired."""
    import duckdb

    repaired = file
    while True:
        try:
            rows = workspace.execute(
                f"SELECT line FROM {READ_CSV} LIMIT {HEAD_LINES}", repaired.parameters(ONE_TEXT)
            ).fetchall()
            return file, repaired, _first(rows)
        except duckdb.Error as error:
            repaired = _repaired(workspace, repaired, error, notes)
            file = file if repaired.n_repairs else repaired


def _first(rows: list[tuple[str | None]]) -> list[str]:
    """Return as many lines as are needed to know a file."""
    lines, n_characters = [], 0
    for (line,) in rows:
        lines.append(line or "")
        n_characters += len(lines[-1])
        if n_characters > HEAD_CHARACTERS and len(lines) > LEAST_LINES:
            break
    return lines


def _repaired(
    workspace: Workspace, file: TextFile, error: duckdb.Error, notes: list[ReadingNote]
) -> TextFile:
    """Return a copy of a file without what DuckDB refused; raise where that cannot help."""
    explained = explain(error, file.path, file.shown, file.dialect)
    if isinstance(explained, NotUnicodeError) and not file.is_utf8:
        return file.converted(_western(workspace, file, notes))
    if isinstance(explained, MixedLineEndsError) and file.n_repairs < 2:
        return replace(
            file.converted(_with_one_line_end(workspace, file, notes)),
            n_repairs=file.n_repairs + 1,
        )
    if isinstance(explained, NotUnicodeError | MixedLineEndsError):
        explained = parse_error(file.shown, error)
    raise explained from None


def _western(
    workspace: Workspace, file: TextFile, notes: list[ReadingNote], *more: Rewrite
) -> Path:
    """Convert a file to UTF-8, assuming that it is Western European; add one note about it."""
    note = ReadingNote("encoding_guessed", {"file": file.shown})
    if note not in notes:
        notes.append(note)
    return recode(workspace, file.path, file.shown, "cp1252", *more)


def _with_one_line_end(workspace: Workspace, file: TextFile, notes: list[ReadingNote]) -> Path:
    """Copy a file with one kind of line end; DuckDB detects mixed ones before invalid bytes."""
    dialect = ONE_COLUMN if file.n_repairs else file.dialect
    rewrite = partial(with_one_line_end, dialect=dialect)
    try:
        return recode(workspace, file.path, file.shown, "utf-8-sig", rewrite)
    except FileError:
        return _western(workspace, file, notes, rewrite)


def _load_until_it_fits(
    workspace: Workspace,
    table: str,
    files: list[TextFile],
    types: dict[str, str],
    options: ReadOptions,
    notes: list[ReadingNote],
) -> None:
    """Parse the files; a column whose later cells have another type is parsed as text."""
    n_failed = 0
    while True:
        try:
            for i in range(len(files)):
                start = (
                    f"INSERT INTO {table} BY NAME" if i else f"CREATE OR REPLACE TABLE {table} AS"
                )
                files[i] = _load(workspace, start, files[i], types, options, notes)
            return
        except OtherTypeError as error:
            n_failed += 1
            # After two failures every column is parsed as text; its type is detected afterwards.
            kept = types if n_failed < 3 and error.column in types else {}
            types = {**dict.fromkeys(types, "VARCHAR"), **kept}
            if error.column in types:
                types[error.column] = "VARCHAR"


def _load(
    workspace: Workspace,
    start: str,
    file: TextFile,
    types: dict[str, str],
    options: ReadOptions,
    notes: list[ReadingNote],
) -> TextFile:
    """Parse a file into a table, by a statement that starts so; return the file that was read."""
    import duckdb

    while True:
        try:
            workspace.execute(
                f"{start} SELECT * FROM {READ_CSV}", file.parameters(types, options.missing)
            )
            return file
        except duckdb.Error as error:
            file = _repaired(workspace, file, error, notes)


def _refuse_other_columns(files: list[TextFile]) -> None:
    """Raise if files of one table have different columns."""
    first = files[0]
    for file in files[1:]:
        missing = [name for name in first.names if name not in file.names]
        extra = [name for name in file.names if name not in first.names]
        if missing or extra:
            name, has, has_not = (missing[0], first, file) if missing else (extra[0], file, first)
            raise FileError(
                f"Column {name!r} is in {has.shown!r} but not in {has_not.shown!r}: files of one "
                "table must have the same columns. Add or remove it."
            )

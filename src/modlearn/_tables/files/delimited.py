"""Delimited text, strictly parsed by DuckDB: problems that its sniffer would skip are reported."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from modlearn._tables.files.dialect import (
    Dialect,
    guess_dialect,
    guess_types,
    has_header,
    split,
)
from modlearn._tables.files.options import ReadOptions
from modlearn._tables.files.parse_errors import (
    MixedLineEndsError,
    NotUnicodeError,
    OtherTypeError,
    explain,
    line_of_record,
    parse_error,
    values_in_words,
)
from modlearn._tables.files.workspace import (
    Workspace,
    compression_of,
    encoding_by_mark,
    file_literal,
    identifier,
    literal,
    recode,
)
from modlearn._tables.notes import ReadingNote
from modlearn._tables.spelling import COMMA
from modlearn.errors import FileError
from modlearn.schema import Kind, unique_names

__all__ = ["TextFile", "load_delimited"]

HEAD_LINES = 1000
HEAD_CHARACTERS = 1_000_000
LEAST_LINES = 20
"""The head of a file: at most HEAD_LINES lines, but only LEAST_LINES if they are very long."""

NO_DELIMITER = "\x1e\x1f\x1e"  # not a single character, as any may be the delimiter of a file
LONGEST_LINE = 10_000_000  # bytes, enough for a hundred thousand columns


@dataclass(frozen=True)
class TextFile:
    """A file of delimited text.

    Parameters
    ----------
    path : Path
        The file that is read; may be a copy in UTF-8.
    shown : str
        The name that the user passed.
    dialect : Dialect
        Delimiter, quote and escape of the file.
    names : list of str
        Names of the columns.
    has_header : bool
        Whether the first record names the columns.
    n_blank : int, default=0
        Empty lines before the first record.
    is_recoded : bool, default=False
        Whether the file is a copy of the original.
    """

    path: Path
    shown: str
    dialect: Dialect
    names: list[str]
    has_header: bool
    n_blank: int = 0
    is_recoded: bool = False

    def line_of(self, row: int) -> int:
        """Return the line number of a row, which is counted from 0; 0 if it is not found."""
        record = row + self.has_header
        return line_of_record(self.path, self.shown, self.dialect, record, self.n_blank)

    def recoded(self, path: Path) -> TextFile:
        """Return this file with the path of its copy in UTF-8, with one kind of line end."""
        return replace(self, path=path, is_recoded=True)


def load_delimited(
    workspace: Workspace, paths: Sequence[Path], shown: Sequence[str], options: ReadOptions
) -> tuple[str, list[TextFile], list[ReadingNote]]:
    """Parse files into one table; return its name, the files, and notes for the user."""
    notes: list[ReadingNote] = []
    files = []
    types: dict[str, str] = {}
    for path, name in zip(paths, shown, strict=True):
        file, guessed = _inspect(workspace, path, name, options, notes)
        files.append(file)
        types = {**guessed, **types} if not types else _common(types, guessed)
    _refuse_other_columns(files)
    forced = {name for name, kind in options.types.items() if kind == Kind.TEXT}
    # Without other cells, "1.234" would be read as a decimal number.
    forced |= {name for name, format in options.formats.items() if format == COMMA}
    types = {name: "VARCHAR" if name in forced else type_ for name, type_ in types.items()}
    workspace.allow_columns(len(types))
    table = f"{workspace.spool(sum(map(_size, paths)))}.{workspace.new_name('parsed')}"
    _load_until_it_fits(workspace, table, files, types, options, notes)
    return table, files, notes


def _common(types: dict[str, str], others: dict[str, str]) -> dict[str, str]:
    """Return types that fit two files; a column whose types differ is first parsed as text."""
    return {
        name: type_ if others.get(name, type_) == type_ else "VARCHAR"
        for name, type_ in types.items()
    }


def _size(path: Path) -> int:
    """Return the approximate size of a file in bytes after decompression."""
    return path.stat().st_size * (8 if compression_of(path) else 1)


def _inspect(
    workspace: Workspace, path: Path, shown: str, options: ReadOptions, notes: list[ReadingNote]
) -> tuple[TextFile, dict[str, str]]:
    """Return the file, recoded if necessary, and the types that fit its first lines."""
    original = recoded = path
    encoding = _encoding(path, shown, options)
    if encoding:
        path = recoded = recode(workspace, path, shown, encoding)
    try:
        lines = _head(workspace, path, shown)
    except NotUnicodeError:
        path = recoded = _recode_western(workspace, path, shown, notes)
        lines = _head(workspace, path, shown)
    except MixedLineEndsError:
        recoded = _recode_line_ends(workspace, path, shown, notes)
        lines = _head(workspace, recoded, shown)
    while lines and not lines[-1]:
        lines.pop()
    if not lines:
        raise FileError(f"The file {shown!r} is empty: pass a file with a header and rows.")
    file, types = _detect(path, shown, lines, options, notes)
    # Line ends that are mixed only inside values stay as they are; DuckDB refuses all others.
    # But one in a name, or before the names, would make DuckDB read no rows at all.
    if file.n_blank or any("\n" in name for name in file.names):
        file = replace(file, path=recoded)
    return replace(file, is_recoded=file.path != original), types


def _encoding(path: Path, shown: str, options: ReadOptions) -> str | None:
    """Return the encoding that a file must be converted from; None if DuckDB may try to read it."""
    name = (options.encoding or "utf-8").lower().replace("_", "-")
    if name in ("utf-8", "utf8", "utf-8-sig"):
        return encoding_by_mark(path, shown)
    return options.encoding


def _detect(
    path: Path, shown: str, lines: list[str], options: ReadOptions, notes: list[ReadingNote]
) -> tuple[TextFile, dict[str, str]]:
    """Detect the dialect, names and types of a file from its first lines."""
    dialect = guess_dialect(lines, options.delimiter, options.quote)
    records = split(lines, dialect)
    n_blank = next(i for i, line in enumerate(lines) if line)
    if len(lines) >= LEAST_LINES:
        records = records[:-1] or records  # the last one may continue in lines that were not read
    is_header = has_header(records) if options.header is None else options.header
    _refuse_title(records, dialect, f"Line {n_blank + 1} of {shown!r}")
    width = len(records[0])
    titles = records[0] if is_header else [f"column{i}" for i in range(width)]
    if not is_header and options.header is None:
        notes.append(ReadingNote("no_header", {"file": shown, "n_columns": width}))
    names, changed = unique_names(titles)
    for title in dict.fromkeys(changed):
        notes.append(ReadingNote("repeated_name", {"file": shown, "column": title}))
    types = guess_types(records[is_header:], width)
    if width == 1 and not is_header:
        n_blank = 0  # with one column, an empty line is a missing cell
    file = TextFile(path, shown, replace(dialect, width=width), names, is_header, n_blank)
    return file, dict(zip(names, types, strict=True))


def _refuse_title(records: list[list[str]], dialect: Dialect, where: str) -> None:
    """Raise if the first line does not fit the rest: a title, or another delimiter."""
    n_first = len(records[0])
    if n_first == dialect.width or dialect.width == 1:
        return
    raise FileError(
        f"{where} has {values_in_words(n_first)} where most lines have "
        f"{dialect.width}, separated by {dialect.delimiter!r}: the first line must name the "
        "columns. Remove the lines before it, or name the delimiter (on the command line: "
        "--delimiter)."
    )


def _recode_western(workspace: Workspace, path: Path, shown: str, notes: list[ReadingNote]) -> Path:
    """Convert a file to UTF-8, assuming that it is Western European; add one note about it."""
    note = ReadingNote("encoding_guessed", {"file": shown})
    if note not in notes:
        notes.append(note)
    return recode(workspace, path, shown, "cp1252")


def _recode_line_ends(
    workspace: Workspace, path: Path, shown: str, notes: list[ReadingNote]
) -> Path:
    """Copy a file with one kind of line end; DuckDB detects mixed ones before invalid bytes."""
    try:
        return recode(workspace, path, shown, "utf-8-sig")
    except FileError:
        return _recode_western(workspace, path, shown, notes)


def _head(workspace: Workspace, path: Path, shown: str) -> list[str]:
    """Return the first lines, as DuckDB decompresses and decodes them."""
    line = TextFile(path, shown, Dialect(NO_DELIMITER, "", "", 1), ["line"], False)
    relation = _read_csv(line, {"line": "VARCHAR"}, ())
    import duckdb

    try:
        rows = workspace.rows(f"SELECT line FROM {relation} LIMIT {HEAD_LINES}")
    except duckdb.Error as error:
        raise explain(error, path, shown) from None
    lines, n_characters = [], 0
    for (line,) in rows:
        lines.append(line or "")
        n_characters += len(lines[-1])
        if n_characters > HEAD_CHARACTERS and len(lines) > LEAST_LINES:
            break
    return lines


def _read_csv(file: TextFile, types: dict[str, str], missing: Sequence[str]) -> str:
    """Return SQL that calls read_csv with every option set, so that nothing is detected."""
    columns = ", ".join(f"{literal(name)}: {literal(type_)}" for name, type_ in types.items())
    nulls = ", ".join(literal(text) for text in dict.fromkeys(["", *missing]))
    compression, dialect = compression_of(file.path) or "none", file.dialect
    return (
        f"read_csv({file_literal(file.path)}, auto_detect = false, "
        f"delim = {literal(dialect.delimiter)}, quote = {literal(dialect.quote)}, "
        f"escape = {literal(dialect.escape)}, "
        f"skip = {file.n_blank}, header = {str(file.has_header).lower()}, "
        f"columns = {{{columns}}}, nullstr = [{nulls}], "
        f"compression = '{compression}', max_line_size = {LONGEST_LINE})"
    )


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
            return _load(workspace, table, files, types, options)
        except OtherTypeError as error:
            n_failed += 1
            # After two failures every column is parsed as text; its type is detected afterwards.
            kept = types if n_failed < 3 and error.column in types else {}
            types = {**dict.fromkeys(types, "VARCHAR"), **kept}
            if error.column in types:
                types[error.column] = "VARCHAR"
        except NotUnicodeError as error:
            file = files[error.args[0]]
            path = _recode_western(workspace, file.path, file.shown, notes)
            files[error.args[0]] = file.recoded(path)
        except MixedLineEndsError as error:
            file = files[error.args[0]]
            path = _recode_line_ends(workspace, file.path, file.shown, notes)
            files[error.args[0]] = file.recoded(path)


def _load(
    workspace: Workspace,
    table: str,
    files: list[TextFile],
    types: dict[str, str],
    options: ReadOptions,
) -> None:
    """Parse the files into a table, in their order."""
    import duckdb

    columns = ", ".join(f"{identifier(name)} {type_}" for name, type_ in types.items())
    workspace.run(f"CREATE OR REPLACE TABLE {table} ({columns})")
    for i, file in enumerate(files):
        own = {name: types[name] for name in file.names}
        relation = _read_csv(file, own, options.missing)
        selected = ", ".join(map(identifier, types))
        try:
            workspace.run(f"INSERT INTO {table} SELECT {selected} FROM {relation}")
        except duckdb.Error as error:
            explained = explain(error, file.path, file.shown, file.dialect)
            if not isinstance(explained, NotUnicodeError | MixedLineEndsError):
                raise explained from None
            if file.is_recoded:
                raise parse_error(file.shown, error) from None
            raise type(explained)(i) from None


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

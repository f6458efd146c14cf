"""Delimited text parsed by DuckDB, strictly: what its own sniffer would pass over is told."""

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
from modlearn._tables.files.encoding import compression_of, encoding_by_mark, recoded
from modlearn._tables.files.options import ReadOptions
from modlearn._tables.files.parse_errors import (
    MixedLineEndsError,
    NotUnicodeError,
    OtherTypeError,
    explained,
    line_of_record,
    unparsed,
    values_in_words,
)
from modlearn._tables.files.workspace import Workspace, file_literal, identifier, literal
from modlearn._tables.names import unique_names
from modlearn.errors import FileError

__all__ = ["TextFile", "load_delimited"]

HEAD_LINES = 1000
HEAD_CHARACTERS = 1_000_000
LEAST_LINES = 20
NO_DELIMITER = "\x1e\x1f\x1e"  # not one character alone, which a file may be delimited by
LONGEST_LINE = 10_000_000  # bytes; of a hundred thousand columns and more


@dataclass(frozen=True)
class TextFile:
    """A file of delimited text: `path` is read, `shown` is what the user calls it."""

    path: Path
    shown: str
    dialect: Dialect
    names: list[str]
    is_titled: bool
    n_blank: int = 0
    """Empty lines before the first record."""
    is_recoded: bool = False

    def line_of(self, row: int) -> int:
        """Number of the line of a row, which is counted from 0; 0 where it is not found."""
        record = row + self.is_titled
        return line_of_record(self.path, self.shown, self.dialect, record, self.n_blank)

    def recoded(self, path: Path) -> TextFile:
        """The same text in another file, of one kind of line end."""
        return replace(self, path=path, is_recoded=True)


def load_delimited(
    workspace: Workspace, paths: Sequence[Path], shown: Sequence[str], options: ReadOptions
) -> tuple[str, list[TextFile], list[str]]:
    """Parse files into one table; return its name, the files, and what there is to tell."""
    notes: list[str] = []
    files = []
    types: dict[str, str] = {}
    for path, name in zip(paths, shown, strict=True):
        file, guessed = _look_at(workspace, path, name, options, notes)
        files.append(file)
        types = {**guessed, **types} if not types else _common(types, guessed)
    _refuse_other_columns(files)
    forced = {name for name, kind in options.types.items() if kind in ("text", "categorical")}
    types = {name: "VARCHAR" if name in forced else kind for name, kind in types.items()}
    workspace.allow_columns(len(types))
    table = f"{workspace.spool(sum(map(_size, paths)))}.{workspace.new_name('parsed')}"
    _load_until_it_fits(workspace, table, files, types, options, notes)
    return table, files, notes


def _common(types: dict[str, str], others: dict[str, str]) -> dict[str, str]:
    """Types that serve two files; what differs is text until all of it is seen."""
    return {
        name: kind if others.get(name, kind) == kind else "VARCHAR" for name, kind in types.items()
    }


def _size(path: Path) -> int:
    """Bytes of a file when it is unpacked, roughly."""
    return path.stat().st_size * (8 if compression_of(path) else 1)


def _look_at(
    workspace: Workspace, path: Path, shown: str, options: ReadOptions, notes: list[str]
) -> tuple[TextFile, dict[str, str]]:
    """The file, recoded if need be, and the types that its first lines have."""
    original = mended = path
    told = options.encoding
    is_told = told and told.lower().replace("_", "-") not in ("utf-8", "utf8", "utf-8-sig")
    encoding = told if is_told else encoding_by_mark(path, shown)
    if encoding:
        path = mended = recoded(workspace, path, shown, encoding)
    try:
        lines = _head(workspace, path, shown)
    except NotUnicodeError:
        path = mended = _western(workspace, path, shown, notes)
        lines = _head(workspace, path, shown)
    except MixedLineEndsError:
        mended = _with_one_line_end(workspace, path, shown, notes)
        lines = _head(workspace, mended, shown)
    while lines and not lines[-1]:
        lines.pop()
    if not lines:
        raise FileError(f"The file {shown!r} is empty: give one with a header and rows.")
    file, types = _understood(path, shown, lines, options, notes)
    # Line ends that are mixed only inside of values stay as they are: DuckDB refuses all others.
    # By one in a name, or before the names, it would be misled to read no row at all.
    if file.n_blank or any("\n" in name for name in file.names):
        file = replace(file, path=mended)
    return replace(file, is_recoded=file.path != original), types


def _understood(
    path: Path, shown: str, lines: list[str], options: ReadOptions, notes: list[str]
) -> tuple[TextFile, dict[str, str]]:
    """What the first lines say of a file."""
    dialect = guess_dialect(lines, options.delimiter, options.quote)
    records = split(lines, dialect)
    n_blank = next(i for i, line in enumerate(lines) if line)
    if len(lines) >= LEAST_LINES:
        records = records[:-1] or records  # the last one may go on in lines that were not read
    titled = has_header(records) if options.header is None else options.header
    _refuse_other_title(records, dialect, f"Line {n_blank + 1} of {shown!r}")
    width = len(records[0])
    titles = records[0] if titled else [f"column{i}" for i in range(width)]
    if not titled and options.header is None:
        notes.append(
            f"The first line of {shown!r} holds values, not names: its columns are called "
            f"column0 to column{width - 1}; tell if it is a header."
        )
    names, changed = unique_names(titles)
    for title in dict.fromkeys(changed):
        notes.append(
            f"Column {title!r} occurs several times in {shown!r}: the later ones have a number "
            "behind their name."
        )
    types = guess_types(records[titled:], width)
    if width == 1 and not titled:
        n_blank = 0  # the cell of such a line is missing, as it is further down
    file = TextFile(path, shown, replace(dialect, width=width), names, titled, n_blank)
    return file, dict(zip(names, types, strict=True))


def _refuse_other_title(records: list[list[str]], dialect: Dialect, where: str) -> None:
    """Raise where the first line is torn off from the rest: a title, or another delimiter."""
    n_first = len(records[0])
    if n_first == dialect.width or dialect.width == 1:
        return
    raise FileError(
        f"{where} has {values_in_words(n_first)} where most lines have "
        f"{dialect.width}, separated by {dialect.delimiter!r}: the first line must name the "
        "columns; remove what stands before it, or give the delimiter."
    )


def _western(workspace: Workspace, path: Path, shown: str, notes: list[str]) -> Path:
    """The file in UTF-8, taken for Western European; that is told once."""
    note = (
        f"The file {shown!r} is no UTF-8: it was read as Windows-1252 (Western European); "
        "give its encoding if letters look wrong."
    )
    if note not in notes:
        notes.append(note)
    return recoded(workspace, path, shown, "cp1252")


def _with_one_line_end(workspace: Workspace, path: Path, shown: str, notes: list[str]) -> Path:
    """The file with one kind of line end; mixed ones are told before wrong bytes are."""
    try:
        return recoded(workspace, path, shown, "utf-8-sig")
    except FileError:
        return _western(workspace, path, shown, notes)


def _head(workspace: Workspace, path: Path, shown: str) -> list[str]:
    """The first lines, as DuckDB unpacks and decodes them."""
    line = TextFile(path, shown, Dialect(NO_DELIMITER, "", "", 1), ["line"], False)
    relation = _read_csv(line, {"line": "VARCHAR"}, ())
    import duckdb

    try:
        rows = workspace.rows(f"SELECT line FROM {relation} LIMIT {HEAD_LINES}")
    except duckdb.Error as error:
        raise explained(error, path, shown) from None
    lines, n_characters = [], 0
    for (line,) in rows:
        lines.append(line or "")
        n_characters += len(lines[-1])
        if n_characters > HEAD_CHARACTERS and len(lines) > LEAST_LINES:
            break
    return lines


def _read_csv(file: TextFile, types: dict[str, str], missing: Sequence[str]) -> str:
    """A call of read_csv that leaves nothing to be found out."""
    columns = ", ".join(f"{literal(name)}: {literal(kind)}" for name, kind in types.items())
    nulls = ", ".join(literal(text) for text in dict.fromkeys(["", *missing]))
    compression, dialect = compression_of(file.path) or "none", file.dialect
    return (
        f"read_csv({file_literal(file.path)}, auto_detect = false, "
        f"delim = {literal(dialect.delimiter)}, quote = {literal(dialect.quote)}, "
        f"escape = {literal(dialect.escape)}, "
        f"skip = {file.n_blank}, header = {str(file.is_titled).lower()}, "
        f"columns = {{{columns}}}, nullstr = [{nulls}], "
        f"compression = '{compression}', max_line_size = {LONGEST_LINE})"
    )


def _load_until_it_fits(
    workspace: Workspace,
    table: str,
    files: list[TextFile],
    types: dict[str, str],
    options: ReadOptions,
    notes: list[str],
) -> None:
    """Parse the files; a column whose later cells are of another type is parsed as text."""
    n_failed = 0
    while True:
        try:
            return _load(workspace, table, files, types, options)
        except OtherTypeError as error:
            n_failed += 1
            # After two, whatever is not certain is text: its type is found when all of it is seen.
            kept = types if n_failed < 3 and error.column in types else {}
            types = {**dict.fromkeys(types, "VARCHAR"), **kept}
            if error.column in types:
                types[error.column] = "VARCHAR"
        except NotUnicodeError as error:
            file = files[error.args[0]]
            path = _western(workspace, file.path, file.shown, notes)
            files[error.args[0]] = file.recoded(path)
        except MixedLineEndsError as error:
            file = files[error.args[0]]
            path = _with_one_line_end(workspace, file.path, file.shown, notes)
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

    columns = ", ".join(f"{identifier(name)} {kind}" for name, kind in types.items())
    workspace.run(f"CREATE OR REPLACE TABLE {table} ({columns})")
    for i, file in enumerate(files):
        own = {name: types[name] for name in file.names}
        relation = _read_csv(file, own, options.missing)
        selected = ", ".join(map(identifier, types))
        try:
            workspace.run(f"INSERT INTO {table} SELECT {selected} FROM {relation}")
        except duckdb.Error as error:
            complaint = explained(error, file.path, file.shown, file.dialect)
            if not isinstance(complaint, NotUnicodeError | MixedLineEndsError):
                raise complaint from None
            if file.is_recoded:
                raise unparsed(file.shown, error) from None
            raise type(complaint)(i) from None


def _refuse_other_columns(files: list[TextFile]) -> None:
    """Raise where files of one table have different columns."""
    first = files[0]
    for file in files[1:]:
        missing = [name for name in first.names if name not in file.names]
        extra = [name for name in file.names if name not in first.names]
        if missing or extra:
            name, has, has_not = (missing[0], first, file) if missing else (extra[0], file, first)
            raise FileError(
                f"Column {name!r} is in {has.shown!r} but not in {has_not.shown!r}: files of one "
                "table must have the same columns."
            )

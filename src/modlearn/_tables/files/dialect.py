"""The dialect of a file of delimited text, detected from its first lines."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from modlearn._tables.files.columns import MISSING_WORDS
from modlearn._tables.files.options import ReadOptions
from modlearn.errors import FileError, spelled

if TYPE_CHECKING:
    from _csv import Reader

__all__ = [
    "DATE",
    "LEAST_LINES",
    "MOMENT",
    "Dialect",
    "Head",
    "are_words",
    "guess_dialect",
    "has_header",
    "read_head",
    "reader_of",
    "split",
    "type_of",
    "values_in_words",
    "with_one_line_end",
]

LEAST_LINES = 20
"""Lines of a file that are read, however long they are."""

DELIMITERS = (",", ";", "\t", "|")
NO_DELIMITER = "\x1f"

INTEGER = re.compile(r"[+-]?(0|[1-9]\d{0,17})")
NUMBER = re.compile(
    r"[+-]?(?!0\d+$)(?![0.]*[1-9][\d.]{18,}$)(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?|nan|inf",
    re.IGNORECASE,
)
DATE = re.compile(r"\d{4}-\d\d-\d\d")
MOMENT = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d{1,6})?)?")
# "007" and numbers of 18 digits or more are not numbers here: they are copied as text, whatever
# they are later read as.
TYPES = (("BIGINT", INTEGER), ("DOUBLE", NUMBER), ("DATE", DATE), ("TIMESTAMP", MOMENT))
ANY_NUMBER = re.compile(r"\s*[+-]?(\d+([.,]\d*)?|[.,]\d+)([eE][+-]?\d+)?\s*")
# No digit can be matched in two ways: that would take quadratic time for a cell of many digits.


@dataclass(frozen=True)
class Dialect:
    """Delimiter, quote and escape of a file; `width` is the number of values in most lines."""

    delimiter: str
    quote: str
    escape: str
    width: int


@dataclass(frozen=True)
class Head:
    """What the first lines of a file tell."""

    dialect: Dialect  # delimiter, quote and escape
    titles: list[str]  # the first record, if it names the columns; otherwise "column0" and so on
    types: list[str]  # the type of DuckDB that fits the cells of each column
    are_words: list[bool]  # whether the cells of each column are plainly text
    has_header: bool  # whether the first record names the columns
    n_blank: int  # empty lines before the first record


def read_head(lines: list[str], shown: str, options: ReadOptions) -> Head:
    """Detect the dialect, names and types of a file from its first lines."""
    dialect = guess_dialect(lines, options.delimiter, options.quote)
    records = split(lines, dialect)
    n_blank = next(i for i, line in enumerate(lines) if line)
    if len(lines) >= LEAST_LINES:
        records = records[:-1] or records  # the last one may continue in lines that were not read
    _refuse_title(records, dialect, f"Line {n_blank + 1} of {shown!r}")
    is_header = has_header(records) if options.header is None else options.header
    width = len(records[0])
    titles = records[0] if is_header else [f"column{i}" for i in range(width)]
    columns = [
        {record[i] for record in records[is_header:] if i < len(record)} for i in range(width)
    ]
    words = [are_words(cells, options.missing) for cells in columns]
    if width == 1 and not is_header:
        n_blank = 0  # with one column, an empty line is a missing cell
    types = list(map(type_of, columns))
    return Head(replace(dialect, width=width), titles, types, words, is_header, n_blank)


def _refuse_title(records: list[list[str]], dialect: Dialect, where: str) -> None:
    """Raise if the first line does not fit the rest: a title, or another delimiter."""
    n_first = len(records[0])
    if n_first == dialect.width or dialect.width == 1:
        return
    raise FileError(
        *spelled(
            lambda spell: (
                f"{where} has {values_in_words(n_first)} where most lines have {dialect.width}, "
                f"separated by {dialect.delimiter!r}: the first line must name the columns. Remove "
                f"the lines before it, or name the delimiter with {spell('--delimiter')}."
            )
        )
    )


def values_in_words(count: int) -> str:
    """Return a number of values in words: "1 value" or "3 values"."""
    return f"{count} value" + "s" * (count != 1)


def reader_of(lines: Iterable[str], dialect: Dialect) -> Reader:
    """Return a csv.reader of lines that keep their line ends."""
    other_escape = dialect.escape not in ("", dialect.quote)
    return csv.reader(
        lines,
        delimiter=dialect.delimiter,
        quotechar=dialect.quote or None,
        quoting=csv.QUOTE_MINIMAL if dialect.quote else csv.QUOTE_NONE,
        doublequote=not other_escape,
        escapechar=dialect.escape if other_escape else None,
    )


def with_one_line_end(lines: Iterable[str], dialect: Dialect) -> Iterator[str]:
    """Yield lines that end in the same way, except inside of quotes."""
    escaped = f"\\{dialect.quote}" if dialect.escape == "\\" else "\r\r"
    is_quoted = False
    for line in lines:
        if dialect.quote:
            is_quoted ^= (line.count(dialect.quote) - line.count(escaped)) % 2 == 1
        yield line if is_quoted else line.rstrip("\r\n") + "\n" * (line[-1:] in ("\r", "\n"))


def split(lines: Sequence[str], dialect: Dialect) -> list[list[str]]:
    """Return the values of each record in the lines, without empty lines."""
    try:
        return [record for record in reader_of((line + "\n" for line in lines), dialect) if record]
    except csv.Error:  # a value exceeds Python's limit, for example after an unclosed quote
        return [line.split(dialect.delimiter) for line in lines if line]


def guess_dialect(lines: Sequence[str], delimiter: str | None, quote: str | None) -> Dialect:
    """Return the dialect in which most lines have the same number of values."""
    quote = _quote(lines) if quote is None else quote
    if delimiter and delimiter == quote:
        raise FileError(
            f"The delimiter and the quote are both {quote!r}: change one of them (on the command "
            "line: --delimiter, --quote), or use an empty quote to turn quoting off."
        )
    others = tuple(d for d in DELIMITERS if d != quote)
    delimiters = others if delimiter is None else (delimiter,)
    # A malformed line is reported by its number later; here it must not hide the others.
    found = [
        max(
            (_measure(lines, Dialect(d, quote, escape, 1)) for d in delimiters),
            key=lambda each: each.rank,
        )
        for escape in _escapes(lines, quote, delimiters)
    ]
    best = max(found, key=lambda each: (each.rank, each.share)).dialect
    if best.width > 1 or delimiter is not None:
        return best
    return Dialect(_delimiter_of_title(lines, quote), quote, best.escape, 1)


def _quote(lines: Sequence[str]) -> str:
    """Return the quote: single if values are inside of it and there is no double quote."""
    text = "\n".join(lines)
    single = re.search(r"(?:^|[,;\t|])'[^'\n]+'(?=$|[,;\t|])", text, re.MULTILINE)
    return "'" if single and '"' not in text else '"'


def _escapes(lines: Sequence[str], quote: str, delimiters: Sequence[str]) -> tuple[str, ...]:
    """Return what may escape a quote inside a value: another quote, or a backslash."""
    text = "\n".join(lines)
    if not quote or f"\\{quote}" not in text or _doubles(text, quote, delimiters):
        return (quote,)
    # A quote after a backslash may also end a value, such as a Windows folder.
    ends = "|".join(map(re.escape, delimiters))
    inside = re.search(rf"\\{re.escape(quote)}(?!$|{ends})", text, re.MULTILINE)
    return ("\\",) if inside else (quote, "\\")


def _doubles(text: str, quote: str, delimiters: Sequence[str]) -> bool:
    """Whether a doubled quote stands for a quote somewhere, not for an empty value or its end."""
    twice = re.escape(quote) * 2
    outside = "".join(map(re.escape, delimiters)) + r"\n"
    filled = re.sub(rf"(?<![^{outside}]){twice}(?![^{outside}])", "", text)
    # After a backslash the first may be escaped, and the second may end the value.
    return re.search(rf"(?<!\\){twice}|{twice}[^{outside}]", filled) is not None


@dataclass(frozen=True)
class _DialectFit:
    """A dialect, and how well it fits: the first record, most records, and numbers."""

    dialect: Dialect
    fits_first: bool
    share: float
    numbers: float

    @property
    def rank(self) -> tuple[bool, bool, float, float, int]:
        """The criteria to compare dialects by, in order of priority.

        The first record comes before the others, because names contain no decimal commas. Numbers
        come next: a delimiter that leaves "5,1" whole beats one that leaves "1;3".
        """
        shares = round(self.share, 1), round(self.numbers, 1)
        return self.dialect.width > 1, self.fits_first, *shares, self.dialect.width


def _measure(lines: Sequence[str], dialect: Dialect) -> _DialectFit:
    """Return the dialect with the most common number of values per record."""
    records = split(lines, dialect)
    widths = [len(record) for record in records]
    if not widths:
        return _DialectFit(dialect, False, 0.0, 0.0)
    width, count = max(Counter(widths).items(), key=lambda item: (item[1], item[0] == widths[0]))
    numbers = sum(_is_number(cell) for record in records for cell in record) / sum(widths)
    fits_first = width == widths[0]
    return _DialectFit(replace(dialect, width=width), fits_first, count / len(widths), numbers)


def _delimiter_of_title(lines: Sequence[str], quote: str) -> str:
    """Return the delimiter of a first line that has several values although the others do not."""
    counts = {d: len(split(lines[:1], Dialect(d, quote, quote, 1))[0]) for d in DELIMITERS}
    best = max(counts, key=lambda d: counts[d])
    return best if counts[best] > 1 else NO_DELIMITER


def has_header(records: Sequence[Sequence[str]]) -> bool:
    """Return whether the first record names the columns, by how it differs from the others."""
    first, rest = records[0], records[1:]
    columns = [[record[i] for record in rest if i < len(record)] for i in range(len(first))]
    pairs = list(zip(first, columns, strict=True))
    if any(not _is_number(name) and name and _are_numbers(cells) for name, cells in pairs):
        return True
    if any(_is_number(name) for name in first):
        return False
    again = sum(name in cells for name, cells in pairs)
    return 2 * again <= len(first)


def _is_number(cell: str) -> bool:
    """Whether a cell is a number, with a decimal point or comma."""
    return ANY_NUMBER.fullmatch(cell) is not None


def _are_numbers(cells: Sequence[str]) -> bool:
    """Whether nine of ten non-empty cells are numbers."""
    filled = [cell for cell in cells if cell]
    return bool(filled) and 10 * sum(map(_is_number, filled)) >= 9 * len(filled)


def are_words(cells: Collection[str], missing: Collection[str] = ()) -> bool:
    """Whether cells, some of them perhaps empty or missing, are plainly text: without a digit."""
    if any(re.search("[0-9]", cell) for cell in cells):
        return False
    known = {*MISSING_WORDS, "true", "false", "", *missing}
    return any(cell not in known and cell.strip().lower() not in known for cell in cells)


def type_of(cells: set[str]) -> str:
    """Return the first type that fits all non-empty cells."""
    filled = cells - {""}
    if not filled:
        return "DOUBLE"
    matching = (name for name, pattern in TYPES if all(map(pattern.fullmatch, filled)))
    return next(matching, "VARCHAR")

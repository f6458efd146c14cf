"""How a file of delimited text is written, judged by its first lines."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from modlearn.errors import FileError

if TYPE_CHECKING:
    from _csv import Reader

__all__ = [
    "Dialect",
    "guess_dialect",
    "guess_types",
    "has_header",
    "reader_of",
    "split",
]

DELIMITERS = (",", ";", "\t", "|")
NO_DELIMITER = "\x1f"

INTEGER = re.compile(r"[+-]?(0|[1-9]\d{0,17})")
NUMBER = re.compile(
    r"[+-]?(?!0\d+$)(?!\d{19,}$)(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?|nan|inf", re.IGNORECASE
)
DATE = re.compile(r"\d{4}-\d\d-\d\d")
MOMENT = re.compile(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d(:\d\d(\.\d{1,6})?)?")
# "007" is no number here: it stays text where it is copied, whatever it is read as.
TYPES = (("BIGINT", INTEGER), ("DOUBLE", NUMBER), ("DATE", DATE), ("TIMESTAMP", MOMENT))
ANY_NUMBER = re.compile(r"\s*[+-]?(\d+[.,]?\d*|[.,]\d+)([eE][+-]?\d+)?\s*")


@dataclass(frozen=True)
class Dialect:
    """Delimiter, quote and escape of a file; `width` is the number of values of most lines."""

    delimiter: str
    quote: str
    escape: str
    width: int


def reader_of(lines: Iterable[str], dialect: Dialect) -> Reader:
    """Python's reader of lines with their ends."""
    other_escape = dialect.escape not in ("", dialect.quote)
    return csv.reader(
        lines,
        delimiter=dialect.delimiter,
        quotechar=dialect.quote or None,
        quoting=csv.QUOTE_MINIMAL if dialect.quote else csv.QUOTE_NONE,
        doublequote=not other_escape,
        escapechar=dialect.escape if other_escape else None,
    )


def split(lines: Sequence[str], dialect: Dialect) -> list[list[str]]:
    """Values of each record in the lines; empty lines are left out where there are columns."""
    try:
        return [record for record in reader_of((line + "\n" for line in lines), dialect) if record]
    except csv.Error:  # a value longer than Python's limit, as after a quote that is not closed
        return [line.split(dialect.delimiter) for line in lines if line]


def guess_dialect(lines: Sequence[str], delimiter: str | None, quote: str | None) -> Dialect:
    """The dialect in which most lines have the same number of values."""
    quote = _quote(lines) if quote is None else quote
    if delimiter and delimiter == quote:
        raise FileError(
            f"The delimiter and the quote are both {quote!r}: give another one of them, or an "
            "empty quote if quotes mean nothing."
        )
    others = tuple(d for d in DELIMITERS if d != quote)
    delimiters = others if delimiter is None else (delimiter,)
    # A line that is torn is told by its number later; here it must not hide the others.
    found = [
        max(
            (_measured(lines, Dialect(d, quote, escape, 1)) for d in delimiters),
            key=lambda each: each.rank,
        )
        for escape in _escapes(lines, quote, delimiters)
    ]
    best = max(found, key=lambda each: (each.rank, each.share)).dialect
    if best.width > 1 or delimiter is not None:
        return best
    return Dialect(_delimiter_of_title(lines, quote), quote, best.escape, 1)


def _quote(lines: Sequence[str]) -> str:
    """The quote: single ones only where values begin and end with them and no double one does."""
    text = "\n".join(lines)
    single = len(re.findall(r"(?:^|[,;\t|])'[^'\n]*'(?=$|[,;\t|])", text, re.MULTILINE))
    return "'" if single and '"' not in text else '"'


def _escapes(lines: Sequence[str], quote: str, delimiters: Sequence[str]) -> tuple[str, ...]:
    """What may stand before a quote inside a value: another one, or a backslash."""
    text = "\n".join(lines)
    if not quote or f"\\{quote}" not in text or _doubles(text, quote, delimiters):
        return (quote,)
    # Behind a backslash a quote may end a value too, such as a folder of Windows.
    ends = "|".join(map(re.escape, delimiters))
    inside = re.search(rf"\\{re.escape(quote)}(?!$|{ends})", text, re.MULTILINE)
    return ("\\",) if inside else (quote, "\\")


def _doubles(text: str, quote: str, delimiters: Sequence[str]) -> bool:
    """Whether two quotes mean one somewhere, rather than an empty value or the end of one."""
    twice = re.escape(quote) * 2
    outside = "".join(map(re.escape, delimiters)) + r"\n"
    filled = re.sub(rf"(?<![^{outside}]){twice}(?![^{outside}])", "", text)
    # Behind a backslash the first may be escaped, and the second end the value.
    return re.search(rf"(?<!\\){twice}|{twice}[^{outside}]", filled) is not None


@dataclass(frozen=True)
class _Measured:
    """A dialect, and how well it fits: the first record, most records, and numbers."""

    dialect: Dialect
    fits_first: bool
    share: float
    numbers: float

    @property
    def rank(self) -> tuple[bool, bool, float, float, int]:
        """Names hold no decimal commas, so that the first record tells before the others do.

        Without names, cells such as "5,1" tell the delimiter beside them, and "1;3" none.
        """
        shares = round(self.share, 1), round(self.numbers, 1)
        return self.dialect.width > 1, self.fits_first, *shares, self.dialect.width


def _measured(lines: Sequence[str], dialect: Dialect) -> _Measured:
    """The dialect with the commonest number of values of a record."""
    records = split(lines, dialect)
    widths = [len(record) for record in records]
    if not widths:
        return _Measured(dialect, False, 0.0, 0.0)
    width, count = max(Counter(widths).items(), key=lambda item: (item[1], item[0] == widths[0]))
    numbers = sum(_is_number(cell) for record in records for cell in record) / sum(widths)
    fits_first = width == widths[0]
    return _Measured(replace(dialect, width=width), fits_first, count / len(widths), numbers)


def _delimiter_of_title(lines: Sequence[str], quote: str) -> str:
    """The delimiter of a first line that has several values though the others are torn."""
    counts = {d: len(split(lines[:1], Dialect(d, quote, quote, 1))[0]) for d in DELIMITERS}
    best = max(counts, key=lambda d: counts[d])
    return best if counts[best] > 1 else NO_DELIMITER


def has_header(records: Sequence[Sequence[str]]) -> bool:
    """Whether the first record names the columns, by how it differs from the others."""
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
    return ANY_NUMBER.fullmatch(cell) is not None


def _are_numbers(cells: Sequence[str]) -> bool:
    """Whether nine of ten cells with content are numbers."""
    filled = [cell for cell in cells if cell]
    return bool(filled) and 10 * sum(map(_is_number, filled)) >= 9 * len(filled)


def guess_types(records: Sequence[Sequence[str]], width: int) -> list[str]:
    """Type of each column in which all records would be read."""
    return [_type_of({record[i] for record in records if i < len(record)}) for i in range(width)]


def _type_of(cells: set[str]) -> str:
    filled = cells - {""}
    if not filled:
        return "DOUBLE"
    matching = (name for name, pattern in TYPES if all(map(pattern.fullmatch, filled)))
    return next(matching, "VARCHAR")

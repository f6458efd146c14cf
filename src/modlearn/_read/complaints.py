"""What DuckDB says of a malformed text, in one sentence with the line and the remedy."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import TYPE_CHECKING

from modlearn._read.dialect import Dialect
from modlearn._read.encoding import compression_of, damaged, opened, unpacking
from modlearn.errors import FileError

if TYPE_CHECKING:
    import duckdb

__all__ = [
    "MixedLinesError",
    "NotUnicodeError",
    "OtherTypeError",
    "explained",
    "unparsed",
    "values_in_words",
]


class NotUnicodeError(Exception):
    """Bytes that are no UTF-8."""


class MixedLinesError(Exception):
    """Lines that end in several ways."""


class OtherTypeError(Exception):
    """A cell that is not of its column's type."""

    def __init__(self, column: str) -> None:
        super().__init__(column)
        self.column = column


def values_in_words(count: int) -> str:
    """Say how many values a line has."""
    return f"{count} value" + "s" * (count != 1)


PACKING = re.compile("(GZIP|ZSTD) (stream|Decompression)", re.IGNORECASE)
LINE = re.compile(r"CSV Error on Line: (\d+)")
WIDTH = re.compile(r"Expected Number of Columns: (\d+) Found: (\d+)")
CONVERSION = re.compile(r'Error when converting column "(.*?)"\. Could not convert', re.DOTALL)
ORIGINAL = re.compile(r"Original Line: ?(.*)")


def explained(
    error: duckdb.Error, path: Path, shown: str, dialect: Dialect | None = None
) -> Exception:
    """One sentence of what DuckDB says, with the line and the remedy."""
    message = str(error)
    if "not utf-8" in message or "unicode" in message.lower():
        return NotUnicodeError()
    if PACKING.search(message):
        return damaged(shown)
    if "invalid state" in message:
        return MixedLinesError()
    conversion = CONVERSION.search(message)
    if conversion:
        return OtherTypeError(conversion[1])
    found = LINE.search(message)
    where = "The file" if found is None else f"Line {_line(path, shown, int(found[1]), dialect)} of"
    width = WIDTH.search(message)
    if width:
        original = ORIGINAL.search(message)
        text = f", {_shortened(original[1])!r}" if original else ""
        return FileError(
            f"{where} {shown!r} has {values_in_words(int(width[2]))} where the first line has "
            f"{width[1]}{text}: correct the line, put quotes around a value that holds the "
            "delimiter, or give the delimiter."
        )
    if "unterminated quote" in message:
        return FileError(
            f"{where} {shown!r} has a quote that is not closed, or text behind a closing one: "
            "close it, write a quote inside quotes twice, or say that quotes mean nothing "
            "(quote='')."
        )
    return (
        unparsed(shown, error)
        if found is None
        else FileError(f"{where} {shown!r} cannot be parsed: {_first_line(error)}")
    )


def unparsed(shown: str, error: Exception) -> FileError:
    return FileError(f"The file {shown!r} cannot be parsed: {_first_line(error)}")


def _shortened(text: str, most: int = 60) -> str:
    return text if len(text) <= most else text[: most - 3] + "..."


def _first_line(error: Exception) -> str:
    """What DuckDB says, without its advice on its own options."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    kept = [line for line in lines if not line.startswith(("Original Line", "CSV Error on Line"))]
    return (kept or lines or ["no reason given"])[0].rstrip(".") + "."


def _line(path: Path, shown: str, record: int, dialect: Dialect | None) -> int:
    """Number of the line that a record begins in: DuckDB counts records, values may hold lines."""
    if dialect is None or not dialect.quote or compression_of(path) == "zstd":
        return record
    try:
        with unpacking(shown), _text(path, shown) as text:
            reader = csv.reader(text, delimiter=dialect.delimiter, quotechar=dialect.quote)
            for _ in range(record - 1):
                next(reader)
            return reader.line_num + 1
    except (csv.Error, StopIteration):
        return record


def _text(path: Path, shown: str) -> io.TextIOWrapper:
    """The text of a file, with line ends as they are."""
    return io.TextIOWrapper(opened(path, shown), "utf-8-sig", "replace", newline="")

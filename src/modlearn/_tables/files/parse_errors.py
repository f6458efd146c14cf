"""DuckDB's errors about delimited text, in one sentence with the line and the remedy."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import TYPE_CHECKING

from modlearn._tables.files.dialect import Dialect, reader_of, split, values_in_words
from modlearn._tables.files.workspace import compression_of, damaged_file, decompressing, open_bytes
from modlearn.errors import FileError, spelled

if TYPE_CHECKING:
    import duckdb

__all__ = [
    "LONGEST_LINE",
    "MixedLineEndsError",
    "NotUnicodeError",
    "OtherTypeError",
    "explain",
    "line_of_record",
    "parse_error",
    "shortened",
    "unreadable",
]


LONGEST_LINE = 10_000_000  # bytes, enough for a hundred thousand columns

NO_QUOTE = "--quote ''"


class NotUnicodeError(Exception):
    """A file holds bytes that are not valid UTF-8."""


class MixedLineEndsError(Exception):
    """A file has lines with different line ends."""


class OtherTypeError(Exception):
    """A cell that cannot be read as the type of its column."""

    def __init__(self, column: str) -> None:
        super().__init__(column)
        self.column = column


COMPRESSION = re.compile("(GZIP|ZSTD) (stream|Decompression)", re.IGNORECASE)
LINE = re.compile(r"CSV Error on Line: (\d+)")
REASONS = (
    "not utf-8",
    "unicode",
    "invalid state",
    "expected number of columns",
    "maximum line size",
    "unterminated quote",
)
WIDTH = re.compile(r"Expected Number of Columns: (\d+) Found: (\d+)")
CONVERSION = re.compile(
    r'^Error when converting column "(.*?)"\. Could not convert', re.DOTALL | re.M
)
ORIGINAL = re.compile(r"Original Line:\s*(.*)")


def explain(
    error: duckdb.Error, path: Path, shown: str, dialect: Dialect | None = None
) -> Exception:
    """Return the error to raise instead of DuckDB's, with the line and the remedy."""
    import duckdb

    if isinstance(error, duckdb.InterruptException):
        return error
    message = _without_settings(str(error))
    conversion = CONVERSION.search(message)
    if conversion:
        return OtherTypeError(conversion[1])
    # The line that is quoted may hold any of these words; what DuckDB says comes after it.
    reason = max(REASONS, key=message.lower().rfind)
    if reason not in message.lower():
        reason = ""
    if reason in ("not utf-8", "unicode"):
        return NotUnicodeError()
    if COMPRESSION.search(message):
        return damaged_file(shown)
    if reason == "invalid state":
        return MixedLineEndsError()
    found = LINE.search(message)
    where = "The file" if found is None else f"Line {_line(path, shown, int(found[1]), dialect)} of"
    width = WIDTH.findall(message)
    if reason == "expected number of columns" and width:
        original = ORIGINAL.search(message)
        text = f", {shortened(original[1])!r}" if original else ""
        n_needed, n_found = map(int, width[-1])
        n_found = _n_values(n_needed, n_found, original[1] if original else "", dialect)
        return FileError(
            *spelled(
                lambda spell: (
                    f"{where} {shown!r} has {values_in_words(n_found)} where the first line has "
                    f"{n_needed}{text}: correct the line, put quotes around a value that contains "
                    f"the delimiter, or name the delimiter with {spell('--delimiter')}."
                )
            )
        )
    if reason == "maximum line size":
        return FileError(
            *spelled(
                lambda spell: (
                    f"{where} {shown!r} is longer than {LONGEST_LINE:,} bytes, the most that a "
                    "line may have: a line end or a closing quote may be missing; shorten the "
                    f"line, or turn quoting off with {spell(NO_QUOTE)}."
                )
            )
        )
    if reason == "unterminated quote":
        return FileError(
            *spelled(
                lambda spell: (
                    f"{where} {shown!r} has a quote that is not closed, or text after a closing "
                    "quote: close it, double a quote inside quotes, or turn quoting off with "
                    f"{spell(NO_QUOTE)}."
                )
            )
        )
    return (
        parse_error(shown, error)
        if found is None
        else FileError(f"{where} {shown!r} cannot be parsed: {_first_line(error)}")
    )


def _without_settings(message: str) -> str:
    """Return what DuckDB says, without the options of its reader and the name of the file."""
    return message.rpartition("\n  file = ")[0] or message


def _n_values(expected: int, found: int, line: str, dialect: Dialect | None) -> int:
    """Return the number of values in a line: DuckDB stops counting at the first extra one."""
    if found <= expected or dialect is None or not line:
        return found
    return max(found, len(split([line], dialect)[0]))


def parse_error(shown: str, error: Exception) -> FileError:
    """Return the error for a file that cannot be parsed for a reason that only DuckDB knows."""
    return FileError(f"The file {shown!r} cannot be parsed: {_first_line(error)}")


def unreadable(shown: str, error: Exception) -> FileError:
    """Return the error for a file that DuckDB cannot read, with its reason in one line."""
    text = (str(error).strip() or "no reason is given").splitlines()[0]
    reason = shortened(re.sub(r"^[\w ]+ Error: ", "", text), 200).rstrip(" .")
    if text.startswith("Out of Memory"):
        return FileError(
            *spelled(
                lambda spell: (
                    f"The file {shown!r} cannot be read: {reason}. More memory is needed than is "
                    "free; to fit or analyze a table without reading it into memory, pass less "
                    f"with {spell('memory')}."
                )
            )
        )
    if (
        "magic bytes" in text or "to be a Parquet file" in text
    ):  # its last ones are missing: Parquet ends as it begins
        return FileError(
            f"The file {shown!r} is incomplete, or it is not Parquet: copy or write it again."
        )
    advice = "" if text.startswith("Permission") else " If the file is damaged, restore it."
    return FileError(f"The file {shown!r} cannot be read: {reason}.{advice}")


def shortened(text: str, most: int = 60) -> str:
    """Return the beginning of a long text."""
    return text if len(text) <= most else text[: most - 3] + "..."


def _first_line(error: Exception) -> str:
    """Return the first line of DuckDB's message, without its advice about its own options."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    kept = [line for line in lines if not line.startswith(("Original Line", "CSV Error on Line"))]
    return shortened((kept or lines or ["no reason given"])[0], 200).rstrip(".") + "."


def _line(path: Path, shown: str, record: int, dialect: Dialect | None) -> int:
    """Return the line number of a record: DuckDB counts records, but values may contain lines."""
    if dialect is None or not dialect.quote or compression_of(path) == "zstd":
        return record
    try:
        with decompressing(shown), _text(path, shown) as text:
            reader = reader_of(text, dialect)
            for _ in range(record - 1):
                next(reader)
            return reader.line_num + 1
    except (csv.Error, StopIteration):
        return record


def line_of_record(path: Path, shown: str, dialect: Dialect, record: int, n_blank: int) -> int:
    """Return the line number where a record, counted from 0, begins; 0 if it is not found.

    Empty lines are not records, unless there is only one column and they follow the first record.
    """
    try:
        with _text(path, shown) as text:
            reader, line = reader_of(text, dialect), 1
            for values in reader:
                if line > n_blank and (values or dialect.width == 1):
                    record -= 1
                if record < 0:
                    return line
                line = reader.line_num + 1
    except (csv.Error, FileError):  # a compression that Python does not know
        pass
    return 0


def _text(path: Path, shown: str) -> io.TextIOWrapper:
    """Open the text of a file, with line ends as they are."""
    return io.TextIOWrapper(open_bytes(path, shown), "utf-8-sig", "replace", newline="")

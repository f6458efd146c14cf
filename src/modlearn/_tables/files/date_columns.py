"""Columns whose texts or numbers are dates, in the formats that people use."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from modlearn._tables.files.columns import IS_MISSING_WORD, FileColumn, as_dates, digits
from modlearn._tables.files.relation import FileSource
from modlearn._tables.files.workspace import Workspace
from modlearn._tables.notes import ReadingNote
from modlearn._tables.spelling import DAYS, dates_sql, is_day, iso_sql, other_order
from modlearn.errors import ColumnError, spelled
from modlearn.schema import EXCEL, Kind, is_format, listed

__all__ = ["CALLED_A_DATE", "DaysOfColumn", "dates_by_name", "days_of", "read_requested_dates"]

SAMPLE_ROWS = 2_000
"""Number of cells that determine which formats are tried on all rows."""

CALLED_A_DATE = re.compile("date|datum|fecha|jour", re.IGNORECASE)
"""What names contain that have one of the words for dates."""

WORDS_FOR_DATES = {"date", "dates", "datetime", "datum", "fecha", "jour"}
FIRST_SERIAL, LAST_SERIAL = 10_000, 80_000  # 1927-05-18 and 2119-01-11
COMPACT = "%Y%m%d"


@dataclass(frozen=True)
class DaysOfColumn:
    """The format of the days in a column of text."""

    format: str | None  # the format that most cells have; None = ISO 8601
    n_cells: int  # number of cells that have it
    is_ambiguous: bool  # whether all of these cells could also be read with day and month exchanged

    def note(self, column: str, example: str) -> list[ReadingNote]:
        """Note which order of day and month was assumed, if no cell shows it."""
        # Nobody writes the month before a period.
        if not self.is_ambiguous or self.format is None or "." in self.format:
            return []
        first = "day" if self.format.startswith("%d") else "month"
        numbers: dict[str, float | int | str] = {
            "column": column,
            "example": example,
            "first": first,
            "other_format": other_order(self.format) or "",
        }
        return [ReadingNote("day_order", numbers)]


def days_of(
    workspace: Workspace, table: str, column: FileColumn, formats: Sequence[str | None]
) -> DaysOfColumn:
    """Find the format, of some, that most cells of a column of text have."""
    text = column.raw
    # Dates repeat: each is parsed once.
    counted = f"(SELECT {text}, count(*) AS n FROM {table} WHERE {text} IS NOT NULL GROUP BY ALL)"
    counts = _count_formats(workspace, counted, text, formats)
    if not counts:
        return DaysOfColumn(None, 0, False)
    best = max(counts, key=lambda format: counts[format])
    other = None if best is None else other_order(best)
    if best is None or other is None or counts.get(other) != counts[best]:
        return DaysOfColumn(best, counts[best], False)
    return DaysOfColumn(_likely_order(workspace, counted, text, best), counts[best], True)


def _any_format(workspace: Workspace, table: str, column: FileColumn) -> list[str | None]:
    """Return the formats that the first cells of a column have."""
    text = column.raw
    first = f"(SELECT {text}, 1 AS n FROM {table} WHERE {text} IS NOT NULL LIMIT {SAMPLE_ROWS})"
    counts = _count_formats(workspace, first, text, [None, *DAYS])
    return [format for format, n_cells in counts.items() if n_cells]


def _count_formats(
    workspace: Workspace, counted: str, text: str, formats: Sequence[str | None]
) -> dict[str | None, int]:
    """Count the cells that have each format, from texts that occur n times."""
    if not formats:
        return {}
    conditions = [
        f"{iso_sql(text)} IS NOT NULL" if format is None else is_day(text, format)
        for format in formats
    ]
    sums = [f"coalesce(sum(n) FILTER (WHERE {condition}), 0)" for condition in conditions]
    (row,) = workspace.rows(f"SELECT {', '.join(sums)} FROM {counted}")
    return dict(zip(formats, row, strict=True))


def _likely_order(workspace: Workspace, table: str, text: str, format: str) -> str:
    """Return the more likely of two orders of day and month that fit all cells.

    Of numbers that are all 1 where the others vary, the days are likely: monthly figures are dated
    to the first of the month. Otherwise the day comes first before a period, and the month before
    other marks.
    """
    day_first, month_first = sorted((format, other_order(format) or format))
    sql = f"make_timestamp({dates_sql(text, month_first)})"
    (row,) = workspace.rows(
        f"SELECT count(DISTINCT month({sql})), count(DISTINCT day({sql})), "
        f"max(month({sql})), max(day({sql})) FROM {table}"
    )
    n_firsts, n_seconds, first, second = row
    if n_firsts == first == 1 and n_seconds > 1:
        return day_first
    if n_seconds == second == 1 and n_firsts > 1:
        return month_first
    return day_first if "." in format else month_first


def dates_by_name(source: FileSource, known: Collection[str]) -> None:
    """Read numbers as dates if the column is called a date and all of its numbers may be dates.

    Columns whose kind is known stay as they are.
    """
    for i, column in enumerate(source.columns):
        if column.name in known or column.family not in ("integer", "float"):
            continue
        if WORDS_FOR_DATES.isdisjoint(_words(column.name)):
            continue
        format, example = _format_of_numbers(source, column)
        if format is not None:
            source.columns[i] = as_dates(column, format)
            numbers: dict[str, float | int | str] = {"column": column.name, "example": example}
            source.notes = [*source.notes, ReadingNote(f"dates_{_named(format)}", numbers)]


def _named(format: str) -> str:
    return "excel" if format == EXCEL else "compact"


def _words(name: str) -> set[str]:
    """Return the words of a name such as "order_date" or "orderDate", in lower case."""
    return {word.lower() for word in re.findall("[A-Z]?[a-z]+|[A-Z]+", name)}


def _format_of_numbers(source: FileSource, column: FileColumn) -> tuple[str | None, str]:
    """Return the format in which all numbers of a column are dates, and the first number."""
    value = column.value
    compact = f"try_strptime({digits(column)}, '{COMPACT}')"
    is_compact = f"{value} BETWEEN 10000101 AND 99991231 AND {compact} IS NOT NULL"
    (row,) = source.workspace.rows(
        f"SELECT count({value}), "
        f"count(*) FILTER (WHERE {value} BETWEEN {FIRST_SERIAL} AND {LAST_SERIAL}), "
        f"count(*) FILTER (WHERE {is_compact}), CAST(any_value({value}) AS VARCHAR) "
        f"FROM {source.whole}"
    )
    n_numbers, n_serials, n_compact, example = row
    if n_numbers and n_serials == n_numbers:
        return EXCEL, example
    if n_numbers and n_compact == n_numbers:
        return COMPACT, example
    return None, ""


def read_requested_dates(source: FileSource, requested: Mapping[str, str | None]) -> None:
    """Read columns as dates in these formats; None = in the format that most cells have."""
    names = source.names
    for name, format in requested.items():
        if name not in names:
            raise ColumnError(
                f"There is no column {name!r} in {source.path!r} to read as dates: it has "
                f"{listed(names, 20)}."
            )
        if format is not None and not is_format(Kind.DATETIME, format):
            raise ColumnError(
                f"The date format {format!r} of column {name!r} is not known: pass a format of "
                "strptime such as '%d/%m/%Y' or '%m/%d/%Y %H:%M', or 'excel' for numbers of days."
            )
        i = names.index(name)
        source.columns[i], notes = _requested(source, source.columns[i], format)
        source.notes = [*source.notes, *notes]


def _requested(
    source: FileSource, column: FileColumn, format: str | None
) -> tuple[FileColumn, list[ReadingNote]]:
    """Read one column as dates, with notes."""
    is_number = column.kind == Kind.NUMERIC
    if not (column.is_text or is_number):
        if column.kind == Kind.DATETIME:
            return column, []
        raise ColumnError(
            f"Column {column.name!r} holds {column.kind} values, which cannot be read as dates: "
            "pass columns of text or numbers."
        )
    if format is not None:
        return as_dates(column, format), []
    if is_number:
        return as_dates(column, _needed_format(source, column)), []
    workspace, whole = source.workspace, source.whole
    days = days_of(workspace, whole, column, _any_format(workspace, whole, column))
    return as_dates(column, days.format), days.note(column.name, _first_text(source, column))


def _needed_format(source: FileSource, column: FileColumn) -> str:
    """Return the format in which all numbers of a column are dates, or raise."""
    format, _ = _format_of_numbers(source, column)
    if format is None:
        raise ColumnError(
            *spelled(
                lambda spell: (
                    f"Column {column.name!r} holds numbers that are not dates: neither numbers of "
                    "days, as spreadsheets store them, nor such as 20120131. Pass their format, "
                    f"such as '%Y%m', with {spell('date_format')}."
                )
            )
        )
    return format


def _first_text(source: FileSource, column: FileColumn) -> str:
    """Return the first text of a column that is not a word for a missing value."""
    rows = source.workspace.rows(
        f"SELECT {column.raw} FROM {source.whole} WHERE {column.raw} IS NOT NULL "
        f"AND NOT {IS_MISSING_WORD.format(c=column.raw)} LIMIT 1"
    )
    return str(rows[0][0]) if rows else ""

"""How dates and numbers are written in texts, and the SQL that reads them.

A format says how the cells of a column are written, so that a model reads later tables as it read
its training data. Dates have a format of ``strptime``, or ``EXCEL``; numbers have ``POINT`` or
``COMMA``. A column without a format holds numbers with a decimal point, or dates in ISO 8601.
"""

from __future__ import annotations

import datetime as dt
import re

from modlearn.schema import EXCEL, NUMBER_FORMATS

__all__ = [
    "COMMA",
    "DAYS",
    "LAST_SERIAL",
    "POINT",
    "SERIAL_OF_1970",
    "amounts_sql",
    "date_in",
    "dates_sql",
    "formats_of_day",
    "is_amount",
    "is_day",
    "iso_sql",
    "may_be_amount",
    "other_order",
]

POINT, COMMA = NUMBER_FORMATS

MONTHS_AND_DAYS = [
    f"{first}{mark}{second}{mark}{year}"
    for mark in "/.-"
    for first, second in (("%d", "%m"), ("%m", "%d"))
    for year in ("%Y", "%y")
]
MONTH_NAMES = [f"%d{mark}%b{mark}{year}" for mark in " -/." for year in ("%Y", "%y")] + [
    "%d%b%Y",
    "%d. %b %Y",
    "%d %b, %Y",
    "%b %d, %Y",
    "%b %d %Y",
    "%b. %d, %Y",
    "%b %Y",
    "%b-%Y",
]
DAYS = ["%Y.%m.%d", *MONTHS_AND_DAYS, *MONTH_NAMES]
"""Formats of days that are detected; %b stands for abbreviated and full names of months."""

TIMES = [" %H:%M", " %H:%M:%S", " %H:%M:%S.%f", " %I:%M %p", " %I:%M:%S %p", " %I:%M%p"]
"""Times of day that may follow a day."""

TIME_DIRECTIVE = re.compile(r"%-?[HIMSpfgnTcXzZ]")
SHAPES = {
    "%d": "[0-9]{1,2}",
    "%m": "[0-9]{1,2}",
    "%Y": "[0-9]{4}",
    "%y": "[0-9]{2}",
    "%b": "[A-Za-z]{3,9}",
}
TIME_SHAPE = "( +[0-9]{1,2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,6})?)?( ?[AaPp][Mm])?)?"
# Two digits at the start may be a day: DuckDB would read "01-02-12" as a day of the year 1.
ISO_SHAPE = "[0-9]{4}[-/][0-9]{1,2}[-/].*"

LONGEST = 60
"""Most characters of a date or an amount."""

LAST_SERIAL = 2_958_465  # 9999-12-31
SERIAL_OF_1970 = 25_569


def _shape(format: str) -> str:
    """Return the regular expression of a format of DAYS."""
    # "1.2.10" may be a version, and "3-1-10" a score.
    is_strict = re.search("%m.%y|%d.%y", format) and "/" not in format
    shapes = {**SHAPES, "%d": "[0-9]{2}", "%m": "[0-9]{2}"} if is_strict else SHAPES
    # Periods are the only special character of these formats.
    return re.sub("%[dmYyb]", lambda found: shapes[found[0]], format.replace(".", "[.]"))


def _day(format: str) -> str:
    """Return the regular expression of a day in a format, maybe with a time."""
    return f"\\s*{_shape(format)}{TIME_SHAPE}\\s*"


def formats_of_day(text: str) -> list[str]:
    """Return the formats of DAYS that a text may have, by its look."""
    return [format for format in DAYS if _has(text, _day(format))]


def _has(text: str, shape: str) -> bool:
    """Whether a text has a shape; none of the shapes is long."""
    return len(text) <= LONGEST and re.fullmatch(shape, text) is not None


def _matches(text: str, shape: str) -> str:
    """SQL: whether a text has a shape. DuckDB's expressions take linear time."""
    return f"regexp_full_match({text}, {_quoted(shape)})"


def _quoted(text: str) -> str:
    """Quote a text for SQL."""
    return "'" + text.replace("'", "''") + "'"


def is_day(text: str, format: str) -> str:
    """SQL: whether a text is a day in a format of DAYS."""
    return f"({_matches(text, _day(format))} AND {_parsed(text, format)} IS NOT NULL)"


def iso_sql(text: str) -> str:
    """SQL: microseconds since 1970 of a date in ISO 8601; NULL for other texts."""
    return (
        f"CASE WHEN {_matches(text, ISO_SHAPE)} THEN epoch_us(TRY_CAST({text} AS TIMESTAMPTZ)) END"
    )


def dates_sql(text: str, format: str | None) -> str:
    """SQL: microseconds since 1970 of a date in a format, or in ISO 8601; NULL for other texts."""
    if format is None:
        return iso_sql(text)
    if format == EXCEL:
        return _serial_sql(f"TRY_CAST(trim({text}) AS DOUBLE)")
    return f"coalesce(epoch_us({_parsed(text, format)}), {iso_sql(text)})"


def date_in(format: str | None) -> str:
    """Return an example of a date in a format."""
    if format == EXCEL:
        return "40939"
    return dt.datetime(2012, 1, 31).strftime(format or "%Y-%m-%d")


def _serial_sql(number: str) -> str:
    """SQL: microseconds since 1970 of a number of days, to the millisecond."""
    # A number of days is a float, whose last digits are noise.
    return (
        f"CASE WHEN {number} BETWEEN 1 AND {LAST_SERIAL} THEN "
        f"CAST(round(({number} - {SERIAL_OF_1970}) * 86400000) AS BIGINT) * 1000 END"
    )


def _parsed(text: str, format: str) -> str:
    """SQL: the instant of a text in a format; a time of day may follow a day."""
    names = [format.replace("%B", "%b"), format.replace("%b", "%B")]
    times = [""] if TIME_DIRECTIVE.search(format) else ["", *TIMES]
    formats = dict.fromkeys(name + time for name in names for time in times)
    return f"try_strptime(trim({text}), [{', '.join(map(_quoted, formats))}])"


def other_order(format: str) -> str | None:
    """Return the format with day and month exchanged; None if a text shows their order."""
    if not re.match("%[dm](.)%[dm]\\1", format):
        return None
    return format.translate(str.maketrans("dm", "md"))


UNITS = "[$€£¥₹%]|USD|EUR|GBP|CHF|JPY"
NEVER = "[^\\s\\S]"
NO_BREAK = ("\N{NO-BREAK SPACE}", "\N{NARROW NO-BREAK SPACE}")
SPACE = f"[ {''.join(NO_BREAK)}]"
DIGITS = {
    POINT: "[0-9]{1,3}([,'][0-9]{3})+([.][0-9]*)?|[0-9]+([.][0-9]*)?|[.][0-9]+",
    COMMA: f"[0-9]{{1,3}}(([.]|{SPACE})[0-9]{{3}})+(,[0-9]*)?|[0-9]+(,[0-9]*)?|,[0-9]+",
}


def _amount(format: str, units: str = UNITS) -> str:
    """Return the regular expression of a number in a format with at most one unit."""
    unit, rest = f"({units}){SPACE}?", f"({DIGITS[format]})({SPACE}?({units}))?"
    return f"\\s*(([+-]?({unit})?|{unit}[+-]){rest}|[(]({unit})?{rest}[)])\\s*"


def may_be_amount(text: str) -> bool:
    """Whether a text looks like a number with at most one unit."""
    return any(_has(text, _amount(format)) for format in NUMBER_FORMATS)


def is_amount(text: str, format: str, unit: str | None = None) -> str:
    """SQL: whether a text is a number with at most one unit, negative ones maybe in parentheses.

    None = any unit; otherwise the text must have this one.
    """
    if unit is None:
        return _matches(text, _amount(format))
    has_unit = f" AND contains({text}, {_quoted(unit)})" if unit else ""
    return _matches(text, _amount(format, re.escape(unit) or NEVER)) + has_unit


def amounts_sql(text: str, format: str) -> str:
    """SQL: the number of a text, without its unit; NULL for other texts.

    "45%" is 0.45, as spreadsheets store it.
    """
    marks = "0-9,-" if format == COMMA else "0-9.-"
    number = f"regexp_replace({text}, '[^{marks}]', '', 'g')"
    number = f"TRY_CAST(replace({number}, ',', '.') AS DOUBLE)"
    sign = f"CASE WHEN contains({text}, '(') THEN -1 ELSE 1 END"
    share = f"CASE WHEN contains({text}, '%') THEN 100 ELSE 1 END"
    return f"CASE WHEN {is_amount(text, format)} THEN {sign} * {number} / {share} END"

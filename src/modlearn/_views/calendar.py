"""Parts of the calendar, from dates.

A date itself mostly memorizes: rows of one day have much in common, and the next table has other
days. What recurs does not: hours, days of the week, months. Each is a view of its own. Dates are
microseconds since 1970, as everywhere.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from modlearn._views.family import ViewFamily
from modlearn.schema import Kind, View

__all__ = ["CALENDAR", "DAY_OF_YEAR", "HOUR", "MONTH", "WEEKDAY"]

Floats = NDArray[np.float64]

US_PER_HOUR = 3_600_000_000
US_PER_DAY = 24 * US_PER_HOUR
US_PER_YEAR = 365.25 * US_PER_DAY

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September"),
    *("October", "November", "December"),
)

REPEATED = 2
"""How often hours, weekdays and months must recur for a table to show what they mean."""


def _hour(dates: Floats) -> Floats:
    return np.asarray(np.floor(dates / US_PER_HOUR) % 24)


def _weekday(dates: Floats) -> Floats:
    # 1970-01-01 was a Thursday.
    return np.asarray((np.floor(dates / US_PER_DAY) + 3) % 7)


def _months(dates: Floats) -> NDArray[np.datetime64]:
    return dates.astype(np.int64).astype("M8[us]").astype("M8[M]")


def _month(dates: Floats) -> Floats:
    return np.asarray(_months(dates).astype(np.int64) % 12, dtype=np.float64)


def _day_of_month(dates: Floats) -> Floats:
    days = dates.astype(np.int64).astype("M8[us]").astype("M8[D]")
    return np.asarray((days - _months(dates)).astype(np.int64) + 1, dtype=np.float64)


def _day_of_year(dates: Floats) -> Floats:
    days = dates.astype(np.int64).astype("M8[us]").astype("M8[D]")
    return np.asarray((days - _months(dates).astype("M8[Y]")).astype(np.int64) + 1.0)


def _whole_hour(date: Any) -> Any:
    return date // US_PER_HOUR % 24


def _whole_weekday(date: Any) -> Any:
    return (date // US_PER_DAY + 3) % 7


def _era_and_month(date: Any) -> tuple[Any, Any, Any]:
    """Return the era of a date, and in it the year and the month, both from March."""
    # Years that begin in March, in eras of 400 years, end with the day that leap years add.
    shifted = date // US_PER_DAY + 719_468
    era, day_of_era = shifted // 146_097, shifted % 146_097
    leaps = day_of_era // 1_460 - day_of_era // 36_524 + day_of_era // 146_096
    year_of_era = (day_of_era - leaps) // 365
    day_of_year = day_of_era - (year_of_era * 365 + year_of_era // 4 - year_of_era // 100)
    return era, year_of_era, (day_of_year * 5 + 2) // 153


def _whole_month(date: Any) -> Any:
    *_, month = _era_and_month(date)
    return (month + 2) % 12


def _whole_day_of_year(date: Any) -> Any:
    era, year_of_era, month = _era_and_month(date)
    before = era * 400 + year_of_era + month // 10 - 1  # the calendar year before
    first = before * 365 + before // 4 - before // 100 + before // 400 - 719_162
    return date // US_PER_DAY - first + 1


DUCKDB_TIME = "MAKE_TIMESTAMP(CAST({cell} AS BIGINT))"
POSTGRES_TIME = "(TO_TIMESTAMP(FLOOR({cell} / 1000000)) AT TIME ZONE 'UTC')"
SQLITE_TIME = "FLOOR({cell} / 1000000.0), 'unixepoch'"
SPARK_TIME = "PMOD(CAST({cell} AS BIGINT), 86400000000)"
SPARK_DAY = (
    f"DATE_FROM_UNIX_DATE(CAST((CAST({{cell}} AS BIGINT) - {SPARK_TIME}) / 86400000000 AS INT))"
)

HOUR = View(
    "hour",
    Kind.DATETIME,
    _hour,
    sql={
        "duckdb": f"HOUR({DUCKDB_TIME})",
        "sqlite": f"CAST(STRFTIME('%H', {SQLITE_TIME}) AS INTEGER)",
        "postgres": f"EXTRACT(HOUR FROM {POSTGRES_TIME})",
        "spark": f"FLOOR({SPARK_TIME} / 3600000000)",
        "bigquery": "EXTRACT(HOUR FROM CAST({x} AS TIMESTAMP))",
        "snowflake": "HOUR(CAST({x} AS TIMESTAMPNTZ))",
        "tsql": "DATEPART(HOUR, {x})",
        "mysql": "HOUR({x})",
        "oracle": "EXTRACT(HOUR FROM CAST({x} AS TIMESTAMP))",
    },
    whole=_whole_hour,
)

WEEKDAY = View(
    "weekday",
    Kind.DATETIME,
    _weekday,
    sql={
        "duckdb": f"ISODOW({DUCKDB_TIME}) - 1",
        "sqlite": f"(CAST(STRFTIME('%w', {SQLITE_TIME}) AS INTEGER) + 6) % 7",
        "postgres": f"EXTRACT(ISODOW FROM {POSTGRES_TIME}) - 1",
        "spark": f"WEEKDAY({SPARK_DAY})",
        "bigquery": "MOD(EXTRACT(DAYOFWEEK FROM CAST({x} AS TIMESTAMP)) + 5, 7)",
        "snowflake": "DAYOFWEEKISO({x}) - 1",
        "tsql": "DATEDIFF(DAY, '0001-01-01', {x}) % 7",
        "mysql": "WEEKDAY({x})",
        "oracle": "TRUNC({x}) - TRUNC({x}, 'IW')",
    },
    whole=_whole_weekday,
    categories=WEEKDAYS,
)

MONTH = View(
    "month",
    Kind.DATETIME,
    _month,
    sql={
        "duckdb": f"MONTH({DUCKDB_TIME}) - 1",
        "sqlite": f"CAST(STRFTIME('%m', {SQLITE_TIME}) AS INTEGER) - 1",
        "postgres": f"EXTRACT(MONTH FROM {POSTGRES_TIME}) - 1",
        "spark": f"MONTH({SPARK_DAY}) - 1",
        "bigquery": "EXTRACT(MONTH FROM CAST({x} AS TIMESTAMP)) - 1",
        "snowflake": "MONTH({x}) - 1",
        "tsql": "DATEPART(MONTH, {x}) - 1",
        "mysql": "MONTH({x}) - 1",
        "oracle": "EXTRACT(MONTH FROM {x}) - 1",
    },
    whole=_whole_month,
    categories=MONTHS,
)

DAY_OF_YEAR = View(
    "day of year",
    Kind.DATETIME,
    _day_of_year,
    sql={
        "duckdb": f"DAYOFYEAR({DUCKDB_TIME})",
        "sqlite": f"CAST(STRFTIME('%j', {SQLITE_TIME}) AS INTEGER)",
        "postgres": f"EXTRACT(DOY FROM {POSTGRES_TIME})",
        "spark": f"DAYOFYEAR({SPARK_DAY})",
        "bigquery": "EXTRACT(DAYOFYEAR FROM CAST({x} AS TIMESTAMP))",
        "snowflake": "DAYOFYEAR({x})",
        "tsql": "DATEPART(DAYOFYEAR, {x})",
        "mysql": "DAYOFYEAR({x})",
        "oracle": "TO_NUMBER(TO_CHAR({x}, 'DDD'))",
    },
    whole=_whole_day_of_year,
)

CYCLES = {HOUR: US_PER_DAY, WEEKDAY: 7 * US_PER_DAY, MONTH: US_PER_YEAR, DAY_OF_YEAR: US_PER_YEAR}
"""How long each part of the calendar takes to come around."""


def _recurring(dates: Floats) -> tuple[View, ...]:
    """Return the parts of the calendar that recur in these dates.

    A part that does not recur is the date by another name: within one year, a month is no
    more than a range of dates.

    Examples
    --------
    >>> import numpy as np
    >>> days = np.arange("2020-01-01", "2020-03-01", dtype="M8[D]").astype("M8[us]")
    >>> [view.name for view in _recurring(days.astype(np.float64))]
    ['weekday']
    """
    finite = dates[np.isfinite(dates)]
    if not len(finite):
        return ()
    span = float(finite.max() - finite.min())
    # A day of the year says no more than the month if dates are first days of months.
    only_months = np.ptp(_day_of_month(finite)) == 0
    return tuple(
        view
        for view, cycle in CYCLES.items()
        if span >= REPEATED * cycle
        and np.ptp(view.numbers(finite)) > 0
        and not (view == DAY_OF_YEAR and only_months)
    )


CALENDAR = ViewFamily(Kind.DATETIME, _recurring, {view.name: view for view in CYCLES}.get)
"""The parts of the calendar, of dates."""

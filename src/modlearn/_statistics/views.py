"""Columns that are computed from others: parts of the calendar, from dates.

A date itself mostly memorizes: rows of one day have much in common, and the next table has other
days. What recurs does not: hours, days of the week, months. Each is a column of its own, named
by a view in the schema. Whatever answers for a table computes it from the column it is a view of.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from modlearn._statistics.batches import Batch
from modlearn.schema import Column, View

__all__ = ["MONTHS", "NAMES", "WEEKDAYS", "calendar_views", "categories_of_view", "numbers_of_view"]

Floats = NDArray[np.float64]

HOUR = 3_600e6  # in microseconds, as dates are
DAY = 24 * HOUR
YEAR = 365.25 * DAY

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    *("January", "February", "March", "April", "May", "June", "July", "August", "September"),
    *("October", "November", "December"),
)

NAMES = {View.WEEKDAY: WEEKDAYS, View.MONTH: MONTHS}
"""Categories of views that are not numbers."""

REPEATED = 2
"""How often hours, weekdays and months must recur for a table to show what they mean."""


def calendar_views(dates: Floats) -> tuple[View, ...]:
    """Return the parts of the calendar that recur in these dates, NaN = missing.

    A part that does not recur is the date by another name: within one year, a month is no
    more than a range of dates.

    Examples
    --------
    >>> import numpy as np
    >>> days = np.arange("2020-01-01", "2020-03-01", dtype="M8[D]").astype("M8[us]")
    >>> calendar_views(days.astype(np.float64))
    (<View.WEEKDAY: 'weekday'>,)
    """
    present = dates[np.isfinite(dates)]
    if not len(present):
        return ()
    span = float(present.max() - present.min())
    # A day of the year says no more than the month if dates are first days of months.
    candidates = [(View.HOUR, DAY), (View.WEEKDAY, 7 * DAY), (View.MONTH, YEAR)]
    if np.ptp(_day_of_month(present)) > 0:
        candidates.append((View.DAY_OF_YEAR, YEAR))
    return tuple(
        view
        for view, cycle in candidates
        if span >= REPEATED * cycle and np.ptp(NUMBERS[view](present)) > 0
    )


def numbers_of_view(column: Column, batch: Batch) -> Floats:
    """Return the hour, from 0, or the day of the year, from 1, of each row; NaN = missing."""
    assert column.view is not None
    return _where_finite(batch.numeric(column.source), NUMBERS[column.view])


def categories_of_view(column: Column, batch: Batch) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    """Return the weekday or the month of each row as codes, -1 = missing, and their names."""
    assert column.view is not None
    codes = _where_finite(batch.numeric(column.source), NUMBERS[column.view])
    names = NAMES[column.view]
    order = sorted(range(len(names)), key=names.__getitem__)
    rank = np.argsort(order)
    missing = np.isnan(codes)
    found = rank[np.where(missing, 0, codes).astype(np.intp)].astype(np.int32)
    found[missing] = -1
    return found, tuple(names[i] for i in order)


def _where_finite(dates: Floats, compute: Callable[[Floats], Floats]) -> Floats:
    """Return what is computed from dates, NaN where there is none."""
    result = np.full(len(dates), np.nan)
    finite = np.isfinite(dates)
    result[finite] = compute(dates[finite])
    return result


def _hour(dates: Floats) -> Floats:
    return np.asarray(np.floor(dates / HOUR) % 24)


def _weekday(dates: Floats) -> Floats:
    # 1970-01-01 was a Thursday.
    return np.asarray((np.floor(dates / DAY) + 3) % 7)


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


NUMBERS: dict[View, Callable[[Floats], Floats]] = {
    View.HOUR: _hour,
    View.WEEKDAY: _weekday,
    View.MONTH: _month,
    View.DAY_OF_YEAR: _day_of_year,
}
"""Number of each view, of dates that are there."""

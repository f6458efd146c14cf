import datetime as dt

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from modlearn._export.dialects import DIALECTS
from modlearn._views.calendar import CALENDAR, CYCLES, DAY_OF_YEAR, HOUR, MONTH, WEEKDAY

EPOCH = dt.datetime(1970, 1, 1)


def microseconds(dates):
    return np.array(dates, dtype="M8[us]").astype(np.int64).astype(np.float64)


def in_the_standard_library(date):
    return {
        HOUR: date.hour,
        WEEKDAY: date.weekday(),
        MONTH: date.month - 1,
        DAY_OF_YEAR: date.timetuple().tm_yday,
    }


@given(st.datetimes(dt.datetime(1700, 1, 1), dt.datetime(2200, 1, 1)))
def test_views_are_those_of_the_standard_library(date):
    expected = in_the_standard_library(date)
    assert {view: view.numbers(microseconds([date]))[0] for view in CYCLES} == expected


@given(st.datetimes())
def test_views_of_whole_numbers_are_those_of_the_standard_library(date):
    whole = (date - EPOCH) // dt.timedelta(microseconds=1)
    assert {view: view.whole(whole) for view in CYCLES} == in_the_standard_library(date)


def test_weekdays_and_months_have_the_names_of_the_standard_library():
    days = [dt.date(2024, 1, 1) + dt.timedelta(days=i) for i in range(7)]
    assert list(WEEKDAY.categories) == [f"{day:%A}" for day in days]
    assert list(MONTH.categories) == [f"{dt.date(2024, i + 1, 1):%B}" for i in range(12)]


def test_every_dialect_computes_the_calendar():
    for view in CYCLES:
        assert set(view.sql) == set(DIALECTS)


@pytest.mark.parametrize(
    ("start", "end", "step", "expected"),
    [
        ("2020-01-01", "2020-01-02", "1h", []),
        ("2020-01-01", "2020-01-05", "1h", ["hour"]),
        ("2020-01-01", "2020-02-01", "1h", ["hour", "weekday"]),
        ("2020-01-01", "2020-12-01", "1D", ["weekday"]),
        ("2020-01-01", "2023-12-01", "1D", ["weekday", "month", "day of year"]),
        ("2020-01-01", "2023-12-01", "MS", ["weekday", "month"]),
        ("2020-01-06", "2020-12-28", "7D", []),
    ],
)
def test_only_what_came_around_twice_is_offered(start, end, step, expected):
    dates = microseconds(pd.date_range(start, end, freq=step).to_numpy())
    assert [view.name for view in CALENDAR.offered(dates)] == expected


def test_no_dates_offer_no_views():
    assert CALENDAR.offered(np.array([np.nan, np.inf])) == ()

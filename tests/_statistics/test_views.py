import datetime as dt
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from modlearn._statistics.views import (
    MONTHS,
    WEEKDAYS,
    calendar_views,
    categories_of_view,
    numbers_of_view,
)
from modlearn.schema import Column, Kind, View


def seen(view, values):
    column = Column("v", Kind.NUMERIC, view.ordered, source="day", view=view)
    return column, SimpleNamespace(numeric={"day": values}.get)


def numbers(view, values):
    return numbers_of_view(*seen(view, values))


def categories(view, values):
    return categories_of_view(*seen(view, values))


def microseconds(dates):
    return np.array(dates, dtype="M8[us]").astype(np.int64).astype(np.float64)


@given(st.datetimes(dt.datetime(1700, 1, 1), dt.datetime(2200, 1, 1)))
def test_views_are_those_of_the_standard_library(date):
    values = microseconds([date])
    assert numbers(View.HOUR, values).tolist() == [date.hour]
    assert numbers(View.DAY_OF_YEAR, values).tolist() == [date.timetuple().tm_yday]
    for view, names, number in (
        (View.WEEKDAY, WEEKDAYS, date.weekday()),
        (View.MONTH, MONTHS, date.month - 1),
    ):
        codes, names_of = categories(view, values)
        assert names_of[codes[0]] == names[number]


def test_categories_are_sorted_and_missing_dates_have_no_view():
    codes, names_of = categories(View.MONTH, np.array([np.nan, 0.0, np.inf]))
    assert list(names_of) == sorted(MONTHS)
    assert codes.tolist() == [-1, names_of.index("January"), -1]
    hours = numbers(View.HOUR, np.array([np.nan, 3.6e9]))
    np.testing.assert_array_equal(hours, [np.nan, 1.0])


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
def test_only_what_came_around_twice_is_a_view(start, end, step, expected):
    dates = microseconds(pd.date_range(start, end, freq=step).to_numpy())
    assert [str(view) for view in calendar_views(dates)] == expected


def test_no_dates_have_no_views():
    assert calendar_views(np.array([np.nan, np.inf])) == ()

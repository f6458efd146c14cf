"""Formats of dates and numbers, and the SQL that reads them."""

import datetime as dt
import time

import duckdb
import pytest

from modlearn._tables.spelling import (
    COMMA,
    DAYS,
    POINT,
    amounts_sql,
    date_in,
    dates_sql,
    formats_of_day,
    is_amount,
    is_day,
    iso_sql,
    may_be_amount,
    other_order,
)
from modlearn.schema import EXCEL


@pytest.fixture(scope="module")
def connection():
    with duckdb.connect() as connection:
        connection.execute("SET TimeZone = 'UTC'")
        yield connection


@pytest.fixture
def read(connection):
    """What SQL for a text says of it."""

    def value(sql, text):
        rows = connection.execute(f"SELECT {sql} FROM (SELECT ? AS x)", [text]).fetchall()
        return rows[0][0]

    return value


def instant(microseconds):
    return dt.datetime(1970, 1, 1) + dt.timedelta(microseconds=microseconds)


@pytest.mark.parametrize(
    ("text", "formats", "date"),
    [
        ("31/01/2012", ["%d/%m/%Y"], dt.datetime(2012, 1, 31)),
        ("1/31/2012", ["%m/%d/%Y"], dt.datetime(2012, 1, 31)),
        ("01/02/2012", ["%d/%m/%Y", "%m/%d/%Y"], dt.datetime(2012, 2, 1)),
        ("31.01.2012", ["%d.%m.%Y"], dt.datetime(2012, 1, 31)),
        ("9/30/1990 0:00:00", ["%m/%d/%Y"], dt.datetime(1990, 9, 30)),
        ("9/30/1990 3:04 PM", ["%m/%d/%Y"], dt.datetime(1990, 9, 30, 15, 4)),
        ("9/30/1990 15:04:05.25", ["%m/%d/%Y"], dt.datetime(1990, 9, 30, 15, 4, 5, 250000)),
        (" 31 Jan 2012 ", ["%d %b %Y"], dt.datetime(2012, 1, 31)),
        ("31 january 2012", ["%d %b %Y"], dt.datetime(2012, 1, 31)),
        ("January 31, 2012", ["%b %d, %Y"], dt.datetime(2012, 1, 31)),
        ("31JAN2012", ["%d%b%Y"], dt.datetime(2012, 1, 31)),
        ("31-Jan-12", ["%d-%b-%y"], dt.datetime(2012, 1, 31)),
        ("31-Jan-68", ["%d-%b-%y"], dt.datetime(2068, 1, 31)),
        ("31-Jan-69", ["%d-%b-%y"], dt.datetime(1969, 1, 31)),
        ("31/1/12", ["%d/%m/%y"], dt.datetime(2012, 1, 31)),
        ("31.01.12", ["%d.%m.%y"], dt.datetime(2012, 1, 31)),
        ("2012.01.31", ["%Y.%m.%d"], dt.datetime(2012, 1, 31)),
        ("Jan 2012", ["%b %Y"], dt.datetime(2012, 1, 1)),
    ],
)
def test_a_day_is_read_in_the_formats_that_fit_it(read, text, formats, date):
    assert set(formats) <= set(formats_of_day(text))
    assert [format for format in DAYS if read(is_day("x", format), text)] == formats
    assert instant(read(dates_sql("x", formats[0]), text)) == date


@pytest.mark.parametrize(
    "text", ["1.2.10", "3-1-10", "1/2/123", "Mai 2012 x", "31/01", "12", "a/b/cccc", "1/2/2012x"]
)
def test_other_texts_are_not_days(text):
    assert formats_of_day(text) == []


@pytest.mark.parametrize("text", ["29/02/2013", "32/01/2012", "1 Foo 2012"])
def test_a_day_that_does_not_exist_has_no_format(read, text):
    assert not any(read(is_day("x", format), text) for format in DAYS)


def test_full_and_short_names_of_months_have_one_format(read):
    for text in ("31 Jan 2012", "31 January 2012"):
        for format in ("%d %b %Y", "%d %B %Y"):
            assert instant(read(dates_sql("x", format), text)) == dt.datetime(2012, 1, 31)


def test_a_date_in_iso_8601_is_read_in_every_format(read):
    for format in (None, "%d/%m/%Y"):
        assert instant(read(dates_sql("x", format), "2012-01-31")) == dt.datetime(2012, 1, 31)


@pytest.mark.parametrize("text", ["01-02-12", "epoch", "infinity", "31/01/2012", ""])
def test_what_duckdb_would_cast_to_a_date_is_not_always_iso_8601(read, text):
    assert read(iso_sql("x"), text) is None


def test_a_time_is_read_only_where_the_format_has_one(read):
    assert read(dates_sql("x", "%d/%m/%Y %H:%M"), "31/01/2012") is None
    found = read(dates_sql("x", "%d/%m/%Y %H:%M"), "31/01/2012 10:30")
    assert instant(found) == dt.datetime(2012, 1, 31, 10, 30)


def test_numbers_of_days_are_read_to_the_second(read):
    assert instant(read(dates_sql("x", EXCEL), "40939")) == dt.datetime(2012, 1, 31)
    day_and_time = read(dates_sql("x", EXCEL), "40939.43756944444")
    assert instant(day_and_time) == dt.datetime(2012, 1, 31, 10, 30, 6)
    assert read(dates_sql("x", EXCEL), "0") is None
    assert read(dates_sql("x", EXCEL), "1e300") is None


def test_day_and_month_can_be_exchanged():
    assert other_order("%d/%m/%Y") == "%m/%d/%Y"
    assert other_order("%m-%d-%y") == "%d-%m-%y"
    assert other_order("%d %b %Y") is None
    assert other_order("%Y.%m.%d") is None


def test_a_format_has_an_example():
    assert [date_in(f) for f in (None, "%d.%m.%Y", EXCEL)] == ["2012-01-31", "31.01.2012", "40939"]


@pytest.mark.parametrize(
    ("text", "point", "comma"),
    [
        ("$1,234", 1234, 1.234),
        ("$1,234.56", 1234.56, None),
        ("1.234,5 €", None, 1234.5),
        ("€ 1.234", 1.234, 1234),
        ("1 234,50 €", None, 1234.5),
        ("1\u202f234 €", None, 1234),
        ("1'234.50 CHF", 1234.5, None),
        ("45%", 0.45, 0.45),
        ("0,5 %", None, 0.005),
        ("-$5", -5, -5),
        ("$-5", -5, -5),
        ("(1,234)", -1234, -1.234),
        ("($5.20)", -5.2, None),
    ],
)
def test_an_amount_is_read_without_its_unit(read, text, point, comma):
    assert may_be_amount(text)
    assert read(amounts_sql("x", POINT), text) == point
    assert read(amounts_sql("x", COMMA), text) == comma


@pytest.mark.parametrize("text", ["", "$", "%", "12 kg", "1,2,3", "--5", "-$-5", "(5", "$5 off"])
def test_other_texts_are_not_amounts(read, text):
    assert not may_be_amount(text)
    assert read(amounts_sql("x", POINT), text) is None


@pytest.mark.parametrize("text", ["1" * 200_000 + "-", "1/" * 100_000, "$" + "1,234" * 40_000])
def test_long_texts_take_linear_time(read, text):
    start = time.perf_counter()
    assert not formats_of_day(text)
    assert not may_be_amount(text)
    assert not read(is_day("x", "%d/%m/%Y"), text)
    assert not read(is_amount("x", POINT), text)
    assert read(dates_sql("x", "%d/%m/%Y"), text) is None
    assert time.perf_counter() - start < 2

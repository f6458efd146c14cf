import datetime as dt
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from modlearn._tables.memory.table import keep_mask, objects_of, read_table, vector
from modlearn.errors import ColumnError

MOMENT = dt.datetime(2020, 1, 5, 12, 30, 0, 250000)
MICROSECONDS = 1_578_227_400_250_000


def numeric(X):
    return read_table(X).numeric(0)


def categorical(X):
    return read_table(X).categorical(0)


def kind(X):
    (column,) = read_table(X).columns()
    return column.kind


def assert_floats(column, expected):
    assert column.values.dtype == np.float64
    assert column.values.flags.c_contiguous
    np.testing.assert_array_equal(column.values, expected)


def assert_categories(column, codes, categories):
    assert column.codes.dtype == np.int32
    assert column.codes.tolist() == codes
    assert column.categories == categories
    assert list(map(type, column.categories)) == list(map(type, categories))


# numbers


@pytest.mark.parametrize("values", [[3, 1, None], [1.5, -0.5, None]])
def test_null_numbers_are_nan(frame, values):
    expected = [np.nan if value is None else value for value in values]
    assert_floats(numeric(frame({"a": values})), expected)


@pytest.mark.parametrize(
    "X",
    [
        pl.DataFrame({"a": [1.0, float("nan"), None]}),
        pa.table({"a": pa.array([1.0, float("nan"), None])}),
        pd.DataFrame({"a": pd.array([1.0, np.nan, pd.NA], dtype="Float64")}),
        np.ma.array([[1.0], [5.0], [np.nan]], mask=[[False], [True], [False]]),
    ],
    ids=["polars", "arrow", "pandas", "masked array"],
)
def test_null_and_nan_are_both_missing(X):
    assert_floats(numeric(X), [1, np.nan, np.nan])


def test_infinities_are_kept():
    assert_floats(numeric(np.array([[np.inf], [-np.inf]])), [np.inf, -np.inf])


@pytest.mark.parametrize("dtype", ["i1", "u8", "f2", "f4", ">f8", "?"])
def test_every_width_of_number_becomes_float64(dtype):
    assert_floats(numeric(np.array([[1], [0]], dtype=dtype)), [1, 0])


@pytest.mark.parametrize("wrap", [np.atleast_2d, pd.DataFrame, pl.DataFrame, pa.table])
def test_contiguous_float64_is_not_copied(wrap):
    values = np.arange(4.0)
    X = np.atleast_2d(values).T if wrap is np.atleast_2d else wrap({"a": values})
    first, second = numeric(X).values, numeric(X).values
    assert np.shares_memory(first, second)


def test_the_users_array_is_not_written_to():
    X = np.ma.array([[1.0], [5.0]], mask=[[False], [True]])
    numeric(X)
    assert X.data.tolist() == [[1.0], [5.0]]


@pytest.mark.parametrize(
    "X",
    [
        pl.DataFrame({"a": [Decimal("1.5"), None]}),
        pa.table({"a": [Decimal("1.5"), None]}),
        pd.DataFrame({"a": pd.Series([Decimal("1.5"), None], dtype=object)}),
        pl.DataFrame({"a": pl.Series([Decimal("1.5"), None], dtype=pl.Decimal(4, 2))}),
    ],
    ids=["polars", "arrow", "pandas", "polars scale"],
)
def test_decimals_are_numbers(X):
    assert_floats(numeric(X), [1.5, np.nan])


def test_integers_of_128_bits_are_numbers():
    assert_floats(numeric(pl.DataFrame({"a": pl.Series([7, None], dtype=pl.Int128)})), [7, np.nan])


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame({"a": [None, None]}, dtype=object),
        pl.DataFrame({"a": [None, None]}),
        pa.table({"a": pa.nulls(2)}),
        np.array([[None], [np.nan]], dtype=object),
    ],
    ids=["pandas", "polars", "arrow", "numpy"],
)
def test_a_column_of_nothing_is_numeric(X):
    assert kind(X) == "numeric"
    assert_floats(numeric(X), [np.nan, np.nan])
    assert_categories(categorical(X), [-1, -1], ())


def test_sparse_pandas_columns_are_numbers():
    X = pd.DataFrame({"a": pd.arrays.SparseArray([0.0, 1.0, np.nan])})
    assert_floats(numeric(X), [0, 1, np.nan])


def test_categories_that_are_numbers_can_be_read_as_numbers():
    assert_floats(numeric(pd.DataFrame({"a": pd.Categorical([3, None, 1])})), [3, np.nan, 1])


# dates and durations


@pytest.mark.parametrize("unit", ["ms", "us", "ns"])
def test_dates_are_microseconds_since_1970(unit):
    X = pl.DataFrame({"a": pl.Series([MOMENT, None], dtype=pl.Datetime(unit))})
    for native in (X, X.to_pandas(), X.to_arrow(), X["a"].to_numpy()[:, None]):
        column = numeric(native)
        assert column.kind == "datetime"
        assert_floats(column, [MICROSECONDS, np.nan])


def test_a_time_zone_is_turned_into_utc():
    dtype = pl.Datetime("us", "Asia/Tokyo")
    X = pl.DataFrame({"a": pl.Series([MOMENT.replace(tzinfo=dt.UTC), None], dtype=dtype)})
    for native in (X, X.to_pandas(), X.to_arrow()):
        assert_floats(numeric(native), [MICROSECONDS, np.nan])


def test_days_are_dates():
    X = pl.DataFrame({"a": [dt.date(1969, 12, 31), None]})
    for native in (X, X.to_pandas(), X.to_arrow()):
        column = numeric(native)
        assert column.kind == "datetime"
        assert_floats(column, [-86_400_000_000, np.nan])


def test_durations_are_microseconds(frame):
    column = numeric(frame({"a": [dt.timedelta(minutes=-1), None]}))
    assert column.kind == "duration"
    assert_floats(column, [-60_000_000, np.nan])


@pytest.mark.parametrize("wrap", [pl.DataFrame, pa.table, pd.DataFrame])
def test_a_time_of_day_is_a_duration(wrap):
    X = wrap({"a": [dt.time(0, 1), None]})
    assert kind(X) == "duration"
    assert_floats(numeric(X), [60_000_000, np.nan])
    assert_categories(categorical(X), [0, -1], ("00:01:00",))


def test_dates_become_iso_text_as_categories(frame):
    moments = [MOMENT, None, dt.datetime(2020, 1, 5), MOMENT.replace(microsecond=0)]
    texts = ("2020-01-05", "2020-01-05T12:30:00", "2020-01-05T12:30:00.250000")
    assert_categories(categorical(frame({"a": moments})), [2, -1, 0, 1], texts)


def test_dates_within_a_microsecond_are_different_categories():
    X = np.array([[1], [1_000], [0]], dtype="M8[ns]")
    times = ("1970-01-01", "1970-01-01T00:00:00.000000001", "1970-01-01T00:00:00.000001")
    assert_categories(categorical(X), [1, 2, 0], times)


def test_durations_become_clock_text_as_categories():
    X = np.array([[-1_500_000], [90_061_000_000]], dtype="m8[us]")
    assert_categories(categorical(X), [0, 1], ("-00:00:01.500000", "25:01:01"))


# text


def test_text_is_refused_as_numbers_with_an_example(frame):
    message = r"Column 'a' holds text, row 1 is 'Rome', where numbers are needed: convert.*or fit"
    with pytest.raises(ColumnError, match=message):
        numeric(frame({"a": [None, "Rome", "Oslo"]}))


def test_text_becomes_sorted_categories(frame):
    X = frame({"a": ["b", None, "", "é", "a", "Z", "b"]})
    assert_categories(categorical(X), [3, -1, 0, 4, 2, 1, 3], ("", "Z", "a", "b", "é"))


@pytest.mark.parametrize(
    "X",
    [
        np.array([["b"], ["a"]]),
        np.array([["b"], ["a"]], dtype=object),
        np.array([["b"], ["a"]], dtype=np.dtypes.StringDType()),
        np.array([[np.str_("b")], ["a"]], dtype=object),
        pd.DataFrame({"a": pd.Series(["b", "a"], dtype=object)}),
        pd.DataFrame({"a": pd.Series(["b", "a"], dtype="category")}),
        pd.DataFrame({"a": pd.Series(["b", "a"], dtype="string")}),
        pl.DataFrame({"a": pl.Series(["b", "a"], dtype=pl.Categorical)}),
        pl.DataFrame({"a": pl.Series(["b", "a"], dtype=pl.Enum(["c", "b", "a"]))}),
        pa.table({"a": pa.array(["b", "a"]).dictionary_encode()}),
        pa.table({"a": pa.array(["b", "a"], pa.large_string())}),
        pa.table({"a": pa.array(["b", "a"], pa.string_view())}),
        pa.table({"a": pa.chunked_array([["b"], ["a"]])}),
    ],
    ids=str,
)
def test_every_container_of_text_gives_the_same_categories(X):
    assert kind(X) == "text"
    assert_categories(categorical(X), [1, 0], ("a", "b"))


def test_masked_text_is_missing():
    X = np.ma.array([["a"], ["b"]], mask=[[False], [True]])
    assert_categories(categorical(X), [0, -1], ("a",))


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, pd.NaT])
def test_every_missing_value_among_text_is_missing(missing):
    X = np.array([["a"], [missing], ["nan"]], dtype=object)
    assert_categories(categorical(X), [0, -1, 1], ("a", "nan"))


def test_arrow_dictionaries_of_several_chunks_are_unified():
    chunks = [pa.array(c).dictionary_encode() for c in (["b", None], ["a", "b"])]
    X = pa.table({"a": pa.chunked_array(chunks)})
    assert_categories(categorical(X), [1, -1, 0, 1], ("a", "b"))


def test_a_null_inside_an_arrow_dictionary_is_missing():
    codes = pa.DictionaryArray.from_arrays(pa.array([0, 1], pa.uint8()), pa.array(["a", None]))
    assert_categories(categorical(pa.table({"a": codes})), [0, -1], ("a",))


def test_categories_without_rows_are_dropped():
    X = pd.DataFrame({"a": pd.Categorical(["c", "a"], categories=["c", "b", "a"])})
    assert_categories(categorical(X), [1, 0], ("a", "c"))


def test_intervals_of_pandas_become_text():
    X = pd.DataFrame({"a": pd.cut([1, 5], [0, 2, 6])})
    assert_categories(categorical(X), [0, 1], ("(0, 2]", "(2, 6]"))


def test_dates_that_are_categories_become_iso_text():
    dates = pd.DatetimeIndex(["2020-01-05T00:00", "2020-01-05T12:30"])
    X = pd.DataFrame({"a": pd.Categorical(dates)})
    assert_categories(categorical(X), [0, 1], ("2020-01-05", "2020-01-05T12:30:00"))


def test_categories_of_several_types_are_sorted_by_type_name():
    X = pd.DataFrame({"a": pd.Categorical(["b", 10, 2, "a"])})
    assert_categories(categorical(X), [3, 1, 0, 2], (2, 10, "a", "b"))


def test_bytes_are_to_be_decoded():
    with pytest.raises(TypeError, match=r"Column 'x0' row 0 holds b'a'.*not 'bytes'"):
        categorical(np.array([[b"a"]]))


# numbers as categories


def test_integers_become_categories_of_int(frame):
    X = frame({"a": [10, 2, 10]})
    assert_categories(categorical(X), [1, 0, 1], (2, 10))


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame({"a": pd.array([2**60 + 1, None, 2**60], dtype="Int64")}),
        pl.DataFrame({"a": [2**60 + 1, None, 2**60]}),
        pa.table({"a": [2**60 + 1, None, 2**60]}),
        np.array([[2**60 + 1], [None], [2**60]], dtype=object),
    ],
    ids=["pandas", "polars", "arrow", "numpy"],
)
def test_long_integers_beside_a_null_keep_their_digits(X):
    assert_categories(categorical(X), [1, -1, 0], (2**60, 2**60 + 1))


def test_floats_become_categories_of_float():
    X = np.array([[2.5], [np.nan], [-np.inf], [-0.0], [0.0]])
    assert_categories(categorical(X), [2, -1, 0, 1, 1], (-np.inf, 0.0, 2.5))
    assert np.signbit(categorical(X).categories[1]) == np.False_


def test_the_longest_floats_become_categories_of_float():
    assert_categories(categorical(np.array([[1.5]], dtype=np.longdouble)), [0], (1.5,))


def test_booleans_become_categories_of_bool(frame):
    assert_categories(categorical(frame({"a": [True, None, False]})), [1, -1, 0], (False, True))


# whatever the kind


@given(st.lists(st.one_of(st.none(), st.text(max_size=2)), min_size=1), st.randoms())
def test_categories_do_not_depend_on_the_order_of_the_rows(values, random):
    shuffled = random.sample(values, len(values))
    one, other = (categorical([[v] for v in rows]) for rows in (values, shuffled))
    assert one.categories == other.categories


@given(st.lists(st.one_of(st.none(), st.text(max_size=2)), min_size=1))
def test_codes_lead_back_to_the_values(values):
    X = pl.DataFrame({"a": pl.Series(values, dtype=pl.String)})
    column = categorical(X)
    decoded = [None if code < 0 else column.categories[code] for code in column.codes]
    assert decoded == values


@pytest.mark.parametrize(
    "X",
    [pl.DataFrame({"a": [[1, 2]]}), pa.table({"a": [{"b": 1}]})],
    ids=["list", "struct"],
)
@pytest.mark.parametrize("read", [numeric, categorical])
def test_nested_columns_are_refused(X, read):
    with pytest.raises(ColumnError, match=r"Column 'a' is nested.*split it.*or drop it"):
        read(X)
    assert kind(X) == "nested"


# one column alone


def test_a_list_keeps_the_type_of_each_value():
    assert vector([1, "a"], "y", warn=True).tolist() == [1, "a"]


def test_the_only_column_of_a_frame_is_taken(frame):
    assert vector(frame({"y": [1, 2]}), "y", warn=True).to_list() == [1, 2]


def test_a_frame_of_two_columns_is_refused(frame):
    with pytest.raises(ValueError, match=r"y should be a 1d array, got a frame of shape \(1, 2\)"):
        vector(frame({"a": [1], "b": [2]}), "y", warn=True)


def test_integers_of_a_pandas_array_stay_integers():
    assert vector(pd.array([1, 2]), "y", warn=True).dtype.kind == "i"


def test_the_mask_of_a_column_vector_is_flattened():
    masked = np.ma.array([[1], [2]], mask=[[False], [True]])
    assert keep_mask(np.array([1, 2]), masked).mask.tolist() == [False, True]


def test_only_columns_of_objects_have_objects():
    assert objects_of(np.array([1])) is None
    assert objects_of(vector(pl.Series(["a"]), "y", warn=True)) is None
    untyped = vector(pd.Series(["a"], dtype=object), "y", warn=True)
    assert objects_of(untyped).tolist() == ["a"]

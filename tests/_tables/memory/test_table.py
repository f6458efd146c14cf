import datetime as dt
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.utils.estimator_checks import _NotAnArray

from modlearn._tables.cells import Cells, CodedCells
from modlearn._tables.memory.table import Table, keep_mask, objects_of, read_table, vector
from modlearn.errors import ColumnError
from modlearn.schema import Kind

MOMENT = dt.datetime(2020, 1, 5, 12, 30, 0, 250000)
MICROSECONDS = 1_578_227_400_250_000


def kinds_of(table):
    return [column.kind for column in table.columns()]


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


def test_names_and_rows_are_those_of_the_frame(frame):
    table = read_table(frame({"age": [1, 2, 3], "city": ["a", "b", "c"]}))
    assert (table.names, table.n_rows) == (["age", "city"], 3)


def test_columns_of_an_array_are_named_by_their_position():
    assert read_table(np.zeros((4, 3))).names == ["x0", "x1", "x2"]


def test_kinds_of_a_frame_are_those_of_its_types(frame):
    moment, span = np.datetime64("2020-01-05T12:30", "us"), np.timedelta64(90, "s")
    data = {
        "int": [1, 2],
        "float": [1.5, 2.5],
        "bool": [True, False],
        "text": ["a", "b"],
        "when": [moment.item(), None],
        "span": [span.item(), None],
    }
    kinds = ["numeric", "numeric", "boolean", "text", "datetime", "duration"]
    columns = read_table(frame(data)).columns()
    assert [column.name for column in columns] == list(data)
    assert [column.kind for column in columns] == kinds
    assert [column.ordered for column in columns] == [True, True, False, False, True, True]


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (np.zeros((2, 1), dtype="i2"), "numeric"),
        (np.zeros((2, 1), dtype="u8"), "numeric"),
        (np.zeros((2, 1), dtype="f4"), "numeric"),
        (np.zeros((2, 1), dtype="?"), "boolean"),
        (np.zeros((2, 1), dtype="M8[D]"), "datetime"),
        (np.zeros((2, 1), dtype="m8[s]"), "duration"),
        (np.array([["a"], ["b"]]), "text"),
        (np.array([["a"], [None]], dtype=object), "text"),
        (np.array([[1], [None]], dtype=object), "numeric"),
    ],
)
def test_kinds_of_an_array_are_those_of_its_type(values, kind):
    assert kinds_of(read_table(values)) == [kind]


def test_each_column_of_an_object_array_has_its_own_kind():
    X = np.array([[1, "a", True], [2.5, "b", False]], dtype=object)
    assert kinds_of(read_table(X)) == ["numeric", "text", "boolean"]


def test_a_list_of_rows_keeps_the_type_of_each_column():
    table = read_table([[1, "a"], [2, "b"]])
    assert kinds_of(table) == ["numeric", "text"]
    assert table.categorical(0).categories == (1, 2)


def test_columns_of_one_type_in_a_list_of_rows_are_not_mixed_up():
    assert read_table([[1, 2.5], [2, 3.5]]).categorical(0).categories == (1, 2)


def test_whatever_becomes_an_array_is_read_as_one():
    assert read_table(_NotAnArray([[1.0], [2.0]])).numeric(0).values.tolist() == [1, 2]


def test_an_arrow_batch_keeps_its_names():
    assert read_table(pa.record_batch({"a": [1]})).names == ["a"]


def test_names_need_not_be_text():
    columns = pd.MultiIndex.from_tuples([("a", 1), ("a", 2)])
    table = read_table(pd.DataFrame([[1, 2]], columns=columns))
    assert table.names == [("a", 1), ("a", 2)]
    assert table.numeric(1).values.tolist() == [2]


def test_integer_names_are_kept():
    table = read_table(pd.DataFrame([[1, 2]], columns=[7, 3]))
    assert table.names == [7, 3]
    assert table.numeric(0).name == 7


def test_columns_can_be_read_by_threads():
    X = pl.DataFrame({f"c{i}": [str(j % (i + 1)) for j in range(1000)] for i in range(20)})
    table = read_table(X)
    with ThreadPoolExecutor(4) as pool:
        sizes = [len(column.categories) for column in pool.map(table.categorical, range(20))]
    assert sizes == list(range(1, 21))


def test_users_of_arrays_do_not_import_narwhals_here():
    code = (
        "import sys, numpy as np; from modlearn._tables.memory.table import read_table;"
        "read_table(np.ones((2, 1))).numeric(0);"
        "print('modlearn._tables.memory.series' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "False"


@pytest.mark.parametrize(
    "X",
    [
        pd.DataFrame([[1, 2]], columns=["a", "a"]),
        pa.table([pa.array([1]), pa.array([2])], names=["a", "a"]),
    ],
    ids=["pandas", "arrow"],
)
def test_duplicate_names_are_named(X):
    with pytest.raises(ColumnError, match=r"Column 'a' occurs 2 times.*Rename or drop"):
        read_table(X)


def test_a_lazy_frame_is_to_be_collected():
    with pytest.raises(TypeError, match=r"X is a lazy frame.*call \.collect\(\)"):
        read_table(pl.LazyFrame({"a": [1]}))


@pytest.mark.parametrize("container", [sparse.csr_array, sparse.csr_matrix, sparse.coo_array])
def test_sparse_matrices_are_to_be_made_dense(container):
    with pytest.raises(TypeError, match=r"[Ss]parse.*toarray\(\)"):
        read_table(container(np.eye(3)))


@pytest.mark.parametrize("X", [np.arange(3.0), [1, 2, 3], ["ab", "c"], np.array(["a"])])
def test_one_dimension_is_too_few(X):
    with pytest.raises(ValueError, match=r"(?s)Expected 2D array, got 1D array.*Reshape your data"):
        read_table(X)


@pytest.mark.parametrize(
    "X", [pd.Series([1], name="s"), pl.Series("s", [1])], ids=["pandas", "polars"]
)
def test_a_series_is_to_be_made_a_frame(X):
    message = r"Expected 2D array, got 1D.*'s'.*Reshape your data.*to_frame.*iloc\[\[0\]\]"
    with pytest.raises(ValueError, match=message):
        read_table(X)


def test_three_dimensions_are_too_many():
    with pytest.raises(ValueError, match="Found array with dim 3"):
        read_table(np.zeros((2, 2, 2)))


@pytest.mark.parametrize(
    "X",
    [np.empty((0, 3)), pd.DataFrame(columns=list("abc")), pl.DataFrame(schema=list("abc"))],
    ids=["numpy", "pandas", "polars"],
)
def test_a_table_without_rows_is_refused(X):
    message = r"Found array with 0 sample\(s\) \(shape=\(0, 3\)\) while a minimum of 1 is required."
    with pytest.raises(ValueError, match=message):
        read_table(X)


@pytest.mark.parametrize(
    "X", [np.empty((5, 0)), pd.DataFrame(index=range(5))], ids=["numpy", "pandas"]
)
def test_a_table_without_columns_is_refused(X):
    message = r"0 feature\(s\) \(shape=\(5, 0\)\) while a minimum of 1 is required."
    with pytest.raises(ValueError, match=message):
        read_table(X)


def test_complex_arrays_are_refused():
    with pytest.raises(ValueError, match="Complex data not supported"):
        read_table(np.array([[1 + 2j]]))


def test_rows_of_different_lengths_are_named():
    with pytest.raises(ValueError, match="Row 2 of X has 1 values but row 0 has 2"):
        read_table([[1, 2], [3, 4], [5]])


# cells that were read before


@pytest.fixture
def typed():
    numbers = Cells(np.array([1, 2, 3]), np.array([False, True, False]))
    return Table(["n", "t"], 3, [numbers, CodedCells(np.array([1, -1, 0]), ["b", "a"])])


def test_a_table_of_cells_is_read_as_it_is(typed):
    table = read_table(typed)
    assert (kinds_of(table), table.shape) == (["numeric", "text"], (3, 2))
    assert table.numeric(0).values.tolist()[::2] == [1, 3]
    assert table.categorical(0).categories == (1, 3)
    assert (table.categorical(1).categories, table.categorical(1).codes.tolist()) == (
        ("a", "b"),
        [0, -1, 1],
    )


def test_categories_that_are_numbers_are_not_ordered():
    (column,) = Table(["n"], 2, [CodedCells(np.array([1, 0]), [3, 4])]).columns()
    assert (column.kind, column.ordered) == (Kind.NUMERIC, False)


def test_a_column_of_lists_is_nested():
    columns = read_table(pl.DataFrame({"a": [[1], [2]], "b": [1, 2]})).columns()
    assert [column.kind for column in columns] == [Kind.NESTED, Kind.NUMERIC]


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
    message = (
        r"Column 'a' holds text \(row 1 is 'Rome'\), but numbers are needed: convert it "
        r"\(for example with pandas.to_numeric\)\.$"
    )
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
def test_long_integers_next_to_a_null_keep_their_digits(X):
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
    with pytest.raises(ColumnError, match=r"Column 'a' is nested.*Split it.*or drop it"):
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

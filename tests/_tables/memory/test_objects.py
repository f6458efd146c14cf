import datetime as dt
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pytest

from modlearn._tables.cells import floats
from modlearn._tables.memory.objects import object_cells, object_kind
from modlearn._tables.memory.table import read_table
from modlearn.errors import ColumnError, NestedColumnError


def objects(*values):
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        ((1, np.int8(2), 2.5, np.float32(1), Decimal("1"), Fraction(1, 2), None), "numeric"),
        ((True, 2, None), "numeric"),
        ((True, np.False_, None), "boolean"),
        (("a", np.str_("b"), pd.NA), "text"),
        ((dt.date(2020, 1, 1), dt.datetime(2020, 1, 1), pd.Timestamp(0), pd.NaT), "datetime"),
        ((np.datetime64("2020"), np.datetime64("NaT")), "datetime"),
        ((dt.timedelta(1), np.timedelta64(1, "s"), pd.Timedelta(1)), "duration"),
        ((dt.time(1), None), "duration"),
        ((None, np.nan, pd.NA, pd.NaT), "numeric"),
    ],
)
def test_a_column_has_the_kind_of_all_its_cells(values, kind):
    assert object_kind(objects(*values), "Column 'a'") == kind


def test_numbers_of_every_type_become_floats():
    cells = object_cells(objects(1, Decimal("2.5"), Fraction(1, 2), None, True), "Column 'a'")
    np.testing.assert_array_equal(floats(cells), [1, 2.5, 0.5, np.nan, 1])


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, pd.NaT, Decimal("NaN")])
def test_every_missing_value_among_numbers_is_nan(missing):
    cells = object_cells(objects(1, missing), "Column 'a'")
    np.testing.assert_array_equal(floats(cells), [1, np.nan])


def test_integers_stay_integers():
    assert object_cells(objects(1, np.uint8(2)), "Column 'a'").values.dtype == np.int64


def test_integers_beyond_64_bits_become_floats():
    assert floats(object_cells(objects(2**70, 1), "Column 'a'")).tolist() == [2.0**70, 1]


def test_dates_with_a_zone_are_turned_into_utc():
    zone = dt.timezone(dt.timedelta(hours=1))
    values = objects(dt.datetime(1970, 1, 1, 1, tzinfo=zone), dt.date(1970, 1, 2), None)
    cells = object_cells(values, "Column 'a'")
    np.testing.assert_array_equal(floats(cells), [0, 86_400_000_000, np.nan])


def test_times_of_day_are_counted_from_midnight():
    cells = object_cells(objects(dt.time(0, 0, 1, 5), dt.timedelta(0)), "Column 'a'")
    assert floats(cells).tolist() == [1_000_005, 0]


@pytest.mark.parametrize("values", [(1, None, "x"), ("x", np.nan, 1)])
def test_a_mixture_names_a_row_of_each_type_and_both_remedies(values):
    i, j = values.index(1), values.index("x")
    message = rf"mixes numbers and text: row {i} holds 1 and row {j} holds 'x'.*to_numeric.*astype"
    with pytest.raises(ColumnError, match=rf"Column 'a' {message}"):
        object_kind(objects(*values), "Column 'a'")


def test_text_after_a_hundred_numbers_is_found_in_pandas():
    X = pd.DataFrame({"a": pd.Series(["x"] * 200 + [1], dtype=object)})
    with pytest.raises(ColumnError, match="row 200 holds 1 and row 0 holds 'x'"):
        read_table(X).columns()


@pytest.mark.parametrize("cell", [{"foo": "bar"}, [1], b"a", object])
def test_other_objects_are_refused_in_the_words_scikit_learn_expects(cell):
    with pytest.raises(TypeError, match=r"Column 'a' row 1 .*argument must be .* string.* number"):
        object_cells(objects(1, cell), "Column 'a'")


def test_objects_of_polars_are_inspected():
    X = pl.DataFrame({"a": pl.Series([{1}, {2}], dtype=pl.Object)})
    with pytest.raises(TypeError, match=r"Column 'a' row 0 holds \{1\}"):
        read_table(X).numeric(0)


@pytest.mark.parametrize("cell", [[1], (1, 2), {"a": 1}, np.zeros(2)], ids=str)
def test_cells_of_several_values_make_a_column_nested(cell):
    with pytest.raises(NestedColumnError, match="Column 'a' row 1 holds"):
        object_kind(objects("text", cell), "Column 'a'")


def test_complex_cells_are_refused():
    with pytest.raises(ValueError, match="Complex data not supported: Column 'a' row 1"):
        object_cells(objects(1, 2j), "Column 'a'")


@pytest.mark.parametrize("values", [(1, 10**400), (None, -(10**400), 1.5)])
def test_a_number_beyond_all_floats_is_named(values):
    with pytest.raises(ColumnError, match=r"^Column 'x' row 1 holds a number beyond 1\.7e308"):
        object_cells(objects(*values), "Column 'x'")

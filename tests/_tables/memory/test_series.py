import narwhals.stable.v2 as nw
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from modlearn._tables.memory import series as module
from modlearn._tables.memory.series import (
    is_frame,
    is_series,
    is_untyped,
    series_cells,
    series_kind,
    wrap,
)
from modlearn._tables.memory.table import numeric_column
from modlearn.errors import NestedColumnError
from modlearn.schema import Kind


def wrapped(native):
    return nw.from_native(native, series_only=True)


def test_what_is_not_a_frame_is_returned_as_it_is():
    data = object()
    assert wrap(data, "X") is data


def test_frames_and_series_are_told_apart():
    frame = wrap(pl.DataFrame({"a": [1]}), "X")
    assert is_frame(frame)
    assert not is_series(frame)
    assert is_series(wrap(pl.Series([1]), "X"))


@pytest.mark.parametrize(
    "native", [pd.Series(["a"], dtype=object), pl.Series([{1}], dtype=pl.Object)]
)
def test_columns_of_objects_are_untyped(native):
    assert is_untyped(wrapped(native))


def test_columns_of_text_are_typed(frame):
    table = frame({"a": ["x"]})
    if isinstance(table, pd.DataFrame):
        table = table.astype("string")  # before pandas 3, text is stored as objects by default
    assert not is_untyped(next(wrap(table, "X").iter_columns()))


def test_an_engine_without_an_encoder_is_read_value_by_value(monkeypatch):
    monkeypatch.setattr(module, "ENCODERS", {})
    cells = series_cells(wrapped(pl.Series(["b", None, "b"])), "Column 'a'")
    assert cells.codes.tolist() == [0, -1, 0]
    assert cells.values == ["b"]


def test_nullable_integers_without_nulls_have_no_mask(frame):
    cells = series_cells(next(wrap(frame({"a": [1, 2]}), "X").iter_columns()), "Column 'a'")
    assert cells.missing is None
    assert cells.values.dtype == np.int64


@pytest.mark.skipif(not hasattr(pl, "BaseExtension"), reason="Polars has no extension types yet")
def test_an_extension_type_is_read_as_what_it_stores_unless_that_is_nested():
    def extended(values):
        stored = pl.Series("x", values)
        return wrapped(stored.ext.to(pl.Extension("modlearn.test", stored.dtype, None)))

    assert series_cells(extended([1, 2]), "Column 'x'").values.tolist() == [1, 2]
    with pytest.raises(NestedColumnError, match=r"^Column 'x' is nested \(Unknown\)"):
        series_cells(extended([{"a": 1, "b": 2}]), "Column 'x'")


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([None, None], dtype=object),
        pd.Series([None, None], dtype="string"),
        pl.Series([None, None], dtype=pl.String),
        pl.Series([None, None]),
        pa.chunked_array([pa.array([None, None], pa.string())]),
    ],
    ids=["objects", "pandas", "polars", "null", "arrow"],
)
def test_a_column_without_values_is_numeric_in_every_library(column):
    wrapped = wrap(column, "y")
    assert series_kind(wrapped, "y") is Kind.NUMERIC
    assert numeric_column(wrapped, "y").values.tolist() == pytest.approx([np.nan] * 2, nan_ok=True)


def test_a_column_that_begins_without_values_is_text():
    assert series_kind(wrap(pl.Series([None, "x"]), "y"), "y") is Kind.TEXT

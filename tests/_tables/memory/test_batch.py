import numpy as np
import pandas as pd
import pytest

from modlearn._tables.memory.rows import TableBatch
from modlearn._tables.memory.table import read_table
from modlearn.errors import ColumnError
from modlearn.schema import Kind


@pytest.fixture
def table():
    days = pd.to_datetime(["2020-01-01", None, "2020-01-03"])
    return read_table(pd.DataFrame({"x": [1, 2, 3], "c": ["b", None, "a"], "day": days}))


def test_columns_are_read_by_name(table):
    batch = TableBatch(table)
    assert batch.n_rows == 3
    assert batch.numeric("x").tolist() == [1.0, 2.0, 3.0]
    codes, categories = batch.categorical("c")
    assert (codes.tolist(), categories) == ([1, -1, 0], ("a", "b"))


def test_columns_can_have_the_names_of_a_model(table):
    batch = TableBatch(table, [0, 1, 2])
    assert batch.numeric(0).tolist() == [1.0, 2.0, 3.0]


def test_the_kind_of_a_column_is_known_before_and_after_it_is_read(table):
    batch = TableBatch(table)
    assert batch.kind("day") == Kind.DATETIME
    assert np.isnan(batch.numeric("day")).tolist() == [False, True, False]
    assert (batch.kind("x"), batch.kind("day")) == (Kind.NUMERIC, Kind.DATETIME)


def test_text_is_not_read_as_numbers(table):
    with pytest.raises(ColumnError, match="Column 'c' holds text"):
        TableBatch(table).numeric("c")

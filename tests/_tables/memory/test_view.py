"""Views: the rows and columns they say, read as the table itself would."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from modlearn._tables.memory.table import read_table
from modlearn._tables.memory.view import view

TABLE = pd.DataFrame({"x": [3.0, np.nan, 1.0, 2.0], "c": ["b", "a", None, "b"], "n": [1, 2, 1, 2]})


@pytest.fixture
def whole():
    table = read_table(TABLE)
    return view(table, [0, 1, 2], ["numeric", "categorical", "categorical"])


def test_a_view_of_all_rows_is_the_table(whole):
    np.testing.assert_array_equal(whole.numeric(0).values, TABLE["x"])
    assert whole.categorical(1).categories == ("a", "b")
    assert whole.n_rows == 4


def test_a_number_can_be_said_to_be_a_category(whole):
    assert whole.kinds() == ["numeric", "categorical", "categorical"]
    assert whole.categorical(2).categories == (1, 2)


@given(st.lists(st.integers(0, 3), min_size=1), st.data())
def test_rows_of_rows_are_those_of_the_table(rows, data):
    whole = view(read_table(TABLE), [0, 1], ["numeric", "categorical"])
    some = np.array(rows, dtype=np.intp)
    again = np.array(data.draw(st.lists(st.integers(0, len(rows) - 1), min_size=1)), dtype=np.intp)
    for part in (whole.at_rows(some).at_rows(again), whole.at_rows(some).kept().at_rows(again)):
        assert part.n_rows == len(again)
        np.testing.assert_array_equal(part.numeric(0).values, TABLE["x"].to_numpy()[some[again]])
        codes = whole.categorical(1).codes[some[again]]
        np.testing.assert_array_equal(part.categorical(1).codes, codes)


def test_columns_keep_their_names_and_kinds(whole):
    part = whole.at_columns([2, 0])
    assert (part.names, part.kinds()) == (["n", "x"], ["categorical", "numeric"])
    np.testing.assert_array_equal(part.numeric(1).values, TABLE["x"])


def test_a_kept_view_reads_a_column_once(whole):
    kept = whole.at_rows(np.array([0, 2])).kept()
    assert kept.numeric(0) is kept.numeric(0)
    assert kept.categorical(1) is kept.categorical(1)

"""Columns: which are left out and why, and what is seen at first sight."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from modlearn._jobs.columns import (
    asked_for,
    choose_columns,
    look_at_categories,
    look_at_numbers,
    refuse_none_left,
)

from modlearn._jobs import columns
from modlearn._model.evaluation import LeftOut
from modlearn._parallel import no_progress
from modlearn._tables.memory.table import read_table
from modlearn.errors import ColumnError


def choose(frame, as_categorical=(), progress=no_progress):
    return choose_columns(read_table(frame), as_categorical, 1, progress)


def test_the_target_is_no_column():
    assert asked_for(["a", "y", "b"], 1, (), ()) == ({}, [0, 2])


def test_dropped_columns_are_left_out():
    assert asked_for(["a", "y", "b"], 1, "b", ()) == ({2: "dropped"}, [0])


def test_only_the_columns_asked_for_are_looked_at():
    left_out, rest = asked_for(["a", "y", "b", "c"], 1, "a", ["a", "b", "y"])
    assert left_out == {0: "dropped", 3: "not_selected"}
    assert rest == [2]


@pytest.mark.parametrize("option", ["drop", "only"])
def test_an_unknown_name_is_refused(option):
    with pytest.raises(ColumnError, match=f"{option} names the column 'amuont'.* 'amount'"):
        asked_for(["amount", "y"], 1, **{"drop": (), "only": (), option: ["amuont"]})


def test_columns_of_which_nothing_can_be_learnt_are_left_out():
    frame = pd.DataFrame(
        {
            "x": [1.0, 2.0, 3.0, 3.0],
            "same": [1, 1, 1, 1],
            "text": ["a", "a", "a", "a"],
            "empty": [np.nan] * 4,
            "id": ["p", "q", "r", "s"],
        }
    )
    chosen = choose(frame)
    assert chosen.table.names == ["x"]
    assert chosen.left_out == {
        "same": "constant",
        "text": "constant",
        "empty": "all_missing",
        "id": "all_different",
    }


def test_a_text_that_is_mostly_missing_is_no_identifier():
    frame = pd.DataFrame({"remark": ["late", "broken", "lost", *[None] * 7]})
    assert choose(frame).table.names == ["remark"]


def test_different_numbers_are_no_identifier():
    assert choose(pd.DataFrame({"x": [3.0, 1.0, 2.0]})).table.names == ["x"]


@pytest.mark.parametrize("make", [pl.DataFrame, pd.DataFrame])
def test_nested_columns_are_left_out(make):
    frame = make({"list": [[1], [2, 3]], "x": [1.0, 2.0]})
    chosen = choose(frame)
    assert chosen.table.names == ["x"]
    assert chosen.left_out == {"list": "nested"}


def test_few_different_numbers_stay_numbers_unless_the_user_says_so():
    frame = pd.DataFrame({"grade": [1, 2, 3] * 10})
    assert choose(frame).table.kinds() == ["numeric"]
    assert choose(frame, ["grade"]).table.kinds() == ["categorical"]


def test_reading_is_told_column_by_column():
    told = []
    choose(pd.DataFrame({"a": [1, 2], "b": [1, 2]}), progress=lambda *stage: told.append(stage))
    assert told == [("reading", 1, 2), ("reading", 2, 2)]


def test_numbers_at_first_sight():
    look = look_at_numbers(np.array([1.0, np.nan, 1.0, 1.0, 2.0]), counted=True, numeric=True)
    assert (look.n_missing, look.n_distinct, look.common) == (1, 2, 1.0)
    assert look.common_share == pytest.approx(0.6)
    assert not look.numbers_rows


def test_numbers_of_large_tables_are_not_counted():
    values = np.random.default_rng(0).random(5_000)
    look = look_at_numbers(values, counted=False, numeric=True)
    assert (look.n_distinct, look.common_share) == (None, 0.0)


def test_missing_may_be_what_most_rows_have():
    look = look_at_numbers(np.array([np.nan] * 9 + [1.0]), counted=True, numeric=True)
    assert (look.common, look.common_share) == (None, 0.9)


def test_categories_at_first_sight():
    look = look_at_categories(np.array([0, 0, -1, 1], dtype=np.int32), ("a", "b", "unused"))
    assert (look.n_missing, look.n_distinct, look.common, look.common_share) == (1, 2, "a", 0.5)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (np.arange(3_000.0), True),
        (np.arange(3_000.0) * 7 + 100, True),
        (np.arange(3_000.0)[::-1], False),
        (np.arange(3_000.0) + 0.5, False),
        (np.append(np.arange(2_000.0), 5.0), False),
        (np.array([0.0, np.inf, np.inf]), False),
    ],
)
def test_whole_numbers_that_grow_number_the_rows(values, expected):
    assert look_at_numbers(values, counted=False, numeric=True).numbers_rows is expected


def test_dates_that_grow_do_not_number_the_rows():
    assert not look_at_numbers(np.arange(100.0), counted=False, numeric=False).numbers_rows


def test_a_table_without_columns_is_refused():
    with pytest.raises(ColumnError, match="no column beside the target: add columns"):
        refuse_none_left([])
    left_out = [LeftOut(f"c{i}", "all_missing") for i in range(5)]
    with pytest.raises(ColumnError, match=r"left to learn from \('c0': all .*; and 2 more\)"):
        refuse_none_left(left_out)


def test_a_large_table_is_one_of_many_cells(monkeypatch):
    monkeypatch.setattr(columns, "MOST_COUNTED", 3)
    (look,) = choose(pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0]})).looks
    assert look.n_distinct is None

"""Drift: what tells two tables apart, and nothing where they come from one."""

import numpy as np
import pandas as pd
import pytest
from modlearn._tables.memory.view import view
from tests._jobs.conftest import make_orders

from modlearn._evaluate.drift import drift_of_classes, drifts, joined_categories
from modlearn._tables.memory.column import CategoricalColumn
from modlearn._tables.memory.table import read_table
from modlearn._tables.memory.target import read_target

COLUMNS = ["amount", "country", "noise"]


def view_of(frame):
    table = read_table(frame[COLUMNS])
    return view(table, range(len(COLUMNS)), table.kinds())


def test_tables_of_one_kind_do_not_differ():
    assert drifts(view_of(make_orders(seed=0)), view_of(make_orders(seed=1)), 0, None) == []


def test_a_number_that_moved_is_told_with_the_part_that_changed_most():
    other = make_orders(seed=1).assign(amount=lambda frame: frame["amount"] + 100)
    (warning,) = drifts(view_of(make_orders()), view_of(other), 0, None)
    assert (warning.kind, warning.columns) == ("drift", ("amount",))
    assert set(warning.numbers) == {"part", "train_share", "test_share"}
    text = str(warning)
    assert text.startswith("Column 'amount' is distributed differently in the two tables: ")
    assert "of the training rows but" in text
    assert text.endswith("if the difference will persist, leave it out with drop=['amount'].")


def test_new_and_lost_categories_are_drift():
    other = make_orders(seed=1).replace({"country": {"fr": "es"}})
    (warning,) = drifts(view_of(make_orders()), view_of(other), 0, None)
    assert warning.columns == ("country",)


def test_missing_values_are_drift():
    other = make_orders(seed=1)
    other.loc[::2, "noise"] = np.nan
    (warning,) = drifts(view_of(make_orders()), view_of(other), 0, None)
    assert "missing" in warning.numbers["part"]


def test_the_clearest_drift_comes_first():
    other = make_orders(seed=1).assign(
        amount=lambda frame: frame["amount"] + 30, noise=lambda frame: frame["noise"] + 5
    )
    found = drifts(view_of(make_orders()), view_of(other), 0, None)
    assert [warning.columns for warning in found] == [("noise",), ("amount",)]


def test_a_few_of_many_rows_are_compared(monkeypatch):
    monkeypatch.setattr("modlearn._evaluate.drift.MOST_ROWS", 50)
    other = make_orders(seed=1).assign(amount=lambda frame: frame["amount"] + 200)
    (warning,) = drifts(view_of(make_orders()), view_of(other), 0, None)
    assert warning.columns == ("amount",)


def test_categories_of_two_tables_are_joined_by_value():
    one = CategoricalColumn("c", np.array([0, 1, -1], dtype=np.int32), ("a", "b"))
    other = CategoricalColumn("c", np.array([0, 1, -1], dtype=np.int32), ("b", "z"))
    both = joined_categories(one, other)
    assert both.categories == ("a", "b", "z")
    assert both.codes.tolist() == [0, 1, -1, 1, 2, -1]


@pytest.mark.parametrize(("n_rare", "expected"), [(50, 0), (5, 1)])
def test_other_shares_of_the_classes_are_drift(n_rare, expected):
    target = read_target(pd.Series(["a"] * 50 + ["b"] * 50), 100)
    labels = np.array([0] * n_rare + [1] * (100 - n_rare), dtype=np.int32)
    found = drift_of_classes(target, labels, "class")
    assert len(found) == expected
    if found:
        assert (found[0].kind, found[0].columns) == ("class_drift", ("class",))

"""Drift: what distinguishes two tables, and nothing where they come from one."""

import numpy as np
import pandas as pd
import pytest
from tests._jobs.conftest import make_orders

from modlearn._evaluate.drift import class_drift, column_drift
from modlearn._statistics.categories import count_categories
from modlearn._tables.memory.rows import MemoryRows
from modlearn._tables.memory.table import read_table
from modlearn._tables.memory.target import Target, read_target
from modlearn.schema import Schema

COLUMNS = ["amount", "country", "noise"]


def rows_of(frame):
    table = read_table(frame[COLUMNS])
    schema, target = Schema(tuple(table.columns())), read_target(frame["paid"], table.n_rows)
    return MemoryRows.of(table, schema, target, "paid")


def test_tables_of_one_kind_do_not_differ():
    assert column_drift(rows_of(make_orders(seed=0)), rows_of(make_orders(seed=1)), 0, None) == []


def test_a_number_that_moved_is_reported_with_the_part_that_changed_most():
    other = make_orders(seed=1).assign(amount=lambda frame: frame["amount"] + 100)
    (warning,) = column_drift(rows_of(make_orders()), rows_of(other), 0, None)
    assert (warning.kind, warning.columns) == ("drift", ("amount",))
    assert set(warning.numbers) == {"part", "train_share", "test_share"}
    text = str(warning)
    assert text.startswith("Column 'amount' is distributed differently in the two tables: ")
    assert "of the training rows but" in text
    assert text.endswith("if the difference will persist, leave it out with drop=['amount'].")


def test_new_and_lost_categories_are_drift():
    other = make_orders(seed=1).replace({"country": {"fr": "es"}})
    (warning,) = column_drift(rows_of(make_orders()), rows_of(other), 0, None)
    assert warning.columns == ("country",)


def test_missing_values_are_drift():
    other = make_orders(seed=1)
    other.loc[::2, "noise"] = np.nan
    (warning,) = column_drift(rows_of(make_orders()), rows_of(other), 0, None)
    assert "missing" in warning.numbers["part"]


def test_the_clearest_drift_comes_first():
    other = make_orders(seed=1).assign(
        amount=lambda frame: frame["amount"] + 30, noise=lambda frame: frame["noise"] + 5
    )
    found = column_drift(rows_of(make_orders()), rows_of(other), 0, None)
    assert [warning.columns for warning in found] == [("noise",), ("amount",)]


def test_a_few_of_many_rows_are_compared(monkeypatch):
    monkeypatch.setattr("modlearn._evaluate.drift.MOST_ROWS", 50)
    other = make_orders(seed=1).assign(amount=lambda frame: frame["amount"] + 200)
    (warning,) = column_drift(rows_of(make_orders()), rows_of(other), 0, None)
    assert warning.columns == ("amount",)


def test_categories_of_two_tables_are_joined_by_value():
    codes, labels = np.array([0, 1, -1], dtype=np.int32), np.zeros(3, dtype=np.int32)
    one = count_categories(codes, ("a", "b"), labels, None, 1)
    other = count_categories(codes, ("b", "z"), labels, None, 1)
    both = one.membership(other)
    rows = both.summed(np.arange(both.n_values)).tolist()
    assert dict(zip(both.values, rows, strict=True)) == {
        None: [1, 1],
        "a": [1, 0],
        "b": [1, 1],
        "z": [0, 1],
    }


@pytest.mark.parametrize(("n_rare", "expected"), [(50, 0), (5, 1)])
def test_other_shares_of_the_classes_are_drift(n_rare, expected):
    target = read_target(pd.Series(["a"] * 50 + ["b"] * 50), 100)
    labels = np.array([0] * n_rare + [1] * (100 - n_rare), dtype=np.int32)
    other = Target(target.classes, labels)
    found = class_drift(target.spec("class"), other.spec("class"))
    assert len(found) == expected
    if found:
        assert (found[0].kind, found[0].columns) == ("class_drift", ("class",))

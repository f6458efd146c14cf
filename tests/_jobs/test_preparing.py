"""From what a user gives to columns and classes."""

import numpy as np
import pandas as pd
import pytest

from modlearn._jobs.preparing import ColumnRequest, prepare
from modlearn._model.evaluation import Note
from modlearn._parallel import no_progress
from modlearn.errors import ColumnError, TargetError


def prepared(data, target="paid", y=None, drop=(), only=(), as_categorical=()):
    return prepare(data, ColumnRequest(target, y, drop, only, as_categorical), 1, no_progress)


def test_the_table_is_told_in_numbers(orders):
    orders.loc[:9, "paid"] = None
    found = prepared(orders, drop="noise")
    facts = found.facts
    assert (facts.target, facts.source) == ("paid", None)
    assert (facts.n_rows, facts.n_labeled, facts.n_unlabeled, facts.n_columns) == (200, 190, 10, 2)
    assert [(column.name, column.reason) for column in facts.left_out] == [
        ("order", "all_different"),
        ("noise", "dropped"),
        ("shop", "constant"),
    ]
    assert facts.notes == (Note("unlabeled", {"rows": 10}),)
    assert [(c.name, c.n_missing, c.n_distinct) for c in found.columns] == [
        ("amount", 0, 200),
        ("country", 0, 3),
    ]


def test_a_target_beside_the_table_has_a_name(orders):
    X, y = orders.drop(columns="paid"), orders["paid"]
    assert prepared(X, None, y=y).facts.target == "paid"
    assert prepared(X, "bought", y=y).facts.target == "bought"
    assert prepared(X, None, y=y.to_numpy()).facts.target == "y"
    assert prepared(X.to_numpy()[:, 1:3], None, y=y.tolist()).chosen.table.names == ["x0", "x1"]


def test_a_target_of_another_length_is_refused(orders):
    with pytest.raises(TargetError, match="y has 3 labels and the table 200 rows: give one per"):
        prepared(orders, None, y=[0, 1, 0])


def test_no_target_is_refused_with_the_columns_there_are(orders):
    with pytest.raises(TargetError, match="name one of the columns, such as 'order', 'amount'"):
        prepared(orders, None)


def test_an_unknown_target_leads_to_the_nearest(orders):
    with pytest.raises(ColumnError, match=r"target names the column 'payd'.* 'paid'\?"):
        prepared(orders, "payd")


def test_unknown_categories_are_refused(orders):
    with pytest.raises(ColumnError, match=r"as_categorical names the column 'contry'"):
        prepared(orders, as_categorical=["contry"])


def test_numbers_of_the_target_may_be_said_to_be_classes():
    frame = pd.DataFrame({"x": np.arange(100.0), "code": np.arange(100) % 70})
    with pytest.raises(TargetError, match="looks like a quantity"):
        prepared(frame, "code")
    assert prepared(frame, "code", as_categorical="code").target.n_classes == 70


def test_a_table_of_the_target_alone_is_refused(orders):
    with pytest.raises(ColumnError, match="no column beside the target"):
        prepared(orders[["paid"]])


def test_a_table_of_constants_is_refused_with_the_reasons(orders):
    with pytest.raises(ColumnError, match=r"'shop': all rows have the same value\)"):
        prepared(orders[["shop", "paid"]])


def test_columns_may_have_numbers_for_names(orders):
    found = prepared(orders[["amount", "paid"]].set_axis([0, 1], axis=1), 1)
    assert (found.facts.target, found.columns[0].name) == ("1", "0")

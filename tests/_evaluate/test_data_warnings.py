"""Warnings: each where it is due, none on clean tables."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from tests._jobs.conftest import make_orders

import modlearn
from modlearn._evaluate.data_warnings import few_of_a_kind
from modlearn._model.evaluation import DataWarning


def warned(frame, target="paid", **options):
    return modlearn.analyze(frame, target, **options).warnings


def kinds(frame, target="paid", **options):
    return [(warning.kind, warning.column) for warning in warned(frame, target, **options)]


@pytest.mark.parametrize("load", [load_iris, load_wine, load_breast_cancer])
def test_clean_tables_have_no_warning(load):
    assert warned(load(as_frame=True).frame, "target") == ()


def test_many_columns_without_a_value_to_speak_of_are_summed_up():
    found = warned(load_digits(as_frame=True).frame, "target")
    assert {warning.kind for warning in found} == {"constant"}
    assert len(found) <= 11


def test_a_table_of_mixed_columns_has_no_warning(orders):
    assert kinds(orders) == []


def test_a_copy_of_the_target_is_a_leak(orders):
    orders["sent"] = orders["paid"].map({"yes": 1, "no": 0})
    (warning,) = warned(orders)
    assert (warning.kind, warning.column) == ("leak", "sent")
    assert warning.text == (
        "Column 'sent' alone tells 100.0% of the rows right, suspiciously many: if it is only "
        "known after the target is, drop it."
    )


def test_two_leaks_do_not_hide_each_other(orders):
    orders["sent"] = orders["paid"] == "yes"
    orders["reminder"] = np.where(orders["paid"] == "no", "sent", None)
    assert [column for kind, column in kinds(orders) if kind == "leak"] == ["sent", "reminder"]


def test_a_leak_may_have_some_errors():
    orders = make_orders(1_000)
    orders["refunded"] = np.where(np.arange(1_000) % 40 == 0, "?", orders["paid"])
    assert ("leak", "refunded") in kinds(orders)


def test_a_good_column_beside_another_good_one_is_no_leak():
    iris = load_iris(as_frame=True).frame
    assert (
        kinds(
            iris[["petal width (cm)", "sepal width (cm)", "petal length (cm)", "target"]], "target"
        )
        == []
    )


def test_a_row_number_is_an_identifier(orders):
    orders["row"] = np.arange(1000, 1200)
    (warning,) = warned(orders)
    assert (warning.kind, warning.column) == ("identifier", "row")
    assert warning.text.endswith("as a row number does: if it is one, drop it.")


def test_few_rows_are_told():
    found = dict(kinds(make_orders(40)))
    assert "few rows" in found


def test_a_rare_class_is_told(orders):
    orders.loc[:3, "paid"] = "perhaps"
    (warning,) = warned(orders)
    assert warning.text.startswith("Class 'perhaps' has 4 labeled rows: little can be learned")


def test_duplicates_are_told(orders):
    orders["land"] = orders["country"].map({"fr": "France", "de": "Germany", "it": "Italy"})
    orders["amount2"] = orders["amount"]
    found = [(warning.column, warning.text) for warning in warned(orders)]
    assert found == [
        ("land", "Column 'land' holds the same as 'country': drop one of them."),
        ("amount2", "Column 'amount2' holds the same as 'amount': drop one of them."),
    ]


def test_columns_that_tell_nothing_are_no_duplicates(orders):
    rng = np.random.default_rng(0)
    orders["a"], orders["b"] = rng.random(200), rng.random(200)
    orders["c"], orders["d"] = rng.choice(["p", "q"], (2, 200))
    assert kinds(orders) == []


def test_many_missing_values_are_told(orders):
    orders["amount"] = orders["amount"].where(orders.index % 4 == 0)
    (warning,) = warned(orders)
    assert (warning.kind, warning.column) == ("many missing", "amount")
    assert "is empty in 75% of the rows" in warning.text


@pytest.mark.parametrize(("value", "shown"), [(0, "0"), (0.5, "0.5"), ("online", "'online'")])
def test_a_nearly_constant_column_is_told(orders, value, shown):
    orders["flag"] = pd.Series([value] * 200, dtype=object)
    orders.loc[7, "flag"] = type(value)(7)
    (warning,) = warned(orders)
    assert (warning.kind, warning.column) == ("constant", "flag")
    assert f"'flag' is {shown} in 99.5% of the rows" in warning.text


def test_many_warnings_of_a_kind_end_in_one_sentence():
    found = few_of_a_kind([DataWarning("constant", f"c{i}", "...") for i in range(30)])
    assert len(found) == 11
    expected = "The same holds for 20 more columns, among them 'c10', 'c11', 'c12', 'c13', 'c14'."
    assert found[-1] == DataWarning("constant", None, expected)
    classes = few_of_a_kind([DataWarning("rare class", None, "...")] * 12)
    assert classes[-1].text == "The same holds for 2 more classes."

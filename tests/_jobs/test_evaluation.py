"""The evaluation of a job, by folds, by a share, or by another table."""

import pytest
from tests._jobs.conftest import make_orders

import modlearn
from modlearn._evaluate.evaluation import Evaluator
from modlearn._model.evaluation import Note
from modlearn.errors import ColumnError, TargetError


def test_ten_folds_are_usual(orders):
    evaluation = modlearn.fit(orders, "paid").evaluation
    assert (evaluation.how, evaluation.n_folds, evaluation.n_test) == ("cross-validation", 10, 200)


def test_a_share_is_held_out(orders):
    evaluation = modlearn.fit(orders, "paid", test=0.25).evaluation
    assert (evaluation.how, evaluation.n_train, evaluation.n_test) == ("held-out part", 150, 50)


def test_another_table_is_tested_whole(orders):
    result = modlearn.fit(orders, "paid", test_file=make_orders(100, seed=1))
    assert (result.evaluation.how, result.evaluation.n_test) == ("test file", 100)
    assert result.warnings == ()


def test_columns_of_the_other_table_may_stand_in_another_order(orders):
    other = make_orders(100, seed=1)
    plain = modlearn.fit(orders, "paid", test_file=other).evaluation
    turned = modlearn.fit(orders, "paid", test_file=other[other.columns[::-1]]).evaluation
    assert plain.to_dict() == turned.to_dict()


def test_a_table_that_drifted_is_warned_of(orders):
    other = make_orders(100, seed=1).assign(amount=lambda frame: frame["amount"] + 100)
    result = modlearn.fit(orders, "paid", test_file=other)
    assert ("drift", ("amount",)) in [(one.kind, one.columns) for one in result.warnings]


def test_rows_of_a_new_class_are_left_out_and_reported(orders):
    other = make_orders(100, seed=1)
    other.loc[:9, "paid"] = "perhaps"
    other.loc[10:14, "paid"] = None
    result = modlearn.fit(orders, "paid", test_file=other)
    assert result.evaluation.n_test == 85
    (warning,) = [one for one in result.warnings if one.kind == "new_class"]
    assert warning.numbers == {"rows": 10, "class": "perhaps"}
    assert str(warning).startswith("10 test rows have a class that the training data does not have")
    assert Note("test_unlabeled", {"rows": 5}) in result.facts.notes


def test_a_table_without_labels_is_refused(orders):
    other = make_orders(50, seed=1).assign(paid="perhaps")
    with pytest.raises(TargetError, match="has no row whose 'paid' is a class of the training"):
        modlearn.fit(orders, "paid", test_file=other)


def test_a_table_that_lacks_a_column_is_refused(orders):
    other = make_orders(50, seed=1).rename(columns={"amount": "amounts"})
    message = r"The test table has no column 'amount', .*: did you mean 'amounts'\?"
    with pytest.raises(ColumnError, match=message):
        modlearn.fit(orders, "paid", test_file=other)


def test_both_kinds_of_test_are_refused(orders):
    with pytest.raises(ValueError, match="test and test_file are both given"):
        modlearn.fit(orders, "paid", test=0.3, test_file=orders)


def test_a_table_where_each_class_has_one_row_is_not_evaluated():
    result = modlearn.fit([[1], [2]], y=["a", "b"])
    assert result.evaluation is None
    assert result.facts.notes == (Note("not_evaluated"),)


def test_folds_search_as_many_pairs_as_the_model_found_in_its_time(orders, monkeypatch):
    searched = []

    def on_folds(evaluator, folds, how):
        searched.append((evaluator.recipe.pairs, how))
        return plain(evaluator, folds, how)

    plain = Evaluator.on_folds
    monkeypatch.setattr(Evaluator, "on_folds", on_folds)
    result = modlearn.fit(orders, "paid", pairs="1h")
    assert searched == [(3, "cross-validation")]
    assert result.model.pairs == 3600.0
    modlearn.fit(make_orders(1_100), "paid", pairs="1h", drop="noise")
    assert searched[1:] == [(1, "held-out part")]


def test_classes_of_one_row_work(orders):
    orders.loc[0, "paid"] = "perhaps"
    result = modlearn.fit(orders, "paid")
    assert result.evaluation.n_test == 199
    assert Note("untested_classes", {"classes": 1}, ("perhaps",)) in result.facts.notes


def test_splits_are_those_of_the_seed(orders):
    folds = [modlearn.fit(orders, "paid", seed=seed).evaluation.to_dict() for seed in (1, 1, 2)]
    assert folds[0] == folds[1] != folds[2]

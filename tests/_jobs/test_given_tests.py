"""Test rows that the user names: another table, parts of the table, or its last rows."""

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import GroupKFold, KFold
from tests._jobs.conftest import COLUMNS, make_orders

import modlearn
from modlearn import SelectiveNaiveBayesClassifier
from modlearn._model.evaluation import Note
from modlearn.errors import ColumnError, FileError, TargetError


def test_a_test_file_is_read_once_too(orders, reads):
    other = make_orders(100, seed=1)
    modlearn.fit(orders, "paid", n_jobs=1, test_file=other)
    assert sorted(reads) == sorted([*orders.columns, *COLUMNS, "paid"])


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


def test_the_only_date_is_the_time_even_if_nothing_repeats_in_it(visits):
    one_day = visits.assign(when=pd.Timestamp("2020-01-01") + pd.to_timedelta(visits["day"], "min"))
    result = modlearn.fit(one_day, "buys", test_last=0.3)
    assert result.evaluation.time == "when"
    assert not any(name.startswith("when") for name in result.partitions)


@pytest.mark.parametrize("change", [{"drop": ["when", "second"]}, {"as_date": "second"}, {}])
def test_test_last_needs_one_column_of_dates(visits, change):
    table = visits.assign(second="2020-01-01")
    table.loc[::2, "second"] = "2020-01-03"
    with pytest.raises(ValueError, match=r"test_last needs to know the order .* pass time with"):
        modlearn.fit(table, "buys", test_last=0.3, **change)


@pytest.mark.parametrize(
    ("test", "group", "n_folds"),
    [
        (KFold(4), None, 4),
        (list(KFold(4).split(np.zeros(600))), None, 4),
        (KFold(4).split(np.zeros(600)), None, 4),
        (GroupKFold(5), "customer", 5),
    ],
    ids=["splitter", "list", "generator", "groups"],
)
def test_rows_are_divided_by_splitters_of_scikit_learn(visits, test, group, n_folds):
    result = modlearn.fit(visits, "buys", test=test, group=group)
    assert (result.evaluation.how, result.evaluation.n_folds) == ("given splits", n_folds)
    assert result.evaluation.n_test == 600
    assert ("customer" in result.partitions) == (group is None)


def test_splits_are_tested_by_models_of_their_training_rows(visits):
    table = visits[["amount", "buys"]]
    (train, test), *_ = KFold(4).split(table)
    result = modlearn.fit(table, "buys", test=[(train, test)])
    model = SelectiveNaiveBayesClassifier().fit(table[["amount"]].iloc[train], table["buys"][train])
    score = model.score(table[["amount"]].iloc[test], table["buys"][test])
    assert result.evaluation.measures["accuracy"].mean == pytest.approx(score)


def test_unlabeled_rows_of_a_split_are_not_tested(visits):
    table = visits[["amount", "buys"]].copy()
    table.loc[::3, "buys"] = None
    assert modlearn.fit(table, "buys", test=KFold(4)).evaluation.n_test == 400


@pytest.mark.parametrize("method", ["weighted", "averaged", "additive"])
@pytest.mark.parametrize("other", ["no", "perhaps"])
def test_a_class_that_a_split_does_not_train_on_is_improbable(visits, method, other):
    table = visits[["customer", "amount"]].assign(buys=visits["buys"])
    table.loc[::5, "buys"] = "no"
    table.loc[1::5, "buys"] = other
    table = table.sort_values("buys", ignore_index=True, key=lambda labels: labels == "yes")
    n_others = int((table["buys"] != "yes").sum())
    test = [(range(n_others), range(n_others, 600))]
    result = modlearn.fit(table, "buys", test=test, method=method)
    assert result.evaluation.measures["accuracy"].mean == 0.0
    assert np.isfinite(result.evaluation.measures["log_loss"].mean)


def test_a_splitter_is_given_rows_without_a_group_as_groups_of_their_own(visits):
    class Splitter(GroupKFold):
        def split(self, X, y, groups):
            self.sizes = np.unique(groups, return_counts=True)[1]
            return super().split(X, y, groups)

    table = visits.copy()
    table.loc[:299, "customer"] = None
    splitter = Splitter(5)
    modlearn.fit(table, "buys", test=splitter, group="customer")
    assert sorted(splitter.sizes.tolist()) == [1] * 300 + [6] * 50


def test_a_test_table_is_read_before_the_model_is_trained(orders, monkeypatch):
    monkeypatch.delattr("modlearn._jobs.fit.fit_model")
    with pytest.raises(FileError, match=r"There is no file 'later\.csv'"):
        modlearn.fit(orders, "paid", test_file="later.csv")


def test_categories_of_a_test_file_are_read_as_in_the_training_data(tmp_path):
    codes = np.tile(["01", "02", "x"], 40)
    frame = pd.DataFrame({"code": codes, "y": np.where(codes == "01", "a", "b")})
    frame[codes != "x"].to_csv(tmp_path / "test.csv", index=False)
    result = modlearn.fit(frame, "y", test_file=tmp_path / "test.csv")
    assert result.evaluation.measures["accuracy"].mean == 1.0


@pytest.mark.parametrize(
    ("test", "message"),
    [
        ([], "test must give labeled training rows and test rows"),
        ([(range(10), range(10, 600))], "test must give labeled training rows"),
        (np.arange(10), r"not pairs of row numbers: .* pass it as test_file"),
        (np.zeros((10, 2)), "test has members that are not pairs of row numbers"),
        ([(range(10), range(10, 20), range(20, 30))], "not pairs of row numbers"),
        (["ab"], "not pairs of row numbers"),
        ([([0, 1], [600])], "test has row numbers that the table does not have"),
        ([([-1, 1], [0])], "pass whole numbers from 0 to 599"),
    ],
)
def test_splits_that_cannot_be_tested_are_refused(visits, test, message):
    table = visits.copy()
    table.loc[:9, "buys"] = None
    with pytest.raises(ValueError, match=message):
        modlearn.fit(table, "buys", test=test)

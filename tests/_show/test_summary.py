import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_wine

from modlearn import (
    BestUnivariateClassifier,
    Encoder,
    FitResult,
    PairEncoder,
    SelectiveNaiveBayesClassifier,
)
from modlearn._show.summary import LONGEST_VALUE, MOST_VALUES, reason_of, redundant_with, summarize

KEYS = {
    "format", "version", "modlearn", "id", "created", "data", "classes", "positive", "decision",
    "has_curves", "evaluation", "variables", "pairs", "trees", "pairs_searched", "pairs_complete",
    "top_quarter", "certainty", "warnings",
}  # fmt: skip
VARIABLE_KEYS = {
    "name", "type", "level", "weight", "importance", "cost", "null_cost", "proven_optimal",
    "n_missing", "n_distinct", "n_bins", "parts", "axis", "cuts", "counts", "unlabeled",
    "curve", "redundant_with",
}  # fmt: skip
PAIR_KEYS = {
    "names", "level", "gain", "synergy", "weight", "cost", "null_cost", "proven_optimal", "parts",
    "axes", "counts", "scores", "deviations",
}  # fmt: skip


@pytest.fixture(scope="module")
def wine():
    return load_wine(return_X_y=True, as_frame=True)


@pytest.fixture(scope="module")
def model(wine):
    return SelectiveNaiveBayesClassifier(pairs=[("alcohol", "flavanoids")]).fit(*wine)


@pytest.fixture(scope="module")
def summary(model):
    return summarize(model.model_, {"target": "class"})


def found(summary, name):
    return next(v for v in summary["variables"] if v["name"] == name)


def summary_of(columns, y):
    return summarize(FitResult.of(Encoder().fit(pd.DataFrame(columns), y)), {})


def test_a_summary_has_the_keys_that_its_readers_rely_on(summary):
    assert set(summary) == KEYS
    assert all(set(variable) == VARIABLE_KEYS for variable in summary["variables"])
    assert all(set(pair) == PAIR_KEYS for pair in summary["pairs"])


def test_a_summary_is_json_without_nan(summary):
    assert json.loads(json.dumps(summary, allow_nan=False)) == summary


def test_variables_are_those_of_the_model_the_most_informative_first(summary, model):
    levels = [v["level"] for v in summary["variables"]]
    assert levels == sorted(levels, reverse=True)
    assert {v["name"]: v["weight"] for v in summary["variables"]} == {
        name: model.weights_[name] for name in model.partitions_
    }


def test_counts_of_a_variable_add_up_to_those_of_the_classes(summary):
    rows = [group["rows"] for group in summary["classes"]]
    assert rows == [59, 71, 48]
    for variable in summary["variables"]:
        assert np.sum(variable["counts"], axis=0).tolist() == rows
        assert len(variable["parts"]) == len(variable["counts"]) == len(variable["cuts"]) + 1


def test_importances_add_up_to_one(summary):
    assert sum(v["importance"] for v in summary["variables"]) == pytest.approx(1)


def test_a_pair_has_a_grid_of_rows_per_class(summary):
    (pair,) = summary["pairs"]
    assert pair["names"] == ["alcohol", "flavanoids"]
    assert np.shape(pair["counts"]) == (2, 3, 3)
    assert [len(parts) for parts in pair["parts"]] == [2, 3]
    assert summary["pairs_searched"] == 1


def test_an_analysis_has_no_weights(wine):
    summary = summarize(FitResult.of(PairEncoder(pairs=3).fit(*wine)), {})
    assert summary["evaluation"] is None
    assert {v["weight"] for v in summary["variables"]} == {None}
    assert {v["importance"] for v in summary["variables"]} == {None}
    assert {pair["weight"] for pair in summary["pairs"]} == {None}
    assert summary["pairs_complete"]


def test_a_classifier_that_knows_no_pairs_is_summarized_too(wine):
    summary = summarize(BestUnivariateClassifier().fit(*wine).model_, {})
    assert [v["weight"] for v in summary["variables"]][:2] == [1, 0]
    assert summary["pairs"] == []


def test_pairs_without_information_are_left_out():
    rng = np.random.default_rng(0)
    X, y = pd.DataFrame(rng.normal(size=(50, 3))), rng.integers(0, 2, 50)
    summary = summarize(FitResult.of(PairEncoder().fit(X, y)), {})
    assert (summary["pairs"], summary["pairs_searched"]) == ([], 3)


def test_facts_of_the_table_stay_as_they_were_given(model):
    data = {"target": "t", "positive": 12}
    summary = summarize(model.model_, data, positive=1)
    assert summary["positive"] == 1
    assert summary["data"] == data == {"target": "t", "positive": 12}


def test_facts_that_the_caller_counted_replace_what_is_unknown(model):
    summary = summarize(model.model_, {}, columns={"hue": {"n_distinct": 78}})
    assert found(summary, "hue")["n_distinct"] == 78
    assert found(summary, "ash")["n_distinct"] is None


# values


def test_missing_numbers_are_counted():
    summary = summary_of({"x": [1.0, np.nan, 2.0, np.nan] * 10}, [0, 1] * 20)
    assert found(summary, "x")["n_missing"] == 20


@pytest.mark.parametrize(
    ("values", "classes", "expected"),
    [
        (["a", "b"], [0, 1], 0),
        (["a", None], [0, 1], 20),  # a group of their own
        (["a", None, "a", None], [0, 0, 1, 1], None),  # with others in one group
    ],
)
def test_missing_categories_are_counted_where_the_model_can(values, classes, expected):
    times = 40 // len(values)
    summary = summary_of({"x": values * times}, classes * times)
    assert found(summary, "x")["n_missing"] == expected


def test_the_values_of_long_groups_are_cut_short_and_counted():
    values = [f"{k:0300d}" for k in range(120)]
    summary = summary_of({"x": values * 2}, [0] * 120 + [1] * 120)
    (group,) = found(summary, "x")["axis"]["groups"]
    assert len(group) == MOST_VALUES
    assert found(summary, "x")["axis"]["group_sizes"] == [120]
    assert {len(value) for value in group} == {LONGEST_VALUE}


def test_a_cut_at_infinity_is_null():
    values = [-np.inf] * 30 + [1.0] * 30
    cuts = found(summary_of({"x": values}, [0] * 30 + [1] * 30), "x")["cuts"]
    assert all(cut is None or np.isfinite(cut) for cut in cuts)


def test_names_that_are_not_text_become_text():
    frame = pd.DataFrame(np.arange(80.0).reshape(40, 2), columns=[7, 8])
    assert found(summarize(FitResult.of(Encoder().fit(frame, [0, 1] * 20)), {}), "7")["name"] == "7"


class Model:
    """What is read of a fitted classifier."""

    def __init__(self, weights, grids=()):
        self.weights = weights
        self.grids = dict(grids)


@pytest.fixture(scope="module")
def fitted():
    return SelectiveNaiveBayesClassifier(pairs=True).fit(*load_wine(return_X_y=True, as_frame=True))


@pytest.fixture
def phenols(fitted):
    """A variable with a level, but no weight."""
    return fitted.partitions_["total_phenols"]


def test_a_searched_pair_shows_what_is_redundant(fitted, phenols):
    first, *_ = redundant_with(fitted.model_, phenols, {})
    assert first["names"] == ["flavanoids"]
    assert first["share"] == pytest.approx(1)
    assert reason_of(first) == "carries 100% of the information of this variable"


def test_a_variable_with_a_weight_is_not_redundant(fitted):
    assert redundant_with(fitted.model_, fitted.partitions_["flavanoids"], {}) == []


def test_where_no_pair_was_searched_nothing_is_claimed(phenols):
    assert redundant_with(Model({"flavanoids": 0.7, "total_phenols": 0}), phenols, {}) == []


def test_what_the_caller_measured_is_used_where_no_pair_was_searched(phenols):
    shared = {"total_phenols": {"flavanoids": 0.8, "ash": 0.1, "not weighted": 1.0}}
    model = Model({"flavanoids": 0.7, "ash": 0.1})
    assert [one["names"] for one in redundant_with(model, phenols, shared)] == [["flavanoids"]]


def test_a_weighted_pair_that_holds_the_variable_comes_first(phenols):
    model = Model({("total_phenols", "hue"): 0.25, "flavanoids": 0.7})
    shared = {"total_phenols": {"flavanoids": 0.8}}
    first, second = redundant_with(model, phenols, shared)
    assert first["names"] == ["total_phenols", "hue"]
    assert reason_of(first) == "the model uses it through this pair, with weight 0.25"
    assert second["names"] == ["flavanoids"]

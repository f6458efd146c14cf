import pytest
from sklearn.datasets import load_wine

from modlearn import SelectiveNaiveBayesClassifier
from modlearn._show.summary import reason_of, redundant_with


class Model:
    """What is read of a fitted classifier."""

    def __init__(self, weights, grids=()):
        self.weights_ = weights
        self.grids_ = dict(grids)


@pytest.fixture(scope="module")
def fitted():
    return SelectiveNaiveBayesClassifier(pairs=True).fit(*load_wine(return_X_y=True, as_frame=True))


@pytest.fixture
def phenols(fitted):
    """A variable with a level, but no weight."""
    return fitted.partitions_["total_phenols"]


def test_a_searched_pair_tells_what_is_told_twice(fitted, phenols):
    first, *_ = redundant_with(fitted, phenols, {})
    assert first["names"] == ["flavanoids"]
    assert first["share"] == pytest.approx(1)
    assert reason_of(first) == "carries 100% of the information of this variable"


def test_a_variable_with_a_weight_is_not_redundant(fitted):
    assert redundant_with(fitted, fitted.partitions_["flavanoids"], {}) == []


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

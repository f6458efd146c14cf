"""What a model is worth beyond its accuracy."""

import copy

import pytest
from scipy.stats import binomtest

from modlearn._evaluate.measures import certainty, interval, top_quarter


@pytest.fixture
def buyers(summaries):
    return copy.deepcopy(summaries("buyers"))


def test_the_share_of_a_quarter_is_read_from_the_curve(buyers):
    buyers["evaluation"]["curves"][0]["lift"] = [[0.0, 0.0], [0.2, 0.5], [0.3, 0.7], [1.0, 1.0]]
    _, (missed, found) = buyers["evaluation"]["confusion"]
    quarter = top_quarter(buyers)
    assert (quarter["class"], quarter["leads"]) == ("yes", True)
    assert quarter["share"] == pytest.approx(0.6)
    assert quarter["recall"] == found / (missed + found)


def test_a_summary_holds_its_top_quarter(buyers):
    assert buyers["top_quarter"] == top_quarter(buyers)


def test_a_ranking_no_better_than_chance_does_not_lead(buyers):
    buyers["evaluation"]["curves"][0]["lift"] = [[0.0, 0.0], [0.25, 0.26], [1.0, 1.0]]
    assert top_quarter(buyers)["leads"] is False


def test_a_frequent_class_that_is_predicted_well_is_judged_by_accuracy(summaries):
    assert top_quarter(summaries("cancer"))["leads"] is False


def test_a_frequent_class_leads_if_accuracy_gains_nothing(summaries):
    cancer = copy.deepcopy(summaries("cancer"))
    cancer["evaluation"]["majority"]["accuracy"] = 0.99
    assert top_quarter(cancer)["leads"] is True


def test_without_a_class_of_interest_or_its_curve_there_is_no_quarter(summaries, buyers):
    assert top_quarter(summaries("iris")) is None
    assert top_quarter(summaries("holes")) is None
    buyers["evaluation"]["curves"] = []
    assert top_quarter(buyers) is None


@pytest.mark.parametrize(("right", "rows"), [(81, 263), (0, 10), (150, 150)])
def test_the_interval_is_wilsons(right, rows):
    expected = binomtest(right, rows).proportion_ci(method="wilson")
    assert interval(right / rows, rows) == pytest.approx(expected, abs=1e-4)


def test_without_rows_nothing_is_known():
    assert interval(0.0, 0) == (0.0, 1.0)


def test_the_certainty_is_that_of_the_accuracy(summaries):
    iris = copy.deepcopy(summaries("iris"))
    accuracy = iris["evaluation"]["measures"]["accuracy"]
    assert certainty(iris) == iris["certainty"]
    assert iris["certainty"] == {"interval": [*interval(accuracy["mean"], 150)], "gains": True}
    accuracy["mean"] = 0.35
    assert certainty(iris)["gains"] is False
    assert certainty({"evaluation": None}) is None

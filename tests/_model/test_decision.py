"""The class of least cost is predicted; probabilities stay as they are."""

import numpy as np
import pytest

from modlearn._model.decision import Decision, ErrorCost
from modlearn._model.forms import RecordPosition
from modlearn.errors import ModelError

TWO = RecordPosition((), np.array(["no", "yes"], dtype=object))
THREE = RecordPosition((), np.array(["a", "b", "c"], dtype=object))


def shares(n_rows, n_classes, seed=0):
    return np.random.default_rng(seed).dirichlet(np.ones(n_classes), n_rows)


def matrix_of(costs, n_classes):
    """The cost of every error, one by one."""
    matrix = 1.0 - np.eye(n_classes)
    for one in costs:
        matrix[one.truth, one.predicted] = one.cost
    return matrix


def test_a_class_is_predicted_at_or_above_its_threshold():
    decision = Decision(label=1, threshold=0.2, costs=())
    found = decision.labels(np.array([[0.81, 0.19], [0.8, 0.2], [0.1, 0.9]]))
    assert found.tolist() == [0, 1, 1]
    other = Decision(label=0, threshold=0.9, costs=())
    assert other.labels(np.array([[0.89, 0.11], [0.9, 0.1]])).tolist() == [1, 0]


@pytest.mark.parametrize(
    ("costs", "threshold"),
    [
        ((ErrorCost(1, 0, 10.0),), 1 / 11),
        ((ErrorCost(0, 1, 3.0),), 0.75),
        ((ErrorCost(1, 0, 8.0), ErrorCost(0, 1, 2.0)), 0.2),
        ((ErrorCost(1, 0, 0.0),), 1.0),
        ((ErrorCost(0, 1, 0.0),), 0.0),
    ],
)
def test_costs_of_two_classes_are_a_threshold(costs, threshold):
    decision = Decision.of_costs(costs, label=1)
    assert decision.threshold == pytest.approx(threshold)
    rows = shares(500, 2)
    expected = rows @ matrix_of(costs, 2)
    cheaper = expected[np.arange(500), decision.labels(rows)]
    assert cheaper == pytest.approx(expected.min(axis=1))


@pytest.mark.parametrize(
    "costs",
    [
        (ErrorCost(1, 2, 10.0),),
        (ErrorCost(0, 1, 0.0), ErrorCost(2, 1, 0.5), ErrorCost(1, 0, 7.0)),
    ],
)
def test_of_several_classes_the_one_of_least_expected_cost_is_predicted(costs):
    decision, rows = Decision.of_costs(costs, label=None), shares(500, 3)
    expected = rows @ matrix_of(costs, 3)
    assert decision.labels(rows).tolist() == expected.argmin(axis=1).tolist()
    # A row does not depend on its neighbors.
    assert [decision.labels(row[None])[0] for row in rows[:50]] == decision.labels(
        rows[:50]
    ).tolist()


def test_the_total_is_that_of_all_errors():
    costs = (ErrorCost(1, 0, 10.0), ErrorCost(2, 0, 0.25))
    confusion = np.random.default_rng(0).integers(0, 50, (3, 3))
    total = Decision.of_costs(costs, label=None).total(confusion)
    assert total == pytest.approx((confusion * matrix_of(costs, 3)).sum())


def test_a_record_is_read_back():
    for decision, at in (
        (Decision.of_costs((ErrorCost(1, 0, 10.0),), label=1), TWO),
        (Decision(label=0, threshold=0.3, costs=()), TWO),
        (Decision.of_costs((ErrorCost(1, 2, 10.0),), label=None), THREE),
    ):
        assert Decision.from_dict(decision.to_dict(), at) == decision


COSTS = [{"truth": 1, "predicted": 0, "cost": 10.0}]
FREE = [{"truth": 1, "predicted": 0, "cost": 0.0}, {"truth": 0, "predicted": 1, "cost": 0.0}]


@pytest.mark.parametrize(
    ("at", "record", "said"),
    [
        (TWO, {"class": 2, "threshold": 0.5, "costs": []}, "'class' is not the index of a class"),
        (TWO, {"class": 1, "threshold": 1.5, "costs": []}, "'threshold' is not a number from 0 to"),
        (TWO, {"class": 1, "threshold": None, "costs": []}, "'threshold' is not a number"),
        (TWO, {"class": None, "threshold": 0.5, "costs": []}, "'threshold' is not a number, alth"),
        (TWO, {"class": 1, "threshold": 0.2, "costs": COSTS}, "'threshold' is not that of its cos"),
        (TWO, {"class": 1, "threshold": 0.2, "costs": FREE}, "'costs' is not a list of errors"),
        (TWO, {"class": 1, "threshold": 1 / 11, "costs": COSTS * 2}, "not a list of different err"),
        (THREE, {"class": 1, "threshold": 0.5, "costs": []}, "null, although there are not two"),
        (THREE, {"class": None, "threshold": None, "costs": []}, "a list of at least one error"),
    ],
)
def test_a_record_that_contradicts_itself_is_refused(at, record, said):
    with pytest.raises(ModelError, match=said):
        Decision.from_dict(record, at)


@pytest.mark.parametrize("cost", [-1.0, float("inf"), float("nan"), "1", None, 1e200])
def test_a_cost_is_finite_and_not_negative(cost):
    costs = [{"truth": 1, "predicted": 0, "cost": cost}]
    with pytest.raises(ModelError, match="'cost' is not a number from 0 to"):
        Decision.from_dict({"class": 1, "threshold": 0.5, "costs": costs}, TWO)


def test_a_correct_prediction_costs_nothing():
    costs = [{"truth": 1, "predicted": 1, "cost": 1.0}]
    with pytest.raises(ModelError, match="a list of different errors"):
        Decision.from_dict({"class": 1, "threshold": 0.5, "costs": costs}, TWO)

"""Measures equal scikit-learn's on the same predictions; curves are those of the ranking."""

import copy
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest
from sklearn import metrics

from modlearn._evaluate import measures as module
from modlearn._evaluate.measures import (
    CountMeasures,
    PredictedRows,
    Ranking,
    RowMeasures,
    calibration,
    calibration_of_counts,
    certainty,
    confusion,
    counted,
    curves,
    curves_of_counts,
    errors_of_sample,
    interval,
    standard_errors,
    top_quarter,
)
from modlearn._model.decision import Decision, ErrorCost


def measures_of(predicted):
    return RowMeasures.of(predicted, None).measures()


def errors_of(predicted, seed):
    return standard_errors(predicted, RowMeasures.of(predicted, None), seed)


def curves_of(predicted):
    return curves(predicted, None, {})


def predictions(n_rows, n_classes, seed=0, positive=None, rounded=None):
    rng = np.random.default_rng(seed)
    truth = rng.integers(0, n_classes, n_rows).astype(np.int32)
    truth[:n_classes] = np.arange(min(n_classes, n_rows))
    scores = rng.normal(size=(n_rows, n_classes)) + 1.5 * np.eye(n_classes)[truth]
    chances = np.exp(scores)
    chances /= chances.sum(axis=1, keepdims=True)
    if rounded is not None:
        chances = chances.round(rounded) + 1e-3
        chances /= chances.sum(axis=1, keepdims=True)
    return PredictedRows(truth, chances, positive)


CASES = st.builds(
    predictions,
    st.integers(5, 80),
    st.integers(2, 5),
    st.integers(0, 1000),
    rounded=st.sampled_from([None, 1]),
)


@given(CASES)
@settings(deadline=None)
def test_measures_are_those_of_scikit_learn(predicted):
    truth, chances = predicted.truth, predicted.probabilities
    labels = list(range(chances.shape[1]))
    found = measures_of(predicted)
    assert found["accuracy"] == pytest.approx(metrics.accuracy_score(truth, predicted.labels))
    balanced = metrics.balanced_accuracy_score(truth, predicted.labels)
    assert found["balanced_accuracy"] == pytest.approx(balanced)
    loss = metrics.log_loss(truth, chances, labels=labels)
    assert found["log_loss"] == pytest.approx(loss)
    if len(labels) == 2:
        area = metrics.roc_auc_score(truth, chances[:, 1])
    else:
        area = metrics.roc_auc_score(
            truth, chances, multi_class="ovr", average="weighted", labels=labels
        )
    assert found["auc"] == pytest.approx(area)


@given(CASES, st.randoms(use_true_random=False))
@settings(deadline=None)
def test_the_order_of_rows_does_not_matter(predicted, random):
    order = np.array(random.sample(range(len(predicted.truth)), len(predicted.truth)))
    again = measures_of(predicted.at(order))
    assert again == pytest.approx(measures_of(predicted), rel=1e-12)
    assert calibration(predicted.at(order))[0].rows == calibration(predicted)[0].rows


@pytest.mark.parametrize("positive", [0, 1])
def test_the_auc_of_two_classes_is_the_same_for_both(positive):
    predicted = predictions(100, 2, positive=positive)
    area = metrics.roc_auc_score(predicted.truth, predicted.probabilities[:, 1])
    assert measures_of(predicted)["auc"] == pytest.approx(area)


def test_the_auc_of_one_class_is_not_defined():
    predicted = PredictedRows(np.zeros(3, np.int32), np.full((3, 2), 0.5), 1)
    assert measures_of(predicted)["auc"] is None
    assert curves_of(predicted) == ()


def test_a_class_without_test_rows_does_not_spoil_the_auc():
    full = predictions(60, 3)
    known = full.at(np.flatnonzero(full.truth < 2))
    areas = [
        metrics.roc_auc_score(known.truth == label, known.probabilities[:, label])
        for label in (0, 1)
    ]
    rows = np.bincount(known.truth)
    assert measures_of(known)["auc"] == pytest.approx(np.average(areas, weights=rows))


def test_a_row_predicted_with_certainty_and_wrong_costs_a_finite_loss():
    predicted = PredictedRows(np.array([0], np.int32), np.array([[0.0, 1.0]]), 1)
    assert measures_of(predicted)["log_loss"] == pytest.approx(-np.log(np.finfo(float).eps))


def test_the_confusion_is_that_of_scikit_learn():
    predicted = predictions(50, 3)
    expected = metrics.confusion_matrix(predicted.truth, predicted.labels)
    np.testing.assert_array_equal(confusion(predicted), expected)


def test_a_ranking_counts_rows_as_often_as_weights_say():
    predicted = predictions(40, 2, positive=1, rounded=1)
    weights = np.random.default_rng(1).integers(0, 4, 40)
    area = metrics.roc_auc_score(
        predicted.truth, predicted.probabilities[:, 1], sample_weight=weights
    )
    assert Ranking.of(predicted, 1).auc(weights) == pytest.approx(area)


def test_a_short_curve_is_the_roc_curve():
    predicted = predictions(30, 2, positive=1, rounded=1)
    (curve,) = curves_of(predicted)
    fpr, tpr, _ = metrics.roc_curve(
        predicted.truth, predicted.probabilities[:, 1], drop_intermediate=False
    )
    assert set(curve.roc) <= set(zip(fpr.round(5).tolist(), tpr.round(5).tolist(), strict=True))
    assert (curve.roc[0], curve.roc[-1]) == ((0.0, 0.0), (1.0, 1.0))
    assert curve.label == 1


def test_curves_of_many_rows_are_thinned_and_keep_their_area():
    predicted = predictions(20_000, 2, positive=1)
    (curve,) = curves_of(predicted)
    for points in (curve.roc, curve.lift):
        assert len(points) <= 100
        assert (points[0], points[-1]) == ((0.0, 0.0), (1.0, 1.0))
        assert np.all(np.diff(np.array(points), axis=0) >= 0)
    x, y = np.array(curve.roc).T
    assert np.trapezoid(y, x) == pytest.approx(curve.auc, abs=0.002)


def test_of_many_classes_the_most_frequent_have_a_curve():
    truth = np.repeat(np.arange(40), np.arange(1, 41)).astype(np.int32)
    chances = np.random.default_rng(0).dirichlet(np.ones(40), len(truth))
    assert [curve.label for curve in curves_of(PredictedRows(truth, chances, None))] == list(
        range(10, 40)
    )


def test_calibration_compares_what_was_predicted_with_what_was_observed():
    chances = np.array([0.05, 0.05, 0.95, 0.95, 0.95, 1.0])
    truth = np.array([0, 1, 1, 1, 0, 1], dtype=np.int32)
    low, high = calibration(PredictedRows(truth, np.column_stack((1 - chances, chances)), 1))
    assert (low.predicted, low.observed, low.rows) == (pytest.approx(0.05), 0.5, 2)
    assert (high.predicted, high.observed, high.rows) == (pytest.approx(0.9625), 0.75, 4)


def test_calibration_of_many_classes_is_of_the_predicted_one():
    predicted = predictions(500, 4)
    bins = calibration(predicted)
    assert sum(part.rows for part in bins) == 500
    right = sum(part.observed * part.rows for part in bins)
    assert right == pytest.approx((predicted.labels == predicted.truth).sum())


def test_the_standard_error_of_a_mean_is_that_of_the_formula():
    predicted = predictions(2_000, 2, positive=1)
    errors = errors_of(predicted, 0)
    hits = predicted.labels == predicted.truth
    assert errors["accuracy"] == pytest.approx(hits.std() / 2_000**0.5, rel=0.25)
    assert errors == errors_of(predicted, 0)


def test_the_standard_error_of_many_rows_follows_from_some(monkeypatch):
    predicted = predictions(2_000, 3)
    whole = errors_of(predicted, 1)
    monkeypatch.setattr(module, "MOST_RESAMPLED", 500)
    for name, error in errors_of(predicted, 1).items():
        assert error == pytest.approx(whole[name], rel=0.4)


def test_another_decision_changes_labels_but_no_probability():
    predicted = predictions(200, 2, positive=1)
    decided = replace(predicted, decision=Decision(label=1, threshold=0.2, costs=()))
    expected = (predicted.probabilities[:, 1] >= 0.2).astype(int)
    assert decided.labels.tolist() == expected.tolist() != predicted.labels.tolist()
    assert decided.at(np.arange(50)).labels.tolist() == expected[:50].tolist()
    assert confusion(decided)[:, 1].sum() == expected.sum()
    before, after = measures_of(predicted), measures_of(decided)
    assert (after["auc"], after["log_loss"]) == (before["auc"], before["log_loss"])
    assert after["accuracy"] == pytest.approx((expected == predicted.truth).mean())
    assert calibration(decided) == calibration(predicted)


def test_calibration_of_several_classes_is_that_of_the_predicted_one():
    predicted = predictions(300, 3)
    costs = (ErrorCost(0, 1, 9.0), ErrorCost(0, 2, 9.0))
    decided = replace(predicted, decision=Decision.of_costs(costs, label=None))
    bins = calibration(decided)
    assert sum(one.observed * one.rows for one in bins) == pytest.approx(
        (decided.labels == decided.truth).sum()
    )
    assert sum(one.predicted * one.rows for one in bins) == pytest.approx(decided.chances.sum())
    assert decided.chances.sum() < predicted.chances.sum()


@pytest.mark.parametrize("n_rows", [30, 1001, 4000])
def test_a_quarter_of_the_rows_is_a_point_of_the_lift_curve(n_rows):
    predicted = predictions(n_rows, 2, positive=1)
    (curve,) = curves_of(predicted)
    order = np.argsort(-predicted.probabilities[:, 1], kind="stable")
    found = np.append(0, np.cumsum(predicted.truth[order] == 1)) / (predicted.truth == 1).sum()
    share = np.interp(0.25, np.arange(n_rows + 1) / n_rows, found)
    assert dict(curve.lift)[0.25] == round(share, 5)
    assert len(curve.lift) <= 100
    assert list(curve.lift) == sorted(curve.lift)


def test_recalls_of_classes_without_rows_are_not_numbers():
    predicted = predictions(60, 3)
    some = predicted.at(np.flatnonzero(predicted.truth != 1))
    recalls = RowMeasures.of(some, None).recalls()
    assert np.isnan(recalls).tolist() == [False, True, False]


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


def test_a_frequent_class_that_is_predicted_well_is_evaluated_by_accuracy(summaries):
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


@pytest.mark.parametrize(("n_classes", "positive"), [(2, 1), (2, 0), (3, None), (5, None)])
@pytest.mark.parametrize("rare", [0.0, 9.0])
def test_counted_rows_are_measured_as_single_ones(n_classes, positive, rare):
    predicted = predictions(20_000, n_classes, 3, positive)
    # A class that is improbable everywhere still has fine curves.
    shares = predicted.probabilities * np.exp(-rare * (np.arange(n_classes) == 1))
    predicted = replace(predicted, probabilities=shares / shares.sum(axis=1, keepdims=True))
    scored = counted(predicted)
    known, found = measures_of(predicted), CountMeasures(scored).measures()
    for name, value in known.items():
        assert found[name] == pytest.approx(value, abs=1e-6 if name == "auc" else 1e-12)
    assert np.array_equal(scored.confusion, confusion(predicted))
    recalls = RowMeasures.of(predicted, None).recalls()
    assert CountMeasures(scored).recalls() == pytest.approx(recalls, abs=1e-12)
    assert calibration_of_counts(scored, positive) == calibration(predicted)
    for one, other in zip(curves_of_counts(scored), curves_of(predicted), strict=True):
        assert one.label == other.label
        assert one.auc == pytest.approx(other.auc, abs=1e-6)
        assert dict(one.lift)[0.25] == pytest.approx(dict(other.lift)[0.25], abs=1e-3)


def test_standard_errors_of_many_rows_follow_from_a_sample_that_stands_for_them():
    every = predictions(40_000, 2, 5, positive=1)
    known = errors_of(every, 0)
    # Class 1 is sampled five times as often as class 0.
    kept = np.random.default_rng(1).random(40_000) < np.where(every.truth == 1, 0.5, 0.1)
    found = errors_of_sample(every.at(np.flatnonzero(kept)), np.bincount(every.truth), 0)
    for name, error in known.items():
        assert found[name] == pytest.approx(error, rel=0.35)

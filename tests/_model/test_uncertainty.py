"""Credible intervals of probabilities, and the scores of terms with their deviations."""

import numpy as np
import pandas as pd
import pytest

import modlearn
from modlearn import AdditiveClassifier, NaiveBayesClassifier, SelectiveNaiveBayesClassifier
from modlearn._model.uncertainty import effects
from modlearn._search import curvature

CLASSIFIERS = [AdditiveClassifier, SelectiveNaiveBayesClassifier, NaiveBayesClassifier]


def table_of(n, n_classes=2, seed=0, strength=1.5):
    """Two numbers and a category, the classes, and their true probabilities."""
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, 2))
    color = rng.choice(["red", "green", "blue"], n)
    score = strength * (x[:, 0] + np.sin(2 * x[:, 1]) + (color == "red"))
    scores = np.multiply.outer(score, np.linspace(-0.5, 0.5, n_classes))
    chances = np.exp(scores) / np.exp(scores).sum(axis=1, keepdims=True)
    y = (rng.random((n, 1)) > chances.cumsum(axis=1)).sum(axis=1)
    return pd.DataFrame({"a": x[:, 0], "b": x[:, 1], "color": color}), y, chances


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_an_interval_holds_the_probability(classifier, n_classes):
    X, y, _ = table_of(200, n_classes)
    fitted = classifier().fit(X, y)
    probabilities = fitted.predict_proba(X)
    lower, upper = fitted.predict_proba_interval(X)
    assert (lower <= probabilities + 1e-12).all()
    assert (probabilities <= upper + 1e-12).all()
    assert lower.min() >= 0
    assert upper.max() <= 1


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_intervals_are_narrower_with_more_rows(classifier):
    X, y, _ = table_of(3000)
    widths = []
    for n in (150, 3000):
        lower, upper = classifier().fit(X[:n], y[:n]).predict_proba_interval(X[:100])
        widths.append((upper - lower).mean())
    assert widths[1] < 0.6 * widths[0]


def test_intervals_of_a_higher_level_are_wider():
    X, y, _ = table_of(200)
    fitted = AdditiveClassifier().fit(X, y)
    low, high = fitted.predict_proba_interval(X, level=0.5)
    lower, upper = fitted.predict_proba_interval(X, level=0.99)
    assert (lower < low).all()
    assert (upper > high).all()


@pytest.mark.parametrize("n_classes", [2, 3])
def test_about_95_percent_of_the_true_probabilities_are_in_their_interval(n_classes):
    found = []
    for seed in range(6):
        X, y, chances = table_of(900, n_classes, seed)
        fitted = AdditiveClassifier().fit(X[:600], y[:600])
        lower, upper = fitted.predict_proba_interval(X[600:])
        found.append(((lower <= chances[600:]) & (chances[600:] <= upper)).mean())
    assert 0.88 < np.mean(found) <= 1.0


def test_intervals_of_two_classes_mirror_each_other():
    X, y, _ = table_of(200)
    for classifier in CLASSIFIERS:
        lower, upper = classifier().fit(X, y).predict_proba_interval(X)
        np.testing.assert_allclose(lower[:, 0], 1 - upper[:, 1], atol=1e-9)


def test_what_shapes_leave_out_hardly_changes_intervals(monkeypatch):
    X, y, _ = table_of(300, 3)
    few = AdditiveClassifier().fit(X, y).predict_proba_interval(X)
    monkeypatch.setattr(curvature, "KEPT_SHARE", 1.0)
    monkeypatch.setattr(curvature, "MOST_SHAPES", 10**6)
    every = AdditiveClassifier().fit(X, y).predict_proba_interval(X)
    np.testing.assert_allclose(few, every, atol=0.02)


def test_intervals_are_computed_in_blocks(monkeypatch):
    X, y, _ = table_of(100)
    fitted = AdditiveClassifier().fit(X, y)
    whole = fitted.predict_proba_interval(X)
    monkeypatch.setattr("modlearn._model.uncertainty.NUMBERS_AT_ONCE", 300)
    np.testing.assert_allclose(fitted.predict_proba_interval(X), whole, atol=1e-12)


def test_a_value_never_seen_has_an_interval():
    X, y, _ = table_of(100)
    fitted = AdditiveClassifier().fit(X, y)
    lower, upper = fitted.predict_proba_interval(X[:3].assign(color="violet"))
    assert (lower < upper).all()


def test_a_class_that_is_alone_is_certain():
    for classifier in CLASSIFIERS:
        lower, upper = classifier().fit([[1], [2], [3]], ["a"] * 3).predict_proba_interval([[1]])
        assert lower.tolist() == upper.tolist() == [[1.0]]


def test_a_level_that_is_not_a_probability_is_refused():
    X, y, _ = table_of(50)
    with pytest.raises(ValueError, match=r"level is 95: pass a number between 0 and 1"):
        AdditiveClassifier().fit(X, y).predict_proba_interval(X, level=95)


def test_a_result_has_the_intervals_of_its_classifier(tmp_path):
    X, y, _ = table_of(120)
    result = modlearn.fit(X.assign(y=y), "y", method="additive")
    result.save(tmp_path / "model.json")
    found = result.predict_proba_interval(X)
    assert np.array_equal(found, result.classifier.predict_proba_interval(X))
    assert np.array_equal(found, modlearn.load(tmp_path / "model.json").predict_proba_interval(X))


def test_deviations_do_not_depend_on_the_order_of_rows():
    X, y, _ = table_of(150, 3)
    order = np.random.default_rng(1).permutation(len(X))
    first = AdditiveClassifier().fit(X, y).model_.to_dict()
    second = AdditiveClassifier(n_jobs=2).fit(X.iloc[order], y[order]).model_.to_dict()
    assert first == second


def test_a_model_that_is_only_tested_has_no_deviations(monkeypatch):
    X, y, _ = table_of(120)
    calls = []
    real = modlearn._fit.additive.table_covariance
    monkeypatch.setattr(
        modlearn._fit.additive, "table_covariance", lambda *a: calls.append(1) or real(*a)
    )
    modlearn.fit(X.assign(y=y), "y", method="additive")
    assert len(calls) == 1


# what terms add


@pytest.mark.parametrize("classifier", CLASSIFIERS)
def test_effects_have_mean_zero_over_rows_and_classes(classifier):
    X, y, _ = table_of(200, 3)
    for term in classifier().fit(X, y).model_.used_terms:
        scores, deviations = effects(term)
        rows = term.scored.cells.sum(axis=1)
        np.testing.assert_allclose(rows @ scores, 0.0, atol=1e-9)
        np.testing.assert_allclose(scores.sum(axis=1), 0.0, atol=1e-9)
        assert (deviations >= 0).all()
        assert deviations.shape == scores.shape


def test_contributions_to_training_rows_have_mean_zero_and_are_the_shapley_values():
    X, y, _ = table_of(300, 3)
    fitted = AdditiveClassifier(pairs=2).fit(X, y)
    explained, shapley = fitted.explain(X), fitted.shapley_values(X)
    np.testing.assert_allclose(explained.contributions.mean(axis=0), 0.0, atol=1e-9)
    np.testing.assert_allclose(shapley.contributions, explained.contributions, atol=1e-9)
    np.testing.assert_allclose(shapley.scores, fitted.decision_function(X), atol=1e-9)


def test_an_effect_of_two_classes_is_half_the_log_odds():
    X, y, _ = table_of(300)
    fitted = SelectiveNaiveBayesClassifier().fit(X, y)
    term = fitted.model_.used_terms[0]
    scores, _ = effects(term)
    odds = term.weight * (term.table[:, 1] - term.table[:, 0])
    np.testing.assert_allclose(np.diff(2 * scores[:, 1]), np.diff(odds), atol=1e-9)

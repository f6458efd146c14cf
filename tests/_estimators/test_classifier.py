import os
import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks
from tests._estimators.samples import CLASSIFIERS, all_facts

from modlearn import (
    AdditiveClassifier,
    BestUnivariateClassifier,
    Encoder,
    NaiveBayesClassifier,
    SelectiveNaiveBayesClassifier,
)
from modlearn.errors import ColumnError, TargetError

PARAMETERS = {"n_jobs": [2], "unlabeled": [-7], "method": ["averaged"], "pairs": [2]}


def small(kind):
    """The classifier with its defaults, but for all pairs: they take long, and two show as much."""
    return kind(pairs=2) if kind().get_params().get("pairs") == "all" else kind()


def variants(kind):
    """The classifier so, and with each other value of its parameters."""
    known = small(kind).get_params()
    others = [{n: v} for n, values in PARAMETERS.items() for v in values if n in known]
    return [
        clone(small(kind)).set_params(**other)
        for other in [{}, *others]
        if other != {"pairs": known.get("pairs")}
    ]


@pytest.fixture(params=[v for kind in CLASSIFIERS for v in variants(kind)], ids=str)
def classifier(request):
    return clone(request.param)


@pytest.fixture(params=CLASSIFIERS)
def kind(request):
    return request.param


# scikit-learn


@parametrize_with_checks([variant for kind in CLASSIFIERS for variant in variants(kind)])
def test_scikit_learns_checks_pass(estimator, check):
    check(estimator)


def test_scikit_learn_skips_no_check_that_could_be_run(kind):
    results = check_estimator(small(kind), on_skip=None)
    skipped = {result["check_name"] for result in results if result["status"] == "skipped"}
    assert skipped <= ({"check_array_api_input"} if "SCIPY_ARRAY_API" not in os.environ else set())


def test_a_clone_is_not_fitted(classifier, people):
    data, y = people
    fitted = classifier.fit(pd.DataFrame(data), y)
    with pytest.raises(NotFittedError, match="is not fitted yet"):
        clone(fitted).predict(pd.DataFrame(data))


def test_a_pickle_predicts_as_its_original(classifier, people):
    data, y = people
    X = pd.DataFrame(data)
    fitted = classifier.fit(X, y)
    again = pickle.loads(pickle.dumps(fitted))
    assert again.predict_proba(X).tolist() == fitted.predict_proba(X).tolist()
    assert again.weights_ == fitted.weights_


def test_a_second_fit_forgets_the_first(kind, people):
    data, y = people
    X, labels = np.array([[1.0, 0.0], [2.0, 0.0]] * 20), [7, 8] * 20
    fitted = kind().fit(pd.DataFrame(data), y).fit(X, labels)
    assert list(fitted.partitions_) == ["x0", "x1"]
    assert sum(weight > 0 for weight in fitted.weights_.values()) == 1
    assert fitted.predict(X).tolist() == labels
    assert not hasattr(fitted, "feature_names_in_")


def test_a_fit_that_fails_leaves_nothing_fitted(kind, people):
    data, y = people
    X = pd.DataFrame(data)
    fitted = small(kind).fit(X, y)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        fitted.fit(X[X.columns[::-1]], y[:2])
    # The old model would take each column for another.
    with pytest.raises(NotFittedError, match="is not fitted yet"):
        fitted.predict(X[X.columns[::-1]])


def test_the_classifier_stands_at_the_end_of_a_pipeline(kind, people):
    data, y = people
    pipeline = make_pipeline(FunctionTransformer(), kind())
    assert cross_val_score(pipeline, pd.DataFrame(data), y, cv=3).mean() > 0.6


def test_codes_made_by_another_transformer_are_learned(kind, people):
    data, y = people
    encoder = make_column_transformer(
        (Encoder(output="onehot"), make_column_selector(dtype_include="number"))
    )
    assert (
        make_pipeline(encoder, kind()).fit(pd.DataFrame(data), y).score(pd.DataFrame(data), y) > 0.6
    )


@pytest.mark.parametrize("method", ["sigmoid", "isotonic"])
def test_the_classifier_can_be_calibrated(kind, people, method):
    data, y = people
    calibrated = CalibratedClassifierCV(kind(), method=method, cv=3).fit(pd.DataFrame(data), y)
    assert np.isfinite(calibrated.predict_proba(pd.DataFrame(data))).all()


# what fit finds


def test_partitions_and_levels_are_those_of_the_encoder(classifier, people):
    data, y = people
    fitted, encoder = classifier.fit(pd.DataFrame(data), y), Encoder().fit(pd.DataFrame(data), y)
    assert all_facts(fitted) == all_facts(encoder)
    columns = [item for item in fitted.levels_.items() if item[0] in fitted.partitions_]
    assert columns == list(encoder.levels_.items())


def test_only_informative_variables_have_weights(classifier, people):
    data, y = people
    fitted = classifier.fit(pd.DataFrame(data), y)
    informative = {name for name, level in fitted.levels_.items() if level > 0}
    assert "member" not in informative
    # Scores that are learned together may need a column that is not informative alone.
    allowed = set(fitted.levels_) if isinstance(classifier, AdditiveClassifier) else informative
    assert set(fitted.weights_) <= allowed
    values = list(fitted.weights_.values())
    assert values == sorted(values, reverse=True)
    assert all(0 <= w <= 1 for w in values)


def test_every_kind_of_table_gives_the_same_probabilities(classifier, people, table):
    data, y = people
    reference = classifier.fit(pd.DataFrame(data), y).predict_proba(pd.DataFrame(data))
    other = classifier.fit(table(data), y).predict_proba(table(data))
    assert other.tolist() == reference.tolist()


def test_the_class_prior_is_the_share_of_the_labels(classifier):
    fitted = classifier.fit([[1, 0], [2, 0], [3, 0], [4, 0]], ["b", "a", "b", "b"])
    assert fitted.classes_.tolist() == ["a", "b"]
    assert fitted.class_prior_.tolist() == [0.25, 0.75]


def test_importances_are_weight_times_level_in_the_order_of_the_columns(people):
    data, y = people
    fitted = SelectiveNaiveBayesClassifier().fit(pd.DataFrame(data), y)
    products = [fitted.weights_.get(name, 0) * fitted.levels_[name] for name in data]
    np.testing.assert_allclose(fitted.feature_importances_, np.array(products) / sum(products))
    assert fitted.feature_importances_.sum() == pytest.approx(1)


def test_without_an_informative_column_the_prior_is_predicted(classifier):
    X = np.array([[1.0, 2.0]] * 6)
    fitted = classifier.fit(X, ["a", "b", "b", "b", "c", "c"])
    assert not any(fitted.weights_.values())
    assert fitted.predict(X).tolist() == ["b"] * 6
    np.testing.assert_allclose(fitted.predict_proba(X), [[1 / 6, 1 / 2, 1 / 3]] * 6)
    assert fitted.feature_importances_.tolist() == [0.0, 0.0]
    np.testing.assert_allclose(fitted.explain(X).scores, fitted.decision_function(X))


def test_one_class_is_predicted_for_all(classifier):
    fitted = classifier.fit([[1, 0], [2, 0], [3, 0]], ["a", "a", "a"])
    assert fitted.predict([[5, 0], [np.nan, 0]]).tolist() == ["a", "a"]
    assert fitted.predict_proba([[5, 0]]).tolist() == [[1.0]]


def test_a_class_of_one_row_is_learned_among_others(classifier):
    X = np.column_stack((np.arange(41.0), np.zeros(41)))
    fitted = classifier.fit(X, ["a"] * 20 + ["b"] * 20 + ["c"])
    assert fitted.predict([[3, 0], [33, 0]]).tolist() == ["a", "b"]
    assert (fitted.predict_proba(X) > 0).all()


def test_hundreds_of_classes_are_distinguished(classifier):
    codes = np.repeat(np.arange(300), 20)
    X, y = np.column_stack((codes // 20, codes % 20)), codes.astype(str)
    fitted = classifier.fit(X, y)
    assert fitted.predict_proba(X).shape == (6000, 300)
    # In the better column, each of 20 values identifies one class of its 15.
    classified = 20 if isinstance(classifier, BestUnivariateClassifier) else 300
    assert (fitted.predict(X) == y).mean() == pytest.approx(classified / 300)


def test_thousands_of_columns_are_weighed():
    rng = np.random.default_rng(0)
    y = np.arange(120) % 2
    X = rng.normal(size=(120, 3000)) + 0.6 * y[:, None] * (np.arange(3000) % 2)
    for method in ("weighted", "averaged"):
        fitted = SelectiveNaiveBayesClassifier(method=method).fit(X[:80], y[:80])
        assert len(fitted.weights_) > 256
        assert fitted.score(X[80:], y[80:]) > 0.75


# rows without a label, weights


def test_unlabeled_rows_move_the_cuts(kind):
    x = np.concatenate((np.arange(20.0), np.arange(100.0, 120.0), np.arange(20.0, 60.0)))
    X, y = np.column_stack((x, 0 * x)), [0] * 20 + [1] * 20 + [None] * 40
    fitted = kind().fit(X, y)
    assert all_facts(fitted) == all_facts(Encoder().fit(X, y))
    assert fitted.class_prior_.tolist() == [0.5, 0.5]
    assert fitted.predict([[38.0, 0], [42.0, 0]]).tolist() == [0, 1]


def test_a_marker_of_unlabeled_rows_is_not_a_class(kind):
    X, y = [[1, 0], [2, 0], [1, 0], [2, 0]] * 10, [0, 1, -1, -1] * 10
    assert kind(unlabeled=-1).fit(X, y).classes_.tolist() == [0, 1]


def test_rows_without_a_label_are_left_out_of_the_score(kind):
    X, y = [[1, 0], [2, 0], [1, 0], [2, 0]] * 10, [0.0, 1.0, None, -1.0] * 10
    fitted = kind(unlabeled=-1).fit(X, y)
    assert fitted.score(X, y) == fitted.score(X[::4] + X[1::4], y[::4] + y[1::4])


def test_weights_are_repeated_rows(classifier, people):
    data, y = people
    X, times = pd.DataFrame(data), np.arange(len(y)) % 3
    weighted = classifier.fit(X, y, sample_weight=times).predict_proba(X)
    rows = np.repeat(np.arange(len(y)), times)
    repeated = classifier.fit(X.iloc[rows], np.array(y)[rows]).predict_proba(X)
    assert weighted.tolist() == repeated.tolist()


# predictions


def test_probabilities_scores_and_classes_agree(classifier, people):
    data, _ = people
    X, y = pd.DataFrame(data), np.array(data["city"], dtype=object)
    fitted = classifier.fit(X.drop(columns="city").assign(n=[len(str(c)) for c in y]), y)
    X = X.drop(columns="city").assign(n=[len(str(c)) for c in y])
    probabilities, scores = fitted.predict_proba(X), fitted.decision_function(X)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1)
    np.testing.assert_allclose(np.log(probabilities), fitted.predict_log_proba(X))
    shares = np.exp(scores - scores.max(axis=1, keepdims=True))
    np.testing.assert_allclose(probabilities, shares / shares.sum(axis=1, keepdims=True))
    assert fitted.predict(X).tolist() == fitted.classes_[probabilities.argmax(axis=1)].tolist()


def test_of_two_classes_the_decision_is_the_log_odds_of_the_second(classifier, people):
    data, y = people
    fitted = classifier.fit(pd.DataFrame(data), y)
    odds = fitted.predict_log_proba(pd.DataFrame(data))
    np.testing.assert_allclose(
        fitted.decision_function(pd.DataFrame(data)), odds[:, 1] - odds[:, 0], atol=1e-12
    )


def test_missing_and_unseen_values_are_predicted(classifier, people):
    data, y = people
    fitted = classifier.fit(pd.DataFrame(data), y)
    new = pd.DataFrame(data).iloc[:2].assign(age=[np.nan, np.inf], city=["Paris", None])
    assert np.isfinite(fitted.predict_proba(new)).all()


def test_a_category_never_seen_adds_nothing_to_any_score(classifier, people):
    data, y = people
    fitted = classifier.fit(pd.DataFrame(data), y)
    new = pd.DataFrame(data).iloc[:1].assign(city="Atlantis")
    uses_city = ["city" in term.columns for term in fitted.model_.used_terms]
    explained = fitted.explain(new)
    contributions = explained.contributions
    assert not contributions[0, uses_city].any()
    others = contributions[0, ~np.array(uses_city, dtype=bool)].sum(axis=0)
    scores = explained.base + others
    np.testing.assert_allclose(fitted.decision_function(new), scores[1] - scores[0], atol=1e-12)


def test_an_identifier_that_repeats_leaves_new_rows_to_the_other_columns():
    rng = np.random.default_rng(0)
    y = np.repeat(rng.integers(0, 2, 100), 6)
    X = pd.DataFrame({"customer": np.repeat([f"c{i}" for i in range(100)], 6)})
    X["x"] = y + rng.normal(0, 0.8, 600)
    fitted = NaiveBayesClassifier().fit(X, y)
    new = X.assign(customer="somebody else")
    alone = NaiveBayesClassifier().fit(X[["x"]], y)
    assert fitted.predict_proba(new).tolist() == alone.predict_proba(X[["x"]]).tolist()


@pytest.mark.parametrize(
    "method", ["predict", "predict_proba", "predict_log_proba", "decision_function"]
)
def test_columns_are_found_by_name_whatever_their_order_and_whatever_else_is_there(
    classifier, people, method
):
    data, y = people
    X = pd.DataFrame(data)
    fitted = classifier.fit(X, y)
    turned = X[X.columns[::-1]].assign(extra="x")
    assert getattr(fitted, method)(turned).tolist() == getattr(fitted, method)(X).tolist()


def test_explanations_and_scores_find_columns_by_name(classifier, people):
    data, y = people
    X = pd.DataFrame(data)
    fitted = classifier.fit(X, y)
    turned = X[X.columns[::-1]].assign(extra="x")
    for method in (fitted.explain, fitted.shapley_values):
        assert method(turned).contributions.tolist() == method(X).contributions.tolist()
    assert fitted.score(turned, y) == fitted.score(X, y)


@pytest.mark.parametrize(
    ("names", "words"),
    [
        (["other", "b"], "Feature names unseen at fit time:\n- other\n.*now missing:\n- a\n"),
        (["b"], "Feature names seen at fit time, yet now missing:\n- a\n"),
    ],
)
def test_a_missing_column_is_named_in_scikit_learns_words(kind, names, words):
    X = pd.DataFrame({"a": [1, 2] * 20, "b": [1.0, 1.0] * 20})
    fitted = kind().fit(X, [0, 1] * 20)
    start = "The feature names should match those that were passed during fit.\n"
    for method in (fitted.predict, fitted.predict_proba, fitted.explain):
        with pytest.raises(ValueError, match=f"(?s){start}.*{words}"):
            method(pd.DataFrame({name: [1] for name in names}))


def test_an_array_is_predicted_by_the_order_of_its_columns_and_warned_of(kind):
    X = pd.DataFrame({"a": [1, 2] * 20, "b": [1.0, 1.0] * 20})
    fitted = kind().fit(X, [0, 1] * 20)
    with pytest.warns(UserWarning, match="X does not have valid feature names"):
        assert fitted.predict(X.to_numpy()).tolist() == fitted.predict(X).tolist()


def test_a_column_of_another_type_is_refused(people):
    data, y = people
    fitted = SelectiveNaiveBayesClassifier().fit(pd.DataFrame(data), y)
    with pytest.raises(ColumnError, match="Column 'age' holds text"):
        fitted.predict(pd.DataFrame(data).assign(age="old"))


def test_columns_without_a_weight_are_not_read(people):
    data, y = people
    fitted = SelectiveNaiveBayesClassifier().fit(pd.DataFrame(data), y)
    X = pd.DataFrame(data)
    changed = X.assign(member=[[1, 2]] * len(X))
    assert fitted.predict(changed).tolist() == fitted.predict(X).tolist()


def test_rows_without_any_label_are_refused(kind):
    with pytest.raises(TargetError, match="y has no label: all 2 rows are unlabeled"):
        kind().fit([[1, 0], [2, 0]], [None, None])


# explanations


def test_contributions_add_up_to_the_scores(classifier, people):
    data, y = people
    X = pd.DataFrame(data)
    fitted = classifier.fit(X, y)
    explained = fitted.explain(X)
    odds = explained.scores[:, 1] - explained.scores[:, 0]
    np.testing.assert_allclose(odds, fitted.decision_function(X), rtol=1e-12, atol=1e-12)


def test_contributions_start_from_the_prior_of_the_classes(classifier, people):
    data, y = people
    fitted = classifier.fit(pd.DataFrame(data), y)
    base = fitted.explain(pd.DataFrame(data)).base
    if isinstance(classifier, AdditiveClassifier):
        # Its base is the mean score, as the scores of every term are 0 on average.
        np.testing.assert_allclose(base, fitted.shapley_values(pd.DataFrame(data)).base)
    else:
        np.testing.assert_allclose(base, np.log(fitted.class_prior_))


def test_shapley_values_add_up_to_the_scores_and_average_to_zero(classifier, people):
    data, y = people
    X = pd.DataFrame(data)
    fitted = classifier.fit(X, y)
    shapley, explained = fitted.shapley_values(X), fitted.explain(X)
    np.testing.assert_allclose(shapley.scores, explained.scores, atol=1e-12)
    np.testing.assert_allclose(shapley.contributions.mean(axis=0), 0, atol=1e-12)
    np.testing.assert_allclose(shapley.base, explained.scores.mean(axis=0), atol=1e-12)


def test_an_explanation_names_the_variables_with_a_weight(people):
    data, y = people
    fitted = SelectiveNaiveBayesClassifier().fit(pd.DataFrame(data), y)
    names = fitted.explain(pd.DataFrame(data)).names
    assert set(names) == {name for name, weight in fitted.weights_.items() if weight > 0}

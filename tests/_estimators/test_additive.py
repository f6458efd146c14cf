"""Curves that are learned together: what they depend on, and what they do not."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import log_loss
from tests.oracles.shapley import shapley_values

import modlearn
from modlearn import AdditiveClassifier, SelectiveNaiveBayesClassifier

FEW = settings(max_examples=5, deadline=None)


@st.composite
def tables(draw, n_classes=None):
    """A frame of numbers with and without gaps, whole numbers and categories, and its classes."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, J = draw(st.integers(20, 120)), n_classes or draw(st.integers(2, 3))
    y = np.concatenate((np.arange(J), rng.integers(0, J, n - J)))
    X = pd.DataFrame(
        {
            "number": rng.normal(size=n) + draw(st.sampled_from([0.0, 1.0, 5.0])) * y,
            "gaps": np.where(rng.random(n) < 0.3, np.nan, rng.normal(size=n)),
            "whole": rng.integers(0, draw(st.sampled_from([1, 4, 60])), n) + y,
            "color": np.where(rng.random(n) < 0.5, "red", rng.choice(["green", "blue", "x"], n)),
        }
    )
    return X, y


def probabilities(X, y, seen=None, **parameters):
    fitted = AdditiveClassifier(**parameters).fit(X, y)
    return fitted.predict_proba(X if seen is None else seen)


# what must not matter


@FEW
@given(tables(), st.integers(0, 9))
def test_the_order_of_rows_does_not_matter(table, seed):
    X, y = table
    order = np.random.default_rng(seed).permutation(len(y))
    found = probabilities(X.iloc[order], y[order], seen=X)
    assert found.tolist() == probabilities(X, y).tolist()


@FEW
@given(tables())
def test_names_of_classes_in_the_same_order_do_not_matter(table):
    X, y = table
    found = probabilities(X, np.array(["low", "mid", "top"])[y])
    assert found.tolist() == probabilities(X, y).tolist()


@FEW
@given(tables(n_classes=3), st.permutations(range(3)))
def test_the_order_of_class_names_does_not_matter(table, new):
    X, y = table
    found = probabilities(X, np.array(new)[y])[:, new]
    np.testing.assert_allclose(found, probabilities(X, y), atol=1e-12)


@FEW
@given(tables())
def test_the_number_of_threads_does_not_matter(table):
    assert probabilities(*table, n_jobs=2).tolist() == probabilities(*table).tolist()


def test_threads_that_share_the_rows_of_a_large_table_do_not_matter():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 4000)
    X = rng.normal(size=(4000, 5)) + 0.5 * y[:, None]
    assert probabilities(X, y, n_jobs=2).tolist() == probabilities(X, y).tolist()


@FEW
@given(tables(), st.permutations(["number", "gaps", "whole", "color", "more"]))
def test_other_columns_and_their_order_do_not_matter_to_predictions(table, names):
    X, y = table
    found = probabilities(X, y, seen=X.assign(more="?")[list(names)])
    assert found.tolist() == probabilities(X, y).tolist()


@FEW
@given(tables(), st.sampled_from([(4.0, 0.0), (0.3, 0.0), (1.8, 32.0)]))
def test_the_unit_of_a_number_does_not_matter(table, unit):
    X, y = table
    scale, shift = unit
    moved = X.assign(number=scale * X["number"] + shift, gaps=scale * X["gaps"] + shift)
    np.testing.assert_allclose(probabilities(moved, y), probabilities(X, y), rtol=0, atol=1e-4)


@FEW
@given(tables(), st.integers(0, 9))
def test_a_weight_is_a_row_that_repeats(table, seed):
    X, y = table
    times = np.random.default_rng(seed).integers(0, 4, len(y))
    times[:3] = 1
    weighted = AdditiveClassifier().fit(X, y, sample_weight=times).predict_proba(X)
    rows = np.repeat(np.arange(len(y)), times)
    assert weighted.tolist() == probabilities(X.iloc[rows], y[rows], seen=X).tolist()


@FEW
@given(tables())
def test_rows_without_a_label_change_cuts_only(table):
    X, y = table
    both = pd.concat((X, X))
    labels = [*y.astype(object), *[None] * len(y)]
    found, expected = (AdditiveClassifier().fit(*data).model_ for data in ((both, labels), (X, y)))
    for one, other in zip(found.terms, expected.terms, strict=True):
        assert one.bins.unlabeled_counts.tolist() == one.bins.counts.sum(axis=1).tolist()
        assert other.bins.unlabeled_counts.sum() == 0
        assert one.bins.counts.sum(axis=0).tolist() == other.bins.counts.sum(axis=0).tolist()


# files and explanations


@FEW
@given(table=tables())
def test_a_saved_classifier_predicts_the_same_to_the_last_bit(tmp_path_factory, table):
    X, y = table
    fitted = AdditiveClassifier().fit(X, y)
    path = tmp_path_factory.mktemp("saved") / "model.json"
    fitted.save(path)
    again = modlearn.load(path)
    assert again.predict_proba(X).tobytes() == fitted.predict_proba(X).tobytes()
    assert again.weights_ == fitted.weights_
    assert again.feature_importances_.tolist() == fitted.feature_importances_.tolist()


@FEW
@given(tables())
def test_explanations_add_up_to_the_scores(table):
    X, y = table
    fitted = AdditiveClassifier().fit(X, y)
    expected = fitted.model_.scores(fitted._batch(X))
    for explained in (fitted.explain(X), fitted.shapley_values(X)):
        np.testing.assert_allclose(explained.scores, expected, rtol=0, atol=1e-12)


@FEW
@given(tables())
def test_contributions_are_zero_on_average_over_the_training_rows(table):
    X, y = table
    added = AdditiveClassifier().fit(X, y).explain(X).contributions
    np.testing.assert_allclose(added.mean(axis=0), 0, atol=1e-12)


@FEW
@given(tables())
def test_a_category_never_seen_adds_nothing(table):
    X, y = table
    fitted = AdditiveClassifier().fit(X, y)
    explained = fitted.explain(X.assign(color="never seen"))
    others = [k for k, name in enumerate(explained.names) if name != "color"]
    assert not np.delete(explained.contributions, others, axis=1).any()
    np.testing.assert_array_equal(
        explained.contributions[:, others], fitted.explain(X).contributions[:, others]
    )


@FEW
@given(tables())
def test_numbers_beyond_those_seen_have_the_scores_of_the_outermost_bins(table):
    X, y = table
    fitted = AdditiveClassifier().fit(X, y)
    for beyond, known in ((-np.inf, X["number"].min()), (np.inf, X["number"].max())):
        found, expected = (fitted.predict_proba(X.assign(number=v)) for v in (beyond, known))
        assert found.tolist() == expected.tolist()


# what it learns


def test_left_out_rows_are_more_probable_than_under_a_selective_naive_bayes():
    X, y = load_breast_cancer(return_X_y=True)
    losses = [
        log_loss(y[1::2], kind().fit(X[::2], y[::2]).predict_proba(X[1::2]))
        for kind in (AdditiveClassifier, SelectiveNaiveBayesClassifier)
    ]
    assert losses[0] < losses[1]


def test_a_curve_follows_a_signal_that_rises_and_falls():
    rng = np.random.default_rng(0)
    x = rng.uniform(-2, 2, 2000)
    y = rng.random(2000) < np.where(np.abs(x) < 1, 0.8, 0.2)
    fitted = AdditiveClassifier().fit(x[:, None], y)
    inside, outside = fitted.predict_proba([[0.0], [0.5], [-1.6], [1.6]])[:, 1].reshape(2, 2)
    assert (inside > 0.7).all()
    assert (outside < 0.3).all()


def test_a_column_that_is_informative_only_with_another_has_a_curve():
    rng = np.random.default_rng(0)
    common, rest = rng.normal(size=(2, 500))
    X = pd.DataFrame({"sum": common + rest, "noise": rest})
    fitted = AdditiveClassifier().fit(X, common > 0)
    assert fitted.levels_["noise"] == 0
    assert fitted.weights_["noise"] > 0.2
    assert fitted.score(X, common > 0) > 0.9


def test_importances_are_mean_absolute_scores():
    rng = np.random.default_rng(2)
    X = pd.DataFrame(rng.normal(size=(300, 3)), columns=["a", "b", "c"])
    y = X["a"] + 0.5 * X["b"] > 0
    fitted = AdditiveClassifier().fit(X, y)
    means = np.abs(fitted.explain(X).contributions).mean(axis=(0, 2))
    found = dict(zip(fitted.explain(X).names, means / means.sum(), strict=True))
    expected = [found.get(name, 0.0) for name in X.columns]
    np.testing.assert_allclose(fitted.feature_importances_, expected, atol=1e-12)
    assert list(fitted.weights_) == ["a", "b", "c"]


def test_parameters_of_other_classifiers_are_refused():
    with pytest.raises(TypeError, match="unexpected keyword argument 'method'"):
        AdditiveClassifier(method="weighted")


# Shapley values


def crossed(n=600):
    """Three bits that are odd together, two columns that cross, and one that counts alone."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 2, (n, 3)), columns=[*"abc"])
    X["d"], X["e"], X["f"] = rng.normal(size=n).round(1), rng.choice(["x", "z"], n), rng.random(n)
    X.loc[::9, "d"] = np.nan
    odd, cross = X[[*"abc"]].sum(axis=1) % 2 == 1, (X["d"] > 0) ^ (X["e"] == "x")
    y = np.where(odd & (rng.random(n) < 0.9), "odd", np.where(cross, "cross", "plain"))
    return X, np.where((X["f"] > 0.7) & (rng.random(n) < 0.8), "plain", y)


@pytest.mark.parametrize(
    ("classifier", "sizes"),
    [(AdditiveClassifier, {1, 2, 3}), (SelectiveNaiveBayesClassifier, {1, 2})],
)
def test_shapley_values_with_pairs_and_trees_are_those_of_all_coalitions(classifier, sizes):
    X, y = crossed()
    labels = pd.Series(y).where(np.arange(len(y)) % 6 > 0)
    fitted = classifier(pairs=True).fit(X, labels)
    model = fitted.model_
    assert {len(term.columns) for term in model.used_terms} == sizes
    asked = X.iloc[[0, 7, 9]].reset_index(drop=True)
    asked.loc[1, "e"] = "never seen"
    training = fitted._batch(X[labels.notna()])
    n, known, own = training.n_rows, model.codes(training), model.codes(fitted._batch(asked))
    found = fitted.shapley_values(asked)
    for row in range(len(asked)):

        def value(coalition, row=row):
            """Mean score of the training rows if they had the parts of the coalition."""
            codes = [
                np.full(n, own[k][row]) if k in coalition else known[k] for k in range(len(known))
            ]
            return model.scores_of(codes, n).mean(axis=0)

        expected = shapley_values(value, len(known))
        np.testing.assert_allclose(found.contributions[row], expected, atol=1e-10)
        np.testing.assert_allclose(found.base, value(frozenset()), atol=1e-10)

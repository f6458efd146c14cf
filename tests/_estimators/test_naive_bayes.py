import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.exceptions import NotFittedError
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV

from modlearn import (
    NaiveBayesClassifier,
    SelectiveNaiveBayesClassifier,
)
from modlearn._fit.model import pair_price
from modlearn.criteria import axis_prior

METHODS = ["weighted", "averaged"]


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True, as_frame=True)


# weights


def test_all_weights_of_the_plain_naive_bayes_are_one(iris):
    assert set(NaiveBayesClassifier().fit(*iris).weights_.values()) == {1.0}


@pytest.mark.parametrize("method", METHODS)
def test_a_copied_column_changes_no_more_than_it_should(iris, method):
    X, y = iris
    alone = SelectiveNaiveBayesClassifier(method=method).fit(X, y)
    copied = X.assign(copy=X["petal width (cm)"], again=X["petal width (cm)"])
    together = SelectiveNaiveBayesClassifier(method=method).fit(copied, y)
    plain = NaiveBayesClassifier().fit(copied, y)
    difference = np.abs(alone.predict_proba(X) - together.predict_proba(copied)).max()
    worse = np.abs(alone.predict_proba(X) - plain.predict_proba(copied)).max()
    assert difference < 0.5 * worse


def test_copies_share_one_weight_or_have_exactly_none(iris):
    X, y = iris
    alone = SelectiveNaiveBayesClassifier().fit(X, y).weights_
    copied = X.assign(copy=X["petal width (cm)"], again=X["petal width (cm)"])
    weights = SelectiveNaiveBayesClassifier().fit(copied, y).weights_
    together = [weights[name] for name in ("petal width (cm)", "copy", "again")]
    # The price of a unit of weight depends a little on the number of variables.
    assert sum(together) == pytest.approx(alone["petal width (cm)"], abs=0.01)
    assert all(weight == 0 or weight > 1e-9 for weight in weights.values())


@pytest.mark.parametrize("method", METHODS)
def test_weights_cure_the_overconfidence_of_naive_bayes(method):
    X, y = load_breast_cancer(return_X_y=True)
    train, test = np.arange(len(y)) % 2 == 0, np.arange(len(y)) % 2 == 1
    plain = NaiveBayesClassifier().fit(X[train], y[train])
    weighted = SelectiveNaiveBayesClassifier(method=method).fit(X[train], y[train])
    losses = [log_loss(y[test], fitted.predict_proba(X[test])) for fitted in (plain, weighted)]
    assert losses[1] < 0.5 * losses[0]


def test_a_seed_is_repeated_and_another_one_gives_other_orders():
    X, y = load_breast_cancer(return_X_y=True)

    def weights(seed):
        return (
            SelectiveNaiveBayesClassifier(method="averaged", random_state=seed).fit(X, y).weights_
        )

    assert weights(0) == weights(0)
    assert weights(0) != weights(1)


def test_a_grid_search_tries_both_methods(iris):
    search = GridSearchCV(SelectiveNaiveBayesClassifier(), {"method": METHODS}, cv=3).fit(*iris)
    assert (search.cv_results_["mean_test_score"] > 0.9).all()


def test_an_unknown_method_is_answered_with_the_known_ones():
    message = r"The 'method' parameter of SelectiveNaiveBayesClassifier must be a str among"
    with pytest.raises(ValueError, match=message):
        SelectiveNaiveBayesClassifier(method="best").fit([[1], [2]], [0, 1])


# what must not matter


@pytest.fixture(scope="module", params=METHODS)
def large(request):
    """2,000 rows of mixed types, 4 classes, and the probabilities learned from them."""
    rng = np.random.default_rng(3)
    y = rng.integers(0, 4, 2000)
    X = pd.DataFrame(
        {
            "a": rng.normal(size=2000) + y,
            "b": rng.normal(size=2000) - 0.5 * y,
            "c": [f"value {v}" for v in (rng.integers(0, 12, 2000) + 2 * y)],
            "d": rng.normal(size=2000),
        }
    )
    X["e"] = X["a"] + 0.3 * rng.normal(size=2000)
    model = SelectiveNaiveBayesClassifier(method=request.param)
    return X, y, model, model.fit(X, y).predict_proba(X)


def test_threads_do_not_change_the_probabilities(large):
    X, y, model, expected = large
    for n_jobs in (2, -1):
        threaded = SelectiveNaiveBayesClassifier(method=model.method, n_jobs=n_jobs).fit(X, y)
        assert threaded.predict_proba(X).tolist() == expected.tolist()


def test_the_order_of_rows_does_not_change_the_probabilities(large):
    X, y, model, expected = large
    order = np.random.default_rng(0).permutation(len(y))
    again = SelectiveNaiveBayesClassifier(method=model.method).fit(X.iloc[order], y[order])
    assert again.predict_proba(X).tolist() == expected.tolist()


def test_the_names_of_classes_do_not_change_the_probabilities(large):
    X, y, model, expected = large
    names = np.array(["d", "c", "b", "a"])
    renamed = SelectiveNaiveBayesClassifier(method=model.method).fit(X, names[y])
    np.testing.assert_allclose(renamed.predict_proba(X)[:, ::-1], expected, atol=1e-5)


def test_an_increasing_transform_does_not_change_the_probabilities(large):
    X, y, model, expected = large
    moved = X.assign(a=np.exp(X["a"]), b=X["b"] ** 3)
    again = SelectiveNaiveBayesClassifier(method=model.method).fit(moved, y)
    assert again.predict_proba(moved).tolist() == expected.tolist()


@pytest.fixture(scope="module")
def paired():
    """600 rows of three columns, two of them informative only together, and what pairs learn."""
    rng = np.random.default_rng(5)
    X = pd.DataFrame(rng.random((600, 2)), columns=["x", "z"])
    X["color"] = rng.choice(["red", "green", "blue", "gray"], 600)
    wrong = rng.random(600) < 0.1
    y = (X["x"] > 0.5) ^ X["color"].isin(["red", "green"]) ^ wrong
    y = np.where((X["z"] > 0.8) & (rng.random(600) < 0.7), 2, y)
    model = SelectiveNaiveBayesClassifier(pairs=True).fit(X, y)
    assert model.weights_["x", "color"] > 0
    return X, y, model.predict_proba(X)


def test_threads_do_not_change_what_pairs_contribute(paired):
    X, y, expected = paired
    threaded = SelectiveNaiveBayesClassifier(pairs=True, n_jobs=2).fit(X, y)
    assert threaded.predict_proba(X).tolist() == expected.tolist()


def test_the_order_of_rows_does_not_change_what_pairs_contribute(paired):
    X, y, expected = paired
    order = np.random.default_rng(0).permutation(len(y))
    again = SelectiveNaiveBayesClassifier(pairs=True).fit(X.iloc[order], y[order])
    assert again.predict_proba(X).tolist() == expected.tolist()


def test_the_names_of_classes_do_not_change_what_pairs_contribute(paired):
    X, y, expected = paired
    renamed = SelectiveNaiveBayesClassifier(pairs=True).fit(X, np.array(["c", "b", "a"])[y])
    np.testing.assert_allclose(renamed.predict_proba(X)[:, ::-1], expected, atol=1e-5)


rows = st.lists(
    st.tuples(st.integers(0, 4), st.sampled_from(["r", "g", None]), st.integers(0, 2)),
    min_size=4,
    max_size=60,
)


@settings(max_examples=60, deadline=None)
@given(rows, st.randoms(use_true_random=False), st.sampled_from(METHODS))
def test_the_order_of_few_rows_does_not_matter(rows, random, method):
    X, shuffled = rows * 3, rows * 3
    random.shuffle(shuffled)
    model = SelectiveNaiveBayesClassifier(method=method)
    one, other = (
        model.fit([row[:2] for row in table], [row[2] for row in table]).predict_proba(
            [row[:2] for row in rows]
        )
        for table in (X, shuffled)
    )
    assert one.tolist() == other.tolist()


@settings(max_examples=60, deadline=None)
@given(rows, st.sampled_from(METHODS))
def test_probabilities_of_any_table_are_probabilities(rows, method):
    model = SelectiveNaiveBayesClassifier(method=method)
    table = [row[:2] for row in rows]
    found = model.fit(table, [row[2] for row in rows]).predict_proba(table)
    np.testing.assert_allclose(found.sum(axis=1), 1)
    assert (found > 0).all()


# pairs


@pytest.fixture(scope="module")
def coins():
    """Two coins that together show who wins, and a third that is not informative."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.integers(0, 2, (200, 3)), columns=["mine", "yours", "other"])
    return X, np.where(X["mine"] == X["yours"], "me", "you")


@pytest.mark.parametrize("pairs", [True, "all", [("yours", "mine")], 1, 30.0])
def test_a_pair_is_informative_where_no_column_is_alone(coins, pairs):
    X, y = coins
    assert NaiveBayesClassifier().fit(X, y).weights_ == {}
    fitted = SelectiveNaiveBayesClassifier(pairs=pairs).fit(X, y)
    (pair,) = fitted.weights_
    assert set(pair) == {"mine", "yours"}
    assert fitted.score(X, y) == 1.0
    assert fitted.explain(X).names == (pair,)
    assert fitted.feature_importances_.tolist() == [0.5, 0.5, 0.0]


def test_a_pair_with_one_informative_column_is_that_column_again(coins):
    X, _ = coins
    fitted = NaiveBayesClassifier(pairs=True).fit(X, X["mine"])
    assert set(fitted.weights_) == {"mine"}
    assert len(fitted.grids_) == 3


def test_without_pairs_no_grid_is_searched(coins):
    assert SelectiveNaiveBayesClassifier().fit(*coins).grids_ == {}


def test_a_grid_search_tries_with_and_without_pairs(coins):
    values = np.array([False, True])
    search = GridSearchCV(SelectiveNaiveBayesClassifier(), {"pairs": values}, cv=3).fit(*coins)
    assert search.best_params_ == {"pairs": True}
    assert search.best_score_ == 1.0


@pytest.mark.parametrize(("pairs", "complete"), [(False, True), (2, True), (1e-9, False)])
def test_a_classifier_says_whether_all_pairs_were_searched(coins, pairs, complete):
    assert NaiveBayesClassifier(pairs=pairs).fit(*coins).complete_ is complete


@pytest.mark.parametrize("pairs", [True, 3, 600.0])
def test_an_interruption_leaves_a_classifier_of_the_pairs_found(coins, pairs):
    def interrupt(stage, done, total):
        if done == 1:
            raise KeyboardInterrupt

    with pytest.warns(UserWarning, match="Interrupted after 1 pair: the others are missing"):
        fitted = NaiveBayesClassifier(pairs=pairs, progress=interrupt).fit(*coins)
    assert len(fitted.grids_) == 1
    assert not fitted.complete_


def test_an_interruption_before_the_first_pair_leaves_no_classifier(coins):
    def interrupt(stage, done, total):
        raise KeyboardInterrupt

    classifier = NaiveBayesClassifier(pairs=True, progress=interrupt)
    with pytest.raises(KeyboardInterrupt):
        classifier.fit(*coins)
    with pytest.raises(NotFittedError, match="is not fitted yet"):
        classifier.predict(coins[0])


def test_one_column_has_no_pair():
    fitted = NaiveBayesClassifier(pairs=True).fit([[1], [2]] * 20, [0, 1] * 20)
    assert fitted.complete_
    assert fitted.predict([[1], [2]]).tolist() == [0, 1]


def test_a_pair_of_unknown_columns_is_refused(coins):
    with pytest.raises(ValueError, match="pairs names the column 'his'"):
        SelectiveNaiveBayesClassifier(pairs=[("mine", "his")]).fit(*coins)


def test_a_pair_pays_the_mean_prior_of_the_parts_of_its_columns_beyond_one_cell():
    X, y = load_wine(return_X_y=True, as_frame=True)
    X = X[["alcohol", "flavanoids"]]
    grids = NaiveBayesClassifier(pairs=True).fit(X, y).grids_
    price = pair_price(*grids.values())
    expected = axis_prior(178, None, 2) + axis_prior(178, None, 3) - 2 * axis_prior(178, None, 1)
    assert price == pytest.approx(expected / 2)


def test_pairs_that_add_no_information_leave_the_probabilities_as_they_are():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 150)
    X = pd.DataFrame({f"x{i}": y + rng.normal(0, 1.2, 150) for i in range(10)})
    alone, together = (SelectiveNaiveBayesClassifier(pairs=p).fit(X, y) for p in (False, True))
    new_y = rng.integers(0, 2, 2000)
    new = pd.DataFrame({f"x{i}": new_y + rng.normal(0, 1.2, 2000) for i in range(10)})
    losses = [log_loss(new_y, bayes.predict_proba(new)) for bayes in (alone, together)]
    assert losses[1] < 1.05 * losses[0]

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.datasets import make_moons
from sklearn.exceptions import NotFittedError
from tests._estimators.propagation_samples import GROUPS, X, blobs, facts_of, labels, ldp

from modlearn import LabelDistributionPropagation


@pytest.fixture
def fitted():
    return ldp().fit(X, labels("left", "right"))


# what fit finds


def test_fit_returns_the_estimator():
    unfitted = ldp()
    assert unfitted.fit(X, labels(0, 1)) is unfitted


def test_every_row_that_a_label_reaches_gets_it(fitted):
    assert fitted.transduction_.tolist() == ["left"] * 4 + ["right"] * 4 + [None] * 3


def test_distributions_add_up_to_one_where_a_row_is_decided(fitted):
    assert fitted.label_distributions_.tolist() == [[1, 0]] * 4 + [[0, 1]] * 4 + [[0, 0]] * 3


def test_the_unknown_mass_grows_with_the_distance_from_labels(fitted):
    # Row 1 lists row 0, row 2 lists row 1, and row 3 both row 1 and row 2.
    assert fitted.unknown_mass_[:4].tolist() == [0.0, 0.5, 0.75, 0.625]
    assert fitted.unknown_mass_[8:].tolist() == [1.0, 1.0, 1.0]
    np.testing.assert_allclose(np.exp(fitted.log_known_mass_), 1 - fitted.unknown_mass_)


def test_the_order_is_that_of_decisions(fitted):
    # Rows 1 and 6 know equally much, then rows 2 to 5: the one nearer to its last neighbor is
    # first. Of row 4 more is known when row 5 is.
    assert fitted.order_.tolist() == [1, 6, 5, 4, 2, 3]


def test_the_engine_is_reported(fitted):
    assert (fitted.engine_, fitted.recall_) == ("kdtree", 1.0)
    assert ldp(engine="brute").fit(X, labels(0, 1)).engine_ == "brute"
    assert ldp().fit(np.random.default_rng(0).random((11, 200)), labels(0, 1)).engine_ == "brute"


def test_the_recall_of_an_approximate_engine_is_reported():
    points, y, classes = blobs(n=1000, d=12)
    spread = LabelDistributionPropagation(engine="approximate").fit(points, y)
    assert spread.engine_ == "approximate"
    assert 0.95 <= spread.recall_ <= 1.0
    assert (spread.transduction_ == classes).mean() > 0.8


# Row 2 is far away: rows 0 and 1 are its neighbors, and it is not a neighbor of either.
ASIDE = np.array([[0.0], [1.0], [10.0]])


def test_one_pass_does_not_reach_a_row_that_only_lists_unlabeled_rows_as_neighbors():
    published = ldp(n_neighbors=1).fit(ASIDE, [None, None, "a"])
    assert published.transduction_.tolist() == [None, None, "a"]


def test_by_default_rows_are_reached_by_those_that_they_are_neighbors_of():
    spread = LabelDistributionPropagation(n_neighbors=1, representation="raw")
    spread.fit(ASIDE, [None, None, "a"])
    assert spread.transduction_.tolist() == ["a", "a", "a"]
    # Row 2 lists row 1, which lists row 0.
    assert spread.order_.tolist() == [1, 0]


def test_a_chain_of_100_000_rows_is_decided_to_its_middle():
    n = 100_000
    y = np.full(n, -1)
    y[0], y[-1] = 0, 1
    # Gaps that grow towards the middle leave no ties in distance.
    gaps = 1 + np.minimum(np.arange(n), np.arange(n)[::-1]) / n
    chain = ldp().fit(np.cumsum(gaps)[:, None], y)
    assert len(chain.order_) == n - 2
    assert (chain.transduction_[: n // 2 - 2] == 0).all()
    assert (chain.transduction_[n // 2 + 2 :] == 1).all()
    assert (chain.transduction_ >= 0).all()
    assert np.isfinite(chain.log_known_mass_).all()
    assert chain.log_known_mass_.min() < -10_000


def test_two_moons_are_told_apart_by_two_labels():
    points, classes = make_moons(600, noise=0.05, random_state=0)
    y = np.full(600, -1)
    # A label at one end of each, which the other moon bends around.
    for c, side in ((0, np.argmin), (1, np.argmax)):
        rows = np.flatnonzero(classes == c)
        y[rows[side(points[rows, 0])]] = c
    moons = ldp(n_neighbors=7).fit(points, y)
    assert (moons.transduction_ == classes).all()


def test_a_second_fit_forgets_the_first():
    first = LabelDistributionPropagation(n_neighbors=2).fit(
        pd.DataFrame({"a": X[:, 0], "b": GROUPS}), labels("a", "b")
    )
    again = first.fit(X[:5], [3, None, 4, None, 5])
    assert facts_of(again) == facts_of(
        LabelDistributionPropagation(n_neighbors=2).fit(X[:5], [3, None, 4, None, 5])
    )
    assert again.n_features_in_ == 1
    assert not hasattr(again, "feature_names_in_")


def test_a_graph_forgets_the_columns_of_an_earlier_table():
    first = ldp().fit(pd.DataFrame({"a": X[:, 0]}), labels(0, 1))
    lists = np.array([[1], [0]]), np.ones((2, 1))
    again = first.set_params(representation="precomputed").fit(lists, [0, None])
    assert not hasattr(again, "feature_names_in_")
    assert not hasattr(again, "n_features_in_")


@pytest.mark.parametrize("engine", ["auto", "kdtree", "brute", "approximate"])
def test_one_row_is_its_own_answer(engine):
    one = LabelDistributionPropagation(engine=engine).fit([[1.0]], ["a"])
    assert one.transduction_.tolist() == one.predict([[7.0]]).tolist() == ["a"]


# sweeps


def test_a_sweep_averages_once_more():
    once = ldp(sweeps=1).fit(X, labels(0, 1))
    # Rows 1 and 2 now average each other and the rows that list them; row 3 counts row 2 twice.
    np.testing.assert_allclose(once.unknown_mass_[:4], [0, 0.425, 0.45, 2 / 3], rtol=1e-12)
    assert once.order_.tolist() == ldp().fit(X, labels(0, 1)).order_.tolist()


# new rows


def test_a_new_row_is_the_average_of_its_neighbors(fitted):
    # The nearest rows are 1 and 2.
    assert fitted.predict([[1.6]]).tolist() == ["left"]
    assert fitted.predict_proba([[1.6]]).tolist() == [[1.0, 0.0]]
    assert fitted.predict_unknown([[1.6]]).tolist() == [0.625]


def test_a_training_row_is_a_row_like_any_other():
    # Its nearest neighbor is itself: exactly n_neighbors rows are averaged.
    spread = ldp(n_neighbors=1).fit(X, labels("a", "b"))
    assert spread.predict(X).tolist() == spread.transduction_.tolist()


def test_probabilities_add_up_to_one():
    points, y, _ = blobs()
    found = ldp(n_neighbors=8).fit(points, y).predict_proba(blobs(seed=1)[0])
    np.testing.assert_allclose(found.sum(1), 1.0, rtol=1e-12)


def test_new_rows_are_classified_well():
    points, y, _ = blobs()
    new, _, classes = blobs(seed=1)
    assert LabelDistributionPropagation().fit(points, y).score(new, classes) > 0.9


def test_to_abstain_is_an_error(fitted):
    y = ["left"] * 4 + ["right"] * 4 + ["left"] * 3
    assert fitted.score(X, y) == pytest.approx(8 / 11)
    assert fitted.score(X, y, sample_weight=[1] * 8 + [0] * 3) == 1.0


@pytest.mark.parametrize("wrap", [list, np.array, pd.Series, pl.Series, pd.DataFrame])
def test_classes_to_score_by_come_as_those_to_learn_from(fitted, wrap):
    y = ["left"] * 3 + ["right"] * 8
    assert fitted.score(X, wrap(y)) == pytest.approx(7 / 11)


@pytest.mark.filterwarnings("ignore:A column-vector y")
def test_a_column_of_classes_scores_as_a_vector(fitted):
    y = np.array(["left"] * 3 + ["right"] * 8)
    assert fitted.score(X, y[:, None]) == fitted.score(X, y)


@pytest.mark.parametrize("none", [None, np.nan])
def test_rows_without_a_class_are_not_scored(fitted, none):
    # Of the last three rows nothing is known: to abstain there is neither right nor wrong.
    y = ["left"] * 3 + ["right"] * 5 + [none] * 3
    assert fitted.score(X, y) == pytest.approx(7 / 8)
    assert fitted.score(X, y, sample_weight=[0] * 4 + [1] * 3 + [4] * 4) == 1.0
    numbers = ldp().fit(X, labels(0, 1))
    assert numbers.score(X, [0] * 3 + [1] * 5 + [-1] * 3) == pytest.approx(7 / 8)


def test_classes_of_another_number_of_rows_are_refused(fitted):
    with pytest.raises(ValueError, match=r"inconsistent numbers of samples: \[11, 2\]"):
        fitted.score(X, ["left", "right"])


@pytest.mark.parametrize("method", ["predict", "predict_proba", "predict_unknown"])
def test_nothing_is_known_before_fit(method):
    message = "This LabelDistributionPropagation instance is not fitted"
    with pytest.raises(NotFittedError, match=message):
        getattr(ldp(), method)(X)


def test_a_column_too_many_is_named():
    spread = ldp().fit(pd.DataFrame({"a": X[:, 0]}), labels(0, 1))
    with pytest.raises(ValueError, match=r"(?s)feature names should match.*unseen.*- extra"):
        spread.predict(pd.DataFrame({"a": [1.0], "extra": [2.0]}))


def test_another_number_of_columns_is_named(fitted):
    message = "X has 2 features, but LabelDistributionPropagation is expecting 1 features"
    with pytest.raises(ValueError, match=message):
        fitted.predict([[1.0, 2.0]])


# what must not matter


def test_threads_do_not_change_the_result():
    points, y, _ = blobs(n=3000)
    one, two, all_ = (ldp(n_neighbors=8, sweeps=1, n_jobs=n).fit(points, y) for n in (1, 2, -1))
    assert facts_of(one) == facts_of(two) == facts_of(all_)


@pytest.mark.parametrize("sweeps", [0, 10])
@pytest.mark.parametrize("representation", ["raw", "auto"])
def test_exact_engines_do_not_change_the_result(representation, sweeps):
    points, y, _ = blobs(n=1000, d=8)
    auto, tree, brute = (
        ldp(engine=engine, representation=representation, sweeps=sweeps).fit(points, y)
        for engine in ("auto", "kdtree", "brute")
    )
    assert facts_of(auto) == facts_of(tree) == facts_of(brute)
    new = blobs(n=50, d=8, seed=1)[0]
    np.testing.assert_array_equal(tree.predict_proba(new), brute.predict_proba(new))


def test_the_order_of_rows_does_not_change_the_result():
    # Distances of a row are its own: points have pairs that are each other's last neighbor.
    rng = np.random.default_rng(0)
    n, k = 300, 4
    rows = np.array([(i + 1 + rng.permutation(n - 1)[:k]) % n for i in range(n)])
    far, y = np.sort(rng.random((n, k)), axis=1), np.where(np.arange(n) < 6, np.arange(n) % 3, -1)
    order = rng.permutation(n)
    moved = np.argsort(order)[rows[order]], far[order]
    one = ldp(n_neighbors=k, representation="precomputed").fit((rows, far), y)
    other = clone(one).fit(moved, y[order])
    assert len(one.order_) == n - 6
    np.testing.assert_array_equal(order[other.order_], one.order_)
    np.testing.assert_allclose(
        other.label_distributions_, one.label_distributions_[order], rtol=0, atol=1e-12
    )
    np.testing.assert_allclose(other.log_known_mass_, one.log_known_mass_[order], atol=1e-12)


def test_the_given_table_and_labels_are_left_alone():
    points, y, _ = blobs()
    before = points.copy(), y.copy()
    LabelDistributionPropagation(sweeps=1).fit(points, y).predict(points)
    np.testing.assert_array_equal(points, before[0])
    np.testing.assert_array_equal(y, before[1])

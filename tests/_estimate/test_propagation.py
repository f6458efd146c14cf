import os
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import make_moons
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.neighbors import kneighbors_graph
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import check_estimator, parametrize_with_checks

from modlearn import LabelDistributionPropagation
from modlearn._model.propagation import Decision
from modlearn.errors import ColumnError, TargetError

# scikit-learn

VARIANTS = [
    LabelDistributionPropagation(),
    LabelDistributionPropagation(unlabeled=None, engine="brute"),
    LabelDistributionPropagation(representation="raw", sweeps=0, class_prior="uniform", n_jobs=1),
]


def expected_failures(estimator):
    """Checks that ask for what the method is not."""
    votes = "weights are how much a row's vote counts, not how often it is repeated"
    failures = {
        "check_sample_weight_equivalence_on_dense_data": votes,
        "check_sample_weight_equivalence_on_sparse_data": votes,
    }
    if estimator.unlabeled == -1:
        failures["check_classifiers_classes"] = "a class is called -1, which means unlabelled"
    return failures


@parametrize_with_checks(VARIANTS, expected_failed_checks=expected_failures)
def test_scikit_learns_checks_pass(estimator, check):
    check(estimator)


def test_scikit_learn_skips_no_check_that_could_be_run():
    estimator = LabelDistributionPropagation()
    results = check_estimator(
        estimator, on_skip=None, expected_failed_checks=expected_failures(estimator)
    )
    skipped = {result["check_name"] for result in results if result["status"] == "skipped"}
    # It needs SCIPY_ARRAY_API=1 in the environment, which `make test` sets.
    assert skipped <= ({"check_array_api_input"} if "SCIPY_ARRAY_API" not in os.environ else set())


# a small world: two groups on a line, a label in each, and a third group without any

X = np.array([0.0, 1.0, 2.2, 3.6, 100.0, 101.0, 102.2, 103.6, 900.0, 901.0, 902.2])[:, None]
LABELLED = {0: 0, 7: 1}
GROUPS = [0] * 4 + [1] * 4 + [None] * 3


def labels(first, second, none=None):
    """A label at one end of each of two groups."""
    y = [none] * len(X)
    y[0], y[7] = first, second
    return y


def ldp(**parameters):
    published = {"n_neighbors": 2, "sweeps": 0, "representation": "raw"}
    return LabelDistributionPropagation(**{**published, **parameters})


@pytest.fixture
def fitted():
    return ldp().fit(X, labels("left", "right"))


def facts_of(fitted):
    """All that two equal fits agree in."""
    return [
        fitted.label_distributions_.tolist(),
        fitted.unknown_mass_.tolist(),
        fitted.log_known_mass_.tolist(),
        fitted.order_.tolist(),
        fitted.transduction_.tolist(),
        fitted.classes_.tolist(),
    ]


def blobs(n=400, d=3, n_labelled=12, seed=0):
    """Three clouds without ties, and a label here and there."""
    rng = np.random.default_rng(seed)
    classes = np.arange(n) % 3
    points = rng.normal(size=(n, d)) + 4 * np.eye(3, d)[classes]
    y = np.where(np.arange(n) < n_labelled, classes, -1)
    return points, y, classes


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
    # Rows 1 and 6 know equally much, then rows 2 to 5: the one nearer to its last neighbour is
    # first. Of row 4 more is known when row 5 is.
    assert fitted.order_.tolist() == [1, 6, 5, 4, 2, 3]


def test_the_engine_is_told(fitted):
    assert (fitted.engine_, fitted.recall_) == ("kdtree", 1.0)
    assert ldp(engine="brute").fit(X, labels(0, 1)).engine_ == "brute"
    assert ldp().fit(np.random.default_rng(0).random((11, 200)), labels(0, 1)).engine_ == "brute"


def test_the_recall_of_an_approximate_engine_is_told():
    points, y, classes = blobs(n=1000, d=12)
    spread = LabelDistributionPropagation(engine="approximate").fit(points, y)
    assert spread.engine_ == "approximate"
    assert 0.95 <= spread.recall_ <= 1.0
    assert (spread.transduction_ == classes).mean() > 0.8


# Row 2 is far away: rows 0 and 1 are its neighbours, and it is no neighbour of any.
ASIDE = np.array([[0.0], [1.0], [10.0]])


def test_one_pass_does_not_reach_a_row_that_only_lists_unlabelled_rows_as_neighbours():
    published = ldp(n_neighbors=1).fit(ASIDE, [None, None, "a"])
    assert published.transduction_.tolist() == [None, None, "a"]


def test_by_default_rows_are_reached_by_those_that_they_are_neighbours_of():
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


# labels


@pytest.mark.parametrize(
    ("first", "second"),
    [(0, 1), ("b", "a"), (False, True), (0.5, 2.5), (10**12, -7)],
    ids=["integers", "text", "booleans", "floats", "large"],
)
@pytest.mark.parametrize(
    "wrap",
    [
        list,
        lambda y: np.array(y, dtype=object),
        lambda y: pd.Series(y, index=range(7, 18), dtype=object),
        lambda y: pd.Series(y).convert_dtypes(),
        lambda y: pd.Series(y, dtype="category"),
        pl.Series,
        lambda y: pa.chunked_array([y]),
    ],
    ids=["list", "numpy", "pandas", "nullable", "category", "polars", "arrow"],
)
def test_labels_of_every_type_are_spread(first, second, wrap):
    spread = ldp().fit(X, wrap(labels(first, second)))
    assert spread.classes_.tolist() == sorted([first, second])
    assert spread.transduction_[:8].tolist() == [first] * 4 + [second] * 4


def test_nan_among_floats_is_unlabelled():
    spread = ldp().fit(X, np.array(labels(1.0, 2.0, np.nan)))
    np.testing.assert_equal(spread.transduction_.tolist(), [1.0] * 4 + [2.0] * 4 + [None] * 3)


def test_minus_one_among_integers_is_unlabelled():
    spread = ldp().fit(X, np.array(labels(3, 5, -1)))
    assert spread.classes_.tolist() == [3, 5]
    assert spread.transduction_.tolist() == [3] * 4 + [5] * 4 + [-1] * 3
    assert spread.transduction_.dtype.kind == "i"


def test_another_marker_leaves_minus_one_a_class():
    spread = ldp(unlabeled=0).fit(X, np.array(labels(-1, 1, 0)))
    assert spread.classes_.tolist() == [-1, 1]
    assert spread.transduction_.tolist() == [-1] * 4 + [1] * 4 + [None] * 3


def test_a_marker_of_text_is_unlabelled():
    spread = ldp(unlabeled="?").fit(X, labels("a", "b", "?"))
    assert spread.transduction_.tolist() == ["a"] * 4 + ["b"] * 4 + [None] * 3


def test_without_a_marker_only_missing_labels_are_unlabelled():
    spread = ldp(unlabeled=None).fit(X, labels(-1, 1))
    assert spread.transduction_.tolist() == [-1] * 4 + [1] * 4 + [None] * 3


def test_minus_one_that_was_meant_as_a_class_is_answered_with_the_remedy():
    message = r"y has one class, 1, beside rows marked -1.* pass unlabeled=None if -1 is a class"
    with pytest.raises(TargetError, match=message):
        ldp().fit(X, [1, -1] * 5 + [1])


@pytest.mark.parametrize("nothing", [None, np.nan, -1])
def test_missing_labels_alone_are_no_target(nothing):
    with pytest.raises(TargetError, match=r"All 11 rows of y are unlabelled.*give at least one"):
        ldp().fit(X, [nothing] * 11)


def test_distributions_of_no_row_are_no_target():
    with pytest.raises(TargetError, match="All 11 rows of y are zero, which means unlabelled"):
        ldp().fit(X, np.zeros((11, 2)))


@pytest.mark.parametrize("y", [[0, 1], np.full((2, 2), 0.5)], ids=["labels", "distributions"])
def test_a_target_of_another_length_is_refused(y):
    with pytest.raises(ValueError, match=r"inconsistent numbers of samples: \[11, 2\]"):
        ldp().fit(X, y)


def test_a_target_of_measurements_is_refused():
    y = np.random.default_rng(0).normal(size=500)
    with pytest.raises(TargetError, match=r"500 distinct float values.*look like regression"):
        ldp().fit(y[:, None], y)


@pytest.mark.parametrize(
    ("y", "parameters", "message"),
    [
        ([-1] * 11, {}, "All 11 rows of y are unlabelled"),
        ([0, 1], {}, "inconsistent numbers of samples"),
        ([1, -1] * 5 + [1], {}, "y has one class"),
        ([2, 3] * 5 + [2], {"class_prior": [1.0]}, "give the share of each of the 2 classes"),
    ],
    ids=["unlabelled", "length", "one class", "prior"],
)
def test_labels_are_refused_before_any_neighbour_is_searched(monkeypatch, y, parameters, message):
    def search(*_):
        raise AssertionError("neighbours were searched")

    monkeypatch.setattr("modlearn._estimate.neighborhoods.SearchedNeighbors.of_rows", search)
    with pytest.raises(ValueError, match=message):
        ldp(**parameters).fit(X, y)


def test_no_target_is_refused():
    with pytest.raises(ValueError, match="requires y to be passed, but the target y is None"):
        ldp().fit(X, None)


def test_renaming_the_classes_permutes_the_columns():
    points, y, _ = blobs()
    one = ldp(n_neighbors=6).fit(points, y)
    other = ldp(n_neighbors=6).fit(points, np.where(y < 0, -1, 2 - y))
    np.testing.assert_allclose(
        one.label_distributions_, other.label_distributions_[:, ::-1], rtol=0, atol=1e-12
    )
    assert one.order_.tolist() == other.order_.tolist()


# soft labels


def soft():
    """The labels of the small world as distributions."""
    y = np.zeros((len(X), 2))
    y[0, 0] = y[7, 1] = 1.0
    return y


def test_certain_distributions_are_labels():
    assert facts_of(ldp().fit(X, soft())) == facts_of(ldp().fit(X, labels(0, 1)))


def test_uncertain_labels_are_passed_on():
    y = soft()
    y[0] = [0.75, 0.25]
    assert ldp().fit(X, y).label_distributions_[:4].tolist() == [[0.75, 0.25]] * 4


def test_a_label_may_leave_a_part_unknown():
    y = soft()
    y[0] = [0.25, 0.25]
    spread = ldp().fit(X, y)
    assert spread.label_distributions_[0].tolist() == [0.5, 0.5]
    assert spread.unknown_mass_[:2].tolist() == [0.5, 0.75]


def test_classes_of_soft_labels_are_the_names_of_their_columns():
    for wrap in (pd.DataFrame, pl.DataFrame):
        y = wrap({"no": soft()[:, 0], "yes": soft()[:, 1]})
        assert ldp().fit(X, y).transduction_.tolist() == ["no"] * 4 + ["yes"] * 4 + [None] * 3


# undecided rows


def test_integer_classes_that_hold_minus_one_have_none_to_abstain():
    assert ldp(unlabeled=None).fit(X, labels(-1, 1)).transduction_[-1] is None


@pytest.mark.parametrize(
    ("abstain", "expected"), [("unsure", "unsure"), ("prior", "b"), ("a", "a"), (None, None)]
)
def test_an_undecided_row_gets_what_was_asked_for(abstain, expected):
    y = labels("a", "b")
    y[6] = "b"
    assert ldp(abstain=abstain).fit(X, y).transduction_[8:].tolist() == [expected] * 3


def test_the_most_frequent_class_is_that_of_the_prior():
    y = labels("a", "b")
    y[6] = "b"
    spread = ldp(abstain="prior", class_prior=[0.9, 0.1]).fit(X, y)
    assert spread.transduction_[8:].tolist() == ["a"] * 3


def test_a_new_row_near_undecided_ones_is_undecided(fitted):
    assert fitted.predict([[901.5]]).tolist() == [None]
    assert fitted.predict_proba([[901.5]]).tolist() == [[0.5, 0.5]]
    assert fitted.predict_unknown([[901.5]]).tolist() == [1.0]


def test_probabilities_of_an_undecided_row_are_the_prior():
    y = labels("a", "b")
    y[5] = y[6] = "b"
    for prior, expected in [
        ("empirical", [0.25, 0.75]),
        ("uniform", [0.5, 0.5]),
        ([0.125, 0.875], [0.125, 0.875]),
    ]:
        assert ldp(class_prior=prior).fit(X, y).predict_proba([[901.5]]).tolist() == [expected]


# the class prior


@pytest.mark.parametrize("prior", ["uniform", [0.1, 0.2, 0.7]])
def test_a_prior_comes_in_at_the_decision_only(prior):
    points, y, _ = blobs()
    one, other = (ldp(class_prior=p).fit(points, y) for p in ("empirical", prior))
    np.testing.assert_array_equal(one.label_distributions_, other.label_distributions_)
    np.testing.assert_array_equal(one.order_, other.order_)


def test_a_uniform_prior_favours_rare_classes():
    # Three labels of one class, one of the other, and a row with two and one as neighbours.
    points, y = np.array([[0.0], [0.1], [0.2], [1.0]]), ["a", "a", "a", "b"]
    for prior, label, expected in [
        ("empirical", "a", [2 / 3, 1 / 3]),
        ("uniform", "b", [0.4, 0.6]),
        ([0.75, 0.25], "a", [2 / 3, 1 / 3]),
        ([0.2, 0.8], "b", [1 / 7, 6 / 7]),
    ]:
        spread = ldp(n_neighbors=3, class_prior=prior).fit(points, y)
        np.testing.assert_allclose(spread.predict_proba([[0.58]]), [expected], rtol=1e-12)
        assert spread.predict([[0.58]]).tolist() == [label]


@pytest.mark.parametrize(
    "prior",
    [
        *([0.5], [0.5, 0.6], [1.5, -0.5], [np.nan, 1.0], [[0.5, 0.5]], ["a", "b"]),
        *({0: 0.5, 1: 0.5}, np.ones(2)),
    ],
    ids=str,
)
def test_a_prior_that_is_none_is_refused(prior):
    message = (
        r"class_prior is .*: give the share of each of the 2 classes, in the order of classes_"
    )
    with pytest.raises(ValueError, match=message):
        ldp(class_prior=prior).fit(X, labels(0, 1))


# sweeps


def test_a_sweep_averages_once_more():
    once = ldp(sweeps=1).fit(X, labels(0, 1))
    # Rows 1 and 2 hear of one another now, and of the rows that list them; row 3 of row 2 twice.
    np.testing.assert_allclose(once.unknown_mass_[:4], [0, 0.425, 0.45, 2 / 3], rtol=1e-12)
    assert once.order_.tolist() == ldp().fit(X, labels(0, 1)).order_.tolist()


# weights


def test_equal_weights_change_nothing():
    points, y, _ = blobs()
    expected = ldp().fit(points, y)
    for weight in (1.0, 0.25, 1e-300, 1e300):
        found = ldp().fit(points, y, sample_weight=np.full(len(y), weight))
        np.testing.assert_array_equal(found.order_, expected.order_)
        np.testing.assert_allclose(
            found.label_distributions_, expected.label_distributions_, rtol=0, atol=1e-12
        )


def test_a_row_without_weight_has_no_vote():
    weights = np.ones(len(X))
    weights[0] = 0
    spread = ldp().fit(X, labels("a", "b"), sample_weight=weights)
    assert spread.transduction_.tolist() == ["a"] + [None] * 3 + ["b"] * 4 + [None] * 3


def test_a_label_without_weight_stays_under_any_prior():
    weights = [1] * 7 + [0] + [1] * 3
    for prior in ("empirical", "uniform", [0.9, 0.1]):
        spread = ldp(class_prior=prior).fit(X, labels("a", "b"), sample_weight=weights)
        assert spread.transduction_[7] == "b"


def test_a_weight_is_the_share_of_a_vote():
    # Row 2 has a neighbour of each class, one of which counts three times.
    points, y = np.array([[0.0], [1.0], [0.4]]), ["a", "b", None]
    spread = ldp().fit(points, y, sample_weight=[3, 1, 1])
    assert spread.label_distributions_[2].tolist() == [0.75, 0.25]


def test_weights_of_very_different_sizes_leave_numbers():
    # Rows whose neighbours all have hardly any weight are averages of them all the same.
    weights = np.where(np.arange(len(X)) == 8, 1.0, 1e-320)
    spread = ldp(sweeps=1).fit(X, labels("a", "b"), sample_weight=weights)
    alike = ldp(sweeps=1).fit(X, labels("a", "b"))
    np.testing.assert_allclose(spread.unknown_mass_[:8], alike.unknown_mass_[:8])
    assert spread.transduction_.tolist() == alike.transduction_.tolist()


def test_weights_count_for_new_rows_too():
    points, y = np.array([[0.0], [1.0]]), ["a", "b"]
    spread = ldp().fit(points, y, sample_weight=[1, 3])
    assert spread.predict_proba([[0.1]]).tolist() == [[0.25, 0.75]]


def test_a_negative_weight_is_named():
    with pytest.raises(TargetError, match=r"sample_weight row 1 is -1\.0: weights must be finite"):
        ldp().fit(X, labels(0, 1), sample_weight=[1, -1, *[1] * 9])


# new rows


def test_a_new_row_is_the_average_of_its_neighbours(fitted):
    # The nearest rows are 1 and 2.
    assert fitted.predict([[1.6]]).tolist() == ["left"]
    assert fitted.predict_proba([[1.6]]).tolist() == [[1.0, 0.0]]
    assert fitted.predict_unknown([[1.6]]).tolist() == [0.625]


def test_a_row_seen_in_fit_is_a_row_like_any_other():
    # Its nearest neighbour is itself: exactly n_neighbors rows are averaged.
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


# tables


MIXED = {
    "size": [1.0, 1.1, None, 1.2, 9.0, 9.1, None, 9.3],
    "color": ["red", "red", "red", None, "blue", "blue", "blue", None],
    "new": [True, True, None, True, False, False, False, False],
}


def test_every_kind_of_table_gives_the_same(table):
    y = ["a", None, None, None, None, None, None, "b"]
    expected = LabelDistributionPropagation(n_neighbors=3).fit(pd.DataFrame(MIXED), y)
    found = LabelDistributionPropagation(n_neighbors=3).fit(table(MIXED), y)
    assert facts_of(found) == facts_of(expected)
    assert found.transduction_.tolist() == ["a"] * 4 + ["b"] * 4
    assert found.predict(table(MIXED)).tolist() == ["a"] * 4 + ["b"] * 4


def test_unseen_categories_are_classified_by_the_other_columns():
    y = ["a", None, None, None, None, None, None, "b"]
    spread = LabelDistributionPropagation(n_neighbors=3).fit(pd.DataFrame(MIXED), y)
    new = pd.DataFrame({"size": [1.05, 9.05], "color": ["green"] * 2, "new": [None, None]})
    assert spread.predict(new).tolist() == ["a", "b"]


@pytest.mark.parametrize("container", [sp.csr_matrix, sp.csc_array, sp.coo_array])
def test_a_sparse_table_is_spread_as_a_dense_one(container):
    points, y, _ = blobs(d=6)
    points[np.abs(points) < 0.3] = 0
    dense = ldp(n_neighbors=4).fit(points, y)
    sparse = ldp(n_neighbors=4, representation="auto").fit(container(points), y)
    assert sparse.engine_ == "brute"
    np.testing.assert_array_equal(sparse.order_, dense.order_)
    np.testing.assert_array_equal(sparse.transduction_, dense.transduction_)
    np.testing.assert_array_equal(sparse.predict(container(points)), dense.predict(points))


@pytest.mark.parametrize("engine", ["kdtree", "brute"])
@pytest.mark.parametrize("representation", ["raw", "auto"])
def test_a_sparse_table_after_a_dense_one_is_refused_with_the_remedy(engine, representation):
    spread = ldp(engine=engine, representation=representation).fit(X, labels(0, 1))
    with pytest.raises((ValueError, TypeError), match=r"(?i)sparse.*dense.*\.toarray\(\)"):
        spread.predict(sp.csr_array(X))


def test_raw_numbers_are_used_as_they_are():
    # The first column tells the classes apart, the second is noise a thousand times as wide.
    points, y, classes = blobs(d=1)
    noise = 1000 * np.random.default_rng(5).random((len(points), 1))
    both = np.hstack((points, noise))
    raw = LabelDistributionPropagation(representation="raw").fit(both, y)
    auto = LabelDistributionPropagation().fit(both, y)
    assert (auto.transduction_ == classes).mean() > (raw.transduction_ == classes).mean()


def test_raw_numbers_with_gaps_are_refused_with_the_remedy():
    message = r"Column 'a' contains NaN, first in row 2: .* representation=\"auto\""
    with pytest.raises(ColumnError, match=message):
        ldp().fit(pd.DataFrame({"a": [1.0, 2.0, None]}), [0, 1, None])


def test_raw_text_is_refused_with_the_remedy():
    message = r"Column 'a' holds text, row 0 is 'x'.* representation=\"auto\""
    with pytest.raises(ColumnError, match=message):
        ldp().fit(pd.DataFrame({"a": ["x", "y"]}), [0, 1])


@pytest.mark.parametrize(
    ("empty", "count"),
    [(np.empty((0, 2)), "0 sample"), (pd.DataFrame({"a": []}), "0 sample"), ([[]], "0 feature")],
    ids=["array", "frame", "columns"],
)
@pytest.mark.parametrize("representation", ["auto", "raw"])
def test_an_empty_table_is_refused(empty, count, representation):
    with pytest.raises(ValueError, match=rf"Found array with {count}.*minimum of 1 is required"):
        ldp(representation=representation).fit(empty, [])


def test_a_column_of_identifiers_leaves_the_others_to_tell_rows_apart():
    # With an own coordinate for each of 600 rows, points are sparse.
    table = pd.DataFrame({"id": [f"r{i}" for i in range(600)], "a": np.repeat([0.0, 9.0], 300)})
    y = ["left"] * 3 + [None] * 594 + ["right"] * 3
    spread = LabelDistributionPropagation(n_neighbors=300).fit(table, y)
    assert spread.engine_ == "brute"
    assert spread.transduction_.tolist() == ["left"] * 300 + ["right"] * 300


# graphs


@pytest.mark.parametrize("form", ["matrix", "lists"])
def test_a_given_graph_is_as_good_as_a_search(form):
    points, y, _ = blobs()
    new = blobs(n=50, seed=1)[0]
    found = ldp(n_neighbors=6).fit(points, y)
    graphs = [
        kneighbors_graph(points, 6, mode="distance"),
        found._neighborhood_.of_new(new),
    ]
    of_new = graphs[1].rows.reshape(50, 6), graphs[1].distances.reshape(50, 6)
    matrix = graphs[0]
    given = ldp(n_neighbors=6, representation="precomputed")
    if form == "matrix":
        given.fit(matrix, y)
        rows = np.repeat(np.arange(50), 6)
        query = sp.csr_array((of_new[1].ravel(), (rows, of_new[0].ravel())), shape=(50, len(y)))
    else:
        given.fit((matrix.indices.reshape(-1, 6), matrix.data.reshape(-1, 6)), y)
        query = of_new
    assert given.engine_ == "precomputed"
    np.testing.assert_array_equal(given.order_, found.order_)
    np.testing.assert_array_equal(given.label_distributions_, found.label_distributions_)
    np.testing.assert_array_equal(given.predict_proba(query), found.predict_proba(new))
    np.testing.assert_array_equal(given.predict_unknown(query), found.predict_unknown(new))


def test_a_graph_that_counts_the_row_itself_is_read_without_it():
    points, y, _ = blobs()
    matrix = kneighbors_graph(points, 7, mode="distance", include_self=True)
    given = ldp(n_neighbors=6, representation="precomputed").fit(matrix, y)
    assert facts_of(given) == facts_of(ldp(n_neighbors=6).fit(points, y))


def test_rows_of_a_graph_without_edges_stay_undecided():
    spread = ldp(representation="precomputed").fit(sp.csr_array((3, 3)), ["a", None, None])
    assert spread.transduction_.tolist() == ["a", None, None]
    assert spread.predict(sp.csr_array((2, 3))).tolist() == [None, None]


def test_a_table_is_no_graph():
    with pytest.raises(ValueError, match="X is a ndarray: with representation='precomputed'"):
        ldp(representation="precomputed").fit(X, labels(0, 1))


def test_a_graph_to_another_number_of_rows_is_refused():
    spread = ldp(representation="precomputed").fit(sp.csr_array(np.ones((3, 3))), [0, 1, None])
    with pytest.raises(ValueError, match=r"X has 4 features, but .* is expecting 3"):
        spread.predict(sp.csr_array(np.ones((2, 4))))


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
    # Distances of a row are its own: points have pairs that are each other's last neighbour.
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


# progress and interruption


def test_progress_is_reported_stage_by_stage():
    calls = []
    points, y, _ = blobs()
    ldp(sweeps=3, progress=lambda *call: calls.append(call)).fit(points, y)
    stages = list(dict.fromkeys(stage for stage, _, _ in calls))
    assert stages == ["neighbors", "rows", "sweeps"]
    for stage in stages:
        counts = [(done, total) for name, done, total in calls if name == stage]
        done = [count for count, _ in counts]
        assert done == sorted(done)
        assert done[-1] == counts[-1][1]
        assert len({total for _, total in counts}) == 1


@pytest.fixture(params=["neighbors", "rows", "sweeps"])
def interrupting(request):
    """Progress that is interrupted at a stage."""

    def progress(stage, done, total):
        if stage == request.param:
            raise KeyboardInterrupt

    return progress


@pytest.mark.parametrize("engine", ["kdtree", "brute"])
def test_an_interrupted_fit_leaves_nothing_behind(interrupting, engine):
    points, y, _ = blobs()
    unfitted = ldp(sweeps=1, engine=engine, progress=interrupting)
    with pytest.raises(KeyboardInterrupt):
        unfitted.fit(points, y)
    assert set(vars(unfitted)) == set(unfitted.get_params())
    with pytest.raises(NotFittedError, match="is not fitted"):
        unfitted.predict(points)


def test_an_interrupted_fit_leaves_an_earlier_one_as_it_was(interrupting):
    points, y, _ = blobs()
    fitted = ldp(sweeps=1).fit(pd.DataFrame({"a": X[:, 0]}), labels("left", "right"))
    before = facts_of(fitted), fitted.predict(pd.DataFrame({"a": [1.6, 102.0]})).tolist()
    with pytest.raises(KeyboardInterrupt):
        fitted.set_params(progress=interrupting).fit(points, y)
    assert (facts_of(fitted), fitted.predict(pd.DataFrame({"a": [1.6, 102.0]})).tolist()) == before
    assert fitted.feature_names_in_.tolist() == ["a"]


def test_a_fit_interrupted_at_its_decisions_leaves_an_earlier_one_as_it_was(fitted, monkeypatch):
    def interrupted(self, rows):
        raise KeyboardInterrupt

    before = dict(vars(fitted))
    monkeypatch.setattr(Decision, "labels", interrupted)
    with pytest.raises(KeyboardInterrupt):
        fitted.fit(*blobs()[:2])
    assert vars(fitted) == before


@pytest.mark.parametrize(
    ("bad_x", "bad_y"),
    [(X, [0, 1]), (X, [-1] * 11), (pd.DataFrame({0: X[:, 0], "a": X[:, 0]}), labels(0, 1))],
    ids=["length", "unlabelled", "names"],
)
def test_a_fit_that_fails_leaves_an_earlier_one_as_it_was(fitted, bad_x, bad_y):
    before = facts_of(fitted), dict(vars(fitted))
    with pytest.raises((ValueError, TypeError), match=r"inconsistent|unlabelled|string names"):
        fitted.fit(bad_x, bad_y)
    assert facts_of(fitted) == before[0]
    assert vars(fitted) == before[1]


# among other estimators


def test_a_clone_has_the_parameters_and_nothing_learnt(fitted):
    copy = clone(fitted)
    assert copy.get_params() == fitted.get_params()
    assert set(vars(copy)) == set(copy.get_params())


@pytest.mark.parametrize("engine", ["kdtree", "brute"])
def test_a_pickle_predicts_as_its_original(engine):
    points, y, _ = blobs()
    new = blobs(n=60, seed=1)[0]
    spread = LabelDistributionPropagation(engine=engine).fit(points, y, sample_weight=1 + y % 3)
    again = pickle.loads(pickle.dumps(spread))
    assert facts_of(again) == facts_of(spread)
    for method in ("predict", "predict_proba", "predict_unknown"):
        np.testing.assert_array_equal(getattr(again, method)(new), getattr(spread, method)(new))


def test_a_pickle_of_a_graph_predicts_as_its_original():
    points, y, _ = blobs()
    graph = kneighbors_graph(points, 4, mode="distance")
    spread = ldp(representation="precomputed").fit(graph, y)
    again = pickle.loads(pickle.dumps(spread))
    np.testing.assert_array_equal(again.predict_proba(graph), spread.predict_proba(graph))


def test_it_is_the_last_step_of_a_pipeline():
    points, y, classes = blobs()
    pipeline = make_pipeline(StandardScaler(), ldp(n_neighbors=8))
    assert pipeline.fit(points, y).score(points, classes) > 0.9


def test_a_grid_search_tries_numbers_of_neighbours():
    points, _, classes = blobs()
    search = GridSearchCV(LabelDistributionPropagation(), {"n_neighbors": [1, 5], "sweeps": [0, 1]})
    search.fit(points, classes)
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert search.best_score_ > 0.9


def test_classes_of_text_are_cross_validated():
    points, _, classes = blobs()
    scores = cross_val_score(LabelDistributionPropagation(), points, np.array(list("abc"))[classes])
    assert scores.mean() > 0.9


# parameters


@pytest.mark.parametrize(
    ("parameters", "allowed"),
    [
        ({"n_neighbors": 0}, r"an int in the range \[1, inf\)\. Got 0 instead"),
        ({"n_neighbors": 2.5}, r"an int in the range \[1, inf\)\. Got 2\.5 instead"),
        ({"sweeps": -1}, r"an int in the range \[0, inf\)\. Got -1 instead"),
        ({"representation": "scaled"}, r"a str among \{.*\}\. Got 'scaled' instead"),
        ({"engine": "ball_tree"}, r"a str among \{.*'kdtree'.*\}\. Got 'ball_tree' instead"),
        ({"class_prior": "balanced"}, r"a str among \{.*\} or an array-like\. Got 'balanced'"),
        ({"unlabeled": [-1]}, r"an instance of 'collections.abc.Hashable'\. Got \[-1\] instead"),
        ({"abstain": [1]}, r"an instance of 'collections.abc.Hashable'\. Got \[1\] instead"),
        ({"n_jobs": 0}, r"an int .* or None\. Got 0 instead"),
        ({"progress": 5}, r"a callable or None\. Got 5 instead"),
    ],
    ids=str,
)
def test_a_bad_parameter_is_answered_by_scikit_learns_sentence(parameters, allowed):
    (name,) = parameters
    message = f"The '{name}' parameter of LabelDistributionPropagation must be {allowed}"
    with pytest.raises(ValueError, match=message):
        ldp(**parameters).fit(X, labels(0, 1))


def test_more_neighbours_than_rows_are_all_rows():
    spread = ldp(n_neighbors=10**9).fit(X, labels("a", "b"))
    np.testing.assert_allclose(spread.label_distributions_[2], [0.5, 0.5], rtol=1e-12)
    assert not (spread.unknown_mass_ == 1).any()


def test_fit_does_not_change_the_parameters():
    parameters = {"n_neighbors": 3, "sweeps": 1, "class_prior": [0.5, 0.5], "abstain": "?"}
    spread = LabelDistributionPropagation(**parameters).fit(X, labels("a", "b"))
    assert parameters.items() <= spread.get_params().items()

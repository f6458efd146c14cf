import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests._estimators.propagation_samples import X, blobs, facts_of, labels, ldp

from modlearn.errors import TargetError


@pytest.fixture
def fitted():
    return ldp().fit(X, labels("left", "right"))


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


def test_nan_among_floats_is_unlabeled():
    spread = ldp().fit(X, np.array(labels(1.0, 2.0, np.nan)))
    np.testing.assert_equal(spread.transduction_.tolist(), [1.0] * 4 + [2.0] * 4 + [None] * 3)


def test_minus_one_among_integers_is_unlabeled():
    spread = ldp().fit(X, np.array(labels(3, 5, -1)))
    assert spread.classes_.tolist() == [3, 5]
    assert spread.transduction_.tolist() == [3] * 4 + [5] * 4 + [-1] * 3
    assert spread.transduction_.dtype.kind == "i"


def test_another_marker_leaves_minus_one_a_class():
    spread = ldp(unlabeled=0).fit(X, np.array(labels(-1, 1, 0)))
    assert spread.classes_.tolist() == [-1, 1]
    assert spread.transduction_.tolist() == [-1] * 4 + [1] * 4 + [None] * 3


def test_a_marker_of_text_is_unlabeled():
    spread = ldp(unlabeled="?").fit(X, labels("a", "b", "?"))
    assert spread.transduction_.tolist() == ["a"] * 4 + ["b"] * 4 + [None] * 3


def test_without_a_marker_only_missing_labels_are_unlabeled():
    spread = ldp(unlabeled=None).fit(X, labels(-1, 1))
    assert spread.transduction_.tolist() == [-1] * 4 + [1] * 4 + [None] * 3


def test_minus_one_that_was_meant_as_a_class_is_answered_with_the_remedy():
    message = r"y has one class, 1, and rows marked -1.* pass unlabeled=None if -1 is a class"
    with pytest.raises(TargetError, match=message):
        ldp().fit(X, [1, -1] * 5 + [1])


@pytest.mark.parametrize("nothing", [None, np.nan, -1])
def test_missing_labels_alone_are_not_a_target(nothing):
    with pytest.raises(TargetError, match=r"all 11 rows are unlabeled.*Give at least one"):
        ldp().fit(X, [nothing] * 11)


def test_distributions_of_no_row_are_not_a_target():
    with pytest.raises(TargetError, match="All 11 rows of y are zero, which means unlabeled"):
        ldp().fit(X, np.zeros((11, 2)))


@pytest.mark.parametrize("y", [[0, 1], np.full((2, 2), 0.5)], ids=["labels", "distributions"])
def test_a_target_of_another_length_is_refused(y):
    with pytest.raises(ValueError, match=r"inconsistent numbers of samples: \[11, 2\]"):
        ldp().fit(X, y)


def test_a_target_of_measurements_is_refused():
    y = np.random.default_rng(0).normal(size=500)
    with pytest.raises(TargetError, match=r"500 distinct numbers.*regression is not supported"):
        ldp().fit(y[:, None], y)


@pytest.mark.parametrize(
    ("y", "parameters", "message"),
    [
        ([-1] * 11, {}, "all 11 rows are unlabeled"),
        ([0, 1], {}, "inconsistent numbers of samples"),
        ([1, -1] * 5 + [1], {}, "y has one class"),
        ([2, 3] * 5 + [2], {"class_prior": [1.0]}, "pass the share of each of the 2 classes"),
    ],
    ids=["unlabeled", "length", "one class", "prior"],
)
def test_labels_are_refused_before_any_neighbor_is_searched(monkeypatch, y, parameters, message):
    def search(*_):
        raise AssertionError("neighbors were searched")

    monkeypatch.setattr("modlearn._neighbors.graph.SearchedNeighbors.of_rows", search)
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


def test_a_uniform_prior_favors_rare_classes():
    # Three labels of one class, one of the other, and a row with two and one as neighbors.
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
        r"class_prior is .*: pass the share of each of the 2 classes, in the order of classes_"
    )
    with pytest.raises(ValueError, match=message):
        ldp(class_prior=prior).fit(X, labels(0, 1))


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
    # Row 2 has a neighbor of each class; one of them counts three times.
    points, y = np.array([[0.0], [1.0], [0.4]]), ["a", "b", None]
    spread = ldp().fit(points, y, sample_weight=[3, 1, 1])
    assert spread.label_distributions_[2].tolist() == [0.75, 0.25]


def test_weights_of_very_different_sizes_leave_numbers():
    # Rows whose neighbors all have hardly any weight are averages of them all the same.
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

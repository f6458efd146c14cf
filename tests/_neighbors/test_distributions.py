import numpy as np
import pytest

from modlearn._neighbors.distributions import Decision, LabelDistributions

MASS = np.dtype([("high", np.float64), ("low", np.float64), ("exponent", np.int64)])


def rows_of(known, masses=None):
    """Rows with these distributions; masses as (high, exponent)."""
    known = np.array(known, dtype=np.float64)
    if masses is None:
        masses = [(0.5, 1) if row.any() else (0.0, 0) for row in known]
    stored = np.array([(high, 0.0, exponent) for high, exponent in masses], dtype=MASS)
    return LabelDistributions(known, stored)


ROWS = rows_of([[0.6, 0.4], [0.0, 0.0], [0.1, 0.9]])


def decision(classes=("a", "b"), labeled=(0.75, 0.25), prior=None, abstention=None):
    classes = np.array(classes, dtype=object if isinstance(classes[0], str) else None)
    prior = labeled if prior is None else prior
    return Decision(classes, np.array(labeled), np.array(prior), abstention)


# what is known


def test_the_mass_is_kept_as_a_logarithm():
    rows = rows_of([[1.0], [1.0], [0.0]], [(0.5, 1), (0.5, -99_999), (0.0, 0)])
    expected = [0.0, -100_000 * np.log(2), -np.inf]
    np.testing.assert_allclose(rows.log_mass, expected, rtol=1e-15)


def test_the_unknown_mass_is_what_the_known_lacks_to_one():
    rows = rows_of([[1.0]] * 3 + [[0.0]], [(0.5, 1), (0.5, -1), (0.5, -99_999), (0.0, 0)])
    np.testing.assert_allclose(rows.unknown_mass, [0.0, 0.75, 1.0, 1.0], rtol=1e-15)


def test_a_mass_however_small_decides_a_row():
    rows = rows_of([[1.0], [0.0]], [(0.5, -99_999), (0.0, 0)])
    assert rows.undecided.tolist() == [False, True]


# probabilities


def test_probabilities_are_what_is_known_and_the_prior_elsewhere():
    assert decision().probabilities(ROWS).tolist() == [[0.6, 0.4], [0.75, 0.25], [0.1, 0.9]]


def test_a_prior_weighs_classes_by_what_it_says_more_than_the_labels():
    found = decision(prior=(0.5, 0.5)).probabilities(ROWS)
    odds = np.array([0.6 / 0.4, 1.0, 0.1 / 0.9]) / np.array([3.0, 1.0, 3.0])
    np.testing.assert_allclose(found[:, 0] / found[:, 1], odds, rtol=1e-12)
    np.testing.assert_allclose(found.sum(1), 1.0, rtol=1e-15)


def test_a_prior_of_zero_excludes_a_class():
    assert decision(prior=(0.0, 1.0)).probabilities(ROWS).tolist() == [[0.0, 1.0]] * 3


def test_a_class_without_labels_has_no_say():
    found = decision(labeled=(1.0, 0.0), prior=(0.5, 0.5)).probabilities(rows_of([[1.0, 0.0]]))
    assert found.tolist() == [[1.0, 0.0]]


def test_what_is_known_is_left_alone():
    before = ROWS.known.copy()
    decision(prior=(0.1, 0.9)).probabilities(ROWS)
    np.testing.assert_array_equal(ROWS.known, before)


# labels


def test_a_label_is_the_most_probable_class():
    assert decision(abstention="b").labels(ROWS).tolist() == ["a", "b", "b"]


def test_the_prior_can_turn_a_decision():
    assert decision(prior=(0.5, 0.5), abstention="?").labels(ROWS).tolist() == ["b", "?", "b"]


def test_the_first_of_equally_probable_classes_is_chosen():
    assert decision().labels(rows_of([[0.5, 0.5]])).tolist() == ["a"]


@pytest.mark.parametrize(
    ("classes", "abstention", "kind"),
    [
        ([0, 1], -1, "i"),
        ([0, 1], None, "O"),
        ([0, 1], "none", "O"),
        ([0.5, 1.5], np.nan, "f"),
        ([0.5, 1.5], -1, "f"),
        ([False, True], False, "b"),
        ([False, True], None, "O"),
        ([False, True], -1, "O"),
        (["a", "b"], None, "O"),
        (np.array([0, 1], dtype=np.uint8), -1, "i"),
        (np.array([0, 1], dtype=np.int8), 1000, "i"),
        (np.array([0, 1], dtype=np.uint64), -1, "O"),
    ],
    ids=str,
)
def test_labels_keep_their_type_where_the_abstention_fits_in(classes, abstention, kind):
    chosen = Decision(np.array(classes), np.full(2, 0.5), np.full(2, 0.5), abstention)
    labels = chosen.labels(ROWS)
    assert labels.dtype.kind == kind
    np.testing.assert_equal(labels.tolist(), [classes[0], abstention, classes[1]])


def test_labels_keep_their_type_where_all_is_decided():
    labels = decision(classes=(3, 5)).labels(rows_of([[1.0, 0.0]]))
    assert (labels.tolist(), labels.dtype.kind) == ([3], "i")

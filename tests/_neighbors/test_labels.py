import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from tests._neighbors.test_distributions import rows_of

from modlearn._neighbors.labels import Decision, KnownLabels, read_label_distributions
from modlearn.errors import TargetError

SERIES = {
    "list": list,
    "numpy": lambda values: np.array(values, dtype=object),
    "pandas": lambda values: pd.Series(values, dtype=object),
    "nullable": lambda values: pd.Series(values).convert_dtypes(),
    "category": lambda values: pd.Series(values, dtype="category"),
    "polars": pl.Series,
    "arrow": lambda values: pa.chunked_array([values]),
}
SOFT = [[0.25, 0.75], [0.0, 0.0], [1.0, 0.0], [0.5, 0.25]]


@pytest.fixture(params=SERIES)
def series(request):
    return SERIES[request.param]


# crisp labels


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        ([3, None, 1, 3], [1, 3]),
        (["b", None, "a", "b"], ["a", "b"]),
        ([True, None, False, True], [False, True]),
        ([0.5, None, -2.0, 0.5], [-2.0, 0.5]),
    ],
)
def test_a_label_is_certain_and_a_missing_one_unknown(series, labels, classes):
    read = read_label_distributions(series(labels), 4, None)
    assert read.classes.tolist() == classes
    assert read.distributions.tolist() == [[0, 1], [0, 0], [1, 0], [0, 1]]


def test_the_marker_means_unlabeled(series):
    read = read_label_distributions(series([3, -1, 1, 3]), 4, -1)
    assert read.classes.tolist() == [1, 3]
    assert read.distributions.tolist() == [[0, 1], [0, 0], [1, 0], [0, 1]]


def test_without_a_marker_minus_one_is_a_class(series):
    read = read_label_distributions(series([1, -1, None]), 3, None)
    assert read.classes.tolist() == [-1, 1]
    assert read.distributions.tolist() == [[0, 1], [1, 0], [0, 0]]


def test_with_another_marker_minus_one_is_a_class():
    read = read_label_distributions([1, -1, 99], 3, 99)
    assert read.classes.tolist() == [-1, 1]
    assert read.distributions[2].tolist() == [0, 0]


@pytest.mark.parametrize("labels", [[1, -1, None], [1, -1, 1]])
def test_one_class_among_marked_rows_may_be_two_classes(series, labels):
    message = (
        r"y has one class, 1, and rows marked -1, which means unlabeled: label rows of another "
        r"class, or pass unlabeled=None if -1 is a class"
    )
    with pytest.raises(TargetError, match=message):
        read_label_distributions(series(labels), 3, -1)


def test_one_class_among_missing_labels_is_one_class(series):
    assert read_label_distributions(series(["a", None]), 2, -1).classes.tolist() == ["a"]


def test_only_unlabeled_rows_are_refused():
    with pytest.raises(TargetError, match="all 2 rows are unlabeled"):
        read_label_distributions([-1, None], 2, -1)


def test_a_wrong_length_is_named():
    message = r"Found input variables with inconsistent numbers of samples: \[3, 2\]"
    with pytest.raises(ValueError, match=message):
        read_label_distributions([0, 1], 3, -1)


def test_rows_of_unequal_length_are_not_labels():
    with pytest.raises(TypeError, match=r"target y row 0 holds \[1\]"):
        read_label_distributions([[1], [1, 2]], 2, -1)


# soft labels


@pytest.mark.parametrize(
    "wrap",
    [list, np.array, lambda rows: np.array(rows, dtype=np.float32)],
    ids=["list", "numpy", "float32"],
)
def test_classes_of_an_array_are_its_columns(wrap):
    read = read_label_distributions(wrap(SOFT), 4, -1)
    assert read.classes.tolist() == [0, 1]
    assert read.classes.dtype.kind == "i"
    assert read.distributions.tolist() == SOFT


def test_classes_of_a_frame_are_the_names_of_its_columns(frame):
    no, yes = zip(*SOFT, strict=True)
    read = read_label_distributions(frame({"no": list(no), "yes": list(yes)}), 4, -1)
    assert read.classes.tolist() == ["no", "yes"]
    assert read.distributions.tolist() == SOFT


def test_integer_names_of_columns_are_integer_classes():
    read = read_label_distributions(pd.DataFrame(SOFT, columns=[7, 3]), 4, -1)
    assert read.classes.tolist() == [7, 3]
    assert read.classes.dtype.kind == "i"


@pytest.mark.parametrize("kind", [int, bool])
def test_certain_rows_may_be_whole_numbers(kind):
    read = read_label_distributions(np.array([[1, 0], [0, 0], [0, 1]], dtype=kind), 3, -1)
    assert read.distributions.tolist() == [[1, 0], [0, 0], [0, 1]]


def test_a_row_all_missing_is_unlabeled():
    read = read_label_distributions(np.array([[0.5, 0.5], [np.nan, np.nan]]), 2, -1)
    assert read.distributions.tolist() == [[0.5, 0.5], [0, 0]]


def test_the_given_distributions_are_left_alone():
    given = np.array([[0.5, 0.5000001], [np.nan, np.nan]])
    before = given.copy()
    read_label_distributions(given, 2, -1)
    np.testing.assert_array_equal(given, before)


def test_a_sum_above_one_by_rounding_is_one():
    thirds = np.full((2, 3), 1 / 3 + 1e-8)
    np.testing.assert_allclose(
        read_label_distributions(thirds, 2, -1).distributions.sum(1), 1, rtol=1e-15
    )


@pytest.mark.parametrize("row", [[0.5, 0.6], [-0.1, 1.0], [np.nan, 0.5], [np.inf, 0.0]], ids=str)
def test_a_row_that_is_not_a_distribution_is_named(row):
    message = r"Row 1 of y is \[.*\], which is not a distribution over 2 classes: pass prob"
    with pytest.raises(TargetError, match=message):
        read_label_distributions(np.array([[1.0, 0.0], row]), 2, -1)


def test_two_columns_of_text_are_not_distributions(frame):
    message = (
        "y has 2 columns, so they must be probabilities .* 'b' does not hold numbers: pass one"
    )
    with pytest.raises(TargetError, match=message):
        read_label_distributions(frame({"a": [0.0, 1.0], "b": ["x", "y"]}), 2, -1)


def test_distributions_that_are_all_zero_are_refused():
    with pytest.raises(TargetError, match=r"All 2 rows of y are zero, which means unlabeled"):
        read_label_distributions(np.zeros((2, 2)), 2, -1)


def test_a_wrong_number_of_distributions_is_named():
    message = r"Found input variables with inconsistent numbers of samples: \[3, 4\]"
    with pytest.raises(ValueError, match=message):
        read_label_distributions(SOFT, 3, -1)


# prior


LABELS = KnownLabels(np.arange(2), np.array([[1.0, 0.0], [0.0, 0.0], [0.5, 0.25], [0.0, 0.25]]))


def test_the_prior_is_the_share_of_each_class():
    assert LABELS.prior(None).tolist() == [0.75, 0.25]


def test_rows_count_in_the_prior_by_their_weight():
    assert LABELS.prior(np.array([0.0, 9.0, 1.0, 5.0])).tolist() == [0.25, 0.75]


def test_the_prior_of_labels_without_weight_is_uniform():
    assert LABELS.prior(np.array([0.0, 1.0, 0.0, 0.0])).tolist() == [0.5, 0.5]


ROWS = rows_of([[0.6, 0.4], [0.0, 0.0], [0.1, 0.9]])


def decision(classes=("a", "b"), labeled=(0.75, 0.25), prior=None, abstention=None):
    classes = np.array(classes, dtype=object if isinstance(classes[0], str) else None)
    prior = labeled if prior is None else prior
    return Decision(classes, np.array(labeled), np.array(prior), abstention)


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

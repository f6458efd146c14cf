import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.metrics import accuracy_score

from modlearn._estimators.accuracy import accuracy_of_labeled
from modlearn.errors import TargetError

PREDICTED = np.array(["a", "b", "b", "a"], dtype=object)


@pytest.mark.parametrize("kind", [list, np.array, pd.Series, pl.Series])
def test_missing_labels_are_left_out(kind):
    assert accuracy_of_labeled(PREDICTED, kind(["a", None, "a", "a"]), None, None) == 2 / 3


def test_the_marker_of_unlabeled_rows_is_left_out():
    labels = np.array([1, 0, -1, -1])
    assert accuracy_of_labeled(np.array([1, 1, 1, 1]), labels, -1, None) == 0.5
    assert accuracy_of_labeled(np.array([1, 1, 1, 1]), labels, None, None) == 0.25


def test_whole_numbers_equal_themselves_as_floats():
    assert accuracy_of_labeled(np.array([1, 2, 2]), [1.0, 2.0, np.nan], None, None) == 1.0


def test_rows_count_by_their_weights():
    found = accuracy_of_labeled(PREDICTED, ["a", "a", None, "a"], None, [1.0, 0.5, 9.0, 0.5])
    assert found == 0.75


def test_fully_labeled_rows_are_scored_as_scikit_learn_does():
    rng = np.random.default_rng(0)
    predicted, y = rng.integers(0, 3, (2, 500))
    assert accuracy_of_labeled(predicted, y, None, None) == accuracy_score(y, predicted)


def test_labels_that_do_not_repeat_are_scored():
    assert accuracy_of_labeled(np.arange(3000), np.arange(3000), None, None) == 1.0


def test_rows_without_any_label_are_refused():
    with pytest.raises(TargetError, match="All 4 rows of y are unlabeled: pass rows with a label"):
        accuracy_of_labeled(PREDICTED, [None] * 4, None, None)


def test_another_number_of_labels_is_refused():
    with pytest.raises(ValueError, match=r"inconsistent numbers of samples: \[4, 1\]"):
        accuracy_of_labeled(PREDICTED, ["a"], None, None)

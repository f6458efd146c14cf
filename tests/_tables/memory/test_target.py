import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.estimator_checks import _NotAnArray

from modlearn._tables.memory.target import (
    TargetOptions,
    read_target,
    read_votes,
    read_weights,
)
from modlearn.errors import LengthError, TargetError

SERIES = {
    "list": list,
    "numpy": np.array,
    "not an array": _NotAnArray,
    "pandas": pd.Series,
    "pandas category": lambda values: pd.Series(values, dtype="category"),
    "pandas array": pd.array,
    "polars": pl.Series,
    "polars frame": lambda values: pl.DataFrame({"y": values}),
    "arrow": lambda values: pa.chunked_array([values]),
    "arrow array": pa.array,
}


@pytest.fixture(params=SERIES)
def series(request):
    return SERIES[request.param]


def assert_target(target, classes, codes):
    assert target.classes.tolist() == classes
    assert target.codes.tolist() == codes
    assert target.codes.dtype == np.int32


@pytest.mark.parametrize(
    ("labels", "classes", "kind"),
    [
        ([3, 1, 3], [1, 3], "i"),
        ([0.5, -1.0, 0.5], [-1.0, 0.5], "f"),
        ([True, False, True], [False, True], "b"),
        (["b", "a", "b"], ["a", "b"], "O"),
    ],
)
def test_classes_are_the_sorted_labels_in_their_own_type(series, labels, classes, kind):
    target = read_target(series(labels), 3)
    assert_target(target, classes, [1, 0, 1])
    assert target.classes.dtype.kind == kind
    assert (target.n_classes, target.n_unlabeled, target.weights) == (2, 0, None)


def test_dates_can_be_labels():
    y = np.array(["2020-01-02", "NaT", "2020-01-01"], dtype="M8[D]")
    target = read_target(y, 3)
    assert_target(target, [dt.date(2020, 1, 1), dt.date(2020, 1, 2)], [1, 2, 0])


def test_one_class_is_enough():
    assert_target(read_target(["a", "a"], 2), ["a"], [0, 0])


@pytest.mark.parametrize("labels", [["b", None, "a"], [2, None, 1], [True, None, False]])
@pytest.mark.parametrize(
    "wrap",
    [
        list,
        lambda values: np.array(values, dtype=object),
        lambda values: pd.Series(values, dtype=object),
        lambda values: pd.Series(values).convert_dtypes(),
        lambda values: pd.Series(values, dtype="category"),
        pl.Series,
        lambda values: pa.chunked_array([values]),
    ],
    ids=["list", "numpy", "object", "nullable", "category", "polars", "arrow"],
)
def test_missing_labels_are_unlabeled(labels, wrap):
    target = read_target(wrap(labels), 3)
    assert_target(target, sorted(labels[::2]), [1, 2, 0])
    assert target.n_unlabeled == 1


@pytest.mark.parametrize("missing", [None, np.nan, pd.NA, pd.NaT])
def test_every_missing_value_is_unlabeled(missing):
    assert_target(read_target(["a", missing], 2), ["a"], [0, 1])


def test_integers_stay_integers_beside_a_null():
    assert read_target(pl.Series([2, None, 1]), 3).classes.dtype == np.int64


def test_floats_stay_floats():
    assert read_target(np.array([1.0, np.nan, 0.0]), 3).classes.dtype == np.float64


def test_masked_labels_are_unlabeled():
    assert_target(read_target(np.ma.array([1, 0], mask=[False, True]), 2), [1], [0, 1])


def test_a_marker_means_unlabeled_too(series):
    assert_target(read_target(series([0, -1, 1]), 3, TargetOptions(unlabeled=-1)), [0, 1], [0, 2, 1])


def test_a_marker_of_text_means_unlabeled_too(series):
    assert_target(read_target(series(["a", "?", "b"]), 3, TargetOptions(unlabeled="?")), ["a", "b"], [0, 2, 1])


@pytest.mark.parametrize("wrap", [list, lambda values: pd.Series(values, dtype=object)])
def test_a_marker_of_text_may_stand_among_numbers(wrap):
    target = read_target(wrap([0, "?", 1, None, pd.NA]), 5, TargetOptions(unlabeled="?"))
    assert_target(target, [0, 1], [0, 2, 1, 2, 2])


def test_a_marker_that_does_not_occur_changes_nothing():
    assert_target(read_target(["a", "b"], 2, TargetOptions(unlabeled=-1)), ["a", "b"], [0, 1])


def test_a_marker_that_is_missing_changes_nothing():
    assert_target(read_target(["a", None], 2, TargetOptions(unlabeled=pd.NA)), ["a"], [0, 1])


def test_a_column_vector_is_flattened_with_scikit_learns_warning():
    with pytest.warns(DataConversionWarning, match="A column-vector y was passed"):
        target = read_target(np.array([[1], [0]]), 2)
    assert_target(target, [0, 1], [1, 0])


@pytest.mark.parametrize("y", [np.zeros((2, 2)), pl.DataFrame({"a": [1, 2], "b": [1, 2]})])
def test_several_columns_are_refused(y):
    with pytest.raises(ValueError, match=r"y should be a 1d array, got an? .*shape"):
        read_target(y, 2)


def test_a_lazy_frame_is_to_be_collected():
    with pytest.raises(TypeError, match=r"y is a lazy frame.*call \.collect\(\)"):
        read_target(pl.LazyFrame({"y": [1]}), 1)


def test_no_target_is_refused_in_the_words_scikit_learn_expects():
    with pytest.raises(ValueError, match="requires y to be passed, but the target y is None"):
        read_target(None, 2)


def test_a_wrong_length_is_named(series):
    message = r"inconsistent numbers of samples: \[10, 9\]: the table has 10 rows and y has 9. Give"
    with pytest.raises(LengthError, match=message):
        read_target(series([0] * 9), 10)


@pytest.mark.parametrize("labels", [[None, None], [np.nan, None], [-1, None]])
def test_only_unlabeled_rows_are_refused(labels):
    message = r"All 2 rows of y are unlabeled \(missing or equal to unlabeled=-1\): give"
    with pytest.raises(TargetError, match=message):
        read_target(labels, 2, TargetOptions(unlabeled=-1))


@pytest.mark.parametrize("wrap", [list, lambda values: pd.Series(values, dtype="category")])
def test_mixed_labels_are_refused_with_examples(wrap):
    message = r"Target y mixes numbers and text: row 1 holds 1 and row 0 holds 'a'.*to text"
    with pytest.raises(TargetError, match=message):
        read_target(wrap(["a", 1, "a"]), 3)


def test_labels_that_are_lists_are_refused():
    y = np.empty(2, dtype=object)
    y[:] = [[1], [2]]
    with pytest.raises(TypeError, match=r"Target y row 0 holds \[1\]"):
        read_target(y, 2, TargetOptions(unlabeled=-1))


@pytest.mark.parametrize("infinity", [np.inf, -np.inf])
def test_infinite_labels_are_refused(infinity):
    with pytest.raises(TargetError, match="Input y contains infinity, first in row 2"):
        read_target(np.array([0.0, np.nan, infinity]), 3)


def test_fifty_one_fractions_look_like_regression():
    y = np.tile(np.arange(51) / 2, 10)
    with pytest.raises(TargetError, match=r"continuous: 51 distinct.*regression.*Bin.*to text"):
        read_target(y, y.size)


def test_fifty_fractions_are_classes():
    y = np.tile(np.arange(50) / 2, 10)
    assert read_target(y, y.size).n_classes == 50


def test_whole_floats_that_repeat_are_classes():
    y = np.repeat(np.arange(60.0), 2)
    assert read_target(y, y.size).n_classes == 60


def test_whole_floats_that_hardly_repeat_look_like_regression():
    y = np.append(np.arange(60.0), np.arange(59.0))
    with pytest.raises(TargetError, match="60 distinct float values in 119 labeled rows"):
        read_target(y, y.size)


def test_many_integer_classes_are_classes():
    assert read_target(np.arange(1000), 1000).n_classes == 1000


def test_more_integers_that_do_not_repeat_look_like_an_identifier():
    with pytest.raises(TargetError, match=r"1,500 different labels .* such as 0: hardly one"):
        read_target(np.arange(1500), 1500)


@pytest.mark.parametrize("y", [np.arange(1500), np.arange(60.0)])
def test_rows_of_weight_two_repeat_their_label(y):
    assert read_target(y, y.size, TargetOptions(sample_weight=2)).n_classes == y.size


def test_weights_are_kept():
    target = read_target(["a", None, "b"], 3, TargetOptions(sample_weight=[2, 3, 0.0]))
    assert target.weights.tolist() == [2, 3, 0]


def test_unlabeled_rows_count_as_often_as_their_weight():
    assert read_target(["a", None, None], 3, TargetOptions(sample_weight=[1, 3, 2])).n_unlabeled == 5


def test_a_class_without_weight_is_no_class():
    target = read_target(["b", "a", "c"], 3, TargetOptions(sample_weight=[1, 0, 1]))
    assert_target(target, ["b", "c"], [0, 2, 1])
    assert target.n_unlabeled == 0


def test_labels_without_weight_are_no_labels():
    with pytest.raises(TargetError, match="All 2 rows of y of positive weight are unlabeled"):
        read_target(["a", None], 2, TargetOptions(sample_weight=[0, 1]))

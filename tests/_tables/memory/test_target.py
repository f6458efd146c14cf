import datetime as dt

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.exceptions import DataConversionWarning
from sklearn.utils.estimator_checks import _NotAnArray

import modlearn
from modlearn._tables.memory.table import CategoricalColumn, categorical_column
from modlearn._tables.memory.target import (
    TargetOptions,
    read_classes,
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


def test_integers_stay_integers_next_to_a_null():
    assert read_target(pl.Series([2, None, 1]), 3).classes.dtype == np.int64


def test_floats_stay_floats():
    assert read_target(np.array([1.0, np.nan, 0.0]), 3).classes.dtype == np.float64


def test_masked_labels_are_unlabeled():
    assert_target(read_target(np.ma.array([1, 0], mask=[False, True]), 2), [1], [0, 1])


def test_a_marker_means_unlabeled_too(series):
    assert_target(
        read_target(series([0, -1, 1]), 3, TargetOptions(unlabeled=-1)), [0, 1], [0, 2, 1]
    )


def test_a_marker_of_text_means_unlabeled_too(series):
    assert_target(
        read_target(series(["a", "?", "b"]), 3, TargetOptions(unlabeled="?")), ["a", "b"], [0, 2, 1]
    )


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
    message = r"inconsistent numbers of samples: \[10, 9\]: the table has 10 rows and y has 9. Pass"
    with pytest.raises(LengthError, match=message):
        read_target(series([0] * 9), 10)


@pytest.mark.parametrize("labels", [[None, None], [np.nan, None], [-1, None]])
def test_only_unlabeled_rows_are_refused(labels):
    message = (
        r"y has no label: all 2 rows are unlabeled \(missing or equal to unlabeled=-1\)\. Give"
    )
    with pytest.raises(TargetError, match=message):
        read_target(labels, 2, TargetOptions(unlabeled=-1))


@pytest.mark.parametrize("wrap", [list, lambda values: pd.Series(values, dtype="category")])
def test_mixed_labels_are_refused_with_examples(wrap):
    message = r"target y mixes numbers and text: row 1 holds 1 and row 0 holds 'a'\. .*text"
    with pytest.raises(TargetError, match=message):
        read_target(wrap(["a", 1, "a"]), 3)


def test_labels_that_are_lists_are_refused():
    y = np.empty(2, dtype=object)
    y[:] = [[1], [2]]
    with pytest.raises(TypeError, match=r"target y row 0 holds \[1\]"):
        read_target(y, 2, TargetOptions(unlabeled=-1))


@pytest.mark.parametrize("infinity", [np.inf, -np.inf])
def test_infinite_labels_are_refused(infinity):
    with pytest.raises(TargetError, match="Input y contains infinity, first in row 2"):
        read_target(np.array([0.0, np.nan, infinity]), 3)


def test_fifty_one_fractions_look_like_a_quantity_however_often_they_repeat():
    y = np.tile(np.arange(51) / 2, 30)
    message = r"continuous quantity .* 51 distinct numbers in 1,530 .*regression.*Bin.*to text"
    with pytest.raises(TargetError, match=message):
        read_target(y, y.size)


def test_fifty_fractions_are_classes():
    y = np.tile(np.arange(50) / 2, 10)
    assert read_target(y, y.size).n_classes == 50


QUANTITIES = {
    "delays": np.random.default_rng(0).integers(-80, 497, 300_000),
    "ages": np.tile(np.arange(18, 91), 300),
    "zip codes": np.tile(np.arange(10_001, 10_300), 50),
    "years of a century": np.tile(np.arange(1920, 2021), 30),
    "60 whole floats": np.tile(np.arange(60.0), 100),
}
LABELS = {
    "stars": np.tile(np.arange(1, 6), 100),
    "years": np.tile(np.arange(1990, 2025), 20),
    "counts": np.tile(np.arange(31), 50),
    "50 codes": np.tile(np.arange(50) * 7, 2),
    "halves": np.tile(np.arange(10) / 2, 6),
}


@pytest.mark.parametrize("y", QUANTITIES.values(), ids=QUANTITIES)
def test_more_than_fifty_numbers_are_a_quantity_however_often_they_repeat(y):
    with pytest.raises(TargetError, match=r"continuous quantity .*Bin it .*y\.astype\(str\)"):
        read_target(y, y.size)
    assert read_target(y.astype(str), y.size).n_classes == len(set(y.tolist()))


def test_the_command_line_is_not_sent_to_pandas():
    options = TargetOptions(remedy=("pass as_categorical='y'", "pass --as-categorical y"))
    with pytest.raises(TargetError, match=r"first \(for example with pandas.*categorical='y'") as e:
        read_target(np.arange(100.0), 100, options)
    assert "pandas" not in e.value.as_command
    assert e.value.as_command.endswith("are classes, pass --as-categorical y.")


@pytest.mark.parametrize("y", LABELS.values(), ids=LABELS)
def test_up_to_fifty_numbers_that_repeat_are_classes(y):
    assert read_target(y, y.size).n_classes == len(set(y.tolist()))


def test_few_numbers_that_hardly_repeat_are_a_quantity_too():
    consumption = np.random.default_rng(0).integers(100, 340, 32) / 10
    with pytest.raises(TargetError, match="looks like a continuous quantity rather than classes"):
        read_target(consumption, 32)


@pytest.mark.parametrize("n_labels", [1000, 1500])
def test_a_thousand_integers_that_do_not_repeat_look_like_a_quantity(n_labels):
    with pytest.raises(TargetError, match=f"continuous quantity .* {n_labels:,} distinct numbers"):
        read_target(np.arange(n_labels), n_labels)


def test_twenty_one_labels_that_hardly_repeat_look_like_an_identifier():
    y = [f"id {i % 21:02d}" for i in range(41)]
    message = r"identifier: it has 21 distinct labels in 41 .* such as .*almost none repeats"
    with pytest.raises(TargetError, match=message):
        read_target(y, len(y))


@pytest.mark.parametrize(("n_labels", "n_rows"), [(20, 20), (21, 42), (900, 1800)])
def test_texts_are_classes_if_they_are_twenty_or_have_two_rows_each_on_average(n_labels, n_rows):
    y = [f"id {i % n_labels}" for i in range(n_rows)]
    assert read_target(y, n_rows).n_classes == n_labels


def test_unlabeled_rows_do_not_make_labels_repeat():
    y = [f"id {i}" for i in range(30)] + [None] * 300
    with pytest.raises(TargetError, match="30 distinct labels in 30 labeled rows"):
        read_target(y, len(y))


@pytest.mark.parametrize("y", [np.arange(1500), np.arange(60.0), np.arange(60.0) / 7])
def test_labels_that_are_said_to_be_classes_are_classes(y):
    assert read_target(y, y.size, TargetOptions(are_classes=True)).n_classes == y.size


def test_rows_of_weight_two_repeat_their_label():
    y = [f"id {i}" for i in range(100)]
    assert read_target(y, 100, TargetOptions(sample_weight=2)).n_classes == 100


def test_a_refusal_names_the_target_and_the_remedy_as_its_reader_does():
    options = TargetOptions(subject="'price'", remedy=("say it", "say --as-classes"))
    with pytest.raises(TargetError, match=r"The target 'price' looks .* say it\.") as raised:
        read_target(np.arange(60), 60, options)
    assert raised.value.as_command.endswith("say --as-classes.")


def test_weights_are_kept():
    target = read_target(["a", None, "b"], 3, TargetOptions(sample_weight=[2, 3, 0.0]))
    assert target.weights.tolist() == [2, 3, 0]


def test_unlabeled_rows_count_as_often_as_their_weight():
    assert (
        read_target(["a", None, None], 3, TargetOptions(sample_weight=[1, 3, 2])).n_unlabeled == 5
    )


def test_a_class_without_weight_is_not_a_class():
    target = read_target(["b", "a", "c"], 3, TargetOptions(sample_weight=[1, 0, 1]))
    assert_target(target, ["b", "c"], [0, 2, 1])
    assert target.n_unlabeled == 0


def test_labels_without_weight_are_not_labels():
    with pytest.raises(TargetError, match="all 2 rows with a positive weight are unlabeled"):
        read_target(["a", None], 2, TargetOptions(sample_weight=[0, 1]))


# one reader


READERS = {
    "classifier": lambda X, y: modlearn.NaiveBayesClassifier().fit(X, y),
    "Encoder": lambda X, y: modlearn.Encoder().fit(X, y),
    "Discretizer": lambda X, y: modlearn.Discretizer().fit(X, y),
    "fit": lambda X, y: modlearn.fit(X, y),
    "fit of a column": lambda X, y: modlearn.fit(X.assign(target=y), "target"),
    "analyze": lambda X, y: modlearn.analyze(X, y),
}
ACCEPTED = {
    "two classes": np.tile([0, 1], 30),
    "booleans": np.tile([True, False], 30),
    "50 fractions, 6 rows each": np.tile(np.arange(50) / 4, 6),
    "20 texts, once each": np.array([f"id {i}" for i in range(20)]),
    "30 texts, twice each": np.array([f"id {i % 30}" for i in range(60)]),
    "60 texts, 6 rows each": np.array([f"id {i % 60}" for i in range(360)]),
    "some unlabeled": np.tile([0.0, np.nan, 1.0], 20),
}
REFUSED = {
    "51 fractions, 30 rows each": np.tile(np.arange(51) / 4, 30),
    "60 floats, 6 rows each": np.tile(np.arange(60.0), 6),
    "60 integers, 6 rows each": np.tile(np.arange(60), 6),
    "60 floats, 40 rows each": np.tile(np.arange(60.0), 40),
    "60 integers, 40 rows each": np.tile(np.arange(60), 40),
    "1000 integers, once each": np.arange(1000),
    "30 texts, once each": np.array([f"id {i}" for i in range(30)]),
    "21 integers, once each": np.arange(21),
    "no label": np.full(30, np.nan),
    "infinity": np.tile([0.0, 1.0, np.inf], 20),
    "numbers and text": np.array([0, "a"] * 30, dtype=object),
}


def columns_for(y):
    rng = np.random.default_rng(0)
    return pd.DataFrame({"x": rng.normal(size=len(y)), "z": rng.integers(0, 5, len(y))})


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
@pytest.mark.parametrize("y", ACCEPTED.values(), ids=ACCEPTED)
def test_what_one_reader_of_the_target_accepts_all_accept(read, y):
    assert read(columns_for(y), y) is not None


@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
@pytest.mark.parametrize("y", REFUSED.values(), ids=REFUSED)
def test_what_one_reader_of_the_target_refuses_all_refuse(read, y):
    with pytest.raises(TargetError):
        read(columns_for(y), y)


# weights


def test_no_weights_stay_none():
    assert read_weights(None, 3) is None


@pytest.mark.parametrize(
    "wrap",
    [
        list,
        np.array,
        _NotAnArray,
        lambda values: np.array(values, dtype=float),
        lambda values: np.array(values)[:, None],
        pd.Series,
        lambda values: pd.Series(values, dtype="Int64"),
        pl.Series,
        lambda values: pa.chunked_array([values]),
    ],
)
def test_weights_become_integers(wrap):
    weights = read_weights(wrap([2, 0, 1]), 3)
    assert weights.tolist() == [2, 0, 1]
    assert weights.dtype == np.int64


def test_booleans_are_weights():
    assert read_weights([True, False], 2).tolist() == [1, 0]


@pytest.mark.parametrize("weight", [2, 2.0, True])
def test_a_number_is_the_weight_of_every_row(weight):
    assert read_weights(weight, 3).tolist() == [int(weight)] * 3


@pytest.mark.parametrize("bad", [-1, 0.5, np.nan, np.inf, None])
def test_the_first_bad_weight_is_named(bad):
    message = r"sample_weight row 1 is .*weights are repetitions of rows"
    with pytest.raises(TargetError, match=message):
        read_weights([1, bad, -5], 3)


def test_text_is_not_a_weight():
    with pytest.raises(TargetError, match="sample_weight row 0 is 'a': weights are repetitions"):
        read_weights(["a", "b"], 2)


def test_a_wrong_number_of_weights_is_named():
    with pytest.raises(ValueError, match="sample_weight has 2 rows but X has 3"):
        read_weights([1, 1], 3)


def test_two_columns_of_weights_are_refused():
    with pytest.raises(ValueError, match="should be a 1d array"):
        read_weights(np.ones((3, 2)), 3)


def test_weights_that_are_all_zero_are_refused():
    with pytest.raises(TargetError, match="All sample weights are zero: give at least one"):
        read_weights([0, 0], 2)


# votes


def test_no_votes_stay_none():
    assert read_votes(None, 3) is None


@pytest.mark.parametrize(
    "wrap", [list, np.array, _NotAnArray, pd.Series, pl.Series, lambda values: pa.array(values)]
)
def test_votes_keep_their_ratios(wrap):
    votes = read_votes(wrap([0.5, 0.0, 3.25]), 3)
    assert (votes / votes[0]).tolist() == [1.0, 0.0, 6.5]
    assert votes.dtype == np.float64


@pytest.mark.parametrize("size", [1e-320, 1e-300, 1.0, 1e300, 1.7e308])
def test_votes_of_any_size_can_be_added_up(size):
    votes = read_votes([size, size, 0.0], 3)
    assert np.isfinite(votes.sum() * 1e100)
    assert (votes / votes[0]).tolist() == [1.0, 1.0, 0.0]


@pytest.mark.parametrize("small", [1e-323, 1e-310, 1e-290])
def test_the_least_votes_can_be_divided_by(small):
    votes = read_votes([small, 1e10, 0.0], 3)
    assert votes[0] > 0
    assert votes[2] == 0
    assert np.isfinite(votes[1] / votes[0] * 1e30)


def test_a_number_is_the_vote_of_every_row():
    assert len(set(read_votes(0.5, 3).tolist())) == 1


@pytest.mark.parametrize("bad", [-0.5, np.nan, np.inf, None])
def test_the_first_bad_vote_is_named(bad):
    message = r"sample_weight row 1 is .*weights must be finite and not negative"
    with pytest.raises(TargetError, match=message):
        read_votes([1, bad, -5], 3)


def test_text_is_not_a_vote():
    with pytest.raises(TargetError, match="sample_weight row 0 is 'a': weights must be finite"):
        read_votes(["a", "b"], 2)


def test_a_wrong_number_of_votes_is_named():
    with pytest.raises(ValueError, match="sample_weight has 2 rows but X has 3"):
        read_votes([1, 1], 3)


def test_votes_that_are_all_zero_are_refused():
    with pytest.raises(TargetError, match="All sample weights are zero: give at least one"):
        read_votes([0, 0], 2)


def column_of(values, name="class"):
    return categorical_column(np.array(values, dtype=object), name)


def read(values, are_classes=False):
    return read_classes(column_of(values), are_classes)


def test_labels_that_are_counted_are_treated_like_the_rows_they_stand_for():
    values = [str(i) for i in range(30)]
    with pytest.raises(TargetError, match="looks like an identifier: it has 30 distinct"):
        read_classes(column_of(values), False, np.ones(30, dtype=np.int64))
    rows = np.full(30, 10)
    spec = read_classes(column_of([*values, None]), False, np.append(rows, 7)).spec("class")
    assert (spec.counts == 10).all()
    assert spec.n_unlabeled == 7


@pytest.mark.parametrize(
    ("values", "classes", "kind"),
    [
        (["b", "a", None], ["a", "b"], "O"),
        ([2, 1, 2], [1, 2], "i"),
        ([2.0, 1.0, np.nan], [1, 2], "i"),
        ([0.5, 1.5, 0.5], [0.5, 1.5], "f"),
        ([True, False, None], [False, True], "b"),
    ],
)
def test_classes_keep_their_type_and_whole_numbers_are_integers(values, classes, kind):
    target = read(values)
    assert target.classes.tolist() == classes
    assert target.classes.dtype.kind == kind
    missing = pd.isna(pd.Series(values, dtype=object)).to_numpy()
    np.testing.assert_array_equal(target.codes == target.n_classes, missing)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            [None, None],
            "'class' has no label: all 2 rows are unlabeled .*Give at least one row a label",
        ),
        (["a", "a", None], "has one class, 'a', in all 2 labeled rows, so there is nothing"),
        (["a" * 5_000], r"has one class, 'a{75}\.\.\.', in all 1 labeled rows"),
        ([1.0, np.inf], "'class' contains infinity, first in row 1: replace it with a class"),
        (
            list(np.random.default_rng(0).random(100)),
            "'class' looks like a continuous quantity .* 100 distinct numbers in 100 labeled rows"
            ".* pass as_categorical='class'",
        ),
        (list(range(60)) * 2, "it has 60 distinct numbers in 120 labeled rows"),
        (
            [f"r{i}" for i in range(30)],
            "'class' looks like an identifier: it has 30 distinct labels in 30 labeled rows",
        ),
    ],
)
def test_what_is_not_a_target_is_refused_by_name(values, message):
    with pytest.raises(TargetError, match=message):
        read(values)


def test_categories_of_a_frame_that_mix_numbers_and_text_are_refused():
    column = CategoricalColumn("class", np.array([0, 1, 1], dtype=np.int32), (1, "a"))
    message = r"mixes numbers and text: row 0 holds 1 and row 1 holds 'a'\. Make its labels all"
    with pytest.raises(TargetError, match=message):
        read_classes(column, are_classes=False)


def test_a_user_may_say_that_numbers_are_classes():
    assert read(list(range(100)), are_classes=True).n_classes == 100

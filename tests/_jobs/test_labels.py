"""The target: classes of one type, or one sentence that names the column."""

import numpy as np
import pandas as pd
import pytest

from modlearn._jobs.options import find_positive, labels_by_name, read_labels
from modlearn._tables.memory.column import CategoricalColumn, categorical_column
from modlearn.errors import TargetError


def column_of(values, name="class"):
    return categorical_column(np.array(values, dtype=object), name)


def read(values, surely_classes=False):
    return read_labels(column_of(values), surely_classes)


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
        ([None, None], "'class' has no label in any of the 2 rows: give at least two classes"),
        (["a", "a", None], "has one class, 'a', in all 2 labeled rows: there is nothing"),
        ([1.0, np.inf], "has an infinite label: replace it by a class"),
        (
            list(np.random.default_rng(0).random(100)),
            "has 100 different numbers in 100 labeled rows, which looks like a quantity .* "
            "as_categorical='class'",
        ),
        (list(range(60)) * 2, "has 60 different numbers in 120 labeled rows, which looks like"),
        ([f"r{i}" for i in range(30)], "has 30 different labels in 30 rows, .* an identifier"),
    ],
)
def test_what_is_no_target_is_refused_by_name(values, message):
    with pytest.raises(TargetError, match=message):
        read(values)


def test_categories_of_a_frame_that_mix_numbers_and_text_are_refused():
    column = CategoricalColumn("class", np.array([0, 1, 1], dtype=np.int32), (1, "a"))
    with pytest.raises(TargetError, match="mixes numbers and text, such as 1 and 'a': make its"):
        read_labels(column, surely_classes=False)


def test_many_numbers_that_repeat_often_are_classes():
    assert read(list(range(60)) * 20).n_classes == 60


def test_a_user_may_say_that_numbers_are_classes():
    assert read(list(range(100)), surely_classes=True).n_classes == 100


def test_labels_of_another_table_are_found_by_name():
    column = column_of([1.0, 2.0, None, 3.0])
    assert labels_by_name(column, np.array([1, 2])).tolist() == [0, 1, -1, -2]


@pytest.mark.parametrize(
    ("classes", "positive", "expected"),
    [
        (["no", "yes"], None, 1),
        (["no", "yes"], "no", 0),
        ([0, 1], 0, 0),
        ([0, 1], "0", 0),
        ([0, 1], 0.0, 0),
        ([False, True], True, 1),
        (["a", "b", "c"], None, None),
    ],
)
def test_the_positive_class_is_the_second_or_the_one_named(classes, positive, expected):
    assert find_positive(positive, np.array(classes)) == expected


def test_classes_are_named_as_they_are():
    with pytest.raises(TargetError, match=r"the classes are 'it has', 'yes'\."):
        find_positive("perhaps", np.array(["it has", "yes"], dtype=object))


def test_an_unknown_positive_class_leads_to_the_nearest():
    with pytest.raises(TargetError, match=r"'yess', which is no class: did you mean 'yes'\?"):
        find_positive("yess", np.array(["no", "yes"]))
    with pytest.raises(TargetError, match=r"which is no class: the classes are 'no', 'yes'\."):
        find_positive(7, np.array(["no", "yes"]))


def test_of_three_classes_none_is_positive():
    with pytest.raises(TargetError, match="but there are 3 classes: leave it out"):
        find_positive("a", np.array(["a", "b", "c"]))

"""Folds and held-out parts: each row tested once or never, classes shared out evenly."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from modlearn._evaluate import splits
from modlearn._evaluate.splits import cross_validation, held_out_part, sensible_split
from modlearn._model.evaluation import Note
from modlearn._tables.memory.target import Target


def target_of(rows_per_class, n_unlabeled=0, seed=0):
    codes = np.repeat(np.arange(len(rows_per_class) + 1), [*rows_per_class, n_unlabeled])
    codes = np.random.default_rng(seed).permutation(codes).astype(np.int32)
    return Target(np.array([f"c{j}" for j in range(len(rows_per_class))], dtype=object), codes)


COUNTS = st.lists(st.integers(1, 30), min_size=2, max_size=5)


@given(COUNTS, st.integers(0, 20), st.integers(0, 5))
def test_every_row_of_a_class_of_two_or_more_is_tested_once(counts, n_unlabeled, seed):
    target = target_of(counts, n_unlabeled)
    split = cross_validation(target, seed)
    if split is None:
        assert max(counts) == 1
        return
    tested = np.concatenate([test for _, test in split.parts])
    rows = np.bincount(target.codes, minlength=target.n_classes + 1)
    rows[-1] = 0
    np.testing.assert_array_equal(np.sort(tested), np.flatnonzero(rows[target.codes] > 1))


@given(COUNTS, st.integers(0, 20), st.floats(0.05, 0.95))
def test_training_rows_are_the_others_and_have_every_class(counts, n_unlabeled, share):
    target = target_of(counts, n_unlabeled)
    for split in (cross_validation(target, 0), held_out_part(target, share, 0)):
        for train, test in split.parts if split else ():
            assert len(test)
            assert not set(train) & set(test)
            assert len(train) + len(test) == len(target.codes)
            assert set(range(target.n_classes)) <= set(target.codes[train])
            assert (target.codes[test] < target.n_classes).all()


@given(COUNTS, st.integers(0, 5))
def test_a_class_is_shared_out_evenly_over_the_folds(counts, seed):
    target = target_of(counts)
    split = cross_validation(target, seed)
    for label, n_rows in enumerate(counts):
        if split and n_rows > 1:
            in_fold = [int((target.codes[test] == label).sum()) for _, test in split.parts]
            assert max(in_fold) - min(in_fold) <= 1


def test_ten_folds_are_usual():
    split = cross_validation(target_of([50, 50]), 0)
    assert (split.how, len(split.parts), split.notes) == ("cross-validation", 10, ())


def test_a_rare_class_makes_the_folds_fewer_and_that_is_said():
    split = cross_validation(target_of([50, 7]), 0)
    assert len(split.parts) == 7
    assert split.notes == (Note("fewer_folds", {"folds": 7, "usual": 10, "rows": 7}, ("c1",)),)
    assert str(split.notes[0]) == (
        "Cross-validation uses 7 folds instead of 10, because class 'c1' has only 7 rows."
    )


def test_there_are_never_fewer_than_five_folds_for_a_rare_class():
    assert len(cross_validation(target_of([50, 2]), 0).parts) == 5


def test_a_class_of_one_row_is_never_tested_and_that_is_said():
    split = cross_validation(target_of([50, 1, 50]), 0)
    assert list(map(str, split.notes)) == [
        "1 class has a single row, which is used for training and never tested: 'c1'."
    ]


def test_many_classes_of_one_row_are_said_in_one_sentence():
    (note,) = held_out_part(target_of([50, 1, 1, 1, 1, 1]), 0.3, 0).notes
    assert str(note).startswith("5 classes have a single row")
    assert str(note).endswith("never tested: 'c1', 'c2', 'c3', ….")


def test_no_row_can_be_tested_where_each_class_has_one():
    assert cross_validation(target_of([1, 1, 1]), 0) is None
    assert held_out_part(target_of([1, 1, 1]), 0.3, 0) is None


def test_the_share_held_out_is_that_asked_for():
    target = target_of([100, 300], 50)
    ((_, test),) = held_out_part(target, 0.3, 0).parts
    assert np.bincount(target.codes[test]).tolist() == [30, 90]


def test_the_seed_decides():
    target = target_of([20, 20])
    first, again, other = (held_out_part(target, 0.3, seed).parts[0][1] for seed in (0, 0, 1))
    np.testing.assert_array_equal(first, again)
    assert set(first) != set(other)


@pytest.mark.parametrize(
    ("rows", "n_columns", "timed", "how"),
    [
        (1_000, 10, False, "cross-validation"),
        (60_000, 1, False, "held-out part"),
        (6_000, 2_000, False, "held-out part"),
        (100, 2_000_000, False, "cross-validation"),
        (2_000, 10, True, "held-out part"),
        (500, 10, True, "cross-validation"),
    ],
)
def test_large_tables_hold_a_part_out(rows, n_columns, timed, how):
    split = sensible_split(target_of([rows // 2, rows // 2]), n_columns, 0, timed)
    assert split.how == how
    assert len(split.notes) == (how == "held-out part")


def test_why_a_part_is_held_out_is_said():
    large = sensible_split(target_of([30_000, 30_000]), 1, 0, False)
    assert "because the table is large; the final model is trained on all rows." in str(
        large.notes[0]
    )
    timed = sensible_split(target_of([splits.TIMED, 10]), 1, 0, True)
    assert timed.notes[0] == Note("held_out", {"share": splits.HELD_OUT, "because": "timed"})

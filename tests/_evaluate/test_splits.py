"""Folds and held-out parts: each row tested once or never, classes shared out evenly."""

from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from modlearn._evaluate import splits
from modlearn._evaluate.evaluation import cross_validation, held_out_part, sensible_plan
from modlearn._model.evaluation import Note
from modlearn._tables.memory.rows import MemoryRows
from modlearn._tables.memory.table import read_table
from modlearn._tables.memory.target import Target
from modlearn.schema import Schema


def target_of(rows_per_class, n_unlabeled=0, seed=0):
    codes = np.repeat(np.arange(len(rows_per_class) + 1), [*rows_per_class, n_unlabeled])
    codes = np.random.default_rng(seed).permutation(codes).astype(np.int32)
    return Target(np.array([f"c{j}" for j in range(len(rows_per_class))], dtype=object), codes)


def parts_of(target, plan):
    """Numbers of the rows to learn from and of those to test, fold by fold."""
    if plan is None:
        return []
    table = read_table(np.zeros((len(target.codes), 1)))
    rows = MemoryRows.of(table, Schema(tuple(table.columns())), target)
    return [
        tuple(next(some.batches()).row_numbers for some in (fold.train, fold.test))
        for fold in rows.divide(plan.split).folds
    ]


COUNTS = st.lists(st.integers(1, 30), min_size=2, max_size=5)


@given(COUNTS, st.integers(0, 20), st.integers(0, 5))
def test_every_row_of_a_class_of_two_or_more_is_tested_once(counts, n_unlabeled, seed):
    target = target_of(counts, n_unlabeled)
    plan = cross_validation(target.spec(), seed)
    if plan is None:
        assert max(counts) == 1
        return
    tested = np.concatenate([test for _, test in parts_of(target, plan)])
    rows = np.bincount(target.codes, minlength=target.n_classes + 1)
    rows[-1] = 0
    np.testing.assert_array_equal(np.sort(tested), np.flatnonzero(rows[target.codes] > 1))


@given(COUNTS, st.integers(0, 20), st.floats(0.05, 0.95))
def test_training_rows_are_the_others_and_have_every_class(counts, n_unlabeled, share):
    target = target_of(counts, n_unlabeled)
    for plan in (cross_validation(target.spec(), 0), held_out_part(target.spec(), share, 0)):
        for train, test in parts_of(target, plan):
            assert len(test)
            assert not set(train) & set(test)
            assert len(train) + len(test) == len(target.codes)
            assert set(range(target.n_classes)) <= set(target.codes[train])
            assert (target.codes[test] < target.n_classes).all()


@given(COUNTS, st.integers(0, 5))
def test_a_class_is_shared_out_evenly_over_the_folds(counts, seed):
    target = target_of(counts)
    parts = parts_of(target, cross_validation(target.spec(), seed))
    for label, n_rows in enumerate(counts):
        if parts and n_rows > 1:
            in_fold = [int((target.codes[test] == label).sum()) for _, test in parts]
            assert max(in_fold) - min(in_fold) <= 1


def test_ten_folds_are_usual():
    plan = cross_validation(target_of([50, 50]).spec(), 0)
    assert (plan.how, plan.split.n_folds, plan.notes) == ("cross-validation", 10, ())


def test_a_rare_class_makes_the_folds_fewer_and_that_is_said():
    plan = cross_validation(target_of([50, 7]).spec(), 0)
    assert plan.split.n_folds == 7
    assert plan.notes == (Note("fewer_folds", {"folds": 7, "usual": 10, "rows": 7}, ("c1",)),)
    assert str(plan.notes[0]) == (
        "Cross-validation uses 7 folds instead of 10, because class 'c1' has only 7 rows."
    )


def test_there_are_never_fewer_than_five_folds_for_a_rare_class():
    assert cross_validation(target_of([50, 2]).spec(), 0).split.n_folds == 5


def test_a_class_of_one_row_is_never_tested_and_that_is_said():
    plan = cross_validation(target_of([50, 1, 50]).spec(), 0)
    assert list(map(str, plan.notes)) == [
        "1 class has a single row, which is used for training and never tested: 'c1'."
    ]


def test_many_classes_of_one_row_are_said_in_one_sentence():
    (note,) = held_out_part(target_of([50, 1, 1, 1, 1, 1]).spec(), 0.3, 0).notes
    assert str(note).startswith("5 classes have a single row")
    assert str(note).endswith("never tested: 'c1', 'c2', 'c3', ….")


def test_no_row_can_be_tested_where_each_class_has_one():
    assert cross_validation(target_of([1, 1, 1]).spec(), 0) is None
    assert held_out_part(target_of([1, 1, 1]).spec(), 0.3, 0) is None


def test_the_share_held_out_is_that_asked_for():
    target = target_of([100, 300], 50)
    ((_, test),) = parts_of(target, held_out_part(target.spec(), 0.3, 0))
    assert np.bincount(target.codes[test]).tolist() == [30, 90]


def test_the_seed_decides():
    target = target_of([20, 20])
    first, again, other = (
        parts_of(target, held_out_part(target.spec(), 0.3, seed))[0][1] for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(first, again)
    assert set(first) != set(other)


def planned(rows_per_class, n_columns, timed):
    """The plan for a table of which nothing but its size is asked."""
    target = target_of(rows_per_class).spec()
    n_rows = sum(rows_per_class)
    return sensible_plan(
        SimpleNamespace(n_rows=n_rows, target=target, schema=range(n_columns)), 0, timed
    )


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
    plan = planned([rows // 2, rows // 2], n_columns, timed)
    assert plan.how == how
    assert len(plan.notes) == (how == "held-out part")


def test_why_a_part_is_held_out_is_said():
    large = planned([30_000, 30_000], 1, False)
    assert "because the table is large; the final model is trained on all rows." in str(
        large.notes[0]
    )
    timed = planned([splits.TIMED, 10], 1, True)
    assert timed.notes[0] == Note("held_out", {"share": splits.HELD_OUT, "because": "timed"})

"""Test rows: whole groups, later times, and no class that the training rows do not have."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests._model.batches import ListedBatch

from modlearn._statistics.rows import Split
from modlearn._tables.memory.folds import forward_parts, group_parts
from modlearn._tables.memory.target import Target
from modlearn.errors import ColumnError

N_CLASSES = 3
UNLABELED = N_CLASSES
CLASSES = np.array(["a", "b", "c"])


def target_of(codes):
    return Target(CLASSES, np.array(codes, dtype=np.int32))


def parts_by_group(codes, groups, n_folds=3, share=None, seed=0):
    split = Split(n_folds if share is None else 1, share, seed, group="g")
    parts, _ = group_parts(target_of(codes), split, ListedBatch({"g": list(groups)}))
    return parts


def folds_of(codes, groups, **options):
    """The fold of each row, -1 = never tested."""
    folds = np.full(len(codes), -1)
    for k, (_, test) in enumerate(parts_by_group(codes, groups, **options)):
        folds[test] = k
    return folds


def forward(codes, times, groups=None, share=0.3, n_parts=3):
    columns = {"t": list(times)} | ({} if groups is None else {"g": list(groups)})
    split = Split(n_parts, share, 0, None if groups is None else "g", "t")
    return forward_parts(target_of(codes), split, ListedBatch(columns))


labels = st.integers(0, UNLABELED)
names = st.sampled_from("pqrstuvw")
times = st.sampled_from([None, -np.inf, 0.0, 1.0, 2.0, 3.0, 5.0, 8.0, np.inf])
seeds = st.integers(0, 3)
shares = st.sampled_from([None, 0.2, 0.5])


def columns(*cells):
    """Lists of equal length, a cell of each per row."""
    rows = st.lists(st.tuples(*cells), min_size=2, max_size=40)
    return rows.map(lambda found: [list(column) for column in zip(*found, strict=True)])


def divided(codes, groups, **options):
    """Training rows and test rows, if the labeled rows have two groups."""
    n_groups = len({g for g, j in zip(groups, codes, strict=True) if j != UNLABELED})
    assume(n_groups > 1)
    return parts_by_group(codes, groups, **options)


@given(columns(labels, names), seeds, shares)
def test_a_group_is_never_on_both_sides(table, seed, share):
    codes, groups = map(np.array, table)
    for train, test in divided(codes, groups, seed=seed, share=share):
        assert not set(groups[train]) & set(groups[test])


@given(columns(labels, names), seeds, shares)
def test_test_rows_have_a_label_and_a_class_that_training_rows_have(table, seed, share):
    codes, groups = map(np.array, table)
    for train, test in divided(codes, groups, seed=seed, share=share):
        assert set(codes[test]) <= set(codes[train]) - {UNLABELED}


@given(columns(labels, names), seeds, shares, st.randoms(use_true_random=False))
def test_groups_are_divided_alike_in_any_order_of_rows(table, seed, share, random):
    codes, groups = map(np.array, table)
    order = np.array(random.sample(range(len(codes)), len(codes)))
    parts = divided(codes, groups, seed=seed, share=share)
    again = parts_by_group(codes[order], groups[order], seed=seed, share=share)
    for one, other in zip(parts, again, strict=True):
        for rows, shuffled in zip(one, other, strict=True):
            assert set(rows) == set(order[shuffled])


def test_every_row_of_classes_in_many_groups_is_tested_once():
    codes, groups = np.arange(60) % 2, np.arange(60) // 5
    folds = folds_of(codes, groups)
    assert np.bincount(folds).tolist() == [20, 20, 20]
    for k in range(3):
        assert set(codes[folds == k]) == {0, 1}


def test_groups_with_the_same_class_are_spread_over_the_folds():
    codes = np.repeat([0, 1, 2], 12)
    folds = folds_of(codes, np.arange(36) // 2)
    rows = np.zeros((3, 3), dtype=int)
    np.add.at(rows, (folds, codes), 1)
    assert (rows == 4).all()


def test_about_the_share_of_the_groups_is_held_out():
    codes, groups = np.arange(200) % 2, np.arange(200) // 4
    folds = folds_of(codes, groups, share=0.3)
    assert len(set(groups[folds == 0])) == 15


def test_at_least_one_group_is_held_out():
    assert (folds_of([0, 1, 0, 1], ["p", "p", "q", "q"], share=0.1) == 0).sum() == 2


def test_rows_without_a_value_are_groups_of_their_own():
    folds = folds_of([0, 1] * 6, [None] * 12)
    assert sorted(folds) == sorted([0, 1, 2] * 4)


def test_a_class_in_only_one_fold_is_not_tested():
    codes = [0, 1] * 6 + [2, 2]
    groups = [*np.repeat(list("pqrstu"), 2), "p", "p"]
    folds = folds_of(codes, groups)
    assert folds[-2:].tolist() == [-1, -1]
    assert (folds[:-2] >= 0).all()


@pytest.mark.parametrize("groups", ["pppp", "ppqq"])
def test_one_group_of_labeled_rows_cannot_be_held_out(groups):
    with pytest.raises(ColumnError, match="Column 'g' has the same value in all labeled rows"):
        folds_of([0, 1, UNLABELED, UNLABELED], groups)


def parts_of(table, **options):
    """Parts as lists of arrays, if some row can be tested."""
    try:
        return forward(*table, **options)
    except ColumnError:
        assume(False)


@given(columns(labels, times, names), st.booleans(), st.sampled_from([0.1, 0.3, 0.9]))
def test_test_rows_are_later_than_all_of_their_training_rows(table, grouped, share):
    codes, when = np.array(table[0]), np.array(table[1], dtype=np.float64)
    parts = parts_of(table if grouped else table[:2], share=share)
    for train, test in parts:
        assert not np.isnan(when[test]).any()
        # Equal times are on one side.
        known = train[~np.isnan(when[train])]
        assert not len(known) or when[known].max() < when[test].min()
        assert set(codes[test]) <= set(codes[train]) - {UNLABELED}
    tested = np.concatenate([test for _, test in parts])
    assert len(set(tested)) == len(tested)


@given(columns(labels, times, names))
def test_forward_in_time_too_a_group_is_never_on_both_sides(table):
    groups = np.array(table[2])
    for train, test in parts_of(table):
        assert not set(groups[train]) & set(groups[test])


@given(columns(labels, times), st.sampled_from([0.1, 0.3, 0.9]))
def test_rows_without_a_time_are_learned_from(table, share):
    without = {i for i, time in enumerate(table[1]) if time is None}
    for train, _ in parts_of(table, share=share):
        assert without <= set(train.tolist())


@given(columns(labels, times, names), st.booleans(), st.randoms(use_true_random=False))
def test_forward_parts_are_alike_in_any_order_of_rows(table, grouped, random):
    used = table if grouped else table[:2]
    order = random.sample(range(len(table[0])), len(table[0]))
    parts = parts_of(used)
    again = forward(*([column[i] for i in order] for column in used))
    for part, other in zip(parts, again, strict=True):
        for one, two in zip(part, other, strict=True):
            assert sorted(one.tolist()) == sorted(order[i] for i in two.tolist())


def test_the_last_share_of_the_rows_is_tested_in_parts():
    parts = forward([0, 1] * 50, range(100))
    assert [(len(train), test.tolist()) for train, test in parts] == [
        (70, list(range(70, 80))),
        (80, list(range(80, 90))),
        (90, list(range(90, 100))),
    ]


def test_many_rows_of_one_time_are_tested_together():
    ((train, test),) = forward([0, 1] * 10, [0.0] * 6 + [1.0] * 14)
    assert (len(train), len(test)) == (6, 14)


def test_a_class_that_appears_later_is_tested_only_after_it_was_seen():
    codes = [0, 1] * 35 + [2] * 10 + [0, 2] * 10
    tested = [test.tolist() for _, test in forward(codes, range(100))]
    assert tested == [list(range(80, 90)), list(range(90, 100))]


@pytest.mark.parametrize("when", [[1.0] * 4, [None] * 4, [1.0, 1.0, 2.0, None]])
def test_time_must_differ_between_labeled_rows(when):
    with pytest.raises(ColumnError, match="Column 't' has fewer than two different times"):
        forward([0, 1, UNLABELED, 0], when)


def test_later_rows_of_other_classes_cannot_be_tested():
    with pytest.raises(
        ColumnError, match="by column 't': no later row has a class of the earlier "
    ):
        forward([0] * 7 + [1] * 3, range(10), n_parts=1)
    with pytest.raises(ColumnError, match=r"earlier rows of other groups of column 'g'\. Choose"):
        forward([0] * 7 + [1] * 3, range(10), groups="p" * 7 + "q" * 3, n_parts=1)


def test_without_an_earlier_row_none_can_be_tested():
    with pytest.raises(ColumnError, match="by column 't': too many rows have its first time"):
        forward([0, 1] * 5, [0.0] * 9 + [1.0], groups="pq" * 5, n_parts=1)


def test_later_rows_of_the_same_group_cannot_be_tested():
    message = "all earlier rows belong to groups of column 'g' that have later rows, too"
    with pytest.raises(ColumnError, match=f"{message}.* Pass either group or time, or") as raised:
        forward([0, 1] * 5, range(10), groups="p" * 10)
    assert "Pass either --group or --time, or another column" in raised.value.as_command


def test_groups_of_labeled_rows_are_counted():
    split, groups = Split(10, None, 0, group="g"), ListedBatch({"g": ["p", "q", "r", "q", None]})
    codes = [0, 1, UNLABELED, 0, 1]
    assert group_parts(target_of(codes), split, groups)[1] == 3

"""Rows per value and class of categorical columns: counting, adding and subtracting them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests._statistics.columns import (
    CATEGORY_ROWS,
    N_FOLDS,
    assert_same_bits,
    categorical,
    counted,
    entries,
    held_out,
    kept,
)

from modlearn._statistics.categories import CategoryCounts, count_categories

FOLDS = st.integers(0, N_FOLDS - 1)
LETTERS = tuple("abcdef")
quick = settings(deadline=None)


def counted_one_by_one(codes, classes, weights, n_classes):
    """{code: counts per class} of the labeled rows."""
    counts = {}
    for code, label, weight in zip(codes, classes, weights, strict=True):
        if label < n_classes and weight:
            row = counts.setdefault(code, [0] * n_classes)
            row[label] += weight
    return counts


def values_of(codes):
    return tuple(None if code < 0 else LETTERS[code] for code in codes)


@quick
@given(
    st.lists(st.tuples(st.integers(-1, 5), st.integers(0, 3), st.integers(0, 3)), max_size=40),
    st.booleans(),
)
def test_rows_are_counted_per_value_and_class(rows, weighted):
    codes, classes, weights = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    if not weighted:
        weights = np.ones_like(codes)
    table = count_categories(
        codes.astype(np.int32), LETTERS, classes.astype(np.int32), weights if weighted else None, 3
    ).by_label()[0]
    expected = counted_one_by_one(codes.tolist(), classes.tolist(), weights.tolist(), 3)
    assert table.values == values_of(sorted(expected))
    assert table.n_values == len(expected)
    assert table.rows_of_values.tolist() == [sum(expected[code]) for code in sorted(expected)]
    if expected:
        counts = table.summed(np.arange(table.n_values)).tolist()
        assert counts == [expected[code] for code in sorted(expected)]


@pytest.mark.parametrize("weights", [None, np.array([2, 0, 1, 5])])
def test_values_without_a_labeled_row_are_left_out(weights):
    codes, classes = np.array([0, 1, 2, 3], dtype=np.int32), np.array([0, 2, 1, 2], dtype=np.int32)
    table = count_categories(codes, LETTERS, classes, weights, 2).by_label()[0]
    assert table.values == ("a", "c")
    assert table.n_values == 2


def test_values_of_unlabeled_rows_are_counted_apart():
    codes, classes = np.array([0, 1, 1, 3], dtype=np.int32), np.array([0, 2, 1, 2], dtype=np.int32)
    unlabeled = count_categories(codes, LETTERS, classes, np.array([1, 4, 1, 2]), 2).by_label()[1]
    assert unlabeled.values == ("b", "d")
    assert unlabeled.rows_of_values.tolist() == [4, 2]


def test_missing_is_a_value_like_any_other():
    codes, classes = np.array([-1, 0, -1], dtype=np.int32), np.array([0, 1, 1], dtype=np.int32)
    table = count_categories(codes, LETTERS, classes, None, 2)
    assert table.values == (None, "a")
    assert table.summed(np.arange(2)).tolist() == [[1, 1], [0, 1]]


def test_no_value_has_an_empty_entry():
    rng = np.random.default_rng(0)
    codes, classes = rng.integers(-1, 50, 500), rng.integers(0, 4, 500)
    table = count_categories(
        codes.astype(np.int32), range(50), classes.astype(np.int32), None, 3
    ).by_label()[0]
    assert (np.diff(table.pointer) > 0).all()
    assert (table.rows > 0).all()
    assert table.rows.sum() == (classes < 3).sum()


def test_values_are_summed_by_group():
    values = CategoryCounts(
        np.array([0, 2, 3, 4]),
        np.array([0, 2, 1, 2], dtype=np.int32),
        np.array([5, 1, 7, 2]),
        3,
    )
    assert values.n_values == 3
    assert values.summed(np.array([1, 0, 1])).tolist() == [[0, 7, 0], [5, 0, 3]]


@quick
@given(CATEGORY_ROWS)
def test_weights_are_repeated_rows(rows):
    weighted = categorical(rows, weighted=True)
    assert_same_bits(
        weighted, categorical([row for row in rows for _ in range(row[2])], weighted=False)
    )
    assert entries(weighted) == counted(rows, weighted=True)


# sums and differences


@quick
@given(CATEGORY_ROWS, CATEGORY_ROWS, st.booleans(), st.booleans())
def test_a_sum_counts_the_rows_of_both(rows, others, weighted, other_weighted):
    found = categorical(rows, weighted) + categorical(others, other_weighted)
    assert entries(found) == counted(rows, weighted) + counted(others, other_weighted)
    assert len(set(found.values)) == found.n_values


@quick
@given(CATEGORY_ROWS, CATEGORY_ROWS, st.booleans(), st.booleans())
def test_what_is_added_can_be_subtracted(rows, others, weighted, other_weighted):
    one, two = categorical(rows, weighted), categorical(others, other_weighted)
    assert_same_bits((one + two) - two, one)


@quick
@given(CATEGORY_ROWS, st.booleans())
def test_nothing_is_left_of_a_column_without_its_rows(rows, weighted):
    counts = categorical(rows, weighted)
    left = counts - counts
    assert (left.n_values, left.values, len(left.rows)) == (0, (), 0)


@pytest.mark.parametrize("row", [("a", 1, 1, 0), (7, 0, 1, 0), (None, 0, 1, 0), ("a", 0, 3, 0)])
def test_rows_that_are_not_there_cannot_be_subtracted(row):
    counts = categorical([("a", 0, 2, 0), ("b", 1, 1, 0), ("a", 2, 1, 0)], weighted=True)
    with pytest.raises(ValueError, match="hold rows that these counts do not have"):
        counts - categorical([row], weighted=True)


# folds


@quick
@given(CATEGORY_ROWS, st.booleans(), FOLDS)
def test_counts_without_a_fold_are_those_of_the_other_rows_to_the_last_bit(rows, weighted, fold):
    split = categorical(rows, weighted, split=True)
    assert_same_bits(split.without(fold), categorical(kept(rows, fold), weighted))
    assert_same_bits(split.only(fold), categorical(held_out(rows, fold), weighted))
    assert_same_bits(split.whole(), categorical(rows, weighted))


@quick
@given(CATEGORY_ROWS, st.booleans(), FOLDS)
def test_the_whole_is_a_fold_and_the_rest(rows, weighted, fold):
    split = categorical(rows, weighted, split=True)
    assert entries(split.without(fold) + split.only(fold)) == entries(split.whole())
    assert_same_bits(split.whole() - split.only(fold), split.without(fold))


@quick
@given(CATEGORY_ROWS, st.booleans(), FOLDS)
def test_labeled_and_unlabeled_rows_keep_their_folds(rows, weighted, fold):
    split = categorical(rows, weighted, split=True)
    rest = categorical(kept(rows, fold), weighted)
    assert_same_bits(split.by_label()[0].without(fold), rest.by_label()[0])
    assert_same_bits(split.by_label()[1].without(fold), rest.by_label()[1])
    assert entries(rest.by_label()[0] + rest.by_label()[1]) == entries(rest)


@quick
@given(CATEGORY_ROWS, CATEGORY_ROWS, st.booleans(), st.booleans())
def test_the_class_of_a_member_is_the_column_it_comes_from(rows, others, weighted, other_weighted):
    one, two = categorical(rows, weighted), categorical(others, other_weighted)
    found = one.membership(two)
    assert found.n_classes == 2
    expected = [
        (value, k, weight if w else 1, 0)
        for k, (some, w) in enumerate(((rows, weighted), (others, other_weighted)))
        for value, _, weight, _ in some
    ]
    assert entries(found) == counted(expected, weighted=True)
    assert found.by_label()[1].n_values == 0

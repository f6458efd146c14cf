"""Entries of numeric columns: counting them, telling them apart, adding and subtracting them."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests._statistics.columns import (
    N_FOLDS,
    NUMERIC_ROWS,
    assert_same_bits,
    counted,
    entries,
    held_out,
    kept,
    numeric,
)

from modlearn._statistics.numeric import NumericCounts, count_numbers

FOLDS = st.integers(0, N_FOLDS - 1)
quick = settings(deadline=None)


def test_without_weights_every_row_is_an_entry():
    table = count_numbers(
        np.array([2.0, np.nan, 1.0]), np.array([0, 1, 2], dtype=np.int32), None, 2
    )
    assert table.rows is None
    assert table.classes.tolist() == [1, 2, 0]
    np.testing.assert_array_equal(table.values, [np.nan, 1, 2])
    assert table.n_classes == 2


@quick
@given(NUMERIC_ROWS)
def test_weights_are_repeated_rows(rows):
    weighted = numeric(rows, weighted=True)
    repeated = numeric([row for row in rows for _ in range(row[2])], weighted=False)
    assert entries(weighted) == entries(repeated) == counted(rows, weighted=True)
    assert weighted.n_rows == repeated.n_rows == sum(row[2] for row in rows)
    assert weighted.missing[1] == repeated.missing[1]


def test_rows_of_weight_zero_do_not_count():
    table = numeric([(1.0, 0, 0, 0), (2.0, 1, 4, 0), (0.0, 2, 0, 0)], weighted=True)
    assert (table.values.tolist(), table.classes.tolist(), table.rows.tolist()) == ([2.0], [1], [4])


@pytest.mark.parametrize(
    ("n_classes", "dtype"), [(255, np.uint8), (256, np.uint16), (65_536, np.int32)]
)
@pytest.mark.parametrize("split", [False, True])
def test_classes_are_of_the_smallest_type_that_holds_unlabeled(n_classes, dtype, split):
    classes = np.array([n_classes, 0], dtype=np.int32)
    folds = np.array([9, 0], dtype=np.uint8) if split else None
    table = count_numbers(np.array([1.0, 2.0]), classes, None, n_classes, folds)
    assert table.classes.dtype == dtype
    assert table.classes.tolist() == [n_classes, 0]


# entries


def column(rows=None):
    return NumericCounts(
        np.array([np.nan, 1.0, 2.0, 2.0]),
        np.array([0, 2, 1, 2], dtype=np.int32),
        None if rows is None else np.array(rows),
        2,
    )


def test_a_column_without_weights_has_as_many_rows_as_entries():
    assert column().n_rows == 4


def test_a_weighted_column_has_the_sum_of_its_weights():
    assert column([3, 1, 0, 5]).n_rows == 9


def test_labeled_and_unlabeled_entries_are_told_apart():
    labeled, unlabeled = column([3, 1, 2, 5]).by_label()[0], column([3, 1, 2, 5]).by_label()[1]
    np.testing.assert_array_equal(labeled.values, [np.nan, 2.0])
    assert (labeled.classes.tolist(), labeled.rows.tolist()) == ([0, 1], [3, 2])
    assert unlabeled.values.tolist() == [1.0, 2.0]
    assert (unlabeled.n_rows, unlabeled.n_classes) == (6, 2)


def test_a_wholly_labeled_column_is_not_copied():
    labeled = column().by_label()[0]
    assert labeled.by_label()[0] is labeled
    assert labeled.by_label()[1].n_rows == 0


@quick
@given(NUMERIC_ROWS, st.booleans())
def test_distinct_values_come_missing_first_each_once_with_its_rows(rows, weighted):
    values, counts = numeric(rows, weighted).distinct()
    expected = {}
    for (value, _), n in counted(rows, weighted).items():
        key = -np.inf if value is None else value
        expected[value is not None, key] = expected.get((value is not None, key), 0) + n
    assert counts.tolist() == [expected[key] for key in sorted(expected)]
    present = [value for is_present, value in sorted(expected) if is_present]
    n_missing = len(expected) - len(present)
    assert np.isnan(values[:n_missing]).all()
    assert values[n_missing:].tolist() == present


# sums and differences


@quick
@given(NUMERIC_ROWS, NUMERIC_ROWS, st.booleans(), st.booleans())
def test_a_sum_counts_the_rows_of_both(rows, others, weighted, other_weighted):
    found = numeric(rows, weighted) + numeric(others, other_weighted)
    assert entries(found) == counted(rows, weighted) + counted(others, other_weighted)
    assert len(entries(found)) == len(found.values)  # merged
    assert_same_bits(found, numeric(others, other_weighted) + numeric(rows, weighted))


@quick
@given(NUMERIC_ROWS, NUMERIC_ROWS, st.booleans(), st.booleans())
def test_what_is_added_can_be_subtracted(rows, others, weighted, other_weighted):
    one, two = numeric(rows, weighted), numeric(others, other_weighted)
    left = (one + two) - two
    assert entries(left) == entries(one)
    # One entry per value and class, as after adding nothing.
    assert_same_bits(left, one + numeric([], weighted=False))


@quick
@given(NUMERIC_ROWS, st.booleans())
def test_nothing_is_left_of_a_column_without_its_rows(rows, weighted):
    counts = numeric(rows, weighted)
    left = counts - counts
    assert (left.n_rows, len(left.values), left.missing[1]) == (0, 0, 0)


@pytest.mark.parametrize("row", [(1.0, 1, 1, 0), (3.0, 0, 1, 0), (np.nan, 0, 1, 0), (1.0, 0, 3, 0)])
def test_rows_that_are_not_there_cannot_be_subtracted(row):
    counts = numeric([(1.0, 0, 2, 0), (2.0, 1, 1, 0), (1.0, 2, 1, 0)], weighted=True)
    with pytest.raises(ValueError, match="hold rows that these counts do not have"):
        counts - numeric([row], weighted=True)


# folds


@quick
@given(NUMERIC_ROWS, st.booleans(), FOLDS)
def test_counts_without_a_fold_are_those_of_the_other_rows_to_the_last_bit(rows, weighted, fold):
    split = numeric(rows, weighted, split=True)
    assert_same_bits(split.without(fold), numeric(kept(rows, fold), weighted))
    assert_same_bits(split.only(fold), numeric(held_out(rows, fold), weighted))
    assert_same_bits(split.whole(), numeric(rows, weighted))


@quick
@given(NUMERIC_ROWS, st.booleans(), FOLDS)
def test_the_whole_is_a_fold_and_the_rest(rows, weighted, fold):
    split = numeric(rows, weighted, split=True)
    whole = split.whole() + numeric([], weighted=False)
    assert_same_bits(split.without(fold) + split.only(fold), whole)
    assert entries(split.whole() - split.only(fold)) == entries(split.without(fold))


@quick
@given(NUMERIC_ROWS, st.booleans(), FOLDS)
def test_labeled_and_unlabeled_rows_keep_their_folds(rows, weighted, fold):
    split = numeric(rows, weighted, split=True)
    rest = numeric(kept(rows, fold), weighted)
    assert_same_bits(split.by_label()[0].without(fold), rest.by_label()[0])
    assert_same_bits(split.by_label()[1].without(fold), rest.by_label()[1])
    assert entries(rest.by_label()[0] + rest.by_label()[1]) == entries(rest)


@quick
@given(NUMERIC_ROWS, NUMERIC_ROWS, st.booleans(), st.booleans())
def test_the_class_of_a_member_is_the_column_it_comes_from(rows, others, weighted, other_weighted):
    one, two = numeric(rows, weighted), numeric(others, other_weighted)
    found = one.membership(two)
    assert found.n_classes == 2
    expected = [
        (value, k, weight if w else 1, 0)
        for k, (some, w) in enumerate(((rows, weighted), (others, other_weighted)))
        for value, _, weight, _ in some
    ]
    assert entries(found) == counted(expected, weighted=True)
    assert found.by_label()[1].n_rows == 0
    ordered = found.values[found.n_missing :]
    assert (ordered[1:] >= ordered[:-1]).all()

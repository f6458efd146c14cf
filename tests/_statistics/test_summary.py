"""What a column looks like before anything is learned from it."""

import numpy as np
import pytest

from modlearn._statistics.summary import summarize_categories, summarize_numbers
from modlearn.schema import Kind


def test_categories_are_counted_and_missing_may_be_the_most_common():
    found = summarize_categories(
        np.array([-1, 0, -1, 2], dtype=np.int32), ("a", "b", "c"), Kind.TEXT
    )
    assert (found.n_missing, found.n_distinct) == (2, 2)
    assert (found.common, found.common_share) == (None, 0.5)
    assert not found.increases


def test_the_most_common_category_is_named():
    found = summarize_categories(np.array([1, 1, 0, 1], dtype=np.int32), ("a", "b"), Kind.TEXT)
    assert (found.common, found.common_share) == ("b", 0.75)


def test_numbers_are_counted_without_missing_ones():
    found = summarize_numbers(np.array([2.0, np.nan, 2.0, 3.0]), True, Kind.NUMERIC)
    assert (found.n_missing, found.n_distinct) == (1, 2)
    assert (found.common, found.common_share) == (2.0, 0.5)


def test_a_number_without_a_majority_in_the_sample_is_not_common():
    found = summarize_numbers(np.array([1.0, 2.0, 3.0]), True, Kind.NUMERIC)
    assert (found.common, found.common_share) == (None, 0.0)


@pytest.mark.parametrize(("value", "common"), [(4.0, 4.0), (np.nan, None)])
def test_a_column_of_one_value_is_known_without_counting(value, common):
    found = summarize_numbers(np.full(5, value), False, Kind.NUMERIC)
    assert (found.n_distinct, found.common, found.common_share) == (1, common, 1.0)


def test_distinct_numbers_are_not_counted_unless_it_is_asked():
    assert summarize_numbers(np.array([1.0, 2.0]), False, Kind.NUMERIC).n_distinct is None


@pytest.mark.parametrize(
    ("values", "increases"),
    [
        ([1.0, 2.0, 5.0], True),
        ([1.0, 2.0, 2.0], False),
        ([1.0, 2.5, 3.0], False),
        ([1.0, np.nan, 3.0], False),
        ([*range(1500), 3.0], False),
    ],
)
def test_whole_numbers_that_grow_from_row_to_row_may_number_the_rows(values, increases):
    values = np.array(values, dtype=float)
    assert summarize_numbers(values, True, Kind.NUMERIC).increases is increases
    assert not summarize_numbers(values, True, Kind.DURATION).increases


def test_columns_that_hold_the_same_have_the_same_signature_whatever_the_categories():
    one = summarize_categories(np.array([0, 1, -1, 0], dtype=np.int32), ("a", "b"), Kind.TEXT)
    two = summarize_categories(np.array([1, -1, 0, 1], dtype=np.int32), ("x", "y"), Kind.TEXT)
    other = summarize_categories(np.array([1, 1, 0, 1], dtype=np.int32), ("x", "y"), Kind.TEXT)
    assert one.signature == two.signature != other.signature

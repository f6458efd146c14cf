from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from modlearn._statistics.overview import (
    BINS,
    QUANTILES,
    overview_of_categories,
    overview_of_numbers,
)

NUMBERS = st.lists(st.one_of(st.floats(-1e6, 1e6), st.just(float("nan"))), min_size=1)


@given(NUMBERS)
def test_counts_and_quantiles_are_those_of_the_sorted_values(values):
    found = overview_of_numbers(np.array(values))
    present = sorted(value for value in values if value == value)
    assert found.n_missing == len(values) - len(present)
    assert found.n_distinct == len(set(present))
    expected = [
        present[round(share * (len(present) - 1))] for share in QUANTILES.values() if present
    ]
    assert list(found.quantiles) == expected


@given(NUMBERS)
def test_every_present_row_is_in_one_bar(values):
    found = overview_of_numbers(np.array(values))
    assert sum(found.histogram) == len(values) - found.n_missing
    assert len(found.histogram) in (0, 1, BINS)


def test_bars_are_equal_parts_of_the_range():
    assert overview_of_numbers(np.arange(12.0)).histogram == (1,) * BINS
    assert overview_of_numbers(np.array([0.0, 0.5, 12.0])).histogram == (2, *[0] * (BINS - 2), 1)


def test_a_constant_column_has_one_bar():
    assert overview_of_numbers(np.array([3.0, 3.0])).histogram == (2,)


def test_infinite_values_are_counted_but_have_no_quantile():
    found = overview_of_numbers(np.array([np.inf, -np.inf, 1.0, 2.0]))
    assert (found.n_distinct, found.n_missing) == (4, 0)
    assert found.quantiles[0] == 1.0
    assert found.quantiles[-1] == 2.0
    assert overview_of_numbers(np.array([np.inf])).quantiles == ()


def test_the_largest_floats_do_not_overflow():
    found = overview_of_numbers(np.array([-1.7e308, 0.0, 1.7e308]))
    assert found.histogram[0] == found.histogram[-1] == 1
    assert sum(found.histogram) == 3


def test_missing_numbers_alone_have_no_quantiles():
    found = overview_of_numbers(np.array([np.nan, np.nan]))
    assert (found.n_missing, found.n_distinct, found.quantiles, found.histogram) == (2, 0, (), ())


@given(st.lists(st.sampled_from(["a", "b", "c", None]), min_size=1))
def test_values_are_counted_the_most_frequent_first(cells):
    names = ["a", "b", "c"]
    codes = np.array([-1 if cell is None else names.index(cell) for cell in cells], dtype=np.int32)
    found = overview_of_categories(codes, names)
    rows = Counter(cell for cell in cells if cell is not None)
    assert found.n_missing == cells.count(None)
    assert found.n_distinct == len(rows)
    assert {v: n for v, n in zip(found.values, found.histogram, strict=True) if n} == rows
    assert list(found.histogram) == sorted(found.histogram, reverse=True)


@pytest.mark.parametrize("n", [BINS - 1, BINS + 5])
def test_only_the_most_frequent_values_are_listed(n):
    found = overview_of_categories(np.arange(n, dtype=np.int32), [f"v{i}" for i in range(n)])
    assert len(found.values) == len(found.histogram) == min(n, BINS)
    assert found.n_distinct == n

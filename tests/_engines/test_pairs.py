"""Edges of the bins that pairs of columns are counted in."""

import numpy as np
import pytest

from modlearn._engines.pairs import finer_edges, pair_edges
from modlearn._statistics.numeric import count_numbers


@pytest.fixture
def counts():
    """Return a column of 2,000 different values."""
    values = np.random.default_rng(0).normal(size=2_000)
    return count_numbers(values, (values > 0).astype(np.int32), None, 2)


def test_few_values_are_bins_of_their_own():
    values = np.repeat([1.0, 2.0, 5.0], 10)
    counts = count_numbers(values, np.arange(30, dtype=np.int32) % 2, None, 2)
    assert pair_edges(counts, np.zeros(0), 16).tolist() == [1.0, 2.0, 5.0]


def test_bins_have_about_equal_rows_and_end_at_the_cuts(counts):
    cuts = np.sort(counts.values)[[300, 1500]]
    edges = pair_edges(counts, cuts, 40)
    assert len(edges) <= 40
    assert np.isin(cuts, edges).all()
    assert edges[-1] == counts.values.max()
    assert np.isin(edges, counts.values).all()
    rows = np.diff(np.searchsorted(np.sort(counts.values), edges, side="right"), prepend=0)
    assert rows.max() < 2 * 2_000 / 37


def test_finer_bins_lie_around_the_cuts_of_a_grid(counts):
    ordered = np.sort(counts.values)
    edges = finer_edges(counts, ordered[[1000]], 0.05, 40)
    assert len(edges) <= 40
    assert ordered[1000] in edges
    near = np.searchsorted(ordered, edges[:-1])
    assert (np.abs(near - 1000) <= 102).all()
    assert finer_edges(counts, np.zeros(0), 0.05, 40).tolist() == [ordered[-1]]

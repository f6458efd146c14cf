"""The prior of curves, against rows written out one by one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.oracles import additive as twin

from modlearn.criteria.additive import CURVE_VARIANCE, curve_covariance, root_of

BINS = st.lists(st.integers(1, 9), min_size=2, max_size=8).map(np.array)


@given(BINS)
def test_a_curve_varies_as_its_rows_do_one_by_one(rows):
    expected = twin.curve_covariance(rows.tolist(), CURVE_VARIANCE)
    np.testing.assert_allclose(curve_covariance(rows), expected, atol=1e-12)


@given(BINS)
def test_a_covariance_is_symmetric_and_has_no_negative_variance(rows):
    covariance = curve_covariance(rows)
    np.testing.assert_allclose(covariance, covariance.T, atol=1e-13)
    assert np.linalg.eigvalsh(covariance).min() > -1e-12


@given(BINS)
def test_the_mean_of_a_curve_over_the_rows_does_not_vary(rows):
    shares = rows / rows.sum()
    np.testing.assert_allclose(curve_covariance(rows) @ shares, 0, atol=1e-13)


@given(BINS)
def test_the_line_and_the_bends_have_the_stated_mean_variance(rows):
    variance = rows / rows.sum() @ curve_covariance(rows).diagonal()
    assert variance == pytest.approx(2 * CURVE_VARIANCE)


@given(BINS)
def test_counting_every_row_twice_changes_nothing(rows):
    np.testing.assert_allclose(curve_covariance(2 * rows), curve_covariance(rows), atol=1e-13)


@given(BINS)
def test_bins_in_the_opposite_order_have_the_same_prior(rows):
    # A random walk is tied to its first bin, but not after its mean is subtracted.
    backward = curve_covariance(rows[::-1])[::-1, ::-1]
    np.testing.assert_allclose(backward, curve_covariance(rows), atol=1e-12)


def test_two_bins_move_in_opposite_directions():
    (low, across), (_, high) = curve_covariance(np.array([1, 3]))
    assert (low, across, high) == pytest.approx((24.0, -8.0, 8 / 3))


def test_one_bin_has_no_curve():
    covariance = curve_covariance(np.array([7]))
    assert covariance.tolist() == [[0.0]]
    assert root_of(covariance).shape == (1, 0)


@given(BINS)
def test_a_root_reproduces_its_covariance(rows):
    covariance = curve_covariance(rows)
    root = root_of(covariance)
    np.testing.assert_allclose(root @ root.T, covariance, atol=1e-8)


@given(BINS)
def test_a_root_of_a_curve_lacks_only_the_mean(rows):
    assert root_of(curve_covariance(rows)).shape == (len(rows), len(rows) - 1)


@given(BINS)
def test_the_largest_entry_of_each_direction_of_a_root_is_positive(rows):
    root = root_of(curve_covariance(rows))
    largest = np.abs(root).argmax(axis=0)
    assert (root[largest, np.arange(root.shape[1])] > 0).all()


def test_a_root_of_independent_scores_keeps_all_of_them():
    root = root_of(np.eye(3))
    np.testing.assert_allclose(root @ root.T, np.eye(3), atol=1e-15)

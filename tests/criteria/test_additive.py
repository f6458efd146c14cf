"""The prior of curves, against rows written out one by one."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.oracles import additive as twin

from modlearn.criteria.additive import (
    CURVE_VARIANCE,
    class_contrasts,
    curve_covariance,
    expected_curvatures,
    one_against_others,
    root_of,
)

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


def test_contrasts_are_orthonormal_differences_of_classes():
    for J in (2, 3, 7):
        Q = class_contrasts(J)
        np.testing.assert_allclose(Q.T @ Q, np.eye(J - 1), atol=1e-12)
        np.testing.assert_allclose(Q.sum(axis=0), 0.0, atol=1e-12)


def test_one_class_against_the_others_is_a_contrast_of_them():
    for J in (2, 5):
        every = np.hstack([one_against_others(j, J) for j in range(J)])
        np.testing.assert_allclose(every, J / (J - 1) * (np.eye(J) - 1 / J))


def test_without_a_variance_the_curvature_is_that_of_the_softmax():
    scores = np.array([[1.0, -0.5, 0.3]])
    p = np.exp(scores[0]) / np.exp(scores[0]).sum()
    found = expected_curvatures(scores, np.zeros(1))[0]
    np.testing.assert_allclose(found, np.diag(p) - np.outer(p, p))


@pytest.mark.parametrize("variance", [0.3, 4.0, 30.0])
@pytest.mark.parametrize("score", [0.0, 2.0, 6.0])
def test_the_expected_curvature_is_about_the_mean_over_scores(score, variance):
    found = expected_curvatures(np.array([[score, 0.0]]), np.array([variance]))[0, 0, 0]
    # The difference of two scores has twice the variance of an orthonormal contrast.
    drawn = score + np.sqrt(2 * variance) * np.random.default_rng(0).normal(size=200_000)
    p = 1 / (1 + np.exp(-drawn))
    assert found == pytest.approx((p * (1 - p)).mean(), rel=0.35)


VALUES = st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=2, max_size=8)


def line_of(values, rows):
    """What a line in the values adds to the covariance."""
    return curve_covariance(rows, np.array(values)) - curve_covariance(rows)


@given(VALUES, BINS)
def test_a_line_in_the_values_is_centered_and_varies_as_much_as_a_line_in_ranks(values, rows):
    rows = np.resize(rows, len(values))
    shares, line = rows / rows.sum(), line_of(values, rows)
    np.testing.assert_allclose(line @ shares, 0, atol=1e-6)
    variance = shares @ line.diagonal()
    assert variance == pytest.approx(CURVE_VARIANCE) or variance == 0


def test_a_line_in_the_values_is_proportional_to_their_distance_from_the_mean():
    values, rows = np.array([1.0, 2.0, 6.0]), np.array([3, 1, 2])
    v = values - np.average(values, weights=rows)
    expected = CURVE_VARIANCE * np.outer(v, v) / np.average(v**2, weights=rows)
    np.testing.assert_allclose(line_of(values, rows), expected)


def test_a_line_in_the_values_does_not_depend_on_their_unit():
    values, rows = np.array([1.0, 2.0, 5.0]), np.array([3, 1, 2])
    np.testing.assert_allclose(line_of(9 * values - 40, rows), line_of(values, rows))


def test_equal_values_have_no_line():
    assert not line_of([3.0, 3.0], np.array([1, 1])).any()

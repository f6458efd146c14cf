"""The equations of propagation against plain sums and fractions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from modlearn.criteria import average_distribution, known_mass, with_prior

# Sixteenths, so that sums are exact in both ways of computing.
shares = st.lists(st.lists(st.integers(0, 5), min_size=3, max_size=3), min_size=1, max_size=8)


@given(shares)
def test_average_is_the_mean_of_the_neighbors(sixteenths):
    k = len(sixteenths)
    expected = [float(Fraction(sum(column), 16 * k)) for column in zip(*sixteenths, strict=True)]
    got = average_distribution(np.array(sixteenths) / 16)
    np.testing.assert_allclose(got, expected, rtol=1e-14, atol=0)


@given(shares, st.data())
def test_weights_are_repeated_neighbors(sixteenths, data):
    neighbors = np.array(sixteenths) / 16
    k = len(neighbors)
    repeats = data.draw(st.lists(st.integers(0, 3), min_size=k, max_size=k).filter(any))
    np.testing.assert_allclose(
        average_distribution(neighbors, repeats),
        average_distribution(np.repeat(neighbors, repeats, axis=0)),
        rtol=1e-14,
    )


def test_what_neighbors_lack_to_one_stays_unknown():
    averaged = average_distribution([[1.0, 0.0], [0.0, 0.5], [0.0, 0.0], [0.0, 0.0]])
    assert known_mass(averaged) == pytest.approx(1.5 / 4)


def test_nothing_known_averages_to_nothing():
    assert average_distribution([[0.0, 0.0], [0.0, 0.0]]).tolist() == [0.0, 0.0]


def test_prior_of_the_labels_leaves_distributions_as_they_are():
    known = np.array([[0.3, 0.7], [1.0, 0.0]])
    np.testing.assert_array_equal(with_prior(known, [0.2, 0.8], [0.2, 0.8]), known)


def test_another_prior_weighs_each_class_by_its_share_over_that_of_the_labels():
    got = with_prior([[0.9, 0.1]], [0.9, 0.1], [0.5, 0.5])
    np.testing.assert_allclose(got, [[0.5, 0.5]])


def test_class_without_labels_has_no_say():
    got = with_prior([[0.5, 0.5, 0.0]], [0.5, 0.5, 0.0], [0.25, 0.25, 0.5])
    np.testing.assert_allclose(got, [[0.5, 0.5, 0.0]])


def test_row_known_to_be_of_a_class_without_votes_stays_in_it():
    got = with_prior([[0.0, 1.0], [1.0, 0.0]], [1.0, 0.0], [0.5, 0.5])
    assert got.tolist() == [[0.0, 1.0], [1.0, 0.0]]


def test_prior_stands_where_nothing_is_known():
    np.testing.assert_array_equal(with_prior([[0.0, 0.0]], [0.5, 0.5], [0.2, 0.8]), [[0.2, 0.8]])

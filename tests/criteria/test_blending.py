"""Class shares among neighbors, and blends of two distributions, against slow twins."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.oracles import blending as oracle

from modlearn.criteria import blended, class_shares, neighbor_shares

counts = st.lists(st.integers(1, 9), min_size=2, max_size=4)


def distribution(numbers):
    return [Fraction(n, sum(numbers)) for n in numbers]


@given(st.data(), counts, st.integers(1, 20))
def test_shares_among_neighbors_equal_those_with_one_more_neighbor(data, prior, k):
    numbers = data.draw(
        st.lists(st.integers(0, 9), min_size=len(prior), max_size=len(prior)).filter(any)
    )
    known, prior = distribution(numbers), distribution(prior)
    expected = [float(share) for share in oracle.neighbor_shares(known, prior, k)]
    found = neighbor_shares([[float(q) for q in known]], [float(p) for p in prior], k)
    np.testing.assert_allclose(found, [expected], rtol=1e-13)


def test_neighbors_count_like_the_rows_of_a_part():
    part = np.array([[7, 3], [20, 30]])
    prior = part.sum(axis=0) / part.sum()
    found = neighbor_shares(part[:1] / 10, prior, n_neighbors=10)
    np.testing.assert_allclose(found, class_shares(part)[:1], rtol=1e-14)


def test_a_row_that_no_label_reaches_has_the_prior():
    assert neighbor_shares([[0.0, 0.0]], [0.25, 0.75], 10).tolist() == [[0.25, 0.75]]


@given(st.data(), counts)
def test_a_blend_is_the_geometric_mean(data, first):
    second = data.draw(
        st.lists(st.integers(0, 9), min_size=len(first), max_size=len(first)).filter(any)
    )
    p, q = ([float(share) for share in distribution(one)] for one in (first, second))
    np.testing.assert_allclose(blended([p], [q]), [oracle.blended(p, q)], rtol=1e-13)


@given(counts, st.integers(0, 10_000))
def test_no_other_distribution_is_nearer_to_both(numbers, seed):
    rng = np.random.default_rng(seed)
    p = np.array([float(share) for share in distribution(numbers)])
    q, other = rng.dirichlet(np.ones(len(p)), 2) * 0.98 + 0.02 / len(p)

    def distance(r):
        return float((r * (np.log(r / p) + np.log(r / q))).sum())

    assert distance(blended(p, q)) <= distance(other / other.sum()) + 1e-12


def test_probabilities_too_small_to_multiply_are_blended():
    tiny = [[1e-300, 1.0]]
    np.testing.assert_allclose(blended(tiny, tiny), tiny, rtol=1e-12)

from math import comb, log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from tests.oracles import naive_bayes as twin

from modlearn.criteria import (
    class_shares,
    part_log_likelihoods,
    part_log_odds,
    part_variances,
    share_variances,
    sparsity_slope,
    subset_cost,
    subset_prior,
)

tables = arrays(
    np.int64, st.tuples(st.integers(1, 5), st.integers(1, 4)), elements=st.integers(0, 9)
)
full_tables = tables.filter(lambda table: (table.sum(axis=0) > 0).all())


@given(full_tables, st.booleans())
def test_likelihoods_are_those_of_the_twin(counts, left_out):
    expected = [
        [log(twin.likelihood(counts.tolist(), i, j, left_out)) for j in range(counts.shape[1])]
        for i in range(counts.shape[0])
    ]
    np.testing.assert_allclose(part_log_likelihoods(counts, left_out), expected, atol=1e-12)


@given(full_tables.filter(lambda table: table.shape[1] > 1))
def test_log_odds_are_those_of_the_twin(counts):
    expected = [
        [log(twin.odds(counts.tolist(), i, j)) for j in range(counts.shape[1])]
        for i in range(counts.shape[0])
    ]
    np.testing.assert_allclose(part_log_odds(counts), expected, atol=1e-12)


@given(tables)
def test_log_odds_are_zero_where_nothing_differs(counts):
    odds = part_log_odds(counts)
    in_class = counts.sum(axis=0)
    assert np.isfinite(odds).all()
    assert not odds[counts.sum(axis=1) == 0].any()
    assert not odds[:, (in_class == 0) | (in_class == in_class.sum())].any()
    assert not part_log_odds(counts[:1]).any()


@given(full_tables)
def test_the_likelihoods_of_a_class_add_up_to_one(counts):
    np.testing.assert_allclose(np.exp(part_log_likelihoods(counts)).sum(axis=0), 1)


@given(full_tables)
def test_shares_are_the_likelihoods_by_bayes_rule(counts):
    joint = np.exp(part_log_likelihoods(counts)) * counts.sum(axis=0)
    np.testing.assert_allclose(class_shares(counts), joint / joint.sum(axis=1, keepdims=True))


@given(full_tables)
def test_the_most_frequent_class_of_a_part_is_the_most_probable(counts):
    chosen = class_shares(counts).argmax(axis=1)
    assert (counts[np.arange(len(counts)), chosen] == counts.max(axis=1)).all()


def test_a_part_without_rows_has_the_shares_of_the_table():
    assert class_shares([[3, 1], [0, 0]])[1].tolist() == [0.75, 0.25]


@pytest.mark.parametrize("K", [1, 2, 7, 40])
def test_the_prior_counts_subsets_with_repetition(K):
    for size in range(K + 1):
        expected = log(K + 1) + log(comb(K + size - 1, size))
        assert subset_prior(K, size) == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("K", [2, 7, 40])
def test_the_slope_is_that_of_the_largest_convex_function_below_the_prior(K):
    sizes = np.linspace(0, K, 50)
    prior = np.array([subset_prior(K, size) for size in sizes])
    assert (np.diff(prior, 2) < 0).all()
    chord = subset_prior(K, 0) + sparsity_slope(K) * sizes
    assert (chord <= prior + 1e-12).all()
    np.testing.assert_allclose(chord[[0, -1]], prior[[0, -1]])


def test_a_cost_is_the_prior_less_the_log_likelihood():
    assert subset_cost([-1.0, -2.5], 3, 2) == pytest.approx(subset_prior(3, 2) + 3.5)


def test_part_variances_are_those_of_logs_of_dirichlet_shares():
    counts = np.array([[20, 3], [7, 9], [1, 14]])
    priors = counts.sum(axis=0) / counts.sum()
    rng = np.random.default_rng(0)
    for j, prior in enumerate(priors):
        shares = rng.dirichlet(counts[:, j] + prior, 100_000)
        expected = np.log(shares).var(axis=0)
        np.testing.assert_allclose(part_variances(counts)[:, j], expected, rtol=0.05)


def test_share_variances_are_those_of_differences_of_logs_of_dirichlet_shares():
    counts = np.array([20, 3, 7])
    logs = np.log(np.random.default_rng(0).dirichlet(counts + 1, 100_000))
    found = share_variances(counts)
    assert (logs[:, 0] - logs[:, 1]).var() == pytest.approx(found[0] + found[1], rel=0.05)


def test_a_class_without_rows_has_a_finite_variance():
    assert np.isfinite(part_variances([[3, 0], [4, 0]])).all()

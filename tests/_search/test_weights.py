from math import ceil, log2

import numpy as np
import pytest
from tests._search.profiles import as_profiles, log_prior, make_rows
from tests.oracles import naive_bayes as twin

from modlearn._search.weights import MOST_ROUNDS, averaged_weights, optimized_weights

SHAPES = [(30, 1, 2), (40, 3, 2), (60, 5, 3), (50, 4, 5), (25, 6, 2)]


def orders_of(seed, n, K):
    rng = np.random.default_rng(seed)
    return [rng.permutation(K).tolist() for _ in range(ceil(log2(n * K + 1)))]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", range(3))
def test_averaged_weights_are_those_of_the_twin(shape, seed):
    n, K, J = shape
    codes, classes = make_rows(seed, n, K, J)
    profiles, counts = as_profiles(codes, classes)
    found = averaged_weights(profiles, counts, log_prior(classes), seed)
    expected = twin.averaged_weights(codes, classes, J, orders_of(seed, n, K), MOST_ROUNDS)
    np.testing.assert_allclose(found, expected, atol=1e-6)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", range(3))
def test_no_move_of_a_weight_lowers_the_cost_of_the_best_weights(shape, seed):
    n, K, J = shape
    codes, classes = make_rows(seed, n, K, J)
    profiles, counts = as_profiles(codes, classes)
    found = optimized_weights(profiles, counts, log_prior(classes), None)
    assert ((found >= 0) & (found <= 1)).all()
    assert twin.worst_move(codes, classes, J, found.tolist()) < 1e-6


@pytest.mark.parametrize("seed", range(3))
def test_nor_does_one_where_variables_have_prices_of_their_own(seed):
    codes, classes = make_rows(seed, 60, 5, 3)
    profiles, counts = as_profiles(codes, classes)
    prices = [0.0, 3.0, 0.0, 1.0, 8.0]
    found = optimized_weights(profiles, counts, log_prior(classes), None, prices)
    assert twin.worst_move(codes, classes, 3, found.tolist(), prices) < 1e-6


@pytest.mark.parametrize("seed", range(3))
def test_the_cost_of_weights_is_convex(seed):
    codes, classes = make_rows(seed, 40, 4, 3)
    rng = np.random.default_rng(seed)
    for _ in range(5):
        ends = rng.random((2, 4))
        costs = [
            twin.weighted_cost(codes, classes, 3, weights.tolist())
            for weights in (ends[0], ends.mean(axis=0), ends[1])
        ]
        assert costs[1] <= (costs[0] + costs[2]) / 2 + 1e-9


def test_a_copy_of_a_variable_shares_its_weight():
    codes, classes = make_rows(0, 60, 4, 2)
    profiles, counts = as_profiles(codes, classes)
    found = optimized_weights(profiles, counts, log_prior(classes), None)
    alone = [row[:-1] for row in codes]
    profiles, counts = as_profiles(alone, classes)
    single = optimized_weights(profiles, counts, log_prior(classes), None)
    assert found[0] + found[-1] == pytest.approx(single[0], abs=0.1)


def test_another_seed_gives_other_orders_but_much_the_same_weights():
    codes, classes = make_rows(1, 200, 6, 3)
    profiles, counts = as_profiles(codes, classes)
    one, other = (averaged_weights(profiles, counts, log_prior(classes), s) for s in (0, 1))
    assert one.tolist() != other.tolist()
    np.testing.assert_allclose(one, other, atol=0.2)

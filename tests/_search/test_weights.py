from math import ceil, log2

import numpy as np
import pytest
from tests._search.profiles import as_profiles, log_prior, make_rows
from tests.oracles import naive_bayes as twin

from modlearn._search import weights as module
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
    profiles, tables, _ = as_profiles(codes, classes)
    found = averaged_weights(profiles, tables, log_prior(classes), seed)
    expected = twin.averaged_weights(codes, classes, J, orders_of(seed, n, K), MOST_ROUNDS)
    np.testing.assert_allclose(found, expected, atol=1e-6)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("seed", range(3))
def test_no_move_of_a_weight_lowers_the_cost_of_the_best_weights(shape, seed):
    n, K, J = shape
    codes, classes = make_rows(seed, n, K, J)
    profiles, tables, left_out = as_profiles(codes, classes)
    found = optimized_weights(profiles, tables, left_out, log_prior(classes), None)
    assert ((found >= 0) & (found <= 1)).all()
    assert twin.worst_move(codes, classes, J, found.tolist()) < 1e-6


@pytest.mark.parametrize("seed", range(3))
def test_nor_does_one_where_variables_have_prices_of_their_own(seed):
    codes, classes = make_rows(seed, 60, 5, 3)
    profiles, tables, left_out = as_profiles(codes, classes)
    prices = [0.0, 3.0, 0.0, 1.0, 8.0]
    found = optimized_weights(profiles, tables, left_out, log_prior(classes), None, prices)
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
    profiles, tables, left_out = as_profiles(codes, classes)
    found = optimized_weights(profiles, tables, left_out, log_prior(classes), None)
    alone = [row[:-1] for row in codes]
    profiles, tables, left_out = as_profiles(alone, classes)
    single = optimized_weights(profiles, tables, left_out, log_prior(classes), None)
    assert found[0] + found[-1] == pytest.approx(single[0], abs=0.1)


def test_another_seed_gives_other_orders_but_much_the_same_weights():
    codes, classes = make_rows(1, 200, 6, 3)
    profiles, tables, _ = as_profiles(codes, classes)
    one, other = (averaged_weights(profiles, tables, log_prior(classes), s) for s in (0, 1))
    assert one.tolist() != other.tolist()
    np.testing.assert_allclose(one, other, atol=0.2)


# the search of the best weights


@pytest.fixture
def problem():
    codes, classes = make_rows(3, 500, 9, 3, copied=False)
    return *as_profiles(codes, classes), log_prior(classes)


def test_threads_do_not_change_the_weights(problem, monkeypatch):
    monkeypatch.setattr(module, "CHUNK", 50)
    one, two = (optimized_weights(*problem, n_jobs) for n_jobs in (1, 2))
    assert one.tolist() == two.tolist()


def test_a_weight_that_rounding_leaves_of_zero_is_zero(problem, monkeypatch):
    found = np.array([0.5, 2.96e-17, 0.0, 1.0, 1e-6])
    monkeypatch.setattr(module, "_best_weights", lambda loss, n_variables: found)
    assert optimized_weights(*problem, None).tolist() == [0.5, 0.0, 0.0, 1.0, 1e-6]


def test_variables_that_join_a_few_at_a_time_end_with_the_same_weights(problem, monkeypatch):
    together = optimized_weights(*problem, None)
    monkeypatch.setattr(module, "ADDED_AT_A_TIME", 2)
    np.testing.assert_allclose(optimized_weights(*problem, None), together, atol=1e-4)


def test_the_curvature_of_some_rows_leads_to_the_same_weights(problem, monkeypatch):
    exact = optimized_weights(*problem, None)
    monkeypatch.setattr(module, "CURVATURE_LINES", 300)
    np.testing.assert_allclose(optimized_weights(*problem, None), exact, atol=1e-4)


def test_a_first_guess_from_some_rows_leads_to_the_same_weights(problem, monkeypatch):
    at_once = optimized_weights(*problem, None)
    monkeypatch.setattr(module, "SAMPLE_LINES", 30)
    guessed = optimized_weights(*problem, None)
    assert guessed.tolist() != at_once.tolist()  # else no guess was made
    np.testing.assert_allclose(guessed, at_once, atol=1e-4)


def test_weights_that_are_found_are_never_guessed_anew_from_some_rows(problem, monkeypatch):
    expected = optimized_weights(*problem, None)
    monkeypatch.setattr(module, "ADDED_AT_A_TIME", 2)
    monkeypatch.setattr(module, "SAMPLE_LINES", 30)
    newton, rows = module._newton, []
    monkeypatch.setattr(
        module, "_newton", lambda loss, *rest: rows.append(len(loss.rows)) or newton(loss, *rest)
    )
    np.testing.assert_allclose(optimized_weights(*problem, None), expected, atol=1e-4)
    assert len(rows) > 3
    assert rows[0] < rows[1]
    assert set(rows[1:]) == {max(rows)}


def test_a_variable_left_out_too_early_comes_back(problem, monkeypatch):
    expected = optimized_weights(*problem, None)
    newton, calls = module._newton, []

    def without_the_heaviest(loss, used, weights, *rest):
        calls.append(used)
        kept = used != expected.argmax() if len(calls) == 1 else used >= 0
        found = np.zeros(len(used))
        found[kept] = newton(loss, used[kept], weights[kept], *rest)
        return found

    monkeypatch.setattr(module, "_newton", without_the_heaviest)
    np.testing.assert_allclose(optimized_weights(*problem, None), expected, atol=1e-4)
    assert len(calls) == 2
    assert expected.argmax() in calls[1]


def test_copies_whose_expected_gain_is_not_reached_do_not_join_forever(monkeypatch):
    monkeypatch.setattr(module, "ADDED_AT_A_TIME", 4)
    codes, classes = make_rows(0, 600, 1, 2, copied=False)
    copies = [row * 20 for row in codes]
    rounds = []
    evaluate = module.WeightedLoss.evaluate
    monkeypatch.setattr(
        module.WeightedLoss,
        "evaluate",
        lambda self, used, weights, wanted: (
            rounds.append(len(used)) or evaluate(self, used, weights, wanted)
        ),
    )
    one, many = (
        optimized_weights(*as_profiles(c, classes), log_prior(classes), None)
        for c in (codes, copies)
    )
    assert len(rounds) < 200
    assert many.sum() == pytest.approx(one.sum(), abs=0.3)

import numpy as np
import pytest
from tests._search.profiles import as_profiles, log_prior, make_rows

from modlearn._search import weighting
from modlearn._search.weights import optimized_weights


@pytest.fixture
def problem():
    codes, classes = make_rows(3, 500, 9, 3, copied=False)
    return *as_profiles(codes, classes), log_prior(classes)


def test_threads_do_not_change_the_weights(problem, monkeypatch):
    monkeypatch.setattr(weighting, "CHUNK", 50)
    one, two = (optimized_weights(*problem, n_jobs) for n_jobs in (1, 2))
    assert one.tolist() == two.tolist()


def test_a_weight_that_rounding_leaves_of_zero_is_zero(problem, monkeypatch):
    found = np.array([0.5, 2.96e-17, 0.0, 1.0, 1e-6])
    monkeypatch.setattr(weighting, "_best_weights", lambda loss, n_variables: found)
    assert optimized_weights(*problem, None).tolist() == [0.5, 0.0, 0.0, 1.0, 1e-6]


def test_variables_that_join_a_few_at_a_time_end_with_the_same_weights(problem, monkeypatch):
    together = optimized_weights(*problem, None)
    monkeypatch.setattr(weighting, "ADDED_AT_A_TIME", 2)
    np.testing.assert_allclose(optimized_weights(*problem, None), together, atol=1e-4)


def test_the_curvature_of_some_rows_leads_to_the_same_weights(problem, monkeypatch):
    exact = optimized_weights(*problem, None)
    monkeypatch.setattr(weighting, "CURVATURE_LINES", 300)
    np.testing.assert_allclose(optimized_weights(*problem, None), exact, atol=1e-4)


def test_a_first_guess_from_some_rows_leads_to_the_same_weights(problem, monkeypatch):
    at_once = optimized_weights(*problem, None)
    monkeypatch.setattr(weighting, "SAMPLE_LINES", 30)
    guessed = optimized_weights(*problem, None)
    assert guessed.tolist() != at_once.tolist()  # else no guess was made
    np.testing.assert_allclose(guessed, at_once, atol=1e-4)


def test_weights_that_are_found_are_never_guessed_anew_from_some_rows(problem, monkeypatch):
    expected = optimized_weights(*problem, None)
    monkeypatch.setattr(weighting, "ADDED_AT_A_TIME", 2)
    monkeypatch.setattr(weighting, "SAMPLE_LINES", 30)
    newton, rows = weighting._newton, []
    monkeypatch.setattr(
        weighting, "_newton", lambda loss, *rest: rows.append(len(loss.rows)) or newton(loss, *rest)
    )
    np.testing.assert_allclose(optimized_weights(*problem, None), expected, atol=1e-4)
    assert len(rows) > 3
    assert rows[0] < rows[1]
    assert set(rows[1:]) == {max(rows)}


def test_a_variable_left_out_too_early_comes_back(problem, monkeypatch):
    expected = optimized_weights(*problem, None)
    newton, calls = weighting._newton, []

    def without_the_heaviest(loss, used, weights, *rest):
        calls.append(used)
        kept = used != expected.argmax() if len(calls) == 1 else used >= 0
        found = np.zeros(len(used))
        found[kept] = newton(loss, used[kept], weights[kept], *rest)
        return found

    monkeypatch.setattr(weighting, "_newton", without_the_heaviest)
    np.testing.assert_allclose(optimized_weights(*problem, None), expected, atol=1e-4)
    assert len(calls) == 2
    assert expected.argmax() in calls[1]


def test_copies_that_promise_what_they_cannot_keep_do_not_join_for_ever(monkeypatch):
    monkeypatch.setattr(weighting, "ADDED_AT_A_TIME", 4)
    codes, classes = make_rows(0, 600, 1, 2, copied=False)
    copies = [row * 20 for row in codes]
    rounds = []
    evaluate = weighting.WeightedLoss.evaluate
    monkeypatch.setattr(
        weighting.WeightedLoss,
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

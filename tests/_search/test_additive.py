"""The most probable tables, against a dense design, and the prior under which they predict best."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests._search.profiles import as_profiles, log_prior, make_rows
from tests.oracles import additive as twin

from modlearn._search import additive as module
from modlearn._search.additive import EXACT, N_FOLDS, PENALTIES, best_tables
from modlearn._statistics.profiles import Profiles, count_profiles
from modlearn.criteria.additive import curve_covariance, root_of


def covariances_of(profiles):
    """A curve for every other term, and independent scores for the others."""
    sizes = [int(codes.max()) + 1 for codes in profiles.codes]
    rows = [
        np.bincount(codes[codes >= 0], profiles.rows[codes >= 0], size)
        for codes, size in zip(profiles.codes, sizes, strict=True)
    ]
    return [curve_covariance(n) if k % 2 == 0 else np.eye(len(n)) for k, n in enumerate(rows)]


def roots_of(profiles):
    return [root_of(covariance) for covariance in covariances_of(profiles)]


def problem_of(profiles, prior, n_jobs=None):
    return module._Problem.of(profiles, roots_of(profiles), prior, n_jobs)


def some_missing(profiles):
    """The profiles with code -1 here and there."""
    codes = profiles.codes.copy()
    codes[0, ::7] = codes[1, ::5] = -1
    return replace(profiles, codes=codes)


@pytest.fixture(params=[2, 5])
def rows(request):
    """Profiles of three terms and the log of the prior, with 2 and with 5 classes."""
    codes, classes = make_rows(request.param, 90, 3, request.param, copied=False)
    return some_missing(as_profiles(codes, classes)[0]), log_prior(classes)


# the cost and its least value


def test_loss_and_gradient_are_those_of_a_dense_design(rows):
    profiles, prior = rows
    problem = problem_of(profiles, prior)
    tables = np.random.default_rng(0).normal(size=(problem.ends[-1] + 2, len(prior)))
    tables[-1] = 0.0
    sizes = np.diff(problem.ends).tolist()
    X = np.column_stack((twin.design(profiles.codes, sizes), np.ones(len(profiles.rows))))
    expected = twin.loss_and_gradient(X, profiles.classes, profiles.rows, prior, tables[:-1])
    loss, gradient = problem.loss_and_gradient(tables)
    assert loss == pytest.approx(expected[0])
    np.testing.assert_allclose(gradient[:-1], expected[1], atol=1e-9)


def test_derivatives_by_coordinates_are_differences_of_the_loss(rows):
    profiles, prior = rows
    problem = problem_of(profiles, prior)
    z = np.random.default_rng(1).normal(size=problem.start.shape)
    gradient = problem.by_coordinates(problem.loss_and_gradient(problem.tables(z))[1])
    for i, j in [(0, 0), (len(z) // 2, 1), (len(z) - 1, 0)]:
        step = np.zeros(z.shape)
        step[i, j] = 1e-5
        above, below = (
            problem.loss_and_gradient(problem.tables(at))[0] for at in (z + step, z - step)
        )
        assert gradient[i, j] == pytest.approx((above - below) / 2e-5, rel=1e-5, abs=1e-6)


@pytest.mark.parametrize("penalty", [16.0, 0.25])
def test_the_tables_found_cost_no_more_than_those_of_a_plain_search(rows, penalty):
    profiles, prior = rows
    problem, covariances = problem_of(profiles, prior), covariances_of(profiles)
    stacked = problem.tables(problem.solve(penalty, problem.start, EXACT))
    tables = np.split(stacked[:-2], problem.ends[1:-1])
    found = problem.loss_and_gradient(stacked)[0] + penalty * twin.price(tables, covariances)
    least, expected, intercept = twin.solve(
        profiles.codes, profiles.classes, profiles.rows, prior, covariances, penalty
    )
    assert found == pytest.approx(least, rel=1e-6)
    np.testing.assert_allclose(np.concatenate(tables), np.concatenate(expected), atol=0.02)
    np.testing.assert_allclose(stacked[-2], intercept, atol=0.02)


def test_a_stronger_prior_has_smaller_scores(rows):
    problem = problem_of(*rows)
    sizes = [
        np.abs(problem.tables(problem.solve(penalty, problem.start, EXACT))[:-2]).mean()
        for penalty in PENALTIES[::3]
    ]
    assert sizes == sorted(sizes)


def test_the_base_is_the_log_prior_plus_the_intercept(rows):
    profiles, prior = rows
    found = best_tables(profiles, roots_of(profiles), prior, None)
    scores = twin.design(profiles.codes, [len(t) for t in found.tables]) @ np.concatenate(
        found.tables
    )
    shares = np.exp([twin.log_probabilities(found.base + line) for line in scores])
    # The intercept has no prior: the expected number of rows of each class is the observed one.
    counts = np.bincount(profiles.classes, profiles.rows)
    np.testing.assert_allclose(profiles.rows @ shares, counts, atol=0.05)


# what must not matter


def with_threads(rows, n_jobs):
    profiles, prior = rows
    return best_tables(profiles, roots_of(profiles), prior, n_jobs)


def assert_same(found, expected, atol=0.0):
    assert found.penalty == pytest.approx(expected.penalty, rel=1e-9)
    np.testing.assert_allclose(found.base, expected.base, rtol=0, atol=atol)
    for one, other in zip(found.tables, expected.tables, strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=atol)


def test_threads_do_not_change_the_tables(rows, monkeypatch):
    monkeypatch.setattr(module, "SMALL_WORK", 0)
    assert_same(with_threads(rows, 2), with_threads(rows, 1))


def test_chunks_of_rows_change_the_tables_by_rounding_only(rows, monkeypatch):
    whole = with_threads(rows, None)
    monkeypatch.setattr(module, "SMALL_WORK", 0)
    assert_same(with_threads(rows, None), whole, atol=1e-6)


def test_rows_that_repeat_count_as_often_as_they_are_there(rows):
    profiles, prior = rows
    times = np.arange(len(profiles.rows)) % 3 + 1
    apart = np.repeat(np.arange(len(times)), times)
    counted = count_profiles(profiles.codes, profiles.classes, times, len(prior))
    codes = np.ascontiguousarray(profiles.codes[:, apart])
    repeated = count_profiles(codes, profiles.classes[apart], None, len(prior))
    roots = roots_of(counted)
    expected = best_tables(counted, roots, prior, None)
    assert_same(best_tables(repeated, roots, prior, None), expected)


def test_the_order_of_rows_changes_the_tables_by_rounding_only(rows):
    profiles, prior = rows
    order = np.random.default_rng(0).permutation(len(profiles.rows))
    shuffled = Profiles(
        np.ascontiguousarray(profiles.codes[:, order]),
        profiles.classes[order],
        profiles.rows[order],
    )
    expected = best_tables(profiles, roots_of(profiles), prior, None)
    assert_same(best_tables(shuffled, roots_of(profiles), prior, None), expected, atol=1e-6)


def test_the_order_of_classes_changes_the_tables_by_rounding_only(rows):
    profiles, prior = rows
    codes, classes = profiles.codes, len(prior) - 1 - profiles.classes
    backward = count_profiles(codes, classes, profiles.rows.astype(np.int64), len(prior))
    found = best_tables(backward, roots_of(profiles), prior[::-1].copy(), None)
    found = replace(found, base=found.base[::-1], tables=[t[:, ::-1] for t in found.tables])
    assert_same(found, with_threads(rows, None), atol=1e-6)


def test_a_term_that_no_row_has_a_part_of_adds_nothing(rows):
    profiles, prior = rows
    nowhere = np.full((1, len(profiles.rows)), -1, dtype=np.int32)
    problem, root = problem_of(profiles, prior), np.eye(4)
    more = module._Problem.of(
        replace(profiles, codes=np.concatenate((profiles.codes, nowhere))),
        [*problem.roots, root],
        prior,
        None,
    )
    expected = problem.tables(problem.solve(1.0, problem.start, EXACT))
    found = more.tables(more.solve(1.0, more.start, EXACT))
    assert (found[-6:-2] == 0).all()
    np.testing.assert_allclose(np.delete(found, slice(-6, -2), axis=0), expected, atol=1e-9)


# the strength of the prior


def one_term(codes, classes, rows):
    """Rows of one term of 8 parts and 4 classes."""
    profiles = Profiles(
        np.array([codes], dtype=np.int32), np.array(classes, dtype=np.int32), np.array(rows, float)
    )
    return module._Problem.of(profiles, [np.eye(8)], np.log([0.4, 0.3, 0.2, 0.1]), None)


PROFILES = st.dictionaries(
    st.tuples(st.integers(0, 7), st.integers(0, 3)), st.integers(2, 9), min_size=1
)


@given(PROFILES)
@settings(deadline=None, max_examples=50)
def test_every_row_is_left_out_once_and_trains_the_other_folds(counted):
    codes, classes = zip(*counted, strict=True)
    problem = one_term(codes, classes, list(counted.values()))
    left_out = dict.fromkeys(counted, 0)
    for train, test in (problem.fold(k) for k in range(N_FOLDS)):
        trained = dict.fromkeys(counted, 0)
        for part, found in ((test, left_out), (train, trained)):
            assert (part.rows > 0).all()
            for line, label, n in zip(part.lines[0], part.classes, part.rows, strict=True):
                found[line, label] += n
        held = dict.fromkeys(counted, 0)
        for line, label, n in zip(test.lines[0], test.classes, test.rows, strict=True):
            held[line, label] += n
        assert trained == {profile: n - held[profile] for profile, n in counted.items()}
    assert left_out == counted


def test_folds_of_a_class_differ_by_at_most_one_row(rows):
    profiles, prior = rows
    held = problem_of(profiles, prior).dealt
    sizes = [np.bincount(profiles.classes, fold, len(prior)) for fold in held]
    assert np.ptp(sizes, axis=0).max() <= 1


def test_the_only_row_of_a_class_is_left_out_of_no_fold():
    problem = one_term([0, 1, 2], [0, 0, 1], [4, 5, 1])
    assert problem.dealt.sum(axis=0).tolist() == [4, 5, 0]
    assert all(1 in train.classes for train, _ in (problem.fold(k) for k in range(N_FOLDS)))


def test_more_rows_than_can_be_drawn_are_divided_in_equal_shares():
    rows = np.array([3e9, 6e9, 9e12])
    held = one_term([0, 1, 2], [0, 0, 1], rows).dealt
    np.testing.assert_allclose(held, np.tile(rows / 3, (3, 1)), rtol=1e-8)
    assert (held.sum(axis=0) <= rows).all()


def test_rows_of_a_profile_fall_into_folds_as_at_random():
    rows = 300 + np.arange(32)
    held = one_term([*range(8)] * 4, np.repeat(range(4), 8), rows).dealt
    deviations = (held - rows / 3) / np.sqrt(rows * 2 / 9)  # of binomial numbers
    assert deviations.mean() == pytest.approx(0, abs=1e-12)
    assert 0.8 < deviations.std() < 1.2


@given(PROFILES, st.permutations(range(4)))
@settings(deadline=None, max_examples=50)
def test_folds_do_not_depend_on_the_order_of_classes(counted, new):
    codes, classes = zip(*counted, strict=True)
    rows = list(counted.values())
    renamed = one_term(codes, [new[label] for label in classes], rows)
    assert renamed.dealt.tolist() == one_term(codes, classes, rows).dealt.tolist()


@given(PROFILES, st.randoms(use_true_random=False))
@settings(deadline=None, max_examples=50)
def test_folds_do_not_depend_on_the_order_of_rows(counted, random):
    order = random.sample(range(len(counted)), len(counted))
    codes, classes = (np.array(one) for one in zip(*counted, strict=True))
    rows = np.array(list(counted.values()))
    shuffled = one_term(codes[order], classes[order], rows[order])
    assert shuffled.dealt.tolist() == one_term(codes, classes, rows).dealt[:, order].tolist()


def test_the_penalty_is_within_those_tried(rows):
    assert PENALTIES[-1] <= with_threads(rows, None).penalty <= PENALTIES[0]


def columns_of(seed, n, signal, n_parts=6):
    """Two terms, and two classes that depend this strongly on the first one."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, n_parts, (2, n)).astype(np.int32)
    odds = signal * (codes[0] - 2.5)
    classes = (rng.random(n) < 1 / (1 + np.exp(-odds))).astype(np.int32)
    return count_profiles(codes, classes, None, 2), np.log(np.bincount(classes) / n)


def test_pure_noise_has_a_strong_prior_even_if_profiles_repeat():
    penalties = []
    for seed in range(9):
        profiles, prior = columns_of(seed, 300, 0.0)
        assert profiles.rows.mean() > 3
        found = best_tables(profiles, roots_of(profiles), prior, None)
        assert np.abs(np.concatenate(found.tables)).max() < 0.3
        penalties.append(found.penalty)
    assert np.median(penalties) > PENALTIES[1]


def test_a_strong_signal_has_a_weaker_prior():
    profiles, prior = columns_of(0, 300, 2.0)
    found = best_tables(profiles, roots_of(profiles), prior, None)
    assert found.penalty < PENALTIES[1]
    assert (np.diff(found.tables[0][:, 1]) > 0).all()


def test_left_out_rows_are_about_as_probable_as_under_any_penalty():
    profiles, prior = columns_of(1, 150, 1.0)
    problem = problem_of(profiles, prior)
    losses = []
    for penalty in PENALTIES[:6]:
        losses.append(0.0)
        for train, test in (problem.fold(k) for k in range(N_FOLDS)):
            tables = train.tables(train.solve(penalty, train.start, EXACT))
            losses[-1] += test.loss_and_gradient(tables)[0]
    best = PENALTIES[int(np.argmin(losses))]
    assert best / 4 <= module._best_penalty(problem) <= best * 4


def test_weak_priors_are_not_tried_once_rows_are_clearly_less_probable(monkeypatch):
    profiles, prior = columns_of(0, 200, 0.0, n_parts=30)
    problem, tried = problem_of(profiles, prior), []
    solve = module._Problem.solve
    monkeypatch.setattr(
        module._Problem, "solve", lambda self, *how: tried.append(how[0]) or solve(self, *how)
    )
    module._best_penalty(problem)
    assert tried[0] == PENALTIES[0]
    assert min(tried) > PENALTIES[-1]


def test_penalties_are_compared_on_a_sample_that_the_classes_do_not_change(rows):
    profiles, prior = rows
    problem = problem_of(profiles, prior)
    some = problem.of_first_rows(20)
    renamed = problem_of(replace(profiles, classes=len(prior) - 1 - profiles.classes), prior)
    again = renamed.of_first_rows(20)
    assert 20 <= len(some.rows) < len(problem.rows)
    assert some.lines.tolist() == again.lines.tolist()
    assert problem.of_first_rows(len(problem.rows)) is problem


def test_penalties_compared_on_a_sample_lead_to_tables_of_all_rows(rows, monkeypatch):
    profiles, prior = rows
    monkeypatch.setattr(module, "MOST_COMPARED", 30)
    found = best_tables(profiles, roots_of(profiles), prior, None)
    problem = problem_of(profiles, prior)
    expected = problem.tables(problem.solve(found.penalty, problem.start, EXACT))
    np.testing.assert_allclose(np.concatenate(found.tables), expected[:-2], atol=0.02)


# the order of columns


def test_the_order_of_terms_does_not_change_folds_or_samples(rows):
    profiles, prior = rows
    backward = replace(profiles, codes=np.ascontiguousarray(profiles.codes[::-1]))
    one, other = problem_of(profiles, prior), problem_of(backward, prior)
    assert one.keys.tolist() == other.keys.tolist()
    assert one.dealt.tolist() == other.dealt.tolist()


def test_the_order_of_terms_changes_the_tables_by_rounding_only(rows):
    profiles, prior = rows
    expected = with_threads(rows, None)
    backward = replace(profiles, codes=np.ascontiguousarray(profiles.codes[::-1]))
    found = best_tables(backward, roots_of(profiles)[::-1], prior, None)
    assert_same(replace(found, tables=found.tables[::-1]), expected, atol=1e-5)


def test_rows_that_find_different_lines_have_different_keys(rows):
    problem = problem_of(*rows)
    assert len(np.unique(problem.keys)) == len(np.unique(problem.lines, axis=1).T)

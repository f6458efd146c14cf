from itertools import pairwise

import numpy as np
import pytest
from tests._search.profiles import as_profiles, log_prior, make_rows
from tests.oracles import additive as additive_twin
from tests.oracles import naive_bayes as twin

from modlearn._search.likelihood import (
    Likelihood,
    TableLikelihood,
    add_to_scores,
    box_quadratic,
    to_probabilities,
)
from modlearn.criteria import sparsity_slope


def likelihood_of(codes, classes):
    profiles, tables, left_out = as_profiles(codes, classes)
    stacked = np.concatenate(tables)
    return Likelihood(
        profiles.codes,
        profiles.classes,
        profiles.rows,
        stacked,
        np.concatenate(left_out) - stacked,
        np.cumsum([0, *(len(table) for table in tables[:-1])]),
        log_prior(classes),
    ), len(profiles.rows)


@pytest.mark.parametrize("J", [2, 3, 9])
def test_loss_gradient_and_curvature_are_those_of_the_twin(J):
    codes, classes = make_rows(J, 1300, 10, J)
    likelihood, n = likelihood_of(codes, classes)
    assert n > 2 * 512  # several blocks of rows
    used, weights = np.arange(10, dtype=np.int32), np.array([0.3, 0.0, 1.0, 0.6, 0.1] * 2)
    price = sparsity_slope(10) * weights.sum()
    loss, gradient = likelihood.loss_and_gradient(used, weights, used, 0, n)
    assert loss + price == pytest.approx(twin.weighted_cost(codes, classes, J, weights.tolist()))
    A = likelihood.curvature_factor(used, weights, 0, n).astype(np.float64)
    for k in range(10):
        ahead, behind = weights + 1e-5 * np.eye(10)[k], weights - 1e-5 * np.eye(10)[k]
        above, slopes_above = likelihood.loss_and_gradient(used, ahead, used, 0, n)
        below, slopes_below = likelihood.loss_and_gradient(used, behind, used, 0, n)
        assert gradient[k] == pytest.approx((above - below) / 2e-5, rel=1e-4, abs=1e-4)
        np.testing.assert_allclose(
            (A @ A.T)[k], (slopes_above - slopes_below) / 2e-5, rtol=1e-4, atol=1e-4
        )


def test_the_loss_of_all_rows_is_that_of_their_pieces():
    codes, classes = make_rows(0, 400, 3, 3)
    likelihood, n = likelihood_of(codes, classes)
    used, weights = np.array([2, 0], dtype=np.int32), np.array([0.5, 0.25])
    whole = likelihood.loss_and_gradient(used, weights, used, 0, n)
    pieces = [
        likelihood.loss_and_gradient(used, weights, used, first, min(first + 7, n))
        for first in range(0, n, 7)
    ]
    assert sum(piece[0] for piece in pieces) == pytest.approx(whole[0])
    np.testing.assert_allclose(sum(piece[1] for piece in pieces), whole[1])


# tables of an additive model


def table_problem(seed, n, J, n_lines=7, n_terms=3):
    """Lines that rows find, some in several terms; classes, counts, base and tables."""
    rng = np.random.default_rng(seed)
    lines = rng.integers(0, n_lines, (n_terms, n)).astype(np.int32)
    classes, rows = rng.integers(0, J, n).astype(np.int32), rng.integers(1, 4, n).astype(float)
    return lines, classes, rows, rng.normal(size=J), rng.normal(size=(n_lines, J))


@pytest.mark.parametrize("n", [20, 512, 1300])
@pytest.mark.parametrize("J", [2, 5])
def test_loss_and_gradient_by_tables_are_those_of_a_dense_design(J, n):
    lines, classes, rows, base, tables = table_problem(J, n, J)
    # Terms share their lines: a row that finds a line twice has a 2 there.
    X = sum(additive_twin.design(one[None], [len(tables)]) for one in lines)
    assert X.max() > 1
    loss, gradient = TableLikelihood(lines, classes, rows, base).loss_and_gradient(tables, 0, n)
    expected = additive_twin.loss_and_gradient(X, classes, rows, base, tables)
    assert loss == pytest.approx(expected[0])
    np.testing.assert_allclose(gradient, expected[1], atol=1e-9)


def test_a_line_that_no_row_finds_has_no_derivative():
    lines, classes, rows, base, tables = table_problem(0, 40, 3)
    likelihood = TableLikelihood(lines, classes, rows, base)
    _, gradient = likelihood.loss_and_gradient(np.concatenate((tables, tables)), 0, 40)
    assert gradient[: len(tables)].any(axis=1).all()
    assert not gradient[len(tables) :].any()


def test_the_loss_by_tables_of_all_rows_is_that_of_their_pieces():
    lines, classes, rows, base, tables = table_problem(1, 1100, 3)
    likelihood = TableLikelihood(lines, classes, rows, base)
    whole = likelihood.loss_and_gradient(tables, 0, 1100)
    bounds = [0, 1, 513, 600, 600, 1100]
    pieces = [likelihood.loss_and_gradient(tables, a, b) for a, b in pairwise(bounds)]
    assert sum(piece[0] for piece in pieces) == pytest.approx(whole[0])
    np.testing.assert_allclose(sum(piece[1] for piece in pieces), whole[1], atol=1e-9)


def test_no_terms_leave_the_base():
    lines, classes, rows, base, tables = table_problem(2, 30, 3, n_terms=0)
    loss, gradient = TableLikelihood(lines, classes, rows, base).loss_and_gradient(tables, 0, 30)
    logs = additive_twin.log_probabilities(base)
    assert loss == pytest.approx(-(rows @ logs[classes]))
    assert not gradient.any()


# scores and probabilities


@pytest.mark.parametrize("J", [1, 2, 5])
def test_scores_are_sums_of_lines_of_tables(J):
    rng = np.random.default_rng(0)
    table, codes = rng.normal(size=(4, J)), rng.integers(0, 4, 50).astype(np.int32)
    scores = np.zeros((50, J))
    padded = np.concatenate((np.zeros((1, table.shape[1])), table))
    add_to_scores(codes, padded, scores, 10, 30)
    expected = np.where((np.arange(50) >= 10)[:, None] & (np.arange(50) < 30)[:, None], 1, 0)
    assert scores.tolist() == (expected * table[codes]).tolist()


def test_probabilities_of_large_scores_are_finite():
    scores = np.array([[1000.0, 1000.0], [-2000.0, -1000.0]])
    logs = to_probabilities(scores)
    np.testing.assert_allclose(scores, [[0.5, 0.5], [0.0, 1.0]])
    np.testing.assert_allclose(logs, [1000 + np.log(2), -1000])


@pytest.mark.parametrize("seed", range(5))
def test_the_step_in_a_box_is_the_best_of_a_grid_of_steps(seed):
    rng = np.random.default_rng(seed)
    A, gradient, weights = rng.normal(size=(5, 2)), rng.normal(size=2) * 3, rng.random(2)
    H = A.T @ A
    step = box_quadratic(H, gradient, weights)
    assert ((weights + step >= 0) & (weights + step <= 1)).all()
    grid = np.stack(np.meshgrid(*[np.linspace(0, 1, 101)] * 2), axis=-1).reshape(-1, 2) - weights
    values = grid @ gradient + np.einsum("ni,ij,nj->n", grid, H, grid) / 2
    assert gradient @ step + step @ H @ step / 2 <= values.min() + 1e-12

"""The covariance of tables, against all second derivatives and against known curves."""

from dataclasses import replace

import numpy as np
import pytest
from tests._search.profiles import as_profiles, log_prior, make_rows
from tests._search.test_additive import roots_of, some_missing
from tests.oracles import laplace as twin

from modlearn._search import curvature as module
from modlearn._search.curvature import table_covariance


@pytest.fixture(params=[2, 4])
def problem(request):
    """Profiles of three terms, roots, tables and base, with 2 and with 4 classes."""
    codes, classes = make_rows(request.param, 90, 3, request.param, copied=False)
    profiles = some_missing(as_profiles(codes, classes)[0])
    roots = roots_of(profiles)
    rng = np.random.default_rng(0)
    tables = [root @ rng.normal(size=(root.shape[1], request.param)) for root in roots]
    return profiles, roots, tables, log_prior(classes)


def expected_of(problem, penalty):
    """Covariances with the curvature averaged once over the scores that it makes probable."""
    profiles, roots, tables, base = problem
    scores = np.tile(base, (len(profiles.rows), 1))
    for codes, table in zip(profiles.codes, tables, strict=True):
        scores += np.where((codes >= 0)[:, None], table[codes], 0.0)

    def covariance(variances):
        curvatures = twin.curvatures(scores, variances)
        precisions = penalty, module.INTERCEPT_PRECISION
        return twin.table_covariance(profiles.codes, profiles.rows, curvatures, roots, *precisions)

    *_, variances = covariance(np.zeros(len(scores)))
    return covariance(variances)[:2]


def covariance_of_tables(found):
    """What the shapes say about the covariance of all scores, shape (P, J, P, J)."""
    J = found.deviations[0].shape[1]
    n_shapes = len(found.covariance) - J
    rows, at = [], 0
    for shapes in found.shapes:
        table = np.zeros((n_shapes, *shapes.shape[1:]))
        table[at : at + len(shapes)] = shapes
        at += len(shapes)
        rows.append(table)
    every = np.concatenate(rows, axis=1)
    return np.einsum("mij,mn,nkl->ijkl", every, found.covariance[J:, J:], every)


@pytest.mark.parametrize("penalty", [4.0, 0.25])
def test_deviations_are_those_of_all_second_derivatives(problem, penalty):
    expected, base = expected_of(problem, penalty)
    found = table_covariance(*problem, penalty)
    variances = np.einsum("ijij->ij", expected)
    np.testing.assert_allclose(np.concatenate(found.deviations) ** 2, variances, rtol=1e-6)
    J = len(base)
    np.testing.assert_allclose(found.covariance[:J, :J], base, rtol=5e-3, atol=1e-9)


def test_with_all_shapes_the_covariance_between_terms_is_exact(problem, monkeypatch):
    monkeypatch.setattr(module, "KEPT_SHARE", 1.0)
    monkeypatch.setattr(module, "MOST_SHAPES", 10**6)
    expected, _ = expected_of(problem, 1.0)
    found = table_covariance(*problem, 1.0)
    np.testing.assert_allclose(covariance_of_tables(found), expected, atol=1e-8)


def test_classes_compared_one_by_one_are_about_as_sure(problem, monkeypatch):
    monkeypatch.setattr(module, "MOST_COORDINATES", 1 + sum(root.shape[1] for root in problem[1]))
    expected, _ = expected_of(problem, 1.0)
    found = np.concatenate(table_covariance(*problem, 1.0).deviations)
    ratio = found / np.sqrt(np.einsum("ijij->ij", expected))
    assert 0.9 < np.median(ratio) < 1.1
    assert ratio.min() > 0.6


@pytest.mark.parametrize("most", [20, 6])
def test_what_is_not_solved_together_is_about_as_sure(problem, monkeypatch, most):
    monkeypatch.setattr(module, "MOST_COORDINATES", most)
    expected, _ = expected_of(problem, 1.0)
    found = np.concatenate(table_covariance(*problem, 1.0).deviations)
    ratio = found / np.sqrt(np.einsum("ijij->ij", expected))
    assert 0.75 < np.median(ratio) < 1.2
    assert ratio.min() > 0.4


def test_a_row_that_counts_twice_is_two_rows(problem):
    profiles, *others = problem
    twice = replace(profiles, rows=profiles.rows * 2)
    doubled = type(profiles)(
        np.hstack((profiles.codes, profiles.codes)),
        np.hstack((profiles.classes, profiles.classes)),
        np.hstack((profiles.rows, profiles.rows)),
    )
    first = table_covariance(twice, *others, 1.0)
    second = table_covariance(doubled, *others, 1.0)
    for a, b in zip(first.deviations, second.deviations, strict=True):
        np.testing.assert_allclose(a, b)


def test_a_sample_of_rows_is_scaled_up(problem, monkeypatch):
    every = table_covariance(*problem, 1.0)
    monkeypatch.setattr(module, "MOST_COUNTED", 60)
    some = table_covariance(*problem, 1.0)
    ratio = np.concatenate(some.deviations) / np.concatenate(every.deviations)
    assert 0.9 < np.median(ratio) < 1.1


def test_more_rows_are_surer(problem):
    profiles, *others = problem
    few = table_covariance(*problem, 1.0)
    many = table_covariance(replace(profiles, rows=profiles.rows * 10), *others, 1.0)
    for a, b in zip(few.deviations, many.deviations, strict=True):
        assert (b < a).all()


def test_a_class_without_rows_has_a_finite_deviation():
    codes, classes = make_rows(3, 60, 2, 2, copied=False)
    profiles = as_profiles(codes, classes)[0]
    roots = roots_of(profiles)
    tables = [np.zeros((len(root), 3)) for root in roots]
    base = np.array([-0.7, -0.7, np.log(np.finfo(float).tiny)])
    found = table_covariance(profiles, roots, tables, base, 1.0)
    assert np.isfinite(found.covariance).all()
    assert all(np.isfinite(deviation).all() for deviation in found.deviations)

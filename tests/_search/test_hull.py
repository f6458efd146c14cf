from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests._search.columns import alternating, count_tables, part_cost, random_blocks
from tests.oracles.intervals import every_bounds

from modlearn._search.blocks import from_dense
from modlearn._search.exact import IntervalCosts
from modlearn._search.intervals import best_of_few, lowest_vertex, step, vertex_near
from modlearn._search.refinement import part_costs_of
from modlearn.criteria import discretization_prior, grouping_prior

TOLERANCE = 1e-10
PRIORS = {"intervals": discretization_prior, "groups": grouping_prior}


def all_costs(blocks, min_part_size=1):
    """Every interval may be a part."""
    firsts = np.zeros(blocks.n_blocks + 1, dtype=np.int64)
    return IntervalCosts(blocks, part_cost(blocks), firsts, TOLERANCE, min_part_size)


def total(blocks, bounds, prior):
    costs = part_costs_of(blocks, part_cost(blocks), np.asarray(bounds))
    return costs.sum() + prior(len(bounds) - 1)


def least_cost(blocks, prior, max_parts=None):
    """The least of all partitions."""
    n = blocks.n_blocks
    return min(total(blocks, [0, *inner, n], prior) for inner in every_bounds(n, max_parts))


def least_cost_by_layers(blocks, prior):
    """The least over every number of parts."""
    sums, _ = all_costs(blocks).best_with(blocks.n_blocks)
    return (sums + prior(np.arange(1, blocks.n_blocks + 1))).min()


TABLES = count_tables(max_rows=9, largest=25, min_classes=2).filter(lambda table: len(table) > 1)


@settings(deadline=None)
@given(TABLES, st.sampled_from(sorted(PRIORS)), st.integers(1, 500))
def test_the_lowest_vertex_is_the_best_of_all_partitions(table, kind, size):
    blocks, prior = from_dense(table), partial(PRIORS[kind], size + len(table))
    best = lowest_vertex(all_costs(blocks), prior, TOLERANCE)
    assert best.total(prior) == pytest.approx(least_cost(blocks, prior), abs=1e-8)
    assert total(blocks, best.bounds, prior) == pytest.approx(best.total(prior), abs=1e-8)


@pytest.mark.parametrize("rows", [1, 4, 30])
@pytest.mark.parametrize("n_classes", [2, 3, 26])
def test_the_lowest_vertex_is_the_best_over_every_number_of_parts(n_classes, rows):
    blocks = random_blocks(np.random.default_rng(rows), 250, n_classes, rows=rows)
    prior = partial(discretization_prior, int(blocks.dense().sum()))
    best = lowest_vertex(all_costs(blocks), prior, TOLERANCE)
    assert best.total(prior) == pytest.approx(least_cost_by_layers(blocks, prior), abs=1e-8)


def test_every_vertex_may_be_the_lowest():
    """Of runs of 1 to 200 rows, fewer are worth a part the more the prior asks."""
    table = alternating(40, rows=1) * np.geomspace(1, 200, 40).astype(int)[:, None]
    blocks = from_dense(table)
    found = set()
    for n_rows in np.geomspace(10, 1e15, 60).astype(int).tolist():
        prior = partial(discretization_prior, n_rows)
        best = lowest_vertex(all_costs(blocks), prior, TOLERANCE)
        assert best.total(prior) == pytest.approx(least_cost_by_layers(blocks, prior), abs=1e-7)
        found.add(best.n_parts)
    assert len(found) > 5


def test_parts_that_are_all_too_small_cost_infinitely_much():
    blocks = from_dense([(3, 0), (0, 3), (3, 0)])
    firsts = np.array([0, 0, 0, 1])  # all three together are not allowed
    costs = IntervalCosts(blocks, part_cost(blocks), firsts, TOLERANCE, 9)
    best = lowest_vertex(costs, partial(discretization_prior, 9), TOLERANCE)
    assert np.isinf(best.part_cost)


@settings(deadline=None)
@given(TABLES, st.integers(1, 9), st.integers(1, 300))
def test_the_best_of_few_parts_is_the_best_of_all_partitions_with_no_more(table, most, size):
    blocks, prior = from_dense(table), partial(discretization_prior, size)
    bounds = best_of_few(all_costs(blocks), prior, TOLERANCE, most)
    assert len(bounds) - 1 <= most
    expected = least_cost(blocks, prior, most)
    assert total(blocks, bounds, prior) == pytest.approx(expected, abs=1e-8)


@settings(deadline=None)
@given(TABLES, st.integers(1, 300), st.data())
def test_a_vertex_near_a_partition_is_no_worse(table, size, data):
    blocks, prior = from_dense(table), partial(discretization_prior, size)
    inner = data.draw(st.sets(st.integers(1, len(table) - 1)))
    bounds = [0, *sorted(inner), len(table)]
    near = vertex_near(all_costs(blocks), prior, len(bounds) - 1)
    assert near.total(prior) <= total(blocks, bounds, prior) + 1e-8
    assert total(blocks, near.bounds, prior) == pytest.approx(near.total(prior), abs=1e-8)


def test_a_step_is_what_the_last_part_costs():
    prior = partial(discretization_prior, 50)
    assert step(prior, 3) == pytest.approx(np.log(52 / 2))
    assert step(prior, 2) == pytest.approx(np.log(51))

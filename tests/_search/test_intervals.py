import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests._search import columns as made
from tests._search.starts import EveryBound, EveryBoundOfUnlabeledRows
from tests.oracles import discretization, grouping
from tests.oracles.intervals import add_up, every_bounds, optima

from modlearn._search.blocks import from_dense
from modlearn._search.exact import IntervalCosts
from modlearn._search.intervals import (
    EXACT_BLOCKS,
    Limits,
    best_intervals,
    best_of_few,
    lowest_vertex,
    step,
    tolerance_of,
    vertex_near,
)
from modlearn._search.refinement import part_costs_of
from modlearn.criteria import discretization_prior, grouping_prior

LARGE = made.large_columns(9000, seed=3)


FREE = Limits()


def best_of_table(table, limits=FREE, prior=None):
    """Bounds without the first and last, and whether they are proven."""
    n_rows = int(np.sum(table))
    blocks = from_dense(table)
    found = best_intervals(blocks, made.part_cost(blocks, prior=prior), n_rows, limits)
    assert (found.bounds[0], found.bounds[-1]) == (0, len(table))
    return found.bounds[1:-1].tolist(), found.proven


def counts_by_value(values, labels, n_classes):
    """Counts per distinct value, shape (V, J)."""
    distinct, rank = np.unique(values, return_inverse=True)
    table = np.zeros((len(distinct), n_classes), dtype=np.int64)
    np.add.at(table, (rank, labels), 1)
    return table


def total_cost(table, bounds):
    """Formula 1 of large tables."""
    return discretization.Blocks.of(table).total_cost(bounds)


class TestLimits:
    def test_one_part_is_always_allowed(self):
        assert Limits(1, 100).allow(np.array([5]))

    def test_too_many_or_too_small_parts_are_not_allowed(self):
        assert Limits(2, 5).allow(np.array([5, 6]))
        assert not Limits(2, 5).allow(np.array([5, 6, 7]))
        assert not Limits(2, 5).allow(np.array([4, 6]))


class TestExhaustiveSearch:
    @settings(deadline=None)
    @given(made.count_tables(largest=25), made.limits())
    def test_it_finds_an_optimum_of_formula_1(self, table, limits):
        max_parts, min_part_size = limits
        tied = optima(
            range(len(table)),
            tuple(table),
            discretization.part_weight,
            discretization.prior_weight,
            min_part_size,
            max_parts,
        )
        bounds, proven = best_of_table(table, Limits(max_parts, min_part_size))
        assert proven
        assert add_up(table, bounds) in [partition.counts for partition in tied]

    @settings(deadline=None)
    @given(made.count_tables(largest=25), made.limits(), st.integers(0, 300))
    def test_it_finds_an_optimum_under_the_prior_of_groups(self, table, limits, more_values):
        max_parts, min_part_size = limits
        n_values = len(table) + more_values

        def prior_weight(n_rows, n_parts):
            return n_values * sum(grouping.stirling_row(n_values)[1 : n_parts + 1])

        tied = optima(
            range(len(table)),
            tuple(table),
            discretization.part_weight,
            prior_weight,
            min_part_size,
            max_parts,
        )
        bounds, _ = best_of_table(
            table, Limits(max_parts, min_part_size), partial(grouping_prior, n_values)
        )
        assert add_up(table, bounds) in [partition.counts for partition in tied]

    @pytest.mark.parametrize("limits", [Limits(), Limits(4), Limits(None, 30), Limits(7, 12)])
    @pytest.mark.parametrize(("n_classes", "rows"), [(2, 3), (2, 12), (3, 6), (5, 6), (26, 30)])
    def test_it_equals_the_dynamic_program_for_some_hundred_values(self, n_classes, rows, limits):
        rng = np.random.default_rng(n_classes * rows)
        table = made.random_blocks(rng, 300, n_classes, rows=rows).dense().tolist()
        bounds, proven = best_of_table(table, limits)
        best, _ = discretization.dynamic_program(
            list(map(tuple, table)), limits.min_part_size, limits.max_parts
        )
        assert proven
        assert limits.allow(np.add.reduceat(np.sum(table, axis=1), [0, *bounds]))
        assert total_cost(table, bounds) == pytest.approx(best, abs=1e-8)

    def test_it_finds_every_pure_run_of_a_long_alternation(self):
        table = made.alternating(EXACT_BLOCKS, rows=200)
        assert best_of_table(table) == (list(range(1, EXACT_BLOCKS)), True)

    def test_a_column_of_one_block_or_none_is_one_part(self):
        assert best_of_table([(3, 4)]) == ([], True)
        found = best_intervals(from_dense(np.zeros((0, 2))), None, 0, Limits())
        assert found.bounds.tolist() == [0, 0]


class TestLongColumns:
    @pytest.mark.parametrize("name", LARGE)
    def test_no_single_move_merge_or_split_lowers_the_cost(self, name):
        table = counts_by_value(*LARGE[name])
        bounds, proven = best_of_table(table)
        prior = partial(discretization_prior, int(table.sum()))
        gain = EveryBound(from_dense(table)).best_improvement([0, *bounds, len(table)], prior)
        assert gain < 1e-7
        assert not proven
        assert bounds

    @pytest.mark.parametrize("n_values", [6000, 20_000])
    def test_no_single_step_lowers_the_cost_of_values_with_many_rows(self, n_values):
        blocks = made.random_blocks(np.random.default_rng(n_values), n_values, 3, rows=8)
        table = blocks.dense()
        bounds, _ = best_of_table(table)
        prior = partial(discretization_prior, int(table.sum()))
        gain = EveryBound(blocks).best_improvement([0, *bounds, n_values], prior)
        assert gain < 1e-7

    def test_no_single_step_lowers_the_map_cost(self):
        blocks = made.random_blocks(np.random.default_rng(0), 2500, 2, with_unlabeled=True)
        n_rows = int(blocks.dense().sum())
        cost = made.part_cost(blocks, with_unlabeled=True)
        found = best_intervals(blocks, cost, n_rows, Limits())
        assert len(found.bounds) > 4
        assert not found.proven
        gain = EveryBoundOfUnlabeledRows(blocks).best_improvement(found.bounds, cost.prior)
        assert gain < 1e-7

    @pytest.mark.parametrize("n_values", [3000, 70_000])
    def test_pure_runs_of_many_rows_stay_apart(self, n_values):
        table = made.alternating(n_values, rows=200)
        assert best_of_table(table) == (list(range(1, n_values)), False)

    @pytest.mark.parametrize("min_part_size", [1, 250])
    @pytest.mark.parametrize("max_parts", [1, 2, 7])
    @pytest.mark.parametrize("name", ["wave", "steps of 5 classes"])
    def test_limits_hold(self, name, max_parts, min_part_size):
        table = counts_by_value(*LARGE[name])
        bounds, _ = best_of_table(table, Limits(max_parts, min_part_size))
        sizes = np.add.reduceat(table.sum(axis=1), [0, *bounds])
        assert len(sizes) == max_parts
        assert sizes.min() >= min_part_size
        twin = EveryBound(from_dense(table), min_part_size)
        edges = [0, *bounds, len(table)]
        for start, bound, end in zip(edges, edges[1:], edges[2:], strict=False):
            assert twin.cost([start, bound, end]) <= twin.best_split(start, end) + 1e-7

    def test_few_parts_of_many_blocks_that_do_not_merge_are_found(self):
        table = made.alternating(3000, rows=200)
        table[:1400, 0] *= 2
        table[1400:, 1] *= 2
        assert best_of_table(table, Limits(1)) == ([], False)
        (bound,), _ = best_of_table(table, Limits(2))
        assert 1397 <= bound <= 1403
        assert len(best_of_table(table, Limits(3))[0]) == 2

    def test_a_least_size_of_many_blocks_that_do_not_merge_is_kept(self):
        table = made.alternating(3000, rows=200)
        bounds, _ = best_of_table(table, Limits(None, 300))
        assert np.add.reduceat(table.sum(axis=1), [0, *bounds]).min() >= 300
        assert total_cost(table, bounds) < total_cost(table, [])
        assert best_of_table(table, Limits(None, 400_000)) == ([], False)

    @pytest.mark.parametrize("share", [0.004, 0.006])
    def test_a_least_size_beyond_the_longest_intervals_searched_is_kept(self, share):
        """The last 2,500 blocks are too small for a part, and too many for one interval."""
        table = made.alternating(4000, rows=100)
        sign = np.where(np.arange(1500) // 130 % 2, 1, -1)
        table[:1500, 0] *= 20
        table[:1500, 1] *= 20
        table[:1500] += (table[:1500] * share * sign[:, None] * [-1, 1]).astype(int)
        bounds, _ = best_of_table(table, Limits(None, 255_000))
        assert total_cost(table, bounds) <= total_cost(table, [])
        assert np.add.reduceat(table.sum(axis=1), [0, *bounds]).min() >= 255_000


def test_the_tolerance_grows_with_the_costs():
    assert tolerance_of(0) == tolerance_of(1) == 2.0**-44
    assert tolerance_of(1000) == pytest.approx(2.0**-44 * math.log(math.factorial(1000)))


# vertices of the hull of costs by number of parts


TOLERANCE = 1e-10
PRIORS = {"intervals": discretization_prior, "groups": grouping_prior}


def all_costs(blocks, min_part_size=1):
    """Every interval may be a part."""
    firsts = np.zeros(blocks.n_blocks + 1, dtype=np.int64)
    return IntervalCosts(blocks, made.part_cost(blocks), firsts, TOLERANCE, min_part_size)


def total(blocks, bounds, prior):
    costs = part_costs_of(blocks, made.part_cost(blocks), np.asarray(bounds))
    return costs.sum() + prior(len(bounds) - 1)


def least_cost(blocks, prior, max_parts=None):
    """The least of all partitions."""
    n = blocks.n_blocks
    return min(total(blocks, [0, *inner, n], prior) for inner in every_bounds(n, max_parts))


def least_cost_by_layers(blocks, prior):
    """The least over every number of parts."""
    sums, _ = all_costs(blocks).best_with(blocks.n_blocks)
    return (sums + prior(np.arange(1, blocks.n_blocks + 1))).min()


TABLES = made.count_tables(max_rows=9, largest=25, min_classes=2).filter(
    lambda table: len(table) > 1
)


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
    blocks = made.random_blocks(np.random.default_rng(rows), 250, n_classes, rows=rows)
    prior = partial(discretization_prior, int(blocks.dense().sum()))
    best = lowest_vertex(all_costs(blocks), prior, TOLERANCE)
    assert best.total(prior) == pytest.approx(least_cost_by_layers(blocks, prior), abs=1e-8)


def test_every_vertex_may_be_the_lowest():
    """Of runs of 1 to 200 rows, fewer are worth a part the more the prior asks."""
    table = made.alternating(40, rows=1) * np.geomspace(1, 200, 40).astype(int)[:, None]
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
    costs = IntervalCosts(blocks, made.part_cost(blocks), firsts, TOLERANCE, 9)
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

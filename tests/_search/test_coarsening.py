import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests._search.columns import alternating, count_tables, part_cost, random_blocks

from modlearn._search.blocks import combined, from_dense
from modlearn._search.coarsening import merge_in_rounds
from modlearn._search.refinement import part_costs_of


def assert_partition_of(coarse, blocks):
    """Every block lies in one coarse block, and no row is lost."""
    starts = coarse.starts
    assert (starts[0], starts[-1]) == (0, blocks.n_blocks)
    assert (np.diff(starts) > 0).all()
    expected = np.add.reduceat(blocks.dense(), starts[:-1], axis=0)
    np.testing.assert_array_equal(coarse.dense(), expected)
    assert coarse.n_labels == blocks.n_labels


def merged(blocks, most, cost=None):
    """Merge a copy."""
    copy = from_dense(blocks.dense())
    return combined(blocks, merge_in_rounds(copy, cost or part_cost(blocks), most))


def part_costs(blocks, cost):
    return part_costs_of(blocks, cost, np.arange(blocks.n_blocks + 1))


def merge_increases(blocks):
    """How much the part costs rise for every pair of neighbors merged."""
    cost = part_cost(blocks)
    costs = part_costs(blocks, cost)
    bounds = np.arange(blocks.n_blocks + 1)
    pairs = [part_costs_of(blocks, cost, bounds[[i, i + 2]])[0] for i in range(blocks.n_blocks - 1)]
    return np.array(pairs) - costs[:-1] - costs[1:]


@settings(deadline=None)
@given(count_tables(max_rows=40, min_classes=2, max_classes=4), st.booleans(), st.integers(1, 40))
def test_merging_goes_on_until_few_are_left(table, unlabeled, most):
    blocks = from_dense(table)
    coarse = merged(blocks, most, part_cost(blocks, unlabeled))
    assert_partition_of(coarse, blocks)
    assert min(len(table), (most + 1) // 2) <= coarse.n_blocks <= most


@pytest.mark.parametrize("unlabeled", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3, 26])
@pytest.mark.parametrize("n_blocks", [3000, 40_000])
def test_better_pairs_merge_first(n_classes, n_blocks, unlabeled):
    blocks = random_blocks(np.random.default_rng(n_classes), n_blocks, n_classes, unlabeled)
    cost = part_cost(blocks, unlabeled)
    coarse = merged(blocks, n_blocks // 2, cost)
    assert_partition_of(coarse, blocks)
    by_turns = np.append(np.arange(0, n_blocks, n_blocks / coarse.n_blocks), n_blocks)
    every_other = part_costs_of(blocks, cost, by_turns.astype(np.int64))
    assert part_costs(coarse, cost).sum() < every_other.sum()


@pytest.mark.parametrize("n_blocks", [16, 1000, 50_000])
def test_equal_gains_are_merged_down_to_the_goal(n_blocks):
    blocks = from_dense(np.full((n_blocks, 2), 3))
    coarse = merged(blocks, 10)
    assert_partition_of(coarse, blocks)
    assert 5 <= coarse.n_blocks <= 10


@pytest.mark.parametrize("step", [1, -1])
def test_steadily_rising_or_falling_gains_are_merged_down_to_the_goal(step):
    rows = 1 + np.arange(8000)[::step]
    blocks = from_dense(np.column_stack((rows, rows)))
    assert (step * np.diff(merge_increases(blocks)) < 0).all()
    coarse = merged(blocks, 10)
    assert_partition_of(coarse, blocks)
    assert 5 <= coarse.n_blocks <= 10


def test_even_pure_runs_are_merged_down_to_the_goal():
    blocks = from_dense(alternating(3000, rows=200))
    coarse = merged(blocks, 100)
    assert_partition_of(coarse, blocks)
    assert 50 <= coarse.n_blocks <= 100


def test_few_blocks_are_left_as_they_are():
    blocks = from_dense([(1, 1), (2, 2), (3, 3)])
    assert merged(blocks, 3).starts.tolist() == [0, 1, 2, 3]


def test_merging_ends_though_the_mean_of_large_gains_is_rounded():
    blocks = from_dense(alternating(20_001, rows=99_999_999))
    assert 50 <= merged(blocks, 100).n_blocks <= 100

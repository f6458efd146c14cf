import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests._search.columns import alternating, count_tables, part_cost, random_blocks
from tests.oracles import discretization

from modlearn._search.blocks import combined, from_dense
from modlearn._search.greedy import merge_greedily, merge_segment
from modlearn._search.refinement import part_costs_of


def merged(blocks, most, prior_step=np.inf, cost=None):
    """Merge where the prior saves the same with every part less."""
    (starts,) = merge_greedily(blocks, cost or part_cost(blocks), [(most, -prior_step)])
    return combined(blocks, starts)


def increases(blocks, starts, cost=None):
    """How much the part costs rise for every pair of neighbors merged."""
    starts = np.asarray(starts, dtype=np.int64)
    cost = cost or part_cost(blocks)
    costs = part_costs_of(blocks, cost, starts)
    pairs = [part_costs_of(blocks, cost, starts[[i, i + 2]])[0] for i in range(len(costs) - 1)]
    return np.array(pairs) - costs[:-1] - costs[1:]


@pytest.mark.parametrize("n_classes", [2, 3, 26])
@pytest.mark.parametrize("most", [1, 50, 2000])
def test_it_is_the_greedy_merging_of_the_oracle(n_classes, most):
    rng = np.random.default_rng(n_classes)
    # Many rows per block: hardly two merges cost the same.
    blocks = random_blocks(rng, 2000, n_classes, rows=40)
    expected = discretization.merge_bounds(discretization.Blocks.of(blocks.dense()), most)
    coarse = merged(blocks, most)
    assert coarse.starts.tolist() == [0, *expected, 2000]
    expected = np.add.reduceat(blocks.dense(), coarse.starts[:-1], axis=0)
    np.testing.assert_array_equal(coarse.dense(), expected)


def assert_best_pair_first(blocks, cost=None):
    expected = list(range(blocks.n_blocks + 1))
    for n_blocks in range(blocks.n_blocks - 1, 0, -1):
        del expected[1 + int(increases(blocks, expected, cost).argmin())]
        assert merged(blocks, n_blocks, cost=cost).starts.tolist() == expected


def test_with_unlabeled_rows_the_best_pair_merges_by_the_map_cost():
    rng = np.random.default_rng(0)
    blocks = random_blocks(rng, 60, 3, with_unlabeled=True, rows=40)
    assert_best_pair_first(blocks, part_cost(blocks, with_unlabeled=True))


@pytest.mark.parametrize("n_classes", [2, 63, 64, 65])
def test_few_and_many_classes(n_classes):
    assert_best_pair_first(random_blocks(np.random.default_rng(0), 60, n_classes, rows=40))


def test_more_rows_than_32_bits_count():
    table = random_blocks(np.random.default_rng(0), 30, 2, rows=40).dense()
    table[7] = (2**31, 1)
    assert_best_pair_first(from_dense(table))


def test_a_tree_of_four_levels():
    blocks = random_blocks(np.random.default_rng(5), 4500, 2, rows=40)
    expected = discretization.merge_bounds(discretization.Blocks.of(blocks.dense()), 4400)
    assert merged(blocks, 4400).starts.tolist() == [0, *expected, 4500]


@pytest.mark.parametrize("n_blocks", [4, 50, 5000])
def test_of_equal_gains_the_leftmost_comes_first(n_blocks):
    """Pairs of pairs that gain, and less between them: the first of them merge."""
    blocks = from_dense(np.tile([(9, 1), (9, 1), (1, 9), (1, 9)], (n_blocks // 4, 1)))
    goal = blocks.n_blocks - blocks.n_blocks // 4
    expected = [*range(0, blocks.n_blocks // 2, 2), *range(blocks.n_blocks // 2, blocks.n_blocks)]
    assert merged(blocks, goal).starts.tolist() == [*expected, blocks.n_blocks]


def test_a_segment_is_merged_alone():
    blocks = random_blocks(np.random.default_rng(0), 300, 3)
    starts, histories, lowest = merge_segment(blocks, part_cost(blocks), 100, 200, -np.inf, 7)
    alone = from_dense(blocks.dense()[100:200])
    assert (starts - 100).tolist() == merged(alone, 7).starts.tolist()
    assert len(set(histories.tolist())) == 7
    assert merge_segment(blocks, part_cost(blocks), 100, 200, lowest, 1)[0].size > 8


def test_one_block_is_left_at_least():
    blocks = from_dense([(1, 2), (3, 4), (0, 2)])
    assert merge_segment(blocks, part_cost(blocks), 0, 3, -np.inf, 0)[0].tolist() == [0, 3]
    assert merge_greedily(blocks, part_cost(blocks), [(0, -np.inf)])[0].tolist() == [0, 3]


@settings(deadline=None)
@given(
    count_tables(max_rows=30, largest=20, min_classes=2, max_classes=4),
    st.booleans(),
    st.integers(1, 30),
    st.floats(0, 12),
)
def test_merging_goes_on_until_few_are_left_or_no_merge_pays(table, unlabeled, most, prior_step):
    blocks = from_dense(table)
    cost = part_cost(blocks, unlabeled)
    coarse = merged(blocks, most, prior_step, cost)
    assert coarse.n_blocks >= min(most, len(table))
    left = increases(blocks, coarse.starts, cost)
    assert coarse.n_blocks <= most or (left >= prior_step - 1e-9).all()


def test_one_goal_after_the_other():
    # Two alike, whose merge gains, and one that is worth some nats to keep apart.
    blocks = from_dense([(9, 9), (9, 9), (0, 60), (9, 9)])
    gains = -increases(blocks, np.arange(5))
    assert gains[0] > 0 > gains[1]
    found = merge_greedily(blocks, part_cost(blocks), [(4, 0.0), (2, 0.0), (1, -100.0)])
    assert [starts.tolist() for starts in found] == [[0, 1, 2, 3, 4], [0, 2, 3, 4], [0, 4]]


def test_blocks_that_no_merge_should_join_stay_apart():
    blocks = from_dense(alternating(5000, rows=200))
    np.testing.assert_array_equal(merged(blocks, 10, 5.0).starts, np.arange(5001))


def test_equal_blocks_merge_down_to_the_goal():
    assert merged(from_dense(np.full((1000, 2), 3)), 10).n_blocks == 10

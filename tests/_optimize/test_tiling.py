import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests._optimize.columns import alternating, count_tables, random_blocks

from modlearn._optimize.blocks import from_dense
from modlearn._optimize.tiling import merge_into_tiles
from modlearn.criteria import part_costs


def row_cost_of(blocks):
    """-log of the share of every class."""
    rows = blocks.class_totals()
    return np.log(rows.sum() / np.maximum(rows, 1))


def assert_partition_of(tiles, blocks, width):
    starts = tiles.starts
    assert (starts[0], starts[-1]) == (0, blocks.n_blocks)
    assert (np.diff(starts) > 0).all()
    assert np.diff(starts).max() <= width
    expected = np.add.reduceat(blocks.dense(), starts[:-1], axis=0)
    np.testing.assert_array_equal(tiles.dense(), expected)


@settings(deadline=None)
@given(
    count_tables(max_rows=30, max_classes=4),
    st.integers(1, 9),
    st.floats(0, 8),
    st.floats(0, 10),
)
def test_a_tile_costs_no_more_than_its_blocks(table, width, prior_step, remarkable):
    blocks = from_dense(table)
    tiles = merge_into_tiles(
        blocks, 0, blocks.n_blocks, width, prior_step, row_cost_of(blocks), remarkable
    )
    assert_partition_of(tiles, blocks, width)
    separate = np.add.reduceat(part_costs(table) + prior_step, tiles.starts[:-1])
    assert (part_costs(tiles.dense()) + prior_step <= separate + 1e-9).all()


@pytest.mark.parametrize("n_classes", [2, 26])
def test_blocks_of_few_rows_become_tiles(n_classes):
    blocks = random_blocks(np.random.default_rng(0), 5000, n_classes, rows=1)
    tiles = merge_into_tiles(blocks, 0, blocks.n_blocks, 8, 5.0, row_cost_of(blocks), 12.0)
    assert_partition_of(tiles, blocks, 8)
    assert tiles.n_blocks < 1000


def test_blocks_that_no_merge_should_join_stay_apart():
    blocks = from_dense(alternating(1000, rows=200))
    tiles = merge_into_tiles(blocks, 0, blocks.n_blocks, 8, 5.0, row_cost_of(blocks), np.inf)
    assert tiles.n_blocks == 1000


def test_a_remarkable_block_stays_alone():
    table = np.full((64, 2), 1)
    table[[10, 40]] = [[0, 30], [30, 0]]
    blocks = from_dense(table)
    tiles = merge_into_tiles(blocks, 0, blocks.n_blocks, 8, 5.0, row_cost_of(blocks), 10.0)
    assert_partition_of(tiles, blocks, 8)
    assert {10, 11, 40, 41} <= set(tiles.starts.tolist())
    assert tiles.n_blocks < 20


def test_a_stretch_is_merged_alone():
    blocks = random_blocks(np.random.default_rng(0), 500, 3, rows=1)
    options = (8, 5.0, row_cost_of(blocks), 12.0)
    tiles = merge_into_tiles(blocks, 100, 300, *options)
    alone = merge_into_tiles(from_dense(blocks.dense()[100:300]), 0, 200, *options)
    np.testing.assert_array_equal(tiles.starts, alone.starts + 100)
    np.testing.assert_array_equal(tiles.dense(), alone.dense())

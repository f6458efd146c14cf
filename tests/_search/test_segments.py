from functools import partial

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests._search.columns import alternating, count_tables, random_blocks

from modlearn._search import segments as stretches
from modlearn._search.blocks import from_dense
from modlearn._search.greedy import merge_greedily, merge_stretch
from modlearn._search.hull import step
from modlearn._search.segments import merge_by_stretches
from modlearn.criteria import discretization_prior


@pytest.fixture
def short_stretches(monkeypatch):
    """What is long for a column, and for a stretch, is 100 times shorter."""
    monkeypatch.setattr(stretches, "MOST_AT_ONCE", 1000)
    monkeypatch.setattr(stretches, "STRETCH_SIZE", 8000)
    monkeypatch.setattr(stretches, "OVERLAP", 160)
    monkeypatch.setattr(stretches, "SAMPLE_BLOCKS", 300)
    monkeypatch.setattr(stretches, "LEFT_OVER", 500)


@pytest.fixture
def passes(monkeypatch):
    """How many were left whenever all stretches had been merged; None where they did not join."""
    left = []
    merged_above = stretches._merged_above

    def noted(blocks, least):
        starts = merged_above(blocks, least)
        left.append(None if starts is None else len(starts) - 1)
        return starts

    monkeypatch.setattr(stretches, "_merged_above", noted)
    return left


def both_ways(blocks, most_blocks):
    """Starts by stretches, and those of merging all at once."""
    prior = partial(discretization_prior, int(blocks.dense().sum()))
    goals = [(most, -step(prior, most)) for most in most_blocks]
    return merge_by_stretches(blocks, goals), merge_greedily(blocks, goals)


def assert_same(found, expected):
    assert len(found) == len(expected)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.usefixtures("short_stretches")
class TestShortStretches:
    @pytest.mark.parametrize("rows", [1, 3, 40])
    @pytest.mark.parametrize("n_classes", [2, 3, 26, 100])
    @pytest.mark.parametrize("unlabeled", [False, True])
    def test_as_if_all_were_merged_at_once(self, passes, n_classes, rows, unlabeled):
        rng = np.random.default_rng(n_classes + rows)
        blocks = random_blocks(rng, 12_000, n_classes, unlabeled, rows)
        assert_same(*both_ways(blocks, (400, 20)))
        assert passes[-1] <= 1000

    @pytest.mark.parametrize("seed", range(5))
    def test_equal_gains_merge_in_the_same_order(self, passes, seed):
        """One row per block, the class by chance: few gains differ."""
        labels = np.random.default_rng(seed).integers(0, 2, 12_000)
        assert_same(*both_ways(from_dense(np.eye(2, dtype=int)[labels]), (400, 20)))
        assert None not in passes

    def test_stretches_that_do_not_join_are_not_used(self, passes, monkeypatch):
        """One class and the other in turn: a merge makes the next one better, to the end."""
        monkeypatch.setattr(stretches, "_sampled_gains", lambda blocks: [-0.5])
        assert_same(*both_ways(from_dense(alternating(12_000, rows=1)), (400, 20)))
        assert passes == [None]

    def test_a_long_part_is_merged_in_a_longer_stretch(self, passes, monkeypatch):
        lengths = []

        def noted(blocks, first, last, *goals):
            lengths.append(last - first)
            return merge_stretch(blocks, first, last, *goals)

        monkeypatch.setattr(stretches, "merge_stretch", noted)
        table = random_blocks(np.random.default_rng(0), 12_000, 2).dense()
        # Alike and alternating: it becomes one from end to end, over several stretches.
        table[3000:5500] = alternating(2500, rows=1)
        assert_same(*both_ways(from_dense(table), (400, 20)))
        assert None not in passes
        assert max(lengths) > 1500

    def test_nothing_is_merged_where_that_does_not_pay(self, passes):
        found, expected = both_ways(from_dense(alternating(12_000, rows=200)), (400,))
        assert_same(found, expected)
        np.testing.assert_array_equal(found[0], np.arange(12_001))
        assert passes == [12_000]

    @settings(deadline=None, max_examples=50)
    @given(
        count_tables(max_rows=6, largest=3, min_classes=2),
        st.integers(0, 2**32 - 1),
        st.floats(-3, 0),
    )
    def test_stretches_that_join_are_as_if_merged_at_once(self, kinds, seed, least):
        drawn = np.random.default_rng(seed).integers(0, len(kinds), 3000)
        blocks = from_dense(np.array(kinds)[drawn])
        found = stretches._merged_above(blocks, least)
        assume(found is not None)
        assert_same([found], merge_greedily(blocks, [(1, least)]))


def test_gains_that_are_equal_but_for_rounding_merge_in_the_same_order(passes):
    kinds = np.array([(3, 7), (7, 3), (5, 5)])
    table = kinds[np.random.default_rng(0).integers(0, 3, 300_000)]
    assert_same(*both_ways(from_dense(table), (20_000, 1500, 1000)))
    assert passes[-1] <= 65_536


def test_a_long_column(passes):
    blocks = random_blocks(np.random.default_rng(0), 150_000, 2)
    assert_same(*both_ways(blocks, (20_000, 1500, 1000)))
    assert 20_000 <= passes[-1] <= 65_536


def test_fewer_blocks_are_merged_at_once(passes):
    blocks = random_blocks(np.random.default_rng(0), 3000, 2)
    assert_same(*both_ways(blocks, (100,)))
    assert passes == []

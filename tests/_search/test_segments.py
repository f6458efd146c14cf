import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests._search.columns import alternating, count_tables, part_cost, random_blocks

from modlearn._search import segments
from modlearn._search.blocks import from_dense
from modlearn._search.greedy import merge_greedily, merge_segment
from modlearn._search.intervals import step
from modlearn._search.segments import merge_by_segments


@pytest.fixture
def short_segments(monkeypatch):
    """What is long for a column, and for a segment, is 100 times shorter."""
    monkeypatch.setattr(segments, "MOST_AT_ONCE", 1000)
    monkeypatch.setattr(segments, "SEGMENT_SIZE", 8000)
    monkeypatch.setattr(segments, "OVERLAP", 160)
    monkeypatch.setattr(segments, "SAMPLE_BLOCKS", 300)
    monkeypatch.setattr(segments, "LEFT_OVER", 500)


@pytest.fixture
def passes(monkeypatch):
    """How many were left whenever all segments had been merged; None where they did not join."""
    left = []
    merged_above = segments._merged_above

    def noted(blocks, cost, least):
        starts = merged_above(blocks, cost, least)
        left.append(None if starts is None else len(starts) - 1)
        return starts

    monkeypatch.setattr(segments, "_merged_above", noted)
    return left


def both_ways(blocks, most_blocks, with_unlabeled=False):
    """Starts by segments, and those of merging all at once."""
    cost = part_cost(blocks, with_unlabeled)
    goals = [(most, -step(cost.prior, most)) for most in most_blocks]
    return merge_by_segments(blocks, cost, goals), merge_greedily(blocks, cost, goals)


def assert_same(found, expected):
    assert len(found) == len(expected)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.usefixtures("short_segments")
class TestShortSegments:
    @pytest.mark.parametrize("rows", [1, 3, 40])
    @pytest.mark.parametrize("n_classes", [2, 3, 26, 100])
    @pytest.mark.parametrize("unlabeled", [False, True])
    def test_as_if_all_were_merged_at_once(self, passes, n_classes, rows, unlabeled):
        rng = np.random.default_rng(n_classes + rows)
        blocks = random_blocks(rng, 12_000, n_classes, unlabeled, rows)
        assert_same(*both_ways(blocks, (400, 20), unlabeled))
        assert passes[-1] <= 1000

    @pytest.mark.parametrize("seed", range(5))
    def test_equal_gains_merge_in_the_same_order(self, passes, seed):
        """One row per block, the class by chance: few gains differ."""
        labels = np.random.default_rng(seed).integers(0, 2, 12_000)
        assert_same(*both_ways(from_dense(np.eye(2, dtype=int)[labels]), (400, 20)))
        assert None not in passes

    def test_segments_that_do_not_join_are_not_used(self, passes, monkeypatch):
        """One class and the other in turn: a merge makes the next one better, to the end."""
        monkeypatch.setattr(segments, "_sampled_gains", lambda blocks, cost: [-0.5])
        assert_same(*both_ways(from_dense(alternating(12_000, rows=1)), (400, 20)))
        assert passes == [None]

    def test_a_long_part_is_merged_in_a_longer_segment(self, passes, monkeypatch):
        lengths = []

        def noted(blocks, cost, first, last, *goals):
            lengths.append(last - first)
            return merge_segment(blocks, cost, first, last, *goals)

        monkeypatch.setattr(segments, "merge_segment", noted)
        table = random_blocks(np.random.default_rng(0), 12_000, 2).dense()
        # Alike and alternating: it becomes one from end to end, over several segments.
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
    def test_segments_that_join_are_as_if_merged_at_once(self, kinds, seed, least):
        drawn = np.random.default_rng(seed).integers(0, len(kinds), 3000)
        blocks = from_dense(np.array(kinds)[drawn])
        cost = part_cost(blocks)
        found = segments._merged_above(blocks, cost, least)
        assume(found is not None)
        assert_same([found], merge_greedily(blocks, cost, [(1, least)]))


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

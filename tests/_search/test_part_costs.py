"""Every search runs with every part cost, and finds what brute force finds.

The target side of regression is among them: no search knows of it.
"""

import math
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_diabetes
from tests._search.columns import random_blocks
from tests._search.starts import EveryBound
from tests.oracles import discretization, regression, semi_supervised
from tests.oracles.intervals import every_bounds, log_weight, spans, total

from modlearn._search import segments
from modlearn._search.blocks import combined, from_dense
from modlearn._search.coarsening import merge_in_rounds
from modlearn._search.exact import IntervalCosts
from modlearn._search.exchange import exchange_items, merge_groups
from modlearn._search.greedy import merge_greedily, merge_segment
from modlearn._search.intervals import (
    Limits,
    best_intervals,
    best_of_few,
    good_intervals,
    improved_intervals,
    lowest_vertex,
    step,
)
from modlearn._search.refinement import (
    merge_parts,
    move_bounds,
    part_costs_of,
    split_best_part,
    split_parts,
)
from modlearn._search.segments import merge_by_segments
from modlearn._search.subsets import best_grouping_of_few
from modlearn.criteria import (
    AxisCost,
    ClassCost,
    MapCost,
    TargetCost,
    discretization_prior,
    rank_regression_cost,
)

TOLERANCE = 1e-10


def cells_weight(row):
    """Two classes in every cell."""
    return math.prod(discretization.part_weight(row[c : c + 2]) for c in range(0, len(row), 2))


@dataclass(frozen=True)
class Kind:
    """A part cost, with the weight of a part by the oracle."""

    cost: object
    weight: object
    prior_weight: object

    @property
    def exact(self):
        return lambda row: log_weight(self.weight(tuple(row)))


def kind_of(name, table):
    """A cost for counts of shape (B, n_labels)."""
    table = np.asarray(table)
    n_labels, n_rows = table.shape[1], int(table.sum())
    prior = partial(discretization_prior, n_rows)
    if name == "target":
        sizes = tuple(table.sum(axis=0).tolist())
        return Kind(TargetCost(sizes), regression.interval_weight, regression.prior_of_parts(sizes))
    cost, weight = {
        "class": lambda: (ClassCost(n_labels, prior), discretization.part_weight),
        "axis": lambda: (AxisCost(n_labels // 2, 2, prior), cells_weight),
        "map": lambda: (MapCost(n_labels - 1, prior), semi_supervised.map_part_weight),
    }[name]()
    return Kind(cost, weight, discretization.prior_weight)


KINDS = ["class", "axis", "map", "target"]


@st.composite
def tables(draw, name, max_rows=8, largest=15):
    """Counts of blocks, with labels as the cost needs them."""
    n_labels = 2 * draw(st.integers(1, 3)) if name == "axis" else draw(st.integers(2, 4))
    if name in ("class", "target") and draw(st.booleans()):
        n_labels = 10  # many labels are counted in another way
    count = st.integers(0, 1) | st.integers(0, largest)
    row = st.tuples(*[count] * n_labels).filter(any)
    return draw(st.lists(row, min_size=2, max_size=max_rows))


def every_partition(table, kind, max_parts=None):
    """{bounds: (part costs, prior)} by exact integers."""
    n, n_rows = len(table), int(np.sum(table))
    costs = {
        (start, end): kind.exact(total(table[start:end]))
        for end in range(1, n + 1)
        for start in range(end)
    }
    return {
        (0, *inner, n): (
            math.fsum(costs[span] for span in spans(inner, n)),
            log_weight(kind.prior_weight(n_rows, len(inner) + 1)),
        )
        for inner in every_bounds(n, max_parts)
    }


def anywhere(n_blocks):
    return np.zeros(n_blocks + 1, dtype=np.int64)


def with_every_kind(test):
    """Run a test with drawn tables for every part cost."""
    drawn = settings(deadline=None, max_examples=60)(given(data=st.data())(test))
    return pytest.mark.parametrize("name", KINDS)(drawn)


class TestSmall:
    @with_every_kind
    def test_part_costs_are_those_of_the_oracle(self, name, data):
        table = data.draw(tables(name))
        kind = kind_of(name, table)
        expected = [kind.exact(row) for row in table]
        np.testing.assert_allclose(kind.cost.part_costs(table), expected, atol=1e-9, rtol=0)
        blocks = from_dense(table)
        found = part_costs_of(blocks, kind.cost, np.arange(len(table) + 1))
        np.testing.assert_allclose(found, expected, atol=1e-9, rtol=0)

    @with_every_kind
    def test_the_exact_search_is_exhaustive(self, name, data):
        table = data.draw(tables(name))
        kind, penalty = kind_of(name, table), data.draw(st.floats(0, 6))
        costs = IntervalCosts(from_dense(table), kind.cost, anywhere(len(table)), TOLERANCE)
        every = every_partition(table, kind)
        bounds, cost = costs.penalized(penalty)
        least = min(c + penalty * (len(b) - 1) for b, (c, _) in every.items())
        assert cost + penalty * (len(bounds) - 1) == pytest.approx(least, abs=1e-8)
        assert every[tuple(bounds.tolist())][0] == pytest.approx(cost, abs=1e-8)
        sums, bounds_of = costs.best_with(len(table))
        for n_parts, found in enumerate(sums, start=1):
            least = min(c for b, (c, _) in every.items() if len(b) == n_parts + 1)
            assert found == pytest.approx(least, abs=1e-8)
            assert every[tuple(bounds_of(n_parts).tolist())][0] == pytest.approx(least, abs=1e-8)

    @with_every_kind
    def test_the_hull_holds_the_optimum(self, name, data):
        table = data.draw(tables(name))
        kind = kind_of(name, table)
        costs = IntervalCosts(from_dense(table), kind.cost, anywhere(len(table)), TOLERANCE)
        every = every_partition(table, kind)
        found = lowest_vertex(costs, kind.cost.prior, TOLERANCE)
        least = min(map(sum, every.values()))
        assert sum(every[tuple(found.bounds.tolist())]) == pytest.approx(least, abs=1e-8)
        assert found.total(kind.cost.prior) == pytest.approx(least, abs=1e-8)
        most = data.draw(st.integers(1, len(table)))
        few = best_of_few(costs, kind.cost.prior, TOLERANCE, most)
        least = min(map(sum, every_partition(table, kind, most).values()))
        assert sum(every[tuple(few.tolist())]) == pytest.approx(least, abs=1e-8)

    @with_every_kind
    def test_greedy_merging_takes_the_best_pair(self, name, data):
        table = data.draw(tables(name, max_rows=12))
        kind, blocks = kind_of(name, table), from_dense(table)
        for n_blocks in range(len(table) - 1, 0, -1):
            (before,) = merge_greedily(blocks, kind.cost, [(n_blocks + 1, -np.inf)])
            (after,) = merge_greedily(blocks, kind.cost, [(n_blocks, -np.inf)])
            rows = [total(table[a:b]) for a, b in pairwise(before)]
            gains = [
                kind.exact(a) + kind.exact(b) - kind.exact(total([a, b])) for a, b in pairwise(rows)
            ]
            (gone,) = set(before.tolist()) - set(after.tolist())
            # Gains are compared in 28 bits.
            largest = max(gains)
            chosen = gains[before.tolist().index(gone) - 1]
            assert chosen == pytest.approx(largest, rel=1e-6, abs=1e-9)
        starts, _, _ = merge_segment(blocks, kind.cost, 0, len(table), -np.inf, 1)
        assert starts.tolist() == [0, len(table)]

    @with_every_kind
    def test_merging_in_rounds_leaves_a_partition(self, name, data):
        table = data.draw(tables(name, max_rows=12))
        kind, most = kind_of(name, table), data.draw(st.integers(1, 12))
        starts = merge_in_rounds(from_dense(table), kind.cost, most)
        assert (starts[0], starts[-1]) == (0, len(table))
        assert min(len(table), (most + 1) // 2) <= len(starts) - 1 <= max(most, 1)

    @with_every_kind
    def test_local_steps_are_the_best_of_their_kind(self, name, data):
        table = data.draw(tables(name))
        n, kind, blocks = len(table), kind_of(name, table), from_dense(table)
        cost = partial(cost_of_bounds, table, kind)
        bounds = [0, data.draw(st.integers(1, n - 1)), n]
        twos = [cost([0, b, n]) for b in range(1, n)]
        moved = move_bounds(blocks, kind.cost, bounds, TOLERANCE)
        assert cost(moved) == pytest.approx(min(twos), abs=1e-8)
        best = split_best_part(blocks, kind.cost, np.array([0, n]))
        assert cost(best) == pytest.approx(min(twos), abs=1e-8)
        split = split_parts(blocks, kind.cost, [0, n], n, TOLERANCE)
        assert cost(split) == pytest.approx(min(cost([0, n]), *twos), abs=1e-8)
        merged = merge_parts(blocks, kind.cost, bounds, TOLERANCE)
        assert cost(merged) == pytest.approx(min(cost(bounds), cost([0, n])), abs=1e-8)

    @with_every_kind
    def test_the_driver_finds_an_optimum(self, name, data):
        table = data.draw(tables(name))
        kind, blocks, n_rows = kind_of(name, table), from_dense(table), int(np.sum(table))
        least = min(map(sum, every_partition(table, kind).values()))
        cost = partial(cost_of_bounds, table, kind)
        found = best_intervals(blocks, kind.cost, n_rows, Limits())
        assert found.proven
        assert cost(found.bounds) == pytest.approx(least, abs=1e-8)
        assert cost(good_intervals(blocks, kind.cost, n_rows, 100)) == pytest.approx(
            least, abs=1e-8
        )
        improved = improved_intervals(blocks, kind.cost, n_rows, np.array([], dtype=np.int64))
        assert cost(improved) <= cost([0, len(table)]) + 1e-8

    @with_every_kind
    def test_groups_are_found_with_any_cost(self, name, data):
        table = np.array(data.draw(tables(name, max_rows=5)))
        kind, n = kind_of(name, table), len(table)
        best = best_grouping_of_few(table, kind.cost, n, 1, TOLERANCE)
        least = min(cost_of_groups(table, kind, groups) for groups in every_grouping(n))
        assert cost_of_groups(table, kind, best) == pytest.approx(least, abs=1e-8)
        groups = merge_groups(table, kind.cost, n, 1, TOLERANCE)
        assert cost_of_groups(table, kind, groups) >= least - 1e-8
        traded = exchange_items(table, groups, kind.cost, n, 1, TOLERANCE)
        assert cost_of_groups(table, kind, traded) <= cost_of_groups(table, kind, groups) + 1e-8


def cost_of_bounds(table, kind, bounds):
    bounds = np.asarray(bounds).tolist()
    parts = [kind.exact(total(table[a:b])) for a, b in pairwise(bounds)]
    prior = log_weight(kind.prior_weight(int(np.sum(table)), len(parts)))
    return math.fsum(parts) + prior


def cost_of_groups(table, kind, groups):
    numbers = sorted(set(np.asarray(groups).tolist()))
    rows = [table[np.asarray(groups) == g].sum(axis=0).tolist() for g in numbers]
    prior = log_weight(kind.prior_weight(int(table.sum()), len(rows)))
    return math.fsum(map(kind.exact, rows)) + prior


def every_grouping(n):
    groupings = [(0,)]
    for _ in range(1, n):
        groupings = [(*g, k) for g in groupings for k in range(max(g) + 2)]
    return groupings


# the target side of regression at length


def target_blocks(seed, n_blocks, n_parts, rows=3):
    blocks = random_blocks(np.random.default_rng(seed), n_blocks, n_parts, rows=rows)
    return blocks, TargetCost(blocks.dense().sum(axis=0))


class EveryTargetBound(EveryBound):
    """Every position of a bound of the target is tried."""

    def __init__(self, blocks, min_part_size=1):
        super().__init__(blocks, min_part_size)
        self.blocks = regression.TargetBlocks.of(blocks.dense())


@pytest.mark.parametrize("n_parts", [2, 5, 30])
def test_no_single_step_lowers_the_cost_of_a_long_target(n_parts):
    blocks, cost = target_blocks(n_parts, 6000, n_parts)
    found = best_intervals(blocks, cost, int(blocks.dense().sum()), Limits())
    assert not found.proven
    assert len(found.bounds) > 3
    assert EveryTargetBound(blocks).best_improvement(found.bounds, cost.prior) < 1e-7


@pytest.mark.parametrize("n_parts", [2, 5, 30])
def test_a_scan_of_a_long_target_skips_no_better_bound(n_parts):
    blocks, cost = target_blocks(n_parts, 5000, n_parts, rows=1)
    twin = EveryTargetBound(blocks)
    for start in (10, 2500, 4990):
        moved = move_bounds(blocks, cost, [0, start, 5000], TOLERANCE)
        assert twin.cost(moved) == pytest.approx(twin.best_split(0, 5000), abs=1e-7)


@pytest.mark.parametrize("n_parts", [3, 70])
def test_segments_of_a_long_target_merge_as_all_at_once(monkeypatch, n_parts):
    monkeypatch.setattr(segments, "MOST_AT_ONCE", 1000)
    monkeypatch.setattr(segments, "SEGMENT_SIZE", 8000)
    monkeypatch.setattr(segments, "OVERLAP", 160)
    monkeypatch.setattr(segments, "SAMPLE_BLOCKS", 300)
    monkeypatch.setattr(segments, "LEFT_OVER", 500)
    blocks, cost = target_blocks(n_parts, 12_000, n_parts)
    goals = [(most, -step(cost.prior, most)) for most in (400, 20)]
    found, expected = merge_by_segments(blocks, cost, goals), merge_greedily(blocks, cost, goals)
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_array_equal(a, b)
    assert combined(blocks, found[0]).n_blocks < 12_000


# the published numbers of rank regression


def counted(parts, y):
    """Rows per distinct target value and part of x."""
    values, ranks = np.unique(y, return_inverse=True)
    table = np.zeros((len(values), int(np.max(parts)) + 1), dtype=np.int64)
    np.add.at(table, (ranks, parts), 1)
    return values, table


def best_target(parts, y):
    """Cuts of y, and counts of shape (I, T), for fixed parts of x."""
    values, table = counted(parts, y)
    cost = TargetCost(table.sum(axis=0))
    found = best_intervals(from_dense(table), cost, len(y), Limits())
    inner = found.bounds[1:-1]
    cells = np.add.reduceat(table, found.bounds[:-1], axis=0).T
    return ((values[inner - 1] + values[inner]) / 2).tolist(), cells


def best_parts(x, intervals):
    """Part of every row of x, for fixed intervals of the target: formula 1 with T classes."""
    values, table = counted(intervals, x)
    cost = ClassCost(table.shape[1], partial(discretization_prior, len(x)))
    found = best_intervals(from_dense(table), cost, len(x), Limits())
    cuts = values[found.bounds[1:-1]]
    return np.searchsorted(cuts, x, side="right")


def digits(text):
    return np.array([int(digit) for digit in text])


STEPS_X = np.repeat([1, 2, 3, 4], 8)
STEPS_Y = digits("11221212122112233443434356656556")
MIXED_X = digits("5663666034124541461326036305666256464134")
MIXED_Y = digits("7636536054117473370406234725377374443135")


@pytest.mark.parametrize(
    ("x", "y", "x_cuts", "y_cuts", "least"),
    [
        (STEPS_X, STEPS_Y, [2.5, 3.5], [2.5, 4.5], 79.98324610096262),
        (MIXED_X, MIXED_Y, [2.5], [2.5], 112.8924383008463),
    ],
)
def test_the_target_of_the_published_examples(x, y, x_cuts, y_cuts, least):
    parts = np.searchsorted(x_cuts, x)
    cuts, cells = best_target(parts, y)
    assert cuts == y_cuts
    assert rank_regression_cost(cells) == pytest.approx(least, abs=1e-9)
    tied = regression.target_optima(y.tolist(), parts.tolist(), len(x_cuts) + 1)
    assert tuple(map(tuple, cells.T.tolist())) in [partition.counts for partition in tied]
    # The other side, given this one, is the ordinary search.
    np.testing.assert_array_equal(best_parts(x, np.searchsorted(cuts, y)), parts)


def test_a_handful_of_values_is_searched_exhaustively():
    assert regression.least_cost(STEPS_X, STEPS_Y) == pytest.approx(79.98324610096262, abs=1e-9)


@pytest.mark.parametrize(
    ("n", "parts", "least"),
    [
        (12, 2, 24.585085379168365),
        (100, 5, 282.58487759794673),
        (1000, 18, 3839.318676494661),
        (10_000, 61, 49356.495199741395),
    ],
)
def test_the_diagonal_of_equal_ranks_is_reached(n, parts, least):
    y = np.arange(n)
    _, cells = best_target(y * parts // n, y)
    assert rank_regression_cost(cells) <= least + 1e-6


@pytest.mark.parametrize(
    ("column", "least"),
    [
        ("s5", 2208.60),
        ("bmi", 2210.48),
        ("s4", 2240.56),
        ("s3", 2244.83),
        ("s6", 2253.79),
        ("s1", 2264.26),
    ],
)
def test_alternating_sides_reach_the_bounds_of_diabetes(column, least):
    data = load_diabetes()
    x, y = data.data[:, data.feature_names.index(column)], data.target
    costs = []
    for n_intervals in (2, 3, 4, 5, 6, 8, 10, 13, 16, 20):
        cuts = np.quantile(y, np.arange(1, n_intervals) / n_intervals)
        intervals, before = np.searchsorted(cuts, y), np.inf
        while True:
            parts = best_parts(x, intervals)
            cuts, cells = best_target(parts, y)
            cost = rank_regression_cost(cells)
            if cost >= before - 1e-9:
                break
            before, intervals = cost, np.searchsorted(cuts, y)
        costs.append(before)
    assert min(costs) <= least + 0.005

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests._search.columns import count_tables, part_cost
from tests.oracles import discretization, semi_supervised
from tests.oracles.intervals import every_bounds, log_weight, total

from modlearn._search.blocks import from_dense
from modlearn._search.exact import IntervalCosts

TOLERANCE = 1e-10
WEIGHTS = {False: discretization.part_weight, True: semi_supervised.map_part_weight}


def every_partition(table, with_unlabeled=False, firsts=None, min_part_size=1):
    """(bounds, cost of the parts) of every allowed partition of the rows of a table."""
    firsts = anywhere(len(table)) if firsts is None else firsts
    for inner in every_bounds(len(table), None):
        parts = list(pairwise((0, *inner, len(table))))
        rows = [total(table[start:end]) for start, end in parts]
        long = any(start < firsts[end] for start, end in parts)
        small = inner and min(map(sum, rows)) < min_part_size
        if not long and not small:
            cost = sum(log_weight(WEIGHTS[with_unlabeled](row)) for row in rows)
            yield (0, *inner, len(table)), cost


def anywhere(n_blocks):
    """Firsts that allow every interval."""
    return np.zeros(n_blocks + 1, dtype=np.int64)


@st.composite
def cases(draw):
    """(table, whether unlabeled rows are its last column, firsts)."""
    unlabeled = draw(st.booleans())
    most = draw(st.sampled_from([3, 10]))  # few classes and more are counted in different ways
    table = draw(count_tables(min_classes=1 + unlabeled, max_classes=most + unlabeled))
    n = len(table)
    if draw(st.booleans()):
        return table, unlabeled, anywhere(n)
    backwards = np.array(draw(st.lists(st.integers(1, n), min_size=n, max_size=n)))
    firsts = np.maximum(0, np.arange(1, n + 1) - backwards)
    return table, unlabeled, np.concatenate(([0], np.maximum.accumulate(firsts)))


def interval_costs(table, with_unlabeled, *options):
    blocks = from_dense(table)
    return IntervalCosts(blocks, part_cost(blocks, with_unlabeled), *options)


def cost_of(bounds, table, with_unlabeled):
    rows = [total(table[start:end]) for start, end in pairwise(bounds.tolist())]
    return sum(log_weight(WEIGHTS[with_unlabeled](row)) for row in rows)


@settings(deadline=None)
@given(cases(), st.floats(0, 6), st.integers(1, 12))
def test_penalized_is_the_best_of_all_partitions(case, penalty, min_part_size):
    table, with_unlabeled, firsts = case
    costs = interval_costs(table, with_unlabeled, firsts, TOLERANCE, min_part_size)
    allowed = list(every_partition(table, with_unlabeled, firsts, min_part_size))
    bounds, cost = costs.penalized(penalty)
    if not allowed:
        assert cost == math.inf
        return
    least = min(c + penalty * (len(b) - 1) for b, c in allowed)
    assert cost + penalty * (len(bounds) - 1) == pytest.approx(least, abs=1e-8)
    assert cost_of(bounds, table, with_unlabeled) == pytest.approx(cost, abs=1e-8)
    assert tuple(bounds.tolist()) in [b for b, _ in allowed]


@settings(deadline=None)
@given(cases(), st.integers(1, 8), st.integers(1, 12))
def test_best_with_is_the_best_of_all_partitions_for_every_number_of_parts(
    case, n_parts, min_part_size
):
    table, with_unlabeled, firsts = case
    costs = interval_costs(table, with_unlabeled, firsts, TOLERANCE, min_part_size)
    sums, bounds_of = costs.best_with(n_parts)
    assert len(sums) == n_parts
    for parts in range(1, n_parts + 1):
        allowed = {
            b: c
            for b, c in every_partition(table, with_unlabeled, firsts, min_part_size)
            if len(b) == parts + 1
        }
        least = min(allowed.values(), default=math.inf)
        assert sums[parts - 1] == pytest.approx(least, abs=1e-8)
        if allowed:
            assert allowed[tuple(bounds_of(parts).tolist())] == pytest.approx(least, abs=1e-8)


def test_fewer_parts_win_a_tie():
    table = [(4, 0), (0, 4)]
    apart = sum(math.log(discretization.part_weight(row)) for row in table)
    penalty = math.log(discretization.part_weight((4, 4))) - apart
    costs = interval_costs(table, False, anywhere(2), TOLERANCE)
    assert costs.penalized(penalty)[0].tolist() == [0, 2]
    assert costs.penalized(penalty - 1e-6)[0].tolist() == [0, 1, 2]


def test_one_part_is_allowed_however_few_rows_there_are():
    costs = interval_costs([(1, 0), (0, 1)], False, anywhere(2), TOLERANCE, 100)
    bounds, cost = costs.penalized(0.0)
    assert bounds.tolist() == [0, 2]
    assert cost == pytest.approx(math.log(6))


def test_no_interval_begins_before_the_first_block_allowed_for_its_end():
    firsts = np.maximum(0, np.arange(11) - 3)
    costs = interval_costs([(1, 1)] * 10, False, firsts, TOLERANCE)
    assert np.diff(costs.penalized(50.0)[0]).max() == 3
    sums, bounds_of = costs.best_with(4)
    assert np.isinf(sums).tolist() == [True, True, True, False]
    assert np.diff(bounds_of(4)).max() <= 3

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests._search.columns import count_tables
from tests.oracles.grouping import greedy_merging

from modlearn._search.exchange import exchange_items, merge_groups
from modlearn.criteria import ClassCost, grouping_cost, grouping_prior

TOLERANCE = 1e-9


def cost_for(table):
    return ClassCost(table.shape[1], partial(grouping_prior, len(table)))


def summed(table, groups):
    result = np.zeros((int(groups.max()) + 1, table.shape[1]), dtype=np.int64)
    np.add.at(result, groups, table)
    return result


def cost_of(table, groups):
    """Formula 2; empty groups do not count."""
    _, groups = np.unique(groups, return_inverse=True)
    return grouping_cost(summed(table, groups), len(table))


def merged(table, max_groups=None, min_part_size=1):
    most = max_groups or len(table)
    return merge_groups(table, cost_for(table), most, min_part_size, TOLERANCE)


def clustered(rng, n_values, n_classes, rows=20):
    """Values of four kinds."""
    shares = rng.dirichlet(np.full(n_classes, 0.5), 4)[rng.integers(0, 4, n_values)]
    return rng.multinomial(1 + rng.poisson(rows, n_values), shares)


class TestMergeGroups:
    @settings(deadline=None)
    @given(count_tables(max_rows=12, largest=60, max_classes=4))
    def test_it_is_greedy_merging(self, table):
        found = cost_of(np.array(table), merged(np.array(table)))
        assert found == pytest.approx(greedy_merging(table).cost, abs=1e-8)

    @pytest.mark.parametrize("n_classes", [3, 5])
    def test_it_is_greedy_merging_of_forty_values(self, n_classes):
        table = clustered(np.random.default_rng(n_classes), 40, n_classes)
        expected = greedy_merging(list(map(tuple, table.tolist()))).cost
        assert cost_of(table, merged(table)) == pytest.approx(expected, abs=1e-8)

    @pytest.mark.parametrize("max_groups", [1, 2, 3])
    def test_there_are_no_more_groups_than_allowed(self, max_groups):
        table = clustered(np.random.default_rng(0), 40, 3, rows=200)
        assert merged(table).max() >= 3
        assert merged(table, max_groups).max() + 1 == max_groups

    def test_no_group_is_smaller_than_allowed(self):
        table = np.array([(90, 0), (0, 90), (30, 30), (0, 4)])
        assert summed(table, merged(table, min_part_size=80)).sum(axis=1).min() >= 80
        assert merged(table, min_part_size=1000).tolist() == [0, 0, 0, 0]


class TestExchangeItems:
    @settings(deadline=None)
    @given(
        count_tables(max_rows=10, largest=60, min_classes=2, max_classes=4).filter(
            lambda t: len(t) > 1
        ),
        st.data(),
        st.integers(1, 40),
    )
    def test_in_the_end_no_exchange_lowers_the_cost(self, table, data, min_part_size):
        table = np.array(table)
        start = data.draw(st.lists(st.integers(0, 3), min_size=len(table), max_size=len(table)))
        start = np.unique(start, return_inverse=True)[1]
        found = exchange_items(table, start, cost_for(table), len(table), min_part_size, TOLERANCE)
        least = cost_of(table, found)
        assert least <= cost_of(table, start) + 1e-8
        for item in range(len(table)):
            for target in range(found.max() + 2):
                moved = found.copy()
                moved[item] = target
                if is_allowed(table, found, moved, min_part_size):
                    assert cost_of(table, moved) >= least - 1e-8

    def test_there_are_no_more_groups_than_allowed(self):
        table = np.array([(90, 0, 0), (0, 90, 0), (0, 0, 90)])
        start = np.zeros(3, dtype=np.intp)
        for most in (3, 2, 1):
            found = exchange_items(table, start, cost_for(table), most, 1, TOLERANCE)
            assert found.max() + 1 == most

    def test_a_value_in_the_wrong_group_finds_the_right_one(self):
        table = np.array([(50, 1, 0), (60, 0, 1), (0, 50, 1), (1, 60, 1), (40, 1, 1)])
        found = exchange_items(table, np.array([0, 0, 1, 1, 1]), cost_for(table), 5, 1, TOLERANCE)
        assert found.tolist() == [0, 0, 1, 1, 0]


def is_allowed(table, before, after, min_part_size):
    """Whether the groups that an exchange changes are large enough, or gone."""
    changed = set(before[before != after]) | set(after[before != after])
    rows = table.sum(axis=1)
    sizes = [rows[after == group].sum() for group in changed if (after == group).any()]
    return all(size >= min_part_size for size in sizes)

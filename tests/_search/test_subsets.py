from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from tests._search.columns import count_tables, limits
from tests.oracles.grouping import all_groupings

from modlearn._search.subsets import best_grouping_of_few
from modlearn.criteria import ClassCost, grouping_prior, part_costs

TOLERANCE = 1e-10


def best_of(table, max_parts=None, min_part_size=1):
    """Groups of values, in order of their first value."""
    most = min(max_parts or len(table), len(table))
    cost = ClassCost(len(table[0]), partial(grouping_prior, len(table)))
    return as_groups(best_grouping_of_few(table, cost, most, min_part_size, TOLERANCE))


def as_groups(group_of_value):
    groups = {}
    for value, group in enumerate(group_of_value.tolist()):
        groups.setdefault(group, []).append(value)
    return tuple(map(tuple, groups.values()))


def allowed_groupings(table, max_parts, min_part_size):
    """Every grouping within the limits, by its groups."""
    rows = [sum(row) for row in table]
    return {
        groups: cost
        for cost, groups in all_groupings(table)
        if len(groups) <= (max_parts or len(table))
        and (len(groups) == 1 or min(sum(rows[v] for v in g) for g in groups) >= min_part_size)
    }


@settings(max_examples=80, deadline=None)
@given(count_tables(max_rows=6, largest=30, max_classes=4), limits())
def test_it_is_the_best_of_all_groupings(table, limits):
    allowed = allowed_groupings(table, *limits)
    assert allowed[best_of(table, *limits)] == pytest.approx(min(allowed.values()), abs=1e-8)


def test_it_is_the_best_of_all_groupings_of_nine_values():
    rng = np.random.default_rng(0)
    table = [tuple(row) for row in rng.poisson(rng.gamma(0.5, 8, (9, 3))).tolist()]
    costs = {grouping.groups: grouping.cost for grouping in all_groupings(table)}
    assert costs[best_of(table)] == pytest.approx(min(costs.values()), abs=1e-8)


def test_one_value_is_one_group():
    assert best_of([(3, 1)]) == ((0,),)


def test_one_group_is_allowed_however_few_rows_there_are():
    assert best_of([(30, 0), (0, 30)], min_part_size=100) == ((0, 1),)


def test_fewer_groups_win_a_tie():
    table = [(4, 0), (0, 4)]
    price = part_costs([(4, 4)]).sum() - part_costs(table).sum()
    for discount, groups in ((0.0, [0, 0]), (1e-6, [1, 0])):
        cost = ClassCost(2, np.array([0.0, 0.0, price - discount]).__getitem__)
        assert best_grouping_of_few(table, cost, 2, 1, TOLERANCE).tolist() == groups

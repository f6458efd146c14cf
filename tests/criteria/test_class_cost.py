import math
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from tests._search.columns import count_tables
from tests.oracles import discretization

from modlearn.criteria import ClassCost, discretization_prior, grouping_cost, grouping_prior


@given(count_tables(max_classes=12))
def test_the_cost_of_a_part_is_that_of_formula_1(table):
    found = ClassCost(len(table[0]), np.zeros_like).part_costs(table)
    expected = [math.log(discretization.part_weight(row)) for row in table]
    np.testing.assert_allclose(found, expected, atol=1e-10, rtol=0)


@given(count_tables())
def test_with_the_prior_of_intervals_the_total_is_formula_1(table):
    cost = ClassCost(len(table[0]), partial(discretization_prior, sum(map(sum, table))))
    assert cost.total(table) == pytest.approx(discretization.cost(table), abs=1e-9)


@given(count_tables())
def test_with_the_prior_of_groups_the_total_is_formula_2(table):
    cost = ClassCost(len(table[0]), partial(grouping_prior, 20))
    assert cost.total(table) == pytest.approx(grouping_cost(table, 20), abs=1e-9)

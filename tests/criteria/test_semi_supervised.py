from functools import partial

import numpy as np
import pytest
from hypothesis import given
from tests._search.columns import count_tables
from tests.oracles import semi_supervised

from modlearn.criteria import MapCost, discretization_prior, map_cost


@given(count_tables(min_classes=2, max_classes=4))
def test_the_cost_of_a_part_is_that_of_its_best_completion(table):
    found = MapCost(len(table[0]) - 1, np.zeros_like).part_costs(table)
    expected = [semi_supervised.map_part_cost(row) for row in table]
    np.testing.assert_allclose(found, expected, atol=1e-10, rtol=0)


@given(count_tables(min_classes=2, max_classes=4))
def test_the_total_is_the_map_cost(table):
    counts = np.array(table)
    cost = MapCost(counts.shape[1] - 1, partial(discretization_prior, int(counts.sum())))
    assert cost.total(table) == pytest.approx(map_cost(counts[:, :-1], counts[:, -1]), abs=1e-9)

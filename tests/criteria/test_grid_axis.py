import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.oracles import discretization

from modlearn.criteria import AxisCost, ClassCost, axis_cost, axis_prior, grid_cost


@st.composite
def grids(draw):
    """Counts of shape (I1, I2, J)."""
    shape = tuple(draw(st.integers(1, 4)) for _ in range(3))
    size = math.prod(shape)
    counts = draw(st.lists(st.integers(0, 9), min_size=size, max_size=size).filter(any))
    return np.array(counts).reshape(shape)


@given(grids())
def test_a_part_costs_what_its_cells_cost(counts):
    n_parts, n_cells, n_classes = counts.shape
    found = AxisCost(n_cells, n_classes, np.zeros_like).part_costs(counts.reshape(n_parts, -1))
    expected = [
        sum(math.log(discretization.part_weight(tuple(cell))) for cell in part)
        for part in counts.tolist()
    ]
    np.testing.assert_allclose(found, expected, atol=1e-10, rtol=0)


@given(grids())
def test_with_the_priors_of_both_axes_the_total_is_formula_3(counts):
    n_parts, n_cells, n_classes = counts.shape
    n_rows = int(counts.sum())
    other = float(axis_prior(n_rows, None, n_cells))
    cost = axis_cost(n_cells, n_classes, lambda I: axis_prior(n_rows, None, I) + other)
    found = cost.total(counts.reshape(n_parts, -1))
    assert found == pytest.approx(grid_cost(counts), abs=1e-9)


def test_one_cell_per_part_is_formula_1():
    assert type(axis_cost(1, 3, np.zeros_like)) is ClassCost
    assert type(axis_cost(2, 3, np.zeros_like)) is AxisCost

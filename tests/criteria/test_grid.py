"""Formula 3 against exact integers."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.oracles import grid as oracle
from tests.oracles.discretization import part_weight

from modlearn.criteria import (
    axis_prior,
    cell_costs,
    discretization_cost,
    discretization_prior,
    grid_cost,
    grid_price,
)

WINE = [[[0, 4, 11], [0, 35, 0], [0, 23, 0]], [[0, 0, 31], [0, 5, 6], [59, 4, 0]]]


def test_published_grid_of_wine_has_its_cost():
    assert grid_cost(WINE) == pytest.approx(87.27371200280484, abs=1e-10)


@given(
    st.integers(1, 3), st.integers(1, 3), st.integers(1, 3), st.booleans(), st.booleans(), st.data()
)
def test_cost_is_that_of_exact_integers(I1, I2, J, first_ordered, second_ordered, data):
    cells = st.lists(st.integers(0, 30), min_size=I1 * I2 * J, max_size=I1 * I2 * J)
    counts = np.array(data.draw(cells.filter(any))).reshape(I1, I2, J)
    ordered, V = (first_ordered, second_ordered), (I1 + 2, I2 + 1)
    n_rows = int(counts.sum())
    expected = math.fsum(
        [
            *(oracle.axis_prior(n_rows, V[k], counts.shape[k], ordered[k]) for k in (0, 1)),
            *(math.log(part_weight(tuple(cell))) for cell in counts.reshape(-1, J).tolist()),
        ]
    )
    got = grid_cost(counts, tuple(None if o else v for o, v in zip(ordered, V, strict=True)))
    assert got == pytest.approx(expected, rel=1e-12, abs=1e-10)


@pytest.mark.parametrize("ordered", [(True, True), (True, False), (False, False)])
def test_a_pair_pays_the_mean_of_what_its_columns_cost_beyond_one_part(ordered):
    counts, V = np.array(WINE), (6, 9)
    one_cell = counts.sum(axis=(0, 1), keepdims=True)
    n_values = tuple(None if o else v for o, v in zip(ordered, V, strict=True))
    expected = [
        oracle.axis_prior(178, V[k], counts.shape[k], ordered[k])
        - oracle.axis_prior(178, V[k], 1, ordered[k])
        for k in (0, 1)
    ]
    price = grid_price(counts, grid_cost(counts, n_values), grid_cost(one_cell, n_values))
    assert price == pytest.approx(sum(expected) / 2, rel=1e-12)


def test_empty_cells_cost_nothing():
    assert cell_costs(np.array([[3, 1], [0, 0]])) == cell_costs(np.array([[3, 1]]))


def test_one_part_of_the_other_column_leaves_formula_1_and_a_prior():
    counts = np.array([[5, 1], [0, 4]])
    other = float(discretization_prior(10, 1))
    assert grid_cost(counts[:, None]) == pytest.approx(discretization_cost(counts) + other)


def test_prior_of_groups_needs_the_number_of_values():
    assert axis_prior(100, None, 2) != axis_prior(100, 5, 2)


def test_tables_without_three_axes_are_refused():
    with pytest.raises(ValueError, match=r"counts per part .* got shape \(2, 2\)"):
        grid_cost([[1, 2], [3, 4]])


def test_more_groups_than_values_are_refused():
    with pytest.raises(ValueError, match="2 groups need at least as many values, got V=1"):
        grid_cost(WINE, (1, None))

"""A grid as it is applied."""

import numpy as np
from tests._model.conftest import make_grid


def test_cells_are_numbered_row_by_row():
    grid = make_grid()
    assert grid.codes(np.array([0, 1, 1]), np.array([1, 0, 1])).tolist() == [1, 2, 3]
    assert grid.cells.tolist() == [[3, 1], [0, 0], [1, 5], [20, 0]]
    assert grid.labels[2] == "(0.5, inf) × {value 0}"
    assert grid.n_parts == 4


def test_log_odds_of_an_empty_cell_lean_nowhere_beyond_its_prior():
    odds = make_grid().log_odds
    assert odds.shape == (4, 2)
    assert np.isfinite(odds).all()
    np.testing.assert_allclose(odds[:, 0], -odds[:, 1])


def test_a_cell_with_a_value_never_seen_on_either_axis_has_no_number():
    first, second = np.array([0, -1, 1, -1], np.int32), np.array([1, 1, -1, -1], np.int32)
    codes = make_grid().codes(first, second)
    assert codes.tolist() == [1, -1, -1, -1]
    assert codes.dtype == np.int32

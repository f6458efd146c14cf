"""The score of a pair against costs of fixed grids."""

import numpy as np
import pytest

from modlearn._search.screening import screening_scores
from modlearn._statistics.cell_counts import count_coarse_cells
from modlearn.criteria import axis_prior, grid_cost

PAIR = np.array([[0, 1]], dtype=np.int64)


def score(first, second, classes, rows=None, n_classes=2):
    runs = np.array([first, second], dtype=np.uint8)
    classes = np.asarray(classes, dtype=np.int32)
    cells = count_coarse_cells(runs, classes, rows, n_classes, PAIR, 8)
    prior = np.concatenate(([0.0], axis_prior(int(cells.sum()), None, np.arange(1, 9))))
    return screening_scores(cells, 2 * prior, prior + prior[1])[0]


def slow_score(first, second, classes, n_classes=2):
    table = np.zeros((8, 8, n_classes), dtype=np.int64)
    np.add.at(table, (first, second, classes), 1)

    def halved(table, axis):
        return np.add.reduceat(table, np.arange(0, table.shape[axis], 2), axis=axis)

    grids, tables = [], table
    for _ in range(3):
        grids.append(grid_cost(tables))
        tables = halved(halved(tables, 0), 1)
    alone = []
    for axis in (0, 1):
        side = table.sum(axis=axis, keepdims=True)
        for _ in range(4):
            alone.append(grid_cost(side))
            side = halved(side, 1 - axis)
    return min(alone) - min(grids)


@pytest.mark.parametrize("seed", range(5))
def test_the_score_is_what_fixed_grids_save_beyond_the_better_column(seed):
    rng = np.random.default_rng(seed)
    first, second = rng.integers(0, 8, (2, 400))
    classes = ((first > 3) ^ (second > 5)) if seed % 2 else (first > 3)
    expected = slow_score(first, second, classes.astype(int))
    assert score(first, second, classes) == pytest.approx(expected, abs=1e-8)


def test_columns_that_are_informative_only_together_score_high():
    rng = np.random.default_rng(0)
    first, second = rng.integers(0, 8, (2, 1000))
    assert score(first, second, (first > 3) ^ (second > 3)) > 500
    assert score(first, second, first > 3) < 0


def test_weights_are_repeated_rows():
    rng = np.random.default_rng(1)
    first, second = rng.integers(0, 8, (2, 100))
    classes, rows = rng.integers(0, 2, 100), rng.integers(1, 4, 100)
    repeated = (np.repeat(a, rows) for a in (first, second, classes))
    assert score(first, second, classes, rows) == pytest.approx(score(*repeated))


def test_cells_of_another_resolution_are_refused():
    with pytest.raises(ValueError, match="8 runs each, got 4 and 8"):
        screening_scores(np.zeros((1, 4, 8, 2), dtype=np.int64), np.zeros(9), np.zeros(9))

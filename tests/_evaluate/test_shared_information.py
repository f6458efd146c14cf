import numpy as np
import pytest
from sklearn.datasets import load_wine

from modlearn import PairEncoder
from modlearn._evaluate.data_warnings import share_covered_by_grid, share_told_by_rows

RNG = np.random.default_rng(0)
CLASSES = RNG.integers(0, 3, 3_000)


def noisy(codes, share):
    """Codes of which some are drawn anew."""
    drawn = RNG.random(len(codes)) < share
    return np.where(drawn, RNG.integers(0, 3, len(codes)), codes).astype(np.int32)


def test_a_copy_tells_all_of_it():
    parts = noisy(CLASSES, 0.5)
    assert share_told_by_rows(parts, parts, CLASSES) == pytest.approx(1, abs=0.02)


def test_noise_tells_none_of_it():
    parts, noise = noisy(CLASSES, 0.3), noisy(CLASSES, 1.0)
    assert share_told_by_rows(parts, noise, CLASSES) == pytest.approx(0, abs=0.02)


def test_a_better_measurement_of_the_same_tells_most_of_it():
    good = noisy(CLASSES, 0.2)
    assert share_told_by_rows(noisy(good, 0.5), good, CLASSES) > 0.9


def test_what_tells_nothing_has_no_share():
    noise = noisy(CLASSES, 1.0)
    constant = np.zeros(len(CLASSES), dtype=np.int32)
    assert share_told_by_rows(constant, noise, CLASSES) == 0


def test_the_share_of_a_grid_is_its_redundancy_over_the_saving_of_the_column():
    X, y = load_wine(return_X_y=True, as_frame=True)
    pairs = PairEncoder(pairs=[("alcohol", "flavanoids")]).fit(X, y)
    grid, column = pairs.grids_["alcohol", "flavanoids"], pairs.partitions_["alcohol"]
    share = share_covered_by_grid(column, grid)
    assert share == pytest.approx(-grid.synergy / (column.null_cost - column.cost))
    assert 0 < share < 1

import pytest

from modlearn.criteria import level


def test_the_level_is_the_share_of_the_null_cost_that_is_saved():
    assert level(54.711827739966566, 173.95) == pytest.approx(1 - 54.711827739966566 / 173.95)


def test_a_partition_that_saves_nothing_has_level_zero():
    assert level(100.0, 100.0) == 0.0
    assert level(100.5, 100.0) == 0.0


def test_a_column_that_costs_nothing_tells_nothing():
    assert level(0.0, 0.0) == 0.0

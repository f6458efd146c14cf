"""Where intervals stand on an axis."""

import numpy as np
import pytest
from tests._model.conftest import make_intervals

from modlearn._show.positions import positions_of


def intervals_of(cuts, rows=None):
    rows = [10] * (len(cuts) + 1) if rows is None else rows
    return make_intervals(cuts, [[n, 0] for n in rows])


def test_spread_cuts_stand_at_their_values():
    bounds, ticks = positions_of(intervals_of([1.0, 2.0, 4.0]))
    assert bounds[1:-1].tolist() == [1.0, 2.0, 4.0]
    assert [at for at, _ in ticks] == [1.0, 2.0, 4.0]
    assert (np.diff(bounds) > 0).all()


def test_an_end_with_more_rows_is_wider():
    few, _ = positions_of(intervals_of([1.0, 2.0], [10, 10, 10]))
    many, _ = positions_of(intervals_of([1.0, 2.0], [10, 10, 20]))
    assert many[-1] - many[-2] == pytest.approx(2 * (few[-1] - few[-2]))


@pytest.mark.parametrize(
    "cuts",
    [
        [1.0, 1.001, 1.002, 1.003, 1.004, 1e6],
        [-np.inf, 1.0, 2.0],
        [1.0, np.finfo(float).max],
    ],
)
def test_crowded_and_infinite_cuts_stand_at_equal_distances(cuts):
    bounds, ticks = positions_of(intervals_of(cuts))
    assert bounds.tolist() == list(range(len(cuts) + 2))
    assert all(bounds[i + 1] == at for at, i in ticks)


def test_one_part_takes_the_whole_axis():
    bounds, ticks = positions_of(intervals_of([]))
    assert (bounds.tolist(), ticks) == ([0.0, 1.0], [])

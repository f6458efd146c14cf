"""A step gives the best parts of one axis, given those of the other."""

import numpy as np
import pytest
from tests._search.test_grid import pair_of, random_table

from modlearn._search.axis_parts import all_parts
from modlearn._search.grid import grid_of_parts
from modlearn._search.grid_steps import Steps

FIXED = np.array([0, 1, 1, 0, 2])


def cost_of(pair, axis, parts, fixed):
    both = (parts, fixed) if axis == 0 else (fixed, parts)
    return grid_of_parts(pair, both, proven=False).cost


@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("seed", range(5))
def test_no_parts_of_a_few_values_are_better(axis, ordered, seed):
    V, kinds = ((7, 5), (ordered, False)) if axis == 0 else ((5, 7), (False, ordered))
    pair = pair_of(random_table(seed, V), kinds)
    found = Steps(pair).parts(axis, FIXED, None)
    best = min(cost_of(pair, axis, parts, FIXED) for parts in all_parts(pair.axes[axis]))
    assert cost_of(pair, axis, found, FIXED) == pytest.approx(best, abs=1e-9)


@pytest.mark.parametrize("ordered", [True, False])
def test_known_parts_never_get_worse(ordered):
    pair = pair_of(random_table(1, (30, 5)), (ordered, False))
    known = np.arange(30) // 6
    found = Steps(pair).parts(0, FIXED, known)
    assert cost_of(pair, 0, found, FIXED) <= cost_of(pair, 0, known, FIXED) + 1e-9


def test_one_value_has_one_part():
    pair = pair_of(random_table(0, (1, 5)), (True, False))
    assert Steps(pair).parts(0, FIXED, None).tolist() == [0]

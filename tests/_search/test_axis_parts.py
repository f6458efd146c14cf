"""Parts of one axis: every one, and random ones."""

import numpy as np
import pytest
from tests.oracles.grid import group_partitions, interval_partitions

from modlearn._search.axis_parts import (
    all_parts,
    disturbed_parts,
    n_partitions,
    random_parts,
)
from modlearn._statistics.pairs import Axis


def axis_of(n_values, ordered):
    return Axis(np.arange(n_values, dtype=np.int32), n_values, ordered)


@pytest.mark.parametrize("n_values", range(1, 7))
@pytest.mark.parametrize(
    ("ordered", "oracle"), [(True, interval_partitions), (False, group_partitions)]
)
def test_every_partition_comes_once(n_values, ordered, oracle):
    axis = axis_of(n_values, ordered)
    found = [tuple(parts.tolist()) for parts in all_parts(axis)]
    assert len(set(found)) == len(found) == len(list(oracle(n_values))) == n_partitions(axis)
    assert set(found[0]) == {0}


def test_partitions_of_many_values_are_not_counted():
    assert n_partitions(axis_of(100_000, ordered=True)) == np.inf


@pytest.mark.parametrize("ordered", [True, False])
@pytest.mark.parametrize("n_parts", [2, 5, 40])
def test_random_parts_are_numbered_without_gaps(ordered, n_parts):
    parts = random_parts(axis_of(20, ordered), n_parts, np.random.default_rng(0))
    assert set(parts.tolist()) == set(range(min(20, n_parts)))
    assert not ordered or (np.diff(parts) >= 0).all()


@pytest.mark.parametrize("ordered", [True, False])
def test_parts_of_few_values_are_disturbed_in_many_ways(ordered):
    # With as many random bounds as many rows allow, every disturbance would part all values.
    axis = axis_of(16, ordered)
    parts, generator = np.arange(16) // 3, np.random.default_rng(8)
    found = {tuple(disturbed_parts(parts, axis, 28, generator).tolist()) for _ in range(20)}
    assert len(found) > 15
    assert all(set(p) == set(range(max(p) + 1)) for p in found)

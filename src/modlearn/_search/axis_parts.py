"""Partitions of one axis of a grid: all of them, random ones, and neighbors of a partition."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product

import numpy as np
from numpy.typing import NDArray

from modlearn._statistics.pairs import Axis
from modlearn.criteria import log_partitions

__all__ = ["Parts", "all_parts", "disturbed_parts", "n_partitions", "random_parts"]

Parts = NDArray[np.intp]
"""Part of every value of an axis."""

COUNTABLE_VALUES = 50
"""Partitions of more values than this are not counted: there are astronomically many."""

DROPPED = 0.3
"""Share of the bounds that a disturbance removes, and of the values that change their group."""


def n_partitions(axis: Axis) -> float:
    """Return the number of partitions of an axis; infinity if it is not counted."""
    if axis.n_values > COUNTABLE_VALUES:
        return np.inf
    if axis.ordered:
        return int(2 ** (axis.n_values - 1))
    return float(round(np.exp(log_partitions(axis.n_values, axis.n_values))))


def all_parts(axis: Axis) -> Iterator[Parts]:
    """Yield every partition of an axis, starting with a single part."""
    if axis.ordered:
        for bounds in product((0, 1), repeat=axis.n_values - 1):
            yield np.cumsum((0, *bounds))
        return
    partitions: Iterable[tuple[int, ...]] = [(0,)]
    for _ in range(1, axis.n_values):
        # A value joins one of the groups before it, or opens one.
        partitions = [(*p, group) for p in partitions for group in range(max(p) + 2)]
    yield from map(np.array, partitions)


def random_parts(axis: Axis, n_parts: int, generator: np.random.Generator) -> Parts:
    """Return at most n_parts random intervals or groups of the values of an axis."""
    n_parts = min(n_parts, axis.n_values)
    if not axis.ordered:
        return (generator.permutation(axis.n_values) % n_parts).astype(np.intp)
    cuts = np.sort(generator.choice(axis.n_values - 1, n_parts - 1, replace=False))
    return np.searchsorted(cuts, np.arange(axis.n_values), side="left")


def disturbed_parts(
    parts: Parts, axis: Axis, most_added: int, generator: np.random.Generator
) -> Parts:
    """Return parts with some bounds replaced, or with some values moved to other groups."""
    n = axis.n_values
    if n == 1:
        return parts
    n_added = int(generator.integers(1, min(most_added, n // 2) + 1))
    if axis.ordered:
        cut = (parts[1:] != parts[:-1]) & (generator.random(n - 1) >= DROPPED)
        cut[generator.integers(0, n - 1, n_added)] = True
        return np.concatenate(([0], np.cumsum(cut)))
    moved = generator.random(n) < DROPPED
    target = generator.integers(0, int(parts.max()) + 1 + n_added, n)
    return np.unique(np.where(moved, target, parts), return_inverse=True)[1]

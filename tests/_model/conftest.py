"""Small partitions, written down rather than found."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from modlearn._model.grid import Grid
from modlearn._model.partitions import Groups, Intervals


def shared(counts: list[list[int]], **changes: Any) -> dict[str, Any]:
    """What intervals and groups have in common, for the given rows per part and class."""
    table = np.array(counts, dtype=np.int64)
    facts = {
        "name": "x",
        "classes": np.arange(table.shape[1]),
        "counts": table,
        "unlabeled_counts": np.zeros(len(table), dtype=np.int64),
        "cost": 10.0,
        "null_cost": 40.0,
        "level": 0.75,
        "proven_optimal": True,
    }
    return facts | changes


def make_intervals(cuts: Any = (2.5,), counts: Any = None, **changes: Any) -> Intervals:
    alone = changes.setdefault("missing_alone", False)
    counts = [[1, 1]] * (len(cuts) + 1 + alone) if counts is None else counts
    cuts = np.array(cuts, dtype=np.float64)
    sides = np.column_stack((cuts - 0.05, cuts + 0.05))
    facts = {"sides": sides, "n_missing": 0, "kind": "numeric", **shared(counts), **changes}
    return Intervals(cuts=cuts, **facts)


def make_groups(groups: Any, counts: Any = None, **changes: Any) -> Groups:
    counts = [[1, 1]] * len(groups) if counts is None else counts
    return Groups(groups=tuple(map(tuple, groups)), **shared(counts, **changes))


@pytest.fixture
def intervals() -> Callable[..., Intervals]:
    """Maker of intervals between given cuts."""
    return make_intervals


@pytest.fixture
def groups() -> Callable[..., Groups]:
    """Maker of given groups."""
    return make_groups


COUNTS = np.array([[[3, 1], [0, 0]], [[1, 5], [20, 0]]])


def make_grid(
    counts: Any = COUNTS, names: tuple[str, str] = ("width", "color"), **changes: Any
) -> Grid:
    counts = np.asarray(counts)
    cuts = np.arange(counts.shape[0] - 1) + 0.5
    values = [(f"value {i}",) for i in range(counts.shape[1])]
    axes = (
        make_intervals(cuts, counts.sum(axis=1), name=names[0]),
        make_groups(values, counts.sum(axis=0), name=names[1]),
    )
    facts = {
        "cost": 10.0,
        "null_cost": 40.0,
        "level": 0.75,
        "gain": 0.25,
        "synergy": 3.5,
        "proven_optimal": False,
    }
    return Grid(axes=axes, counts=counts, **(facts | changes))

"""How much of the information of one variable about the classes another one carries too."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from modlearn._model.grid import Grid
from modlearn._model.partition import Partition
from modlearn._statistics.profiles import Profiles
from modlearn.criteria import excess_information

__all__ = ["share_covered_by_grid", "share_covered_by_parts"]


def share_covered_by_grid(partition: Partition, grid: Grid) -> float:
    """Return the share of a column's saving that the other column of a grid saves too.

    Minus the synergy of the pair, over what the column saves alone; between 0 and 1.
    """
    return _share(-grid.synergy, partition.null_cost - partition.cost)


def share_covered_by_parts(
    parts: NDArray[np.int32], others: NDArray[np.int32], profiles: Profiles
) -> float:
    """Return the share of the information of parts that other parts of the same rows carry too.

    (I(A; C) + I(B; C) - I(AB; C)) / I(A; C), between 0 and 1, where each information I is reduced
    by what this number of parts has by chance with this number of rows.
    """
    both = parts.astype(np.int64) * (int(others.max()) + 1) + others
    alone, other, together = (_information(one, profiles) for one in (parts, others, both))
    return _share(alone + other - together, alone)


def _share(common: float, alone: float) -> float:
    return min(1.0, max(0.0, common / alone)) if alone > 0 else 0.0


def _information(parts: NDArray[np.integer], profiles: Profiles) -> float:
    """Information of parts about the classes, in nats."""
    _, part = np.unique(parts, return_inverse=True)
    _, label = np.unique(profiles.classes, return_inverse=True)
    n_parts, n_classes = int(part.max()) + 1, int(label.max()) + 1
    counts = np.bincount(part * n_classes + label, profiles.rows, n_parts * n_classes)
    return excess_information(counts.astype(np.int64).reshape(n_parts, n_classes))

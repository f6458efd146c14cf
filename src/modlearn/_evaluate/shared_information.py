"""How much of what one variable tells about the classes another one tells too."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from modlearn._model.grid import Grid
from modlearn._model.partition import Partition
from modlearn.criteria import excess_information

__all__ = ["share_told_by_grid", "share_told_by_rows"]


def share_told_by_grid(partition: Partition, grid: Grid) -> float:
    """Return the share of a column's saving that the other column of a grid saves too.

    Minus the synergy of the pair, over what the column saves alone; between 0 and 1.
    """
    return _share(-grid.synergy, partition.null_cost - partition.cost)


def share_told_by_rows(
    parts: NDArray[np.int32], others: NDArray[np.int32], classes: NDArray[np.integer]
) -> float:
    """Return the share of what parts tell about classes that other parts tell too, row by row.

    (I(A; C) + I(B; C) - I(AB; C)) / I(A; C), between 0 and 1, with each information I less what
    as many parts tell of so many rows by chance.
    """
    alone, other = _information(parts, classes), _information(others, classes)
    both = _information(parts.astype(np.int64) * (int(others.max()) + 1) + others, classes)
    return _share(alone + other - both, alone)


def _share(common: float, alone: float) -> float:
    return min(1.0, max(0.0, common / alone)) if alone > 0 else 0.0


def _information(parts: NDArray[np.integer], classes: NDArray[np.integer]) -> float:
    """What parts of rows tell about their classes, in nats."""
    _, part = np.unique(parts, return_inverse=True)
    _, label = np.unique(classes, return_inverse=True)
    n_parts, n_classes = int(part.max()) + 1, int(label.max()) + 1
    counts = np.bincount(part * n_classes + label, minlength=n_parts * n_classes)
    return excess_information(counts.reshape(n_parts, n_classes))

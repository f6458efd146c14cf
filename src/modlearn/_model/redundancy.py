"""How much of what one variable tells about the classes another one tells too."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from modlearn._model.grid import Grid
from modlearn._model.partition import Partition

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
    """Mutual information in nats, less its mean where nothing is told: (I-1)(J-1) / 2N."""
    _, part = np.unique(parts, return_inverse=True)
    _, label = np.unique(classes, return_inverse=True)
    n_parts, n_classes = int(part.max()) + 1, int(label.max()) + 1
    counts = np.bincount(part * n_classes + label, minlength=n_parts * n_classes)
    table = counts.reshape(n_parts, n_classes) / len(parts)
    apart = table.sum(axis=1, keepdims=True) * table.sum(axis=0, keepdims=True)
    seen = table > 0
    told = float((table[seen] * np.log(table[seen] / apart[seen])).sum())
    return told - (n_parts - 1) * (n_classes - 1) / (2 * len(parts))

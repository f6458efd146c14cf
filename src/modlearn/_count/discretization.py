"""Count the values of a numeric column: a sort that carries the classes along."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from modlearn._count._sort import sort_with_payload
from modlearn._count.tables import SortedCounts

__all__ = ["count_numbers"]


def count_numbers(
    values: NDArray[np.float64],
    classes: NDArray[np.int32],
    weights: NDArray[np.int64] | None,
    n_classes: int,
) -> SortedCounts:
    """Sort (value, class) by value; rows of weight 0 do not count."""
    if weights is None:
        return SortedCounts(*sort_with_payload(values, classes), None, n_classes)
    counting = np.flatnonzero(weights).astype(np.int32)
    values, order = sort_with_payload(values[counting], counting)
    return SortedCounts(values, classes[order], weights[order], n_classes)

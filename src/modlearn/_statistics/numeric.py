"""Count the values of a numeric column: a sort that carries the classes along."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from modlearn._statistics._sort import sort_with_payload
from modlearn._statistics.counts import NumericCounts

__all__ = ["count_numbers"]


def count_numbers(
    values: NDArray[np.float64],
    classes: NDArray[np.int32],
    weights: NDArray[np.int64] | None,
    n_classes: int,
) -> NumericCounts:
    """Sort (value, class) by value; rows of weight 0 do not count."""
    small = classes.astype(_smallest_type(n_classes))
    if weights is None:
        return NumericCounts(*sort_with_payload(values, small), None, n_classes)
    counting = np.flatnonzero(weights).astype(np.int32)
    values, order = sort_with_payload(values[counting], counting)
    return NumericCounts(values, small[order], weights[order], n_classes)


def _smallest_type(largest: int) -> Any:
    """A sort has less to carry where the classes are few."""
    if largest <= np.iinfo(np.uint8).max:
        return np.uint8
    return np.uint16 if largest <= np.iinfo(np.uint16).max else np.int32

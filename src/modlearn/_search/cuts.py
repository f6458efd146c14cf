"""Where a cut falls between two values."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from modlearn._statistics.numeric import NumericCounts

__all__ = ["median_cut", "midpoint"]


def midpoint(
    left: NDArray[np.float64] | float, right: NDArray[np.float64] | float
) -> NDArray[np.float64]:
    """Return the float midway between left < right, at least left and less than right.

    Next to an infinite value the cut keeps every finite number on the finite side.

    Examples
    --------
    >>> from modlearn._search.cuts import midpoint
    >>> midpoint([2.9, -np.inf], [3.0, 5.0])
    array([2.95, -inf])
    """
    left, right = np.asarray(left, dtype=np.float64), np.asarray(right, dtype=np.float64)
    with np.errstate(over="ignore", invalid="ignore"):
        middle = (left + right) / 2
        # The sum of two huge values overflows, that of their halves does not.
        middle = np.where(np.isfinite(middle), middle, left / 2 + right / 2)
    middle = np.where(np.isneginf(left) & np.isposinf(right), 0.0, middle)
    largest = np.finfo(np.float64).max
    middle = np.where(np.isfinite(left) & np.isposinf(right), largest, middle)
    # Between neighboring floats there is none: the left one is the bound.
    return np.where(middle < right, middle, left)[()]


def median_cut(left: float, right: float, unlabeled: NumericCounts) -> float:
    """Return the median of the unlabeled values strictly between two, or midway with none."""
    n_missing = unlabeled.n_missing
    values = unlabeled.values[n_missing:]
    first = np.searchsorted(values, left, side="right")
    last = np.searchsorted(values, right, side="left")
    if first == last:
        return float(midpoint(left, right))
    values = values[first:last]
    if unlabeled.rows is None:
        n = len(values)
        return float(_between(values[(n - 1) // 2], values[n // 2]))
    rows = np.cumsum(unlabeled.rows[n_missing:][first:last])
    low, high = np.searchsorted(rows, [(rows[-1] + 1) // 2, rows[-1] // 2 + 1], side="left")
    return float(_between(values[low], values[high]))


def _between(low: float, high: float) -> NDArray[np.float64]:
    """Midway between two values that may be equal."""
    return midpoint(low, high) if low < high else np.asarray(low)

"""What every criterion takes: a table of non-negative counts."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["as_counts"]

MOST_ROWS = 2**53
"""Counts beyond this are not exact as floats."""


def as_counts(counts: ArrayLike) -> NDArray[np.int64]:
    """Counts as a contiguous int64 array of shape (I, J); anything else is refused."""
    given = np.asarray(counts)
    with np.errstate(invalid="ignore"):  # NaN is refused below, with a clearer message
        table = np.ascontiguousarray(given, dtype=np.int64)
    if table.ndim != 2 or table.shape[1] == 0 or table.shape[0] == 0:
        raise ValueError(
            f"A count table has one row per part and one column per class, got shape {given.shape}."
        )
    if (table != given).any() or table.min() < 0:
        raise ValueError("Counts must be non-negative whole numbers.")
    if table.sum(dtype=np.float64) >= MOST_ROWS:
        raise ValueError("Counts add up to 2**53 or more, which floats cannot represent exactly.")
    return table

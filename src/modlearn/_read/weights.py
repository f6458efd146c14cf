"""How often each row counts."""

import numbers
from typing import Any

import numpy as np

from modlearn._read.cells import first_text, floats
from modlearn._read.source import cells_of, vector
from modlearn.errors import TargetError

__all__ = ["read_weights"]


def read_weights(sample_weight: Any, n_rows: int) -> np.ndarray | None:
    """Read weights (n_rows,) as int64: the number of times a row is repeated; None = once each."""
    if sample_weight is None:
        return None
    if isinstance(sample_weight, str):
        raise TargetError(f"sample_weight is {sample_weight!r}: give one whole number per row.")
    if isinstance(sample_weight, numbers.Real):
        sample_weight = np.full(n_rows, sample_weight)
    values = _read_floats(sample_weight, n_rows)
    # not `values < 0`: a missing weight is refused too
    bad = ~((values >= 0) & (values == np.floor(values)) & np.isfinite(values))
    if bad.any():
        row = int(np.argmax(bad))
        raise TargetError(_bad_weight(row, float(values[row])))
    if not values.any():
        raise TargetError(
            "All sample weights are zero: give at least one row a positive sample_weight."
        )
    if values.sum() >= 2**53:
        raise TargetError(
            f"The sample weights add up to {values.sum():.3g}, 2**53 or more: divide them all by "
            "the same number."
        )
    return values.astype(np.int64)


def _read_floats(sample_weight: Any, n_rows: int) -> np.ndarray:
    """Weights (n_rows,) as floats, NaN = missing."""
    source = vector(sample_weight, "sample_weight", warn=False)
    if len(source) != n_rows:
        raise ValueError(
            f"sample_weight has {len(source)} rows but X has {n_rows}: give one weight per row."
        )
    cells = cells_of(source, "sample_weight")
    text = first_text(cells)
    if text is not None:
        raise TargetError(_bad_weight(*text))
    return floats(cells)


def _bad_weight(row: int, value: object) -> str:
    """Say why a weight is refused."""
    return (
        f"sample_weight row {row} is {value!r}: weights are repetitions of rows, so each must be "
        "a non-negative integer. Round them, or leave sample_weight out."
    )

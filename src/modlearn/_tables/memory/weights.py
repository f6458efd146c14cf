"""How much each row counts."""

import numbers
from typing import Any

import numpy as np

from modlearn._tables.cells import first_text, floats
from modlearn._tables.memory.source import cells_of, vector
from modlearn.errors import TargetError

__all__ = ["read_votes", "read_weights"]


def read_weights(sample_weight: Any, n_rows: int) -> np.ndarray | None:
    """Read weights (n_rows,) as int64: the number of times a row is repeated; None = once each."""
    if sample_weight is None:
        return None
    values = _read_floats(sample_weight, n_rows, REPETITIONS)
    _check(values, (values >= 0) & (values == np.floor(values)), REPETITIONS)
    if values.sum() >= 2**53:
        raise TargetError(
            f"The sample weights add up to {values.sum():.3g}, 2**53 or more: divide them all by "
            "the same number."
        )
    return values.astype(np.int64)


def read_votes(sample_weight: Any, n_rows: int) -> np.ndarray | None:
    """Read weights (n_rows,) as float64 up to 1: how much a row's vote counts; None = all alike."""
    if sample_weight is None:
        return None
    values = _read_floats(sample_weight, n_rows, VOTES)
    _check(values, values >= 0, VOTES)
    # Only their ratios matter; at most 1, they can be added and multiplied without overflow.
    votes = np.ldexp(values, -np.frexp(values.max())[1])
    return np.where(values > 0, np.maximum(votes, LEAST_VOTE), 0.0)


LEAST_VOTE = 2.0**-900
"""What is divided by this does not overflow; beside a vote of 1 it counts for nothing anyway."""


REPETITIONS = (
    "weights are repetitions of rows, so each must be a non-negative integer. Round them, or leave "
    "sample_weight out."
)
VOTES = "weights must be finite and not negative. Replace it, or leave sample_weight out."


def _read_floats(sample_weight: Any, n_rows: int, remedy: str) -> np.ndarray:
    """Weights (n_rows,) as floats, NaN = missing."""
    if isinstance(sample_weight, str):
        raise TargetError(f"sample_weight is {sample_weight!r}: give one number per row.")
    if isinstance(sample_weight, numbers.Real):
        sample_weight = np.full(n_rows, sample_weight)
    source = vector(sample_weight, "sample_weight", warn=False)
    if len(source) != n_rows:
        raise ValueError(
            f"sample_weight has {len(source)} rows but X has {n_rows}: give one weight per row."
        )
    cells = cells_of(source, "sample_weight")
    text = first_text(cells)
    if text is not None:
        raise TargetError(f"sample_weight row {text[0]} is {text[1]!r}: {remedy}")
    return floats(cells)


def _check(values: np.ndarray, allowed: np.ndarray, remedy: str) -> None:
    """Raise for the first weight that cannot be used, or when none is positive."""
    bad = ~(allowed & np.isfinite(values))
    if bad.any():
        row = int(np.argmax(bad))
        raise TargetError(f"sample_weight row {row} is {float(values[row])!r}: {remedy}")
    if not values.any():
        raise TargetError(
            "All sample weights are zero: give at least one row a positive sample_weight."
        )

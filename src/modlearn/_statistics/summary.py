"""What a column looks like before anything is learned from it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["ColumnSummary", "summarize_categories", "summarize_numbers"]

SAMPLE = 1_000
"""Rows that show whether one value may be in nearly all rows."""


@dataclass(frozen=True)
class ColumnSummary:
    """A column in a few numbers.

    Parameters
    ----------
    n_missing : int
        Rows without a value.
    n_distinct : int or None
        Number of distinct values; None = not counted.
    common : object
        A value that many rows share, if there is one; None also stands for missing.
    common_share : float
        Share of rows that have it.
    increases : bool
        Whether the column holds whole numbers that grow from row to row, as a row number does.
    """

    n_missing: int
    n_distinct: int | None
    common: Any
    common_share: float
    increases: bool


def summarize_categories(codes: NDArray[np.int32], categories: Sequence[Hashable]) -> ColumnSummary:
    """Summarize a column of categories; missing may be its most common value."""
    rows = np.bincount(codes + 1, minlength=len(categories) + 1)
    common = int(rows.argmax())
    return ColumnSummary(
        n_missing=int(rows[0]),
        n_distinct=int(np.count_nonzero(rows[1:])),
        common=None if common == 0 else categories[common - 1],
        common_share=float(rows[common] / len(codes)),
        increases=False,
    )


def summarize_numbers(
    values: NDArray[np.float64], count_distinct: bool, may_number_rows: bool
) -> ColumnSummary:
    """Summarize a column of numbers; to count the distinct ones takes a sort."""
    missing = np.isnan(values)
    n_missing = int(np.count_nonzero(missing))
    common, share = _common_number(values, missing)
    present = values[~missing] if n_missing else values
    n_distinct = len(np.unique(present)) if count_distinct else 1 if share == 1.0 else None
    increases = may_number_rows and not n_missing and _increases(values)
    return ColumnSummary(n_missing, n_distinct, common, share, increases)


def _common_number(
    values: NDArray[np.float64], missing: NDArray[np.bool_]
) -> tuple[float | None, float]:
    """A number (None = missing) that most rows share, and its share; 0 if a sample shows none."""
    step = max(1, len(values) // SAMPLE)
    sample, rows = np.unique(values[::step], return_counts=True)
    common = float(sample[rows.argmax()])
    if 2 * rows.max() < rows.sum():
        return None, 0.0
    if np.isnan(common):
        return None, float(np.mean(missing))
    return common, float(np.mean(values == common))


def _increases(values: NDArray[np.float64]) -> bool:
    """Whether whole numbers grow from row to row, as an index does."""

    def grow(some: NDArray[np.float64]) -> bool:
        # Not a difference, which two infinite values do not have.
        return bool(np.all(some[1:] > some[:-1])) and bool(np.all(some == np.floor(some)))

    # The first rows settle it for nearly all columns.
    return grow(values[:SAMPLE]) and grow(values)

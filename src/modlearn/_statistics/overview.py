"""What a column holds: missing and distinct values, quantiles, and a small histogram."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["QUANTILES", "ColumnOverview", "overview_of_categories", "overview_of_numbers"]

QUANTILES = {"least": 0.0, "q25": 0.25, "median": 0.5, "q75": 0.75, "most": 1.0}

BINS = 12
"""Number of bars of a histogram."""


@dataclass(frozen=True)
class ColumnOverview:
    """What a column holds.

    Parameters
    ----------
    n_missing, n_distinct : int
        Number of rows without a value, and of distinct values; None = they were not counted.
    quantiles : tuple of float, default=()
        Values of the column at the shares of QUANTILES; dates and durations in microseconds. Empty
        for categories, and if no value is finite.
    histogram : tuple of int, default=()
        Rows in equal parts of the range; for categories, rows of the most frequent values.
    values : tuple of hashable, default=()
        The most frequent values of a column of categories, in the order of the histogram.
    """

    n_missing: int
    n_distinct: int | None
    quantiles: tuple[float, ...] = ()
    histogram: tuple[int, ...] = ()
    values: tuple[Hashable, ...] = ()


def overview_of_numbers(values: NDArray[np.float64]) -> ColumnOverview:
    """Return what a column of numbers (n,) holds, NaN = missing."""
    present = np.sort(values[~np.isnan(values)])
    n_distinct = int(np.count_nonzero(present[1:] != present[:-1])) + bool(len(present))
    finite = present[np.isfinite(present)]
    n_missing = len(values) - len(present)
    if not len(finite):
        return ColumnOverview(n_missing, n_distinct)
    # Values that occur, rather than averages of two: a date between two dates would mislead.
    ranks = np.rint(np.array(list(QUANTILES.values())) * (len(finite) - 1)).astype(np.int64)
    share = np.linspace(0, 1, BINS + 1)
    # Not least + share * range, which overflows for the largest floats.
    bounds = (1 - share) * finite[0] + share * finite[-1]
    below = np.searchsorted(finite, bounds[1:-1], side="right")
    histogram = np.diff(np.concatenate(([0], below, [len(finite)])))
    if finite[0] == finite[-1]:
        histogram = np.array([len(finite)])
    return ColumnOverview(
        n_missing, n_distinct, tuple(finite[ranks].tolist()), tuple(histogram.tolist())
    )


def overview_of_categories(
    codes: NDArray[np.int32], categories: Sequence[Hashable]
) -> ColumnOverview:
    """Return what a column of categories holds, from the index (n,) of each row's, -1 = missing."""
    rows = np.bincount(codes[codes >= 0], minlength=len(categories))
    order = np.argsort(-rows, kind="stable")[:BINS]
    return ColumnOverview(
        n_missing=int(np.count_nonzero(codes < 0)),
        n_distinct=int(np.count_nonzero(rows)),
        histogram=tuple(rows[order].tolist()),
        values=tuple(categories[i] for i in order.tolist()),
    )

"""Summaries of columns, computed before anything is learned from them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from modlearn._views import VIEW_FAMILIES
from modlearn.schema import ORDERED, Kind, View

__all__ = ["ColumnSummary", "summarize_categories", "summarize_numbers"]

SAMPLE = 1_000
"""Size of the sample that shows whether one value may be in nearly all rows."""

COMPARED = 200
"""Number of rows that show which columns may be duplicates."""


@dataclass(frozen=True)
class ColumnSummary:
    """A few numbers that describe a column."""

    n_missing: int  # number of rows without a value
    n_distinct: int | None  # number of distinct values; None = not counted
    common: Any  # a value that many rows share, if there is one; None also stands for missing
    common_share: float  # share of rows that have it
    # Whether the column holds integers that grow from row to row, like a row number.
    increases: bool
    # The values of some rows, the same rows in every column; categories are numbered in order of
    # appearance. Columns with different signatures are not duplicates.
    signature: bytes
    views: tuple[View, ...] = ()  # the views that are worth learning from
    # Number of distinct values before and after rounding to float64, if it made some equal.
    merged: tuple[int, int] | None = None


def summarize_categories(
    codes: NDArray[np.int32], categories: Sequence[Hashable], kind: Kind
) -> ColumnSummary:
    """Summarize a column of categories; missing may be its most common value."""
    rows = np.bincount(codes + 1, minlength=len(categories) + 1)
    common = int(rows.argmax())
    return ColumnSummary(
        n_missing=int(rows[0]),
        n_distinct=int(np.count_nonzero(rows[1:])),
        common=None if common == 0 else categories[common - 1],
        common_share=float(rows[common] / len(codes)),
        increases=False,
        signature=_signature(codes),
        views=tuple(
            view
            for family in VIEW_FAMILIES
            if family.source_kind is kind and kind not in ORDERED
            for view in family.offered(_values(codes, categories))
        ),
    )


def summarize_numbers(
    values: NDArray[np.float64], count_distinct: bool, kind: Kind
) -> ColumnSummary:
    """Summarize a column of numbers; distinct values, which would need a sort, are not counted."""
    missing = np.isnan(values)
    n_missing = int(np.count_nonzero(missing))
    common, share = _common_number(values, missing)
    present = values[~missing] if n_missing else values
    n_distinct = len(np.unique(present)) if count_distinct else 1 if share == 1.0 else None
    increases = kind is Kind.NUMERIC and not n_missing and _increases(values)
    signature = values[_some_rows(len(values))].tobytes()
    views = tuple(
        view
        for family in VIEW_FAMILIES
        if family.source_kind is kind
        for view in family.offered(present)
    )
    return ColumnSummary(n_missing, n_distinct, common, share, increases, signature, views)


def _values(codes: NDArray[np.int32], categories: Sequence[Hashable]) -> NDArray[Any]:
    """Return the categories of the rows that have one."""
    found = np.empty(len(categories), dtype=object)
    found[:] = categories
    return found[codes[codes >= 0]]


def _signature(codes: NDArray[np.int32]) -> bytes:
    """Return the categories of some rows, numbered in order of appearance."""
    order: dict[int, int] = {}
    some = codes[_some_rows(len(codes))].tolist()
    return np.array([order.setdefault(code, len(order)) for code in some]).tobytes()


def _some_rows(n_rows: int) -> slice:
    return slice(None, None, max(1, n_rows // COMPARED))


def _common_number(
    values: NDArray[np.float64], missing: NDArray[np.bool_]
) -> tuple[float | None, float]:
    """Return a number (None = missing) that most rows share, and its share; 0 if none does."""
    step = max(1, len(values) // SAMPLE)
    sample, rows = np.unique(values[::step], return_counts=True)
    common = float(sample[rows.argmax()])
    if 2 * rows.max() < rows.sum():
        return None, 0.0
    if np.isnan(common):
        return None, float(np.mean(missing))
    return common, float(np.mean(values == common))


def _increases(values: NDArray[np.float64]) -> bool:
    """Whether integers grow from row to row, like an index."""

    def grow(some: NDArray[np.float64]) -> bool:
        # Compare instead of subtracting: two infinite values have no difference.
        return bool(np.all(some[1:] > some[:-1])) and bool(np.all(some == np.floor(some)))

    # The first rows decide for nearly all columns.
    return grow(values[:SAMPLE]) and grow(values)

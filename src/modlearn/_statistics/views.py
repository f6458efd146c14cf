"""Columns that are computed from others, for the rows of a batch."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from modlearn._statistics.batches import Batch
from modlearn.schema import ORDERED, Column

__all__ = ["categories_of_view", "numbers_of_view"]


def numbers_of_view(column: Column, batch: Batch) -> NDArray[np.float64]:
    """Return the number of each row; NaN = missing."""
    view = column.view
    assert view is not None
    if view.source_kind in ORDERED:
        values = batch.numeric(column.source)
        known = np.isfinite(values)
        result = np.full(len(values), np.nan)
        result[known] = view.numbers(values[known])
        return result
    codes, categories = batch.categorical(column.source)
    texts = np.empty(len(categories), dtype=object)
    texts[:] = categories
    # Missing values have the code -1, the last entry.
    found: NDArray[np.float64] = np.append(view.numbers(texts), np.nan)[codes]
    return found


def categories_of_view(column: Column, batch: Batch) -> tuple[NDArray[np.int32], tuple[str, ...]]:
    """Return the category of each row as a code, -1 = missing, and the sorted categories."""
    assert column.view is not None
    names = column.view.categories
    numbers = numbers_of_view(column, batch)
    order = sorted(range(len(names)), key=names.__getitem__)
    rank = np.argsort(order)
    missing = np.isnan(numbers)
    codes = rank[np.where(missing, 0, numbers).astype(np.intp)].astype(np.int32)
    codes[missing] = -1
    return codes, tuple(names[i] for i in order)

"""Count the values of a categorical column per class."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array

from modlearn._statistics.counts import CategoryCounts

__all__ = ["count_categories"]


def count_categories(
    codes: NDArray[np.int32],
    classes: NDArray[np.int32],
    weights: NDArray[np.int64] | None,
    n_classes: int,
) -> tuple[CategoryCounts, NDArray[np.intp]]:
    """Rows per value and class among labeled rows, and which codes the counted values have.

    Missing, code -1, is a value like any other. Values without a labeled row are left out: the
    criterion knows nothing of them.
    """
    n_codes = int(codes.max(initial=-1)) + 2
    counted = classes < n_classes
    rows = np.ones(len(codes), dtype=np.int64) if weights is None else weights
    if weights is not None:
        counted &= weights > 0
    if not counted.all():
        codes, classes, rows = codes[counted], classes[counted], rows[counted]
    table = coo_array((rows, (codes + 1, classes)), shape=(n_codes, n_classes)).tocsr()
    occurring = np.flatnonzero(np.diff(table.indptr))
    pointer = np.append(table.indptr[occurring], table.indptr[-1]).astype(np.int64)
    counts = CategoryCounts(
        pointer, table.indices.astype(np.int32), table.data.astype(np.int64), n_classes
    )
    return counts, occurring - 1

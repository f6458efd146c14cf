"""What engines count, in plain NumPy: the slow twins of their scans.

NaN stands for NULL.
"""

from collections import Counter

import numpy as np

__all__ = ["bins_twin", "cells_twin", "windows_twin"]


def bins_twin(values, edges, groups, n_groups):
    """Rows by bin and group, shape (E + 2, n_groups); bin 0 holds NULL."""
    found = np.zeros((len(edges) + 2, n_groups), dtype=np.int64)
    np.add.at(found, (bins_of(values, edges), groups), 1)
    return found


def windows_twin(values, edges, groups):
    """Values, groups and numbers of rows with low < value <= high for a pair (low, high)."""
    inside = np.zeros(len(values), dtype=bool)
    for low, high in np.reshape(edges, (-1, 2)):
        inside |= (low < values) & (values <= high)
    rows = Counter(zip((values[inside] + 0.0).tolist(), groups[inside].tolist(), strict=True))
    kept = sorted(rows)
    return (
        np.array([value for value, _ in kept], dtype=np.float64),
        np.array([group for _, group in kept], dtype=np.int64),
        np.array([rows[row] for row in kept], dtype=np.int64),
    )


def cells_twin(columns, edges, groups, n_groups, pairs, n_bins):
    """Rows of pairs of columns by both bins and group, shape (P, n_bins, n_bins, n_groups)."""
    found = np.zeros((len(pairs), n_bins, n_bins, n_groups), dtype=np.int64)
    for cells, (a, b) in zip(found, pairs, strict=True):
        bins = bins_of(columns[a], edges[a]), bins_of(columns[b], edges[b])
        np.add.at(cells, (*bins, groups), 1)
    return found


def bins_of(values, edges):
    """Bin of each value: 0 for NULL, otherwise 1 + the number of edges below it."""
    return np.where(np.isnan(values), 0, 1 + np.searchsorted(edges, values, side="left"))

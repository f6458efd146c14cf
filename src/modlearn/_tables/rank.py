"""Ranks of the values of a NumPy array among its distinct values, without sorting when possible."""

from collections.abc import Iterator

import numpy as np

__all__ = ["rank_values"]

# Rows handled at a time: the shifted integers of one block stay in the processor's cache.
BLOCK = 1 << 16


def rank_values(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Ranks (n,) int32 and distinct values, ascending; kind b, i, u, f, M or m, nothing missing."""
    values = values.astype(values.dtype.newbyteorder("="), copy=False)
    kind = values.dtype.kind
    if kind == "f":
        return _rank_floats(values)
    if kind == "b":
        ranks, distinct = _rank_integers(values.view(np.uint8))
        return ranks, distinct.astype(bool)
    if kind in "Mm":
        ranks, distinct = _rank_integers(values.view(np.int64))
        return ranks, distinct.view(values.dtype)
    return _rank_integers(values)


def _rank_floats(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rank floats; integers stored as floats (labels beside a NaN) take the integers' short cut."""
    if values.size and _spans_few(values):
        whole = values.astype(np.int64)
        if np.array_equal(whole, values):
            ranks, distinct = _rank_integers(whole)
            return ranks, distinct.astype(values.dtype)
    ranks, distinct = _rank_sorted(values)
    return ranks, distinct + 0.0  # -0.0 and 0.0 are equal: which came first must not show


def _rank_integers(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rank integers by a lookup table when they span few values, else by sorting."""
    return _rank_by_lookup(values) if values.size and _spans_few(values) else _rank_sorted(values)


def _rank_sorted(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rank by sorting."""
    distinct, ranks = np.unique(values, return_inverse=True)
    return ranks.astype(np.int32), distinct


def _spans_few(values: np.ndarray) -> bool:
    """Tell whether a table from the least to the greatest value is about as small as the column."""
    low, high = values.min().item(), values.max().item()
    return bool(high - low <= 2 * values.size + BLOCK and -(2**62) < low <= high < 2**62)


def _rank_by_lookup(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rank integers in two passes: mark what occurs, then look each rank up."""
    low, high = int(values.min()), int(values.max())
    seen = np.zeros(high - low + 1, dtype=bool)
    for _, offsets in _offsets(values, low):
        seen[offsets] = True
    found = np.flatnonzero(seen)
    lookup = np.zeros(seen.size, dtype=np.int32)
    lookup[found] = np.arange(found.size)
    ranks = np.empty(values.size, dtype=np.int32)
    for rows, offsets in _offsets(values, low):
        np.take(lookup, offsets, out=ranks[rows], mode="clip")
    return ranks, (found + low).astype(values.dtype)


def _offsets(values: np.ndarray, low: int) -> Iterator[tuple[slice, np.ndarray]]:
    """Blocks of rows with their values counted from the least one, as int64."""
    for start in range(0, values.size, BLOCK):
        rows = slice(start, start + BLOCK)
        yield rows, np.subtract(values[rows], low, dtype=np.int64, casting="unsafe")

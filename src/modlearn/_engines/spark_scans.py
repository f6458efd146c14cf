"""What Spark's workers do in a scan: partial counts of a partition, from batches of Arrow.

The functions travel to the workers by value, edges included, where modlearn need not be installed:
they use NumPy and PyArrow alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

__all__ = ["CELLS", "WINDOWS", "Scanner", "bins_scanner", "cells_scanner", "windows_scanner"]

Batches: TypeAlias = Iterator[Any]
"""Batches of Arrow: the columns to count, and the group of each row as the last one."""

Scanner: TypeAlias = Callable[[Batches], Batches]
"""From the batches of a partition to batches of its counts."""

Cells: TypeAlias = tuple[int, NDArray[np.int64]]
"""A number, and the cells of rows, counted from that number."""

CELLS = "cell BIGINT, n BIGINT"
"""What scanners of bins and of cells return: the number of a cell, and its rows."""

WINDOWS = "c INT, v DOUBLE, g INT, n BIGINT"
"""What scanners of windows return: column, value, group, and rows."""

MOST_CELLS = 2**24
"""As many cells are counted in an array (128 MB); of more, those that occur."""

MOST_PENDING = 2**21
"""Cells or values that wait to be counted together; what has been counted then leaves."""

ROWS_PER_BATCH = 2**16


def bins_scanner(edges: Sequence[NDArray[np.float64]], n_groups: int) -> Scanner:
    """Count rows by bin and group; the cells of a column follow those of the one before."""
    starts = np.cumsum([0, *((len(some) + 2) * n_groups for some in edges)]).tolist()

    def cells_of(batch: Any) -> Iterator[Cells]:
        groups = _groups(batch)
        for k, some in enumerate(edges):
            values = _doubles(batch, k)
            # Sorted values are found faster: each search starts where the one before ended.
            order = np.argsort(values)
            yield starts[k], _bins(values[order], some) * n_groups + groups[order]

    return lambda batches: _count(map(cells_of, batches), starts[-1])


def cells_scanner(
    edges: Sequence[NDArray[np.float64]], n_groups: int, pairs: NDArray[np.int64], n_bins: int
) -> Scanner:
    """Count rows by both bins of pairs of columns and group: (pair, bin, bin, group)."""
    used = sorted(set(pairs.ravel().tolist()))
    n_cells = n_bins * n_bins * n_groups

    def cells_of(batch: Any) -> Iterator[Cells]:
        groups = _groups(batch)
        second = {k: _bins(_doubles(batch, k), edges[k]) * n_groups for k in used}
        first = {k: bins * n_bins + groups for k, bins in second.items()}
        for p, (one, other) in enumerate(pairs.tolist()):
            yield p * n_cells, first[one] + second[other]

    return lambda batches: _count(map(cells_of, batches), len(pairs) * n_cells)


def windows_scanner(edges: Sequence[NDArray[np.float64]]) -> Scanner:
    """Count rows by value and group inside the windows of each column."""

    def rows_of(batch: Any) -> Iterator[tuple[NDArray[Any], NDArray[Any], NDArray[Any]]]:
        groups = _groups(batch)
        for k, some in enumerate(edges):
            values = _doubles(batch, k)
            # The number of edges below a value is odd inside a window; NaN is above all edges.
            inside = np.searchsorted(some, values, side="left") % 2 == 1
            inside &= ~np.isnan(values)
            if inside.any():
                yield np.full(inside.sum(), k), values[inside], groups[inside]

    def scan(batches: Batches) -> Batches:
        for some in _gathered(rows for batch in batches for rows in rows_of(batch)):
            yield from _windows(*(np.concatenate(part) for part in zip(*some, strict=True)))

    return scan


def _doubles(batch: Any, k: int) -> NDArray[np.float64]:
    """Return a column, NaN for NULL."""
    return np.asarray(batch.column(k).to_numpy(zero_copy_only=False), dtype=np.float64)


def _groups(batch: Any) -> NDArray[np.int64]:
    last = batch.column(batch.num_columns - 1)
    return np.asarray(last.to_numpy(zero_copy_only=False)).astype(np.int64)


def _bins(values: NDArray[np.float64], edges: NDArray[np.float64]) -> NDArray[np.int64]:
    """Return the bin of each value; 0 for NaN."""
    found = np.searchsorted(edges, values, side="left").astype(np.int64)
    found += 1
    found[np.isnan(values)] = 0
    return found


def _count(found: Iterable[Iterator[Cells]], n_cells: int) -> Batches:
    """Count the rows of each cell."""
    every = (cells for some in found for cells in some)
    if n_cells <= MOST_CELLS:
        counts = np.zeros(n_cells, dtype=np.int64)
        for start, cells in every:
            np.add.at(counts[start:], cells, 1)
        occurring = np.flatnonzero(counts)
        yield from _batches({"cell": occurring, "n": counts[occurring]})
        return
    for some in _gathered((start + cells,) for start, cells in every):
        cells, n = np.unique(np.concatenate([cells for (cells,) in some]), return_counts=True)
        yield from _batches({"cell": cells, "n": n})


def _gathered(
    every: Iterable[tuple[NDArray[Any], ...]],
) -> Iterator[list[tuple[NDArray[Any], ...]]]:
    """Return arrays in lists of about MOST_PENDING elements: memory stays bounded."""
    pending: list[tuple[NDArray[Any], ...]] = []
    n_pending = 0
    for arrays in every:
        pending.append(arrays)
        n_pending += len(arrays[0])
        if n_pending >= MOST_PENDING:
            yield pending
            pending, n_pending = [], 0
    if pending:
        yield pending


def _windows(columns: NDArray[Any], values: NDArray[Any], groups: NDArray[Any]) -> Batches:
    """Count equal rows."""
    order = np.lexsort((groups, values, columns))
    rows = [part[order] for part in (columns, values, groups)]
    differ = np.logical_or.reduce([part[1:] != part[:-1] for part in rows])
    starts = np.flatnonzero(np.concatenate([[True], differ]))
    c, v, g = (part[starts] for part in rows)
    n = np.diff(np.append(starts, len(order)))
    yield from _batches({"c": c.astype(np.int32), "v": v, "g": g.astype(np.int32), "n": n})


def _batches(columns: dict[str, NDArray[Any]]) -> Batches:
    table = pa.table({name: pa.array(values) for name, values in columns.items()})
    yield from table.to_batches(max_chunksize=ROWS_PER_BATCH)

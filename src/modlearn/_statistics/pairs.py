"""Rows of two columns and a class, as a grid search needs them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from modlearn._statistics.cell_counts import count_cells

__all__ = ["Axis", "PairCounts", "distinct_keys"]


@dataclass(frozen=True)
class Axis:
    """One column: which of its distinct values every row holds."""

    # (n,), value of every row; values of a numeric column are numbered in increasing order,
    # missing first.
    codes: NDArray[np.int32]
    n_values: int  # V, the number of distinct values
    ordered: bool  # whether parts are intervals; otherwise they are groups

    @cached_property
    def order(self) -> NDArray[np.intp]:
        """Rows by increasing value, shape (n,)."""
        return np.argsort(self.codes, kind="stable")

    def coarse(self, most_values: int, rows: NDArray[np.int64] | None) -> NDArray[np.int32]:
        """Return the number of the run that every value falls in, shape (V,).

        Runs have about equally many rows; if values are few or not ordered, each is one run.
        """
        if not self.ordered or self.n_values <= most_values:
            return np.arange(self.n_values, dtype=np.int32)
        counts = np.bincount(self.codes, rows, self.n_values)
        middles = np.cumsum(counts) - counts / 2
        runs = (middles * (most_values / counts.sum())).astype(np.int32)
        return np.unique(runs, return_inverse=True)[1].astype(np.int32)


@dataclass(frozen=True)
class PairCounts:
    """Labeled rows of two columns."""

    axes: tuple[Axis, Axis]
    classes: NDArray[np.int32]  # (n,), class of every row
    rows: NDArray[np.int64] | None  # (n,), number of rows that each row stands for; None = one
    n_classes: int  # J, the number of classes

    @cached_property
    def n_rows(self) -> int:
        """N, the number of rows."""
        return len(self.classes) if self.rows is None else int(self.rows.sum())

    def is_one_to_one(self) -> bool:
        """Whether each value of one column occurs with only one value of the other.

        Values of two ordered columns must also have the same order.
        """
        first, second = self.axes
        if first.n_values != second.n_values:
            return False
        if first.ordered and second.ordered:
            return bool(np.array_equal(first.codes, second.codes))
        keys = first.codes.astype(np.int64) * second.n_values + second.codes
        return len(np.unique(keys)) == first.n_values

    def counted(self, parts: tuple[NDArray[np.intp], NDArray[np.intp]]) -> NDArray[np.int64]:
        """Count rows per cell and class, shape (I1, I2, J), from the part of every value."""
        codes = self.axes[0].codes, self.axes[1].codes
        return count_cells(parts, codes, self.classes, self.rows, self.n_classes)

    def merged(self) -> PairCounts:
        """Return rows that agree in both values and class as one row with a weight."""
        sizes = [axis.n_values for axis in self.axes]
        if max(sizes) == len(self.classes):
            return self  # no value occurs twice
        merged, _ = self.coarse(max(sizes))
        # If no two rows agree, keep this pair, which shares arrays such as the row order.
        return merged if len(merged.classes) < len(self.classes) else self

    def coarse(self, most_values: int) -> tuple[PairCounts, tuple[NDArray[np.int32], ...]]:
        """Return rows that agree in runs of values and class as one; and the run of every value."""
        runs = tuple(axis.coarse(most_values, self.rows) for axis in self.axes)
        sizes = [int(r.max()) + 1 for r in runs]
        first, second = (
            axis.codes if size == axis.n_values else run[axis.codes]
            for run, size, axis in zip(runs, sizes, self.axes, strict=True)
        )
        cell = first.astype(np.int64) * sizes[1] + second
        key = cell * self.n_classes + self.classes
        cells, rows = distinct_keys(key, self.rows, sizes[0] * sizes[1] * self.n_classes)
        cells, classes = np.divmod(cells, self.n_classes)
        codes = [c.astype(np.int32) for c in np.divmod(cells, sizes[1])]
        axes = [
            Axis(c, size, axis.ordered)
            for c, size, axis in zip(codes, sizes, self.axes, strict=True)
        ]
        pair = PairCounts((axes[0], axes[1]), classes.astype(np.int32), rows, self.n_classes)
        return pair, runs


def distinct_keys(
    keys: NDArray[np.int64], rows: NDArray[np.int64] | None, n_keys: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the distinct keys, increasing, and the number of rows of each."""
    if n_keys <= 4 * len(keys):
        counts = np.bincount(keys, rows, n_keys).astype(np.int64)
        found = np.flatnonzero(counts)
        return found, counts[found]
    if rows is None:
        found, counts = np.unique(keys, return_counts=True)
        return found, counts.astype(np.int64)
    found, inverse = np.unique(keys, return_inverse=True)
    return found, np.bincount(inverse, rows).astype(np.int64)

"""Rows by the batch: what scoring reads, and the parts that rows fall in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from modlearn.schema import Kind

__all__ = ["Batch", "LabeledBatch", "RowParts", "keep_shared"]


class Batch(Protocol):
    """Some rows, whose columns are read by name when they are needed, by any thread."""

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        ...

    def kind(self, name: Hashable) -> Kind:
        """Return what the values of a column are: numbers, instants or lengths of time."""
        ...

    def numeric(self, name: Hashable) -> NDArray[np.float64]:
        """Return the values of a column, shape (n,); NaN = missing."""
        ...

    def categorical(self, name: Hashable) -> tuple[NDArray[np.int32], tuple[Hashable, ...]]:
        """Return the codes of a column, shape (n,), -1 = missing; and its categories."""
        ...


class LabeledBatch(Batch, Protocol):
    """A batch with the class of each row, and its position in the table."""

    @property
    def labels(self) -> NDArray[np.int32]:
        """Class of every row, shape (n,); the number of classes = unlabeled."""
        ...

    @property
    def row_numbers(self) -> NDArray[np.intp]:
        """Position of every row in the table, shape (n,)."""
        ...

    def at(self, positions: NDArray[np.intp]) -> LabeledBatch:
        """Return some of the rows, by their positions in the batch."""
        ...


class RowParts(Protocol):
    """Parts that rows fall in: intervals, groups, or cells of a grid.

    In memory they are asked for codes. They are plain data, too, from which an engine makes SQL:
    the cuts of Intervals, the groups of Groups, the axes of a Grid, the kinds of LeftOutAxis.
    """

    @property
    def columns(self) -> tuple[Hashable, ...]:
        """Names of the columns that the part of a row depends on."""
        ...

    def codes_in(self, batch: Batch) -> NDArray[np.int32]:
        """Return the part of every row, shape (n,); -1 = a value not in the training data."""
        ...


def keep_shared(batch: Batch, parts: Sequence[RowParts]) -> Batch:
    """Return a batch that reads a column only once if several parts need it."""
    uses = Counter(name for one in parts for name in one.columns)
    shared = {name for name, n in uses.items() if n > 1}
    return _BatchCache(batch, shared) if shared else batch


class _BatchCache:
    """A batch that caches some of its columns."""

    def __init__(self, batch: Batch, names: set[Hashable]) -> None:
        self.batch, self.names, self.n_rows = batch, names, batch.n_rows
        # Two threads may both read a column: their results are equal.
        self.numbers: dict[Hashable, NDArray[np.float64]] = {}
        self.categories: dict[Hashable, tuple[NDArray[np.int32], tuple[Hashable, ...]]] = {}

    def kind(self, name: Hashable) -> Kind:
        return self.batch.kind(name)

    def numeric(self, name: Hashable) -> NDArray[np.float64]:
        if name not in self.names:
            return self.batch.numeric(name)
        if name not in self.numbers:
            self.numbers[name] = self.batch.numeric(name)
        return self.numbers[name]

    def categorical(self, name: Hashable) -> tuple[NDArray[np.int32], tuple[Hashable, ...]]:
        if name not in self.names:
            return self.batch.categorical(name)
        if name not in self.categories:
            self.categories[name] = self.batch.categorical(name)
        return self.categories[name]

"""A table in memory as a batch: its columns by the names that a model has for them."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np
from numpy.typing import NDArray

from modlearn._tables.memory.table import Table
from modlearn.schema import Kind

__all__ = ["TableBatch"]


class TableBatch:
    """A batch of all rows of a table.

    Parameters
    ----------
    table : Table
        The rows.
    names : sequence of hashable, default=None
        What the columns are called here, in the order of the table; None = as in the table.
    """

    def __init__(self, table: Table, names: Sequence[Hashable] | None = None) -> None:
        self.table = table
        self.n_rows = table.n_rows
        self._index = {name: i for i, name in enumerate(table.names if names is None else names)}
        self._kinds: dict[Hashable, Kind] = {}

    def kind(self, name: Hashable) -> Kind:
        """What the numbers of a column stand for."""
        if name not in self._kinds:
            self.numeric(name)
        return self._kinds[name]

    def numeric(self, name: Hashable) -> NDArray[np.float64]:
        """Values of a column; ``ColumnError`` where it holds text."""
        column = self.table.numeric(self._index[name])
        self._kinds[name] = Kind(column.kind)
        return column.values

    def categorical(self, name: Hashable) -> tuple[NDArray[np.int32], tuple[Hashable, ...]]:
        """Codes of a column, and its categories."""
        column = self.table.categorical(self._index[name])
        return column.codes, column.categories

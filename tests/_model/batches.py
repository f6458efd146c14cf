"""Rows written down by hand."""

from collections.abc import Hashable

import numpy as np

from modlearn.schema import Kind


class ListedBatch:
    """A batch of columns that are lists; it counts how often each is read."""

    def __init__(self, columns: dict[Hashable, list], kind: Kind = Kind.NUMERIC) -> None:
        self.columns, self.kind_of_all = columns, kind
        self.n_rows = len(next(iter(columns.values())))
        self.reads: list[Hashable] = []

    def kind(self, name):
        return self.kind_of_all

    def numeric(self, name):
        self.reads.append(name)
        return np.array(self.columns[name], dtype=np.float64)

    def categorical(self, name):
        self.reads.append(name)
        values = self.columns[name]
        categories = tuple(sorted({value for value in values if value is not None}))
        codes = [-1 if value is None else categories.index(value) for value in values]
        return np.array(codes, dtype=np.int32), categories

"""Rows in memory: what a frame, an array or a table read from a file says of its columns."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from modlearn._parallel import map_in_threads
from modlearn._statistics.categories import CategoryCounts, count_categories
from modlearn._statistics.numeric import NumericCounts, count_numbers
from modlearn._statistics.sorting import sort_with_payload
from modlearn._statistics.views import categories_of_view, numbers_of_view
from modlearn._tables.memory.table import CategoricalColumn, NumericColumn, Table
from modlearn._tables.memory.target import Target
from modlearn.schema import Column, Kind, Schema, TargetSpec

# Imported late: to partition single columns takes none of this.
if TYPE_CHECKING:
    from modlearn._statistics.batches import LabeledBatch, RowParts
    from modlearn._statistics.pairs import Axis, PairCounts
    from modlearn._statistics.profiles import Profiles
    from modlearn._statistics.rows import Bins, Division, Pair, Split
    from modlearn._statistics.summary import ColumnSummary

__all__ = ["MemoryBins", "MemoryRows", "RowBatch", "TableBatch"]


class TableBatch:
    """A batch of all rows of a table.

    `names` are what the columns are called here, in the order of the table; None = as in the table.
    What is read of a column is kept for repeated use if the batch `keeps` it. `views` are columns
    that are computed from those of the table, by name.
    """

    def __init__(
        self,
        table: Table,
        names: Sequence[Hashable] | None = None,
        keeps: bool = False,
        views: Mapping[Hashable, Column] | None = None,
    ) -> None:
        self.table = table
        self.n_rows = table.n_rows
        self.views = dict(views or {})
        self._index = {name: i for i, name in enumerate(table.names if names is None else names)}
        self._keeps = keeps
        # Two threads may both read a column: their results are equal.
        self._kinds: dict[Hashable, Kind] = {}
        # Distinct values before and after rounding, where that made some equal; otherwise None.
        self.merged: dict[Hashable, tuple[int, int] | None] = {}
        self._numbers: dict[Hashable, NumericColumn] = {}
        self._categories: dict[Hashable, CategoricalColumn] = {}

    def kind(self, name: Hashable) -> Kind:
        """What the numbers of a column stand for."""
        if name not in self._kinds:
            self.numeric(name)
        return self._kinds[name]

    def numeric(self, name: Hashable) -> NDArray[np.float64]:
        """Values of a column; ``ColumnError`` where it holds text."""
        column = self._numbers.get(name)
        if column is None:
            column = self._read_numbers(name)
            self._kinds[name], self.merged[name] = column.kind, column.merged
            if self._keeps:
                self._numbers[name] = column
        return column.values

    def categorical(self, name: Hashable) -> tuple[NDArray[np.int32], tuple[Hashable, ...]]:
        """Codes of a column, and its categories."""
        column = self._categories.get(name)
        if column is None:
            column = self._read_categories(name)
            if self._keeps:
                self._categories[name] = column
        return column.codes, column.categories

    def _read_numbers(self, name: Hashable) -> NumericColumn:
        column = self.views.get(name)
        if column is None:
            return self.table.numeric(self._index[name])
        return NumericColumn(name, column.kind, numbers_of_view(column, self))

    def _read_categories(self, name: Hashable) -> CategoricalColumn:
        column = self.views.get(name)
        if column is None:
            return self.table.categorical(self._index[name])
        return CategoricalColumn(name, *categories_of_view(column, self))


MOST_COUNTED = 5_000_000
"""Cells of a table beyond which distinct numbers are not counted: that takes a sort per column."""

MOST_KEPT = 5_000_000
"""Cells of a table beyond which counts are not kept for the folds, but made again for each."""

Codes = NDArray[np.int32]
RowNumbers = NDArray[np.intp]
FoldNumbers = NDArray[np.uint8] | None
Counting = Callable[[Hashable, "RowBatch", FoldNumbers], Any]


@dataclass(frozen=True, eq=False)
class _FoldCache:
    """What rows share with their folds once they are divided."""

    whole: RowBatch
    folds: NDArray[np.uint8]
    counts: dict[Hashable, NumericCounts | CategoryCounts] = field(default_factory=dict)
    codes: dict[Hashable, Codes] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class RowBatch:
    """Some rows of a table, read by the names of their columns."""

    columns: TableBatch  # all rows of the table
    target: Target  # the class of every row of the table
    subset: RowNumbers | None = None  # the rows; None = all

    @cached_property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.columns.n_rows if self.subset is None else len(self.subset)

    @property
    def labels(self) -> Codes:
        """Class of every row; the number of classes = unlabeled."""
        return self.taken(self.target.codes)

    @property
    def weights(self) -> NDArray[np.int64] | None:
        """How often every row counts; None = once."""
        return None if self.target.weights is None else self.taken(self.target.weights)

    @property
    def row_numbers(self) -> RowNumbers:
        """Position of every row in the table."""
        return np.arange(self.n_rows) if self.subset is None else self.subset

    def kind(self, name: Hashable) -> Kind:
        """What the numbers of a column stand for."""
        return self.columns.kind(name)

    def numeric(self, name: Hashable) -> NDArray[np.float64]:
        """Values of a column; NaN = missing."""
        return self.taken(self.columns.numeric(name))

    def categorical(self, name: Hashable) -> tuple[Codes, tuple[Hashable, ...]]:
        """Codes of a column, -1 = missing, and its categories."""
        codes, categories = self.columns.categorical(name)
        return self.taken(codes), categories

    def at(self, positions: RowNumbers) -> RowBatch:
        """Some of the rows, by their positions in the batch."""
        return RowBatch(self.columns, self.target, self.row_numbers[positions])

    def taken(self, values: NDArray[Any]) -> NDArray[Any]:
        """Values of these rows, from those of all rows of the table."""
        return values if self.subset is None else values[self.subset]


@dataclass(frozen=True, eq=False)
class MemoryBins:
    """Labeled rows by the bins of several columns."""

    codes: NDArray[np.uint8]  # (K, n), bin of every row in each column
    classes: Codes  # (n,), class of every row
    rows: NDArray[np.int64] | None  # (n,), number of rows that each stands for; None = one
    # Number of bins of a column, and of classes.
    n_bins: int
    n_classes: int

    def cells(self, pairs: NDArray[np.int64]) -> NDArray[np.int64]:
        """Count the rows of pairs (P, 2) of columns by bin and class, shape (P, I, I, J)."""
        from modlearn._statistics.cell_counts import count_coarse_cells

        return count_coarse_cells(
            self.codes, self.classes, self.rows, self.n_classes, pairs, self.n_bins
        )


@dataclass(frozen=True, eq=False)
class MemoryRows:
    """All rows of a table in memory, or some of them."""

    schema: Schema
    batch: RowBatch
    target: TargetSpec  # the classes and their rows
    divided: _FoldCache | None = None  # what these rows share with the folds of the same table
    # The fold that these rows are without: their counts are those of all rows minus it.
    fold: int | None = None
    counting: ClassVar[None] = None  # no engine counts them
    scorer: ClassVar[None] = None  # they are read in batches

    @classmethod
    def of(
        cls,
        table: Table,
        schema: Schema,
        target: Target,
        name: Hashable | None = None,
        keeps: bool = False,
    ) -> MemoryRows:
        """Return all rows of a table; `keeps` = what is read is kept, as it will be used again."""
        batch = RowBatch(TableBatch(table, keeps=keeps, views=_views(schema.columns)), target)
        return cls(schema, batch, target.spec(name))

    @cached_property
    def n_rows(self) -> int:
        """Number of rows, unlabeled ones included."""
        return self.batch.n_rows

    def stop(self) -> None:
        """Do nothing: no engine counts these rows."""

    def select(self, columns: Sequence[Column]) -> MemoryRows:
        """Return the same rows with some of the columns, and with views of them."""
        # Views that are known already stay: other rows of the table may use them.
        self.batch.columns.views.update(_views(columns))
        return replace(self, schema=Schema(tuple(columns)))

    def sample(self, n_rows: int, seed: int, labeled: bool = False) -> MemoryRows:
        """Return a random sample of the rows, or of the labeled ones; all if there are fewer."""
        rng = np.random.default_rng(seed)
        if labeled:
            rows = np.flatnonzero(self.batch.labels < len(self.target.classes))
            return self.at(np.sort(rng.permutation(rows)[:n_rows]))
        if self.n_rows <= n_rows:
            return self
        return self.at(np.sort(rng.choice(self.n_rows, n_rows, replace=False)))

    def at(self, positions: RowNumbers) -> MemoryRows:
        """Return some of the rows, by their positions."""
        batch = self.batch.at(positions)
        target = self.batch.target.at(batch.row_numbers).spec(self.target.name)
        return MemoryRows(self.schema, batch, target)

    def divide(self, split: Split) -> Division:
        """Divide the rows into folds, whose counts are those of all rows minus a fold."""
        from modlearn._statistics.rows import Division, Fold
        from modlearn._tables.memory.folds import assign_folds, forward_parts, group_parts

        labels = self.batch.target
        if self.batch.subset is not None:
            labels = labels.at(self.batch.subset)
        parts, n_groups = split.parts, None
        if split.time is not None:
            parts = forward_parts(labels, split, self.batch)
        elif split.group is not None:
            parts, n_groups = group_parts(labels, split, self.batch)
        if parts is not None:
            folds_ = tuple(Fold(self.at(a), self.at(b)) for a, b in parts)
            return Division(self, folds_, n_groups)
        folds = assign_folds(labels, split)
        rows = labels.rows_by_fold(folds, split.n_folds + 1)
        # To sort the rows of a single fold again is faster than to keep and filter all counts.
        kept = split.n_folds > 1 and self.n_rows * len(self.schema.columns) <= MOST_KEPT
        divided = _FoldCache(self.batch, folds) if kept else None

        def part(wanted: NDArray[np.bool_], counts: NDArray[np.int64]) -> MemoryRows:
            target = replace(self.target, counts=counts[:-1], n_unlabeled=int(counts[-1]))
            return MemoryRows(self.schema, self.batch.at(np.flatnonzero(wanted)), target)

        def fold(k: int) -> Fold:
            train = part(folds != k, rows.sum(axis=0) - rows[k])
            return Fold(replace(train, divided=divided, fold=k), part(folds == k, rows[k]))

        whole = replace(self, divided=divided)
        return Division(whole, tuple(fold(k) for k in range(split.n_folds)))

    def summaries(self, names: Sequence[Hashable]) -> list[ColumnSummary]:
        """Summarize columns."""
        return [self._summary(self.schema.by_name[name]) for name in names]

    def _summary(self, column: Column) -> ColumnSummary:
        from modlearn._statistics.summary import summarize_categories, summarize_numbers

        if not column.ordered:
            codes, categories = self.batch.categorical(column.name)
            return summarize_categories(codes, categories, column.kind)
        counted = self.n_rows * len(self.schema.columns) <= MOST_COUNTED
        summary = summarize_numbers(self.batch.numeric(column.name), counted, column.kind)
        return replace(summary, merged=self.batch.columns.merged[column.name])

    def numeric(self, names: Sequence[Hashable]) -> list[NumericCounts]:
        """Count ordered columns by value and class."""
        return [self._counts(name, self._count_numbers) for name in names]

    def categories(self, names: Sequence[Hashable]) -> list[CategoryCounts]:
        """Count categorical columns by value and class."""
        return [self._counts(name, self._count_categories) for name in names]

    def _counts(self, name: Hashable, count: Counting) -> Any:
        """Counts of these rows; those of a fold's are those of all rows minus the fold."""
        divided = self.divided
        if divided is None:
            return count(name, self.batch, None)
        # Two threads may both count a column; either result serves.
        if name not in divided.counts:
            divided.counts[name] = count(name, divided.whole, divided.folds)
        counts = divided.counts[name]
        return counts.whole() if self.fold is None else counts.without(self.fold)

    def _count_numbers(self, name: Hashable, batch: RowBatch, folds: FoldNumbers) -> NumericCounts:
        n_classes = len(self.target.classes)
        return count_numbers(batch.numeric(name), batch.labels, batch.weights, n_classes, folds)

    def _count_categories(
        self, name: Hashable, batch: RowBatch, folds: FoldNumbers
    ) -> CategoryCounts:
        codes, categories = batch.categorical(name)
        n_classes = len(self.target.classes)
        return count_categories(codes, categories, batch.labels, batch.weights, n_classes, folds)

    def for_pairs(self, partitions: Sequence[Any]) -> tuple[MemoryRows, Sequence[Any]]:
        """Return these rows, and all columns: in memory, pairs are counted by value."""
        return self, partitions

    def around(self, grids: Mapping[Pair, Any], share: float) -> Iterator[tuple[Pair, MemoryRows]]:
        """Yield nothing: pairs are counted by value already."""
        return iter(())

    def cells(self, pairs: Sequence[Pair]) -> list[PairCounts]:
        """Count the labeled rows of pairs of columns by both values and class."""
        from modlearn._statistics.pairs import PairCounts

        labels, rows = self._labels
        n_classes = len(self.target.classes)
        return [
            PairCounts((self._axis(first), self._axis(second)), labels, rows, n_classes)
            for first, second in pairs
        ]

    def binned(self, bins: Sequence[Bins], n_bins: int) -> MemoryBins:
        """Return a coarse view of the labeled rows, for counting many pairs."""
        codes = np.stack([one.bin_of_value[self._axis(one.column).codes] for one in bins])
        return MemoryBins(codes, *self._labels, n_bins, len(self.target.classes))

    def _axis(self, name: Hashable) -> Axis:
        """Distinct value of each labeled row of a column; two threads may both find it."""
        from modlearn._statistics.pairs import Axis

        if name not in self._axes:
            codes = self._labeled.taken(self._value_numbers(name))
            present = np.bincount(codes) > 0
            if not present.all():
                codes = (np.cumsum(present, dtype=np.int32) - 1)[codes]
            n_values = int(np.count_nonzero(present))
            self._axes[name] = Axis(codes, n_values, self.schema.by_name[name].ordered)
        return self._axes[name]

    @cached_property
    def _axes(self) -> dict[Hashable, Axis]:
        return {}

    def _value_numbers(self, name: Hashable) -> Codes:
        """Number of the value of each row of the table, in the order of the values."""
        kept = {} if self.divided is None else self.divided.codes
        if name not in kept:
            columns = self.batch.columns
            if self.schema.by_name[name].ordered:
                kept[name] = _number_values(columns.numeric(name))
            else:
                kept[name] = columns.categorical(name)[0] + np.int32(1)
        return kept[name]

    @cached_property
    def _labeled(self) -> RowBatch:
        """The rows that pairs are counted by: labeled, and of positive weight."""
        batch = self.batch
        used = batch.labels < len(self.target.classes)
        if batch.weights is not None:
            used &= batch.weights > 0
        return batch if used.all() else batch.at(np.flatnonzero(used))

    @cached_property
    def _labels(self) -> tuple[Codes, NDArray[np.int64] | None]:
        """Class of each labeled row, and the number of rows it stands for."""
        return np.ascontiguousarray(self._labeled.labels), self._labeled.weights

    def fingerprint(self) -> str:
        """A text that differs for other labeled rows or columns, whatever the order of the rows."""
        from hashlib import sha256  # takes long to import, and is rarely needed

        from modlearn._statistics.row_keys import row_keys

        labels, rows = self._labels
        values = [self._axis(name).codes for name in self.schema.names]
        keys = row_keys(np.stack(values), labels)
        # A sum of hashes does not depend on their order; it overflows, which is fine.
        total = int((keys if rows is None else keys * rows.astype(np.uint64)).sum())
        columns = [(c.name, c.ordered, self._axis(c.name).n_values) for c in self.schema.columns]
        found = sha256(f"{columns} {self.target.counts.tolist()} {total}".encode())
        for column in self.schema.columns:
            found.update(self._labeled_values(column))
        return found.hexdigest()

    def _labeled_values(self, column: Column) -> bytes:
        """The distinct values of a column: their numbers alone say only how they are ordered."""
        if not column.ordered:
            return repr(self.categories([column.name])[0].by_label()[0].values).encode()
        values = self.numeric([column.name])[0].by_label()[0].distinct()[0]
        return np.where(np.isnan(values), np.nan, values).tobytes()

    def profiles(self, parts: Sequence[RowParts], n_jobs: int | None) -> Profiles:
        """Count the labeled rows by the parts they fall in and their class."""
        from modlearn._statistics.profiles import count_profiles

        codes = np.empty((len(parts), self.n_rows), dtype=np.int32)

        def fill(k: int) -> None:
            codes[k] = parts[k].codes_in(self.batch)

        map_in_threads(fill, range(len(parts)), n_jobs)
        n_classes = len(self.target.classes)
        return count_profiles(codes, self.batch.labels, self.batch.weights, n_classes)

    def batches(self, n_rows: int | None = None) -> Iterator[LabeledBatch]:
        """Read the rows, for scoring, at most a number of rows at a time."""
        if n_rows is None or self.n_rows <= n_rows:
            yield self.batch
            return
        for first in range(0, self.n_rows, n_rows):
            yield self.batch.at(np.arange(first, min(first + n_rows, self.n_rows)))


def _views(columns: Sequence[Column]) -> dict[Hashable, Column]:
    """Return the columns that are computed from others, by name."""
    return {column.name: column for column in columns if column.view is not None}


def _number_values(values: NDArray[np.float64]) -> Codes:
    """Number of the distinct value of every row, in increasing order, missing first."""
    ordered, rows = sort_with_payload(values, np.arange(len(values), dtype=np.int32))
    differs = ordered[1:] != ordered[:-1]
    # Missing values come first, and are one value though NaN differs from NaN.
    n_missing = int(np.count_nonzero(np.isnan(ordered)))
    differs[: max(n_missing - 1, 0)] = False
    codes = np.empty(len(values), dtype=np.int32)
    codes[rows] = np.concatenate(([0], np.cumsum(differs, dtype=np.int32)))
    return codes

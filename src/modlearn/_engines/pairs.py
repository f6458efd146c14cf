"""Rows of an engine as pairs of columns need them: few bins per column, many pairs in one scan."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from modlearn._engines.engine import Scan, once_more
from modlearn._engines.table import EngineTable
from modlearn._model.partitions import Groups, Intervals, Partition
from modlearn._statistics.batches import LabeledBatch, Parts
from modlearn._statistics.categories import CategoryCounts
from modlearn._statistics.numeric import NumericCounts
from modlearn._statistics.pairs import Axis, PairCounts
from modlearn._statistics.profiles import Profiles
from modlearn._statistics.rows import Bins, Counting, Division, Pair, Rows, Split
from modlearn._statistics.summary import ColumnSummary
from modlearn.schema import Column, Schema, TargetSpec

__all__ = ["MOST_PAIR_BINS", "PairedRows", "finer_edges", "pair_edges"]

MOST_PAIR_BINS = 200
"""Most bins of a column in a pair; codes of bins fit in a byte."""

PAIRS_AT_ONCE = 100
"""About how many pairs are counted in one scan."""


def pair_edges(counts: NumericCounts, cuts: NDArray[np.float64], most: int) -> NDArray[np.float64]:
    """Return edges of bins of about equal rows, those of the best cuts of the column among them.

    Every edge is the value of an entry, so that counts of bins are sums of counts of entries.
    """
    labeled = counts.by_label()[0]
    values, rows = labeled.distinct()
    present = ~np.isnan(values)
    values, above = values[present], np.cumsum(rows[present])
    if len(values) <= most:
        return values
    at_cuts = np.searchsorted(values, cuts, side="right") - 1
    n_more = max(1, most - len(at_cuts) - 1)
    shares = np.arange(1, n_more + 1) / n_more * above[-1]
    at_shares = np.minimum(np.searchsorted(above, shares, side="left"), len(values) - 1)
    chosen = np.unique(np.concatenate((at_cuts[at_cuts >= 0], at_shares, [len(values) - 1])))
    found: NDArray[np.float64] = values[chosen]
    return found


def finer_edges(
    counts: NumericCounts, axis: Intervals, share: float, most: int
) -> NDArray[np.float64]:
    """Return edges at the cuts of an axis, and many within a share of the rows near each."""
    values, rows = counts.by_label()[0].distinct()
    present = ~np.isnan(values)
    values, above = values[present], np.cumsum(rows[present])
    at_cuts = np.searchsorted(values, axis.cuts, side="right") - 1
    at_cuts = at_cuts[at_cuts >= 0]
    if not len(at_cuts):
        return values[-1:]
    n_each = max(1, (most - len(at_cuts) - 1) // (2 * len(at_cuts)))
    steps = np.arange(-n_each, n_each + 1) / n_each * share * above[-1]
    near = np.searchsorted(above, (above[at_cuts][:, None] + steps[None]).reshape(-1))
    chosen = np.concatenate((near[near < len(values)], at_cuts, [len(values) - 1]))
    found: NDArray[np.float64] = values[np.unique(chosen)]
    return found


class CountedRows(Rows, Protocol):
    """Rows of a table in an engine."""

    @property
    def table(self) -> EngineTable:
        """The table."""
        ...

    @property
    def condition(self) -> str:
        """SQL that is true for these rows."""
        ...


@dataclass(frozen=True)
class _Coded:
    """A column as numbers: SQL, edges, and the value number of each bin, -1 = no labeled row."""

    sql: str
    edges: NDArray[np.float64]
    number_of_bin: NDArray[Any]
    n_values: int
    ordered: bool


@dataclass(frozen=True, eq=False)
class PairedRows:
    """Rows whose columns are answered in bins, for grids.

    Parameters
    ----------
    rows : CountedRows
        The rows.
    partitions : tuple of Partition
        The best partition of every column.
    finer : mapping of hashable to ndarray
        Edges of bins that are finer around the cuts of a grid, by column.
    known : PairCounts, default=None
        Counts of the only pair, if they are known.
    """

    rows: CountedRows
    partitions: tuple[Partition, ...]
    finer: Mapping[Hashable, NDArray[np.float64]] = field(default_factory=dict)
    known: PairCounts | None = None
    scorer: ClassVar[None] = None  # they are not tested

    @property
    def schema(self) -> Schema:
        """The columns."""
        return self.rows.schema

    @property
    def target(self) -> TargetSpec:
        """The classes and their rows."""
        return self.rows.target

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return self.rows.n_rows

    def stop(self) -> None:
        """Stop what the engine counts in other threads."""
        self.rows.stop()

    @property
    def counting(self) -> Counting | None:
        """How the columns were counted so far."""
        return self.rows.counting

    @cached_property
    def most_bins(self) -> int:
        """Most bins of a column: the cells of all pairs of a scan must fit in memory."""
        # A quarter of the memory, at 8 bytes a cell.
        cells = self.rows.table.memory / (32 * PAIRS_AT_ONCE * len(self.target.classes))
        return int(min(MOST_PAIR_BINS, max(16, cells**0.5)))

    def for_pairs(self, partitions: Sequence[Any]) -> tuple[PairedRows, Sequence[Any]]:
        """Return these rows, which are made for pairs, and the columns that can be paired."""
        return self, partitions

    @cached_property
    def _edges(self) -> dict[Hashable, NDArray[np.float64]]:
        if self.finer:
            return dict(self.finer)
        ordered = [one for one in self.partitions if isinstance(one, Intervals)]
        counts = self.rows.numeric([one.name for one in ordered])
        return {
            one.name: pair_edges(found, one.cuts, self.most_bins - 3)
            for one, found in zip(ordered, counts, strict=True)
        }

    def numeric(self, names: Sequence[Hashable]) -> list[NumericCounts]:
        """Count ordered columns by bin and class."""
        found = self.rows.numeric(names)
        return [one.in_bins(self._edges[name]) for name, one in zip(names, found, strict=True)]

    def categories(self, names: Sequence[Hashable]) -> list[CategoryCounts]:
        """Count categorical columns by value and class."""
        return self.rows.categories(names)

    @cached_property
    def _coded(self) -> dict[Hashable, _Coded]:
        return {one.name: self._code(one) for one in self.partitions}

    def _code(self, partition: Partition) -> _Coded:
        """Return how a column is counted: bins of numbers, or numbers of categories."""
        column = self.schema.by_name[partition.name]
        sql = self.rows.table.column(column).value
        if isinstance(partition, Intervals):
            (counts,) = self.numeric([partition.name])
            edges = self._edges[partition.name]
            values = counts.by_label()[0].distinct()[0]
            bins = np.where(np.isnan(values), 0, 1 + np.searchsorted(edges, values))
        else:
            assert isinstance(partition, Groups)
            (found,) = self.categories([partition.name])
            labels = found.by_label()[0].values
            numbers = list(range(1, len(labels) + 1))
            sql = self.rows.table.number_of_category(column, labels, numbers)
            edges = np.arange(1.0, len(labels) + 1)
            bins = np.arange(1, len(labels) + 1)
        number = np.full(len(edges) + 2, -1, dtype=np.int32)
        number[bins] = np.arange(len(bins))
        return _Coded(sql, edges, number, len(bins), column.ordered)

    def around(self, grids: Mapping[Pair, Any], share: float) -> Iterator[tuple[Pair, PairedRows]]:
        """Yield pairs, each with rows whose bins are finer around the cuts of its grid."""
        todo = [pair for pair, grid in grids.items() if grid.cells.shape[0] > 1]
        for first in range(0, len(todo), PAIRS_AT_ONCE):
            some = todo[first : first + PAIRS_AT_ONCE]
            views = [self._finer(grids[pair], share) for pair in some]
            pairs = zip(some, views, strict=True)
            coded = [view.coded(name) for pair, view in pairs for name in pair]
            table = np.arange(2 * len(some), dtype=np.int64).reshape(-1, 2)
            n_bins = max(len(one.edges) for one in coded) + 2
            counts = self.counted(coded, table, n_bins)
            for k, (pair, view) in enumerate(zip(some, views, strict=True)):
                known = self._pair(coded[2 * k], coded[2 * k + 1], counts[k])
                yield pair, replace(view, known=known)

    def _finer(self, grid: Any, share: float) -> PairedRows:
        """Return rows whose bins are finer around the cuts of a grid."""
        axes = {axis.name: axis for axis in grid.axes if isinstance(axis, Intervals)}
        counts = self.rows.numeric(list(axes))
        edges = {
            name: finer_edges(found, axes[name], share, self.most_bins - 3)
            for name, found in zip(axes, counts, strict=True)
        }
        names = [axis.name for axis in grid.axes]
        partitions = tuple(one for one in self.partitions if one.name in names)
        return replace(self, partitions=partitions, finer=edges)

    def coded(self, name: Hashable) -> _Coded:
        """Return how a column is counted."""
        return self._coded[name]

    def cells(self, pairs: Sequence[Pair]) -> list[PairCounts]:
        """Count the labeled rows of pairs of columns by both bins and class."""
        if self.known is not None:
            return [self.known]
        names = sorted({name for pair in pairs for name in pair}, key=self.schema.names.index)
        index = {name: k for k, name in enumerate(names)}
        coded = [self._coded[name] for name in names]
        table = np.array([[index[a], index[b]] for a, b in pairs], dtype=np.int64)
        n_bins = max(len(one.edges) for one in coded) + 2
        counts = self.counted(coded, table, n_bins)
        return [
            self._pair(coded[a], coded[b], cells)
            for (a, b), cells in zip(table.tolist(), counts, strict=True)
        ]

    def counted(
        self, coded: Sequence[_Coded], pairs: NDArray[np.int64], n_bins: int
    ) -> NDArray[np.int64]:
        """Count labeled rows of pairs, shape (P, I, I, J), in one scan."""
        table, rows = self.rows.table, self.rows
        J = len(self.target.classes)
        scan = Scan(
            [one.sql for one in coded],
            [one.edges for one in coded],
            table.class_sql,
            J,
            table.relation,
            f"{table.class_sql} < {J} AND {rows.condition}",
            self.n_rows,
        )
        return once_more(lambda: table.engine.count_cells(scan, pairs, n_bins, table.report))

    def _pair(self, first: _Coded, second: _Coded, cells: NDArray[np.int64]) -> PairCounts:
        """Return the cells of a pair that are not empty as entries."""
        one, other, classes = np.nonzero(cells)
        axes = (
            Axis(first.number_of_bin[one], first.n_values, first.ordered),
            Axis(second.number_of_bin[other], second.n_values, second.ordered),
        )
        rows = cells[one, other, classes]
        return PairCounts(axes, classes.astype(np.int32), rows, len(self.target.classes))

    def binned(self, bins: Sequence[Bins], n_bins: int) -> _CoarseRows:
        """Return a coarser view of the labeled rows, for screening."""
        return _CoarseRows(self, tuple(self._coarser(one) for one in bins), n_bins)

    def _coarser(self, bins: Bins) -> _Coded:
        """Return a column in runs of its bins, or of its categories."""
        known, runs = self._coded[bins.column], bins.bin_of_value.astype(np.int32)
        if not known.ordered:
            column = self.schema.by_name[bins.column]
            labels = self.categories([bins.column])[0].by_label()[0].values
            sql = self.rows.table.number_of_category(column, labels, (runs + 1).tolist())
            edges = np.arange(1.0, runs.max() + 2)
            number = np.arange(-1, len(edges) + 1).clip(max=len(edges) - 1)
            return replace(known, sql=sql, edges=edges, number_of_bin=number)
        has_missing = known.number_of_bin[0] >= 0
        of_missing, runs = (runs[0], runs[1:]) if has_missing else (np.int32(0), runs)
        last = np.flatnonzero(np.append(np.diff(runs) > 0, True)) if len(runs) else np.zeros(0, int)
        number = np.concatenate(([of_missing], runs[last], runs[-1:])).astype(np.int32)
        return replace(
            known, edges=known.edges[known.number_of_bin[1:-1] >= 0][last], number_of_bin=number
        )

    def profiles(self, parts: Sequence[Parts], n_jobs: int | None) -> Profiles:
        """Count the rows of the sample by their parts."""
        return self.rows.profiles(parts, n_jobs)

    def fingerprint(self) -> str:
        """Return a text that identifies the rows of the sample, and the bins."""
        return f"{self.rows.fingerprint()} {self.most_bins}"

    def select(self, columns: Sequence[Column]) -> Rows:
        """Return the rows themselves with some of the columns."""
        return self.rows.select(columns)

    def sample(self, n_rows: int, seed: int, labeled: bool = False) -> Rows:
        """Return some rows of the sample."""
        return self.rows.sample(n_rows, seed, labeled)

    def divide(self, split: Split) -> Division:
        """Divide the rows themselves into folds."""
        return self.rows.divide(split)

    def summaries(self, names: Sequence[Hashable]) -> list[ColumnSummary]:
        """Summarize columns."""
        return self.rows.summaries(names)

    def batches(self, n_rows: int | None = None) -> Iterator[LabeledBatch]:
        """Yield the rows of the sample."""
        return self.rows.batches(n_rows)


@dataclass(frozen=True, eq=False)
class _CoarseRows:
    """Labeled rows by runs of the bins of several columns, counted when they are asked for."""

    rows: PairedRows
    columns: tuple[_Coded, ...]
    n_runs: int

    def cells(self, pairs: NDArray[np.int64]) -> NDArray[np.int64]:
        """Count the rows of pairs (P, 2) of columns by run and class, shape (P, I, I, J)."""
        n_bins = max(len(one.edges) for one in self.columns) + 2
        counts = self.rows.counted(self.columns, pairs, n_bins)
        found = np.zeros((len(pairs), self.n_runs, self.n_runs, counts.shape[3]), dtype=np.int64)
        for p, pair in enumerate(pairs.tolist()):
            first, second = (self.columns[k].number_of_bin for k in pair)
            some = counts[p, : len(first), : len(second)]
            kept = np.ix_(np.maximum(first, 0), np.maximum(second, 0))
            np.add.at(found[p], kept, some)
        return found

"""Rows that stay in an engine, as the statistics that models are learned from."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from modlearn._engines.counts import ColumnCounts
from modlearn._engines.engine import Scan, once_more
from modlearn._engines.folds import EngineDivision
from modlearn._engines.pairs import (
    MOST_PAIR_BINS,
    PAIRS_AT_ONCE,
    CoarseRows,
    CodedColumn,
    finer_edges,
    pair_counts,
    pair_edges,
)
from modlearn._engines.scores import EngineScorer
from modlearn._engines.table import EngineTable, Folds
from modlearn._model.partitions import Groups, Intervals, Partition
from modlearn._statistics.batches import LabeledBatch, RowParts
from modlearn._statistics.categories import CategoryCounts
from modlearn._statistics.numeric import NumericCounts
from modlearn._statistics.pairs import PairCounts
from modlearn._statistics.profiles import Profiles
from modlearn._statistics.rows import (
    BinnedRows,
    Bins,
    Counting,
    Division,
    Fold,
    Pair,
    Rows,
    Split,
)
from modlearn._statistics.summary import ColumnSummary
from modlearn._tables.memory.rows import MemoryRows
from modlearn.schema import Column, Schema, TargetSpec

__all__ = ["EngineRows", "TestRows"]

USUAL = 0.8
"""A class whose rows stand for at least this share of the rows that others stand for is sampled
like them."""


@dataclass(frozen=True, eq=False)
class EngineRows:
    """All rows of a table in an engine, or those of some folds.

    Columns and pairs are counted by the engine, from all rows. What needs rows as such, the
    weights and the examples of the report, is taken from a sample in memory.
    """

    counts: ColumnCounts
    schema: Schema
    target: TargetSpec  # the classes and their rows
    sample_rows: MemoryRows  # a sample of these rows
    folds: Folds  # how the rows of the table are divided
    kept: tuple[int, ...] | None = None  # the folds that these rows are in; None = all

    @property
    def table(self) -> EngineTable:
        """The table."""
        return self.counts.table

    @cached_property
    def n_rows(self) -> int:
        """Number of rows, unlabeled ones included."""
        return int(self.target.counts.sum()) + self.target.n_unlabeled

    def stop(self) -> None:
        """Stop what the engine counts in other threads."""
        self.table.engine.stop()

    @property
    def counting(self) -> Counting:
        """How the columns were counted so far; categories are always counted by value."""
        bins = {name: n for name, n in self.counts.bins.items() if name in self.schema.by_name}
        merged = {name: n for name, n in self.counts.merged.items() if name in self.schema.by_name}
        sample = self.sample_rows
        whole = self.table.is_whole(sample)
        return Counting(
            engine=self.table.dialect.title,
            n_by_value=len(self.schema.columns) - len(bins) - len(merged),
            bins=bins,
            ranges=tuple(n for n in self.schema.names if self.counts.tiers.get(n) == "ranges"),
            merged=merged,
            n_sampled=None if whole else int(sample.target.counts.sum()),
            n_pair_bins=None if whole else self.most_pair_bins,
            pooled=tuple(name for name in self.schema.names if name in self.counts.pooled),
        )

    @property
    def scorer(self) -> EngineScorer | None:
        """Rows that are not to be tested are not scored."""
        return None

    def select(self, columns: Sequence[Column]) -> EngineRows:
        """Return these rows with only some of the columns, and with views of them."""
        sample = self.sample_rows.select(columns)
        return replace(self, schema=Schema(tuple(columns)), sample_rows=sample)

    def sample(self, n_rows: int, seed: int, labeled: bool = False) -> MemoryRows:
        """Return a random sample of the sample, with about as many rows of a class as it has."""
        return self._in_proportion(seed).sample(n_rows, seed, labeled)

    def _in_proportion(self, seed: int) -> MemoryRows:
        """Return the sample without some of the rows of classes that have too many in it."""
        sample = self.sample_rows
        counts = np.append(self.target.counts, self.target.n_unlabeled)
        in_sample = np.append(sample.target.counts, sample.target.n_unlabeled)
        stands_for = counts / np.maximum(1, in_sample)
        rates = np.minimum(1.0, stands_for / max(1.0, stands_for[:-1].max()))
        rates[rates > USUAL] = 1.0
        if (rates == 1.0).all():
            return sample
        rows = np.random.default_rng(seed).random(sample.n_rows)
        return sample.at(np.flatnonzero(rows < rates[sample.batch.labels]))

    def divide(self, split: Split) -> Division:
        """Divide the rows into folds by their keys, by groups, or by time."""
        found = EngineDivision.of(self.table, self.sample_rows, split)
        counts = self.table.class_counts(found.folds)
        numbers = found.sample_folds
        whole = replace(self, folds=found.folds)

        def part(kept: tuple[int, ...]) -> EngineRows:
            rows = counts[list(kept)].sum(axis=0)
            target = replace(self.target, counts=rows[:-1], n_unlabeled=int(rows[-1]))
            some = self.sample_rows.at(np.flatnonzero(np.isin(numbers, kept)))
            return replace(whole, target=target, sample_rows=some, kept=kept)

        tested = found.folds.learned_from
        folds = tuple(
            Fold(part(train), TestRows.of(part((k,)), part(train)))
            for k, train in enumerate(tested)
            if counts[list(train), :-1].any() and counts[k, :-1].any()
        )
        return Division(whole, folds, found.n_groups)

    def summaries(self, names: Sequence[Hashable]) -> list[ColumnSummary]:
        """Summarize columns."""
        return [self.table.summary(self.schema.by_name[name], self.sample_rows) for name in names]

    def numeric(self, names: Sequence[Hashable]) -> list[NumericCounts]:
        """Count ordered columns by value and class; the first question counts all of them."""
        ordered = [column for column in self.schema.columns if column.ordered]
        self.counts.numeric(ordered, self.folds, self.sample_rows)
        columns = [self.schema.by_name[name] for name in names]
        found = self.counts.numeric(columns, self.folds, self.sample_rows)
        return [one.whole() if self.kept is None else one.only(self.kept) for one in found]

    def categories(self, names: Sequence[Hashable]) -> list[CategoryCounts]:
        """Count categorical columns by value and class."""
        found = [self.counts.categories(self.schema.by_name[name], self.folds) for name in names]
        return [one.whole() if self.kept is None else one.only(self.kept) for one in found]

    @property
    def condition(self) -> str:
        """SQL that is true for these rows."""
        if self.kept is None:
            return "true"
        return f"({self.folds.sql}) IN ({', '.join(map(str, self.kept))})"

    def for_pairs(self, partitions: Sequence[Any]) -> tuple[Rows, Sequence[Any]]:
        """Return rows that answer for pairs of columns, and the columns that can be paired."""
        if self.table.is_whole(self.sample_rows):
            return self.sample_rows, partitions
        usable = [
            one
            for one in partitions
            if isinstance(one, Intervals) or sum(map(len, one.groups)) < self.most_pair_bins
        ]
        of_table = self.counts, self.schema, self.target, self.sample_rows, self.folds, self.kept
        return PairedRows(*of_table, partitions=tuple(usable)), usable

    @cached_property
    def most_pair_bins(self) -> int:
        """Most bins of a column in a pair: the cells of all pairs of a scan must fit in memory."""
        # A quarter of the memory, at 8 bytes a cell.
        cells = self.table.memory / (32 * PAIRS_AT_ONCE * len(self.target.classes))
        return int(min(MOST_PAIR_BINS, max(16, cells**0.5)))

    def around(self, grids: Mapping[Pair, Any], share: float) -> Iterator[tuple[Pair, Rows]]:
        """Yield nothing: rows for pairs are those of ``for_pairs``."""
        return iter(())

    def cells(self, pairs: Sequence[Pair]) -> list[PairCounts]:
        """Count the labeled rows of pairs of columns in the sample."""
        return self.sample_rows.cells(pairs)

    def binned(self, bins: Sequence[Bins], n_bins: int) -> BinnedRows:
        """Return a coarse view of the labeled rows, for counting many pairs."""
        return self.sample_rows.binned(bins, n_bins)

    def fingerprint(self) -> str:
        """Return a text that identifies the rows of the sample."""
        return self.sample_rows.fingerprint()

    def profiles(self, parts: Sequence[RowParts], n_jobs: int | None) -> Profiles:
        """Count the rows of the sample by their parts; each stands for others of its class."""
        found = self.sample_rows.profiles(parts, n_jobs)
        stands_for = self.target.counts / np.maximum(1, self.sample_rows.target.counts)
        return replace(found, rows=found.rows * stands_for[found.classes])

    def batches(self, n_rows: int | None = None) -> Iterator[LabeledBatch]:
        """Yield the rows of the sample."""
        return self.sample_rows.batches(n_rows)


@dataclass(frozen=True, eq=False)
class TestRows(EngineRows):
    """Rows to be tested: a model scores those of classes that its training rows have."""

    __test__ = False  # not a test case, although its name starts with Test

    @classmethod
    def of(cls, rows: EngineRows, train: EngineRows) -> TestRows:
        """Return rows without those of classes that no training row has."""
        known = train.target.counts > 0
        target = replace(rows.target, counts=np.where(known, rows.target.counts, 0), n_unlabeled=0)
        return cls(rows.counts, rows.schema, target, rows.sample_rows, rows.folds, rows.kept)

    @cached_property
    def scorer(self) -> EngineScorer:
        """Scores the rows where they are."""
        return EngineScorer(self.table, self.target, self.condition, self.sample_rows)

    @cached_property
    def fetched(self) -> MemoryRows:
        """The rows themselves; of many, those whose keys are lowest."""
        labels = np.flatnonzero(self.target.counts)
        if self.table.is_whole(self.sample_rows):
            rows = self.sample_rows
        else:
            assert self.kept is not None
            rows = self.table.test_rows(self.schema, self.target, self.folds, self.kept)
        codes: NDArray[np.int32] = rows.batch.labels
        return rows.at(np.flatnonzero(np.isin(codes, labels)))

    def batches(self, n_rows: int | None = None) -> Iterator[LabeledBatch]:
        """Yield the rows, for scoring."""
        return self.fetched.batches(n_rows)


@dataclass(frozen=True, eq=False)
class PairedRows(EngineRows):
    """Rows whose columns are counted in bins, for grids."""

    partitions: tuple[Partition, ...] = ()  # the best one of every column
    finer: Mapping[Hashable, NDArray[np.float64]] = field(default_factory=dict)
    known: PairCounts | None = None  # counts of the only pair, if they are known

    def for_pairs(self, partitions: Sequence[Any]) -> tuple[PairedRows, Sequence[Any]]:
        """Return these rows, which are made for pairs, and the columns that can be paired."""
        return self, partitions

    @cached_property
    def _edges(self) -> Mapping[Hashable, NDArray[np.float64]]:
        """Edges of bins by column; `finer` ones lie around the cuts of a grid."""
        if self.finer:
            return self.finer
        ordered = [one for one in self.partitions if isinstance(one, Intervals)]
        counts = super().numeric([one.name for one in ordered])
        return {
            one.name: pair_edges(found, one.cuts, self.most_pair_bins - 3)
            for one, found in zip(ordered, counts, strict=True)
        }

    def numeric(self, names: Sequence[Hashable]) -> list[NumericCounts]:
        """Count ordered columns by bin and class."""
        found = super().numeric(names)
        return [one.in_bins(self._edges[name]) for name, one in zip(names, found, strict=True)]

    @cached_property
    def coded(self) -> dict[Hashable, CodedColumn]:
        """How each column is counted: bins of numbers, or numbers of categories."""
        return {one.name: self._code(one) for one in self.partitions}

    def _code(self, partition: Partition) -> CodedColumn:
        column = self.schema.by_name[partition.name]
        sql = self.table.column(column).value
        if isinstance(partition, Intervals):
            (counts,) = self.numeric([partition.name])
            edges = self._edges[partition.name]
            values = counts.by_label()[0].distinct()[0]
            bins = np.where(np.isnan(values), 0, 1 + np.searchsorted(edges, values))
        else:
            assert isinstance(partition, Groups)
            (found,) = self.categories([partition.name])
            labels = found.by_label()[0].values
            bins = np.arange(1, len(labels) + 1)
            sql = self.table.number_of_category(column, labels, bins.tolist())
            edges = bins.astype(np.float64)
        number = np.full(len(edges) + 2, -1, dtype=np.int32)
        number[bins] = np.arange(len(bins))
        return CodedColumn(sql, edges, number, len(bins), column.ordered)

    def around(self, grids: Mapping[Pair, Any], share: float) -> Iterator[tuple[Pair, PairedRows]]:
        """Yield pairs, each with rows whose bins are finer around the cuts of its grid."""
        todo = [pair for pair, grid in grids.items() if grid.cells.shape[0] > 1]
        for first in range(0, len(todo), PAIRS_AT_ONCE):
            some = todo[first : first + PAIRS_AT_ONCE]
            views = [self._finer(grids[pair], share) for pair in some]
            pairs = zip(some, views, strict=True)
            coded = [view.coded[name] for pair, view in pairs for name in pair]
            counts = self._counted(coded, np.arange(2 * len(some)).reshape(-1, 2))
            for k, (pair, view) in enumerate(zip(some, views, strict=True)):
                known = pair_counts(coded[2 * k], coded[2 * k + 1], counts[k])
                yield pair, replace(view, known=known)

    def _finer(self, grid: Any, share: float) -> PairedRows:
        """Return rows whose bins are finer around the cuts of a grid."""
        axes = {axis.name: axis for axis in grid.axes if isinstance(axis, Intervals)}
        counts = super().numeric(list(axes))
        edges = {
            name: finer_edges(found, axes[name].cuts, share, self.most_pair_bins - 3)
            for name, found in zip(axes, counts, strict=True)
        }
        names = [axis.name for axis in grid.axes]
        partitions = tuple(one for one in self.partitions if one.name in names)
        return replace(self, partitions=partitions, finer=edges)

    def cells(self, pairs: Sequence[Pair]) -> list[PairCounts]:
        """Count the labeled rows of pairs of columns by both bins and class."""
        if self.known is not None:
            return [self.known]
        names = sorted({name for pair in pairs for name in pair}, key=self.schema.names.index)
        index = {name: k for k, name in enumerate(names)}
        coded = [self.coded[name] for name in names]
        table = np.array([[index[a], index[b]] for a, b in pairs], dtype=np.int64)
        return [
            pair_counts(coded[a], coded[b], cells)
            for (a, b), cells in zip(table.tolist(), self._counted(coded, table), strict=True)
        ]

    def _counted(self, coded: Sequence[CodedColumn], pairs: NDArray[np.int64]) -> NDArray[np.int64]:
        """Count labeled rows of pairs, shape (P, I, I, J), in one scan."""
        table, J = self.table, len(self.target.classes)
        scan = Scan(
            [one.sql for one in coded],
            [one.edges for one in coded],
            table.class_sql,
            J,
            table.relation,
            f"{table.class_sql} < {J} AND {self.condition}",
            self.n_rows,
        )
        n_bins = max(len(one.edges) for one in coded) + 2
        return once_more(lambda: table.engine.count_cells(scan, pairs, n_bins, table.report))

    def binned(self, bins: Sequence[Bins], n_bins: int) -> CoarseRows:
        """Return a coarser view of the labeled rows, for screening."""
        return CoarseRows(self._counted, tuple(self._coarser(one) for one in bins), n_bins)

    def _coarser(self, bins: Bins) -> CodedColumn:
        """Return a column in runs of its bins, or of its categories."""
        known, runs = self.coded[bins.column], bins.bin_of_value.astype(np.int32)
        if not known.ordered:
            column = self.schema.by_name[bins.column]
            labels = self.categories([bins.column])[0].by_label()[0].values
            sql = self.table.number_of_category(column, labels, (runs + 1).tolist())
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

    def fingerprint(self) -> str:
        """Return a text that identifies the rows of the sample, and the bins."""
        return f"{super().fingerprint()} {self.most_pair_bins}"

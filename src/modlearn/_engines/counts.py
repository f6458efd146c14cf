"""Counts of the columns of a table in an engine: by value, range by range, or in refined bins."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from threading import RLock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from modlearn._engines.engine import EngineColumn, WindowCounts, once_more
from modlearn._engines.ranges import MOST_RANGES, ValueRange, count_by_ranges
from modlearn._engines.shares import BYTES_PER_ENTRY, CategoryShares
from modlearn._engines.table import (
    COLUMNS_PER_QUERY,
    EngineTable,
    Extremes,
    Folds,
    as_stored,
)
from modlearn._engines.tiers import (
    MOST_ENGINE_BINS,
    OUTSTANDING_ROWS,
    ROWS_IN_WINDOWS,
    bin_edges,
    counts_of_bins,
    counts_of_values,
    different_share,
    expected_values,
    first_cuts,
    near_cuts,
    outstanding,
    refined,
    windows_of,
)
from modlearn._export.sql_writer import double
from modlearn._parallel import map_in_threads
from modlearn._statistics.categories import (
    POOLED,
    POOLED_NUMBER,
    CategoryCounts,
    count_categories,
)
from modlearn._statistics.numeric import NumericCounts
from modlearn._tables.memory.rows import MemoryRows
from modlearn._tables.memory.table import Table
from modlearn.schema import Column, Kind, View

__all__ = ["ColumnCounts"]

MOST_VALUES = 1_000_000
"""Most distinct values of a column that are counted one by one if bins would do as well."""

FREQUENT = "frequent_value_of_modlearn"
"""Name of a column of a subquery, which columns of the table are not called."""

BYTES_IN_RANGE = 140
"""Memory that an entry takes while it is counted in a range and joined with others."""

BYTES_PER_KEPT = 34
"""Memory that an entry takes afterwards."""

LEAST_BINS = 256

BINS_PER_CUT = 32
"""Bins do not show the cuts of a column that has more cuts than this allows."""

MOST_IN_MEMORY = 500_000
"""Columns of tables with fewer rows are counted by value, whatever they hold."""

NEARLY_ALL = 0.7
"""Bins show the cuts of a column only if this share of its rows have different values, everywhere:
repeated rows would look like structure, or hide it."""


@dataclass(eq=False)
class ColumnCounts:
    """Counts of columns by class and fold, each made once.

    Parameters
    ----------
    table : EngineTable
        The table.
    n_jobs : int, default=-1
        Number of threads that search for cuts, as scikit-learn spells it.
    categorical : tuple of Column, default=()
        The columns that are counted by category, which share the memory.

    Attributes
    ----------
    tiers : dict of hashable to str
        How each numeric column was counted: "values", "column", "ranges" or "bins".
    bins : dict of hashable to int
        The number of bins of those that were counted in bins.
    merged : dict of hashable to int
        The number of runs of values of those that were counted range by range, if values had to be
        merged that a cut might separate.
    pooled : set of hashable
        Columns whose rare values were counted together.
    """

    table: EngineTable
    n_jobs: int = -1
    categorical: tuple[Column, ...] = ()
    tiers: dict[Hashable, str] = field(default_factory=dict, init=False)
    bins: dict[Hashable, int] = field(default_factory=dict, init=False)
    merged: dict[Hashable, int] = field(default_factory=dict, init=False)
    pooled: set[Hashable] = field(default_factory=set, init=False)
    _counts: dict[tuple[Folds, Hashable], Any] = field(default_factory=dict, init=False)
    _lock: Any = field(default_factory=RLock, init=False)

    def _extremes_of(
        self, columns: Sequence[Column], counted: Sequence[EngineColumn]
    ) -> list[Extremes]:
        """Return the extremes of columns, and of views, which are not known before."""
        known = self.table.all_extremes()
        new = [one for c, one in zip(columns, counted, strict=True) if c.view is not None]
        found = {one.name: more for one, more in zip(new, self.table.extremes(new), strict=True)}
        return [known[c.name] if c.view is None else found[str(c.name)] for c in columns]

    def categories(self, column: Column, folds: Folds) -> CategoryCounts:
        """Count a column by category, class and fold."""
        with self._lock:
            key = folds, column.name
            if key not in self._counts:
                self._forget_others(folds)
                self._counts[key] = self._count_categories(column, folds)
            found: CategoryCounts = self._counts[key]
            return found

    def _forget_others(self, folds: Folds) -> None:
        """Forget categories by other folds if those by these folds may need their memory."""
        sizes = {
            key: self._shares.size(one.n_values, *key)
            for key, one in self._counts.items()
            if isinstance(one, CategoryCounts) and key[0] != folds
        }
        if sum(sizes.values()) + self._shares.reserved(folds) > self._shares.room:
            for key in sizes:
                del self._counts[key]

    @cached_property
    def _shares(self) -> CategoryShares:
        return CategoryShares(self.table, self.categorical, MOST_VALUES)

    def _count_categories(self, column: Column, folds: Folds) -> CategoryCounts:
        counted = self.table.column(column)
        if self._shares.are_many(column.name, folds):
            values, is_rare, groups, rows = self._count_frequent(counted, folds)
            self.pooled.add(column.name)
        else:
            values, groups, rows = self.table.fetch(
                f"{counted.value} AS v, {self.table.group(folds)} AS g, count(*) AS n",
                "GROUP BY 1, 2",
            )
            is_rare = np.zeros(len(values), dtype=np.int64)
        cells = as_stored(counted, values) if column.view is None else _named(values, column.view)
        table = Table([column.name], len(cells), [cells])
        codes, categories = (found := table.categorical(0)).codes, found.categories
        if is_rare.any():
            is_number = counted.kind is Kind.NUMERIC
            codes = np.where(is_rare == 1, np.int32(len(categories)), codes)
            categories = (*categories, POOLED_NUMBER if is_number else POOLED)
        classes, numbers = np.divmod(groups.astype(np.int32), np.int32(folds.n_folds))
        return count_categories(
            codes, categories, classes, rows.astype(np.int64), self.table.n_classes, numbers
        )

    def _count_frequent(self, counted: EngineColumn, folds: Folds) -> list[NDArray[Any]]:
        """Count frequent values as they are, and all others as one; these have no value but a 1."""
        often = (
            f"SELECT {FREQUENT} FROM (SELECT {counted.value} AS {FREQUENT}, count(*) AS n "
            f"FROM {self.table.relation} GROUP BY 1 HAVING count(*) > 1) AS counted "
            f"ORDER BY n DESC, {FREQUENT} LIMIT {self._shares.most(folds)}"
        )
        is_rare = (
            f"CASE WHEN {counted.value} IS NOT NULL AND often.{FREQUENT} IS NULL THEN 1 ELSE 0 END"
        )
        return self.table.fetch(
            f"often.{FREQUENT} AS v, {is_rare} AS r, {self.table.group(folds)} AS g, count(*) AS n",
            f"LEFT JOIN ({often}) AS often ON {counted.value} = often.{FREQUENT} GROUP BY 1, 2, 3",
        )

    def numeric(
        self, columns: Sequence[Column], folds: Folds, sample: MemoryRows
    ) -> list[NumericCounts]:
        """Count ordered columns by value, class and fold; those of a table are counted together."""
        with self._lock:
            todo = [c for c in columns if (folds, c.name) not in self._counts]
            for column, counts in zip(todo, self._count(todo, folds, sample), strict=True):
                self._counts[folds, column.name] = counts
            return [self._counts[folds, c.name] for c in columns]

    def _count(
        self, columns: Sequence[Column], folds: Folds, sample: MemoryRows
    ) -> list[NumericCounts]:
        """Count columns by value, or by bins that are refined around their cuts."""
        found: dict[Hashable, NumericCounts] = {}
        in_bins: list[Column] = []
        for k, column in enumerate(columns):
            values = sample.batch.numeric(column.name)
            most = self._most_entries(found, folds)
            tier = self.tiers.setdefault(column.name, self._tier(values, folds, most))
            by_value = tier in ("values", "column") and self._by_value(column, folds, found)
            if by_value or (
                tier != "bins" and self._by_range(column, folds, sample, found, len(columns) - k)
            ):
                continue
            self._set_tier(column, "bins")
            in_bins.append(column)
        for first in range(0, len(in_bins), COLUMNS_PER_QUERY):
            n_left = len(in_bins) - first
            some = in_bins[first : first + COLUMNS_PER_QUERY]
            binned = self._in_bins(some, folds, sample, self._n_bins(found, folds, n_left))
            self._refine(binned, folds, sample, found)
        return [found[column.name] for column in columns]

    def _free(self, found: dict[Hashable, NumericCounts], folds: Folds) -> int:
        """Return the number of bytes that counts of numbers may still take."""
        kept = [*self._counts.values(), *found.values()]
        n_entries = sum(len(one.values) for one in kept if isinstance(one, NumericCounts))
        of_categories = self._shares.reserved(folds)
        return max(0, self.table.memory - of_categories - n_entries * BYTES_PER_KEPT)

    def _most_entries(self, found: dict[Hashable, NumericCounts], folds: Folds) -> int:
        """Return how many entries of one more column fit in memory while it is counted."""
        return self._free(found, folds) // BYTES_PER_ENTRY

    def _n_bins(self, found: dict[Hashable, NumericCounts], folds: Folds, n_columns: int) -> int:
        """Return how many bins of each of some columns fit in memory with their counts."""
        n_groups = (self.table.n_classes + 1) * folds.n_folds
        most = self._free(found, folds) // (2 * BYTES_PER_KEPT * n_groups * n_columns)
        return min(MOST_ENGINE_BINS, max(LEAST_BINS, most))

    def _tier(self, values: NDArray[np.float64], folds: Folds, most: int) -> str:
        """Return how a column is counted; at most `most` entries fit in memory."""
        present = values[~np.isnan(values)]
        n_rows = round(len(present) / max(1, len(values)) * self.table.n_rows)
        n_values = expected_values(present, n_rows)
        fits = self._expected_entries(values, folds) <= most
        if fits and n_values <= MOST_VALUES:
            return "values"
        repeats = n_values < NEARLY_ALL * n_rows or different_share(present, n_rows) < NEARLY_ALL
        if fits:
            return "column" if repeats or self.table.n_rows <= MOST_IN_MEMORY else "bins"
        return "ranges" if repeats else "bins"

    def _expected_entries(self, values: NDArray[np.float64], folds: Folds) -> float:
        """Return about how many entries a column has; these are its values in the sample."""
        present = values[~np.isnan(values)]
        n_rows = round(len(present) / max(1, len(values)) * self.table.n_rows)
        n_groups = (self.table.n_classes + 1) * folds.n_folds
        return min(n_rows, expected_values(present, n_rows) * n_groups)

    def _set_tier(self, column: Column, tier: str) -> None:
        """Note how a column is counted, and forget how it was counted for other folds."""
        self.tiers[column.name] = tier
        self.bins.pop(column.name, None)
        self.merged.pop(column.name, None)

    def _by_value(self, column: Column, folds: Folds, found: dict[Hashable, NumericCounts]) -> bool:
        """Add the counts of a column by value to `found`, unless they do not fit in memory."""
        counts = self._values_in(column, folds, None, self._most_entries(found, folds))
        if counts is not None:
            found[column.name] = counts
        return counts is not None

    def _by_range(
        self,
        column: Column,
        folds: Folds,
        sample: MemoryRows,
        found: dict[Hashable, NumericCounts],
        n_left: int,
    ) -> bool:
        """Add the counts of a column by value, made range by range, unless it takes too many.

        It has a share of the memory that is left for `n_left` columns.
        """
        values, free = sample.batch.numeric(column.name), self._free(found, folds)
        # A quarter of the memory is for the range that is counted.
        at_once = free // 4 // BYTES_IN_RANGE
        n_ranges = int(1.1 * self._expected_entries(values, folds) / max(1, at_once)) + 1
        if n_ranges > MOST_RANGES:
            return False
        in_ranges = count_by_ranges(
            lambda one: self._values_in(column, folds, one, at_once),
            values,
            n_ranges,
            3 * free // 4 // n_left // BYTES_PER_ENTRY,
        )
        if in_ranges is None:
            return False
        self._set_tier(column, "ranges")
        found[column.name] = in_ranges.counts
        if in_ranges.merged:
            self._refine_runs(column, folds, found)
        return True

    def _values_in(
        self, column: Column, folds: Folds, of: ValueRange | None, most: int
    ) -> NumericCounts | None:
        """Count a column by value, all of it or a range; None = more than `most` entries."""
        value = self.table.column(column).value
        condition = "" if of is None else f"WHERE {_within(value, of)} "
        values, groups, rows = self.table.fetch(
            f"{value} AS v, {self.table.group(folds)} AS g, count(*) AS n",
            f"{condition}GROUP BY 1, 2 LIMIT {most + 1}",
        )
        if len(values) > most:
            return None
        counts = values.astype(np.float64) + 0.0, groups.astype(np.int64), rows.astype(np.int64)
        return counts_of_values(counts, self.table.n_classes, folds.n_folds)

    def _in_bins(
        self, columns: Sequence[Column], folds: Folds, sample: MemoryRows, n_bins: int
    ) -> list[_BinnedColumn]:
        """Count bins of columns in one scan."""
        counted = [self.table.column(column) for column in columns]
        extremes = self._extremes_of(columns, counted)
        edges = [
            bin_edges(_present(sample, column), one.least, one.most, n_bins)
            for column, one in zip(columns, extremes, strict=True)
        ]
        scan = self.table.scan([column.value for column in counted], edges, folds)
        counts = once_more(lambda: self.table.engine.count_bins(scan, self.table.report))
        return [
            _BinnedColumn.of_counts(column, edge, one.least, count, self.table.n_classes, folds)
            for column, edge, one, count in zip(columns, edges, extremes, counts, strict=True)
        ]

    def _refine(
        self,
        binned: Sequence[_BinnedColumn],
        folds: Folds,
        sample: MemoryRows,
        found: dict[Hashable, NumericCounts],
    ) -> None:
        """Refine bins of columns around their cuts, and add the counts to `found`.

        Bins are too coarse for a column with thousands of cuts, which is counted by value.
        """
        # Searches of several columns at the same time: they release the GIL.
        all_cuts = map_in_threads(_BinnedColumn.cuts, binned, self.n_jobs)
        refined: list[tuple[_BinnedColumn, list[NDArray[np.float64]]]] = []
        for one, cuts in zip(binned, all_cuts, strict=True):
            column, n_bins = one.column, BINS_PER_CUT * len(cuts[0])
            if n_bins > len(one.edges) and self._by_value(column, folds, found):
                self._set_tier(column, "column")
            elif n_bins <= MOST_ENGINE_BINS or not self._by_range(
                column, folds, sample, found, len(binned)
            ):
                refined.append((one, cuts))
                self.bins[column.name] = len(one.edges)
        self._count_windows(refined, folds, found)

    def _refine_runs(
        self, column: Column, folds: Folds, found: dict[Hashable, NumericCounts]
    ) -> None:
        """Refine runs of merged values around their cuts."""
        (least,) = self._extremes_of([column], [self.table.column(column)])
        runs = _BinnedColumn.of_entries(column, found[column.name], least.least, folds)
        self.merged[column.name] = len(runs.edges)
        self._count_windows([(runs, runs.cuts())], folds, found)

    def _count_windows(
        self,
        refined: Sequence[tuple[_BinnedColumn, list[NDArray[np.float64]]]],
        folds: Folds,
        found: dict[Hashable, NumericCounts],
    ) -> None:
        """Count windows around the cuts of columns in one scan, and add the counts to `found`."""
        if not refined:
            return
        most = self._most_entries(found, folds) // len(refined)
        windows = [one.windows(cuts, most) for one, cuts in refined]
        values = [self.table.column(one.column).value for one, _ in refined]
        scan = self.table.scan(values, windows, folds)
        exact = once_more(lambda: self.table.engine.count_windows(scan, self.table.report))
        for (one, _), inside, around in zip(refined, exact, windows, strict=True):
            found[one.column.name] = one.refined(inside, around)


@dataclass(frozen=True, eq=False)
class _BinnedColumn:
    """A column counted in ranges of values: bins, or runs of values that were merged."""

    column: Column
    entries: NumericCounts
    edges: NDArray[np.float64]  # (E,), the upper edges of the ranges
    by_class: NDArray[np.int64]  # (E, J + 1), rows of each range by class, unlabeled ones last
    least: float  # least value of the column
    folds: Folds

    @classmethod
    def of_counts(
        cls,
        column: Column,
        edges: NDArray[np.float64],
        least: float,
        counts: NDArray[np.int64],
        n_classes: int,
        folds: Folds,
    ) -> _BinnedColumn:
        """Return bins from counts of shape (E + 2, groups)."""
        shape = len(edges), n_classes + 1, folds.n_folds
        by_class = counts[1:-1].reshape(shape).sum(axis=2)
        entries = counts_of_bins(counts, edges, least, n_classes, folds.n_folds)
        return cls(column, entries, edges, by_class, least, folds)

    @classmethod
    def of_entries(
        cls, column: Column, entries: NumericCounts, least: float, folds: Folds
    ) -> _BinnedColumn:
        """Return runs of values."""
        assert entries.rows is not None
        first = entries.n_missing
        edges, run = np.unique(entries.values[first:], return_inverse=True)
        by_class = np.zeros((len(edges), entries.n_classes + 1), dtype=np.int64)
        np.add.at(by_class, (run, entries.classes[first:]), entries.rows[first:])
        return cls(column, entries, edges, by_class, least, folds)

    def cuts(self) -> list[NDArray[np.float64]]:
        """Return the cuts of all rows, and of the rows that the model of each fold learns from."""
        return first_cuts(self.entries, self.folds.learned_from)

    def windows(self, cuts: Sequence[NDArray[np.float64]], most: int) -> NDArray[np.float64]:
        """Return the windows to count by value; at most `most` rows are counted."""
        others = min(OUTSTANDING_ROWS, most // 4)
        inside = near_cuts(cuts, self.by_class, self.edges, ROWS_IN_WINDOWS, most - others)
        inside |= outstanding(cuts[0], self.by_class[:, :-1], self.edges, others)
        return windows_of(inside, self.edges, self.least)

    def refined(self, found: WindowCounts, windows: NDArray[np.float64]) -> NumericCounts:
        """Return the ranges with values instead of those inside windows."""
        exact = counts_of_values(found, self.entries.n_classes, self.folds.n_folds)
        return refined(self.entries, exact, windows)


def _within(value: str, of: ValueRange) -> str:
    """Return the condition that a value is in a range; without a lower bound, or missing."""
    bounds = [] if of.low is None else [f"{value} > {double(of.low)}"]
    bounds += [] if of.high is None else [f"{value} <= {double(of.high)}"]
    if of.low is not None:
        return " AND ".join(bounds)
    return " OR ".join([f"{value} IS NULL", *(bounds or [f"{value} IS NOT NULL"])])


def _present(sample: MemoryRows, column: Column) -> NDArray[np.float64]:
    values = sample.batch.numeric(column.name)
    found: NDArray[np.float64] = values[~np.isnan(values)]
    return found


def _named(codes: NDArray[Any], view: View) -> NDArray[Any]:
    """Return the categories of a view, from their numbers."""
    numbers = np.asarray(codes, dtype=np.float64).tolist()
    found = [None if np.isnan(code) else view.categories[int(code)] for code in numbers]
    return np.array(found, dtype=object)

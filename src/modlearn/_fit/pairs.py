"""From the counts of pairs of columns to their grids."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from numbers import Integral, Real
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from modlearn._fit.checkpoint import Checkpoint
from modlearn._fit.columns import members_of_groups
from modlearn._model.grid import Grid
from modlearn._model.partitions import Groups, Intervals, Partition
from modlearn._parallel import Progress, each_in_threads, map_in_threads
from modlearn._search.discretization import median_cut, midpoint
from modlearn._search.grid import FoundGrid, best_grid, grid_of_parts, improved_grid
from modlearn._search.intervals import tolerance_of
from modlearn._search.screening import RUNS_OF_COLUMN, screening_scores
from modlearn._statistics.categories import CategoryCounts, pooled_among
from modlearn._statistics.numeric import NumericCounts
from modlearn._statistics.pairs import PairCounts
from modlearn._statistics.rows import Bins, Rows
from modlearn.criteria import axis_prior, discretization_cost, grouping_cost, level
from modlearn.schema import listed

__all__ = [
    "AxisColumn",
    "Pair",
    "PairSearch",
    "axis_column",
    "axis_partition",
    "fit_pairs",
    "largest_first",
]

Parts = NDArray[np.intp]


@dataclass(frozen=True)
class AxisColumn:
    """One column as an axis, with its best partition alone.

    Parameters
    ----------
    partition : Partition
        The best partition of the column.
    values : ndarray of shape (V,), or tuple
        Distinct values of the column among the labeled rows, missing first.
    rows : ndarray of shape (V,), int64
        Labeled rows of each value.
    parts : ndarray of shape (V,), intp
        Part of each value in the best partition.
    unlabeled : NumericCounts or CategoryCounts
        The unlabeled rows.
    lows : ndarray of shape (V,), float64, default=None
        Lower bounds of values that stand for ranges, as an engine counts them; None = none does.
    """

    partition: Partition
    values: NDArray[np.float64] | tuple[Hashable, ...]
    rows: NDArray[np.int64]
    parts: Parts
    unlabeled: NumericCounts | CategoryCounts
    lows: NDArray[np.float64] | None = None

    @property
    def name(self) -> Hashable:
        """Name of the column."""
        return self.partition.name

    @property
    def ordered(self) -> bool:
        """Whether parts are intervals; otherwise they are groups."""
        return isinstance(self.partition, Intervals)

    @property
    def n_values(self) -> int:
        """V, the number of distinct values."""
        return len(self.values)

    @property
    def is_exact(self) -> bool:
        """Whether no value stands for a range of values, or for several of them."""
        if isinstance(self.values, tuple):
            return pooled_among(self.values) is None
        return self.lows is None or np.array_equal(self.lows, self.values, equal_nan=True)

    @property
    def saving(self) -> float:
        """What the partition saves compared with one part, in nats."""
        return self.partition.null_cost - self.partition.cost

    @cached_property
    def null_cost(self) -> float:
        """Cost of one part, by the criterion of labeled rows."""
        return self.cost(self.partition.counts.sum(axis=0, keepdims=True))

    def cost(self, counts: NDArray[np.int64]) -> float:
        """Cost of parts with these counts, by the criterion of labeled rows."""
        if self.ordered:
            return discretization_cost(counts)
        return grouping_cost(counts, self.n_values)

    def bins(self, n_bins: int) -> Bins:
        """Return a coarse view: runs of values with about equal rows, or frequent values."""
        if not self.ordered:
            rank = np.argsort(np.argsort(-self.rows, kind="stable"))
            return Bins(self.name, np.minimum(rank, n_bins - 1).astype(np.uint8))
        if self.n_values <= n_bins:
            return Bins(self.name, np.arange(self.n_values, dtype=np.uint8))
        middles = np.cumsum(self.rows) - self.rows / 2
        runs = (middles * (n_bins / self.rows.sum())).astype(np.int32)
        return Bins(self.name, np.unique(runs, return_inverse=True)[1].astype(np.uint8))


def axis_column(rows: Rows, partition: Partition) -> AxisColumn:
    """Count a column and number its values."""
    if isinstance(partition, Intervals):
        (numbers,) = rows.numeric([partition.name])
        with_class, without = numbers.by_label()
        values, counts = with_class.distinct()
        parts = partition.codes(values).astype(np.intp)
        return AxisColumn(partition, values, counts, parts, without, with_class.distinct_lows())
    assert isinstance(partition, Groups)
    (categories,) = rows.categories([partition.name])
    labeled, unlabeled = categories.by_label()
    parts = partition.codes(labeled.values).astype(np.intp)
    return AxisColumn(partition, labeled.values, labeled.rows_of_values, parts, unlabeled)


def largest_first(parts: Parts, rows: NDArray[np.int64]) -> NDArray[np.intp]:
    """Order groups by decreasing rows, ties by their first value."""
    first = np.unique(parts, return_index=True)[1]
    return np.lexsort((first, -rows))


def axis_partition(column: AxisColumn, parts: Parts, counts: NDArray[np.int64]) -> Partition:
    """Return one axis of a grid as a partition of its column."""
    if column.ordered:
        return _intervals(column, parts, counts)
    known, cost, values = column.partition, column.cost(counts), column.values
    assert isinstance(values, tuple)
    return Groups(
        name=known.name,
        classes=known.classes,
        counts=counts,
        unlabeled_counts=_unlabeled_of_groups(column, parts, len(counts)),
        cost=cost,
        null_cost=column.null_cost,
        level=level(cost, column.null_cost),
        proven_optimal=False,
        groups=members_of_groups(values, parts, column.rows),
    )


def _unlabeled_of_groups(column: AxisColumn, parts: Parts, n_parts: int) -> NDArray[np.int64]:
    """Count unlabeled rows per group; values that only unlabeled rows have are in no group."""
    found = np.zeros(n_parts, dtype=np.int64)
    rest = column.unlabeled
    assert isinstance(rest, CategoryCounts)
    if rest.n_values:
        assert isinstance(column.values, tuple)
        part_of = dict(zip(column.values, parts.tolist(), strict=True))
        for value, rows in zip(rest.values, rest.rows_of_values.tolist(), strict=True):
            if value in part_of:
                found[part_of[value]] += rows
    return found


def _intervals(column: AxisColumn, parts: Parts, counts: NDArray[np.int64]) -> Intervals:
    """Return the intervals of an axis; cuts are midway, or at the median of unlabeled rows."""
    known, values, rest = column.partition, column.values, column.unlabeled
    assert isinstance(known, Intervals)
    assert isinstance(values, np.ndarray)
    assert isinstance(rest, NumericCounts)
    ends = np.flatnonzero(np.diff(parts)) + 1
    missing_alone = len(ends) > 0 and bool(np.isnan(values[ends[0] - 1]))
    lows = values if column.lows is None else column.lows
    left, right = values[ends - 1][missing_alone:], lows[ends][missing_alone:]
    if len(rest.values):
        cuts = np.array([median_cut(a, b, rest) for a, b in zip(left, right, strict=True)])
        sides = _sides(left, right, cuts, rest)
    else:
        cuts, sides = np.atleast_1d(midpoint(left, right)), np.column_stack((left, right))
    cost = column.cost(counts)
    found = Intervals(
        name=known.name,
        classes=known.classes,
        counts=counts,
        unlabeled_counts=np.zeros(len(counts), dtype=np.int64),
        cost=cost,
        null_cost=column.null_cost,
        level=level(cost, column.null_cost),
        proven_optimal=False,
        cuts=cuts.astype(np.float64),
        sides=sides,
        missing_alone=missing_alone,
        n_missing=(int(column.rows[0]) if np.isnan(values[0]) else 0) + rest.missing[1],
        kind=known.kind,
    )
    if len(rest.values):
        codes = found.codes(rest.values)
        found.unlabeled_counts[:] = np.bincount(codes, rest.rows, len(counts)).astype(np.int64)
    return found


def _sides(
    left: NDArray[np.float64],
    right: NDArray[np.float64],
    cuts: NDArray[np.float64],
    unlabeled: NumericCounts,
) -> NDArray[np.float64]:
    """Return the values on both sides of every cut, labeled or unlabeled, shape (n_cuts, 2)."""
    rest = np.concatenate(([-np.inf], unlabeled.values[unlabeled.n_missing :], [np.inf]))
    right_of = np.searchsorted(rest[1:-1], cuts, side="right")
    return np.column_stack(
        (np.maximum(left, rest[right_of]), np.minimum(right, rest[right_of + 1]))
    )


Pair = tuple[Hashable, Hashable]

SHARES = (0.01, 0.002, 0.0004)
"""Share of the rows on each side of a cut in which the bins of an engine are refined, in turn."""

AT_ONCE = 100
"""Number of pairs whose counts are asked for at once."""

AT_A_TIME = 256
"""Number of pairs that a thread screens at a time."""


@dataclass(frozen=True)
class PairSearch:
    """Which pairs are searched, and how.

    Parameters
    ----------
    pairs : "all", sequence of pairs of names, int or float
        All pairs; the pairs named; this number of pairs, those that score best in screening; or as
        many of those as can be started within this number of seconds.
    n_jobs : int or None
        Number of threads that work on pairs.
    progress : callable
        Called as ``progress("pairs", done, total)``.
    checkpoint : path or None
        File in which finished pairs are saved, and from which a search is resumed.
    keeps_interrupted : bool
        Whether an interruption by the user ends the search with the pairs found, or raises.
    """

    pairs: Any
    n_jobs: int | None
    progress: Progress
    checkpoint: Any = None
    keeps_interrupted: bool = True


def fit_pairs(
    rows: Rows, partitions: Sequence[Partition], search: PairSearch
) -> tuple[dict[Pair, Grid], bool]:
    """Find the grids of pairs, those that score best first; return whether all were searched.

    `partitions` holds the partition of every column of the table.
    """
    began = monotonic()
    rows, partitions = rows.for_pairs(partitions)
    columns = map_in_threads(lambda p: axis_column(rows, p), partitions, search.n_jobs)
    requested, seconds = _requested(rows, columns, search)
    until = None if seconds is None else began + seconds
    by_name = {column.name: column for column in columns}
    grids = _search(rows, by_name, requested, search, until)
    return _refined(rows, by_name, grids, search.n_jobs), len(grids) == len(requested)


def _refined(
    rows: Rows, columns: Mapping[Hashable, AxisColumn], grids: dict[Pair, Grid], n_jobs: int | None
) -> dict[Pair, Grid]:
    """Return grids whose cuts are moved to where they belong, if rows were counted in bins."""
    found = dict(grids)

    def work(finer: tuple[Pair, Rows]) -> Grid:
        pair, view = finer
        axes = [axis_column(view, columns[name].partition) for name in pair]
        (counts,) = view.cells([pair])
        parts: list[Any] = list(found[pair].axes)
        first, second = (
            part.codes(axis.values).astype(np.intp) for part, axis in zip(parts, axes, strict=True)
        )
        return _grid(axes, improved_grid(counts, (first, second)))

    def keep(finer: tuple[Pair, Rows], grid: Grid) -> None:
        if grid.cost < found[finer[0]].cost:
            found[finer[0]] = grid

    for share in SHARES:
        each_in_threads(work, rows.around(dict(found), share), keep, n_jobs)
    return found


def _requested(
    rows: Rows, columns: list[AxisColumn], search: PairSearch
) -> tuple[list[Pair], float | None]:
    """Return the pairs to search, those that score best first, and the time limit in seconds."""
    names = [column.name for column in columns]
    pairs, seconds, most = search.pairs, None, None
    if isinstance(pairs, Integral):
        most = int(pairs)
    elif isinstance(pairs, Real):
        seconds = float(pairs)
    named = not isinstance(pairs, str | Real)
    some = _named(pairs, names) if named else list(combinations(range(len(names)), 2))
    ranked = _ranked(rows, columns, some, search.n_jobs)[:most]
    return [(names[a], names[b]) for a, b in ranked], seconds


def _named(pairs: Iterable[Any], names: list[Hashable]) -> list[tuple[int, int]]:
    """Return the column indices of the pairs that the user names, each pair once."""
    index = {name: i for i, name in enumerate(names)}
    found: dict[frozenset[int], tuple[int, int]] = {}
    for pair in pairs.tolist() if isinstance(pairs, np.ndarray) else pairs:
        if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
            raise ValueError(
                f"pairs holds {pair!r}: pass pairs of column names, such as ('a', 'b')."
            )
        unknown = [name for name in pair if name not in index]
        if unknown:
            raise ValueError(
                f"pairs names the column {unknown[0]!r}, which the table does not have: its "
                f"columns are {listed(names, 10)}."
            )
        a, b = (index[name] for name in pair)
        if a == b:
            raise ValueError(f"pairs holds {pair!r}: a pair needs two different columns.")
        found.setdefault(frozenset((a, b)), (a, b))
    return list(found.values())


def _ranked(
    rows: Rows, columns: list[AxisColumn], pairs: list[tuple[int, int]], n_jobs: int | None
) -> list[tuple[int, int]]:
    """Sort pairs by decreasing screening score; pairs with equal scores keep their order."""
    if len(pairs) < 2:
        return pairs
    binned = rows.binned([column.bins(RUNS_OF_COLUMN) for column in columns], RUNS_OF_COLUMN)
    n_rows = int(rows.target.counts.sum())
    prior = np.concatenate(([0.0], axis_prior(n_rows, None, np.arange(1, RUNS_OF_COLUMN + 1))))
    table = np.array(pairs, dtype=np.int64)

    def scores(first: int) -> NDArray[np.float64]:
        cells = binned.cells(table[first : first + AT_A_TIME])
        return screening_scores(cells, 2 * prior, prior + prior[1])

    found = np.concatenate(map_in_threads(scores, range(0, len(pairs), AT_A_TIME), n_jobs))
    # Rounded, so that scores that differ only by rounding errors are ties.
    order = np.argsort(-np.round(found, 6), kind="stable")
    return [pairs[i] for i in order.tolist()]


def _search(
    rows: Rows,
    columns: dict[Hashable, AxisColumn],
    requested: list[Pair],
    search: PairSearch,
    until: float | None,
) -> dict[Pair, Grid]:
    """Search pair after pair until all are done, the time is up, or the user interrupts."""
    checkpoint = Checkpoint.at(search.checkpoint, list(columns.values()), rows)
    grids: dict[Pair, Grid] = {}

    def work(counted: tuple[Pair, PairCounts]) -> FoundGrid:
        pair, counts = counted
        known = checkpoint.found(pair)
        if known is not None:
            return grid_of_parts(counts, *known)
        return best_grid(counts, (columns[pair[0]].parts, columns[pair[1]].parts))

    def recall(counted: tuple[Pair, PairCounts], found: FoundGrid) -> None:
        grids[counted[0]] = _grid([columns[name] for name in counted[0]], found)

    def keep(counted: tuple[Pair, PairCounts], found: FoundGrid) -> None:
        recall(counted, found)
        pair = counted[0]
        checkpoint.add(pair, found.parts, found.proven)
        search.progress("pairs", len(grids), len(requested))

    known = [pair for pair in requested if pair in checkpoint]
    try:
        # Pairs of an earlier search are available at once, whatever the time limit.
        each_in_threads(work, _counted(rows, known), recall, search.n_jobs)
        search.progress("pairs", len(grids), len(requested))
        todo = [pair for pair in requested if pair not in grids]
        each_in_threads(work, _counted(rows, todo), keep, search.n_jobs, until)
    except KeyboardInterrupt:
        # Keep the pairs found, with a warning that others are missing; raise if there are none.
        if not (grids and search.keeps_interrupted):
            raise
        _warn_of_missing(len(grids), len(requested))
    finally:
        checkpoint.save()
    return {pair: grids[pair] for pair in requested if pair in grids}


def _counted(rows: Rows, pairs: list[Pair]) -> Iterator[tuple[Pair, PairCounts]]:
    """Yield pairs with their counts; an engine counts many pairs in one scan."""
    for first in range(0, len(pairs), AT_ONCE):
        some = pairs[first : first + AT_ONCE]
        yield from zip(some, rows.cells(some), strict=True)


def _warn_of_missing(n_found: int, n_requested: int) -> None:
    """Warn that a search was interrupted, unless all pairs were found."""
    if n_found < n_requested:
        pairs = "1 pair" if n_found == 1 else f"{n_found} pairs"
        warnings.warn(
            f"Interrupted after {pairs}: the others are missing from levels_.", stacklevel=5
        )


def _grid(columns: list[AxisColumn], found: FoundGrid) -> Grid:
    """Return the grid of the parts found."""
    parts, counts = list(found.parts), found.counts
    for k in (0, 1):
        if not columns[k].ordered:
            order = largest_first(parts[k], counts.sum(axis=(1 - k, 2)))
            parts[k] = np.argsort(order)[parts[k]]
            counts = np.take(counts, order, axis=k)
    axes = [
        axis_partition(column, part, counts.sum(axis=1 - k))
        for k, (column, part) in enumerate(zip(columns, parts, strict=True))
    ]
    pair_level = level(found.cost, found.null_cost)
    synergy = found.null_cost - found.cost - sum(column.saving for column in columns)
    return Grid(
        axes=(axes[0], axes[1]),
        counts=np.ascontiguousarray(counts),
        cost=found.cost,
        null_cost=found.null_cost,
        level=pair_level,
        gain=pair_level - max(column.partition.level for column in columns),
        synergy=synergy if abs(synergy) > tolerance_of(int(counts.sum())) else 0.0,
        proven_optimal=found.proven and all(column.is_exact for column in columns),
    )

"""Pairs of columns from table to grids: the stages in a row."""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from numbers import Integral, Real
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils._param_validation import Interval, StrOptions

from modlearn._fit.axes import AxisColumn, axis_column, axis_partition, largest_first
from modlearn._fit.checkpoint import Checkpoint
from modlearn._fit.columns import codes_of_column
from modlearn._model.grid import Grid
from modlearn._model.partition import Partition
from modlearn._parallel import Progress, each_in_threads, map_in_threads
from modlearn._search.grid import FoundGrid, best_grid, grid_of_parts
from modlearn._search.intervals import tolerance_of
from modlearn._search.screening import RUNS_OF_COLUMN, screening_scores
from modlearn._statistics._cells import count_coarse_cells
from modlearn._statistics.pairs import PairCounts
from modlearn._tables.memory.table import Table
from modlearn._tables.names import listed
from modlearn._tables.target import Target
from modlearn.criteria import axis_prior, level

__all__ = [
    "PAIRS",
    "Pair",
    "PairSearch",
    "codes_of_pair",
    "fit_pairs",
    "refuse_one_column",
    "wanted_pairs",
]

Pair = tuple[Hashable, Hashable]
Parts = NDArray[np.intp]

PAIRS: list[Any] = [
    "boolean",
    StrOptions({"all"}),
    "array-like",
    Interval(Integral, 1, None, closed="left"),
    Interval(Real, 0, None, closed="neither"),
]
"""What a parameter `pairs` may be."""

AT_A_TIME = 256
"""Pairs whose promise a thread judges before it takes others."""


@dataclass(frozen=True)
class PairSearch:
    """Which pairs are searched, and how.

    Parameters
    ----------
    pairs : "all", sequence of pairs of names, int or float
        All pairs, given ones, so many of the most promising, or as many of these as can be begun
        within so many seconds.
    n_jobs : int or None
        Threads, over pairs.
    progress : callable
        Called as ``progress("pairs", done, total)``.
    checkpoint : path or None
        File that keeps what is found, and from which a search is resumed.
    keeps_interrupted : bool
        Whether an interruption by the user ends the search with what is found, or the work.
    """

    pairs: Any
    n_jobs: int | None
    progress: Progress
    checkpoint: Any = None
    keeps_interrupted: bool = True


def fit_pairs(
    table: Table, target: Target, partitions: Sequence[Partition], search: PairSearch
) -> tuple[dict[Pair, Grid], bool]:
    """Find grids, the most promising pairs first; and whether all that were asked for are found.

    `partitions` holds that of every column of the table.
    """
    began = monotonic()
    used = target.is_labeled
    if target.weights is not None:
        used &= target.weights > 0
    columns = map_in_threads(
        lambda i: axis_column(table, i, partitions[i], target, used),
        range(len(partitions)),
        search.n_jobs,
    )
    rows = None if target.weights is None else target.weights[used]
    counted = _Counted(columns, target.codes[used], rows, target.n_classes)
    wanted, seconds = _wanted(counted, search)
    until = None if seconds is None else began + seconds
    grids = _search(counted, wanted, search, until)
    return grids, len(grids) == len(wanted)


def wanted_pairs(pairs: Any) -> Any:
    """A parameter `pairs` with True as "all" and False as None, those of NumPy too."""
    if not isinstance(pairs, bool | np.bool_):
        return pairs
    return "all" if pairs else None


@dataclass(frozen=True)
class _Counted:
    """The columns, and the classes of the labeled rows."""

    columns: list[AxisColumn]
    classes: NDArray[np.int32]
    rows: NDArray[np.int64] | None
    n_classes: int

    def pair(self, a: int, b: int) -> PairCounts:
        axes = self.columns[a].axis, self.columns[b].axis
        return PairCounts(axes, self.classes, self.rows, self.n_classes)

    def name(self, pair: tuple[int, int]) -> Pair:
        a, b = pair
        return self.columns[a].partition.name, self.columns[b].partition.name


def _wanted(counted: _Counted, search: PairSearch) -> tuple[list[tuple[int, int]], float | None]:
    """Pairs to search, the most promising first, and the seconds there are for them."""
    names = [column.partition.name for column in counted.columns]
    pairs, seconds, most = search.pairs, None, None
    if isinstance(pairs, Integral):
        most = int(pairs)
    elif isinstance(pairs, Real):
        seconds = float(pairs)
    named = not isinstance(pairs, str | Real)
    some = _given(pairs, names) if named else list(combinations(range(len(names)), 2))
    return _ranked(counted, some, search.n_jobs)[:most], seconds


def _given(pairs: Iterable[Any], names: list[Hashable]) -> list[tuple[int, int]]:
    """Columns of the pairs that a user names, each pair once."""
    place = {name: i for i, name in enumerate(names)}
    found: dict[frozenset[int], tuple[int, int]] = {}
    for pair in pairs.tolist() if isinstance(pairs, np.ndarray) else pairs:
        if isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2:
            raise ValueError(
                f"pairs holds {pair!r}: give pairs of column names, such as ('a', 'b')."
            )
        unknown = [name for name in pair if name not in place]
        if unknown:
            raise ValueError(
                f"pairs names the column {unknown[0]!r}, which the table does not have: its "
                f"columns are {listed(names, 10)}."
            )
        a, b = (place[name] for name in pair)
        if a == b:
            raise ValueError(f"pairs holds {pair!r}: a pair needs two different columns.")
        found.setdefault(frozenset((a, b)), (a, b))
    return list(found.values())


def _ranked(
    counted: _Counted, pairs: list[tuple[int, int]], n_jobs: int | None
) -> list[tuple[int, int]]:
    """Pairs by decreasing promise; of equal ones as they come."""
    if len(pairs) < 2:
        return pairs
    rows = counted.rows
    runs = np.stack([column.axis.few_runs(RUNS_OF_COLUMN, rows) for column in counted.columns])
    n_rows = len(counted.classes) if rows is None else int(rows.sum())
    prior = np.concatenate(([0.0], axis_prior(n_rows, None, np.arange(1, RUNS_OF_COLUMN + 1))))
    table = np.array(pairs, dtype=np.int64)
    classes = np.ascontiguousarray(counted.classes)

    def scores(first: int) -> NDArray[np.float64]:
        some = table[first : first + AT_A_TIME]
        cells = count_coarse_cells(runs, classes, rows, counted.n_classes, some, RUNS_OF_COLUMN)
        return screening_scores(cells, 2 * prior, prior + prior[1])

    found = np.concatenate(map_in_threads(scores, range(0, len(pairs), AT_A_TIME), n_jobs))
    # Rounded, so that scores equal but for rounding are ties.
    order = np.argsort(-np.round(found, 6), kind="stable")
    return [pairs[i] for i in order.tolist()]


def _search(
    counted: _Counted, wanted: list[tuple[int, int]], search: PairSearch, until: float | None
) -> dict[Pair, Grid]:
    """Search pair after pair, until all are done or time is up, or the user interrupts."""
    axes = [column.axis for column in counted.columns]
    checkpoint = Checkpoint.at(search.checkpoint, axes, counted.classes, counted.rows)
    grids = {
        pair: _grid(counted, pair, grid_of_parts(counted.pair(*pair), *known))
        for pair in wanted
        if (known := checkpoint.found(pair)) is not None
    }
    search.progress("pairs", len(grids), len(wanted))

    def work(pair: tuple[int, int]) -> FoundGrid:
        a, b = pair
        singles = counted.columns[a].parts, counted.columns[b].parts
        return best_grid(counted.pair(a, b), singles)

    def keep(pair: tuple[int, int], found: FoundGrid) -> None:
        grids[pair] = _grid(counted, pair, found)
        checkpoint.add(pair, found.parts, found.proven)
        search.progress("pairs", len(grids), len(wanted))

    try:
        todo = [pair for pair in wanted if pair not in grids]
        each_in_threads(work, todo, keep, search.n_jobs, until)
    except KeyboardInterrupt:
        # What is found is kept, and the user is told that some is missing; nothing is no result.
        if not (grids and search.keeps_interrupted):
            raise
        _tell_what_is_missing(len(grids), len(wanted))
    finally:
        checkpoint.save()
    return {counted.name(pair): grids[pair] for pair in wanted if pair in grids}


def _tell_what_is_missing(n_found: int, n_wanted: int) -> None:
    """Warn that a search was interrupted, unless all was found."""
    if n_found < n_wanted:
        pairs = "1 pair" if n_found == 1 else f"{n_found} pairs"
        warnings.warn(
            f"Interrupted after {pairs}: the others are missing from levels_.", stacklevel=5
        )


def _grid(counted: _Counted, pair: tuple[int, int], found: FoundGrid) -> Grid:
    """The model of what was found."""
    columns = [counted.columns[i] for i in pair]
    parts, counts = list(found.parts), found.counts
    for k in (0, 1):
        if not columns[k].axis.ordered:
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
        proven_optimal=found.proven,
    )


def refuse_one_column(table: Table) -> None:
    """Raise where there is no pair."""
    if len(table.names) < 2:
        raise ValueError(
            "Found array with 1 feature(s) while a minimum of 2 is required: a pair needs two "
            "columns."
        )


def codes_of_pair(table: Table, columns: tuple[int, int], grid: Grid) -> NDArray[np.int32]:
    """Return the cell of every row: code on the first axis times I2, plus code on the second."""
    first, second = (
        codes_of_column(table, i, axis) for i, axis in zip(columns, grid.axes, strict=True)
    )
    return grid.codes(first, second)

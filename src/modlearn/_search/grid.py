"""The best grid on two columns: each is partitioned in turn while the other is fixed.

With one column fixed, the cost is a prior of the other's parts and a sum over these, so that the
searches for one column serve; a part then has a cell for each part of the fixed column. Every such
step is good given the other column, but the two together may be caught in a grid that neither
improves. So there are several starts, at a resolution where a step costs little; the best of what
they lead to is improved at full resolution; and then one column of the best grid is disturbed, by
random bounds in place of some of its own, and the other is partitioned anew, until that has failed
a number of times.

If one column has few values, all its partitions are tried, each with the best one of the other
column: then no grid is better.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from modlearn._search.axis_parts import (
    Parts,
    all_parts,
    disturbed_parts,
    n_partitions,
    random_parts,
)
from modlearn._search.grid_steps import FEW_VALUES, MERGED_BLOCKS, Steps
from modlearn._search.intervals import is_exact
from modlearn._statistics.pairs import Axis, PairCounts
from modlearn.criteria import cell_costs

__all__ = ["FoundGrid", "best_grid", "grid_of_parts", "improved_grid"]

COARSE_VALUES = 200
"""Starts are tried on runs of values; an ordered axis has at most this number of runs."""

RANDOM_STARTS = 1
"""Number of random grids per axis to start from."""

POLISHED = 2
"""Number of the best coarse grids that are improved at full resolution."""

MOST_FAILURES = 10
"""The search ends after this number of disturbances without success.

With many rows, which take time, the number is smaller.
"""

ROWS_WITH_ALL = 4_000
"""Up to this number of rows, all of these disturbances are tried."""

MOST_PARTITIONS = 256
"""If an axis has at most this number of partitions, all are tried."""

MOST_COUNTS = 4_000_000
"""Random starts have at most as many parts as give this number of counts, which take 32 MB."""


@dataclass(frozen=True)
class FoundGrid:
    """A grid, with the part of every value of each axis.

    Parameters
    ----------
    parts : tuple of two ndarray of shape (V,), intp
        Part of every value of each axis.
    counts : ndarray of shape (I1, I2, J), int64
        Rows per cell and class.
    cost, null_cost : float
        Cost of this grid and of one cell.
    proven : bool
        Whether no grid costs less.
    """

    parts: tuple[Parts, Parts]
    counts: NDArray[np.int64]
    cost: float
    null_cost: float
    proven: bool


@dataclass(frozen=True)
class _Grid:
    """Parts of both axes, and their cost."""

    parts: tuple[Parts, Parts]
    cost: float

    @property
    def n_parts(self) -> tuple[int, int]:
        """Number of parts of each axis, I1 and I2."""
        return int(self.parts[0].max()) + 1, int(self.parts[1].max()) + 1


def best_grid(pair: PairCounts, singles: tuple[Parts, Parts], seed: int = 0) -> FoundGrid:
    """Find a grid of low cost.

    Parameters
    ----------
    pair : PairCounts
        The rows.
    singles : tuple of two ndarray
        Best partition of each axis alone: a start. The grid found is no worse than either.
    seed : int, default=0
        Random seed for the starts.
    """
    coarse_pair, runs = pair.coarse(COARSE_VALUES)
    joined = any(len(r) > r.max() + 1 for r in runs)
    coarse = _Search(coarse_pair)
    # Rows that agree are counted as one also at full resolution: the length of the search depends
    # on the number of rows, but must not depend on whether rows are repeated or have weights.
    full = _Search(pair.merged()) if joined else coarse
    one = _one_cell(pair)
    null = full.grid(one)
    axis = None if joined else coarse.enumerable()
    if axis is not None:
        best = coarse.best_of_all(axis)
    else:
        best = _best_of_starts(coarse, full, singles, runs, seed)
        alone = [full.grid((singles[0], one[1])), full.grid((one[0], singles[1]))]
        best = min([null, *alone, best], key=lambda grid: grid.cost)
    return grid_of_parts(full.pair, best.parts, axis is not None and is_exact(pair.n_rows))


def improved_grid(pair: PairCounts, parts: tuple[Parts, Parts]) -> FoundGrid:
    """Partition the axes of a grid in turn, until neither lowers the cost."""
    search = _Search(pair.merged())
    return grid_of_parts(search.pair, search.improved(search.grid(parts)).parts, proven=False)


def grid_of_parts(pair: PairCounts, parts: tuple[Parts, Parts], proven: bool) -> FoundGrid:
    """Return a grid with these parts."""
    search = _Search(pair)
    cost, null_cost = search.grid(parts).cost, search.grid(_one_cell(pair)).cost
    return FoundGrid(parts, pair.counted(parts), cost, null_cost, proven)


def _one_cell(pair: PairCounts) -> tuple[Parts, Parts]:
    """Return the grid with one part on each axis."""
    first, second = (np.zeros(axis.n_values, dtype=np.intp) for axis in pair.axes)
    return first, second


def _best_of_starts(
    coarse: _Search,
    full: _Search,
    singles: tuple[Parts, Parts],
    runs: tuple[NDArray[np.int32], ...],
    seed: int,
) -> _Grid:
    """Find a good grid from several starts on the coarse pair."""
    generator = np.random.default_rng(seed)
    grids = [
        coarse.alternate(*start) for start in coarse.starts(_on_runs(singles, runs), generator)
    ]
    kept = _different(grids, coarse.tolerance)
    kept[0] = coarse.shaken(kept[0], generator)
    if full is coarse:
        return kept[0]
    fine = [full.improved(full.grid(_on_values(grid, runs))) for grid in kept]
    return full.shaken(min(fine, key=lambda grid: grid.cost), generator)


def _on_runs(parts: tuple[Parts, Parts], runs: tuple[NDArray[np.int32], ...]) -> list[Parts]:
    """Return the part of every run, that of its middle value; parts without a run disappear."""
    found = []
    for part_of_value, run in zip(parts, runs, strict=True):
        first = np.searchsorted(run, np.arange(run.max() + 1))
        last = np.append(first[1:], len(run)) - 1
        middles = part_of_value[(first + last) // 2]
        found.append(np.unique(middles, return_inverse=True)[1])
    return found


def _on_values(grid: _Grid, runs: tuple[NDArray[np.int32], ...]) -> tuple[Parts, Parts]:
    """Return the part of every value, from the parts of the runs."""
    return grid.parts[0][runs[0]], grid.parts[1][runs[1]]


def _different(grids: list[_Grid], tolerance: float) -> list[_Grid]:
    """Return the best few grids of different cost."""
    kept: list[_Grid] = []
    for grid in sorted(grids, key=lambda grid: grid.cost):
        if not kept or grid.cost > kept[-1].cost + tolerance:
            kept.append(grid)
    return kept[:POLISHED]


@dataclass(frozen=True)
class _Search(Steps):
    """Searches for grids of one pair."""

    found: dict[Hashable, _Grid] = field(default_factory=dict)

    def grid(self, parts: tuple[Parts, Parts]) -> _Grid:
        """Return a grid with its cost."""
        counts = self.pair.counted(parts)
        priors = self.priors[0][counts.shape[0]] + self.priors[1][counts.shape[1]]
        return _Grid(parts, cell_costs(counts) + float(priors))

    def enumerable(self) -> int | None:
        """Return the axis whose partitions can all be tried, with exact steps for the other."""
        sizes = [n_partitions(axis) for axis in self.pair.axes]
        exact = [
            axis.n_values <= (MERGED_BLOCKS if axis.ordered else FEW_VALUES)
            for axis in self.pair.axes
        ]
        able = [i for i in (0, 1) if exact[1 - i] and sizes[i] <= MOST_PARTITIONS]
        return min(able, key=sizes.__getitem__, default=None)

    def best_of_all(self, axis: int) -> _Grid:
        """Return the best grid: try every partition of an axis with the best of the other."""
        best = None
        for parts in all_parts(self.pair.axes[axis]):
            trial = self.step(1 - axis, parts, None)
            if best is None or trial.cost < best.cost - self.tolerance:
                best = trial
        assert best is not None
        return best

    def starts(
        self, singles: list[Parts], generator: np.random.Generator
    ) -> Iterator[tuple[int, Parts]]:
        """Yield starts: an axis, with one part, the best parts or random parts of the other."""
        for axis in (0, 1):
            values, other = self.pair.axes[axis], self.pair.axes[1 - axis]
            # If values are grouped, every cell has a count, even cells without rows.
            most = MOST_COUNTS // (1 if values.ordered else values.n_values * self.pair.n_classes)
            n_parts = max(2, min(round(self.pair.n_rows**0.5), most))
            yield axis, np.zeros(other.n_values, dtype=np.intp)
            yield axis, singles[1 - axis]
            for _ in range(RANDOM_STARTS):
                yield axis, random_parts(other, n_parts, generator)

    def alternate(self, axis: int, fixed: Parts) -> _Grid:
        """Partition an axis given parts of the other, then both axes in turn."""
        return self.improved(self.step(axis, fixed, None), 1 - axis)

    def improved(self, grid: _Grid, axis: int = 0) -> _Grid:
        """Partition the axes in turn, until neither lowers the cost."""
        unchanged = 0
        while unchanged < 2:
            trial = self.step(axis, grid.parts[1 - axis], grid.parts[axis])
            # After a step only the other axis can gain.
            unchanged = 1 if trial.cost < grid.cost - self.tolerance else unchanged + 1
            grid = trial if unchanged == 1 and trial.cost < grid.cost else grid
            axis = 1 - axis
        return grid

    def shaken(self, best: _Grid, generator: np.random.Generator) -> _Grid:
        """Disturb an axis and partition the other again, as long as that helps."""
        failures = 0
        most = max(2, min(MOST_FAILURES, MOST_FAILURES * ROWS_WITH_ALL // len(self.pair.classes)))
        n_parts = max(2, round(0.2 * self.pair.n_rows**0.5))
        while failures < most and max(best.n_parts) > 1:
            axis = failures % 2
            other = self.pair.axes[1 - axis]
            trial = self.alternate(
                axis, disturbed_parts(best.parts[1 - axis], other, n_parts, generator)
            )
            failures += 1
            if trial.cost < best.cost - self.tolerance:
                best, failures = trial, 0
        return best

    def step(self, axis: int, fixed: Parts, current: Parts | None) -> _Grid:
        """Partition one axis, given parts of the other.

        Different starts arrive at the same parts, so results are cached.
        """
        values, other = self.pair.axes[axis], self.pair.axes[1 - axis]
        if values.ordered and values.n_values <= COARSE_VALUES:
            current = None  # the search is exact, whatever they were before
        key = (axis, _key(fixed, other), None if current is None else _key(current, values))
        if key not in self.found:
            parts = self.parts(axis, fixed, current)
            self.found[key] = self.grid((parts, fixed) if axis == 0 else (fixed, parts))
        return self.found[key]


def _key(parts: Parts, axis: Axis) -> bytes:
    """Return a key for these parts: for many values, their bounds, which are few."""
    many = axis.ordered and axis.n_values > COARSE_VALUES
    return (np.flatnonzero(np.diff(parts)) if many else parts).tobytes()

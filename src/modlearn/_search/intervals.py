"""The best partition of a sequence of blocks into intervals, for any prior concave in I.

Few blocks are searched exhaustively. Of more, a coarse sequence is: then bounds are refined at
full resolution, and the search is repeated on a finer sequence around them while that helps.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from modlearn._search.blocks import Blocks, combined
from modlearn._search.exact import IntervalCosts
from modlearn._search.greedy import merge_stretch
from modlearn._search.hull import (
    Prior,
    best_of_few,
    lowest_vertex,
    step,
    vertex_near,
    vertices_beside,
)
from modlearn._search.refinement import (
    merge_parts,
    move_bounds,
    part_costs_of,
    split_best_part,
    split_parts,
)
from modlearn._search.segments import merge_by_stretches
from modlearn.criteria import log_factorials

__all__ = [
    "Limits",
    "Optimum",
    "best_intervals",
    "good_intervals",
    "improved_intervals",
    "is_exact",
    "tolerance_of",
]

Bounds = NDArray[np.int64]

EXACT_BLOCKS = 2000
"""With no more blocks than this the search is exhaustive."""

COARSE_BLOCKS = 1000
"""To so many blocks more of them are merged greedily for the first search."""

FINER_BLOCKS = 1500
"""To so many in a second first search, unless the column is long."""

FINE_BLOCKS = 20_000
"""To so many they are merged before; the later searches choose their places from these."""

LONG_COLUMN = 100_000
"""With more blocks than this there are fewer and smaller searches."""

INTERVALS_AGAIN = 4_000_000
"""So many intervals are searched around known bounds.

Half of them in a long column, a quarter where the cost of each takes an apportionment.
"""


@dataclass(frozen=True)
class Limits:
    """What a user may ask of a partition beyond the least cost."""

    max_parts: int | None = None
    min_part_size: int = 1

    @classmethod
    def within(cls, max_parts: int | None, min_part_size: int) -> Limits:
        """Limits no larger than kernels can count, and than any table."""
        most = 2**53
        return cls(None if max_parts is None else min(max_parts, most), min(min_part_size, most))

    def allow(self, part_sizes: NDArray[np.int64]) -> bool:
        """Whether a partition with these numbers of rows is allowed."""
        few = self.max_parts is None or len(part_sizes) <= self.max_parts
        return few and (len(part_sizes) == 1 or bool(part_sizes.min() >= self.min_part_size))


@dataclass(frozen=True)
class Optimum:
    """Bounds as block numbers, shape (I+1,), from 0 to B; and whether no partition is better."""

    bounds: Bounds
    proven: bool


@dataclass(frozen=True)
class _Task:
    """What is asked: blocks, a criterion, limits, and how close two costs count as equal."""

    blocks: Blocks
    prior: Prior
    tolerance: float
    limits: Limits

    def on(self, blocks: Blocks) -> _Task:
        """The same task on other blocks."""
        return _Task(blocks, self.prior, self.tolerance, self.limits)

    def cost(self, bounds: Bounds) -> float:
        """Cost of a partition."""
        return float(part_costs_of(self.blocks, bounds).sum() + self.prior(len(bounds) - 1))


def best_intervals(blocks: Blocks, prior: Prior, n_rows: int, limits: Limits) -> Optimum:
    """Find the partition of least cost; proven wherever the search was exhaustive."""
    task = _Task(blocks, prior, tolerance_of(n_rows), limits)
    if blocks.n_blocks <= 1:
        return Optimum(_one_part(blocks), proven=True)
    if blocks.n_blocks <= EXACT_BLOCKS:
        return Optimum(_search(task, _interval_costs(task)), proven=is_exact(n_rows))
    fine, finer, coarse = _merged(task, FINE_BLOCKS, FINER_BLOCKS, COARSE_BLOCKS)
    candidates = [_refine(task, bounds) for bounds in _first_bounds(task, finer, coarse)]
    bounds = min(candidates, key=task.cost)
    places = _places(task, fine, bounds) if len(bounds) > 2 else fine
    while len(bounds) > 2:
        found = _refine(task, _search_around(task, bounds, places))
        if task.cost(found) >= task.cost(bounds) - task.tolerance:
            found = _with_bounds_placed_anew(task, bounds)
        if task.cost(found) >= task.cost(bounds) - task.tolerance:
            break
        bounds = found
    return Optimum(bounds, proven=False)


def good_intervals(blocks: Blocks, prior: Prior, n_rows: int, most_blocks: int) -> Bounds:
    """Bounds by exact search on so many blocks, merged greedily if there are more, and refined."""
    task = _Task(blocks, prior, tolerance_of(n_rows), Limits())
    if blocks.n_blocks <= 1:
        return _one_part(blocks)
    if blocks.n_blocks <= most_blocks:
        return _search(task, _interval_costs(task))
    (starts,) = _merged(task, most_blocks)
    coarse = task.on(combined(blocks, starts))
    return _refine(task, starts[_search(coarse, _interval_costs(coarse))])


def improved_intervals(blocks: Blocks, prior: Prior, n_rows: int, inner: Bounds) -> Bounds:
    """Bounds moved, taken away and added as long as that helps, from the inner bounds given."""
    task = _Task(blocks, prior, tolerance_of(n_rows), Limits())
    ends = np.array([0, blocks.n_blocks])
    return _refine(task, np.union1d(ends, inner))


def _merged(task: _Task, *most_blocks: int) -> list[Bounds]:
    """Starts of so many blocks merged greedily, or of more where no merge pays among so many."""
    return merge_by_stretches(task.blocks, [(n, -step(task.prior, n)) for n in most_blocks])


def _first_bounds(task: _Task, finer: Bounds, coarse: Bounds) -> list[Bounds]:
    """Bounds from the best ones on a coarse sequence.

    Unless the column is long, also from a finer sequence, and with fewer and with more parts,
    which may turn out better when refined.
    """
    on_coarse = task.on(combined(task.blocks, coarse))
    found = [coarse[_search(on_coarse, _interval_costs(on_coarse))]]
    if task.blocks.n_blocks <= LONG_COLUMN:
        on_finer = task.on(combined(task.blocks, finer))
        costs = _interval_costs(on_finer)
        best = _search(on_finer, costs)
        found.append(finer[best])
        if len(best) > 2 and task.limits == Limits():
            beside = vertices_beside(costs, task.prior, len(best) - 1)
            found += [finer[vertex.bounds] for vertex in beside]
    return found


@lru_cache(maxsize=1024)
def tolerance_of(n_rows: int) -> float:
    """Costs this close are equal: the rounding of sums of log factorials of up to n_rows."""
    return float(2.0**-44 * max(1.0, log_factorials(n_rows)))


def is_exact(n_rows: int) -> bool:
    """Whether costs are told apart well enough for a proof: up to 1e9 rows or so."""
    return tolerance_of(n_rows) < 1e-3


def _one_part(blocks: Blocks) -> Bounds:
    return np.array([0, blocks.n_blocks], dtype=np.int64)


def _interval_costs(task: _Task) -> IntervalCosts:
    """Costs of all intervals, or of as long ones as fit in memory."""
    n = task.blocks.n_blocks
    firsts = np.zeros(n + 1, dtype=np.int64)
    if n > EXACT_BLOCKS:
        span = max(64, EXACT_BLOCKS**2 // n)
        firsts[span:] = np.arange(n + 1 - span)
    return IntervalCosts(task.blocks, firsts, task.tolerance, task.limits.min_part_size)


def _search(task: _Task, costs: IntervalCosts) -> Bounds:
    """Best bounds over the intervals whose costs are given."""
    limits = task.limits
    best = lowest_vertex(costs, task.prior, task.tolerance)
    if limits.max_parts is not None and best.n_parts > limits.max_parts:
        if task.blocks.n_blocks <= EXACT_BLOCKS:
            return best_of_few(costs, task.prior, task.tolerance, limits.max_parts)
        # Few parts may have to be longer than the span.
        (starts,) = merge_by_stretches(task.blocks, [(EXACT_BLOCKS, -np.inf)])
        smaller = task.on(combined(task.blocks, starts))
        return starts[_search(smaller, _interval_costs(smaller))]
    one_part = _one_part(task.blocks)
    least = task.cost(one_part) - task.tolerance
    return best.bounds if best.total(task.prior) < least else one_part


def _search_around(task: _Task, bounds: Bounds, places: Bounds) -> Bounds:
    """Best bounds among places, and all near the given ones, each part within three given ones."""
    near = (bounds[1:-1, None] + np.arange(-8, 9)).ravel()
    places = np.union1d(places, np.clip(near, bounds[0], bounds[-1]))
    at = np.searchsorted(places, bounds)
    part_of_end = np.searchsorted(at, np.arange(len(places)), side="left") - 1
    firsts = at[np.maximum(0, part_of_end - 2)]
    blocks = combined(task.blocks, places)
    costs = IntervalCosts(blocks, firsts, task.tolerance, task.limits.min_part_size)
    found = vertex_near(costs, task.prior, len(bounds) - 1).bounds
    max_parts = task.limits.max_parts
    return bounds if max_parts is not None and len(found) - 1 > max_parts else places[found]


def _places(task: _Task, fine: Bounds, bounds: Bounds) -> Bounds:
    """Places for the searches around bounds: starts of blocks, merged from the fine ones.

    A place sees the others in three parts or less, 2.5 on average; so many places are taken, the
    same number in every part, as make the number of intervals wanted.
    """
    long, costly = task.blocks.n_blocks > LONG_COLUMN, task.blocks.with_unlabeled
    intervals = INTERVALS_AGAIN // (4 if costly else 2 if long else 1)
    n_parts = len(bounds) - 1
    n_places = max(FINER_BLOCKS, int(np.sqrt(intervals / 2.5 * n_parts)))
    starts = np.union1d(fine, bounds)
    blocks = combined(task.blocks, starts)
    ends = np.searchsorted(starts, bounds)
    least, share = -step(task.prior, n_places), -(-n_places // n_parts)
    kept = [
        merge_stretch(blocks, first, last, least, share)[0][:-1]
        if last - first > share
        else np.arange(first, last)
        for first, last in pairwise(ends)
    ]
    return starts[np.concatenate([*kept, ends[-1:]])]


def _with_bounds_placed_anew(task: _Task, bounds: Bounds) -> Bounds:
    """Take away one bound after the other and place it anew nearby, with its neighbors following.

    Not in a long column, where this takes longer than all the rest.
    """
    if task.blocks.n_blocks > LONG_COLUMN:
        return bounds
    i = 1
    while i < len(bounds) - 1:
        window = bounds[max(0, i - 3) : i + 4]
        trial = _placed_anew(task, window, i - max(0, i - 3))
        change = part_costs_of(task.blocks, trial).sum()
        change -= part_costs_of(task.blocks, window).sum()
        if len(trial) == len(window) and change < -task.tolerance:
            bounds = np.concatenate((bounds[: max(0, i - 3)], trial, bounds[i + 4 :]))
        i += 1
    return _refine(task, bounds)


def _placed_anew(task: _Task, window: Bounds, i: int) -> Bounds:
    """Bounds of a window without the i-th, then with the best other one."""
    size = task.limits.min_part_size
    fewer = move_bounds(task.blocks, np.delete(window, i), task.tolerance, size)
    return move_bounds(task.blocks, split_best_part(task.blocks, fewer, size), task.tolerance, size)


def _refine(task: _Task, bounds: Bounds) -> Bounds:
    """Apply moves, merges and splits until none of them lowers the cost."""
    blocks, limits = task.blocks, task.limits
    while True:
        bounds = move_bounds(blocks, bounds, task.tolerance, limits.min_part_size)
        n_parts = len(bounds) - 1
        most = min(2 * n_parts + 64, limits.max_parts or blocks.n_blocks, blocks.n_blocks)
        priors = np.concatenate(([0.0], task.prior(np.arange(1, max(most, n_parts) + 1))))
        merged = merge_parts(blocks, bounds, priors, task.tolerance)
        split = split_parts(blocks, merged, priors, task.tolerance, limits.min_part_size)
        if len(merged) == len(bounds) and len(split) == len(merged):
            return bounds
        bounds = split

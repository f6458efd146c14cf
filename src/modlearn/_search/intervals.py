"""The best partition of a sequence of blocks into intervals, for any part cost.

Few blocks are searched exhaustively. More blocks are first merged to a coarse sequence, which is
searched; then bounds are refined at full resolution, and the search is repeated on a finer sequence
around them while that helps.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from modlearn._search.blocks import Blocks, combined
from modlearn._search.exact import IntervalCosts
from modlearn._search.greedy import merge_segment
from modlearn._search.refinement import (
    merge_parts,
    move_bounds,
    part_costs_of,
    split_best_part,
    split_parts,
)
from modlearn._search.segments import merge_by_segments
from modlearn.criteria import PartCost, log_factorials

__all__ = [
    "Limits",
    "Optimum",
    "Prior",
    "best_intervals",
    "best_of_few",
    "good_intervals",
    "improved_intervals",
    "is_exact",
    "lowest_vertex",
    "step",
    "tolerance_of",
    "vertex_near",
    "vertices_nearby",
]

Prior = Callable[[Any], Any]
"""The prior of I parts, for a number or an array of numbers I; increasing and concave."""


@dataclass(frozen=True, eq=False)
class Vertex:
    """A vertex of the hull of g, with the slope of a line that supports the hull there."""

    bounds: NDArray[np.int64]
    part_cost: float
    penalty: float

    @property
    def n_parts(self) -> int:
        """The number of parts I."""
        return len(self.bounds) - 1

    def total(self, prior: Prior) -> float:
        """Part costs plus prior."""
        return self.part_cost + float(prior(self.n_parts))


def step(prior: Prior, n_parts: int) -> float:
    """Return how much the last of n_parts parts adds to the prior."""
    return float(prior(n_parts) - prior(n_parts - 1))


def _vertex(costs: IntervalCosts, penalty: float) -> Vertex:
    return Vertex(*costs.penalized(penalty), penalty)


def lowest_vertex(costs: IntervalCosts, prior: Prior, tolerance: float) -> Vertex:
    """Find the vertex where part costs plus prior are lowest; no partition costs less.

    An infinite part cost means that every partition has a part that is too small.
    """
    # The optimum is the answer to its own step of the prior, and steps shrink with more parts.
    fewest = _vertex(costs, step(prior, 2))
    most = _vertex(costs, step(prior, costs.n_blocks))
    if np.isinf(most.part_cost):
        return most
    while most.n_parts > 1:
        fewer = _vertex(costs, step(prior, most.n_parts))
        if fewer.n_parts == most.n_parts:
            break
        most = fewer
    best = most if most.total(prior) < fewest.total(prior) - tolerance else fewest
    segments = [(fewest, most)]
    while segments:
        a, b = segments.pop()
        if b.n_parts - a.n_parts < 2 or _least_between(a, b, prior) >= best.total(prior):
            continue
        middle = _vertex(costs, (a.part_cost - b.part_cost) / (b.n_parts - a.n_parts))
        if not a.n_parts < middle.n_parts < b.n_parts:
            continue
        if middle.total(prior) < best.total(prior) - tolerance:
            best = middle
        segments += [(a, middle), (middle, b)]
    return best


def _least_between(a: Vertex, b: Vertex, prior: Prior) -> float:
    """Return a lower bound of hull plus prior between two vertices, from their support lines."""
    slopes = a.penalty - b.penalty
    if not slopes > 0:
        return np.inf
    crossing = (a.part_cost - b.part_cost + a.penalty * a.n_parts - b.penalty * b.n_parts) / slopes
    crossing = min(max(crossing, a.n_parts), b.n_parts)
    height = a.part_cost - a.penalty * (crossing - a.n_parts)
    return height + float(prior(int(crossing)))


def vertex_near(costs: IntervalCosts, prior: Prior, n_parts: int) -> Vertex:
    """Find a vertex that answers its own step of the prior, starting from n_parts."""
    best = vertex = _vertex(costs, step(prior, max(2, n_parts)))
    tried = {n_parts}
    while vertex.n_parts not in tried and vertex.n_parts > 1:
        tried.add(vertex.n_parts)
        vertex = _vertex(costs, step(prior, vertex.n_parts))
        best = min(best, vertex, key=lambda v: v.total(prior))
    return best


def vertices_nearby(costs: IntervalCosts, prior: Prior, n_parts: int) -> list[Vertex]:
    """Find vertices with somewhat fewer and somewhat more than n_parts parts."""
    penalty = step(prior, max(2, n_parts))
    return [_vertex(costs, penalty * 1.25), _vertex(costs, penalty * 0.8)]


def best_of_few(
    costs: IntervalCosts, prior: Prior, tolerance: float, max_parts: int
) -> NDArray[np.int64]:
    """Find the best bounds with at most max_parts parts: one layer of the search per part."""
    n_parts = min(max_parts, costs.n_blocks)
    sums, bounds_of = costs.best_with(n_parts)
    totals = sums + prior(np.arange(1, n_parts + 1))
    return bounds_of(1 + int(np.flatnonzero(totals <= totals.min() + tolerance)[0]))


Bounds = NDArray[np.int64]

EXACT_BLOCKS = 2000
"""Up to this number of blocks, the search is exhaustive."""

COARSE_BLOCKS = 1000
"""More blocks than `EXACT_BLOCKS` are merged greedily to this number for the first search."""

FINER_BLOCKS = 1500
"""They are merged to this number for an alternative first search, unless the column is long."""

FINE_BLOCKS = 20_000
"""They are first merged to this number; later searches take their candidates from these."""

LONG_COLUMN = 100_000
"""With more blocks than this, there are fewer and smaller searches."""

INTERVALS_AGAIN = 4_000_000
"""Number of intervals that are searched around known bounds.

Half of it in a long column, a quarter of it if the part cost is slow.
"""


@dataclass(frozen=True)
class Limits:
    """Limits that the user may set for a partition."""

    max_parts: int | None = None
    min_part_size: int = 1

    @classmethod
    def within(cls, max_parts: int | None, min_part_size: int) -> Limits:
        """Return limits, reduced to what kernels can count."""
        most = 2**53
        return cls(None if max_parts is None else min(max_parts, most), min(min_part_size, most))

    def allow(self, part_sizes: NDArray[np.int64]) -> bool:
        """Whether a partition with these numbers of rows is allowed."""
        few = self.max_parts is None or len(part_sizes) <= self.max_parts
        return few and (len(part_sizes) == 1 or bool(part_sizes.min() >= self.min_part_size))


@dataclass(frozen=True, eq=False)
class Optimum:
    """Bounds as block numbers, shape (I+1,), from 0 to B; and whether no partition is better."""

    bounds: Bounds
    proven: bool


@dataclass(frozen=True, eq=False)
class _Task:
    """A task: blocks, a part cost, limits, and how close two costs count as equal."""

    blocks: Blocks
    part_cost: PartCost
    tolerance: float
    limits: Limits

    def on(self, blocks: Blocks) -> _Task:
        """Return this task on other blocks."""
        return _Task(blocks, self.part_cost, self.tolerance, self.limits)

    def part_costs(self, bounds: Bounds) -> NDArray[np.float64]:
        """Return the cost of every part."""
        return part_costs_of(self.blocks, self.part_cost, bounds)

    def cost(self, bounds: Bounds) -> float:
        """Return the cost of a partition."""
        return float(self.part_costs(bounds).sum() + self.part_cost.prior(len(bounds) - 1))


def best_intervals(blocks: Blocks, cost: PartCost, n_rows: int, limits: Limits) -> Optimum:
    """Find the partition of lowest cost; it is proven optimal if the search was exhaustive."""
    task = _Task(blocks, cost, tolerance_of(n_rows), limits)
    if blocks.n_blocks <= 1:
        return Optimum(_one_part(blocks), proven=True)
    if blocks.n_blocks <= EXACT_BLOCKS:
        return Optimum(_search(task, _interval_costs(task)), proven=is_exact(n_rows))
    fine, finer, coarse = _merged(task, FINE_BLOCKS, FINER_BLOCKS, COARSE_BLOCKS)
    refined = [_refine(task, bounds) for bounds in _first_bounds(task, finer, coarse)]
    bounds = min(refined, key=task.cost)
    candidates = _candidates(task, fine, bounds) if len(bounds) > 2 else fine
    while len(bounds) > 2:
        found = _refine(task, _search_around(task, bounds, candidates))
        if task.cost(found) >= task.cost(bounds) - task.tolerance:
            found = _with_bounds_replaced(task, bounds)
        if task.cost(found) >= task.cost(bounds) - task.tolerance:
            break
        bounds = found
    return Optimum(bounds, proven=False)


def good_intervals(blocks: Blocks, cost: PartCost, n_rows: int, most_blocks: int) -> Bounds:
    """Search exactly; more than most_blocks blocks are merged first, and bounds refined after."""
    task = _Task(blocks, cost, tolerance_of(n_rows), Limits())
    if blocks.n_blocks <= 1:
        return _one_part(blocks)
    if blocks.n_blocks <= most_blocks:
        return _search(task, _interval_costs(task))
    (starts,) = _merged(task, most_blocks)
    coarse = task.on(combined(blocks, starts))
    return _refine(task, starts[_search(coarse, _interval_costs(coarse))])


def improved_intervals(blocks: Blocks, cost: PartCost, n_rows: int, inner: Bounds) -> Bounds:
    """Move, remove and add bounds as long as that helps, starting from these inner bounds."""
    task = _Task(blocks, cost, tolerance_of(n_rows), Limits())
    ends = np.array([0, blocks.n_blocks])
    return _refine(task, np.union1d(ends, inner))


def _merged(task: _Task, *most_blocks: int) -> list[Bounds]:
    """Return the starts of blocks merged greedily to each number, or until no merge helps."""
    prior = task.part_cost.prior
    goals = [(n, -step(prior, n)) for n in most_blocks]
    return merge_by_segments(task.blocks, task.part_cost, goals)


def _first_bounds(task: _Task, finer: Bounds, coarse: Bounds) -> list[Bounds]:
    """Return bounds that are refined from the best ones on a coarse sequence.

    Unless the column is long, a finer sequence is tried too, and bounds with fewer and more parts,
    which may become better when they are refined.
    """
    on_coarse = task.on(combined(task.blocks, coarse))
    found = [coarse[_search(on_coarse, _interval_costs(on_coarse))]]
    if task.blocks.n_blocks <= LONG_COLUMN:
        on_finer = task.on(combined(task.blocks, finer))
        costs = _interval_costs(on_finer)
        best = _search(on_finer, costs)
        found.append(finer[best])
        if len(best) > 2 and task.limits == Limits():
            nearby = vertices_nearby(costs, task.part_cost.prior, len(best) - 1)
            found += [finer[vertex.bounds] for vertex in nearby]
    return found


@lru_cache(maxsize=1024)
def tolerance_of(n_rows: int) -> float:
    """Return how close costs must be to count as equal: the rounding error of their sums."""
    return float(2.0**-44 * max(1.0, log_factorials(n_rows)))


def is_exact(n_rows: int) -> bool:
    """Whether costs are precise enough for a proof: up to about 1e9 rows."""
    return tolerance_of(n_rows) < 1e-3


def _one_part(blocks: Blocks) -> Bounds:
    return np.array([0, blocks.n_blocks], dtype=np.int64)


def _interval_costs(task: _Task) -> IntervalCosts:
    """Compute the costs of all intervals, or of those up to a length that fits in memory."""
    n = task.blocks.n_blocks
    firsts = np.zeros(n + 1, dtype=np.int64)
    if n > EXACT_BLOCKS:
        span = max(64, EXACT_BLOCKS**2 // n)
        firsts[span:] = np.arange(n + 1 - span)
    return _costs_of(task, firsts)


def _costs_of(task: _Task, firsts: Bounds) -> IntervalCosts:
    """Compute the costs of the intervals that begin at firsts[e] or later, for every end e."""
    size = task.limits.min_part_size
    return IntervalCosts(task.blocks, task.part_cost, firsts, task.tolerance, size)


def _search(task: _Task, costs: IntervalCosts) -> Bounds:
    """Return the best bounds over the intervals whose costs are known."""
    limits, prior = task.limits, task.part_cost.prior
    best = lowest_vertex(costs, prior, task.tolerance)
    if limits.max_parts is not None and best.n_parts > limits.max_parts:
        if task.blocks.n_blocks <= EXACT_BLOCKS:
            return best_of_few(costs, prior, task.tolerance, limits.max_parts)
        # Few parts may have to be longer than the span.
        (starts,) = merge_by_segments(task.blocks, task.part_cost, [(EXACT_BLOCKS, -np.inf)])
        smaller = task.on(combined(task.blocks, starts))
        return starts[_search(smaller, _interval_costs(smaller))]
    one_part = _one_part(task.blocks)
    least = task.cost(one_part) - task.tolerance
    return best.bounds if best.total(prior) < least else one_part


def _search_around(task: _Task, bounds: Bounds, candidates: Bounds) -> Bounds:
    """Return the best bounds among candidates and all blocks near these bounds.

    Each part of the result lies within three of the previous parts.
    """
    near = (bounds[1:-1, None] + np.arange(-8, 9)).ravel()
    candidates = np.union1d(candidates, np.clip(near, bounds[0], bounds[-1]))
    at = np.searchsorted(candidates, bounds)
    part_of_end = np.searchsorted(at, np.arange(len(candidates)), side="left") - 1
    firsts = at[np.maximum(0, part_of_end - 2)]
    costs = _costs_of(task.on(combined(task.blocks, candidates)), firsts)
    found = vertex_near(costs, task.part_cost.prior, len(bounds) - 1).bounds
    max_parts = task.limits.max_parts
    return bounds if max_parts is not None and len(found) - 1 > max_parts else candidates[found]


def _candidates(task: _Task, fine: Bounds, bounds: Bounds) -> Bounds:
    """Candidates for the searches around bounds: starts of blocks, merged from the fine ones.

    A candidate is the end of intervals within three parts or fewer, 2.5 on average. The number of
    candidates, equal in every part, follows from the target number of intervals.
    """
    long, slow = task.blocks.n_blocks > LONG_COLUMN, task.part_cost.is_slow
    intervals = INTERVALS_AGAIN // (4 if slow else 2 if long else 1)
    n_parts = len(bounds) - 1
    n_candidates = max(FINER_BLOCKS, int(np.sqrt(intervals / 2.5 * n_parts)))
    starts = np.union1d(fine, bounds)
    blocks = combined(task.blocks, starts)
    ends = np.searchsorted(starts, bounds)
    least, share = -step(task.part_cost.prior, n_candidates), -(-n_candidates // n_parts)
    kept = [
        merge_segment(blocks, task.part_cost, first, last, least, share)[0][:-1]
        if last - first > share
        else np.arange(first, last)
        for first, last in pairwise(ends)
    ]
    candidates: Bounds = starts[np.concatenate([*kept, ends[-1:]])]
    return candidates


def _with_bounds_replaced(task: _Task, bounds: Bounds) -> Bounds:
    """Remove one bound after the other and insert one nearby; its neighbors follow.

    Not in a long column, where this would take longer than everything else.
    """
    if task.blocks.n_blocks > LONG_COLUMN:
        return bounds
    i = 1
    while i < len(bounds) - 1:
        window = bounds[max(0, i - 3) : i + 4]
        trial = _with_bound_replaced(task, window, i - max(0, i - 3))
        change = task.part_costs(trial).sum() - task.part_costs(window).sum()
        if len(trial) == len(window) and change < -task.tolerance:
            bounds = np.concatenate((bounds[: max(0, i - 3)], trial, bounds[i + 4 :]))
        i += 1
    return _refine(task, bounds)


def _with_bound_replaced(task: _Task, window: Bounds, i: int) -> Bounds:
    """Return the bounds of a window without the i-th one, with the best other one instead."""
    blocks, cost, size = task.blocks, task.part_cost, task.limits.min_part_size
    fewer = move_bounds(blocks, cost, np.delete(window, i), task.tolerance, size)
    other = split_best_part(blocks, cost, fewer, size)
    return move_bounds(blocks, cost, other, task.tolerance, size)


def _refine(task: _Task, bounds: Bounds) -> Bounds:
    """Apply moves, merges and splits until none of them lowers the cost."""
    blocks, cost, limits = task.blocks, task.part_cost, task.limits
    while True:
        bounds = move_bounds(blocks, cost, bounds, task.tolerance, limits.min_part_size)
        n_parts = len(bounds) - 1
        most = min(2 * n_parts + 64, limits.max_parts or blocks.n_blocks, blocks.n_blocks)
        merged = merge_parts(blocks, cost, bounds, task.tolerance)
        split = split_parts(blocks, cost, merged, most, task.tolerance, limits.min_part_size)
        if len(merged) == len(bounds) and len(split) == len(merged):
            return bounds
        bounds = split

"""The best partition of a sequence of blocks into intervals, for any prior concave in I.

With g(I) the least sum of part costs for I parts and f(I) the prior, the optimum of g + f is a
vertex of the lower convex hull of g: between two vertices the hull is a line, so hull + f is
concave there and lowest at an end. Each vertex is found by one search with a penalty per part,
O(B^2) instead of O(B^2 I), and few vertices need be looked at.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from modlearn._optimize.blocks import Blocks, combined
from modlearn._optimize.coarsening import merge_in_rounds
from modlearn._optimize.exact import IntervalCosts
from modlearn._optimize.refinement import merge_parts, move_bounds, part_costs_of, split_parts
from modlearn._optimize.tiling import merge_into_tiles
from modlearn.criteria import log_factorials

__all__ = ["Limits", "Optimum", "Prior", "best_intervals", "coarsen", "tolerance_of"]

Prior = Callable[[Any], Any]
"""The prior of I parts, for a number or an array of numbers I; increasing and concave."""

EXACT_BLOCKS = 2000
"""With no more blocks than this the search is exhaustive."""

COARSE_BLOCKS = 1500
"""To so many blocks more of them are merged before the exhaustive search."""


TILE_WIDTH = 8
"""So many blocks of a long column may become one tile before anything else is done."""


NEARBY_PLACES = 500
"""Places near the bounds, about so many in all, are searched once more together."""


@dataclass(frozen=True)
class Limits:
    """What a user may ask of a partition beyond the least cost."""

    max_parts: int | None = None
    min_part_size: int = 1

    @property
    def bind(self) -> bool:
        """Whether anything is asked at all."""
        return self.max_parts is not None or self.min_part_size > 1

    def allow(self, part_sizes: NDArray[np.int64]) -> bool:
        """Whether a partition with these numbers of rows is allowed."""
        few = self.max_parts is None or len(part_sizes) <= self.max_parts
        return few and (len(part_sizes) == 1 or part_sizes.min() >= self.min_part_size)


@dataclass(frozen=True)
class Optimum:
    """Bounds as block numbers, shape (I+1,), from 0 to B; and whether no partition is better."""

    bounds: NDArray[np.int64]
    proven: bool


@dataclass(frozen=True)
class _Vertex:
    """A vertex of the hull of g, with the slope of a line that supports the hull there."""

    bounds: NDArray[np.int64]
    part_cost: float
    penalty: float

    @property
    def n_parts(self) -> int:
        return len(self.bounds) - 1


def best_intervals(blocks: Blocks, prior: Prior, n_rows: int, limits: Limits) -> Optimum:
    """Find the partition of least cost; proven wherever the search was exhaustive."""
    if blocks.n_blocks <= 1:
        return Optimum(np.array([0, blocks.n_blocks], dtype=np.int64), proven=True)
    tolerance = tolerance_of(n_rows)
    if blocks.n_blocks <= EXACT_BLOCKS:
        return Optimum(_search(blocks, prior, tolerance, limits), proven=True)
    coarse, starts = coarsen(blocks, prior)
    bounds = starts[_search(coarse, prior, tolerance, limits)]
    bounds = _refine(blocks, bounds, prior, tolerance, limits)
    bounds = _search_nearby(blocks, bounds, starts, prior, tolerance, limits)
    return Optimum(bounds, proven=False)


def tolerance_of(n_rows: int) -> float:
    """Costs this close are equal: the rounding of sums of log factorials of up to n_rows."""
    return float(2.0**-44 * max(1.0, log_factorials(n_rows)))


def coarsen(blocks: Blocks, prior: Prior) -> tuple[Blocks, NDArray[np.int64]]:
    """Merge to COARSE_BLOCKS, or as far as merging pays; and where each begins, in blocks."""
    width = _tile_width(blocks)
    coarse = _tiled(blocks, prior, width) if width > 1 else blocks
    starts = coarse.starts if width > 1 else np.arange(blocks.n_blocks + 1)
    while coarse.n_blocks > COARSE_BLOCKS:
        merged = merge_in_rounds(coarse, COARSE_BLOCKS, _step(prior, coarse.n_blocks))
        if merged.n_blocks == coarse.n_blocks:
            break
        coarse, starts = merged, starts[merged.starts]
    return coarse, starts.astype(np.int64)


def _tile_width(blocks: Blocks) -> int:
    """Blocks per tile: only for long columns, and more for many classes, which need more rows."""
    if blocks.with_unlabeled:
        return 1
    widest = min(max(TILE_WIDTH, 2 * blocks.n_classes), 8 * TILE_WIDTH)
    return min(widest, blocks.n_blocks // (8 * COARSE_BLOCKS))


def _tiled(blocks: Blocks, prior: Prior, width: int) -> Blocks:
    """Merge the blocks of a long column into tiles, which are still many times COARSE_BLOCKS."""
    rows = blocks.class_totals()
    row_cost = np.log(rows.sum() / np.maximum(rows, 1))
    step, remarkable = _step(prior, blocks.n_blocks), _step(prior, COARSE_BLOCKS)
    return merge_into_tiles(blocks, width, step, row_cost, remarkable)


def _step(prior: Prior, n_parts: int) -> float:
    """What the prior asks for the last of n_parts parts."""
    return float(prior(n_parts) - prior(n_parts - 1))


def _search(
    blocks: Blocks, prior: Prior, tolerance: float, limits: Limits, longest: int | None = None
) -> NDArray[np.int64]:
    """Best bounds over intervals of so many blocks, at most `longest`, that costs fit in memory."""
    n = blocks.n_blocks
    span = n if n <= EXACT_BLOCKS else max(64, EXACT_BLOCKS**2 // n)
    span = min(span, longest or n)
    costs = IntervalCosts(blocks, span, tolerance, limits.min_part_size)
    null = _Vertex(np.array([0, n]), float(part_costs_of(blocks, np.array([0, n]))[0]), np.inf)
    best = _lowest_vertex(costs, prior, tolerance, null)
    if limits.max_parts is None or best.n_parts <= limits.max_parts:
        return best.bounds
    if span < n:
        # Few parts may have to be longer than the span.
        coarse, starts = _merged_at_any_cost(blocks)
        return starts[_search(coarse, prior, tolerance, limits)]
    return _best_of_few(costs, prior, tolerance, limits.max_parts)


def _merged_at_any_cost(blocks: Blocks) -> tuple[Blocks, NDArray[np.int64]]:
    """Merge until all intervals can be searched; and where each block begins, in the given ones."""
    coarse, starts = blocks, np.arange(blocks.n_blocks + 1)
    while coarse.n_blocks > EXACT_BLOCKS:
        coarse = merge_in_rounds(coarse, COARSE_BLOCKS, np.inf)
        starts = starts[coarse.starts]
    return coarse, starts


def _lowest_vertex(costs: IntervalCosts, prior: Prior, tolerance: float, null: _Vertex) -> _Vertex:
    """Vertex of the hull where part costs plus prior are least."""

    def vertex(penalty: float) -> _Vertex:
        return _Vertex(*costs.penalized(penalty), penalty)

    def total(v: _Vertex) -> float:
        return v.part_cost + float(prior(v.n_parts))

    # The optimum is the answer to its own step of the prior, and steps shrink with more parts.
    fewest, most = vertex(_step(prior, 2)), vertex(_step(prior, costs.n_blocks))
    if np.isinf(most.part_cost):
        # No partition within the span has only parts of the least size.
        return null
    while most.n_parts > 1:
        fewer = vertex(_step(prior, most.n_parts))
        if fewer.n_parts == most.n_parts:
            break
        most = fewer
    best = min((null, fewest, most), key=lambda v: (total(v), v.n_parts))
    segments = [(fewest, most)]
    while segments:
        a, b = segments.pop()
        if b.n_parts - a.n_parts < 2 or _least_between(a, b, prior) >= total(best) - tolerance:
            continue
        penalty = (a.part_cost - b.part_cost) / (b.n_parts - a.n_parts)
        middle = vertex(penalty)
        if not a.n_parts < middle.n_parts < b.n_parts:
            continue
        if total(middle) < total(best) - tolerance:
            best = middle
        segments += [(a, middle), (middle, b)]
    return best


def _least_between(a: _Vertex, b: _Vertex, prior: Prior) -> float:
    """Lower bound of hull plus prior between two vertices, from their supporting lines."""
    slopes = a.penalty - b.penalty
    if not slopes > 0:
        return np.inf
    crossing = (
        b.n_parts * -b.penalty - a.n_parts * -a.penalty + a.part_cost - b.part_cost
    ) / slopes
    crossing = min(max(crossing, a.n_parts), b.n_parts)
    height = a.part_cost - a.penalty * (crossing - a.n_parts)
    return height + float(prior(max(1, int(crossing))))


def _best_of_few(
    costs: IntervalCosts, prior: Prior, tolerance: float, max_parts: int
) -> NDArray[np.int64]:
    """Best bounds with at most max_parts parts: one layer of the search per part."""
    n_parts = min(max_parts, costs.n_blocks)
    sums, bounds_of = costs.best_with(n_parts)
    totals = sums + prior(np.arange(1, n_parts + 1))
    return bounds_of(1 + int(np.flatnonzero(totals <= totals.min() + tolerance)[0]))


def _search_nearby(
    blocks: Blocks,
    bounds: NDArray[np.int64],
    starts: NDArray[np.int64],
    prior: Prior,
    tolerance: float,
    limits: Limits,
) -> NDArray[np.int64]:
    """Search again over all places near the bounds, together with `starts`, while that helps."""

    def total(bounds: NDArray[np.int64]) -> float:
        return float(part_costs_of(blocks, bounds).sum() + prior(len(bounds) - 1))

    while len(bounds) > 2:
        places = _places_near(bounds, starts)
        fine = combined(blocks, places)
        longest = 64 + int(np.diff(np.searchsorted(places, bounds)).max())
        found = places[_search(fine, prior, tolerance, limits, longest)]
        found = _refine(blocks, found, prior, tolerance, limits)
        if total(found) >= total(bounds) - tolerance:
            break
        bounds = found
    return bounds


def _places_near(bounds: NDArray[np.int64], starts: NDArray[np.int64]) -> NDArray[np.int64]:
    """All places within some blocks of a bound, and the given starts: sorted, int64."""
    inner = bounds[1:-1]
    reach = min(max(2, NEARBY_PLACES // (2 * len(inner))), 64)
    near = (inner[:, None] + np.arange(-reach, reach + 1)).ravel()
    return np.unique(np.concatenate((starts, np.clip(near, bounds[0], bounds[-1]))))


def _refine(
    blocks: Blocks,
    bounds: NDArray[np.int64],
    prior: Prior,
    tolerance: float,
    limits: Limits,
) -> NDArray[np.int64]:
    """Apply moves, merges and splits until none of them lowers the cost."""
    while True:
        bounds = move_bounds(blocks, bounds, tolerance, limits.min_part_size)
        n_parts = len(bounds) - 1
        most = min(2 * n_parts + 64, limits.max_parts or blocks.n_blocks, blocks.n_blocks)
        priors = np.concatenate(([0.0], prior(np.arange(1, max(most, n_parts) + 1))))
        merged = merge_parts(blocks, bounds, priors, tolerance)
        split = split_parts(blocks, merged, priors, tolerance, limits.min_part_size)
        if len(merged) == len(bounds) and len(split) == len(merged):
            return bounds
        bounds = split

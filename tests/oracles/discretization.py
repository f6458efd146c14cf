"""Supervised discretization: seed 000 Eq. 2 = seed 002 formula 1."""

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .intervals import TIE, Partition, Row, add_up, count_by_value, optima, spans

Bounds = tuple[int, ...]
Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


def prior_weight(n_rows: int, n_parts: int) -> int:
    """N · C(N+I-1, I-1)."""
    return n_rows * math.comb(n_rows + n_parts - 1, n_parts - 1)


def part_weight(row: Row) -> int:
    """C(N_i+J-1, J-1) · N_i! / Π_j N_ij!."""
    n, n_classes = sum(row), len(row)
    labelings = math.prod(math.comb(sum(row[: j + 1]), row[j]) for j in range(n_classes))
    return math.comb(n + n_classes - 1, n_classes - 1) * labelings


def cost(counts: Sequence[Row]) -> float:
    """log N + log C(N+I-1, I-1) + Σ_i log C(N_i+J-1, J-1) + Σ_i log( N_i! / Π_j N_ij! )."""
    n_rows = sum(map(sum, counts))
    return math.log(prior_weight(n_rows, len(counts)) * math.prod(map(part_weight, counts)))


def level(counts: Sequence[Row]) -> float:
    """max(0, 1 - cost(M) / cost(null))."""
    null = cost(add_up(counts, ()))
    return max(0.0, 1 - cost(counts) / null) if null else 0.0


def brute_force(
    values: Sequence[float],
    labels: Sequence[int],
    n_classes: int,
    min_part_size: int = 1,
    max_parts: int | None = None,
) -> Partition:
    """The least cost over all cuts between distinct values; ties: fewest parts, leftmost cuts."""
    return all_optima(values, labels, n_classes, min_part_size, max_parts)[0]


def all_optima(
    values: Sequence[float],
    labels: Sequence[int],
    n_classes: int,
    min_part_size: int = 1,
    max_parts: int | None = None,
) -> list[Partition]:
    """Every partition within 1e-9 of the least cost."""
    distinct, table = count_by_value(values, labels, n_classes)
    return optima(distinct, table, part_weight, prior_weight, min_part_size, max_parts)


def log_prior(n_rows: int, n_parts: int) -> float:
    """log N + log C(N+I-1, I-1), by lgamma."""
    ways = math.lgamma(n_rows + n_parts) - math.lgamma(n_parts) - math.lgamma(n_rows + 1)
    return math.log(n_rows) + ways


@dataclass(frozen=True)
class Blocks:
    """B consecutive blocks: class counts left of each of the B+1 bounds, and log n! for all n."""

    left: Ints
    log_factorial: Floats

    @classmethod
    def of(cls, table: Sequence[Sequence[int]]) -> "Blocks":
        """Blocks from their counts, B x J."""
        counts = np.asarray(table, dtype=np.int64)
        left = np.vstack([np.zeros_like(counts[:1]), counts.cumsum(axis=0)])
        largest = int(counts.sum()) + counts.shape[1]
        return cls(left, np.array([math.lgamma(n + 1) for n in range(largest + 1)]))

    def __len__(self) -> int:
        return len(self.left) - 1

    @property
    def n_rows(self) -> int:
        """N."""
        return int(self.left[-1].sum())

    def keep(self, bounds: Sequence[int]) -> "Blocks":
        """The coarser blocks between the given bounds."""
        return Blocks(self.left[[0, *bounds, len(self)]], self.log_factorial)

    def part_cost(self, start: Ints | int, end: Ints | int) -> Floats:
        """log (N_i+J-1)! - log (J-1)! - Σ_j log N_ij!, for arrays of starts and ends."""
        counts = self.left[end] - self.left[start]
        n_classes = counts.shape[-1]
        constant = self.log_factorial[n_classes - 1]
        whole = self.log_factorial[counts.sum(axis=-1) + n_classes - 1]
        return np.asarray(whole - constant - self.log_factorial[counts].sum(axis=-1))

    def price_of_part(self, n_parts: int) -> float:
        """What the prior asks for the last of I parts: f(I) - f(I-1) = log (N+I-1)/(I-1)."""
        return math.log((self.n_rows + n_parts - 1) / (n_parts - 1))

    def total_cost(self, bounds: Sequence[int]) -> float:
        """Formula 1 of the partition into the intervals between the bounds."""
        edges = np.array([0, *bounds, len(self)])
        parts = math.fsum(self.part_cost(edges[:-1], edges[1:]))
        return log_prior(self.n_rows, len(bounds) + 1) + parts


def all_part_costs(blocks: Blocks, min_part_size: int) -> Floats:
    """W[end, start], +inf where no part may lie."""
    bound = np.arange(len(blocks) + 1)
    rows = blocks.left.sum(axis=1)
    allowed = (bound[None, :] < bound[:, None]) & (rows[:, None] - rows[None, :] >= min_part_size)
    allowed[-1, 0] = True
    end, start = np.nonzero(allowed)
    costs = np.full(allowed.shape, np.inf)
    costs[end, start] = blocks.part_cost(start, end)
    return costs


def cheapest_parts(costs: Floats) -> float:
    """min over all I of g(I), g(I) = least Σ of part costs with I parts."""
    best = np.zeros(len(costs))
    for end in range(1, len(costs)):
        best[end] = (costs[end, :end] + best[:end]).min()
    return float(best[-1])


def exact_bounds(blocks: Blocks, min_part_size: int = 1, max_parts: int | None = None) -> Bounds:
    """Optimal bounds by layers: g(I, end) = min_start g(I-1, start) + W[end, start].

    The prior grows with I and g(I) >= min_I g(I), so once prior(I) + min g exceeds the best total
    no larger I can win: the search stops there and is still exact.
    """
    costs = all_part_costs(blocks, min_part_size)
    floor = cheapest_parts(costs)
    g = costs[:, 0]
    totals = [log_prior(blocks.n_rows, 1) + g[-1]]
    came_from: list[NDArray[np.intp]] = []
    for n_parts in range(2, min(max_parts or len(blocks), len(blocks)) + 1):
        prior = log_prior(blocks.n_rows, n_parts)
        if prior + floor > min(totals) + 1e-6:
            break
        candidates = costs + g[None, :]
        came_from.append(candidates.argmin(axis=1))
        g = candidates.min(axis=1)
        totals.append(prior + g[-1])
    bounds = [len(blocks)]
    for layer in reversed(came_from[: int(np.argmin(totals))]):
        bounds.append(int(layer[bounds[-1]]))
    return tuple(reversed(bounds[1:]))


def dynamic_program(
    counts_per_value: Sequence[Row], min_part_size: int = 1, max_parts: int | None = None
) -> tuple[float, Bounds]:
    """Optimal (cost, number of values left of every bound), for some hundreds of values."""
    bounds = exact_bounds(Blocks.of(counts_per_value), min_part_size, max_parts)
    return cost(add_up(counts_per_value, bounds)), bounds


def pure_class(row: Row) -> int | None:
    """The only class of a row of counts, None if it has several."""
    present = [j for j, count in enumerate(row) if count]
    return present[0] if len(present) == 1 else None


def pure_run_bounds(table: Sequence[Row]) -> list[int]:
    """Bounds that do not lie inside a run of pure values of one class.

    Σ of two part costs is concave in the number of rows of one class moved over their bound
    (increments log (N_i+J)/(N_ij+1) fall), so the best bound is never inside such a run.
    """
    classes = [pure_class(row) for row in table]
    return [
        bound
        for bound in range(1, len(table))
        if classes[bound] is None or classes[bound] != classes[bound - 1]
    ]


def merge_bounds(blocks: Blocks, n_blocks: int) -> list[int]:
    """Bounds left after merging the adjacent pair of least increase until n_blocks remain."""
    log_factorial = blocks.log_factorial.tolist()
    rows: list[list[int] | None] = np.diff(blocks.left, axis=0).tolist()
    n_classes = blocks.left.shape[1]
    following = list(range(1, len(rows) + 1))
    preceding = list(range(-1, len(rows) - 1))
    merges = [0] * len(rows)

    def part_cost(row: list[int]) -> float:
        return float(log_factorial[sum(row) + n_classes - 1] - sum(log_factorial[n] for n in row))

    def pair(left: int, right: int) -> tuple[float, int, int, int, int]:
        a, b = rows[left] or [], rows[right] or []
        both = [x + y for x, y in zip(a, b, strict=True)]
        # - log (J-1)! is paid once per part, so that a merge saves it once.
        increase = part_cost(both) - part_cost(a) - part_cost(b) + log_factorial[n_classes - 1]
        return increase, left, right, merges[left], merges[right]

    heap = [pair(left, left + 1) for left in range(len(rows) - 1)]
    heapq.heapify(heap)
    remaining = len(rows)
    while remaining > n_blocks:
        _, left, right, stamp_left, stamp_right = heapq.heappop(heap)
        a, b = rows[left], rows[right]
        if a is None or b is None or (merges[left], merges[right]) != (stamp_left, stamp_right):
            continue
        rows[left], rows[right] = [x + y for x, y in zip(a, b, strict=True)], None
        merges[left] += 1
        remaining -= 1
        following[left] = following[right]
        if following[left] < len(rows):
            preceding[following[left]] = left
            heapq.heappush(heap, pair(left, following[left]))
        if preceding[left] >= 0:
            heapq.heappush(heap, pair(preceding[left], left))
    return [bound for bound in range(1, len(rows)) if rows[bound] is not None]


def best_bound(blocks: Blocks, start: int, end: int) -> tuple[float, int]:
    """(cost of the two parts, bound) of the best bound strictly between start and end."""
    inside = np.arange(start + 1, end)
    costs = blocks.part_cost(start, inside) + blocks.part_cost(inside, end)
    return float(costs.min()), int(inside[costs.argmin()])


def moved(blocks: Blocks, bounds: Bounds) -> Bounds:
    """Every bound in turn put at its best position between its two neighbors."""
    edges = [0, *bounds, len(blocks)]
    for k in range(1, len(edges) - 1):
        edges[k] = best_bound(blocks, edges[k - 1], edges[k + 1])[1]
    return tuple(edges[1:-1])


def merged(blocks: Blocks, bounds: Bounds) -> Bounds:
    """Every bound in turn removed if that lowers the cost."""
    edges = [0, *bounds, len(blocks)]
    for bound in bounds:
        k = edges.index(bound)
        start, end = edges[k - 1], edges[k + 1]
        apart = blocks.part_cost(start, bound) + blocks.part_cost(bound, end)
        if blocks.part_cost(start, end) - apart < blocks.price_of_part(len(edges) - 1) - TIE:
            edges.remove(bound)
    return tuple(edges[1:-1])


def split(blocks: Blocks, bounds: Bounds) -> Bounds:
    """Every part in turn cut at its best bound if that lowers the cost."""
    new = list(bounds)
    for start, end in spans(bounds, len(blocks)):
        if end - start == 1:
            continue
        apart, bound = best_bound(blocks, start, end)
        if blocks.part_cost(start, end) - apart > blocks.price_of_part(len(new) + 2) + TIE:
            new.append(bound)
    return tuple(sorted(new))


def refine(blocks: Blocks, bounds: Bounds) -> Bounds:
    """Moves, merges and splits in turn until no single one of them lowers the cost."""
    while True:
        before = blocks.total_cost(bounds)
        for step in (moved, merged, split):
            bounds = step(blocks, bounds)
        if blocks.total_cost(bounds) > before - TIE:
            return bounds


def greedy_then_exact(
    values: Sequence[float], labels: Sequence[int], n_classes: int, n_blocks: int = 1000
) -> tuple[float, Bounds]:
    """(cost, number of rows left of every bound): what the fast search must never be worse than.

    Pure runs joined, greedy merging down to n_blocks, exact search on these, then refinement of
    the bounds at full resolution. With at most n_blocks elementary blocks it is the optimum.
    """
    _, table = count_by_value(values, labels, n_classes)
    by_value = Blocks.of(table)
    elementary = by_value.keep(pure_run_bounds(table))
    kept = merge_bounds(elementary, n_blocks)
    start = exact_bounds(elementary.keep(kept))
    bounds = refine(elementary, tuple(kept[bound - 1] for bound in start))
    rows_left = elementary.left.sum(axis=1)
    return elementary.total_cost(bounds), tuple(int(rows_left[bound]) for bound in bounds)

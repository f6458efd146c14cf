"""Rank regression (Boullé & Hue 2006; Hue & Boullé 2007): I parts of x and T intervals of y."""

import math
from collections.abc import Callable, Sequence
from itertools import accumulate

import numpy as np
from numpy.typing import NDArray

from .discretization import Blocks
from .intervals import Partition, Row, count_by_value, every_bounds, log_weight, optima, total


def multinomial(row: Row) -> int:
    """N! / Π_k n_k!: ways to give N rows to cells of these sizes."""
    return math.prod(math.comb(n, k) for n, k in zip(accumulate(row), row, strict=True))


def interval_weight(row: Row) -> int:
    """N_.t! / Π_i N_it!, for the N_it of one target interval."""
    return multinomial(row)


def distributions_weight(part_sizes: Row, n_intervals: int) -> int:
    """Π_i C(N_i+T-1, T-1)."""
    return math.prod(math.comb(n + n_intervals - 1, n_intervals - 1) for n in part_sizes)


def cost(counts: Sequence[Row]) -> float:
    """Log of N² · C(N+I-1, I-1) · Π_i C(N_i+T-1, T-1) · Π_i N_i!/Π_t N_it! · Π_t N_.t!.

    `counts` has a row for every part and a column for every target interval.
    """
    sizes = tuple(map(sum, counts))
    n_rows, n_parts, n_intervals = sum(sizes), len(counts), len(counts[0])
    weight = n_rows**2 * math.comb(n_rows + n_parts - 1, n_parts - 1)
    weight *= distributions_weight(sizes, n_intervals) * math.prod(map(multinomial, counts))
    return math.log(weight * math.prod(map(math.factorial, total(counts))))


def target_optima(
    y: Sequence[float], parts: Sequence[int], n_parts: int, max_intervals: int | None = None
) -> list[Partition]:
    """Every best partition of the target, for fixed parts of x; `counts` are N_it, t first."""
    distinct, table = count_by_value(y, parts, n_parts)
    prior = prior_of_parts(total(table))
    return optima(distinct, table, interval_weight, prior, 1, max_intervals)


def prior_of_parts(part_sizes: Row) -> Callable[[int, int], int]:
    """The prior of T intervals as `optima` asks for it."""
    return lambda _, n_intervals: distributions_weight(part_sizes, n_intervals)


def least_cost(x: Sequence[float], y: Sequence[float]) -> float:
    """The least cost over all partitions of both, for a handful of distinct values each."""
    values, ranks = sorted(set(x)), {value: t for t, value in enumerate(sorted(set(y)))}
    table = np.zeros((len(values), len(ranks)), dtype=int)
    for a, b in zip(x, y, strict=True):
        table[values.index(a), ranks[b]] += 1
    return min(
        cost(tuple(map(tuple, summed(summed(table, rows).T, columns).T.tolist())))
        for rows in every_bounds(table.shape[0], None)
        for columns in every_bounds(table.shape[1], None)
    )


def summed(table: NDArray[np.int64], bounds: Sequence[int]) -> NDArray[np.int64]:
    """Rows of a table added up between bounds."""
    return np.add.reduceat(table, [0, *bounds], axis=0)


def log_prior(part_sizes: Sequence[int], n_intervals: int) -> float:
    """log of distributions_weight, of any size."""
    return log_weight(distributions_weight(tuple(part_sizes), n_intervals))


class TargetBlocks(Blocks):
    """Consecutive blocks of a target, with counts per part of x: B x I."""

    def part_cost(
        self, start: NDArray[np.int64] | int, end: NDArray[np.int64] | int
    ) -> NDArray[np.float64]:
        """log N_.t! - Σ_i log N_it!, for arrays of starts and ends."""
        counts = self.left[end] - self.left[start]
        whole = self.log_factorial[counts.sum(axis=-1)]
        return np.asarray(whole - self.log_factorial[counts].sum(axis=-1))

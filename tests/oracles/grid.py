"""Two-variable grids: seed 002 formula 3."""

import math
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import combinations, pairwise, product
from typing import NamedTuple

from .discretization import part_weight
from .grouping import log_b, set_partitions

Table = Sequence[Sequence[Sequence[int]]]
"""Rows per value of the first column, value of the second, and class."""

Parts = tuple[tuple[int, ...], ...]


class Grid(NamedTuple):
    """Parts of each column as tuples of values."""

    cost: float
    parts: tuple[Parts, Parts]


def interval_partitions(n_values: int) -> Iterator[Parts]:
    """All cuts of range(V) into intervals."""
    for n_cuts in range(n_values):
        for cuts in combinations(range(1, n_values), n_cuts):
            ends = (0, *cuts, n_values)
            yield tuple(tuple(range(a, b)) for a, b in pairwise(ends))


def group_partitions(n_values: int) -> Iterator[Parts]:
    """All partitions of range(V) into groups."""
    for groups in set_partitions(n_values):
        yield tuple(map(tuple, groups))


def axis_prior(n_rows: int, n_values: int, n_parts: int, ordered: bool) -> float:
    """log N + log C(N+I-1, I-1), or log V + log B(V, I)."""
    if ordered:
        return math.log(n_rows) + math.log(math.comb(n_rows + n_parts - 1, n_parts - 1))
    return math.log(n_values) + log_b(n_values, n_parts)


def brute_force(table: Table, ordered: tuple[bool, bool]) -> Grid:
    """The least cost over all grids."""
    sizes = len(table), len(table[0])
    n_rows = sum(n for row in table for cell in row for n in cell)

    @cache
    def cell_cost(first: tuple[int, ...], second: tuple[int, ...]) -> float:
        cells = [table[a][b] for a, b in product(first, second)]
        return math.log(part_weight(tuple(map(sum, zip(*cells, strict=True)))))

    def cost(first: Parts, second: Parts) -> float:
        priors = (
            axis_prior(n_rows, size, len(parts), is_ordered)
            for size, parts, is_ordered in zip(sizes, (first, second), ordered, strict=True)
        )
        return math.fsum([*priors, *(cell_cost(a, b) for a, b in product(first, second))])

    partitions = [
        list(interval_partitions(size) if is_ordered else group_partitions(size))
        for size, is_ordered in zip(sizes, ordered, strict=True)
    ]
    return min(Grid(cost(*parts), parts) for parts in product(*partitions))

"""Value grouping: seed 002 formula 2."""

import math
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import combinations
from typing import NamedTuple

from .discretization import part_weight
from .intervals import TIE, Row, total

Group = tuple[int, ...]
Groups = tuple[Group, ...]


class Grouping(NamedTuple):
    """`groups` holds the indices of the values, in order of each group's first value."""

    cost: float
    groups: Groups


@cache
def stirling_row(n_values: int) -> tuple[int, ...]:
    """S(V, 0..V): S(V, k) = k · S(V-1, k) + S(V-1, k-1), S(0, 0) = 1."""
    row = [1]
    for _ in range(n_values):
        pairs = zip([*row, 0], [0, *row], strict=True)
        row = [k * same + fewer for k, (same, fewer) in enumerate(pairs)]
    return tuple(row)


@cache
def log_b(n_values: int, n_groups: int) -> float:
    """log B(V, I), B(V, I) = Σ_{k=1..I} S(V, k)."""
    return math.log(sum(stirling_row(n_values)[1 : n_groups + 1]))


def part_cost(row: Row) -> float:
    """log C(N_i+J-1, J-1) + log( N_i! / Π_j N_ij! )."""
    return math.log(part_weight(row))


def cost(n_values: int, counts: Sequence[Row]) -> float:
    """log V + log B(V, I) + Σ_i log C(N_i+J-1, J-1) + Σ_i log( N_i! / Π_j N_ij! )."""
    prior = math.log(n_values) + log_b(n_values, len(counts))
    return math.fsum([prior, *map(part_cost, counts)])


def set_partitions(n_values: int) -> Iterator[list[list[int]]]:
    """All partitions of range(V): each value joins a group of the earlier ones or opens one."""
    if n_values == 0:
        yield []
        return
    last = n_values - 1
    for groups in set_partitions(last):
        for k in range(len(groups)):
            yield [*groups[:k], [*groups[k], last], *groups[k + 1 :]]
        yield [*groups, [last]]


def group_costs(counts: Sequence[Row]) -> Callable[[Group], float]:
    """part_cost of a group of values, remembered."""

    @cache
    def cost_of(group: Group) -> float:
        return part_cost(total([counts[value] for value in group]))

    return cost_of


def evaluated(groups: Groups, cost_of: Callable[[Group], float]) -> Grouping:
    """Formula 2 from remembered part costs."""
    n_values = sum(map(len, groups))
    prior = math.log(n_values) + log_b(n_values, len(groups))
    return Grouping(math.fsum([prior, *map(cost_of, groups)]), groups)


def all_groupings(counts: Sequence[Row]) -> Iterator[Grouping]:
    """Every partition of the values with its cost; Bell(10) = 115,975 take about a second."""
    cost_of = group_costs(counts)
    for groups in set_partitions(len(counts)):
        yield evaluated(tuple(map(tuple, groups)), cost_of)


def best_by_size(counts: Sequence[Row]) -> dict[int, Grouping]:
    """The best grouping for each number of groups."""
    best: dict[int, Grouping] = {}
    for grouping in all_groupings(counts):
        size = len(grouping.groups)
        best[size] = min(best.get(size, grouping), grouping)
    return best


def brute_force(counts: Sequence[Row]) -> Grouping:
    """The least cost over all partitions of the values, V <= 10."""
    return min(best_by_size(counts).values())


def all_optima(counts: Sequence[Row]) -> list[Grouping]:
    """Every grouping within 1e-9 of the least cost, best first."""
    groupings = sorted(all_groupings(counts))
    return [grouping for grouping in groupings if grouping.cost <= groupings[0].cost + TIE]


def greedy_merging(counts: Sequence[Row]) -> Grouping:
    """The best grouping met when the best of all pairs is merged down to one group."""
    cost_of = group_costs(counts)

    @cache
    def increase(a: Group, b: Group) -> float:
        return cost_of(tuple(sorted(a + b))) - cost_of(a) - cost_of(b)

    groups: Groups = tuple((value,) for value in range(len(counts)))
    met = [evaluated(groups, cost_of)]
    while len(groups) > 1:
        a, b = min(combinations(groups, 2), key=lambda pair: increase(*pair))
        others = (group for group in groups if group not in (a, b))
        groups = tuple(sorted([*others, tuple(sorted(a + b))]))
        met.append(evaluated(groups, cost_of))
    return min(met)

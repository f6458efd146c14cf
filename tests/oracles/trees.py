"""Trees of partitions: the prior of Voisine, Boullé and Hue 2010, and groups of leaves."""

import math
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product
from typing import Any, NamedTuple

from .discretization import part_weight
from .grid import axis_prior, group_partitions, interval_partitions
from .grouping import log_b, set_partitions

Example = tuple[tuple[int, ...], int]
"""The values of the columns of a row, and its class."""


class Split(NamedTuple):
    """A column, and for each of its parts the values and what follows: a split, or None."""

    column: int
    parts: tuple[tuple[int, ...], ...]
    children: tuple[Any, ...]


Tree = Split | None
"""None = a leaf."""


def leaves(tree: Tree, rows: Sequence[Example]) -> list[list[Example]]:
    """The rows of each leaf, from left to right."""
    if tree is None:
        return [list(rows)]
    return [
        leaf
        for part, child in zip(tree.parts, tree.children, strict=True)
        for leaf in leaves(child, [row for row in rows if row[0][tree.column] in part])
    ]


def columns(tree: Tree) -> set[int]:
    """The columns that a tree uses."""
    return set() if tree is None else {tree.column}.union(*map(columns, tree.children))


def shape_cost(tree: Tree, rows: Sequence[Example], ordered: Sequence[bool], used: int) -> float:
    """Σ_nodes log 2 + Σ_splits (log K_T + the prior of the parts)."""
    if tree is None:
        return math.log(2)
    k = tree.column
    n_values = len({row[0][k] for row in rows})
    own = axis_prior(len(rows), n_values, len(tree.parts), ordered[k])
    below = [
        shape_cost(child, [row for row in rows if row[0][k] in part], ordered, used)
        for part, child in zip(tree.parts, tree.children, strict=True)
    ]
    return math.fsum([math.log(2), math.log(used), own, *below])


@cache
def part_cost(row: tuple[int, ...]) -> float:
    """log C(N_i+J-1, J-1) + log( N_i! / Π_j N_ij! )."""
    return math.log(part_weight(row))


def counts_of(rows: Sequence[Example], n_classes: int) -> tuple[int, ...]:
    """Rows per class."""
    return tuple(sum(label == j for _, label in rows) for j in range(n_classes))


def cost(tree: Tree, rows: Sequence[Example], ordered: Sequence[bool], n_classes: int) -> float:
    """log(K+1) + log C(K+K_T-1, K_T) + nodes + log 2 + the least cost of groups of leaves."""
    K, K_T = len(ordered), len(columns(tree))
    which = math.log((K + 1) * math.comb(K + K_T - 1, K_T))
    found = [counts_of(leaf, n_classes) for leaf in leaves(tree, rows)]
    L, best = len(found), math.inf
    for groups in set_partitions(L):
        summed = [tuple(map(sum, zip(*(found[i] for i in g), strict=True))) for g in groups]
        prior = 0.0 if len(summed) == L else math.log(L) + log_b(L, len(summed))
        parts = [part_cost(row) for row in summed]
        best = min(best, math.fsum([prior, *parts]))
    return math.fsum([which, shape_cost(tree, rows, ordered, K_T), math.log(2), best])


def all_trees(rows: Sequence[Example], ordered: Sequence[bool]) -> Iterator[Tree]:
    """Every tree whose parts all have rows."""
    yield None
    for k, is_ordered in enumerate(ordered):
        values = sorted({row[0][k] for row in rows})
        partitions = interval_partitions if is_ordered else group_partitions
        for parts in partitions(len(values)):
            if len(parts) > 1:
                named = tuple(tuple(values[i] for i in part) for part in parts)
                below = [
                    list(all_trees([row for row in rows if row[0][k] in part], ordered))
                    for part in named
                ]
                for children in product(*below):
                    yield Split(k, named, children)


def brute_force(rows: Sequence[Example], ordered: Sequence[bool], n_classes: int) -> float:
    """The least cost over all trees."""
    return min(cost(tree, rows, ordered, n_classes) for tree in all_trees(rows, ordered))

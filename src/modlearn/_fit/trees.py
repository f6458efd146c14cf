"""From grids of pairs to trees on three columns or more.

Trees grow from pairs that are more informative together than the sum of their columns, and from
triples that are informative only together. Each is grown on at most three and on at most four
columns. A tree is kept if it saves more nats than its columns do alone, in pairs or in smaller
trees, by more than the log of the number of trees that were grown.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from itertools import combinations
from math import log, prod

import numpy as np
from numpy.typing import NDArray

from modlearn._fit.additive import fine_bins
from modlearn._fit.pairs import largest_first
from modlearn._model.grid import Grid
from modlearn._model.limits import MOST_CELLS
from modlearn._model.merging import merged
from modlearn._model.partitions import Groups, Intervals, Partition
from modlearn._model.tree import Branch, Tree
from modlearn._parallel import map_in_threads
from modlearn._search.trees import Examples, FoundTree, Seed, seeded_tree
from modlearn._search.triples import promising_triples, triple_seed
from modlearn._statistics.rows import Rows
from modlearn.criteria import level

__all__ = ["MOST_TREES", "fit_trees"]

MOST_TREES = 10
"""Most trees of a model."""

MOST_PAIRS = 20
"""Pairs of the highest synergy that trees grow from."""

MOST_TRIPLES = 10
"""Triples of the highest score in the screening that trees grow from."""

SIZES = (3, 4)
"""Most columns of a tree, tried in turn."""

MOST_GROWN = 20_000
"""Rows that trees grow on; with more, a sample of them decides where nodes are divided."""

Savings = dict[frozenset[int], float]
"""What columns save together, in nats, by their positions."""


def fit_trees(
    rows: Rows,
    partitions: Sequence[Partition],
    grids: Sequence[Grid],
    most: int,
    n_jobs: int | None,
) -> list[Tree]:
    """Return the trees that add most to their columns and pairs, best first.

    Trees are grown on the bins of the additive model. There are none in a table that an engine
    counts: what a sample suggests is not comparable with pairs of all rows.
    """
    if rows.counting is not None or len(partitions) < 3:
        return []
    bins = map_in_threads(lambda one: fine_bins(rows, one), partitions, n_jobs)
    examples = Examples.of(
        rows.profiles(bins, n_jobs),
        [one.n_parts for one in bins],
        [isinstance(one, Intervals) for one in bins],
        len(rows.target.classes),
    )
    found, n_grown = _grown(examples, _seeds(examples, bins, grids), n_jobs)
    chosen = _chosen(found, _savings(partitions, grids), log(n_grown))
    trees = (_tree(bins, tree, synergy) for tree, synergy in chosen)
    return [tree for tree in trees if prod(tree.shape) <= MOST_CELLS][:most]


def _savings(partitions: Sequence[Partition], grids: Sequence[Grid]) -> Savings:
    """Return what each column and each pair saves."""
    index = {partition.name: k for k, partition in enumerate(partitions)}
    singles = {frozenset((k,)): one.null_cost - one.cost for k, one in enumerate(partitions)}
    pairs = {frozenset(index[n] for n in one.names): one.null_cost - one.cost for one in grids}
    return singles | pairs


def _seeds(examples: Examples, bins: Sequence[Partition], grids: Sequence[Grid]) -> Iterator[Seed]:
    """Yield what trees grow from: nothing, pairs with synergy, and triples."""
    yield ()
    index = {partition.name: k for k, partition in enumerate(bins)}
    promising = [grid for grid in grids if grid.synergy > 0]
    promising.sort(key=lambda grid: -round(grid.synergy, 6))
    for grid in promising[:MOST_PAIRS]:
        axes = [(index[axis.name], axis) for axis in grid.axes]
        yield [(k, _parts_of_bins(axis, bins[k])) for k, axis in axes]
    some = examples.first(MOST_GROWN)
    for triple in promising_triples(some, MOST_TRIPLES):
        seed = triple_seed(some, triple)
        if seed is not None:
            yield seed


def _parts_of_bins(axis: Partition, bins: Partition) -> NDArray[np.intp]:
    """Return the part of an axis that each bin is in, or most of it."""
    if isinstance(axis, Intervals):
        assert isinstance(bins, Intervals)
        missing = [np.nan] if bins.missing_alone else []
        return axis.codes(np.array([*missing, *bins.cuts, np.inf])).astype(np.intp)
    assert isinstance(axis, Groups)
    assert isinstance(bins, Groups)
    return axis.codes([group[0] for group in bins.groups]).astype(np.intp)


def _grown(
    examples: Examples, seeds: Iterator[Seed], n_jobs: int | None
) -> tuple[list[FoundTree], int]:
    """Return the best tree of each set of columns, and the number of trees that were grown."""
    some = examples.first(MOST_GROWN)

    def grow(seed: Seed) -> list[FoundTree]:
        tree, found = seeded_tree(some, seed), []
        for size in SIZES:
            tree.grow(size)
            tree.prune()
            found.append((tree if some is examples else tree.on(examples)).found())
        return found

    grown = [tree for trees in map_in_threads(grow, list(seeds), n_jobs) for tree in trees]
    best: dict[frozenset[int], FoundTree] = {}
    for tree in grown:
        if len(tree.axes) >= 3:
            known = best.get(tree.axes)
            if known is None or round(tree.cost, 6) < round(known.cost, 6):
                best[tree.axes] = tree
    return list(best.values()), len(grown)


def _chosen(
    trees: Sequence[FoundTree], savings: Savings, price: float
) -> list[tuple[FoundTree, float]]:
    """Return the trees whose synergy exceeds a price, with their synergy, highest first."""
    known, found = dict(savings), []
    for tree in sorted(trees, key=lambda one: len(one.axes)):
        saving = tree.null_cost - tree.cost
        synergy = saving - _saving_in_pieces(tree.axes, known)
        if synergy > price:
            found.append((tree, synergy))
        known[tree.axes] = saving
    return sorted(found, key=lambda one: -round(one[1], 6))


def _saving_in_pieces(columns: Collection[int], savings: Mapping[frozenset[int], float]) -> float:
    """Return the most that columns save if they are divided into pieces whose savings are known."""
    if not columns:
        return 0.0
    first, *others = sorted(columns)
    best = -np.inf
    for size in range(len(others) + 1):
        for more in combinations(others, size):
            saving = savings.get(frozenset((first, *more)))
            if saving is not None:
                rest = [k for k in others if k not in more]
                best = max(best, max(saving, 0.0) + _saving_in_pieces(rest, savings))
    return best


def _tree(bins: Sequence[Partition], tree: FoundTree, synergy: float) -> Tree:
    """Return a tree whose axes have the parts that its branches distinguish."""
    columns = sorted(tree.axes)
    parts = {k: _axis_parts(tree, k, bins[k]) for k in columns}
    branches = []
    for branch in tree.branches:
        of_bins = parts[branch.axis]
        # All bins of a part are followed by the same.
        first = np.unique(of_bins, return_index=True)[1]
        following = tuple(branch.following[first].tolist())
        branches.append(Branch(columns.index(branch.axis), following))
    return Tree(
        axes=tuple(merged(bins[k], parts[k]) for k in columns),
        branches=tuple(branches),
        counts=tree.counts,
        cost=tree.cost,
        null_cost=tree.null_cost,
        level=level(tree.cost, tree.null_cost),
        synergy=synergy,
    )


def _axis_parts(tree: FoundTree, k: int, bins: Partition) -> NDArray[np.intp]:
    """Return the part of every bin of a column: bins that no branch distinguishes share one.

    Intervals are numbered in their order, groups from the largest.
    """
    following = np.stack([one.following for one in tree.branches if one.axis == k])
    if isinstance(bins, Intervals):
        differs = (following[:, 1:] != following[:, :-1]).any(axis=0)
        return np.concatenate(([0], np.cumsum(differs)))
    parts = np.unique(following, axis=1, return_inverse=True)[1].ravel()
    rows = np.bincount(parts, bins.counts.sum(axis=1)).astype(np.int64)
    return np.argsort(largest_first(parts, rows))[parts]

"""Trees of partitions: nodes are split by exact searches, and leaves that are alike share a group.

A tree grows from a seed: parts of a few columns that are informative together, each dividing every
node so far, in the order that costs least. Then the split that lowers the cost of the tree most is
applied, wherever it is, as long as one does, and splits that do not pay are removed. A node is
split as a column is partitioned: into the intervals of least cost, or groups.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

from modlearn._search.axis_parts import Parts
from modlearn._search.blocks import from_dense
from modlearn._search.grouping import best_groups, summed_items
from modlearn._search.intervals import Limits, best_intervals, tolerance_of
from modlearn._statistics.categories import CategoryCounts
from modlearn._statistics.pairs import Axis
from modlearn._statistics.profiles import Profiles
from modlearn.criteria import (
    LEAF_PRIOR,
    ClassCost,
    Costing,
    discretization_prior,
    part_costs,
    split_prior,
    tree_cost,
    tree_prior,
)

__all__ = [
    "Branch",
    "Examples",
    "FoundTree",
    "GrowingTree",
    "Seed",
    "best_parts",
    "seeded_tree",
]

Seed = Sequence[tuple[int, Parts]]
"""Columns, each with the part of every value."""

Counts = NDArray[np.int64]


@dataclass(frozen=True)
class Examples:
    """Labeled rows by the values of several columns.

    Parameters
    ----------
    axes : tuple of K Axis
        The value of every row in each column.
    classes : ndarray of shape (n,), int32
        Class of every row.
    rows : ndarray of shape (n,), int64
        Number of rows that each stands for.
    n_classes : int
        J, the number of classes.
    """

    axes: tuple[Axis, ...]
    classes: NDArray[np.int32]
    rows: NDArray[np.int64]
    n_classes: int

    @classmethod
    def of(
        cls, profiles: Profiles, n_values: Sequence[int], ordered: Sequence[bool], n_classes: int
    ) -> Examples:
        """Return rows by the parts of columns, which are the values here."""
        axes = tuple(map(Axis, profiles.codes, n_values, ordered))
        return cls(axes, profiles.classes, profiles.rows.astype(np.int64), n_classes)

    def first(self, n: int) -> Examples:
        """Return the first rows; these are a sample, as profiles have no meaningful order."""
        axes = tuple(replace(axis, codes=axis.codes[:n]) for axis in self.axes)
        return replace(self, axes=axes, classes=self.classes[:n], rows=self.rows[:n])

    def counts(self, k: int, at: NDArray[np.intp]) -> Counts:
        """Count some of the rows by the value of a column and class, shape (V, J)."""
        axis, J = self.axes[k], self.n_classes
        keys = axis.codes[at].astype(np.int64) * J + self.classes[at]
        found = np.bincount(keys, self.rows[at], axis.n_values * J)
        return found.astype(np.int64).reshape(axis.n_values, J)


@dataclass(frozen=True)
class _Split:
    """The parts of a column that divide a node."""

    axis: int
    parts: Parts  # (V,), part of every value of the column
    n_parts: int
    shape: tuple[int, int | None, int]  # rows of the node, its values if grouped, parts
    part_cost: float


@dataclass(eq=False)
class _Node:
    """A node: the rows that reach it, and what divides it; a leaf if nothing does."""

    at: NDArray[np.intp]
    counts: Counts  # (J,), rows per class
    split: _Split | None = None
    children: list[_Node] = field(default_factory=list)
    best: dict[int, _Split | None] = field(default_factory=dict)  # by column, where searched

    @cached_property
    def cost(self) -> float:
        """What the node costs as a leaf, without its prior."""
        return float(part_costs(self.counts[None]).sum())

    @property
    def leaves(self) -> list[_Node]:
        """The leaves below, from left to right."""
        return [self] if self.split is None else [n for one in self.children for n in one.leaves]

    @property
    def divided(self) -> list[_Node]:
        """This node and those below that are divided, each before those below it."""
        if self.split is None:
            return []
        return [self, *(node for one in self.children for node in one.divided)]


@dataclass(frozen=True)
class Branch:
    """What follows for each value of a column.

    Parameters
    ----------
    axis : int
        The column.
    following : ndarray of shape (V,), intp
        The number of a later branch, or the number of branches plus that of a group of leaves.
    """

    axis: int
    following: NDArray[np.intp]


@dataclass(frozen=True)
class FoundTree:
    """A tree whose leaves are in groups.

    Parameters
    ----------
    branches : tuple of Branch
        The nodes that are divided, the root first.
    counts : ndarray of shape (G, J), int64
        Rows per group of leaves and class, the largest group first.
    n_leaves : int
        L, the number of leaves.
    cost, null_cost : float
        Cost of the tree, and of a single leaf.
    """

    branches: tuple[Branch, ...]
    counts: Counts
    n_leaves: int
    cost: float
    null_cost: float

    @property
    def axes(self) -> frozenset[int]:
        """The columns that the tree uses."""
        return frozenset(branch.axis for branch in self.branches)


def best_parts(counts: Counts, ordered: bool, costing: Costing = ClassCost) -> Parts:
    """Return the best part of every value, from the rows per value and label.

    A value without rows belongs to the interval below it, or to the largest group.
    """
    present = np.flatnonzero(counts.sum(axis=1))
    if not ordered:
        parts = np.zeros(len(counts), dtype=np.intp)
        parts[present] = best_groups(_categories(counts[present]), costing, Limits())[0]
        return parts
    n_rows, n_labels = int(counts.sum()), counts.shape[1]
    cost = costing(n_labels, partial(discretization_prior, n_rows))
    blocks = from_dense(counts[present])
    blocks.sort_labels(cost.n_alike)
    bounds = best_intervals(blocks, cost, n_rows, Limits()).bounds
    nearest = np.searchsorted(present, np.arange(len(counts)), side="right") - 1
    return np.searchsorted(bounds[1:-1], np.maximum(nearest, 0), side="right")


def _categories(counts: Counts) -> CategoryCounts:
    values, classes = np.nonzero(counts)
    pointer = np.searchsorted(values, np.arange(len(counts) + 1))
    return CategoryCounts(
        pointer, classes.astype(np.int32), counts[values, classes], counts.shape[1]
    )


def seeded_tree(examples: Examples, seed: Seed) -> GrowingTree:
    """Return the beginning of a tree: its seed in the order that costs least.

    Splits that do not pay are left out, unless none pays before the tree has grown.
    """
    trees = [GrowingTree(examples, order) for order in permutations(seed)]
    for tree in trees:
        tree.prune()
    # Rounded, so that costs that differ only by rounding errors are ties.
    best = min(trees, key=lambda tree: round(tree.found().cost, 6))
    return best if best.axes else GrowingTree(examples, seed)


class GrowingTree:
    """A tree that is being grown.

    Parameters
    ----------
    examples : Examples
        The rows.
    seed : sequence of (int, ndarray)
        Columns with parts that divide every node, one after the other.
    """

    def __init__(self, examples: Examples, seed: Seed = ()) -> None:
        self.examples = examples
        self.root = self._node(np.arange(len(examples.classes)))
        self.tolerance = tolerance_of(int(self.root.counts.sum()))
        for k, parts in seed:
            for leaf in self.root.leaves:
                split = self._by_present_parts(leaf, k, parts)
                if split is not None:
                    self._divide(leaf, split)

    @property
    def axes(self) -> list[int]:
        """The columns that the tree uses, in their order."""
        return sorted({node.split.axis for node in self.root.divided if node.split is not None})

    def grow(self, most_axes: int) -> None:
        """Divide nodes as long as the cost falls; at most this number of columns is used."""
        while True:
            axes = self.axes
            tried = range(len(self.examples.axes)) if len(axes) < most_axes else axes
            gain, leaf, split = 0.0, None, None
            prices = {new: self._price(axes, new) for new in (False, True)}
            for node in self.root.leaves:
                for k in tried:
                    one = self._best_split(node, k)
                    if one is None:
                        continue
                    found = (
                        node.cost - one.part_cost - self._added(one, axes) - prices[k not in axes]
                    )
                    if found > gain + self.tolerance:
                        gain, leaf, split = found, node, one
            if leaf is None or split is None:
                return
            self._divide(leaf, split)

    def prune(self) -> None:
        """Remove splits that do not pay, those farthest from the root first."""
        K_T = max(len(self.axes), 1)

        def cost(node: _Node) -> float:
            if node.split is None:
                return LEAF_PRIOR + node.cost
            below = split_prior(K_T, *node.split.shape) + sum(map(cost, node.children))
            if below >= LEAF_PRIOR + node.cost - self.tolerance:
                node.split, node.children = None, []
                return LEAF_PRIOR + node.cost
            return below

        cost(self.root)

    def on(self, examples: Examples) -> GrowingTree:
        """Return the same splits of other rows."""
        tree = GrowingTree(examples)

        def divide(node: _Node, like: _Node) -> None:
            if like.split is not None:
                split = tree._split(node, like.split.axis, like.split.parts)
                tree._divide(node, split)
                for one, other in zip(node.children, like.children, strict=True):
                    divide(one, other)

        divide(tree.root, self.root)
        return tree

    def found(self) -> FoundTree:
        """Return the tree with its leaves in groups, if these lower the cost."""
        counts = np.stack([leaf.counts for leaf in self.root.leaves])
        alone = np.argsort(np.argsort(-counts.sum(axis=1), kind="stable"))
        found = [self._with(groups) for groups in (alone, best_parts(counts, ordered=False))]
        return found[int(found[1].cost < found[0].cost - self.tolerance)]

    def _with(self, groups: Parts) -> FoundTree:
        """Return the tree with these groups of its leaves."""
        leaves, divided = self.root.leaves, self.root.divided
        number = {id(node): i for i, node in enumerate(divided)}
        number |= {id(leaf): len(divided) + int(g) for leaf, g in zip(leaves, groups, strict=True)}
        branches, shapes = [], []
        for node in divided:
            assert node.split is not None
            following = np.array([number[id(child)] for child in node.children])
            branches.append(Branch(node.split.axis, following[node.split.parts]))
            shapes.append(node.split.shape)
        K, counts = len(self.examples.axes), np.stack([leaf.counts for leaf in leaves])
        summed = summed_items(counts, groups)
        cost = tree_cost(summed, K, len(self.axes), shapes, len(leaves))
        null_cost = tree_cost(self.root.counts[None], K)
        return FoundTree(tuple(branches), summed, len(leaves), cost, null_cost)

    def _node(self, at: NDArray[np.intp]) -> _Node:
        rows = self.examples
        counts = np.bincount(rows.classes[at], rows.rows[at], rows.n_classes)
        return _Node(at, counts.astype(np.int64))

    def _divide(self, node: _Node, split: _Split) -> None:
        part = split.parts[self.examples.axes[split.axis].codes[node.at]]
        node.split = split
        node.children = [self._node(node.at[part == i]) for i in range(split.n_parts)]

    def _best_split(self, node: _Node, k: int) -> _Split | None:
        """Return the split of a node by a column; None if one part is best."""
        if k not in node.best:
            counts = self.examples.counts(k, node.at)
            parts = best_parts(counts, self.examples.axes[k].ordered)
            node.best[k] = self._split(node, k, parts) if parts.any() else None
        return node.best[k]

    def _by_present_parts(self, node: _Node, k: int, parts: Parts) -> _Split | None:
        """Return the split of a node by given parts; those without rows disappear."""
        present = np.unique(parts[self.examples.axes[k].codes[node.at]])
        if len(present) < 2:
            return None
        kept = np.clip(np.searchsorted(present, parts), 0, len(present) - 1)
        return self._split(node, k, kept)

    def _split(self, node: _Node, k: int, parts: Parts) -> _Split:
        axis, counts = self.examples.axes[k], self.examples.counts(k, node.at)
        n_parts = int(parts.max()) + 1
        n_values = None if axis.ordered else int(np.count_nonzero(counts.sum(axis=1)))
        summed = np.zeros((n_parts, counts.shape[1]), dtype=np.int64)
        np.add.at(summed, parts, counts)
        shape = int(counts.sum()), n_values, n_parts
        return _Split(k, parts, n_parts, shape, float(part_costs(summed).sum()))

    def _added(self, split: _Split, axes: Iterable[int]) -> float:
        """Return what a split adds to the prior of the tree, if it has its column already."""
        K_T = len({*axes, split.axis})
        return split_prior(K_T, *split.shape) + (split.n_parts - 1) * LEAF_PRIOR

    def _price(self, axes: list[int], new: bool) -> float:
        """Return what one more column adds to the prior of the splits so far; 0 if none is new."""
        if not new:
            return 0.0
        shapes = [node.split.shape for node in self.root.divided if node.split is not None]
        K, K_T = len(self.examples.axes), len(axes)
        more = tree_prior(K, K_T + 1, shapes, 0)
        return more - tree_prior(K, K_T, shapes, 0)

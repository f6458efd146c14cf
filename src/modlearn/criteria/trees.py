"""The cost of a tree of partitions: what its shape costs, and its leaves, which may share groups.

The prior is that of Voisine, Boullé and Hue (A Bayes evaluation criterion for decision trees,
2010), hierarchical and uniform at each level: which columns, then for every node whether it is
split, by which of them, into which parts, and the class distribution of every leaf. Two departures:
a node may be split into any number of intervals, as formula 1 prices them, and leaves that are
alike may share a group, as formula 2 prices the groups of values.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from modlearn.criteria.counts import as_counts
from modlearn.criteria.discretization import part_costs
from modlearn.criteria.grid import axis_prior
from modlearn.criteria.grouping import grouping_prior
from modlearn.criteria.naive_bayes import subset_prior

__all__ = ["LEAF_PRIOR", "split_prior", "tree_cost", "tree_prior"]

LEAF_PRIOR = float(np.log(2))
"""log 2: a node is a leaf, or it is split."""

Split = tuple[int, int | None, int]
"""Of a node: its rows, the values of its column if these are grouped, and its parts."""


def split_prior(K_T: int, N_s: int, V_s: int | None, I_s: int) -> float:
    """Return log 2 + log K_T + the prior of I_s parts, of N_s rows or of V_s values in the node.

    Parameters
    ----------
    K_T : int
        Number of columns that the tree uses.
    N_s : int
        Rows of the node.
    V_s : int or None
        Values of the column in the node, if they are grouped; None for intervals.
    I_s : int
        Number of parts.

    Examples
    --------
    >>> from modlearn.criteria import discretization_prior, split_prior
    >>> round(split_prior(1, 100, None, 3) - float(discretization_prior(100, 3)), 6)
    0.693147
    """
    return float(LEAF_PRIOR + np.log(K_T) + axis_prior(N_s, V_s, I_s))


def tree_prior(K: int, K_T: int, splits: Iterable[Split], n_leaves: int) -> float:
    """Return log(K+1) + log C(K+K_T-1, K_T) + the priors of the splits + log 2 per leaf.

    Parameters
    ----------
    K, K_T : int
        Number of columns, and of those that the tree uses.
    splits : iterable of (N_s, V_s, I_s)
        For every node that is split, its rows, the values of its column if they are grouped (None
        for intervals), and its parts.
    n_leaves : int
        L, the number of leaves.

    Examples
    --------
    >>> from modlearn.criteria import tree_prior
    >>> round(tree_prior(3, 0, [], 1), 6)  # log 4 + log 2
    2.079442
    """
    prices = [split_prior(K_T, *split) for split in splits]
    return subset_prior(K, K_T) + sum(prices) + n_leaves * LEAF_PRIOR


def tree_cost(
    counts: ArrayLike, K: int, K_T: int = 0, splits: Sequence[Split] = (), n_leaves: int = 1
) -> float:
    """Return the cost of a tree whose L leaves are in G groups with these rows per class.

    The prior of the tree, log 2 for whether leaves share groups, log L + log B(L, G) for how if
    they do, and the part costs of the groups.

    Parameters
    ----------
    counts : array-like of int, shape (G, J)
        Rows of class j in group g of leaves.
    K, K_T : int
        Number of columns, and of those that the tree uses.
    splits : sequence of (N_s, V_s, I_s), default=()
        For every node that is split, its rows, the values of its column if they are grouped (None
        for intervals), and its parts. None = a single leaf.
    n_leaves : int, default=1
        L, the number of leaves.

    Examples
    --------
    One of two players wins if their coins fall alike, which happens in 20 of 40 throws:

    >>> from modlearn.criteria import tree_cost
    >>> alone = tree_cost([[20, 20]], K=2)
    >>> tree = tree_cost([[20, 0], [0, 20]], 2, 2, [(40, 2, 2), (20, 2, 2), (20, 2, 2)], n_leaves=4)
    >>> round(alone, 3), round(tree, 3)
    (31.848, 23.536)
    """
    cells = as_counts(counts)
    if n_leaves < cells.shape[0]:
        raise ValueError(
            f"{cells.shape[0]} groups need at least as many leaves, got n_leaves={n_leaves}."
        )
    G = cells.shape[0]
    shared = grouping_prior(n_leaves, G) if n_leaves > G else 0.0
    shape = tree_prior(K, K_T, splits, n_leaves) + np.log(2)
    return float(shape + shared + part_costs(cells).sum())

"""Formula 2: the cost of grouping the values of a categorical column."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from modlearn.criteria.combinatorics import log_partitions
from modlearn.criteria.counts import as_counts
from modlearn.criteria.discretization import part_costs

__all__ = ["grouping_cost", "grouping_prior"]


def grouping_prior(V: int, I: ArrayLike) -> Any:
    """Return log V + log B(V, I), the prior of a partition of V values into I groups."""
    return np.log(V) + log_partitions(V, I)


def grouping_cost(counts: ArrayLike, n_values: int) -> float:
    """Return the cost of a grouping, formula 2 of Boullé 2007.

    Parameters
    ----------
    counts : array-like of int, shape (I, J)
        Rows of class j in group i.
    n_values : int
        V, the number of distinct values that are grouped.

    Examples
    --------
    >>> from modlearn.criteria import grouping_cost
    >>> round(grouping_cost([[10, 0], [0, 10]], n_values=4), 4)
    8.2615
    """
    counts = as_counts(counts)
    if n_values < counts.shape[0]:
        raise ValueError(
            f"{counts.shape[0]} groups need at least as many values, got V={n_values}."
        )
    return float(grouping_prior(n_values, counts.shape[0]) + part_costs(counts).sum())

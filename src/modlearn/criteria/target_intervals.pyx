"""Rank regression, and its target side as a part cost (Boullé & Hue 2006; Hue & Boullé 2007).

A numeric target is used by its ranks and cut into T intervals, next to I parts of a column, with
N_it rows in cell (i, t). With the parts of the column fixed, what depends on the intervals is

    sum_i log C(N_i+T-1, T-1)  +  sum_t ( log N_.t! - sum_i log N_it! ):

a prior concave in T, and a cost of every target interval. That cost is formula 1's with the parts i
as labels, but for the prior of a distribution: log (N_t+J-1)! - log (J-1)! with J = 1.
"""

from functools import partial

import numpy as np

from modlearn.criteria.class_cost cimport ClassCost
from modlearn.criteria.combinatorics import log_binomials, log_factorials
from modlearn.criteria.counts import as_counts
from modlearn.criteria.grid import axis_prior

__all__ = ["TargetCost", "rank_regression_cost"]


cdef class TargetCost(ClassCost):
    """The cost of the ranks within each target interval, for fixed parts of a column.

    Label i stands for the rows of part i of the column.

    Parameters
    ----------
    part_sizes : array-like of int, shape (I,)
        N_i, the rows of every part of the column.

    Examples
    --------
    With one target interval, the cost is that of assigning the ranks to the rows:

    >>> import math
    >>> from modlearn.criteria import TargetCost
    >>> round(TargetCost([5, 3]).total([[5, 3]]), 9) == round(math.log(56), 9)
    True
    """

    def __init__(self, part_sizes):
        sizes = as_counts(np.atleast_2d(part_sizes))[0]
        ClassCost.__init__(self, len(sizes), partial(_distribution_prior, sizes))
        # With J = 1, the first terms of a part, log (N+J-1)! - log (J-1)!, are log N!: the ranks of
        # the N rows within a target interval. The labels are not classes but parts of the column.
        self.J = 1

    @property
    def joins_pure_runs(self):
        # Its prior is not that of formula 1, for which this is shown.
        return False


def _distribution_prior(part_sizes, T):
    """sum_i log C(N_i+T-1, T-1), for a number or an array of numbers T."""
    n_intervals = np.asarray(T, dtype=np.int64)[..., None]
    return log_binomials(part_sizes + n_intervals - 1, n_intervals - 1).sum(axis=-1)


def rank_regression_cost(counts, n_values=None):
    """Return the cost of cutting a column into I parts and a numeric target into T intervals.

    The sum of: 2 log N + log C(N+I-1, I-1), the numbers I and T and the bounds of the column (with
    groups, log N + log V + log B(V, I)); for every part log C(N_i+T-1, T-1), its distribution over
    the target intervals, and log (N_i! / prod_t N_it!), the interval of each of its rows; and for
    every target interval log N_.t!, the ranks within it.

    Parameters
    ----------
    counts : array-like of int, shape (I, T)
        Rows of target interval t in part i.
    n_values : int or None, default=None
        V of a column whose values are grouped; None for a column cut into intervals.

    Examples
    --------
    >>> from modlearn.criteria import rank_regression_cost
    >>> round(rank_regression_cost([[8, 2], [0, 30]]), 9)
    112.892438301
    """
    table = as_counts(counts)
    N = table.sum()
    parts = np.log(N) + axis_prior(N, n_values, table.shape[0])
    ranks = TargetCost(table.sum(axis=1)).total(np.ascontiguousarray(table.T))
    return float(parts + log_factorials(table.sum(axis=1)).sum() + ranks)

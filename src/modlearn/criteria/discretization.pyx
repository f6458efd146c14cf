"""Formula 1 and the semi-supervised criterion, term by term, for tables of counts."""

import numpy as np

from modlearn.criteria.combinatorics import log_binomials, log_factorials
from modlearn.criteria.counts import as_counts

__all__ = [
    "apportionment",
    "averaged_cost",
    "bounds_priors",
    "discretization_cost",
    "discretization_prior",
    "distribution_priors",
    "likelihoods",
    "map_cost",
    "part_costs",
]


def bounds_priors(N, I):
    """Return log C(N+I-1, I-1), the cost of the bounds of I intervals of N rows."""
    I = np.asarray(I, dtype=np.int64)
    return log_binomials(N + I - 1, I - 1)


def discretization_prior(N, I):
    """Return log N + log C(N+I-1, I-1), the prior of a partition into I intervals."""
    if N < 1:
        raise ValueError("A criterion needs at least one row: all counts are zero.")
    return np.log(N) + bounds_priors(N, I)


def distribution_priors(counts):
    """Return log C(N_i+J-1, J-1) for every part: the cost of its class distribution."""
    counts = as_counts(counts)
    J = counts.shape[1]
    return log_binomials(counts.sum(axis=1) + J - 1, J - 1)


def likelihoods(counts):
    """Return log(N_i! / prod_j N_ij!) for every part: the cost of labels given distributions."""
    counts = as_counts(counts)
    return log_factorials(counts.sum(axis=1)) - log_factorials(counts).sum(axis=1)


def part_costs(counts):
    """Return the class terms of every part: distribution prior plus likelihood."""
    return distribution_priors(counts) + likelihoods(counts)


def discretization_cost(counts):
    """Return the cost of a discretization, formula 1.

    Parameters
    ----------
    counts : array-like of int, shape (I, J)
        Rows of class j in interval i.

    Examples
    --------
    Three intervals of the sepal width of Iris, as in figure 1 of Boullé 2007:

    >>> from modlearn.criteria import discretization_cost
    >>> round(float(discretization_cost([[2, 34, 21], [17, 15, 24], [31, 1, 5]])), 6)
    150.178184
    """
    counts = as_counts(counts)
    prior = discretization_prior(counts.sum(), counts.shape[0])
    return float(prior + part_costs(counts).sum())


def apportionment(counts, unlabeled):
    """Return the most probable class counts of every part, unlabeled rows included.

    D'Hondt's rule: start with the labeled counts and assign each unlabeled row to the class with
    the largest N_ij^l / (N_ij + 1). For two classes, this is the closed form of Lemma B; for more,
    Lemma B can leave up to J-1 rows unassigned, which the rule assigns. In a part without labels,
    all rows stay unassigned: its counts are zero.

    Examples
    --------
    >>> from modlearn.criteria import apportionment
    >>> apportionment([[2, 1, 0]], [6])
    array([[6, 3, 0]])
    """
    counts = as_counts(counts)
    N_iu = _as_unlabeled(unlabeled, counts.shape[0])
    result = np.zeros_like(counts)
    cdef const int64_t[:, ::1] labeled = counts
    cdef int64_t[:, ::1] completed = result
    cdef const int64_t[::1] labels_per_part = counts.sum(axis=1)
    cdef const int64_t[::1] rest = N_iu
    cdef Py_ssize_t i
    # A part without labels keeps its zeros: any completion would explain it equally well.
    for i in range(labeled.shape[0]):
        if labels_per_part[i] > 0:
            apportion(
                &labeled[i, 0], labeled.shape[1], labels_per_part[i] + rest[i],
                labels_per_part[i], &completed[i, 0],
            )
    return result


def map_cost(counts, unlabeled):
    """Return the semi-supervised cost, Eq. 8 of Bondu et al. 2008, at its best {N_ij}.

    Parameters
    ----------
    counts : array-like of int, shape (I, J)
        Labeled rows of class j in interval i.
    unlabeled : array-like of int, shape (I,)
        Unlabeled rows in interval i.

    Examples
    --------
    Without unlabeled rows it is formula 1:

    >>> from modlearn.criteria import discretization_cost, map_cost
    >>> counts = [[5, 1], [0, 4]]
    >>> round(map_cost(counts, [0, 0]) - discretization_cost(counts), 12)
    0.0
    """
    counts = as_counts(counts)
    N_iu = _as_unlabeled(unlabeled, counts.shape[0])
    N_ij = np.zeros(counts.shape[1], dtype=np.int64)
    cdef const int64_t[:, ::1] labeled = counts
    cdef const int64_t[::1] labels_per_part = counts.sum(axis=1)
    cdef const int64_t[::1] rest = N_iu
    cdef int64_t[::1] scratch = N_ij
    cdef double total = discretization_prior(counts.sum() + N_iu.sum(), counts.shape[0])
    cdef Py_ssize_t i
    # `total` is the prior and the cost of the parts before i.
    for i in range(labeled.shape[0]):
        total += map_part_cost(
            &labeled[i, 0], labeled.shape[1], labels_per_part[i], rest[i], &scratch[0]
        )
    return total


def averaged_cost(counts, unlabeled):
    """Return the semi-supervised cost averaged over all {N_ij}, in closed form.

    The sum over the {N_ij} of a part is C(N_i+J-1, N_i^l+J-1) by the hockey-stick identity, in
    which the unlabeled rows cancel: the remaining cost of a part is its supervised cost. Unlabeled
    rows affect only the prior on the bounds. See ``docs/criteria.md`` for the proof.
    """
    counts = as_counts(counts)
    N_iu = _as_unlabeled(unlabeled, counts.shape[0])
    prior = discretization_prior(counts.sum() + N_iu.sum(), counts.shape[0])
    return float(prior + part_costs(counts).sum())


def _as_unlabeled(unlabeled, n_parts):
    """Return the unlabeled rows per part as int64, shape (I,)."""
    rows = as_counts(np.atleast_2d(np.asarray(unlabeled)))[0]
    if rows.shape[0] != n_parts:
        raise ValueError(
            f"{n_parts} parts have {rows.shape[0]} counts of unlabeled rows: pass one per part."
        )
    return rows

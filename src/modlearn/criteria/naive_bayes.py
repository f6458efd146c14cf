"""The selective naive Bayes classifier: likelihoods of parts, and the cost of a subset."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from modlearn.criteria.counts import as_counts

__all__ = [
    "class_shares",
    "elsewhere_log_likelihoods",
    "part_log_likelihoods",
    "part_log_odds",
    "part_variances",
    "reassigned_log_likelihoods",
    "share_variances",
    "sparsity_slope",
    "subset_cost",
    "subset_prior",
]

NO_SHARE = 1e-9
"""Share of a class without rows, so that its variances are large rather than infinite."""


def class_shares(counts: ArrayLike) -> NDArray[np.float64]:
    """Return P(j|i) = (N_ij + P(j)) / (N_i + 1): the class shares of each part.

    One row is added to every part, spread over the classes as in the whole table. Shares are
    therefore never 0, a part without rows has the shares of the whole table, and the most frequent
    class of a part is the most probable one; among equally frequent classes, it is the one that is
    more frequent in the table.

    Parameters
    ----------
    counts : array-like of int, shape (I, J)
        Rows of class j in part i.

    Returns
    -------
    ndarray of shape (I, J)

    Examples
    --------
    >>> from modlearn.criteria import class_shares
    >>> class_shares([[2, 0], [4, 2], [0, 0]]).round(4).tolist()
    [[0.9167, 0.0833], [0.6786, 0.3214], [0.75, 0.25]]
    """
    counts = as_counts(counts)
    rows = counts.sum(axis=1, keepdims=True) + 1
    shares: NDArray[np.float64] = (counts + _shares(counts)) / rows
    return shares


def part_log_likelihoods(counts: ArrayLike, left_out: bool = False) -> NDArray[np.float64]:
    """Return log P(i|j) = log (N_ij + P(j)) / (N_j + I P(j)), for each part and class.

    By Bayes' rule from `class_shares`: P(i|j) = P(j|i) P(i) / P(j) with P(i) = (N_i+1) / (N+I).
    For each class they add up to 1 over the parts.

    Parameters
    ----------
    counts : array-like of int, shape (I, J)
        Rows of class j in part i.
    left_out : bool, default=False
        Whether to leave out one row of part i and class j, to predict that row from the others.

    Returns
    -------
    ndarray of shape (I, J)

    Examples
    --------
    >>> import numpy as np
    >>> from modlearn.criteria import part_log_likelihoods
    >>> np.exp(part_log_likelihoods([[2, 0], [4, 2]])).round(4).tolist()
    [[0.3667, 0.1], [0.6333, 0.9]]
    """
    counts = as_counts(counts)
    added = _shares(counts)
    in_part, in_all = counts, counts.sum(axis=0, keepdims=True)
    if left_out:
        in_part, in_all = np.maximum(in_part - 1, 0), np.maximum(in_all - 1, 0)
    # A class without rows would divide 0 by 0.
    with np.errstate(divide="ignore", invalid="ignore"):
        logs: NDArray[np.float64] = np.log((in_part + added) / (in_all + len(counts) * added))
    return logs


def part_log_odds(counts: ArrayLike) -> NDArray[np.float64]:
    """Return log P(i|j) - log P(i|not j): how part i speaks for class j, and against the others.

    By Bayes' rule from `class_shares`: the log odds of P(j|i) = (N_ij + P(j)) / (N_i + 1) minus
    those of P(j). Always finite; exactly 0 for a part without rows, for a single part, and for a
    class that has no rows or all of them.

    Parameters
    ----------
    counts : array-like of int, shape (I, J)
        Rows of class j in part i.

    Returns
    -------
    ndarray of shape (I, J)

    Examples
    --------
    >>> from modlearn.criteria import part_log_odds
    >>> part_log_odds([[2, 0], [4, 2], [0, 0]]).round(4).tolist()
    [[1.2993, -1.2993], [-0.3514, 0.3514], [0.0, 0.0]]
    """
    counts = as_counts(counts)
    odds = np.zeros(counts.shape)
    in_class = counts.sum(axis=0)
    in_others = in_class.sum() - in_class
    both = (in_class > 0) & (in_others > 0)
    rows, added = counts.sum(axis=1, keepdims=True), _shares(counts)
    in_part = (counts + added)[:, both] / (rows - counts + (1 - added))[:, both]
    odds[:, both] = np.log(in_part / (in_class[both] / in_others[both]))
    # Rounding must not make a part that is like the whole table lean to a class.
    odds[np.abs(odds) < 1e-14] = 0
    return odds


def elsewhere_log_likelihoods(counts: ArrayLike) -> NDArray[np.float64]:
    """Return log P(i|j) = log (N_ij + P(j)) / (N_j - 1 + I P(j)): a row of j is left out elsewhere.

    Like `part_log_likelihoods` with a row left out, but of another part than i.

    Examples
    --------
    >>> import numpy as np
    >>> from modlearn.criteria import elsewhere_log_likelihoods
    >>> np.exp(elsewhere_log_likelihoods([[2, 1], [2, 3]])).round(4).tolist()
    [[0.625, 0.375], [0.625, 0.875]]
    """
    counts = as_counts(counts)
    added = _shares(counts)
    in_all = np.maximum(counts.sum(axis=0, keepdims=True) - 1, 0)
    # A class without rows would divide 0 by 0.
    with np.errstate(divide="ignore", invalid="ignore"):
        logs: NDArray[np.float64] = np.log((counts + added) / (in_all + len(counts) * added))
    return logs


def reassigned_log_likelihoods(
    values: NDArray[np.int64],
    labels: NDArray[np.integer],
    rows: NDArray[np.int64],
    shares: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Return how probable the other rows of a value are in each group, if one row is left out.

    For an entry (value v, label j) and a group g: the sum over labels k of n_vk log P(k|g), minus
    log P(j|g) for the row that is left out. The label of a row is its class; on an axis of a grid,
    it is its class in one part of the other axis.

    Parameters
    ----------
    values, labels, rows : ndarray of shape (E,)
        Value, label and number of rows of each entry, n_vj > 0; entries of a value are neighbors.
    shares : ndarray of shape (I, L)
        P(k|g), the probability of each label in each group, as from `class_shares`.

    Returns
    -------
    ndarray of shape (E, I)

    Examples
    --------
    Two rows of class 0 and one of class 1: without one of class 0, the others do not favor a group.

    >>> import numpy as np
    >>> from modlearn.criteria import class_shares, reassigned_log_likelihoods
    >>> entries = np.array([0, 0]), np.array([0, 1]), np.array([2, 1])
    >>> found = reassigned_log_likelihoods(*entries, class_shares([[9, 1], [1, 9]]))
    >>> (found[:, 0] - found[:, 1]).round(2).tolist()
    [0.0, 3.69]
    """
    # A class without rows has no share; no entry has it.
    with np.errstate(divide="ignore"):
        per_row = np.log(shares)[:, labels].T
    new = np.diff(values, prepend=-1) != 0
    of_value = np.add.reduceat(rows[:, None] * per_row, np.flatnonzero(new), axis=0)
    return np.asarray(of_value[np.cumsum(new) - 1] - per_row)


def _shares(counts: NDArray[np.int64]) -> NDArray[np.float64]:
    """P(j), shape (J,)."""
    rows = counts.sum(axis=0)
    shares: NDArray[np.float64] = rows / max(rows.sum(), 1)
    return shares


def subset_prior(K: int, K_s: float) -> float:
    """Return log(K+1) + log C(K+K_s-1, K_s), the prior of using K_s of K variables.

    The first term is for the number of variables, 0 to K; the second for which ones, with
    repetition. The binomial is the product of (K_s+i) / i over i = 1 to K-1, so it is defined for
    any K_s >= 0, such as a sum of weights.

    Examples
    --------
    >>> from modlearn.criteria import subset_prior
    >>> round(subset_prior(10, 3), 4), round(subset_prior(10, 2.5), 4)
    (7.7915, 7.1294)
    """
    return float(np.log(K + 1) + np.log1p(K_s / np.arange(1, K)).sum())


def subset_cost(log_probabilities: ArrayLike, K: int, K_s: int) -> float:
    """Return the cost of a subset: its prior and the negative log-likelihood of the classes.

    Parameters
    ----------
    log_probabilities : array-like of shape (N,)
        For each row, the log of the probability that the selected variables give to its class.
    K, K_s : int
        Number of variables, and number of those selected.

    Examples
    --------
    >>> import numpy as np
    >>> from modlearn.criteria import subset_cost
    >>> round(subset_cost(np.log([0.5, 0.5, 1.0]), K=2, K_s=1), 4)
    3.1781
    """
    return subset_prior(K, K_s) - float(np.sum(np.asarray(log_probabilities)))


def sparsity_slope(K: int) -> float:
    """Return log C(2K-1, K) / K, the price of one unit of weight.

    `subset_prior` is concave in K_s. The largest convex function below it, for K_s from 0 to K, is
    the chord between its ends: log(K+1) + K_s times this slope.

    Examples
    --------
    >>> from modlearn.criteria import sparsity_slope, subset_prior
    >>> round(sparsity_slope(10), 4), round((subset_prior(10, 10) - subset_prior(10, 0)) / 10, 4)
    (1.1434, 1.1434)
    """
    return float((subset_prior(K, K) - subset_prior(K, 0)) / K)


def share_variances(counts: ArrayLike) -> NDArray[np.float64]:
    """Return trigamma(N_j + 1), shape (J,): differences of log P(j) have sums of these variances.

    Examples
    --------
    >>> from modlearn.criteria import share_variances
    >>> share_variances([9, 99]).round(3).tolist()
    [0.105, 0.01]
    """
    from scipy.special import polygamma

    return np.asarray(polygamma(1, np.asarray(counts) + 1), dtype=np.float64)


def part_variances(counts: ArrayLike) -> NDArray[np.float64]:
    """Return the variance of log P(i|j): trigamma(N_ij + P(j)) - trigamma(N_j + I P(j)).

    Given the counts, the shares of the parts of a class have a Dirichlet distribution, whose mean
    `part_log_likelihoods` takes the log of.

    Parameters
    ----------
    counts : array-like of int, shape (I, J)
        Rows of class j in part i.

    Returns
    -------
    ndarray of shape (I, J)

    Examples
    --------
    >>> from modlearn.criteria import part_variances
    >>> part_variances([[20, 10], [40, 20]]).round(4).tolist()
    [[0.0331, 0.0685], [0.0085, 0.0173]]
    """
    from scipy.special import polygamma

    counts = as_counts(counts)
    # A class without rows has no share; nothing is known of its parts.
    added = np.maximum(_shares(counts), NO_SHARE)
    in_all = counts.sum(axis=0, keepdims=True) + len(counts) * added
    variances = polygamma(1, counts + added) - polygamma(1, in_all)
    return np.asarray(np.maximum(variances, 0.0), dtype=np.float64)

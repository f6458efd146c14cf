"""The prior of an additive model: how the scores of a column or a pair vary over its parts.

The score of class j is ``log P(j) + b_j + sum_k f_kj(part of x_k)``, and the class probabilities
are its softmax. The scores of term k, one column of ``f_k`` per class, are normal with mean 0 and
covariance ``C_k / lambda``. So the most probable scores are those of least

    - sum_n log P(y_n | x_n) + lambda / 2 sum_kj f_kj' C_k^-1 f_kj

One precision, lambda, serves all terms. With a strong prior, the curve of a number is the sum of a
straight line in ranks and one in values, as logistic regressions have them; with a weaker one, it
bends where the rows ask for it. This is a generalized additive model with a Gaussian prior (Hastie
and Tibshirani, Generalized Additive Models, 1990; Wood, Generalized Additive Models, 2nd edition,
2017).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "CATEGORY_VARIANCE",
    "CELL_VARIANCE",
    "class_contrasts",
    "curve_covariance",
    "expected_curvatures",
    "one_against_others",
    "root_of",
]

CURVE_VARIANCE = 4.0
"""Mean prior variance of the line of a curve, and of its bends, where lambda is 1."""

CATEGORY_VARIANCE = 4.0
"""Prior variance of the score of a category, or of a missing number."""

CELL_VARIANCE = 1.0
"""Prior variance of the score of a cell of a pair, which the columns of the pair explain, too."""


def curve_covariance(
    rows: NDArray[np.int64], values: NDArray[np.float64] | None = None
) -> NDArray[np.float64]:
    """C = v (L + W + V): straight lines and a random walk, each of mean variance 1.

    ``p_i`` is the share of rows below the middle of bin i. ``L_il = p_i p_l`` is the covariance of
    a line with a random slope, ``W_il = min(p_i, p_l)`` that of a random walk; both are centered,
    so that the mean of a curve over the rows is 0. ``V_il = v_i v_l`` is that of a line in the
    values, centered: what is linear in the values, as in a logistic regression, is bent in ranks.

    Parameters
    ----------
    rows : ndarray of shape (I,)
        Rows of each bin.
    values : ndarray of shape (I,), default=None
        A finite value of each bin; None = no line in the values.

    Returns
    -------
    ndarray of shape (I, I)

    Examples
    --------
    >>> from modlearn.criteria.additive import curve_covariance
    >>> curve_covariance(np.array([5, 5])).round(1).tolist()
    [[8.0, -8.0], [-8.0, 8.0]]
    """
    shares = rows / rows.sum()
    p = np.cumsum(shares) - shares / 2
    line = _centered(np.multiply.outer(p, p), shares)
    walk = _centered(np.minimum.outer(p, p), shares)
    if values is None:
        return CURVE_VARIANCE * (line + walk)
    v = _standardized(values, shares)
    return CURVE_VARIANCE * (line + walk + np.multiply.outer(v, v))


def _standardized(values: NDArray[np.float64], shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the values with mean 0 and variance 1 over the rows; equal values as zeros."""
    # What rounding leaves of equal values must not be scaled up.
    if values.min() == values.max():
        return np.zeros(len(values))
    # Halves of the largest numbers can be subtracted from each other.
    line = values / 2 - shares @ (values / 2)
    line /= np.abs(line).max()
    line -= shares @ line
    variance = float(shares @ line**2)
    return np.asarray(line / variance**0.5) if variance > 0 else line


def _centered(covariance: NDArray[np.float64], shares: NDArray[np.float64]) -> NDArray[np.float64]:
    """Subtract the mean over the rows, and scale to a mean variance of 1."""
    center = np.eye(len(shares)) - shares
    found = center @ covariance @ center.T
    variance = float(shares @ found.diagonal())
    return found / variance if variance > 0 else found


def root_of(covariance: NDArray[np.float64]) -> NDArray[np.float64]:
    """A with AA' = C, shape (I, rank): scores are A times independent normal numbers.

    Examples
    --------
    >>> from modlearn.criteria.additive import root_of
    >>> root = root_of(np.array([[2.0, -2.0], [-2.0, 2.0]]))
    >>> root.shape, (root @ root.T).round(12).tolist()
    ((2, 1), [[2.0, -2.0], [-2.0, 2.0]])
    """
    values, vectors = np.linalg.eigh(covariance)
    kept = values > 1e-10 * values.max(initial=0.0)
    # The sign of an eigenvector is arbitrary; that of its largest entry is made positive.
    vectors = vectors[:, kept]
    largest = np.abs(vectors).argmax(axis=0)
    signs = np.sign(vectors[largest, np.arange(vectors.shape[1])])
    return np.ascontiguousarray(vectors * (signs * np.sqrt(values[kept])))


def class_contrasts(n_classes: int) -> NDArray[np.float64]:
    """Q of shape (J, J - 1): orthonormal differences between classes, Q'Q = I and Q'1 = 0.

    Examples
    --------
    >>> from modlearn.criteria.additive import class_contrasts
    >>> class_contrasts(2).round(3).tolist()
    [[0.707], [-0.707]]
    """
    J = n_classes
    found = np.zeros((J, J - 1))
    for k in range(1, J):
        found[:k, k - 1], found[k, k - 1] = 1.0, -k
        found[:, k - 1] /= (k * (k + 1)) ** 0.5
    return found


def one_against_others(j: int, n_classes: int) -> NDArray[np.float64]:
    """d of shape (J, 1): 1 for class j, -1 / (J - 1) for every other class.

    Examples
    --------
    >>> from modlearn.criteria.additive import one_against_others
    >>> one_against_others(0, 3).tolist()
    [[1.0], [-0.5], [-0.5]]
    """
    found = np.full((n_classes, 1), -1 / (n_classes - 1))
    found[j] = 1.0
    return found


def expected_curvatures(
    scores: NDArray[np.float64], variances: NDArray[np.float64]
) -> NDArray[np.float64]:
    """k (diag q - qq') with q = softmax(k s) and k = (1 + pi v / 4)^(-1/2), of each row.

    About the mean of diag p - pp', p = softmax(s), the second derivatives of -log P(y) by the
    scores, where scores are normal around s and every orthonormal contrast of them has the variance
    v (MacKay, The evidence framework applied to classification networks, 1992). Without a variance
    it is the curvature at s itself, that of Laplace's approximation. Where classes are separated,
    that is close to 0, as if the scores could be anything, although a few of them would already
    contradict the rows.

    With coordinates, it gives the precision of the posterior of the scores,

        sum_n a_n a_n' x Q' k_n (diag q_n - q_n q_n') Q + lambda I x Q'Q,

    where ``a_n`` has the lines of all roots ``A_k`` that row n finds, Q are contrasts of classes,
    and x is Kronecker's product.

    Parameters
    ----------
    scores : ndarray of shape (n, J)
        s of each row.
    variances : ndarray of shape (n,)
        v of each row.

    Returns
    -------
    ndarray of shape (n, J, J)

    Examples
    --------
    >>> from modlearn.criteria.additive import expected_curvatures
    >>> scores = np.array([[9.0, 0.0], [9.0, 0.0]])
    >>> expected_curvatures(scores, np.array([0.0, 9.0])).round(4)[:, 0].tolist()
    [[0.0001, -0.0001], [0.0136, -0.0136]]
    """
    k = 1 / np.sqrt(1 + np.pi * variances[:, None] / 4)
    q = np.exp(k * (scores - scores.max(axis=1, keepdims=True)))
    q /= q.sum(axis=1, keepdims=True)
    squares = q[:, :, None] * np.eye(q.shape[1])
    return np.asarray(k[:, :, None] * (squares - q[:, :, None] * q[:, None, :]))

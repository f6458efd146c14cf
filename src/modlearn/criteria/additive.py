"""The prior of an additive model: how the scores of a column or a pair vary over its parts.

The score of class j is ``log P(j) + b_j + sum_k f_kj(part of x_k)``, and the class probabilities
are its softmax. The scores of term k, one column of ``f_k`` per class, are normal with mean 0 and
covariance ``C_k / lambda``. So the most probable scores are those of least

    - sum_n log P(y_n | x_n) + lambda / 2 sum_kj f_kj' C_k^-1 f_kj

One precision, lambda, serves all terms. With a strong prior, the curve of a number is a straight
line over ranks, as a logistic regression of ranks has it; with a weaker one, it bends where the
rows ask for it. This is a generalized additive model with a Gaussian prior (Hastie and Tibshirani,
Generalized Additive Models, 1990; Wood, Generalized Additive Models, 2nd edition, 2017).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["CATEGORY_VARIANCE", "CELL_VARIANCE", "curve_covariance", "root_of"]

CURVE_VARIANCE = 4.0
"""Mean prior variance of the line of a curve, and of its bends, where lambda is 1."""

CATEGORY_VARIANCE = 4.0
"""Prior variance of the score of a category, or of a missing number."""

CELL_VARIANCE = 1.0
"""Prior variance of the score of a cell of a pair, which the columns of the pair explain, too."""


def curve_covariance(rows: NDArray[np.int64]) -> NDArray[np.float64]:
    """C = v (L + W): a straight line plus a random walk over ranks, each of mean variance 1.

    ``p_i`` is the share of rows below the middle of bin i. ``L_il = p_i p_l`` is the covariance of
    a line with a random slope, ``W_il = min(p_i, p_l)`` that of a random walk; both are centered,
    so that the mean of a curve over the rows is 0.

    Parameters
    ----------
    rows : ndarray of shape (I,)
        Rows of each bin.

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
    return CURVE_VARIANCE * (line + walk)


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

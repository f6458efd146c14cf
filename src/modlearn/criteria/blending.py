"""Probabilities of classes from two sources: a model, and the labels of the nearest rows."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["blended", "neighbor_shares"]


def neighbor_shares(known: ArrayLike, prior: ArrayLike, n_neighbors: int) -> NDArray[np.float64]:
    """Return P(j|x) = (k q_j + P(j)) / (k w + 1), with w = sum of q_j.

    The k neighbors of a row count like the rows of a part in `class_shares`: no class is
    impossible only because no neighbor has it.

    Parameters
    ----------
    known : array-like of shape (n, J)
        Distributions q over the classes among the neighbors of each row; zero where nothing is
        known.
    prior : array-like of shape (J,)
        P(j), the share of each class among the labels.
    n_neighbors : int
        k.

    Returns
    -------
    ndarray of shape (n, J)
        Distributions over the classes; the prior where nothing is known.

    Examples
    --------
    >>> from modlearn.criteria import neighbor_shares
    >>> neighbor_shares([[1.0, 0.0], [0.0, 0.0]], [0.5, 0.5], n_neighbors=9).tolist()
    [[0.95, 0.05], [0.5, 0.5]]
    """
    counts = n_neighbors * np.asarray(known, dtype=np.float64)
    shares = counts + np.asarray(prior, dtype=np.float64)
    return np.asarray(shares / (counts.sum(axis=-1, keepdims=True) + 1.0))


def blended(first: ArrayLike, second: ArrayLike) -> NDArray[np.float64]:
    """Return the geometric mean of two distributions, sqrt(p_j q_j) / sum of sqrt(p_i q_i).

    It is the distribution whose divergences from both, D(r||p) + D(r||q), have the least sum.

    Parameters
    ----------
    first, second : array-like of shape (n, J)
        Distributions p and q over the classes, with a class that both consider possible.

    Returns
    -------
    ndarray of shape (n, J)

    Examples
    --------
    >>> from modlearn.criteria import blended
    >>> blended([[0.5, 0.5]], [[0.9, 0.1]]).round(6).tolist()
    [[0.75, 0.25]]
    """
    roots = np.sqrt(np.asarray(first, dtype=np.float64)) * np.sqrt(second)
    return np.asarray(roots / roots.sum(axis=-1, keepdims=True))

"""How informative parts are about classes, in nats."""

import numpy as np
from numpy.typing import ArrayLike

from modlearn.criteria.counts import as_counts

__all__ = ["excess_information", "mutual_information"]


def mutual_information(counts: ArrayLike) -> float:
    """Return the sum over i and j of N_ij/N log(N_ij/N / (N_i/N N_j/N)).

    Parameters
    ----------
    counts : array-like of int, shape (I, J)
        Rows of class j in part i.

    Examples
    --------
    >>> from modlearn.criteria import mutual_information
    >>> round(mutual_information([[5, 0], [0, 5]]), 4), mutual_information([[5, 5], [5, 5]])
    (0.6931, 0.0)
    """
    counts = as_counts(counts)
    shares = counts / max(1, counts.sum())
    apart = shares.sum(axis=1, keepdims=True) * shares.sum(axis=0, keepdims=True)
    occurs = shares > 0
    return float((shares[occurs] * np.log(shares[occurs] / apart[occurs])).sum())


def excess_information(counts: ArrayLike) -> float:
    """Return the mutual information minus (I-1)(J-1) / 2N, its mean for uninformative parts.

    The mean holds to first order for many rows; I and J count parts and classes that have rows.

    Parameters
    ----------
    counts : array-like of int, shape (I, J)
        Rows of class j in part i.

    Examples
    --------
    >>> from modlearn.criteria import excess_information
    >>> round(excess_information([[5, 0], [0, 5]]), 4), excess_information([[5, 5], [5, 5]])
    (0.6431, -0.025)
    """
    counts = as_counts(counts)
    I, J = (max(1, int(counts.any(axis=axis).sum())) for axis in (1, 0))
    return mutual_information(counts) - (I - 1) * (J - 1) / (2 * max(1, int(counts.sum())))

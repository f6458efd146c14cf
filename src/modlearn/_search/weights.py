"""Weights of the variables of a selective naive Bayes: averaged over subsets, or the best ones."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil, log2

import numpy as np
from numpy.typing import ArrayLike, NDArray

from modlearn._search.likelihood import Likelihood
from modlearn._search.selection import SubsetSearch
from modlearn._search.weighting import WeightedLoss, best_weights
from modlearn._statistics.profiles import Profiles
from modlearn.criteria import part_log_likelihoods, sparsity_slope, subset_prior

__all__ = ["averaged_weights", "optimized_weights"]

MOST_ROUNDS = 2
"""Forward and backward passes of one search: what is left to gain after two is little."""

Counts = Sequence[NDArray[np.int64]]


def averaged_weights(
    profiles: Profiles, counts: Counts, log_prior: NDArray[np.float64], seed: int
) -> NDArray[np.float64]:
    """Share of each variable in the subsets that were tried, each by its compression.

    Fast forward and backward passes over random orders of the variables, log2(N K) of them:
    O(K N log(K N)) in all.

    Parameters
    ----------
    profiles : Profiles
        Rows by the parts of the variables and the class.
    counts : sequence of K ndarrays of shape (I, J)
        Rows per part and class of each variable.
    log_prior : ndarray of shape (J,)
        log P(class).
    seed : int
        Random seed of the orders.

    Returns
    -------
    ndarray of shape (K,)
        Between 0 and 1.
    """
    K = len(counts)
    tables = np.concatenate([part_log_likelihoods(table) for table in counts])
    priors = np.array([subset_prior(K, size) for size in range(K + 1)])
    search = SubsetSearch(
        profiles.codes, profiles.classes, profiles.rows, tables, _offsets(counts), log_prior, priors
    )
    rng = np.random.default_rng(seed)
    for _ in range(ceil(log2(profiles.rows.sum() * K + 1))):
        search.search(rng.permutation(K).astype(np.int32), MOST_ROUNDS)
    return search.weights()


def optimized_weights(
    profiles: Profiles,
    counts: Counts,
    log_prior: NDArray[np.float64],
    n_jobs: int | None,
    own_prices: ArrayLike = 0.0,
) -> NDArray[np.float64]:
    """The weights of least cost: the likelihood of each row given the others, and a sparsity prior.

    The cost is convex in the weights, so that there is one least cost.

    Parameters
    ----------
    profiles, counts, log_prior
        As for `averaged_weights`.
    n_jobs : int or None
        Threads.
    own_prices : float or array-like of shape (K,), default=0.0
        What a unit of weight of each variable costs beyond the prior of its being chosen.

    Returns
    -------
    ndarray of shape (K,)
        Between 0 and 1.
    """
    tables = [part_log_likelihoods(table) for table in counts]
    left_out = [part_log_likelihoods(table, left_out=True) for table in counts]
    likelihood = Likelihood(
        profiles.codes,
        profiles.classes,
        profiles.rows,
        np.concatenate(tables),
        np.concatenate(left_out) - np.concatenate(tables),
        _offsets(counts),
        log_prior,
    )
    K = len(counts)
    prices = np.broadcast_to(sparsity_slope(K) + np.asarray(own_prices), K)
    loss = WeightedLoss(likelihood, profiles.rows, len(log_prior), prices, n_jobs)
    return best_weights(loss, K)


def _offsets(counts: Counts) -> NDArray[np.int64]:
    """Where the table of each variable begins when they stand one below the other."""
    return np.cumsum([0, *(len(table) for table in counts[:-1])], dtype=np.int64)

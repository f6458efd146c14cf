"""Weights of the variables of a selective naive Bayes: averaged over subsets, or the best ones."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from math import ceil, log2

import numpy as np
from numpy.typing import ArrayLike, NDArray

from modlearn._parallel import map_in_threads, one_blas_thread
from modlearn._search.likelihood import Likelihood, box_quadratic
from modlearn._search.selection import SubsetSearch
from modlearn._statistics.profiles import Profiles
from modlearn.criteria import sparsity_slope, subset_prior

__all__ = ["WeightedLoss", "averaged_weights", "best_weights", "optimized_weights"]

TOLERANCE = 1e-10
"""Steps end where the next one would lower the loss by less than this share of it."""

MOST_STEPS = 100
"""Most steps of Newton's method; about ten are needed."""

ADDED_AT_A_TIME = 256
"""Variables that join the search at once, those whose weight lowers the loss fastest first."""

CHUNK = 8_192
"""Rows that a thread adds up before it takes others; sums do not depend on the threads."""

CURVATURE_LINES = 65_536
"""Rows times classes from which the curvature is computed; it doubles with every computation."""

MISPREDICTED = 0.5
"""A step whose gain differs from its prediction by this share has the curvature computed anew."""

LEAST_WEIGHT = 1e-9
"""Smaller weights are what rounding leaves of 0: they change no score beyond rounding."""

SAMPLED = 8
"""The best weights for one row in this many are the first guess."""

SAMPLE_TOLERANCE = 1e-3
"""TOLERANCE of that guess, which chance moves by more."""

SAMPLE_LINES = 16_384
"""CURVATURE_LINES of that guess."""

SMALL_WORK = 100_000
"""Rows times classes times variables for which BLAS is not worth setting up."""

FACTOR_SIZE = 2_000_000
"""Numbers of a factor of the curvature that are held at once."""


@dataclass(frozen=True)
class WeightedLoss:
    """The loss as a function of the weights of some of the variables, the others being 0.

    Parameters
    ----------
    likelihood : Likelihood
        How probable the classes of the rows are, given the weights.
    rows : ndarray of shape (n,)
        How often each row counts.
    n_classes : int
        J.
    prices : ndarray of shape (K,)
        Price of a unit of weight of each variable.
    n_jobs : int or None
        Threads.
    """

    likelihood: Likelihood
    rows: NDArray[np.float64]
    n_classes: int
    prices: NDArray[np.float64]
    n_jobs: int | None

    def evaluate(
        self, used: NDArray[np.int32], weights: NDArray[np.float64], wanted: NDArray[np.int32]
    ) -> tuple[float, NDArray[np.float64]]:
        """Loss with price, and its derivatives by the weights of the wanted variables."""
        n = len(self.rows)

        def part(first: int) -> tuple[float, NDArray[np.float64]]:
            last = min(first + CHUNK, n)
            return self.likelihood.loss_and_gradient(used, weights, wanted, first, last)

        # One chunk is not worth a thread.
        chunks = range(0, n, CHUNK)
        pieces = map_in_threads(part, chunks, self.n_jobs) if n > CHUNK else [part(0)]
        losses, gradients = zip(*pieces, strict=True)
        price = float(self.prices[used] @ weights)
        return sum(losses) + price, sum(gradients) + self.prices[wanted]

    def of_first_rows(self, n: int) -> WeightedLoss:
        """The loss of the first n rows: a sample, as the order of rows has no meaning."""
        share = self.rows[:n].sum() / self.rows.sum()
        return replace(self, rows=self.rows[:n], prices=self.prices * share)

    def curvature(
        self, used: NDArray[np.int32], weights: NDArray[np.float64], n_lines: int
    ) -> NDArray[np.float64]:
        """Second derivatives, from the first rows."""
        n = min(len(self.rows), max(n_lines // self.n_classes, 1))
        step = max(FACTOR_SIZE // (self.n_classes * len(used)), 1)
        H = np.zeros((len(used), len(used)))
        for first in range(0, n, step):
            A = self.likelihood.curvature_factor(used, weights, first, min(first + step, n))
            H += A @ A.T
        if n < len(self.rows):
            H *= self.rows.sum() / self.rows[:n].sum()
        # A variable that is constant in these rows must still be able to move.
        floor = 1e-3 * H.diagonal().max(initial=0.0) + 1e-12
        H[np.diag_indices_from(H)] = np.maximum(H.diagonal(), floor)
        return H


def best_weights(loss: WeightedLoss, n_variables: int) -> NDArray[np.float64]:
    """The weights where the loss is least, shape (K,), each from 0 to 1."""
    large = len(loss.rows) * loss.n_classes * n_variables > SMALL_WORK
    with one_blas_thread() if large else nullcontext():
        weights = _best_weights(loss, n_variables)
    return np.where(weights < LEAST_WEIGHT, 0.0, weights)


def _best_weights(loss: WeightedLoss, n_variables: int) -> NDArray[np.float64]:
    """Search among the variables with the steepest descent, then see whether others would help."""
    joining = np.arange(n_variables)
    everything, weights = joining.astype(np.int32), np.zeros(n_variables)
    before = np.inf
    if n_variables > ADDED_AT_A_TIME:
        joining = _worth_adding(*loss.evaluate(everything[:0], weights[:0], everything), weights)
    while len(joining):
        used = np.union1d(np.flatnonzero(weights), joining).astype(np.int32)
        weights[used] = _from_few_to_all_rows(loss, used, weights[used])
        chosen = np.flatnonzero(weights).astype(np.int32)
        value, gradient = loss.evaluate(chosen, weights[chosen], everything)
        # Copies of a variable all seem to help by what rounding leaves, and never do.
        if before - value <= TOLERANCE * value:
            break
        before, joining = value, _worth_adding(value, gradient, weights)
    return weights


def _worth_adding(
    value: float, gradient: NDArray[np.float64], weights: NDArray[np.float64]
) -> NDArray[np.intp]:
    """Variables without weight that should have some, those with the steepest descent first."""
    some = np.flatnonzero((weights == 0) & (gradient < -TOLERANCE * value))
    return some[np.argsort(gradient[some], kind="stable")[:ADDED_AT_A_TIME]]


def _from_few_to_all_rows(
    loss: WeightedLoss, used: NDArray[np.int32], weights: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The best weights of some variables, from given ones; those of fewer rows come first.

    Not where some are given: the best of fewer rows would lead away from them.
    """
    n = len(loss.rows) // SAMPLED
    if not weights.any() and n * loss.n_classes >= SAMPLE_LINES:
        few = loss.of_first_rows(n)
        weights = _newton(few, used, weights, SAMPLE_TOLERANCE, SAMPLE_LINES)
    return _newton(loss, used, weights, TOLERANCE, CURVATURE_LINES)


def _newton(
    loss: WeightedLoss,
    used: NDArray[np.int32],
    weights: NDArray[np.float64],
    tolerance: float,
    n_lines: int,
) -> NDArray[np.float64]:
    """Newton's method within the bounds, from given weights.

    A variable that a step leaves without weight, and that would raise the loss, is left at that.
    """
    result = weights.copy()
    value, gradient = loss.evaluate(used, weights, used)
    H = loss.curvature(used, weights, n_lines)
    active = np.arange(len(used))
    for _ in range(MOST_STEPS):
        step = box_quadratic(H, gradient, weights)
        predicted = -float(gradient @ step + step @ H @ step / 2)
        if predicted <= tolerance * value:
            break
        size, found = _line_search(loss, used, weights, step, value, predicted)
        if found is None:
            break
        moved = np.clip(weights + size * step, 0.0, 1.0)
        gained, change = value - found[0], found[1] - gradient
        if abs(gained - predicted) > MISPREDICTED * predicted:
            n_lines *= 2
            H = loss.curvature(used, moved, n_lines)
        H = _updated_curvature(H, moved - weights, change)
        result[active] = moved
        value, gradient = found
        kept = (moved > 0) | (gradient < 0)
        active, used, weights = active[kept], used[kept], moved[kept]
        gradient, H = gradient[kept], H[np.ix_(kept, kept)]
    return result


def _updated_curvature(
    H: NDArray[np.float64], step: NDArray[np.float64], change: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Curvature that agrees with the change of the gradient along a step (BFGS)."""
    image = H @ step
    predicted, observed = float(step @ image), float(step @ change)
    if observed <= 1e-8 * predicted:
        return H
    return H - np.outer(image, image) / predicted + np.outer(change, change) / observed


def _line_search(
    loss: WeightedLoss,
    used: NDArray[np.int32],
    weights: NDArray[np.float64],
    step: NDArray[np.float64],
    value: float,
    predicted: float,
) -> tuple[float, tuple[float, NDArray[np.float64]] | None]:
    """The largest of the sizes 1, 1/2, 1/4, ... of a step that helps, and what it gives."""
    size = 1.0
    while size > 1e-6:
        found = loss.evaluate(used, np.clip(weights + size * step, 0.0, 1.0), used)
        if found[0] < value - 1e-2 * size * predicted:
            return size, found
        size /= 2
    return 0.0, None


MOST_ROUNDS = 2
"""Forward and backward passes of one search: what is left to gain after two is little."""

Tables = Sequence[NDArray[np.float64]]


def averaged_weights(
    profiles: Profiles, tables: Tables, log_prior: NDArray[np.float64], seed: int
) -> NDArray[np.float64]:
    """Share of each variable in the subsets that were tried, each by its compression.

    Fast forward and backward passes over random orders of the variables, log2(N K) of them:
    O(K N log(K N)) in all.

    Parameters
    ----------
    profiles : Profiles
        Rows by the parts of the variables and the class.
    tables : sequence of K ndarrays of shape (I, J)
        log P(part | class) of each variable.
    log_prior : ndarray of shape (J,)
        log P(class).
    seed : int
        Random seed of the orders.

    Returns
    -------
    ndarray of shape (K,)
        Between 0 and 1.
    """
    K = len(tables)
    search = SubsetSearch(
        profiles.codes,
        profiles.classes,
        profiles.rows,
        np.concatenate(tables),
        _offsets(tables),
        log_prior,
        np.array([subset_prior(K, size) for size in range(K + 1)]),
    )
    rng = np.random.default_rng(seed)
    for _ in range(ceil(log2(profiles.rows.sum() * K + 1))):
        search.search(rng.permutation(K).astype(np.int32), MOST_ROUNDS)
    return search.weights()


def optimized_weights(
    profiles: Profiles,
    tables: Tables,
    left_out: Tables,
    log_prior: NDArray[np.float64],
    n_jobs: int | None,
    own_prices: ArrayLike = 0.0,
) -> NDArray[np.float64]:
    """The weights of least cost: the likelihood of each row given the others, and a sparsity prior.

    The cost is convex in the weights, so that there is one least cost.

    Parameters
    ----------
    profiles, tables, log_prior
        As for `averaged_weights`.
    left_out : sequence of K ndarrays of shape (I, J)
        log P(part | class) for the class of a row that is left out. A variable may have more lines
        than parts: its profiles then say which line a left-out row finds.
    n_jobs : int or None
        Threads.
    own_prices : float or array-like of shape (K,), default=0.0
        What a unit of weight of each variable costs beyond the prior of its being chosen.

    Returns
    -------
    ndarray of shape (K,)
        Between 0 and 1.
    """
    K = len(tables)
    prices = np.broadcast_to(sparsity_slope(K) + np.asarray(own_prices), K)
    stacked = np.concatenate(tables)
    likelihood = Likelihood(
        profiles.codes,
        profiles.classes,
        profiles.rows,
        stacked,
        np.concatenate(left_out) - stacked,
        _offsets(tables),
        log_prior,
    )
    loss = WeightedLoss(likelihood, profiles.rows, len(log_prior), prices, n_jobs)
    return best_weights(loss, K)


def _offsets(tables: Tables) -> NDArray[np.int64]:
    """Where the table of each variable begins when they stand one below the other."""
    return np.cumsum([0, *(len(table) for table in tables[:-1])], dtype=np.int64)

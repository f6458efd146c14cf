"""How sure the class probabilities of a model are: credible intervals.

The log odds of a class against all others are close to normal given the training rows. Their
variance follows from that of the scores to first order (the delta method). Scores learned directly
have a covariance, which the model knows; the log-likelihoods of a naive Bayes have the variances of
Dirichlet distributions, independently for each column, as the model takes columns to be.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from modlearn._model.additive import AdditiveModel, Term
from modlearn._statistics.batches import Batch
from modlearn.criteria import part_variances, share_variances

__all__ = ["effects", "probability_interval"]

NUMBERS_AT_ONCE = 2_000_000
"""Numbers that are held for a block of rows."""

Array = NDArray[np.float64]


def probability_interval(
    model: AdditiveModel, batch: Batch, level: float, n_jobs: int | None = None
) -> tuple[Array, Array]:
    """Return bounds that the probability of each class is between with this probability.

    Parameters
    ----------
    model : AdditiveModel
        The model.
    batch : Batch
        Rows that have its columns.
    level : float
        Probability of the interval, between 0 and 1.
    n_jobs : int, default=None
        Number of threads.

    Returns
    -------
    tuple of two ndarrays of shape (n, J)
        Lower and upper bounds.
    """
    if not 0 < level < 1:
        raise ValueError(f"level is {level!r}: pass a number between 0 and 1, such as 0.95.")
    codes = model.codes(batch, n_jobs)
    scores = model.scores_of(codes, batch.n_rows)
    errors = _Errors.of(model)
    width = NormalDist().inv_cdf((1 + level) / 2)
    lower, upper = np.empty(scores.shape), np.empty(scores.shape)
    for first in range(0, len(scores), errors.rows_at_once):
        rows = slice(first, first + errors.rows_at_once)
        log_odds, gradients = _log_odds(scores[rows])
        margin = width * errors.deviations([column[rows] for column in codes], gradients)
        lower[rows], upper[rows] = _logistic(log_odds - margin), _logistic(log_odds + margin)
    return lower, upper


def effects(term: Term) -> tuple[Array, Array]:
    """Return what the parts of a term add to the scores of the classes, and its deviation.

    Only differences matter, so that the mean of a part over the classes is 0, as is the mean of a
    class over the labeled training rows. Both are weighted, of shape (I, J).
    """
    rows = term.scored.cells.sum(axis=1)
    apart = term.table - term.table.mean(axis=1, keepdims=True)
    return term.weight * (apart - rows @ apart / rows.sum()), term.weight * _deviations_of(term)


def _deviations_of(term: Term) -> Array:
    """Return the standard deviations of scores as differences from the mean of the classes.

    Those of a naive Bayes follow from the counts.
    """
    if term.deviation is not None:
        return term.deviation
    variances = part_variances(term.scored.cells)
    J = variances.shape[1]
    # The mean over the classes has 1 / J of each of them.
    return np.asarray(
        np.sqrt(variances * (1 - 2 / J) + variances.sum(axis=1, keepdims=True) / J**2)
    )


def _log_odds(scores: Array) -> tuple[Array, Array]:
    """Return log P(j) / P(not j) of each row and class, and its derivatives by the scores.

    The derivatives, shape (n, J, J), are 1 for class j, and for another class l minus the share of
    l among the others.
    """
    J = scores.shape[1]
    powers = np.exp(scores - scores.max(axis=1, keepdims=True))
    # Summed without the class itself: a difference of sums would lose the digits of a small rest.
    others = powers[:, None, :] * (1 - np.eye(J))
    rest = np.maximum(others.sum(axis=2), np.finfo(np.float64).tiny)
    gradients = np.eye(J) - others / rest[:, :, None]
    with np.errstate(divide="ignore"):
        return np.log(powers) - np.log(rest), gradients


def _logistic(log_odds: Array) -> Array:
    """Return 1 / (1 + exp(-x)), without overflow."""
    return np.asarray(0.5 * (1 + np.tanh(log_odds / 2)))


@dataclass(frozen=True)
class _Errors:
    """How the scores of rows may be wrong; of each table, the last line is of values never seen.

    Parameters
    ----------
    alone : list of K ndarrays of shape (I + 1, J)
        Variances of the scores of each term that are independent of all others.
    shapes : list of K ndarrays of shape (I + 1, J, M_k)
        Scores per unit of each shape of the term.
    covariance : ndarray of shape (J + M, J + M)
        Covariance of the base and of the amounts of the shapes.
    """

    alone: list[Array]
    shapes: list[Array]
    covariance: Array

    @classmethod
    def of(cls, model: AdditiveModel) -> _Errors:
        """Read the errors of scores that were learned, or those of counts."""
        J, terms = len(model.classes), model.used_terms
        if model.covariance is None:
            alone = [term.weight**2 * part_variances(term.scored.cells) for term in terms]
            shapes = [np.empty((*term.table.shape, 0)) for term in terms]
            covariance = np.diag(share_variances(model.target.counts))
            return cls(_with_unseen(alone), _with_unseen(shapes), covariance)
        shapes = [term.weight * _last_axis(term) for term in terms]
        alone, first = [], J
        for term, shape in zip(terms, shapes, strict=True):
            own = model.covariance.diagonal()[first : first + shape.shape[2]]
            rest = (term.weight * _deviations_of(term)) ** 2 - shape**2 @ own
            # Errors of classes that differ independently from their mean are larger than that.
            alone.append(np.maximum(rest, 0.0) * J / (J - 1))
            first += shape.shape[2]
        return cls(_with_unseen(alone), _with_unseen(shapes), model.covariance)

    @property
    def rows_at_once(self) -> int:
        """Rows of a block."""
        J = self.alone[0].shape[1] if self.alone else len(self.covariance)
        return max(1, NUMBERS_AT_ONCE // (J * len(self.covariance)))

    def deviations(self, codes: Sequence[NDArray[np.int32]], gradients: Array) -> Array:
        """Return the standard deviation of the log odds of each row and class, shape (n, J)."""
        n, J = gradients.shape[:2]
        alone = np.zeros((n, J))
        amounts = [np.broadcast_to(np.eye(J), (n, J, J))]
        for column, own, shapes in zip(codes, self.alone, self.shapes, strict=True):
            alone += own[column]
            amounts.append(shapes[column])
        found = gradients @ np.concatenate(amounts, axis=2)
        variances = ((found @ self.covariance) * found).sum(axis=2)
        variances += (gradients**2 @ alone[:, :, None])[:, :, 0]
        return np.asarray(np.sqrt(np.maximum(variances, 0.0)))


def _last_axis(term: Term) -> Array:
    """Return the shapes of a term with the number of the shape last, (I, J, M)."""
    if term.shapes is None:
        return np.empty((*term.table.shape, 0))
    return np.moveaxis(term.shapes, 0, 2)


def _with_unseen(tables: Sequence[Array]) -> list[Array]:
    """Append a line of zeros, which code -1 finds: a value never seen adds nothing."""
    return [np.concatenate((table, np.zeros((1, *table.shape[1:])))) for table in tables]

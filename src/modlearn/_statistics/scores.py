"""Test rows that an engine scored: counted, as fine as measures of quality need them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import reduce

import numpy as np
from numpy.typing import NDArray

__all__ = ["FINEST", "LEAST_SHARE", "RankCounts", "ScoredRows", "log_odds_steps"]

FINEST = 10_000
"""Rows are ranked by log-odds in steps of 1/FINEST, or multiples of them."""

LEAST_SHARE = 1e-20
"""Probabilities below it are ranked alike, which bounds the number of steps."""


@dataclass(frozen=True)
class RankCounts:
    """Rows of a class and of the others by score."""

    scores: NDArray[np.int64]  # (m,), log-odds of the class in steps of 1/FINEST, decreasing
    # (m,), number of rows of the class, and of others.
    own: NDArray[np.int64]
    others: NDArray[np.int64]

    @classmethod
    def of(
        cls, scores: NDArray[np.int64], is_class: NDArray[np.bool_], rows: NDArray[np.int64]
    ) -> RankCounts:
        """Add up rows of equal score."""
        negated, position = np.unique(-scores, return_inverse=True)
        counts = np.zeros((2, len(negated)), dtype=np.int64)
        np.add.at(counts, (is_class.astype(np.intp), position), rows)
        return cls(-negated, counts[1], counts[0])

    def __add__(self, more: RankCounts) -> RankCounts:
        """Return the rows of both."""
        both = (self, more)
        scores = np.concatenate([one.scores for one in both] * 2)
        rows = np.concatenate([*(one.own for one in both), *(one.others for one in both)])
        return RankCounts.of(scores, np.arange(len(scores)) < len(scores) // 2, rows)

    def above(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Count rows of other classes and of the class above each threshold, starting with 0."""
        others, own = np.cumsum(self.others), np.cumsum(self.own)
        return np.append(0.0, others), np.append(0.0, own)


@dataclass(frozen=True)
class ScoredRows:
    """Labeled rows, counted by what a model predicts for them."""

    # (J, J, B), rows by true class, predicted class and bin of calibration.
    cells: NDArray[np.int64]
    # (B,), sum of the probabilities in each bin: of the class of interest, or of the predicted
    # class.
    chances: NDArray[np.float64]
    loss: float  # sum of minus the log of the probability of the true class
    # Rows by the probability of some classes, in steps of its log-odds.
    rankings: dict[int, RankCounts] = field(default_factory=dict)

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        return int(self.cells.sum())

    @property
    def confusion(self) -> NDArray[np.int64]:
        """Rows by true and predicted class, shape (J, J)."""
        return np.asarray(self.cells.sum(axis=2))

    @classmethod
    def joined(cls, parts: Sequence[ScoredRows]) -> ScoredRows:
        """Return the rows of all folds together."""
        labels = sorted({label for part in parts for label in part.rankings})
        of_label = [[p.rankings[j] for p in parts if j in p.rankings] for j in labels]
        return cls(
            np.sum([part.cells for part in parts], axis=0),
            np.sum([part.chances for part in parts], axis=0),
            sum(part.loss for part in parts),
            {j: reduce(RankCounts.__add__, some) for j, some in zip(labels, of_label, strict=True)},
        )


def log_odds_steps(shares: NDArray[np.float64], label: int) -> NDArray[np.int64]:
    """Return the log-odds of a class in steps of 1/FINEST, from probabilities of shape (n, J)."""
    own = np.maximum(shares[:, label], LEAST_SHARE)
    others = np.maximum(np.delete(shares, label, axis=1).sum(axis=1), LEAST_SHARE)
    steps = np.floor((np.log(own) - np.log(others)) * FINEST + 0.5)
    return np.asarray(steps, dtype=np.int64)

"""A weighted naive Bayes: variables, what their parts tell about the classes, and weights."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from modlearn._model.grid import Grid
from modlearn._model.partition import Partition
from modlearn._search.likelihood import add_to_scores, to_probabilities
from modlearn._show.partition import aligned
from modlearn.schema import class_names

__all__ = ["Explanation", "NaiveBayes", "Variable", "two_most_probable"]

ROWS_AT_ONCE = 4_096
"""Rows whose scores stay in the cache while one variable after the other is added."""


@dataclass(frozen=True)
class Variable:
    """What a naive Bayes counts as one variable: a partition of a column, or a grid on two.

    Parameters
    ----------
    name : hashable
        Name of the column, or a pair of names.
    columns : tuple of int
        Positions of the columns that the code of a row depends on.
    counts : ndarray of shape (I, J), int64
        Labeled rows per part (of a grid: cell) and class.
    cost, level : float
        Of the partition or the grid.
    source : Partition or Grid
        What gives the code of a row.
    """

    name: Hashable
    columns: tuple[int, ...]
    counts: NDArray[np.int64]
    cost: float
    level: float
    source: Partition | Grid


@dataclass(frozen=True, kw_only=True, eq=False)
class NaiveBayes:
    """Score of class j: log P(j) + sum over variables k of w_k log P(part of k | j).

    Parameters
    ----------
    classes : ndarray of shape (J,)
        The classes.
    log_prior : ndarray of shape (J,), float64
        log P(j).
    variables : tuple of Variable
        Those with a weight, K of them.
    weights : ndarray of shape (K,), float64
        Their weights, from 0 to 1.
    log_likelihoods : tuple of K ndarrays of shape (I, J), float64
        log P(part | j), up to a number per part.
    """

    classes: NDArray[np.generic]
    log_prior: NDArray[np.float64]
    variables: tuple[Variable, ...]
    weights: NDArray[np.float64]
    log_likelihoods: tuple[NDArray[np.float64], ...]

    @cached_property
    def tables(self) -> list[NDArray[np.float64]]:
        """Weighted log-likelihoods, (I, J) per variable."""
        return [w * table for w, table in zip(self.weights, self.log_likelihoods, strict=True)]

    def scores(self, codes: Sequence[NDArray[np.int32]], n_rows: int) -> NDArray[np.float64]:
        """Scores of rows, shape (n, J), from the part of every variable."""
        scores = np.empty((n_rows, len(self.classes)))
        scores[:] = self.log_prior
        for first in range(0, n_rows, ROWS_AT_ONCE):
            last = min(first + ROWS_AT_ONCE, n_rows)
            for column, table in zip(codes, self.tables, strict=True):
                add_to_scores(column, table, scores, first, last)
        return scores

    def log_probabilities(
        self, codes: Sequence[NDArray[np.int32]], n_rows: int
    ) -> NDArray[np.float64]:
        """Logs of the class probabilities of rows, shape (n, J)."""
        scores = self.scores(codes, n_rows)
        return scores - to_probabilities(scores.copy())[:, None]

    def probabilities(self, codes: Sequence[NDArray[np.int32]], n_rows: int) -> NDArray[np.float64]:
        """Class probabilities of rows, shape (n, J)."""
        scores = self.scores(codes, n_rows)
        to_probabilities(scores)
        return scores

    def explanation(self, codes: Sequence[NDArray[np.int32]], n_rows: int) -> Explanation:
        """What each variable adds to the scores of rows."""
        added = np.empty((n_rows, len(self.variables), len(self.classes)))
        for k, (column, table) in enumerate(zip(codes, self.tables, strict=True)):
            added[:, k] = table[column]
        names = tuple(variable.name for variable in self.variables)
        return Explanation(names, self.classes, self.log_prior, added)

    def shapley_values(self, codes: Sequence[NDArray[np.int32]], n_rows: int) -> Explanation:
        """What each variable adds beyond its mean over the labeled rows seen in fit.

        A score is a sum with one term per variable, so that its Shapley values are these
        differences, exactly, whatever the variables have to do with each other.
        """
        plain = self.explanation(codes, n_rows)
        means = np.zeros((len(self.variables), len(self.classes)))
        for k, (variable, table) in enumerate(zip(self.variables, self.tables, strict=True)):
            rows = variable.counts.sum(axis=1)
            means[k] = rows @ table / rows.sum()
        base = self.log_prior + means.sum(axis=0)
        return Explanation(plain.names, plain.classes, base, plain.contributions - means)


def two_most_probable(
    probabilities: NDArray[np.float64],
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """The most probable class of each row, and the next; of equal ones the first comes first."""
    label = probabilities.argmax(axis=1)
    others = probabilities.copy()
    others[np.arange(len(label)), label] = -1.0
    return label, others.argmax(axis=1)


@dataclass(frozen=True, eq=False, repr=False)
class Explanation:
    """Where the scores of rows come from: a base, and what each variable adds.

    Parameters
    ----------
    names : tuple
        Names of the variables, K of them.
    classes : ndarray of shape (J,)
        The classes.
    base : ndarray of shape (J,)
        What the sum starts from: the log of the class prior, or the mean score.
    contributions : ndarray of shape (n, K, J)
        What each variable adds to the score of each class, row by row.
    """

    names: tuple[Hashable, ...]
    classes: NDArray[np.generic]
    base: NDArray[np.float64]
    contributions: NDArray[np.float64]

    @property
    def scores(self) -> NDArray[np.float64]:
        """Base plus contributions, shape (n, J)."""
        return np.asarray(self.base + self.contributions.sum(axis=1))

    def __len__(self) -> int:
        return len(self.contributions)

    def __getitem__(self, rows: int | slice | Sequence[int] | NDArray[Any]) -> Explanation:
        """The same of some of the rows: a number, a slice, a list of numbers, or a mask."""
        if isinstance(rows, tuple) or np.ndim(rows) > 1:  # type: ignore[arg-type]
            raise IndexError(
                "An Explanation is indexed by rows alone; for one variable or class use its "
                "contributions, of shape (rows, variables, classes)."
            )
        if isinstance(rows, Sequence) and not rows:
            rows = slice(0)
        chosen = self.contributions[rows if isinstance(rows, slice) else np.atleast_1d(rows)]
        return Explanation(self.names, self.classes, self.base, chosen)

    def __repr__(self) -> str:
        return (
            f"<Explanation of {len(self):,} rows by {len(self.names)} variables, "
            f"{len(self.classes)} classes>"
        )

    def __str__(self) -> str:
        """The mean over the rows, of one row its own values; what tells most apart first."""
        if not len(self):
            return repr(self)
        means = self.contributions.mean(axis=0)
        spread = means.max(axis=1) - means.min(axis=1)
        order = np.argsort(-spread, kind="stable").tolist()
        lines = [["", *class_names(self.classes)], ["(base)", *_numbers(self.base)]]
        lines += [[str(self.names[k]), *_numbers(means[k])] for k in order]
        lines += [["score", *_numbers(self.scores.mean(axis=0))]]
        heading = [f"mean of {len(self):,} rows"] if len(self) > 1 else []
        return "\n".join([*heading, *aligned(lines)])


def _numbers(values: NDArray[np.float64]) -> list[str]:
    """Values with two decimals."""
    return [f"{value:.2f}" for value in (values.round(2) + 0.0).tolist()]

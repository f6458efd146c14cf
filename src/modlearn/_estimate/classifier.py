"""What the classifiers share: variables from partitions, and predictions from their model."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context
from sklearn.utils.validation import check_is_fitted

from modlearn._count.threads import map_in_threads
from modlearn._estimate.fitting import codes_of_column, fit_columns, read_columns
from modlearn._estimate.partitioner import Partitioner
from modlearn._model.naive_bayes import Explanation, NaiveBayes, Variable
from modlearn._model.partition import Partition
from modlearn._optimize.intervals import Limits
from modlearn._read.table import Table
from modlearn._read.target import Target, read_target

__all__ = ["PartitionClassifier", "codes_of_variable"]


class PartitionClassifier(ClassifierMixin, BaseEstimator):
    """Base of the classifiers; a subclass makes a model of the variables that tell something."""

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_jobs": Partitioner._parameter_constraints["n_jobs"],
        "unlabeled": [Hashable],
    }

    n_jobs: int | None
    unlabeled: Any

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the classes.

        Parameters
        ----------
        X : frame or array-like of shape (n_rows, n_columns)
            Table of any kind: pandas, Polars, Arrow, NumPy.
        y : array-like of shape (n_rows,)
            The classes; missing labels are unlabelled rows, which help to place the cuts.
        sample_weight : array-like of shape (n_rows,), default=None
            Non-negative integers: how often each row counts.

        Returns
        -------
        self
        """
        table = read_columns(self, X, reset=True)
        target = read_target(y, table.n_rows, self.unlabeled, sample_weight)
        limits = Limits.within(None, 1)
        partitions = fit_columns(table, table.kinds(), target, "auto", limits, self.n_jobs)
        variables = [_variable(i, partition) for i, partition in enumerate(partitions)]
        prior = _class_prior(target)
        informative = [variable for variable in variables if variable.level > 0]
        weights, model = self._learn(table, target, informative, prior)
        self.classes_, self.class_prior_ = target.classes, prior
        self.partitions_ = {p.name: p for p in partitions}
        self.levels_ = _largest_first({v.name: v.level for v in variables})
        self.weights_ = _largest_first(
            {v.name: w for v, w in zip(informative, weights.tolist(), strict=True)}
        )
        self.feature_importances_ = _importances(informative, weights, len(partitions))
        self._model = model
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable class of each row.

        Parameters
        ----------
        X : frame or array-like of shape (n_rows, n_columns)
            Table with the columns seen in fit.

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        check_is_fitted(self)
        return self.classes_[self._model.scores(*self._codes(X)).argmax(axis=1)]

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class.

        Parameters
        ----------
        X : frame or array-like of shape (n_rows, n_columns)
            Table with the columns seen in fit.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
        """
        check_is_fitted(self)
        return self._model.probabilities(*self._codes(X))

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the log of the probability of each class.

        Parameters
        ----------
        X : frame or array-like of shape (n_rows, n_columns)
            Table with the columns seen in fit.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
        """
        check_is_fitted(self)
        return self._model.log_probabilities(*self._codes(X))

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the score of each class; of two classes, the log odds of the second.

        Parameters
        ----------
        X : frame or array-like of shape (n_rows, n_columns)
            Table with the columns seen in fit.

        Returns
        -------
        ndarray of shape (n_rows, n_classes), or (n_rows,) if there are two classes
        """
        check_is_fitted(self)
        scores = self._model.scores(*self._codes(X))
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def explain(self, X: Any) -> Explanation:
        """Return what each variable adds to the score of each class, row by row.

        The score of class j is log P(j) plus the weighted log-likelihoods of the parts that the
        row falls in, w log P(part | j); the class probabilities are the softmax of the scores.

        Parameters
        ----------
        X : frame or array-like of shape (n_rows, n_columns)
            Table with the columns seen in fit.

        Returns
        -------
        Explanation
            With ``names``, ``classes``, ``base`` (the log of the class prior), ``contributions`` of
            shape (n_rows, n_variables, n_classes) and ``scores``, their sum. Print one, or a row
            of it: ``print(explanation[0])``.
        """
        check_is_fitted(self)
        return self._model.explanation(*self._codes(X))

    def shapley_values(self, X: Any) -> Explanation:
        """Return the Shapley values of the variables for the score of each class, row by row.

        They are exact: a variable's contribution less its mean over the labelled rows seen in fit.

        Parameters
        ----------
        X : frame or array-like of shape (n_rows, n_columns)
            Table with the columns seen in fit.

        Returns
        -------
        Explanation
            As of ``explain``; ``base`` is the mean score.
        """
        check_is_fitted(self)
        return self._model.shapley_values(*self._codes(X))

    def _codes(self, X: Any) -> tuple[list[NDArray[np.int32]], int]:
        """The part of each variable of the model for every row, and the number of rows."""
        table = read_columns(self, X, reset=False)
        variables = self._model.variables
        codes = map_in_threads(lambda v: codes_of_variable(table, v), variables, self.n_jobs)
        return codes, table.n_rows

    def _learn(
        self,
        table: Table,
        target: Target,
        variables: list[Variable],
        prior: NDArray[np.float64],
    ) -> tuple[NDArray[np.float64], NaiveBayes]:
        """Weights of the variables, and the model that predicts."""
        raise NotImplementedError

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags


def codes_of_variable(table: Table, variable: Variable) -> NDArray[np.int32]:
    """Return the part of every row, 0 to I-1."""
    (column,) = variable.columns
    return codes_of_column(table, column, variable.source)


def _variable(i: int, partition: Partition) -> Variable:
    """Column i as a variable."""
    return Variable(
        partition.name, (i,), partition.counts, partition.cost, partition.level, partition
    )


def _class_prior(target: Target) -> NDArray[np.float64]:
    """Share of each class among the labelled rows, shape (J,)."""
    labelled = target.codes < target.n_classes
    weights = None if target.weights is None else target.weights[labelled]
    rows = np.bincount(target.codes[labelled], weights, minlength=target.n_classes)
    return rows / rows.sum()


def _importances(
    variables: list[Variable], weights: NDArray[np.float64], n_columns: int
) -> NDArray[np.float64]:
    """Weight times level of each column, adding up to 1; all 0 if no column has a weight."""
    importances = np.zeros(n_columns)
    for variable, weight in zip(variables, weights.tolist(), strict=True):
        for column in variable.columns:
            importances[column] += weight * variable.level / len(variable.columns)
    total = importances.sum()
    return importances / total if total > 0 else importances


def _largest_first(values: dict[Hashable, float]) -> dict[Hashable, float]:
    return dict(sorted(values.items(), key=lambda item: -item[1]))

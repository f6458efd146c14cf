"""What the classifiers share: fit a model, and predict by reading it."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from modlearn._estimators.accuracy import accuracy_of_labeled
from modlearn._estimators.partitioner import PAIRS, TableEstimator, read_columns
from modlearn._fit.model import Recipe, fit_model, informative, without_repeats
from modlearn._model.additive import AdditiveModel, Explanation
from modlearn._model.uncertainty import probability_interval
from modlearn._parallel import Progress, no_progress
from modlearn._tables.memory.rows import MemoryRows, TableBatch
from modlearn._tables.text_columns import as_in_training

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["PairClassifier", "PartitionClassifier"]


class PartitionClassifier(ClassifierMixin, TableEstimator):
    """Base of the classifiers: a subclass defines which columns and pairs get which weight."""

    model_: AdditiveModel

    _weights = "equal"
    _choose = staticmethod(informative)

    def _learn(self, rows: MemoryRows) -> tuple[AdditiveModel, bool]:
        fitted = fit_model(rows, self._recipe())
        return fitted.model, fitted.pairs_complete

    def _recipe(self) -> Recipe:
        """How the model is learned."""
        return Recipe(
            weights=self._weights,
            choose=self._choose,
            pairs=getattr(self, "pairs", False),
            n_jobs=self.n_jobs,
            pair_progress=getattr(self, "progress", None) or no_progress,
        )

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable class of each row, unless the model has another decision.

        Parameters
        ----------
        X : frame or array-like of shape (n_rows, n_columns)
            Table with the columns of the training data. A data frame may have them in any order,
            with other columns among them.

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        check_is_fitted(self)
        return np.asarray(self.model_.classes[self.model_.labels(self._batch(X), self.n_jobs)])

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class.

        Parameters
        ----------
        X : frame or array-like of shape (n_rows, n_columns)
            Table with the columns of the training data. A data frame may have them in any order,
            with other columns among them.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
        """
        check_is_fitted(self)
        return self.model_.probabilities(self._batch(X), self.n_jobs)

    def predict_proba_interval(
        self, X: Any, level: float = 0.95
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return a credible interval for the probability of each class.

        If contributions really add up, as the model assumes, each true probability lies in its
        interval with probability `level`. Intervals are narrower where there are more training
        rows, and always contain the result of ``predict_proba``.

        Parameters
        ----------
        X : frame or array-like of shape (n_rows, n_columns)
            Table with the columns of the training data. A data frame may have them in any order,
            with other columns among them.
        level : float, default=0.95
            Probability of the intervals, between 0 and 1.

        Returns
        -------
        lower, upper : two ndarrays of shape (n_rows, n_classes)
            The bounds.
        """
        check_is_fitted(self)
        return probability_interval(self.model_, self._batch(X), level, self.n_jobs)

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the log of the probability of each class.

        Parameters
        ----------
        X : frame or array-like of shape (n_rows, n_columns)
            Table with the columns of the training data. A data frame may have them in any order,
            with other columns among them.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
        """
        check_is_fitted(self)
        return self.model_.log_probabilities(self._batch(X), self.n_jobs)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Return the score of each class; for two classes, the log odds of the second.

        Parameters
        ----------
        X : frame or array-like of shape (n_rows, n_columns)
            Table with the columns of the training data. A data frame may have them in any order,
            with other columns among them.

        Returns
        -------
        ndarray of shape (n_rows, n_classes), or (n_rows,) if there are two classes
        """
        check_is_fitted(self)
        scores = self.model_.scores(self._batch(X), self.n_jobs)
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def explain(self, X: Any) -> Explanation:
        """Return what each column or pair adds to the score of each class, row by row.

        The score of a class is a base plus what each term adds, and the class probabilities are
        the softmax of the scores. In a naive Bayes, the base is log P(j), and a term adds
        w log P(part | j) for the part that the row falls in. A categorical value never seen in the
        training data adds nothing.

        Parameters
        ----------
        X : frame or array-like of shape (n_rows, n_columns)
            Table with the columns of the training data. A data frame may have them in any order,
            with other columns among them.

        Returns
        -------
        Explanation
            With ``names``, ``classes``, ``base`` (what the sum starts from), ``contributions`` of
            shape (n_rows, n_variables, n_classes) and ``scores``, their sum. Print one, or a row
            of it: ``print(explanation[0])``. ``to_frame()`` has a column per variable; for two
            classes, it is signed: positive numbers speak for the second class.
        """
        check_is_fitted(self)
        return self.model_.explanation(self._batch(X), self.n_jobs)

    def shapley_values(self, X: Any) -> Explanation:
        """Return the Shapley values of columns and pairs for the score of each class, row by row.

        They are exact: a contribution minus its mean over the labeled training rows.

        Parameters
        ----------
        X : frame or array-like of shape (n_rows, n_columns)
            Table with the columns of the training data. A data frame may have them in any order,
            with other columns among them.

        Returns
        -------
        Explanation
            Like that of ``explain``, but ``base`` is the mean score.
        """
        check_is_fitted(self)
        return self.model_.shapley_values(self._batch(X), self.n_jobs)

    def plot(self, name: Any, ax: Axes | None = None) -> Axes:
        """Draw what a column or a pair adds to the scores, with 95 % bands, with matplotlib.

        Parameters
        ----------
        name : hashable, or pair of them
            Name of the column, or of the two columns.
        ax : matplotlib Axes, default=None
            Where to draw; None = on a new figure.

        Returns
        -------
        matplotlib Axes
            A curve above the histogram of a number, a bar per category, or a heat map of a pair;
            for two classes, of the log odds of the second.
        """
        check_is_fitted(self)
        return self.model_.plot(name, ax)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of labeled rows that are classified correctly.

        Parameters
        ----------
        X : frame or array-like of shape (n_rows, n_columns)
            Table with the columns of the training data. A data frame may have them in any order,
            with other columns among them.
        y : array-like of shape (n_rows,)
            The classes; unlabeled rows, missing or equal to `unlabeled`, are left out.
        sample_weight : array-like of shape (n_rows,), default=None
            How much each row counts.

        Returns
        -------
        float
        """
        return accuracy_of_labeled(self.predict(X), y, self.unlabeled, sample_weight)

    def _learned(self) -> AdditiveModel:
        return self.model_

    def _show(self, learned: AdditiveModel, complete: bool) -> None:
        self.model_ = learned
        self.classes_, self.class_prior_ = learned.classes, learned.class_prior
        self.partitions_ = learned.partitions
        self.levels_ = _largest_first({term.name: term.level for term in learned.terms})
        considered = {id(one) for one in self._choose([t.parts for t in learned.terms])}
        self.weights_ = _largest_first(
            {term.name: term.weight for term in learned.terms if id(term.parts) in considered}
        )
        self.feature_importances_ = _importances(learned)

    def _batch(self, X: Any) -> TableBatch:
        """The columns of X by the names they had in the training data; a job has found them."""
        if isinstance(X, TableBatch):
            return X
        schema = self.model_.schema
        sources = schema.sources
        table = as_in_training(read_columns(self, X, reset=False), list(sources.values()))
        return TableBatch(table, list(sources), views=schema.views)


class PairClassifier(PartitionClassifier):
    """Base of the classifiers that can use pairs of columns in addition to single ones."""

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **PartitionClassifier._parameter_constraints,
        "pairs": PAIRS,
        "progress": [callable, None],
    }

    pairs: Any
    progress: Progress | None

    _choose = staticmethod(without_repeats)

    def _show(self, learned: AdditiveModel, complete: bool) -> None:
        super()._show(learned, complete)
        self.grids_, self.complete_ = learned.grids, complete


def _importances(model: AdditiveModel) -> NDArray[np.float64]:
    """The importance of each column of the table, those of its views added up."""
    found = model.importances
    importances = dict.fromkeys(model.schema.sources, 0.0)
    for name, importance in found.items():
        importances[model.schema.by_name[name].read.name] += importance
    return np.array(list(importances.values()))


def _largest_first(values: dict[Hashable, float]) -> dict[Hashable, float]:
    return dict(sorted(values.items(), key=lambda item: -item[1]))

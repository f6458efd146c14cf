"""What the classifiers share: fit a model, and predict by reading it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from os import PathLike
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context
from sklearn.utils.validation import check_is_fitted

from modlearn._estimators.accuracy import accuracy_of_labeled
from modlearn._estimators.columns import read_columns
from modlearn._estimators.partitioner import Partitioner
from modlearn._fit.columns import fit_columns
from modlearn._fit.models import informative, naive_bayes_model, without_repeats
from modlearn._fit.pairs import PAIRS, Pair, PairSearch, fit_pairs, wanted_pairs
from modlearn._model.additive import AdditiveModel, Parts
from modlearn._model.evaluation import Diagnostics
from modlearn._model.explanation import Explanation
from modlearn._model.grid import Grid
from modlearn._model.partition import Partition
from modlearn._parallel import Progress, no_progress
from modlearn._search.intervals import Limits
from modlearn._tables.memory.batch import TableBatch
from modlearn._tables.memory.table import Table
from modlearn._tables.target import Target, read_target
from modlearn.schema import TargetSpec

__all__ = ["PairClassifier", "PartitionClassifier", "show_model", "target_spec"]

Weights = NDArray[np.float64]


class PartitionClassifier(ClassifierMixin, BaseEstimator):
    """Base of the classifiers: a subclass says which columns and pairs have which weight."""

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_jobs": Partitioner._parameter_constraints["n_jobs"],
        "unlabeled": [Hashable],
    }

    n_jobs: int | None
    unlabeled: Any

    _progress: Progress | None = None
    """Reports every column and pair that is done."""

    model_: AdditiveModel
    diagnostics_: Diagnostics | None

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the classes.

        Parameters
        ----------
        X : frame or array-like of shape (n_rows, n_columns)
            Table of any kind: pandas, Polars, Arrow, NumPy.
        y : array-like of shape (n_rows,)
            The classes. Missing labels are unlabeled rows, which help to position the cuts.
        sample_weight : array-like of shape (n_rows,), default=None
            Non-negative integers: how often each row counts.

        Returns
        -------
        self
        """
        # If this fails, the columns it has named do not fit the model of an earlier fit.
        self.__dict__.pop("model_", None)
        table = read_columns(self, X, reset=True)
        return self._fit_table(table, read_target(y, table.n_rows, self.unlabeled, sample_weight))

    def _fit_table(self, table: Table, target: Target) -> Self:
        """Learn the classes of a table that is read."""
        limits = Limits.within(None, 1)
        partitions = fit_columns(
            table, table.kinds(), target, "auto", limits, self.n_jobs, self._progress
        )
        grids, complete = self._fit_grids(table, target, partitions)
        parts: list[Parts] = [*partitions, *grids.values()]
        chosen, spec = self._candidates(parts), target_spec(target)
        weights = self._weigh(TableBatch(table), target, spec, chosen)
        show_model(self, self._model_of(spec, parts, chosen, weights), complete)
        return self

    @staticmethod
    def _candidates(parts: Sequence[Parts]) -> list[Parts]:
        """The columns and pairs that are given a weight, among all that were searched."""
        return informative(parts)

    def _fit_grids(
        self, table: Table, target: Target, partitions: list[Partition]
    ) -> tuple[dict[Pair, Grid], bool]:
        """Grids on pairs of columns, and whether all that were asked for are found."""
        return {}, True

    def _weigh(
        self, batch: TableBatch, target: Target, spec: TargetSpec, chosen: list[Parts]
    ) -> Weights:
        """A weight from 0 to 1 for each of the chosen."""
        raise NotImplementedError

    def _model_of(
        self, spec: TargetSpec, parts: list[Parts], chosen: list[Parts], weights: Weights
    ) -> AdditiveModel:
        """The model: naive Bayes, unless a subclass says otherwise."""
        return naive_bayes_model(spec, parts, chosen, weights)

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable class of each row.

        Parameters
        ----------
        X : frame or array-like of shape (n_rows, n_columns)
            Table with the columns of the training data. A data frame may have them in another
            order, and others besides.

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        check_is_fitted(self)
        best = self.model_.scores(self._batch(X), self.n_jobs).argmax(axis=1)
        return np.asarray(self.model_.classes[best])

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class.

        Parameters
        ----------
        X : frame or array-like of shape (n_rows, n_columns)
            Table with the columns of the training data. A data frame may have them in another
            order, and others besides.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
        """
        check_is_fitted(self)
        return self.model_.probabilities(self._batch(X), self.n_jobs)

    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the log of the probability of each class.

        Parameters
        ----------
        X : frame or array-like of shape (n_rows, n_columns)
            Table with the columns of the training data. A data frame may have them in another
            order, and others besides.

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
            Table with the columns of the training data. A data frame may have them in another
            order, and others besides.

        Returns
        -------
        ndarray of shape (n_rows, n_classes), or (n_rows,) if there are two classes
        """
        check_is_fitted(self)
        scores = self.model_.scores(self._batch(X), self.n_jobs)
        return scores[:, 1] - scores[:, 0] if scores.shape[1] == 2 else scores

    def explain(self, X: Any) -> Explanation:
        """Return what each column or pair adds to the score of each class, row by row.

        The score of class j is log P(j) plus the weighted log-likelihoods of the parts that the
        row falls in, w log P(part | j); the class probabilities are the softmax of the scores. A
        categorical value never seen in the training data adds nothing.

        Parameters
        ----------
        X : frame or array-like of shape (n_rows, n_columns)
            Table with the columns of the training data. A data frame may have them in another
            order, and others besides.

        Returns
        -------
        Explanation
            With ``names``, ``classes``, ``base`` (the log of the class prior), ``contributions`` of
            shape (n_rows, n_variables, n_classes) and ``scores``, their sum. Print one, or a row
            of it: ``print(explanation[0])``.
        """
        check_is_fitted(self)
        return self.model_.explanation(self._batch(X), self.n_jobs)

    def shapley_values(self, X: Any) -> Explanation:
        """Return the Shapley values of columns and pairs for the score of each class, row by row.

        They are exact: a contribution minus its mean over the labeled training rows.

        Parameters
        ----------
        X : frame or array-like of shape (n_rows, n_columns)
            Table with the columns of the training data. A data frame may have them in another
            order, and others besides.

        Returns
        -------
        Explanation
            Like that of ``explain``, but ``base`` is the mean score.
        """
        check_is_fitted(self)
        return self.model_.shapley_values(self._batch(X), self.n_jobs)

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of labeled rows that are classified correctly.

        Parameters
        ----------
        X : frame or array-like of shape (n_rows, n_columns)
            Table with the columns of the training data. A data frame may have them in another
            order, and others besides.
        y : array-like of shape (n_rows,)
            The classes; unlabeled rows, missing or equal to `unlabeled`, are left out.
        sample_weight : array-like of shape (n_rows,), default=None
            How much each row counts.

        Returns
        -------
        float
        """
        return accuracy_of_labeled(self.predict(X), y, self.unlabeled, sample_weight)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the fitted classifier to a JSON file, which ``modlearn.load`` reads.

        The file holds data, never code, and the loaded classifier makes the same predictions to
        the last bit. If writing fails, an old file stays as it was.

        Parameters
        ----------
        path : path
            The file to write, such as ``"wine.modlearn.json"``.

        Returns
        -------
        None
        """
        from modlearn._estimators.saving import save_classifier

        check_is_fitted(self)
        save_classifier(self, path)

    def _batch(self, X: Any) -> TableBatch:
        """The columns of X by the names they had in fit."""
        return TableBatch(read_columns(self, X, reset=False), self.model_.schema.names)

    def __sklearn_is_fitted__(self) -> bool:
        # A fit that failed has already named the columns.
        return hasattr(self, "model_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags


class PairClassifier(PartitionClassifier):
    """Base of the classifiers that can use pairs of columns in addition to single ones."""

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **PartitionClassifier._parameter_constraints,
        "pairs": PAIRS,
        "progress": [callable, None],
    }

    pairs: Any
    progress: Progress | None

    _keeps_interrupted = True
    """Whether an interruption of the search leaves a model of the pairs found so far."""

    @staticmethod
    def _candidates(parts: Sequence[Parts]) -> list[Parts]:
        return without_repeats(parts)

    def _fit_grids(
        self, table: Table, target: Target, partitions: list[Partition]
    ) -> tuple[dict[Pair, Grid], bool]:
        wanted = wanted_pairs(self.pairs)
        if wanted is None or len(partitions) < 2:
            return {}, True
        progress = self.progress or self._progress or no_progress
        search = PairSearch(
            wanted, self.n_jobs, progress, keeps_interrupted=self._keeps_interrupted
        )
        return fit_pairs(table, target, partitions, search)


def show_model(
    classifier: PartitionClassifier,
    model: AdditiveModel,
    complete: bool = True,
    diagnostics: Diagnostics | None = None,
) -> None:
    """Make a classifier a view of a model: all its fitted state is set here, and follows from it.

    Parameters
    ----------
    classifier : PartitionClassifier
        Fitted from now on.
    model : AdditiveModel
        What it predicts with.
    complete : bool, default=True
        Whether all pairs asked for were searched.
    diagnostics : Diagnostics, default=None
        What a job knows besides the model.
    """
    classifier.model_ = model
    classifier.diagnostics_ = diagnostics
    classifier.classes_, classifier.class_prior_ = model.classes, model.class_prior
    classifier.partitions_ = model.partitions
    if isinstance(classifier, PairClassifier):
        classifier.grids_, classifier.complete_ = model.grids, complete
    classifier.levels_ = _largest_first({term.name: term.level for term in model.terms})
    considered = {id(one) for one in classifier._candidates([t.parts for t in model.terms])}
    classifier.weights_ = _largest_first(
        {term.name: term.weight for term in model.terms if id(term.parts) in considered}
    )
    classifier.feature_importances_ = _importances(model)


def target_spec(target: Target) -> TargetSpec:
    """Return the classes and their rows."""
    labeled = target.is_labeled
    weights = None if target.weights is None else target.weights[labeled]
    rows = np.bincount(target.codes[labeled], weights, minlength=target.n_classes)
    return TargetSpec(None, target.classes, rows.astype(np.int64), target.n_unlabeled)


def _importances(model: AdditiveModel) -> NDArray[np.float64]:
    """Weight times level of each column, adding up to 1; all 0 if no column has a weight."""
    importances = dict.fromkeys(model.schema.names, 0.0)
    for term in model.used_terms:
        for name in term.columns:
            importances[name] += term.weight * term.level / len(term.columns)
    shares = np.array(list(importances.values()))
    return shares / shares.sum() if shares.sum() > 0 else shares


def _largest_first(values: dict[Hashable, float]) -> dict[Hashable, float]:
    return dict(sorted(values.items(), key=lambda item: -item[1]))

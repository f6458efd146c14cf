"""What the classifiers share: variables from partitions, and predictions from their model."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from os import PathLike
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context
from sklearn.utils.validation import check_is_fitted

from modlearn._estimators.accuracy import accuracy_of_labeled
from modlearn._estimators.partitioner import Partitioner
from modlearn._fit.columns import codes_of_column, fit_columns, read_columns
from modlearn._fit.pairs import (
    PAIRS,
    Pair,
    PairSearch,
    codes_of_pair,
    fit_pairs,
    wanted_pairs,
)
from modlearn._model.additive import Explanation, NaiveBayes, Variable
from modlearn._model.grid import Grid
from modlearn._model.partition import Partition
from modlearn._parallel import Progress, map_in_threads, no_progress
from modlearn._search.intervals import Limits
from modlearn._tables.memory.table import Table
from modlearn._tables.target import Target, read_target
from modlearn.criteria import part_log_likelihoods

if TYPE_CHECKING:  # of a job, which users of a classifier need not wait for
    from modlearn._model.evaluation import Diagnostics

__all__ = ["PairClassifier", "PartitionClassifier", "codes_of_variable", "keep_for_pairs"]


class PartitionClassifier(ClassifierMixin, BaseEstimator):
    """Base of the classifiers; a subclass makes a model of the variables that tell something."""

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_jobs": Partitioner._parameter_constraints["n_jobs"],
        "unlabeled": [Hashable],
    }

    n_jobs: int | None
    unlabeled: Any

    _progress: Progress | None = None
    """Told of every column and pair that is done."""

    _diagnostics: Diagnostics | None = None
    """What a job found beside the model, kept in files; a fit forgets it."""

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Learn the classes.

        Parameters
        ----------
        X : frame or array-like of shape (n_rows, n_columns)
            Table of any kind: pandas, Polars, Arrow, NumPy.
        y : array-like of shape (n_rows,)
            The classes; missing labels are unlabeled rows, which help to place the cuts.
        sample_weight : array-like of shape (n_rows,), default=None
            Non-negative integers: how often each row counts.

        Returns
        -------
        self
        """
        # If this fails, the columns it has named do not fit the model of an earlier fit.
        self.__dict__.pop("_model", None)
        table = read_columns(self, X, reset=True)
        return self._fit_table(table, read_target(y, table.n_rows, self.unlabeled, sample_weight))

    def _fit_table(self, table: Table, target: Target) -> Self:
        """Learn the classes of a table that is read."""
        limits = Limits.within(None, 1)
        partitions = fit_columns(
            table, table.kinds(), target, "auto", limits, self.n_jobs, self._progress
        )
        grids = self._fit_grids(table, target, partitions)
        variables = self._variables(partitions, grids)
        prior = _class_prior(target)
        weights = self._weigh(table, target, variables, prior)
        return self._remember(target.classes, prior, partitions, grids, weights)

    def _variables(self, partitions: list[Partition], grids: dict[Pair, Grid]) -> list[Variable]:
        """Columns and pairs that are weighed."""
        every = [*_columns_alone(partitions), *_pairs(partitions, grids)]
        return [variable for variable in every if self._is_used(variable)]

    def _remember(
        self,
        classes: NDArray[Any],
        prior: NDArray[np.float64],
        partitions: list[Partition],
        grids: dict[Pair, Grid],
        weights: NDArray[np.float64],
    ) -> Self:
        """Set the fitted state: all of it follows from this."""
        self._diagnostics = None
        variables = self._variables(partitions, grids)
        self.classes_, self.class_prior_ = classes, prior
        self.partitions_ = {p.name: p for p in partitions}
        levels = {p.name: p.level for p in partitions} | {n: g.level for n, g in grids.items()}
        self.levels_ = _largest_first(levels)
        self.weights_ = _largest_first(
            {v.name: w for v, w in zip(variables, weights.tolist(), strict=True)}
        )
        self.feature_importances_ = _importances(variables, weights, len(partitions))
        chosen = [variable for variable, w in zip(variables, weights, strict=True) if w > 0]
        self._model = NaiveBayes(
            classes=classes,
            log_prior=np.log(prior),
            variables=tuple(chosen),
            weights=weights[weights > 0],
            log_likelihoods=tuple(self._log_likelihoods(v, prior) for v in chosen),
        )
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

        They are exact: a variable's contribution less its mean over the labeled rows seen in fit.

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

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of labeled rows whose class is predicted.

        Parameters
        ----------
        X : frame or array-like of shape (n_rows, n_columns)
            Table with the columns seen in fit.
        y : array-like of shape (n_rows,)
            The classes; rows without one, missing or `unlabeled`, are left out.
        sample_weight : array-like of shape (n_rows,), default=None
            How much each row counts.

        Returns
        -------
        float
        """
        return accuracy_of_labeled(self.predict(X), y, self.unlabeled, sample_weight)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the fitted classifier to a file of JSON, which ``modlearn.load`` reads.

        The file appears whole, or an old one stays. It holds data, never code; predictions of what
        is read are those of what was written, to the last bit.

        Parameters
        ----------
        path : path
            The file, such as ``"wine.modlearn.json"``.

        Returns
        -------
        None
        """
        from modlearn._estimators.saving import save_classifier

        check_is_fitted(self)
        save_classifier(self, path)

    def _codes(self, X: Any) -> tuple[list[NDArray[np.int32]], int]:
        """The part of each variable of the model for every row, and the number of rows."""
        return self._codes_of_table(read_columns(self, X, reset=False))

    def _codes_of_table(self, table: Table) -> tuple[list[NDArray[np.int32]], int]:
        """The same of a table that is read and has the columns seen in fit."""
        variables = self._model.variables
        table = keep_for_pairs(table, variables)
        codes = map_in_threads(lambda v: codes_of_variable(table, v), variables, self.n_jobs)
        return codes, table.n_rows

    def _fit_grids(
        self, table: Table, target: Target, partitions: list[Partition]
    ) -> dict[Pair, Grid]:
        """Grids on pairs of columns."""
        return {}

    def _is_used(self, variable: Variable) -> bool:
        """Whether a variable tells something, and nothing that another one tells."""
        return variable.level > 0

    def _weigh(
        self,
        table: Table,
        target: Target,
        variables: list[Variable],
        prior: NDArray[np.float64],
    ) -> NDArray[np.float64]:
        """A weight from 0 to 1 per variable."""
        raise NotImplementedError

    def _log_likelihoods(
        self, variable: Variable, prior: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """What a part tells about a class, shape (I, J)."""
        return part_log_likelihoods(variable.counts)

    def __sklearn_is_fitted__(self) -> bool:
        # A fit that failed has already named the columns.
        return hasattr(self, "_model")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags


class PairClassifier(PartitionClassifier):
    """Base of the classifiers that can use pairs of columns beside single ones."""

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **PartitionClassifier._parameter_constraints,
        "pairs": PAIRS,
        "progress": [callable, None],
    }

    pairs: Any
    progress: Progress | None

    _keeps_interrupted = True
    """Whether an interruption of the search leaves a model of the pairs found so far."""

    def _fit_grids(
        self, table: Table, target: Target, partitions: list[Partition]
    ) -> dict[Pair, Grid]:
        wanted = wanted_pairs(self.pairs)
        if wanted is None or len(partitions) < 2:
            self.complete_ = True
            return {}
        progress = self.progress or self._progress or no_progress
        search = PairSearch(
            wanted, self.n_jobs, progress, keeps_interrupted=self._keeps_interrupted
        )
        grids, self.complete_ = fit_pairs(table, target, partitions, search)
        return grids

    def _remember(
        self,
        classes: NDArray[Any],
        prior: NDArray[np.float64],
        partitions: list[Partition],
        grids: dict[Pair, Grid],
        weights: NDArray[np.float64],
    ) -> Self:
        self.grids_ = grids
        return super()._remember(classes, prior, partitions, grids, weights)

    def _is_used(self, variable: Variable) -> bool:
        return variable.level > 0 and _tells_of_both(variable)


def keep_for_pairs(table: Table, variables: Sequence[Variable]) -> Table:
    """A table that reads a column once, if pairs need it several times."""
    return table.kept() if any(len(v.columns) > 1 for v in variables) else table


def codes_of_variable(table: Table, variable: Variable) -> NDArray[np.int32]:
    """Return the part or cell of every row, 0 to I-1."""
    if isinstance(variable.source, Grid):
        first, second = variable.columns
        return codes_of_pair(table, (first, second), variable.source)
    (column,) = variable.columns
    return codes_of_column(table, column, variable.source)


def _columns_alone(partitions: list[Partition]) -> list[Variable]:
    """Every column as a variable."""
    return [Variable(p.name, (i,), p.counts, p.cost, p.level, p) for i, p in enumerate(partitions)]


def _pairs(partitions: list[Partition], grids: dict[Pair, Grid]) -> list[Variable]:
    """Every grid as a variable."""
    place = {partition.name: i for i, partition in enumerate(partitions)}
    return [
        Variable(pair, (place[pair[0]], place[pair[1]]), grid.cells, grid.cost, grid.level, grid)
        for pair, grid in grids.items()
    ]


def _tells_of_both(variable: Variable) -> bool:
    """Whether a variable depends on all its columns; else it is one of them again."""
    grid = variable.source
    return not isinstance(grid, Grid) or min(axis.n_parts for axis in grid.axes) > 1


def _class_prior(target: Target) -> NDArray[np.float64]:
    """Share of each class among the labeled rows, shape (J,)."""
    labeled = target.is_labeled
    weights = None if target.weights is None else target.weights[labeled]
    rows = np.bincount(target.codes[labeled], weights, minlength=target.n_classes)
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

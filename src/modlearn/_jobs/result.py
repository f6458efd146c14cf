"""The result of a job: a model with its evaluation, in memory and in a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from modlearn._estimators.classifier import PartitionClassifier
from modlearn._estimators.loading import read_model_file
from modlearn._estimators.model_file import ModelFile
from modlearn._estimators.saving import SavedEstimator, show_fitted
from modlearn._export.lazy import is_lazy
from modlearn._jobs.options import find_decision, find_positive, known_labels, not_by_error
from modlearn._model.additive import AdditiveModel, Explanation
from modlearn._model.evaluation import DataWarning, Diagnostics, Evaluation, Note, TableFacts
from modlearn._model.grid import Grid
from modlearn._model.partitions import Partition
from modlearn._model.uncertainty import probability_interval
from modlearn._show.result import result_as_text
from modlearn._show.summary import now, summarize
from modlearn.errors import ModelError

if TYPE_CHECKING:
    from modlearn._jobs.unlabeled import UnlabeledRows

__all__ = ["FitResult", "load", "load_model"]


@dataclass(frozen=True, eq=False, repr=False)
class FitResult:
    """A model with its evaluation and the facts about its table; print it.

    Parameters
    ----------
    model : AdditiveModel or None
        The model, which predictions, explanations, files and reports are read from; None for
        ``analyze``.
    partitions : dict of name to Intervals or Groups
        The partition of every column.
    grids : dict of (name, name) to Grid
        The grid of every pair that was searched.
    diagnostics : Diagnostics
        Facts about the table, evaluation and warnings.
    estimator : estimator, default=None
        The kind of classifier that the model is shown as, with its parameters.
    named : bool, default=True
        Whether the columns of the training data had names.
    unlabeled : UnlabeledRows, default=None
        Predictions for the unlabeled rows, if most rows of the table are unlabeled and it has at
        most 50,000. They are not saved.

    See Also
    --------
    fit : Learn a model and evaluate it.
    analyze : Find the informative columns without a model.
    load : Read a result that was saved.

    Examples
    --------
    >>> import modlearn
    >>> from sklearn.datasets import load_iris
    >>> result = modlearn.fit(load_iris(as_frame=True).frame, "target")
    >>> result.to_frame().head(2)
                    term    weight     level  parts
    0   petal width (cm)  0.663168  0.685466      3
    1  petal length (cm)  0.611510  0.672894      3
    >>> result.predict(load_iris(as_frame=True).frame)[:5]
    array([0, 0, 0, 0, 0])
    """

    model: AdditiveModel | None
    partitions: dict[Any, Partition]
    grids: dict[Any, Grid]
    diagnostics: Diagnostics
    estimator: SavedEstimator | None = None
    named: bool = True
    unlabeled: UnlabeledRows | None = None

    @cached_property
    def classifier(self) -> PartitionClassifier:
        """The model as a fitted classifier of scikit-learn."""
        model, found = self._model(), clone(self.estimator)
        show_fitted(found, model, self.diagnostics.pairs_complete, self._has_text_names)
        assert isinstance(found, PartitionClassifier)
        return found

    @property
    def _has_text_names(self) -> bool:
        """Whether the columns have names as scikit-learn knows them: text, and not numbers."""
        return self.named and all(isinstance(name, str) for name in self._model().columns)

    @property
    def evaluation(self) -> Evaluation | None:
        """How good the model is on rows it was not trained on; None if it was not evaluated."""
        return self.diagnostics.evaluation

    @property
    def facts(self) -> TableFacts:
        """Facts about the table: rows, columns, columns left out, and notes."""
        return self.diagnostics.data

    @property
    def warnings(self) -> tuple[DataWarning, ...]:
        """What to be careful about, each a sentence with a remedy."""
        return self.diagnostics.warnings

    @classmethod
    def of(cls, saved: FitResult | SavedEstimator) -> FitResult:
        """Return a result as it is, and an estimator as a result without an evaluation.

        Parameters
        ----------
        saved : FitResult or fitted estimator
            What a model file holds.

        Returns
        -------
        FitResult
        """
        if isinstance(saved, FitResult):
            return saved
        grids, complete = getattr(saved, "grids_", {}), getattr(saved, "complete_", True)
        partitions: dict[Any, Partition] = saved.partitions_
        found = _without_evaluation(partitions, complete)
        named = hasattr(saved, "feature_names_in_")
        return cls(getattr(saved, "model_", None), partitions, grids, found, saved, named)

    def predict(self, data: Any, *, cost: Any = None, threshold: float | None = None) -> Any:
        """Return the predicted class of each row: the most probable one, or that of least cost.

        Parameters
        ----------
        data : path, frame, array-like of shape (n_rows, n_columns), or lazy frame
            Table with the columns that the model uses, in any order; other columns, such as the
            target, are ignored. An array must have all columns of the training data. A lazy frame
            is a DuckDB relation, a Polars LazyFrame or a Spark DataFrame.
        cost : dict of (true class, predicted class) to float, default=None
            What errors cost, as in ``fit``; None = as the model was trained with.
        threshold : float, default=None
            Predict the class of interest if its probability is at least this, as in ``fit``.

        Returns
        -------
        ndarray of shape (n_rows,), or lazy frame
            A lazy frame has the columns of `data`, then the label and the probability of each
            class, named as ``modlearn predict`` names them. No row is read before it is needed.
        """
        model = self.deciding(cost, threshold)
        if is_lazy(data):
            return self._lazily(model, data, has_labels=True)
        _, batch = self._rows_of(data)
        return np.asarray(model.classes[model.labels(batch, self._threads)])

    def evaluate(
        self, data: Any, target: Any = None, *, cost: Any = None, threshold: float | None = None
    ) -> Evaluation:
        """Return how good the predictions are for rows whose class is known.

        Parameters
        ----------
        data : path, frame or array-like of shape (n_rows, n_columns)
            Table with the columns that the model uses and with its target; rows without a class
            of the training data are left out. They should not be rows that the model was trained
            on.
        target : array-like of shape (n_rows,), default=None
            The class of each row, if the table does not have it; a model of a scikit-learn
            estimator does not know what its target is called.
        cost : dict of (true class, predicted class) to float, default=None
            What errors cost, as in ``fit``; None = as the model was trained with.
        threshold : float, default=None
            Predict the class of interest if its probability is at least this, as in ``fit``.

        Returns
        -------
        Evaluation
            With measures, confusion matrix, curves and calibration; no row is explained.
        """
        from modlearn._evaluate.evaluation import evaluate_predictions
        from modlearn._jobs.predict import read_labeled

        model, name = self.deciding(cost, threshold), self.facts.target
        batch, column = read_labeled(model, data, self.named, self._left_out(), target)
        truth = known_labels(column, model.target, name)
        known = truth >= 0
        shares = model.probabilities(batch, self._threads)[known]
        return evaluate_predictions(model, truth[known], shares, self.positive, self._threads)

    def predict_proba(self, data: Any) -> Any:
        """Return the probability of each class, in the order of ``model.classes``.

        Parameters
        ----------
        data : path, frame, array-like of shape (n_rows, n_columns), or lazy frame
            Table with the columns that the model uses, in any order; other columns, such as the
            target, are ignored. An array must have all columns of the training data. A lazy frame
            is a DuckDB relation, a Polars LazyFrame or a Spark DataFrame.

        Returns
        -------
        ndarray of shape (n_rows, n_classes), or lazy frame
            A lazy frame has the columns of `data`, then the probability of each class. No row is
            read before it is needed.
        """
        if is_lazy(data):
            return self._lazily(self._model(), data, has_labels=False)
        model, batch = self._rows_of(data)
        return model.probabilities(batch, self._threads)

    def predict_proba_interval(
        self, data: Any, level: float = 0.95
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """Return a credible interval for the probability of each class.

        Parameters
        ----------
        data : path, frame or array-like of shape (n_rows, n_columns)
            Table with the columns that the model uses, in any order; other columns, such as the
            target, are ignored. An array must have all columns of the training data.
        level : float, default=0.95
            Probability of the intervals, between 0 and 1.

        Returns
        -------
        lower, upper : two ndarrays of shape (n_rows, n_classes)
            The bounds, which hold what ``predict_proba`` returns.
        """
        model, batch = self._rows_of(data)
        return probability_interval(model, batch, level, self._threads)

    def explain(self, data: Any) -> Explanation:
        """Return what each column or pair adds to the score of each class, row by row.

        Parameters
        ----------
        data : path, frame or array-like of shape (n_rows, n_columns)
            Table with the columns that the model uses, in any order; other columns, such as the
            target, are ignored. An array must have all columns of the training data.

        Returns
        -------
        Explanation
            Print it, or a row of it; ``to_frame()`` has a column per variable. For two classes,
            positive numbers speak for the class of interest.
        """
        model, batch = self._rows_of(data)
        return replace(model.explanation(batch, self._threads), positive=self.positive)

    @property
    def positive(self) -> int | None:
        """Index of the class of interest, if there are two classes."""
        found = self.diagnostics.positive
        if found is not None or self.model is None:
            return found
        return find_positive(None, self.model.target)

    def deciding(self, cost: Any = None, threshold: float | None = None) -> AdditiveModel:
        """Return the model, with another decision if one is passed.

        Parameters
        ----------
        cost : dict of (true class, predicted class) to float, default=None
            What errors cost, as in ``fit``.
        threshold : float, default=None
            Predict the class of interest if its probability is at least this, as in ``fit``.

        Returns
        -------
        AdditiveModel
        """
        model = self._model()
        if cost is not None and not isinstance(cost, Mapping):
            raise not_by_error(cost)
        if not cost and threshold is None:
            return model
        decision = find_decision(cost, threshold, model.target, self.positive)
        return replace(model, decision=decision)

    def _model(self) -> AdditiveModel:
        if self.model is None:
            raise ModelError(
                "An analysis has no model: train one with modlearn.fit, or write the analysis with "
                "report()."
            )
        return self.model

    @property
    def _threads(self) -> int | None:
        return getattr(self.estimator, "n_jobs", None)

    def _left_out(self) -> set[str]:
        return {column.name for column in self.facts.left_out}

    def _lazily(self, model: AdditiveModel, frame: Any, has_labels: bool) -> Any:
        """Return a lazy frame with predictions."""
        from modlearn._jobs.predict import predict_lazily

        return predict_lazily(model, frame, self.named, self._left_out(), has_labels)

    def _rows_of(self, data: Any) -> tuple[AdditiveModel, Any]:
        """The model, and the rows of a table as it takes them."""
        from modlearn._jobs.predict import read_rows

        model = self._model()
        return model, read_rows(model, data, self.named, self._left_out())

    def summary(self) -> dict[str, Any]:
        """Return the result as a dict of JSON types, from which the report is made.

        Returns
        -------
        dict
        """
        found = self.diagnostics
        shared: dict[str, dict[str, float]] = {}
        for one in found.redundancies:
            shared.setdefault(one.column, {})[one.covered_by] = one.share
        summary = summarize(
            self.model or self,
            found.data.to_dict(),
            None if found.evaluation is None else found.evaluation.to_dict(),
            [warning.to_dict() for warning in found.warnings],
            {
                column.name: {
                    "n_missing": column.n_missing,
                    "n_distinct": column.n_distinct,
                    "n_bins": column.n_bins,
                }
                for column in found.columns
            },
            shared,
            found.positive,
        )
        return summary | {
            "id": found.id,
            "created": found.created,
            "pairs_complete": found.pairs_complete,
        }

    def report(self, path: str | PathLike[str]) -> None:
        """Write the report as one HTML page; if writing fails, an existing file is unchanged."""
        from modlearn._show.page import write_report

        write_report(self.summary(), path)

    def plot(self, kind: Any = "roc", ax: Any = None) -> Any:
        """Draw the evaluation, or what a column or a pair adds to the scores, with matplotlib.

        Parameters
        ----------
        kind : {"roc", "lift", "calibration", "confusion"}, name or pair, default="roc"
            What to draw: a picture of the evaluation, or the column or pair of this name. A column
            that is called "roc" is drawn by ``model.plot("roc")``.
        ax : matplotlib Axes, default=None
            Where to draw; None = on a new figure.

        Returns
        -------
        display
            scikit-learn's display of this kind, or ``LiftDisplay``, with ``ax_`` and ``figure_``,
            or matplotlib Axes if a column or a pair is drawn.
        """
        from modlearn._show.curves import find_term, plot_term
        from modlearn._show.displays import KINDS, plot_evaluation

        if kind not in KINDS and self.model is not None:
            term = find_term(self.model, kind)
            if term is not None:
                return plot_term(term, self.positive, ax)

        return plot_evaluation(self.summary(), kind, ax)

    def to_frame(self, backend: Any = "pandas") -> Any:
        """Return the columns and pairs, the most informative first, as a data frame.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, default="pandas"
            Which kind of data frame.

        Returns
        -------
        data frame
        """
        from modlearn._show.frames import frame_of_parts

        weights = {} if self.model is None else self.model.weights
        return frame_of_parts([*self.partitions.values(), *self.grids.values()], weights, backend)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model with its evaluation to a JSON file, which ``modlearn.load`` reads.

        Parameters
        ----------
        path : path
            The file to write, such as ``"wine.modlearn.json"``. If writing fails, an existing file
            is left unchanged.

        Returns
        -------
        None
        """
        complete = self.diagnostics.pairs_complete
        file = ModelFile.of(
            self.estimator, self._model(), self._has_text_names, complete, self.diagnostics
        )
        file.write(path)

    def __repr__(self) -> str:
        what = "no model" if self.model is None else type(self.estimator).__name__
        evaluated = "" if self.evaluation is None else f", {self.evaluation!r}"
        return (
            f"<FitResult of {self.facts.target!r}: {what}, {self.facts.n_rows:,} rows, "
            f"{self.facts.n_columns:,} columns{evaluated}>"
        )

    def __str__(self) -> str:
        return result_as_text(self.summary())

    def _repr_html_(self) -> str:
        from modlearn._show.compact import compact_html

        return compact_html(self.summary())


def _without_evaluation(partitions: dict[Any, Partition], complete: bool) -> Diagnostics:
    """Return what partitions hold about their training data; there is nothing else to know."""
    first = next(iter(partitions.values()))
    n_labeled, n_unlabeled = int(first.counts.sum()), int(first.unlabeled_counts.sum())
    facts = TableFacts(
        source=None,
        target="target",
        n_rows=n_labeled + n_unlabeled,
        n_labeled=n_labeled,
        n_unlabeled=n_unlabeled,
        n_columns=len(partitions),
        left_out=(),
        notes=(Note("model_alone"),),
    )
    return Diagnostics(
        created=now(),
        data=facts,
        positive=None,
        evaluation=None,
        pairs_complete=complete,
        warnings=(),
    )


def load(path: str | PathLike[str]) -> FitResult | SavedEstimator:
    """Read what was saved: a result with its evaluation, or an estimator.

    Parameters
    ----------
    path : path
        A file that the ``save`` of a result or of an estimator wrote, or ``modlearn fit``.

    Returns
    -------
    FitResult or fitted estimator
        What was saved: a ``FitResult`` if it came from ``modlearn.fit`` or the command line, and
        otherwise the estimator. It predicts or transforms the same to the last bit.

    Examples
    --------
    >>> import modlearn, os, tempfile
    >>> from sklearn.datasets import load_iris
    >>> iris = load_iris(as_frame=True).frame
    >>> path = os.path.join(tempfile.mkdtemp(), "iris.modlearn.json")
    >>> modlearn.fit(iris, "target").save(path)
    >>> result = modlearn.load(path)
    >>> result.evaluation
    <Evaluation by cross-validation, 150 test rows: accuracy 0.940 ± 0.058>
    >>> result.predict(iris)[:5]
    array([0, 0, 0, 0, 0])
    """
    estimator, found = read_model_file(Path(path))
    if found is None:
        return estimator
    return replace(FitResult.of(estimator), diagnostics=found)


def load_model(path: str) -> FitResult:
    """Read the model in a file, whether it was saved as a classifier or with its evaluation."""
    result = FitResult.of(load(path))
    if result.model is None:
        raise ModelError(
            f"The file {path!r} holds a transformer, which does not predict: pass a file that "
            "modlearn fit wrote, or that save() of a classifier wrote."
        )
    return result

"""The result of a job."""

from __future__ import annotations

from dataclasses import dataclass
from os import PathLike
from typing import Any

from modlearn._estimators.classifier import PartitionClassifier
from modlearn._model.evaluation import DataWarning, Diagnostics, Evaluation, Note, TableFacts
from modlearn._model.grid import Grid
from modlearn._model.partitions import Partition
from modlearn._show.result import result_as_text
from modlearn.errors import ModelError

__all__ = ["Analysis", "FitResult", "summary_of"]


def summary_of(fitted: Any, diagnostics: Diagnostics | None) -> dict[str, Any]:
    """Return the summary of a classifier or an analysis, with diagnostics if there are any."""
    from modlearn._show.summary import summarize

    if diagnostics is None:
        return summarize(fitted, _facts_of_model(fitted).to_dict())
    shared: dict[str, dict[str, float]] = {}
    for found in diagnostics.redundancies:
        shared.setdefault(found.column, {})[found.covered_by] = found.share
    summary = summarize(
        fitted,
        diagnostics.data.to_dict(),
        None if diagnostics.evaluation is None else diagnostics.evaluation.to_dict(),
        [warning.to_dict() for warning in diagnostics.warnings],
        {
            column.name: {"n_missing": column.n_missing, "n_distinct": column.n_distinct}
            for column in diagnostics.columns
        },
        shared,
        diagnostics.positive,
    )
    return summary | {
        "id": diagnostics.id,
        "created": diagnostics.created,
        "pairs_complete": diagnostics.pairs_complete,
    }


def _facts_of_model(fitted: Any) -> TableFacts:
    """Return the facts that a model holds about its training data."""
    partitions = list(fitted.partitions_.values())
    n_labeled = int(partitions[0].counts.sum())
    n_unlabeled = int(partitions[0].unlabeled_counts.sum())
    return TableFacts(
        source=None,
        target="target",
        n_rows=n_labeled + n_unlabeled,
        n_labeled=n_labeled,
        n_unlabeled=n_unlabeled,
        n_columns=len(partitions),
        left_out=(),
        notes=(Note("model_alone"),),
    )


@dataclass(frozen=True, eq=False)
class Analysis:
    """Return the summary of partitions and grids, without a classifier."""

    partitions_: dict[Any, Partition]
    grids_: dict[Any, Grid]


@dataclass(frozen=True, eq=False, repr=False)
class FitResult:
    """A model with its evaluation and the facts about its table; print it.

    Parameters
    ----------
    model : SelectiveNaiveBayesClassifier or None
        The fitted classifier; None for ``analyze``.
    partitions : dict of name to Intervals or Groups
        The partition of every column.
    grids : dict of (name, name) to Grid
        The grid of every pair that was searched.
    diagnostics : Diagnostics
        Facts about the table, evaluation and warnings.

    See Also
    --------
    fit : Learn a model and evaluate it.
    analyze : Find the informative columns without a model.

    Examples
    --------
    >>> import modlearn
    >>> from sklearn.datasets import load_iris
    >>> result = modlearn.fit(load_iris(as_frame=True).frame, "target")
    >>> result.to_frame().head(2)
                    term    weight     level  parts
    0   petal width (cm)  0.663168  0.685466      3
    1  petal length (cm)  0.611510  0.672894      3
    """

    model: PartitionClassifier | None
    partitions: dict[Any, Partition]
    grids: dict[Any, Grid]
    diagnostics: Diagnostics

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

    def summary(self) -> dict[str, Any]:
        """Return the result as a dict of JSON types, from which the report is made."""
        fitted = self.model or Analysis(self.partitions, self.grids)
        return summary_of(fitted, self.diagnostics)

    def report(self, path: str | PathLike[str]) -> None:
        """Write the report as one HTML page; if writing fails, an existing file is unchanged."""
        from modlearn._show.page import write_report

        write_report(self.summary(), path)

    def plot(self, kind: str = "roc", ax: Any = None) -> Any:
        """Draw the evaluation with matplotlib.

        Parameters
        ----------
        kind : {"roc", "lift", "calibration", "confusion"}, default="roc"
            What to draw.
        ax : matplotlib Axes, default=None
            Where to draw; None = on a new figure.

        Returns
        -------
        display
            scikit-learn's display of this kind, or ``LiftDisplay``, with ``ax_`` and ``figure_``.
        """
        from modlearn._show.displays import plot_evaluation

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

        weights = {} if self.model is None else self.model.weights_
        return frame_of_parts([*self.partitions.values(), *self.grids.values()], weights, backend)

    def save(self, path: str | PathLike[str]) -> None:
        """Write the model with its evaluation; ``modlearn.load`` reads the model."""
        if self.model is None:
            raise ModelError(
                "An analysis has no model to save: train one with modlearn.fit, or write the "
                "analysis with report()."
            )
        self.model.save(path)

    def __repr__(self) -> str:
        what = "no model" if self.model is None else type(self.model).__name__
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

"""Predict the unlabeled rows of a table from the model and from their neighbors."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from modlearn._evaluate.evaluation import cross_validation
from modlearn._evaluate.measures import SMALLEST
from modlearn._fit.model import Recipe, fit_model, only_tested
from modlearn._jobs.prepare import PreparedData
from modlearn._model.additive import AdditiveModel
from modlearn._model.evaluation import Note, Numbers
from modlearn._neighbors.distributions import spread_labels
from modlearn._neighbors.graph import Graph, SearchedNeighbors
from modlearn._neighbors.labels import KnownLabels
from modlearn._neighbors.model import PropagationSettings
from modlearn._parallel import Progress, n_threads_of, no_progress
from modlearn._statistics.rows import Fold, Rows, Split
from modlearn._tables.memory.rows import MemoryRows
from modlearn.criteria import blended, neighbor_shares
from modlearn.schema import class_names, free_names

__all__ = ["LabelTests", "UnlabeledRows", "label_tests", "predict_unlabeled"]

MOST_ROWS = 50_000
"""In larger tables, the search for neighbors would take longer than the rest of the job."""

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class UnlabeledRows:
    """Predictions for the unlabeled rows of a table most of whose rows are unlabeled.

    A row is predicted by the model alone, or by the geometric mean of the model's probabilities and
    the shares of the classes among its nearest rows, to which the labels spread: by whichever had
    the lower log-loss on labels that were held out in turn.

    Parameters
    ----------
    rows : ndarray of shape (n,)
        Positions of the unlabeled rows in the table, from 0.
    classes : ndarray of shape (J,)
        The classes.
    probabilities : ndarray of shape (n, J)
        Probability of each class.
    labels : ndarray of shape (n,)
        The predicted classes: the most probable ones, or those of least expected cost.
    chosen : {"model", "blend"}
        Whether the model alone predicts, or the geometric mean.
    log_loss : dict of {"model", "blend"} to float
        Mean log-loss of both on the labels held out.
    n_tested : int
        Number of labels held out.
    target : str
        Name of the target.

    See Also
    --------
    fit : Learn a model and evaluate it.
    LabelDistributionPropagation : Predict unlabeled rows from their neighbors alone.

    Examples
    --------
    >>> import modlearn
    >>> from sklearn.datasets import load_wine
    >>> wine = load_wine(as_frame=True).frame
    >>> wine["target"] = wine["target"].map("grower {}".format).where(wine.index % 5 == 0)
    >>> found = modlearn.fit(wine, "target").unlabeled
    >>> found
    <UnlabeledRows: 142 rows by blend, log-loss of 36 labels: model 0.143, blend 0.120>
    >>> found.labels[:3]
    array(['grower 0', 'grower 0', 'grower 0'], dtype=object)
    """

    rows: NDArray[np.intp]
    classes: NDArray[Any]
    probabilities: Array
    labels: NDArray[Any]
    chosen: str
    log_loss: dict[str, float]
    n_tested: int
    target: str

    def to_frame(self, backend: Any = "pandas") -> Any:
        """Return a line per unlabeled row as a data frame.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, default="pandas"
            Which kind of data frame.

        Returns
        -------
        data frame
            Position in the table, predicted class, and probability of each class.
        """
        from modlearn._show.frames import frame_of_columns

        titles = [
            "row",
            f"predicted {self.target}",
            *(f"P({c})" for c in class_names(self.classes)),
        ]
        columns = [self.rows, self.labels, *np.ascontiguousarray(self.probabilities.T)]
        return frame_of_columns(dict(zip(free_names(titles, []), columns, strict=True)), backend)

    @property
    def note(self) -> Note:
        """What a report says about the choice."""
        without, with_neighbors = (round(self.log_loss[one], 4) for one in ("model", "blend"))
        numbers: Numbers = {"tests": self.n_tested, "without": without, "with": with_neighbors}
        return Note(f"unlabeled_by_{self.chosen}", numbers)

    def __repr__(self) -> str:
        losses = ", ".join(f"{name} {loss:.3f}" for name, loss in self.log_loss.items())
        return (
            f"<UnlabeledRows: {len(self.rows):,} rows by {self.chosen}, log-loss of "
            f"{self.n_tested:,} labels: {losses}>"
        )


@dataclass(frozen=True)
class _Neighbors:
    """The graph of neighbors of all rows, and their classes."""

    graph: Graph
    labels: NDArray[np.int32]  # class of every row, shape (n,); the number of classes = unlabeled
    n_classes: int
    settings: PropagationSettings

    @classmethod
    def of(cls, prepared: PreparedData, n_threads: int, progress: Progress) -> _Neighbors:
        """Search the neighbors of every row, labeled or not."""
        table, target = prepared.in_memory()
        how = PropagationSettings(n_threads=n_threads)
        found = SearchedNeighbors(
            table, how.representation, how.engine, how.n_neighbors, n_threads
        ).of_rows(partial(progress, "neighbors"))
        return cls(found.graph(), target.codes, target.n_classes, how)

    def shares(self, labeled: NDArray[np.intp], asked: NDArray[np.intp]) -> Array:
        """Return class shares of the rows that are asked for, from the labels of some rows."""
        codes = np.full(len(self.labels), -1)
        codes[labeled] = self.labels[labeled]
        labels = KnownLabels.of_codes(np.arange(self.n_classes), codes)
        prior, how = labels.prior(None), self.settings
        known = spread_labels(
            self.graph, labels.distributions, None, how.sweeps, how.n_threads, no_progress
        )[0].known
        return neighbor_shares(known[asked], prior, how.n_neighbors)


@dataclass(frozen=True)
class LabelTests:
    """Labels that are held out in turn, to choose how unlabeled rows are predicted."""

    split: Split
    folds: tuple[Fold, ...]

    def models(self, recipe: Recipe) -> Iterator[AdditiveModel]:
        """Train the model of each fold, when it is asked for."""
        return (fit_model(fold.train, only_tested(recipe)).model for fold in self.folds)


def label_tests(prepared: PreparedData, seed: int) -> LabelTests | None:
    """Hold out labels in turn; None if none can be, or if rows are not in memory or too many."""
    rows, plan = prepared.rows, cross_validation(prepared.rows.target, seed)
    if plan is None or not isinstance(rows, MemoryRows) or rows.n_rows > MOST_ROWS:
        return None
    split = replace(plan.split, group=prepared.group)
    folds = rows.divide(split).folds
    return LabelTests(split, folds) if folds else None


def predict_unlabeled(
    prepared: PreparedData,
    folds: Sequence[Fold],
    models: Iterable[AdditiveModel],
    model: AdditiveModel,
    n_jobs: int | None,
    progress: Progress,
) -> UnlabeledRows:
    """Predict the unlabeled rows with or without neighbors, whichever predicts labels better.

    The labels are those of the folds, which the models of the folds predict.
    """
    rows = prepared.rows
    neighbors = _Neighbors.of(prepared, n_threads_of(n_jobs), progress)
    losses: list[Array] = []
    for k, (fold, of_fold) in enumerate(zip(folds, models, strict=True)):
        truth, alone, position = _predicted(of_fold, fold.test, n_jobs)
        blend = blended(alone, neighbors.shares(_labeled(fold.train), position))
        own = [chances[np.arange(len(truth)), truth] for chances in (alone, blend)]
        losses.append(-np.log(np.maximum(own, SMALLEST)))
        progress("unlabeled rows", k + 1, len(folds))
    both = np.concatenate(losses, axis=1)
    mean = dict(zip(("model", "blend"), both.mean(axis=1).tolist(), strict=True))
    chosen = "blend" if mean["blend"] < mean["model"] else "model"
    truth, found, position = _predicted(model, rows, n_jobs)
    unlabeled = truth == len(model.classes)
    found, position = found[unlabeled], position[unlabeled]
    if chosen == "blend":
        found = blended(found, neighbors.shares(_labeled(rows), position))
    decision = model.decision
    labels = found.argmax(axis=1) if decision is None else decision.labels(found)
    return UnlabeledRows(
        rows=position,
        classes=model.classes,
        probabilities=found,
        labels=model.classes[labels],
        chosen=chosen,
        log_loss=mean,
        n_tested=both.shape[1],
        target=prepared.facts.target,
    )


def _predicted(
    model: AdditiveModel, rows: Rows, n_jobs: int | None
) -> tuple[NDArray[np.int32], Array, NDArray[np.intp]]:
    """Return class, probabilities and position in the table of every row."""
    batches = list(rows.batches())
    chances = np.concatenate([model.probabilities(batch, n_jobs) for batch in batches])
    return (
        np.concatenate([batch.labels for batch in batches]),
        np.clip(chances, 0.0, 1.0),
        np.concatenate([batch.row_numbers for batch in batches]),
    )


def _labeled(rows: Rows) -> NDArray[np.intp]:
    """Return the positions of the labeled rows in the table."""
    n_classes = len(rows.target.classes)
    found = [batch.row_numbers[batch.labels < n_classes] for batch in rows.batches()]
    return np.concatenate(found)

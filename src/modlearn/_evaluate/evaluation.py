"""How good a classifier is on rows that it has not learned from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from modlearn._estimators.classifier import PartitionClassifier
from modlearn._evaluate.examples import explain_rows, telling_rows
from modlearn._evaluate.measures import (
    Predicted,
    calibration,
    confusion,
    curves,
    measures,
    standard_errors,
)
from modlearn._evaluate.splits import Split
from modlearn._fit.models import best_single_term
from modlearn._model.evaluation import (
    MEASURES,
    Evaluation,
    ExplainedRow,
    MajorityClass,
    Measure,
    SingleVariable,
)
from modlearn._parallel import Progress
from modlearn._tables.memory.batch import TableBatch
from modlearn._tables.memory.view import TableView
from modlearn._tables.target import Target
from modlearn.schema import class_names

__all__ = ["Learning", "evaluate_on", "evaluate_split"]

STEPS = 1000
"""Into which a fold is divided for the progress of all."""


@dataclass(frozen=True)
class Learning:
    """What is learned, and how it is judged.

    Parameters
    ----------
    classifier : PartitionClassifier
        Fitted on all rows.
    pattern : PartitionClassifier
        Not fitted; what folds learn with.
    table : TableView
        The columns.
    target : Target
        The classes.
    positive : int or None
        The positive class, if there are two.
    seed : int
        Of the standard errors.
    progress : callable
        Told of the folds.
    """

    classifier: PartitionClassifier
    pattern: PartitionClassifier
    table: TableView
    target: Target
    positive: int | None
    seed: int
    progress: Progress


@dataclass(frozen=True)
class _Tested:
    """Test rows, what was predicted, by which classifier, and whether its best column is right."""

    classifier: PartitionClassifier
    table: TableView
    rows: NDArray[np.intp]
    predicted: Predicted
    hits_of_best: NDArray[np.bool_]


def evaluate_split(learning: Learning, split: Split) -> Evaluation:
    """Learn everything anew from the rows of each part, cuts and pairs too, and test the others."""
    tested = []
    for k, (train, test) in enumerate(split.parts):
        classifier = _learn(learning, train, _fold_progress(learning, k, len(split.parts)))
        rows = learning.table.at_rows(test)
        tested.append(_test(learning, classifier, rows, test, learning.target.codes[test]))
        learning.progress(*_stage(k, len(split.parts), STEPS))
    is_labeled = learning.target.is_labeled
    n_labeled = [int(is_labeled[train].sum()) for train, _ in split.parts]
    return _summed_up(learning, tested, split.how, round(float(np.mean(n_labeled))))


def evaluate_on(
    learning: Learning, table: TableView, truth: NDArray[np.int32], rows: NDArray[np.intp]
) -> Evaluation:
    """Test the classifier on rows of another table; `rows` are their numbers in it."""
    learning.progress("evaluating 1/1", 0, STEPS)
    tested = _test(learning, learning.classifier, table, rows, truth)
    n_train = int(learning.target.is_labeled.sum())
    learning.progress("evaluating 1/1", STEPS, STEPS)
    return _summed_up(learning, [tested], "test file", n_train)


def _stage(k: int, n_folds: int, done: int) -> tuple[str, int, int]:
    return f"evaluating {k + 1}/{n_folds}", k * STEPS + done, n_folds * STEPS


def _fold_progress(learning: Learning, k: int, n_folds: int) -> Progress:
    """Turn what is told of the longest stage of a fold into a part of all folds."""
    learning.progress(*_stage(k, n_folds, 0))
    longest = "columns" if getattr(learning.pattern, "pairs", False) is False else "pairs"

    def tell(stage: str, done: int, total: int) -> None:
        if stage == longest and total:
            learning.progress(*_stage(k, n_folds, (STEPS - 1) * done // total))

    return tell


def _learn(learning: Learning, rows: NDArray[np.intp], progress: Progress) -> PartitionClassifier:
    classifier: PartitionClassifier = clone(learning.pattern)
    classifier._progress = progress
    classifier._keeps_interrupted = False
    target = Target(learning.target.classes, learning.target.codes[rows])
    return classifier._fit_table(learning.table.at_rows(rows), target)


def _test(
    learning: Learning,
    classifier: PartitionClassifier,
    table: TableView,
    rows: NDArray[np.intp],
    truth: NDArray[np.int32],
) -> _Tested:
    """Predict rows of a table, whose numbers and classes are given."""
    batch = TableBatch(table, classifier.model_.schema.names)
    probabilities = classifier.model_.probabilities(batch, classifier.n_jobs)
    predicted = Predicted(truth, np.clip(probabilities, 0.0, 1.0), learning.positive)
    labels = best_single_term(classifier.model_).scores(batch).argmax(axis=1)
    return _Tested(classifier, table, rows, predicted, labels == truth)


def _summed_up(learning: Learning, tested: Sequence[_Tested], how: str, n_train: int) -> Evaluation:
    """Measures of the folds, and pictures of all their rows together."""
    n_jobs = learning.classifier.n_jobs
    every = Predicted(
        np.concatenate([fold.predicted.truth for fold in tested]),
        np.concatenate([fold.predicted.probabilities for fold in tested]),
        learning.positive,
    )
    return Evaluation(
        how=how,
        n_folds=len(tested) if how == "cross-validation" else None,
        n_train=n_train,
        n_test=len(every.truth),
        measures=_measures(learning, tested),
        majority=_majority(learning, every),
        best_variable=_best_variable(learning, tested),
        confusion=confusion(every),
        curves=curves(every, n_jobs),
        calibration=calibration(every),
        examples=_examples(tested, every),
    )


def _measures(learning: Learning, tested: Sequence[_Tested]) -> dict[str, Measure]:
    """Mean and spread over the folds; of one part, its standard error."""
    n_jobs = learning.classifier.n_jobs
    folds = [measures(fold.predicted, n_jobs) for fold in tested]
    if len(folds) == 1:
        errors = standard_errors(tested[0].predicted, learning.seed)
        return {name: Measure(value, errors[name], (value,)) for name, value in folds[0].items()}
    return {name: _over_folds([fold[name] for fold in folds]) for name in MEASURES}


def _over_folds(values: list[float | None]) -> Measure:
    """Mean and standard deviation of the folds where the measure is defined."""
    known = [value for value in values if value is not None]
    mean = float(np.mean(known)) if known else None
    spread = float(np.std(known, ddof=1)) if len(known) > 1 else None
    return Measure(mean, spread, tuple(values))


def _majority(learning: Learning, every: Predicted) -> MajorityClass:
    """The class most frequent where the model learns, and its share of the test rows."""
    classifier = learning.classifier
    majority = int(np.argmax(classifier.class_prior_))
    name = class_names(classifier.classes_)[majority]
    return MajorityClass(name, float(np.mean(every.truth == majority)))


def _best_variable(learning: Learning, tested: Sequence[_Tested]) -> SingleVariable | None:
    """The best column of all rows, and how accurate the best one of each fold is."""
    best = best_single_term(learning.classifier.model_).used_terms
    if not best:
        return None
    accuracies = [float(fold.hits_of_best.mean()) for fold in tested]
    return SingleVariable(str(best[0].name), float(np.mean(accuracies)))


def _examples(tested: Sequence[_Tested], every: Predicted) -> tuple[ExplainedRow, ...]:
    """Some rows of all folds, each explained by the classifier that has not learned from it."""
    fold = np.repeat(np.arange(len(tested)), [len(part.rows) for part in tested])
    first = np.searchsorted(fold, np.arange(len(tested)))
    rows = np.concatenate([part.rows for part in tested])
    explained: dict[int, ExplainedRow] = {}
    chosen = telling_rows(every, rows)
    for k in np.unique(fold[chosen]).tolist():
        places = chosen[fold[chosen] == k]
        part, within = tested[k], places - first[k]
        found = explain_rows(
            part.classifier,
            part.table.at_rows(within),
            part.predicted.at(within),
            part.rows[within],
        )
        explained |= dict(zip(places.tolist(), found, strict=True))
    return tuple(explained[place] for place in chosen.tolist())

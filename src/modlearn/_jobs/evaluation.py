"""The evaluation of a job: folds, a held-out part, or a second table and how it differs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from modlearn._estimators.classifier import PairClassifier
from modlearn._evaluate.data_warnings import few_of_a_kind
from modlearn._evaluate.drift import drift_of_classes, drifts
from modlearn._evaluate.evaluation import Learning, evaluate_on, evaluate_split
from modlearn._evaluate.splits import held_out_part, sensible_split
from modlearn._jobs.data import open_data
from modlearn._jobs.labels import labels_by_name
from modlearn._jobs.options import nearest
from modlearn._jobs.preparing import PreparedData
from modlearn._jobs.types import types_of_fit
from modlearn._model.evaluation import DataWarning, Evaluation, Note, Numbers
from modlearn._parallel import Progress
from modlearn._tables.memory.column import CategoricalColumn
from modlearn._tables.memory.view import TableView, view
from modlearn.errors import ColumnError, TargetError

__all__ = ["EvaluationOutcome", "judge"]


@dataclass(frozen=True)
class EvaluationOutcome:
    """An evaluation, what is unusual about it, and what to be careful about."""

    evaluation: Evaluation | None
    notes: tuple[Note, ...]
    data_warnings: tuple[DataWarning, ...]


def judge(
    model: PairClassifier,
    prepared: PreparedData,
    positive: int | None,
    test: Any,
    seed: int,
    progress: Progress,
) -> EvaluationOutcome:
    """Evaluate by a share of the rows, by another table, or as is sensible."""
    learning = Learning(
        classifier=model,
        pattern=_pattern(model),
        table=prepared.chosen.table,
        target=prepared.target,
        positive=positive,
        seed=seed,
        progress=progress,
    )
    if test is not None and not isinstance(test, float):
        return _by_table(learning, prepared, test)
    if test is None:
        timed = isinstance(model.pairs, float)
        split = sensible_split(learning.target, len(learning.table.names), seed, timed)
    else:
        split = held_out_part(learning.target, test, seed)
    if split is None:
        return EvaluationOutcome(None, (Note("not_evaluated"),), ())
    return EvaluationOutcome(evaluate_split(learning, split), split.notes, ())


def _pattern(model: PairClassifier) -> PairClassifier:
    """What folds learn with: as many pairs as the model found in the time it had."""
    pattern: PairClassifier = clone(model)
    if isinstance(model.pairs, float):
        pattern.set_params(pairs=len(model.grids_) or False)
    return pattern


def _by_table(learning: Learning, prepared: PreparedData, data: Any) -> EvaluationOutcome:
    """Test on the labeled rows of another table."""
    table, column = _read_test(prepared, data, types_of_fit(learning.classifier))
    labels = labels_by_name(column, learning.target.classes)
    rows = np.flatnonzero(labels >= 0)
    if not len(rows):
        raise TargetError(
            f"The test table has no row whose {prepared.facts.target!r} is a class of the training "
            "rows: give one with labels."
        )
    evaluation = evaluate_on(learning, table.at_rows(rows), labels[rows], rows)
    drifted = drifts(learning.table, table, learning.seed, learning.classifier.n_jobs)
    classes = drift_of_classes(learning.target, labels[rows], prepared.facts.target)
    found = [*_new_classes(column, labels), *classes, *few_of_a_kind(drifted)]
    return EvaluationOutcome(evaluation, _untested(labels), tuple(found))


def _read_test(
    prepared: PreparedData, data: Any, types: Mapping[str, str]
) -> tuple[TableView, CategoricalColumn]:
    """The columns that the model needs, each of the type it had in fit, and the labels."""
    opened = open_data(data)
    with opened.closing:
        place = {str(name): i for i, name in enumerate(opened.names)}
        needed = [*map(str, prepared.chosen.table.names), prepared.facts.target]
        for name in needed:
            if name not in place:
                raise ColumnError(
                    f"The test table has no column {name!r}, which the training table has"
                    f"{nearest(name, list(place))}"
                )
        table = opened.read([place[name] for name in needed], types)
        labels = table.categorical(len(needed) - 1)
        kinds = prepared.chosen.table.kinds()
        return view(table, range(len(kinds)), kinds), labels


def _new_classes(column: CategoricalColumn, labels: NDArray[np.int32]) -> list[DataWarning]:
    """Test rows whose class the training data does not have."""
    new = labels == -2
    if not new.any():
        return []
    example = str(column.categories[column.codes[new][0]])
    numbers: Numbers = {"rows": int(new.sum()), "class": example}
    return [DataWarning("new_class", (str(column.name),), numbers)]


def _untested(labels: NDArray[np.int32]) -> tuple[Note, ...]:
    n_rows = int((labels == -1).sum())
    return (Note("test_unlabeled", {"rows": n_rows}),) * bool(n_rows)

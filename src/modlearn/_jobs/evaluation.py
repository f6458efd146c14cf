"""The evaluation of a job: folds, a held-out part, or a second table and how it differs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from modlearn._evaluate.data_warnings import few_of_a_kind
from modlearn._evaluate.drift import class_drift, column_drift
from modlearn._evaluate.evaluation import Evaluator
from modlearn._evaluate.splits import TestPlan, held_out_part, sensible_plan
from modlearn._jobs.options import NEW_CLASS, classes_by_name, nearest
from modlearn._jobs.prepare import PreparedData, open_data
from modlearn._model.evaluation import DataWarning, Evaluation, Note, Numbers
from modlearn._statistics.rows import Fold, Rows
from modlearn._tables.memory.column import CategoricalColumn
from modlearn._tables.memory.rows import MemoryRows
from modlearn._tables.memory.table import Table
from modlearn._tables.memory.target import Target
from modlearn.errors import ColumnError, TargetError

__all__ = ["EvaluationOutcome", "PlannedEvaluation", "plan_evaluation"]


@dataclass(frozen=True)
class EvaluationOutcome:
    """An evaluation, what is unusual about it, and what to be careful about."""

    evaluation: Evaluation | None
    notes: tuple[Note, ...] = ()
    warnings: tuple[DataWarning, ...] = ()


@dataclass(frozen=True)
class PlannedEvaluation:
    """How a model will be evaluated, decided before it is learned: counts then serve the folds too.

    Parameters
    ----------
    rows : Rows
        The rows that the model learns from.
    plan : TestPlan or None
        How rows are tested; None = no row can be, or there is a test table.
    folds : tuple of Fold
        The folds of the plan.
    test_table : path, frame or None
        A table to test on.
    """

    rows: Rows
    plan: TestPlan | None
    folds: tuple[Fold, ...] = ()
    test_table: Any = None

    def evaluate(self, evaluator: Evaluator, prepared: PreparedData) -> EvaluationOutcome:
        """Evaluate a model that was learned from all rows."""
        if self.test_table is not None:
            return _on_table(evaluator, prepared, self.test_table)
        if self.plan is None:
            return EvaluationOutcome(None, (Note("not_evaluated"),))
        return EvaluationOutcome(evaluator.on_folds(self.folds, self.plan.how), self.plan.notes)


def plan_evaluation(rows: Rows, test: Any, seed: int, timed: bool) -> PlannedEvaluation:
    """Plan to test a share of the rows (a float), another table, or what is sensible (None)."""
    if test is not None and not isinstance(test, float):
        return PlannedEvaluation(rows, None, test_table=test)
    if test is None:
        plan = sensible_plan(rows, seed, timed)
    else:
        plan = held_out_part(rows.target, test, seed)
    if plan is None:
        return PlannedEvaluation(rows, None)
    division = rows.divide(plan.split)
    return PlannedEvaluation(division.whole, plan, division.folds)


def _on_table(evaluator: Evaluator, prepared: PreparedData, data: Any) -> EvaluationOutcome:
    """Test on the labeled rows of another table."""
    train = prepared.rows
    table, column = _read_test(prepared, data, evaluator)
    labels = classes_by_name(column, train.target.classes)
    if not (labels >= 0).any():
        raise TargetError(
            f"The test table has no row whose {prepared.facts.target!r} is a class of the training "
            "data: pass one with labels."
        )
    codes = np.where(labels < 0, len(train.target.classes), labels).astype(np.int32)
    test = MemoryRows.of(
        table, train.schema, Target(train.target.classes, codes), train.target.name
    )
    labeled = test.sample(test.n_rows, evaluator.seed, labeled=True)
    evaluation = evaluator.on_table(labeled)
    drifted = column_drift(train, test, evaluator.seed, evaluator.recipe.n_jobs)
    warnings = [
        *_new_classes(column, labels),
        *class_drift(train.target, labeled.target),
        *few_of_a_kind(drifted),
    ]
    return EvaluationOutcome(evaluation, _unlabeled(labels), tuple(warnings))


def _read_test(
    prepared: PreparedData, data: Any, evaluator: Evaluator
) -> tuple[Table, CategoricalColumn]:
    """The columns that the model needs, of the kinds they had in training, and the labels."""
    names = prepared.rows.schema.names
    kinds = {str(column.name): column.kind for column in evaluator.model.schema.columns}
    opened = open_data(data)
    with opened.closing:
        index = {str(name): i for i, name in enumerate(opened.names)}
        needed = [*map(str, names), prepared.facts.target]
        for name in needed:
            if name not in index:
                raise ColumnError(
                    f"The test table has no column {name!r}, which the training table has"
                    f"{nearest(name, list(index))}"
                )
        read = opened.read([index[name] for name in needed], kinds)
        labels = read.categorical(len(needed) - 1)
        table = Table(list(names), read.n_rows, read.sources[: len(names)])
        return table.kept(), labels


def _new_classes(column: CategoricalColumn, labels: NDArray[np.int32]) -> list[DataWarning]:
    """Test rows whose class the training data does not have."""
    new = labels == NEW_CLASS
    if not new.any():
        return []
    example = str(column.categories[column.codes[new][0]])
    numbers: Numbers = {"rows": int(new.sum()), "class": example}
    return [DataWarning("new_class", (str(column.name),), numbers)]


def _unlabeled(labels: NDArray[np.int32]) -> tuple[Note, ...]:
    n_rows = int((labels == -1).sum())
    return (Note("test_unlabeled", {"rows": n_rows}),) * bool(n_rows)

"""Test rows that the user names: another table, parts of the table, or its last rows."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from modlearn._evaluate.data_warnings import few_of_a_kind
from modlearn._evaluate.drift import class_drift, column_drift
from modlearn._evaluate.evaluation import Evaluator
from modlearn._jobs.engines import OpenEngine
from modlearn._jobs.options import NEW_CLASS, known_labels, nearest
from modlearn._jobs.prepare import (
    OpenTable,
    PreparedData,
    columns_in_training,
    dates_of,
    open_data,
)
from modlearn._jobs.source import Room
from modlearn._model.additive import AdditiveModel
from modlearn._model.evaluation import DataWarning, Evaluation, Note, Numbers
from modlearn._statistics.rows import Rows
from modlearn._tables.memory.folds import group_of_rows
from modlearn._tables.memory.rows import MemoryRows
from modlearn._tables.memory.table import CategoricalColumn, Table
from modlearn._tables.memory.target import Target
from modlearn.errors import ColumnError, OptionError, spelled
from modlearn.schema import listed

__all__ = ["EvaluationOutcome", "TestTable", "given_parts", "on_table", "only_date", "read_test"]


@dataclass(frozen=True)
class EvaluationOutcome:
    """An evaluation, with notes on how it was done, warnings about the test data, and models."""

    evaluation: Evaluation | None
    notes: tuple[Note, ...] = ()
    warnings: tuple[DataWarning, ...] = ()
    models: tuple[AdditiveModel, ...] = ()  # those of the folds


@dataclass(frozen=True)
class TestTable:
    """Another table, read as the rows that a model is trained on, or where an engine holds it."""

    rows: Rows
    column: CategoricalColumn  # labels: those of all rows, or the distinct ones
    labels: NDArray[np.int32]  # class of each; -1 = unlabeled, NEW_CLASS = unknown
    counts: NDArray[np.int64] | None = None  # number of rows of each; None = one

    def n_rows_of(self, label: int) -> int:
        """Return the number of rows with a label that is not a class."""
        some = self.labels == label
        return int(some.sum() if self.counts is None else self.counts[some].sum())


def on_table(evaluator: Evaluator, prepared: PreparedData, other: TestTable) -> EvaluationOutcome:
    """Test on the labeled rows of another table."""
    train, test = prepared.rows, other.rows
    labeled = test
    if test.counting is None:
        labeled = test.sample(test.n_rows, evaluator.seed, labeled=True)
    evaluation = evaluator.on_table(labeled)
    drifted = column_drift(train, test, evaluator.seed, evaluator.recipe.n_jobs)
    warnings = [
        *_new_classes(other),
        *class_drift(train.target, labeled.target),
        *few_of_a_kind(drifted),
    ]
    notes = [*_unlabeled(other)]
    n_labeled = int(labeled.target.counts.sum())
    if evaluation.n_test < n_labeled:
        notes.append(Note("tested_on_sample", {"rows": evaluation.n_test, "all": n_labeled}))
    return EvaluationOutcome(evaluation, tuple(notes), tuple(warnings))


def read_test(prepared: PreparedData, data: Any, room: Room) -> TestTable:
    """Read the columns that the model needs, as the kinds they had in training, and the labels."""
    train = prepared.rows
    names = list(train.schema.sources)
    like = columns_in_training(train.schema, train.target)
    opened = open_data(data, like=like, room=room)
    with opened.closing:
        index = {str(name): i for i, name in enumerate(opened.names)}
        needed = [*map(str, names), prepared.facts.target]
        for name in needed:
            if name not in index:
                raise ColumnError(
                    f"The test table has no column {name!r}, which the training table has"
                    f"{nearest(name, list(index))}"
                )
        if isinstance(opened, OpenEngine):
            named = replace(train.target, name=prepared.facts.target)
            return TestTable(*opened.test_rows(index, train.schema, named))
        assert isinstance(opened, OpenTable)
        read = opened.read([index[name] for name in needed])
    column = read.categorical(len(needed) - 1)
    labels = known_labels(column, train.target, prepared.facts.target)
    codes = np.where(labels < 0, len(train.target.classes), labels).astype(np.int32)
    table = Table(names, read.n_rows, read.sources[: len(names)])
    target = Target(train.target.classes, codes)
    rows = MemoryRows.of(table, train.schema, target, train.target.name, keeps=True)
    return TestTable(rows, column, labels)


def _new_classes(other: TestTable) -> list[DataWarning]:
    """Warn of test rows whose class does not occur in the training data."""
    new = other.labels == NEW_CLASS
    if not new.any():
        return []
    example = str(other.column.categories[other.column.codes[new][0]])
    numbers: Numbers = {"rows": other.n_rows_of(NEW_CLASS), "class": example}
    return [DataWarning("new_class", (str(other.column.name),), numbers)]


def _unlabeled(other: TestTable) -> tuple[Note, ...]:
    n_rows = other.n_rows_of(-1)
    return (Note("test_unlabeled", {"rows": n_rows}),) * bool(n_rows)


def only_date(prepared: PreparedData) -> Hashable:
    """Return the name of the only column of dates."""
    dates = dates_of(prepared.rows.schema)
    if len(dates) != 1:
        columns_of_dates = listed(dates, 5) if dates else "no column"
        raise OptionError(
            *spelled(
                lambda spell: (
                    f"{spell('test_last')} needs to know the order of the rows, and the "
                    f"dates of the table are in {columns_of_dates}: pass {spell('time')} with "
                    "the name of a column of dates or numbers."
                )
            )
        )
    return dates[0]


def given_parts(
    test: Any, prepared: PreparedData
) -> tuple[tuple[NDArray[np.intp], NDArray[np.intp]], ...]:
    """Return the training rows and the labeled test rows of a splitter, or as they are passed."""
    if prepared.rows.counting is not None:
        raise ColumnError(
            f"The rows of {prepared.facts.source!r} stay where they are and have no numbers, so "
            "test cannot be a splitter: pass a share such as test=0.3, or the column of a group "
            "or a time."
        )
    table, target = prepared.in_memory()
    pairs = test
    if hasattr(test, "split"):
        groups = None
        if prepared.group is not None:
            groups = group_of_rows(next(iter(prepared.rows.batches())), prepared.group)
        pairs = test.split(np.zeros((table.n_rows, 1)), target.codes, groups)
    parts = []
    for pair in pairs:
        if not isinstance(pair, Sequence | np.ndarray) or len(pair) != 2:
            _refuse_no_pair()
        train, rows = (_row_numbers(one, table.n_rows) for one in pair)
        if len(np.intersect1d(train, rows)):
            raise ValueError("test has rows that are both training rows and test rows.")
        parts.append((train, rows[target.is_labeled[rows]]))
    if not parts or not all(target.is_labeled[train].any() and len(rows) for train, rows in parts):
        raise ValueError("test must give labeled training rows and test rows in every split.")
    return tuple(parts)


def _refuse_no_pair() -> NoReturn:
    raise ValueError(
        "test has members that are not pairs of row numbers: pass a splitter such as KFold(5), or "
        "a list of pairs (training rows, test rows); to evaluate on another table, pass it as "
        "test_file."
    )


def _row_numbers(rows: Any, n_rows: int) -> NDArray[np.intp]:
    """Return the numbers of rows that are passed as numbers or as a mask."""
    found = np.asarray(rows)
    if found.ndim != 1:
        _refuse_no_pair()
    if found.dtype == bool and found.shape == (n_rows,):
        return np.flatnonzero(found)
    if len(found) and (found.dtype.kind not in "iu" or found.min() < 0 or found.max() >= n_rows):
        raise ValueError(
            "test has row numbers that the table does not have: pass whole numbers from 0 to "
            f"{n_rows - 1}, or a mask of {n_rows} rows."
        )
    return found.astype(np.intp)

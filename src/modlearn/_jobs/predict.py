"""Predict the rows of a table in memory, or those of a file in batches, whatever their number."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from modlearn._evaluate.evaluation import evaluate_predictions
from modlearn._export.lazy import add_predictions, columns_of
from modlearn._export.tables import TableWriter
from modlearn._jobs.options import classes_by_name, find_column, labels_as_cells, similar
from modlearn._jobs.prepare import (
    OpenTable,
    as_notes,
    columns_in_training,
    labels_of,
    open_data,
)
from modlearn._jobs.source import ColumnRequest
from modlearn._model.additive import AdditiveModel
from modlearn._model.evaluation import Evaluation, Note
from modlearn._model.partitions import Intervals
from modlearn._parallel import Progress, no_progress
from modlearn._show.reasons import Reasons
from modlearn._tables.files.relation import FileSource
from modlearn._tables.memory.rows import TableBatch
from modlearn._tables.memory.table import CategoricalColumn, Table
from modlearn.errors import ColumnError, TargetError
from modlearn.schema import TargetSpec, class_names, free_names, listed, prediction_names

__all__ = ["Predictions", "predict_file", "predict_lazily", "read_labeled", "read_rows"]

BATCH_CELLS = 16_000_000
"""Most numbers that a batch of rows may hold: cells that are read, and scores of the classes."""

MOST_KNOWN = 20_000_000
"""Most probabilities of rows with a known class that are kept to evaluate them."""

MOST_ROWS = 491_520
"""Rows of a batch: a multiple of the row groups of a Parquet file that DuckDB wrote."""


@dataclass
class Predictions:
    """A summary of what was predicted."""

    n_rows: int = 0  # number of rows predicted
    rows: dict[str, int] = field(default_factory=dict)  # number of rows predicted as each class
    columns: list[str] = field(default_factory=list)  # names of the new columns
    # What the user should know about how the table was read.
    notes: list[Note] = field(default_factory=list)
    # How good the predictions are, for rows whose class is known; None if there are none.
    evaluation: Evaluation | None = None


def read_rows(model: AdditiveModel, data: Any, named: bool, left_out: set[str]) -> TableBatch:
    """Read the columns that a model uses, by name, as the kinds they had in the training data.

    `named` = whether they had names then; `left_out` names its other columns: an array, which has
    no names, must have them too.
    """
    return _read(model, data, named, left_out, None)[0]


def read_labeled(
    model: AdditiveModel, data: Any, named: bool, left_out: set[str], target: Any
) -> tuple[TableBatch, CategoricalColumn]:
    """Read the columns that a model uses as in ``read_rows``, and the class of each row.

    `target` is a label per row, or the name of a column; None = the target of the model.
    """
    request = ColumnRequest(target)
    if request.labels is not None:
        batch, table = _read(model, data, named, left_out, None)
    else:
        own = model.target if target is None else replace(model.target, name=target)
        batch, table = _read(model, data, named, left_out, own)
    return batch, labels_of(table, request)


def _read(
    model: AdditiveModel, data: Any, named: bool, left_out: set[str], target: TargetSpec | None
) -> tuple[TableBatch, Table]:
    """Read the columns that a model uses, and the target, if there is one, after them."""
    opened = open_data(data, like=columns_in_training(model.schema, target or model.target))
    if not isinstance(opened, OpenTable):
        raise ColumnError("The table to predict must be a file or a table in memory.")
    with opened.closing:
        names = [str(name) for name in opened.names]
        if not opened.named:
            trained = {str(name) for name in model.schema.sources}
            _refuse_other_array(model, set(names), named, left_out | trained)
        used = _used_columns(model, names, opened.label)
        # By the name itself if possible: a frame may have the columns 1 and "1".
        found = [find_column(opened.names, name, "model") for name in used]
        own = [] if target is None else [_target_index(model, target, opened.names)]
        table = opened.read([*found, *own])
    columns = [*used, *table.names[len(used) :]]
    return TableBatch(table, columns, views=model.schema.views), table


def _target_index(model: AdditiveModel, target: TargetSpec, names: Sequence[Hashable]) -> int:
    """Index of the target in a table; raise if the user did not name it and it is not there."""
    if target is model.target and target.name is None:
        raise TargetError(
            "The model does not know the name of its target: pass the labels, too: "
            "evaluate(table, labels)."
        )
    if target is model.target and str(target.name) not in map(str, names):
        raise ColumnError(
            f"The table has no column {str(target.name)!r}, the target of the model: add it, or "
            "pass the labels, too: evaluate(table, labels)."
        )
    return find_column(names, target.name, "target")


def _refuse_other_array(model: AdditiveModel, names: set[str], named: bool, then: set[str]) -> None:
    """Raise if the columns of an array cannot be those of the training data, by their number."""
    if named:
        raise ColumnError(
            "The table is an array, whose columns have no names, but the model was trained on "
            f"columns with names, such as {min(then)!r}: pass a data frame."
        )
    target = {str(model.target.name)}
    if names - target != then - target:
        raise ColumnError(
            f"The array has {len(names)} columns, but the training data had {len(then)}, not "
            "counting the target: pass an array with the same columns."
        )


def predict_lazily(
    model: AdditiveModel, frame: Any, named: bool, left_out: set[str], has_labels: bool
) -> Any:
    """Return a lazy frame with new columns, named as in files; no row is read before it is needed.

    They are the label, if asked for, and the probability of each class. `named` and `left_out` are
    those of ``read_rows``.
    """
    _used_columns(model, columns_of(frame), None)

    def score(rows: Any) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        batch = read_rows(model, rows, named, left_out)
        # On one thread: Polars scores several batches at the same time.
        return model.decided(model.scores(batch, n_jobs=1))

    return add_predictions(model, frame, score, has_labels)


def predict_file(
    model: AdditiveModel,
    source: FileSource,
    out: str,
    *,
    n_jobs: int | None = None,
    keep: Sequence[str] | None = None,
    n_reasons: int = 0,
    format: str | None = None,
    escape_formulas: bool = False,
    positive: int | None = None,
    progress: Progress = no_progress,
) -> Predictions:
    """Write the columns of a source, or those to keep, with predicted labels and probabilities.

    Columns are found by name, in any order; other columns are copied. A column that the model uses
    must exist and have the type it had in training, or text that can be converted to it. A category
    that was never seen in the training data adds nothing to any score. Rows whose class is known
    are evaluated; `positive` is the class of interest, if there are two.
    """
    done = Predictions(notes=as_notes(source.notes))
    for name in keep or ():
        find_column(source.names, name, "keep")
    used = _used_columns(model, source.names, source.path)
    taken = source.names if keep is None else keep
    done.columns = free_names(prediction_names(model.target, n_reasons), taken)
    done.rows = dict.fromkeys(class_names(model.classes), 0)
    reasons, unseen = Reasons(model, n_reasons), _MissingCounter(model)
    target = str(model.target.name)
    known = _KnownRows(model.target) if target in source.names else None
    read = [*map(str, used), *([target] if known else [])]
    with TableWriter(
        out, format, like=source, keep=keep, escapes_formulas=escape_formulas
    ) as writer:
        # A table without rows is one empty batch, for the new columns.
        n_rows = _batch_rows(model, used)
        for batch in source.batches(read, n_rows) if source.n_rows else [source.read(read)]:
            rows = TableBatch(batch, read, views=model.schema.views)
            codes = model.codes(rows, n_jobs)
            labels, probabilities = model.decided(model.scores_of(codes, rows.n_rows))
            why = reasons.of_rows(codes, labels, probabilities)
            predicted = labels_as_cells(model.classes, labels)
            cells = [predicted, *np.ascontiguousarray(probabilities.T), *why]
            writer.add(dict(zip(done.columns, cells, strict=True)))
            _count(done, labels)
            unseen.count(batch)
            if known:
                known.add(batch.categorical(len(used)), probabilities)
            progress("predicting", done.n_rows, source.n_rows)
    done.notes += unseen.notes()
    if known and known.n_rows:
        done.evaluation = evaluate_predictions(model, *known.rows(), positive, n_jobs)
    return done


class _KnownRows:
    """Keeps class and probabilities of rows whose class is known, as long as memory allows."""

    def __init__(self, target: TargetSpec) -> None:
        self.classes, self.n_rows = target.classes, 0
        self.truth: list[NDArray[np.int32]] = []
        self.probabilities: list[NDArray[np.float64]] = []

    def add(self, column: CategoricalColumn, probabilities: NDArray[np.float64]) -> None:
        truth = classes_by_name(column, self.classes)
        some = np.flatnonzero(truth >= 0)[: MOST_KNOWN // len(self.classes) - self.n_rows]
        self.truth.append(truth[some])
        self.probabilities.append(probabilities[some])
        self.n_rows += len(some)

    def rows(self) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        return np.concatenate(self.truth), np.concatenate(self.probabilities)


def _used_columns(
    model: AdditiveModel, names: Sequence[str], label: str | None
) -> tuple[Hashable, ...]:
    """Return the columns with a weight, alone or in a pair; the table must have all of them."""
    used, there = model.used_columns, set(names)
    missing = [str(name) for name in used if str(name) not in there]
    if missing:
        found = similar(missing[0], [name for name in names if name not in used])
        shown = "" if label is None else f" {label!r}"
        column, it, its = "columns", "them", "their"
        if len(missing) == 1:
            column, it, its = "column", "it", "its"
        advice = f"add {it} ({its} cells may be empty), or fit a model without {it}"
        if found and len(missing) == 1:
            advice = f"if {found!r} is this column, rename it to {missing[0]!r}; otherwise {advice}"
        elif found:
            advice = f"if {found!r} is {missing[0]!r}, rename it; {advice}"
        raise ColumnError(
            f"The table{shown} has no {column} {listed(missing, 5)}, which the model uses: "
            f"{advice}."
        )
    return used


class _MissingCounter:
    """Counts missing numbers of columns that were never missing in the training data."""

    def __init__(self, model: AdditiveModel) -> None:
        self.rows = {
            str(p.name): 0
            for p in model.partitions.values()
            if isinstance(p, Intervals) and not p.n_missing and p.n_parts > 1
        }

    def count(self, batch: Table) -> None:
        for i, name in enumerate(batch.names):
            if name in self.rows:
                self.rows[str(name)] += int(np.isnan(batch.numeric(i).values).sum())

    def notes(self) -> list[Note]:
        return [
            Note("never_missing_in_training", {"rows": rows}, (name,))
            for name, rows in self.rows.items()
            if rows
        ]


def _batch_rows(model: AdditiveModel, used: Sequence[Hashable]) -> int:
    """Return the number of rows whose columns and scores fit into a batch."""
    cells = len(used) + 3 * len(model.classes) + 2 * len(model.used_terms)
    return max(2_048, min(MOST_ROWS, BATCH_CELLS // cells))


def _count(done: Predictions, labels: NDArray[np.intp]) -> None:
    """Count predicted rows by class."""
    for name, n in zip(done.rows, np.bincount(labels, minlength=len(done.rows)), strict=True):
        done.rows[name] += int(n)
    done.n_rows += len(labels)

"""Spread the few labels of a file over its other rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from modlearn._export.tables import TableWriter
from modlearn._jobs.options import find_column, labels_as_cells
from modlearn._jobs.prepare import PreparedData, prepare, selected_columns
from modlearn._jobs.source import ColumnRequest, Room
from modlearn._model.evaluation import Note, Numbers
from modlearn._neighbors.labels import KnownLabels
from modlearn._neighbors.model import PropagationModel, PropagationSettings, propagate_labels
from modlearn._neighbors.validation import (
    HeldOutLabels,
    UndecidedRows,
    undecided_rows,
)
from modlearn._parallel import Progress, n_threads_of, no_progress
from modlearn._tables.cells import CodedCells
from modlearn._tables.files.relation import FileSource
from modlearn.errors import ColumnError, spelled
from modlearn.schema import class_names, free_names

__all__ = ["PropagationSummary", "propagate_file"]

ROWS_PER_BATCH = 1_000_000
"""Number of rows that are passed to the writer at a time."""


@dataclass(frozen=True)
class PropagationSummary:
    """The result of a propagation in numbers."""

    # Number of all rows; of rows that had a label; that got one; and that no label reached.
    n_rows: int
    n_labeled: int
    n_decided: int
    n_undecided: int
    rows: dict[str, int]  # number of rows of each class, labeled and decided
    columns: list[str]  # names of the new columns
    engine: str  # the engine that found the neighbors
    left_out: list[dict[str, str]]  # columns that were not used, with the reason
    # How many labels are predicted correctly from the others: the fields of HeldOutLabels.
    held_out: dict[str, int] | None
    # What the user should know: how the file was read, how accurate the labels are, and why rows
    # remain undecided.
    notes: list[Note]


def propagate_file(
    source: FileSource,
    request: ColumnRequest,
    out: str,
    *,
    keep: Sequence[str] | None = None,
    format: str | None = None,
    escape_formulas: bool = False,
    n_jobs: int | None = None,
    progress: Progress = no_progress,
    **parameters: Any,
) -> PropagationSummary:
    """Write a table with the predicted label, probabilities and unknown mass of each row.

    `parameters` are fields of PropagationSettings. The label of a row that no label reaches is
    missing.
    """
    for name in keep or ():
        find_column(source.names, name, "keep")
    _refuse_large(source, request)
    prepared = prepare(source, request, n_jobs, progress)
    n_threads = n_threads_of(-1 if n_jobs is None else n_jobs)
    settings = PropagationSettings(n_threads=n_threads, held_out_score=True, **parameters)
    table, target = prepared.in_memory()
    codes = np.where(target.is_labeled, target.codes, -1).astype(np.int64)
    labels = KnownLabels.of_codes(np.arange(target.n_classes), codes)
    model, graph = propagate_labels(table, labels, settings, progress=progress)
    held_out = model.held_out
    decided = model.decision.labels(model.rows)  # codes of classes, -1 = undecided
    columns = _new_columns(model, decided, prepared, source.names if keep is None else keep)
    with TableWriter(
        out, format, like=source, keep=keep, escapes_formulas=escape_formulas
    ) as writer:
        for first in range(0, source.n_rows, ROWS_PER_BATCH):
            last = first + ROWS_PER_BATCH
            writer.add({name: _slice(cells, first, last) for name, cells in columns.items()})
            progress("writing", min(last, source.n_rows), source.n_rows)
    notes = [
        *(note for note in prepared.facts.notes if note.kind != "unlabeled"),
        *_how_right(held_out, class_names(target.classes)),
        *_why_undecided(undecided_rows(graph, codes, decided < 0), settings.n_neighbors),
    ]
    return _summary(model, decided, prepared, list(columns), notes, held_out)


def _refuse_large(source: FileSource, request: ColumnRequest) -> None:
    """Raise if the rows do not fit in memory, before they are read."""
    target = find_column(source.names, request.target, "target")
    n_columns = len(selected_columns(source.names, target, request)[1])
    if not Room.of(None, no_progress).holds(source.n_rows, n_columns):
        raise ColumnError(
            *spelled(
                lambda spell: (
                    f"{source.path!r} has {source.n_rows:,} rows and {n_columns:,} columns, more "
                    "than fit in memory, and labels are spread over all rows at once: pass fewer "
                    f"rows, or fewer columns with {spell('only')}."
                )
            )
        )


def _how_right(held_out: HeldOutLabels | None, names: list[str]) -> list[Note]:
    """Say how many of the labels are predicted by the others, if that can be tested."""
    if held_out is None:
        return [Note("labels_not_tested")]
    numbers: Numbers = {
        "rows": held_out.n_rows,
        "right": held_out.n_right,
        "undecided": held_out.n_undecided,
        "share": held_out.n_right / held_out.n_rows,
        "majority": held_out.n_most_frequent / held_out.n_rows,
    }
    kind = "held_out_undecided" if held_out.n_undecided else "held_out_labels"
    return [Note(kind, numbers, (names[held_out.most_frequent],))]


def _why_undecided(undecided: UndecidedRows, n_neighbors: int) -> list[Note]:
    """Say why rows remain undecided, and what helps."""
    notes = []
    if undecided.groups:
        n_apart = undecided.n_rows - undecided.n_far
        numbers: Numbers = {
            "rows": n_apart,
            "groups": len(undecided.groups),
            "first": undecided.groups[0][1] + 1,
            "neighbors": n_neighbors,
        }
        notes.append(Note("apart_from_labels", numbers))
    if undecided.n_far:
        notes.append(Note("far_from_labels", {"rows": undecided.n_far, "neighbors": n_neighbors}))
    return notes


def _new_columns(
    model: PropagationModel, labels: NDArray[Any], prepared: PreparedData, taken: Sequence[str]
) -> dict[str, Any]:
    """Return label, probabilities and unknown mass; undecided rows have only the unknown mass."""
    names = class_names(prepared.rows.target.classes)
    known = np.where(labels[:, None] >= 0, model.rows.known, np.nan)
    label, unknown, *rest = free_names(
        [f"predicted {prepared.facts.target}", "unknown", *(f"P({name})" for name in names)], taken
    )
    return {
        label: labels_as_cells(prepared.rows.target.classes, labels.astype(np.int32)),
        **dict(zip(rest, np.ascontiguousarray(known.T), strict=True)),
        unknown: model.rows.unknown_mass,
    }


def _slice(cells: Any, first: int, last: int) -> Any:
    """Return some rows of a new column."""
    if isinstance(cells, CodedCells):
        return CodedCells(cells.codes[first:last], cells.values)
    return cells[first:last]


def _summary(
    model: PropagationModel,
    labels: NDArray[Any],
    prepared: PreparedData,
    columns: list[str],
    notes: list[Note],
    held_out: HeldOutLabels | None,
) -> PropagationSummary:
    """Count rows by class."""
    facts, names = prepared.facts, class_names(prepared.rows.target.classes)
    rows = np.bincount(labels[labels >= 0], minlength=len(names)).tolist()
    n_undecided = int((labels < 0).sum())
    return PropagationSummary(
        n_rows=facts.n_rows,
        n_labeled=facts.n_labeled,
        n_decided=facts.n_unlabeled - n_undecided,
        n_undecided=n_undecided,
        rows=dict(zip(names, rows, strict=True)),
        columns=columns,
        engine=model.neighborhood.engine,
        left_out=[{"name": column.name, "reason": column.reason} for column in facts.left_out],
        held_out=None if held_out is None else asdict(held_out),
        notes=notes,
    )

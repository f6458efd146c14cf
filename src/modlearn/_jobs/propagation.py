"""Spread the few labels of a file over its other rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from modlearn._estimators.propagation import LabelDistributionPropagation
from modlearn._export.tables import TableWriter
from modlearn._jobs.classes import labels_as_cells
from modlearn._jobs.prepare import ColumnRequest, PreparedData, prepare
from modlearn._model.evaluation import Note
from modlearn._parallel import Progress, no_progress
from modlearn._tables.cells import Coded
from modlearn._tables.files.relation import FileSource
from modlearn._tables.names import free_names
from modlearn.schema import class_names

__all__ = ["Propagated", "propagate_file"]

ROWS_AT_ONCE = 1_000_000
"""Rows that are handed over to be written at a time."""


@dataclass(frozen=True)
class Propagated:
    """What became of the rows.

    Parameters
    ----------
    n_rows, n_labeled, n_decided, n_undecided : int
        All rows; those that had a label; those that got one; those that no label reached.
    rows : dict of class name to int
        Rows per class in the end.
    columns : list of str
        Names of the new columns.
    engine : str
        What found the neighbors.
    left_out : list of dict
        Columns that were not looked at, with the reason.
    notes : list of Note
        What a user should know.
    """

    n_rows: int
    n_labeled: int
    n_decided: int
    n_undecided: int
    rows: dict[str, int]
    columns: list[str]
    engine: str
    left_out: list[dict[str, str]]
    notes: list[Note]


def propagate_file(
    source: FileSource,
    wanted: ColumnRequest,
    out: str,
    *,
    keep: Sequence[str] | None = None,
    format: str | None = None,
    n_jobs: int | None = None,
    progress: Progress = no_progress,
    **parameters: Any,
) -> Propagated:
    """Write the columns of a source with a label, probabilities and what is unknown beside them.

    `parameters` are those of LabelDistributionPropagation. A row that no label reaches keeps an
    empty label.
    """
    prepared = prepare(source, wanted, n_jobs, progress)
    spread = LabelDistributionPropagation(n_jobs=n_jobs, progress=progress, **parameters)
    codes = np.where(prepared.target.is_labeled, prepared.target.codes, -1).astype(np.int64)
    spread.fit(prepared.chosen.table, codes)
    columns = _new_columns(spread, prepared, source.names if keep is None else keep)
    with TableWriter(out, format, like=source, keep=keep) as writer:
        for first in range(0, source.n_rows, ROWS_AT_ONCE):
            last = first + ROWS_AT_ONCE
            writer.add({name: _rows(cells, first, last) for name, cells in columns.items()})
            progress("writing", min(last, source.n_rows), source.n_rows)
    # The other notes of the facts are about training.
    notes = [note for note in prepared.facts.notes if note.kind == "reading"]
    return _told(spread, prepared, list(columns), notes)


def _new_columns(
    spread: LabelDistributionPropagation, prepared: PreparedData, taken: Sequence[str]
) -> dict[str, Any]:
    """Label, probabilities and unknown mass; of an undecided row only the last."""
    labels = spread.transduction_.astype(np.int32)
    names = class_names(prepared.target.classes)
    known = np.where(labels[:, None] >= 0, spread.label_distributions_, np.nan)
    label, unknown, *rest = free_names(
        [f"predicted {prepared.facts.target}", "unknown", *(f"P({name})" for name in names)], taken
    )
    return {
        label: labels_as_cells(prepared.target.classes, labels),
        **dict(zip(rest, np.ascontiguousarray(known.T), strict=True)),
        unknown: spread.unknown_mass_,
    }


def _rows(cells: Any, first: int, last: int) -> Any:
    if isinstance(cells, Coded):
        return Coded(cells.codes[first:last], cells.values)
    return cells[first:last]


def _told(
    spread: LabelDistributionPropagation,
    prepared: PreparedData,
    columns: list[str],
    notes: list[Note],
) -> Propagated:
    labels, facts = spread.transduction_, prepared.facts
    names = class_names(prepared.target.classes)
    rows = np.bincount(labels[labels >= 0], minlength=len(names)).tolist()
    undecided = int((labels < 0).sum())
    return Propagated(
        n_rows=facts.n_rows,
        n_labeled=facts.n_labeled,
        n_decided=facts.n_unlabeled - undecided,
        n_undecided=undecided,
        rows=dict(zip(names, rows, strict=True)),
        columns=columns,
        engine=spread.engine_,
        left_out=[{"name": column.name, "reason": column.reason} for column in facts.left_out],
        notes=notes,
    )

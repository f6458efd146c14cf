"""From what a user gives to columns and classes that can be learned from."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any

from modlearn._jobs.columns import (
    NESTED,
    SelectedColumns,
    asked_for,
    choose_columns,
    refuse_none_left,
)
from modlearn._jobs.data import Opened, open_data
from modlearn._jobs.labels import read_labels
from modlearn._jobs.options import as_names, find_column
from modlearn._model.evaluation import ColumnFacts, LeftOut, Note, TableFacts
from modlearn._parallel import Progress
from modlearn._tables.memory.column import CategoricalColumn, categorical_column
from modlearn._tables.memory.source import vector
from modlearn._tables.memory.table import Table
from modlearn._tables.target import Target
from modlearn.errors import TargetError

__all__ = ["ColumnRequest", "PreparedData", "prepare"]


@dataclass(frozen=True)
class ColumnRequest:
    """What a user asks of the table.

    Parameters
    ----------
    target : hashable or None
        Name of the target.
    y : array-like or None
        The target itself.
    drop, only, as_categorical : names of columns
        Not to look at; alone to look at; whose numbers are categories.
    """

    target: Hashable | None
    y: Any = None
    drop: Any = ()
    only: Any = ()
    as_categorical: Any = ()


@dataclass(frozen=True)
class PreparedData:
    """Columns and classes, and what was seen of them.

    Parameters
    ----------
    chosen : SelectedColumns
        The columns to learn from.
    target : Target
        The classes.
    facts : TableFacts
        The table in numbers.
    columns : tuple of ColumnFacts
        The columns in numbers.
    named : bool
        Whether the columns have names of the user's.
    """

    chosen: SelectedColumns
    target: Target
    facts: TableFacts
    columns: tuple[ColumnFacts, ...]
    named: bool


def prepare(
    data: Any, wanted: ColumnRequest, n_jobs: int | None, progress: Progress
) -> PreparedData:
    """Read the table, the target and the columns."""
    progress("reading", 0, 1)
    opened = open_data(data)
    with opened.closing:
        place = _place_of_target(opened, wanted)
        left_out, rest = asked_for(opened.names, place, wanted.drop, wanted.only)
        categorical = [
            find_column(opened.names, name, "as_categorical")
            for name in as_names(wanted.as_categorical)
        ]
        left_out |= dict.fromkeys(opened.nested.intersection(rest), NESTED)
        rest = [i for i in rest if i not in opened.nested]
        table = opened.read(rest if place is None else [*rest, place])
        labels = _labels(opened, table, place, wanted)
        target = read_labels(labels, place in categorical)
        names = [opened.names[i] for i in categorical]
        chosen = choose_columns(_without_target(table, len(rest)), names, n_jobs, progress)
    reasons = {str(opened.names[i]): why for i, why in left_out.items()} | chosen.left_out
    return _prepared(opened, chosen, target, str(labels.name), reasons)


def _place_of_target(opened: Opened, wanted: ColumnRequest) -> int | None:
    """Place of the target in the table; None if it is given beside the table."""
    if wanted.y is not None:
        return None
    if wanted.target is None:
        shown = ", ".join(repr(str(name)) for name in opened.names[:10])
        raise TargetError(f"No target is given: name one of the columns, such as {shown}.")
    return find_column(opened.names, wanted.target, "target")


def _labels(
    opened: Opened, table: Table, place: int | None, wanted: ColumnRequest
) -> CategoricalColumn:
    """The column of the target."""
    if place is not None:
        return table.categorical(len(table.names) - 1)
    source = vector(wanted.y, "y", warn=False)
    name = wanted.target if wanted.target is not None else getattr(source, "name", None)
    if len(source) != table.n_rows:
        raise TargetError(
            f"y has {len(source):,} labels and the table {table.n_rows:,} rows: give one per row."
        )
    return categorical_column(source, "y" if name is None else name)


def _without_target(table: Table, n_columns: int) -> Table:
    """The first columns; a table of one's own kind keeps its kind."""
    if n_columns == len(table.names):
        return table
    return Table(table.names[:n_columns], table.n_rows, table.sources[:n_columns])


def _prepared(
    opened: Opened, chosen: SelectedColumns, target: Target, name: str, reasons: dict[str, str]
) -> PreparedData:
    left_out = tuple(
        LeftOut(str(column), reasons[str(column)])
        for column in opened.names
        if str(column) in reasons
    )
    if not chosen.table.names:
        refuse_none_left(left_out)
    n_unlabeled = target.n_unlabeled
    facts = TableFacts(
        source=opened.label,
        target=name,
        n_rows=len(target.codes),
        n_labeled=len(target.codes) - n_unlabeled,
        n_unlabeled=n_unlabeled,
        n_columns=len(chosen.table.names),
        left_out=left_out,
        notes=(
            *(Note("reading", {"text": text}) for text in opened.notes),
            *((Note("unlabeled", {"rows": n_unlabeled}),) if n_unlabeled else ()),
        ),
    )
    columns = tuple(
        ColumnFacts(str(column), look.n_missing, look.n_distinct)
        for column, look in zip(chosen.table.names, chosen.looks, strict=True)
    )
    return PreparedData(chosen, target, facts, columns, opened.named)

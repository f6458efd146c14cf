"""Tables that stay where they are: chosen by size for files, always for databases and clusters."""

from __future__ import annotations

import weakref
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from modlearn._addresses import database_of
from modlearn._export.sql_writer import double
from modlearn._jobs.options import find_column, known_labels
from modlearn._jobs.source import ColumnRequest, OpenSource, RequestedRows, Room
from modlearn._model.evaluation import Note
from modlearn.errors import ColumnError, TargetError
from modlearn.schema import ORDERED, Column, Kind, Schema, TargetSpec, kind_of_values

if TYPE_CHECKING:
    from modlearn._engines.engine import Engine, EngineColumn
    from modlearn._engines.rows import TestRows
    from modlearn._tables.memory.table import CategoricalColumn

__all__ = ["OpenEngine", "engine_of"]

LEAST_MEMORY = 100_000_000
"""Bytes that DuckDB needs to read row groups of a few columns."""

MOST_LABELS = 20_000
"""Most distinct labels of a target that are looked at."""


def engine_of(data: Any) -> Engine | None:
    """Return the engine of an address or of a frame of a cluster; None for other tables."""
    database = database_of(data)
    if database is None:
        return None
    found: Engine | None = import_module(database.module).open_engine(data)
    return found


@dataclass(eq=False)
class OpenEngine(OpenSource):
    """A table in an engine; answers what a job asks of any table.

    Parameters
    ----------
    engine : Engine
        Where the rows are.
    label : str or None
        Name of the table.
    notes : list of Note
        What happened while it was opened.
    room : Room
        How much memory counts may take.
    """

    engine: Engine
    label: str | None
    notes: list[Note]
    room: Room
    named: bool = True
    closing: AbstractContextManager[Any] = field(default_factory=nullcontext)

    @classmethod
    def of(cls, engine: Engine, room: Room) -> OpenEngine:
        """Return the table of an engine."""
        return cls(engine, engine.label, [], room, closing=_ClosedByErrors(engine))

    @classmethod
    def of_file(cls, source: Any, label: str | None, notes: list[Note], room: Room) -> OpenEngine:
        """Return the table of an open file, counted by DuckDB."""
        from modlearn._engines.duckdb import DuckDBEngine

        memory = max(LEAST_MEMORY, room.memory // 2)
        source.workspace.limit_memory(memory)
        source.refuse_cells()
        engine = DuckDBEngine(source, memory, room.n_jobs)
        return cls(engine, label, notes, room, closing=_ClosedByErrors(engine))

    def __post_init__(self) -> None:
        columns = self.engine.columns
        self.names = [column.name for column in columns]
        self.nested = frozenset(i for i, c in enumerate(columns) if c.kind is Kind.NESTED)

    def rows(
        self,
        request: ColumnRequest,
        target: int | None,
        columns: list[int],
        categorical: set[int],
    ) -> RequestedRows:
        """Count the classes, draw a sample, and return rows that the engine counts."""
        from modlearn._engines.counts import ColumnCounts
        from modlearn._engines.rows import EngineRows
        from modlearn._engines.table import ALL_ROWS, EngineTable
        from modlearn._tables.memory.rows import MemoryRows
        from modlearn._tables.memory.target import Target

        if target is None:
            raise TargetError(
                f"The rows of {self.label!r} stay where they are, so labels cannot be passed "
                "next to them: pass the name of the column to predict."
            )
        as_text = {i for i in (*categorical, target) if self.engine.columns[i].as_written}
        offered = [
            _as_written(one) if i in as_text else one for i, one in enumerate(self.engine.columns)
        ]
        exact = {target, *categorical}
        if request.group is not None:
            exact.add(find_column(self.names, request.group, "group"))
        offered = [one.as_categories() if i in exact else one for i, one in enumerate(offered)]
        label = offered[target]
        spec, class_sql = self._classes(label, target in categorical)
        used = [offered[i] for i in columns]
        counts = np.append(spec.counts, spec.n_unlabeled)
        table = EngineTable(
            self.engine,
            {column.name: column for column in used},
            class_sql,
            len(spec.classes),
            int(counts.sum()),
            self.room.memory // 2,
            self.room.progress,
        )
        weakref.finalize(table, partial(_close, self.engine))
        table.report(table.n_rows)  # the classes have been counted
        classes = table.draw_sample(counts)
        described = [_described(offered[i], i in categorical) for i in columns]
        schema = Schema(tuple(described))
        sample = MemoryRows.of(
            table.in_memory(table.sample_cells, described),
            schema,
            Target(spec.classes, classes),
            spec.name,
            keeps=True,
        )
        if not table.is_whole(sample):
            table.all_extremes()  # summaries of columns need them, which threads ask for
        as_written = frozenset(offered[i].name for i in as_text)
        of_categories = tuple(column for column in described if not column.ordered)
        counted = ColumnCounts(table, self.room.n_jobs, of_categories)
        rows = EngineRows(counted, schema, spec, sample, ALL_ROWS)
        return RequestedRows(rows, [], as_written=as_written)

    def _classes(self, label: EngineColumn, are_classes: bool) -> tuple[TargetSpec, str]:
        """Return the classes of a target, and the SQL of the class of a row."""
        from modlearn._tables.memory.target import read_classes

        column, values, rows = self._labels(label)
        found = read_classes(column, are_classes, rows)
        class_sql = self._class_sql(label, values, found.codes.tolist(), len(found.classes))
        return found.spec(label.name), class_sql

    def _labels(
        self, label: EngineColumn
    ) -> tuple[CategoricalColumn, list[Any], NDArray[np.int64]]:
        """Return the distinct labels, as a column and as the engine has them, and their rows."""
        from modlearn._engines.engine import once_more
        from modlearn._engines.table import as_stored
        from modlearn._tables.memory.table import Table

        statement = (
            f"SELECT {label.value} AS v, count(*) AS n FROM {self.engine.relation} GROUP BY 1 "
            f"LIMIT {MOST_LABELS + 1}"
        )
        values, rows = once_more(lambda: self.engine.fetch(statement))
        if not len(values):
            raise ColumnError(f"The table {self.label!r} has no rows: pass a table that has some.")
        if len(values) > MOST_LABELS:
            raise TargetError(
                f"The target {label.name!r} has more than {MOST_LABELS:,} different labels, so "
                "they do not look like classes: choose a target with fewer labels."
            )
        column = Table([label.name], len(values), [as_stored(label, values)]).categorical(0)
        return column, values.tolist(), rows.astype(np.int64)

    def _class_sql(
        self, label: EngineColumn, values: Sequence[Any], codes: Sequence[int], n_classes: int
    ) -> str:
        """Return the SQL of the class of a row; `n_classes` = its label is not a class."""
        literals = [self._literal(label, value) for value in values]
        # Sorted: an engine returns groups in any order.
        cases = sorted(
            f"WHEN {literal} THEN {code}"
            for literal, code in zip(literals, codes, strict=True)
            if literal is not None and 0 <= code < n_classes
        )
        return f"CASE {label.value} {' '.join(cases)} ELSE {n_classes} END"

    def test_rows(
        self, names: Mapping[str, int], train: Schema, target: TargetSpec
    ) -> tuple[TestRows, CategoricalColumn, NDArray[np.int32], NDArray[np.int64]]:
        """Return rows that a model of other rows is tested on where they are.

        `names` holds the index of each column. The distinct labels are returned, too, with the
        class and the number of rows of each.
        """
        from modlearn._engines.counts import ColumnCounts
        from modlearn._engines.rows import TestRows
        from modlearn._engines.table import ALL_ROWS, EngineTable
        from modlearn._tables.memory.rows import MemoryRows
        from modlearn._tables.memory.target import Target

        used = {
            name: _as_trained(self.engine.columns[names[str(name)]], column)
            for name, column in train.sources.items()
        }
        label = self.engine.columns[names[str(target.name)]]
        label = (_as_written(label) if label.as_written else label).as_categories()
        found, values, rows = self._labels(label)
        codes = known_labels(found, target, str(target.name))
        n_classes = len(target.classes)
        counts = np.bincount(np.where(codes < 0, n_classes, codes), rows, n_classes + 1)
        table = EngineTable(
            self.engine,
            used,
            self._class_sql(label, values, codes.tolist(), n_classes),
            n_classes,
            int(rows.sum()),
            self.room.memory // 4,  # the table that the model learns from has a half
            self.room.progress,
        )
        weakref.finalize(table, partial(_close, self.engine))
        classes = table.draw_sample(counts.astype(np.int64))
        sample = MemoryRows.of(
            table.in_memory(table.sample_cells, list(train.sources.values())),
            train,
            Target(target.classes, classes),
            target.name,
            keeps=True,
        )
        if not table.is_whole(sample):
            table.all_extremes()
        tested = replace(target, counts=counts[:-1].astype(np.int64), n_unlabeled=0)
        of_categories = tuple(one for one in train.sources.values() if not one.ordered)
        counted = ColumnCounts(table, self.room.n_jobs, of_categories)
        return TestRows(counted, train, tested, sample, ALL_ROWS, (0,)), found, codes, rows

    def _literal(self, label: EngineColumn, value: Any) -> str | None:
        """Return the SQL of a label; None if it is missing."""
        if value is None or value != value:
            return None
        if isinstance(value, bool):
            return "TRUE" if value else "FALSE"
        if label.kind in ORDERED:
            return str(value) if isinstance(value, int) else double(value)
        return self.engine.text(str(value))


class _ClosedByErrors(AbstractContextManager[None]):
    """Closes an engine if what follows fails; otherwise the table that it counts closes it."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    def __exit__(self, kind: Any, error: BaseException | None, _: Any) -> None:
        if error is not None:
            self._engine.stop()
            self._engine.close()


def _close(engine: Engine) -> None:
    engine.close()


def _described(column: EngineColumn, as_category: bool) -> Column:
    """Return how a column is treated."""
    if as_category and column.kind in ORDERED:
        kind = column.kind if column.kind is not Kind.NUMERIC else kind_of_values([0.0])
        return Column(column.name, kind, ordered=False)
    return Column(column.name, column.kind, ordered=column.kind in ORDERED, format=column.format)


def _as_trained(column: EngineColumn, known: Column) -> EngineColumn:
    """Return a column as that of the training data is read; raise if it holds something else."""
    if not known.ordered:
        column = (_as_written(column) if column.as_written else column).as_categories()
    if column.kind is not known.kind:
        raise ColumnError(
            f"Column {column.name!r} of the test table is {column.kind.value}, but that of the "
            f"training table is {known.kind.value}: pass a table with columns of the same types."
        )
    return replace(column, name=str(known.name))


def _as_written(column: EngineColumn) -> EngineColumn:
    """Return a column of texts that are not read as dates, durations or amounts."""
    return replace(column, kind=Kind.TEXT, value=column.as_written, format=None, as_written="")

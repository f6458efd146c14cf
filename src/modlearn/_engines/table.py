"""One table of an engine: its columns and classes as SQL, and its counts."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from threading import RLock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from modlearn._engines.engine import POLL_SECONDS, Engine, EngineColumn, Scan, once_more
from modlearn._engines.row_keys import PRIME, key_sql, keys_of
from modlearn._export.dialects import DIALECTS, view_sql
from modlearn._export.sql_writer import double
from modlearn._parallel import Progress, no_progress, polled
from modlearn._statistics.categories import pooled_among
from modlearn._statistics.summary import ColumnSummary
from modlearn._tables.memory.rows import MemoryRows
from modlearn._tables.memory.table import Table
from modlearn._tables.memory.target import Target
from modlearn.schema import ORDERED, Column, Kind, Schema, TargetSpec

__all__ = [
    "ALL_ROWS",
    "COLUMNS_PER_QUERY",
    "EngineTable",
    "Extremes",
    "Folds",
    "as_stored",
    "whole_numbers",
]

COLUMNS_IN_KEY = (4, 16)
"""Number of columns that the key of a row is computed from: the second if the first repeat."""

REPEATED = 1.2
"""With more rows per key than this, more columns are used, or equal rows get a number."""

NUMBER = "\0number"
"""Where the sample keeps these numbers: no column has this name."""

COLUMNS_PER_QUERY = 50

CLOCK = re.compile(r"(-?)(\d+):(\d\d):(\d\d)(?:\.(\d+))?")
"""Durations as categories are written."""

NUMBERS = ("count({0})", "min({0})", "max({0})")
TEXTS = ("count({0})", "0", "count(DISTINCT {0})")

MOST_SAMPLED = 200_000
"""Most rows of a table that weights are learned from; partitions are learned from all."""

BYTES_PER_CELL = 32
"""Memory that a cell of the sample takes."""

BYTES_PER_TEXT = 100
"""Memory that a text of the sample takes."""

FEW = 2_000
"""Classes with fewer rows are in the sample whole."""

MOST_TESTED = 1_000_000
"""Most rows that a model is tested on."""


@dataclass(frozen=True)
class Folds:
    """How rows are divided."""

    sql: str  # SQL of the fold of a row, from 0; `n_folds` - 1 = rows that are never tested
    n_folds: int  # number of folds, with that of the rows that are never tested
    # For each fold that is tested, the folds that a model for it learns from.
    learned_from: tuple[tuple[int, ...], ...] = ()


ALL_ROWS = Folds("0", 1)


@dataclass(frozen=True)
class Extremes:
    """What one query says about an ordered column: rows with a value, the least and the most."""

    n_present: int
    least: float
    most: float


@dataclass(eq=False)
class EngineTable:
    """A table in an engine, with its target."""

    engine: Engine
    columns: dict[Hashable, EngineColumn]  # the columns, by name
    class_sql: str  # SQL of the class of a row; `n_classes` = unlabeled
    n_classes: int
    n_rows: int
    memory: int  # bytes that counts may take
    progress: Progress = no_progress  # called as ``progress("counting", rows done, rows in all)``
    # Cells of the rows of the sample, by column, as the engine returns them.
    sample_cells: dict[Hashable, NDArray[Any]] = field(default_factory=dict)
    # SQL of a number that tells rows with equal cells apart; None = few are equal.
    number: str | None = None
    # Number of columns that the key of a row is computed from.
    n_in_key: int = COLUMNS_IN_KEY[0]
    _extremes: dict[Hashable, Extremes] = field(default_factory=dict)
    _n_distinct: dict[Hashable, int] = field(default_factory=dict)
    _lock: Any = field(default_factory=RLock)

    def __post_init__(self) -> None:
        self.dialect = DIALECTS[self.engine.key]
        self.relation = self.engine.relation  # SQL of all rows, as it follows FROM

    # SQL

    def column(self, column: Column) -> EngineColumn:
        """Return a column, or the view that it is of another one."""
        if column.view is None:
            return self.columns[column.name]
        source = self.columns[column.source]
        value = view_sql(column, self.engine.key, f"({source.value})")
        if source.kind in ORDERED:
            value = f"CASE WHEN ABS({source.value}) < 9e18 THEN {value} END"
        cast = f"CAST({value} AS {self.dialect.double})"
        return EngineColumn(str(column.name), column.view.kind, cast)

    @property
    def key_columns(self) -> list[EngineColumn]:
        """The columns that the key of a row is computed from: ordered ones first."""
        return sorted(self.usable, key=lambda one: one.kind not in ORDERED)[: self.n_in_key]

    @cached_property
    def usable(self) -> list[EngineColumn]:
        """The columns whose cells have one value."""
        return [one for one in self.columns.values() if one.kind is not Kind.NESTED]

    def key(self, seed: int) -> str:
        """Return the SQL of the key of a row, from 0 to PRIME - 1."""
        return key_sql(self.key_columns, self.engine.key, seed, self.number)

    def group(self, folds: Folds) -> str:
        """Return the SQL of class and fold in one number."""
        if folds.n_folds == 1:
            return self.class_sql
        return f"({self.class_sql}) * {folds.n_folds} + ({folds.sql})"

    # Queries

    def fetch(self, select: str, rest: str = "") -> list[NDArray[Any]]:
        """Return expressions of all rows, or of those that the rest of the statement says."""
        return self.ask(f"SELECT {select} FROM {self.relation} {rest}")

    def ask(self, statement: str) -> list[NDArray[Any]]:
        """Return the result of a statement; the rows that its query has read are reported."""
        with self._watching():
            return once_more(lambda: self.engine.fetch(statement))

    @contextmanager
    def _watching(self) -> Iterator[None]:
        """Report the rows of the query that runs inside, and all of them at its end."""

        def ask() -> None:
            share = self.engine.share_done()
            if share is not None:
                self.report(int(share * self.n_rows))

        with polled(ask, POLL_SECONDS):
            yield
        self.report(self.n_rows)

    def report(self, n_done: int) -> None:
        """Report how many rows of a scan are done."""
        self.progress("counting", min(n_done, self.n_rows), self.n_rows)

    def scan(
        self, columns: Sequence[str], edges: Sequence[NDArray[np.float64]], folds: Folds
    ) -> Scan:
        """Return a scan of all rows."""
        n_groups = (self.n_classes + 1) * folds.n_folds
        return Scan(columns, edges, self.group(folds), n_groups, self.relation, n_rows=self.n_rows)

    # Rows

    def draw_sample(self, counts: NDArray[np.int64]) -> NDArray[np.int32]:
        """Read the cells of a sample; return the class of each row.

        `counts` holds the rows of each class, unlabeled ones last. Classes with few rows are
        sampled at a higher rate, or whole.
        """
        kinds = [column.kind for column in self.columns.values()]
        n_bytes = sum(BYTES_PER_TEXT if one is Kind.TEXT else BYTES_PER_CELL for one in kinds)
        most = min(MOST_SAMPLED, self.memory // max(1, n_bytes))
        few = min(FEW, most // max(1, self.n_classes))
        rates = np.minimum(1.0, np.maximum(most / counts.sum(), few / np.maximum(1, counts)))
        condition = ""
        if self.n_rows > most:
            least = [f"WHEN {j} THEN {int(rate * PRIME)}" for j, rate in enumerate(rates.tolist())]
            condition = f"WHERE {self.key(0)} < CASE {self.class_sql} {' '.join(least)} END"
        if self.number is None and self._repeats(condition, float((rates * counts).sum())):
            self._extend_keys()
            return self.draw_sample(counts)
        classes, self.sample_cells = self._read(condition)
        return classes

    def _repeats(self, condition: str, n_expected: float) -> bool:
        """Return whether rows of a sample share keys, or keys choose too few or too many rows."""
        numbers = self.fetch(f"count(*) AS n, count(DISTINCT {self.key(0)}) AS k", condition)
        n_rows, n_keys = (int(one[0]) for one in numbers)
        return n_rows > REPEATED * n_keys or not 0.5 <= n_rows / max(1.0, n_expected) <= 2.0

    def _extend_keys(self) -> None:
        """Distinguish more rows: keys of more columns, and then a number for each of equal rows."""
        if len(self.key_columns) < len(self.usable) and self.n_in_key < COLUMNS_IN_KEY[-1]:
            self.n_in_key = COLUMNS_IN_KEY[-1]
            return
        cells = [self.class_sql, *(one.value for one in self.usable)]
        # Engines do not agree on where missing values are.
        order = ", ".join(self.dialect.nulls_first.format(x=cell) for cell in cells)
        with self._watching():
            found = once_more(lambda: self.engine.numbered(self.key(0), order))
        self.relation, self.number = found

    def _read(self, condition: str) -> tuple[NDArray[np.int32], dict[Hashable, NDArray[Any]]]:
        """Read the classes and cells of some rows, in an order that depends on their cells only."""
        selected = [f"{one.value} AS c{i}" for i, one in enumerate(self.columns.values())]
        if self.number is not None:
            selected.append(f"{self.number} AS n")
        selected.insert(0, f"{self.class_sql} AS g")
        at_once = self.engine.columns_at_once
        classes, *arrays = [
            array
            for first in range(0, len(selected), at_once)
            for array in self.fetch(", ".join(selected[first : first + at_once]), condition)
        ]
        pairs = zip(self.columns.values(), arrays, strict=False)
        cells: dict[Hashable, NDArray[Any]] = {one.name: _as_cells(one, a) for one, a in pairs}
        if self.number is not None:
            cells[NUMBER] = arrays[-1].astype(np.int64)
        rest = keys_of(self.usable, [cells[one.name] for one in self.usable], 0)
        order = np.lexsort((classes, rest, self._keys(cells, 0)))
        return classes[order].astype(np.int32), {k: v[order] for k, v in cells.items()}

    def in_memory(self, cells: dict[Hashable, NDArray[Any]], columns: Sequence[Column]) -> Table:
        """Return cells of rows as a table in memory."""
        sources: list[Any] = [as_stored(self.columns[c.name], cells[c.name]) for c in columns]
        n_rows = len(next(iter(cells.values())))
        return Table([column.name for column in columns], n_rows, sources)

    def is_whole(self, rows: MemoryRows) -> bool:
        """Return whether the sample that these rows are from holds all rows of the table."""
        return rows.batch.columns.n_rows == self.n_rows

    def cells_of(self, sample: MemoryRows, column: EngineColumn) -> NDArray[Any]:
        """Return the cells of a column in rows of the sample."""
        return self.sample_cells[column.name][sample.batch.row_numbers]

    def sample_keys(self, sample: MemoryRows, seed: int) -> NDArray[np.int64]:
        """Return the keys of rows of the sample."""
        return self._keys(self.sample_cells, seed)[sample.batch.row_numbers]

    def _keys(self, cells: dict[Hashable, NDArray[Any]], seed: int) -> NDArray[np.int64]:
        columns = self.key_columns
        used = [cells[column.name] for column in columns]
        return keys_of(columns, used, seed, cells.get(NUMBER))

    def test_rows(
        self, schema: Schema, target: TargetSpec, folds: Folds, kept: tuple[int, ...]
    ) -> MemoryRows:
        """Read labeled rows of some folds; of many, those with the lowest keys."""
        n_rows = int(target.counts.sum())
        most = min(MOST_TESTED, self.memory // (64 * max(1, len(self.columns))))
        condition = f"WHERE {self.class_sql} < {self.n_classes} AND ({folds.sql}) IN "
        condition += f"({', '.join(map(str, kept))})"
        if n_rows > most:
            condition += f" AND {self.key(1)} < {int(most / n_rows * PRIME)}"
        classes, cells = self._read(condition)
        sources = list(schema.sources.values())
        return MemoryRows.of(
            self.in_memory(cells, sources), schema, Target(target.classes, classes), target.name
        )

    # Summaries

    def summary(self, column: Column, sample: MemoryRows) -> ColumnSummary:
        """Summarize a column: from the sample, but for what one query says about all rows."""
        (found,) = sample.summaries([column.name])
        # The sample is in the order of the keys of its rows.
        found = replace(found, increases=False)
        if self.is_whole(sample):
            return found
        with self._lock:
            known = self.all_extremes()[column.read.name]
        n_missing = self.n_rows - known.n_present
        if column.view is not None:
            return replace(found, n_missing=n_missing)
        if self.columns[column.name].kind in ORDERED:
            is_constant = known.least == known.most and not n_missing
            n_distinct = 1 if is_constant else None
        else:
            n_distinct = int(known.most)
            is_constant = n_distinct == 1 and not n_missing
        share = 1.0 if is_constant else min(found.common_share, np.nextafter(1.0, 0.0))
        return replace(found, n_missing=n_missing, n_distinct=n_distinct, common_share=share)

    def all_extremes(self) -> dict[Hashable, Extremes]:
        """Return the extremes of all columns, which one query finds."""
        if not self._extremes:
            found = self.extremes(self.usable)
            self._extremes |= {c.name: one for c, one in zip(self.usable, found, strict=True)}
        return self._extremes

    # Counts

    def class_counts(self, folds: Folds) -> NDArray[np.int64]:
        """Count rows by fold and class, unlabeled ones last, shape (n_folds, J + 1)."""
        groups, rows = self.fetch(f"{self.group(folds)} AS g, count(*) AS n", "GROUP BY 1")
        found = np.zeros((self.n_classes + 1) * folds.n_folds, dtype=np.int64)
        found[groups.astype(np.intp)] = rows.astype(np.int64)
        return found.reshape(self.n_classes + 1, folds.n_folds).T

    def extremes(self, columns: Sequence[EngineColumn]) -> list[Extremes]:
        """Return the extremes of columns; of categories, `most` is the number of distinct ones."""
        at_once = min(COLUMNS_PER_QUERY, self.engine.columns_at_once)
        # Different texts of several columns at the same time would take too much memory.
        texts = [[column] for column in columns if column.kind is Kind.TEXT]
        others = [column for column in columns if column.kind is not Kind.TEXT]
        found: dict[str, Extremes] = {}
        for some in (*(others[i : i + at_once] for i in range(0, len(others), at_once)), *texts):
            selected = [
                f"{function.format(column.value)} AS n{i}_{k}"
                for i, column in enumerate(some)
                for k, function in enumerate(NUMBERS if column.kind in ORDERED else TEXTS)
            ]
            numbers = [_number(one) for one in self.fetch(", ".join(selected))]
            for i, column in enumerate(some):
                n_present, least, most = numbers[3 * i : 3 * i + 3]
                found[column.name] = Extremes(int(n_present), least, most)
        return [found[column.name] for column in columns]

    def n_distinct(self, column: EngineColumn) -> int:
        """Return the number of distinct values of a column."""
        with self._lock:
            if column.kind not in ORDERED:
                return int(self.all_extremes()[column.name].most)
            if column.name not in self._n_distinct:
                (found,) = self.fetch(f"count(DISTINCT {column.value}) AS n")
                self._n_distinct[column.name] = int(found[0])
            return self._n_distinct[column.name]

    def number_of_category(
        self, column: Column, values: Sequence[Hashable], numbers: Sequence[int]
    ) -> str:
        """Return the SQL of the number of each category, in double precision.

        What is none of the values has the number of pooled values, if they are among them.
        """
        counted = self.column(column)
        known = dict(zip(values, numbers, strict=True))
        pooled = pooled_among(known)
        others = "" if pooled is None else f" ELSE {known.pop(pooled)}"
        if column.view is not None:
            order = column.view.categories
            known = {order.index(str(v)) if v is not None else None: n for v, n in known.items()}
        cases = [
            f"WHEN {counted.value} IS NULL THEN {number}"
            if value is None
            else f"WHEN {counted.value} = {self.literal(counted, value)} THEN {number}"
            for value, number in known.items()
        ]
        # Without a case, all are alike.
        number = f"CASE {' '.join(cases)}{others} END" if cases else others.removeprefix(" ELSE ")
        return f"CAST({number} AS {self.dialect.double})"

    def literal(self, column: EngineColumn, value: Any) -> str:
        """Return the SQL of a value of a column."""
        if isinstance(value, bool | np.bool_):
            return self.dialect.true if value else self.dialect.false
        if column.kind in ORDERED and isinstance(value, str):
            return double(float(_microseconds(value)))
        if column.kind in ORDERED:
            return str(value) if isinstance(value, int) else double(float(value))
        return self.engine.text(str(value))


def whole_numbers(values: NDArray[Any]) -> NDArray[Any]:
    """Return integers as such, also where some are missing."""
    if values.dtype.kind != "f":
        return values
    if not np.isnan(values).any():
        return values.astype(np.int64)
    return np.array([None if np.isnan(v) else int(v) for v in values.tolist()], dtype=object)


def _as_cells(column: EngineColumn, values: NDArray[Any]) -> NDArray[Any]:
    """Return what an engine returned for a column: numbers as float64, exact integers as such."""
    if column.kind not in ORDERED:
        return values.astype(object)
    return whole_numbers(values) if column.in_double else values.astype(np.float64)


def _microseconds(text: str) -> int:
    """Return a date or a duration from the text of its category.

    Examples
    --------
    >>> _microseconds("1970-01-02"), _microseconds("-01:00:00.500000")
    (86400000000, -3600500000)
    """
    clock = CLOCK.fullmatch(text)
    if clock is None:
        return int(np.datetime64(text, "us").astype(np.int64))
    sign, hours, minutes, seconds, fraction = clock.groups(default="")
    whole = (int(hours) * 60 + int(minutes)) * 60 + int(seconds)
    return (-1 if sign else 1) * (whole * 1_000_000 + int(f"{fraction:0<6}"[:6]))


def _number(result: NDArray[Any]) -> float:
    """Return the only entry of a column of a result; NaN = NULL."""
    value = result.tolist()[0]
    return np.nan if value is None else float(value)


def as_stored(column: EngineColumn, cells: NDArray[Any]) -> NDArray[Any]:
    """Return the cells of a column as arrays that tables in memory are made of."""
    if column.kind is Kind.NUMERIC:
        return whole_numbers(cells) if column.is_integer else cells
    if column.kind in ORDERED:
        unit = "M8[us]" if column.kind is Kind.DATETIME else "m8[us]"
        counts = np.where(np.isnan(cells), 0.0, cells).astype(np.int64).astype(unit)
        counts[np.isnan(cells)] = np.array("NaT", dtype=unit)
        return counts
    return cells

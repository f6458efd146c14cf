"""Which rows of an engine are tested: by their keys, by groups, or forward in time."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from modlearn._engines.engine import EngineColumn
from modlearn._engines.row_keys import key_sql, keys_of
from modlearn._engines.table import EngineTable, Folds
from modlearn._export.sql_writer import double
from modlearn._statistics.rows import Split
from modlearn._tables.memory.rows import MemoryRows
from modlearn.errors import ColumnError, spelled
from modlearn.schema import Schema

__all__ = ["EngineDivision"]

SHARES = 10_000
"""Shares of rows are rounded to this fraction."""

Integers = NDArray[np.int64]


@dataclass(frozen=True)
class EngineDivision:
    """Folds of a table, and the fold of each row of its sample.

    Parameters
    ----------
    folds : Folds
        The folds, as SQL.
    sample_folds : ndarray of shape (n,)
        Fold of each row of the sample.
    n_groups : int or None
        Number of groups, where whole groups are held out.
    """

    folds: Folds
    sample_folds: Integers
    n_groups: int | None = None

    @classmethod
    def of(
        cls, table: EngineTable, schema: Schema, sample: MemoryRows, split: Split
    ) -> EngineDivision:
        """Divide the rows as a split says."""
        assert split.parts is None, "rows of an engine have no numbers"
        if split.time is not None and split.group is not None:
            raise ColumnError(
                *spelled(
                    lambda spell: (
                        f"{spell('group')} and {spell('time')} cannot be combined for a table that "
                        "stays where it is: pass one of them."
                    )
                )
            )
        if split.time is not None:
            return _by_time(table, sample, split)
        if split.group is not None:
            return _by_group(table, sample, split)
        key = table.key(split.seed)
        return _by_key(key, table.sample_keys(sample, split.seed), split)


def _by_key(key: str, keys: Integers, split: Split) -> EngineDivision:
    """Divide rows by a number from 0 to PRIME - 1 that is as good as random."""
    if split.share is None:
        n = split.n_folds
        train = tuple(tuple(j for j in range(n + 1) if j != k) for k in range(n))
        return EngineDivision(Folds(f"(({key}) % {n})", n + 1, train), keys % n)
    tested = round(split.share * SHARES)
    sql = f"CASE WHEN ({key}) % {SHARES} < {tested} THEN 0 ELSE 1 END"
    numbers = np.where(keys % SHARES < tested, 0, 1)
    return EngineDivision(Folds(sql, 2, ((1,),)), numbers)


def _by_group(table: EngineTable, sample: MemoryRows, split: Split) -> EngineDivision:
    """Divide rows by the value of a column; a row without a value is a group of its own."""
    assert split.group is not None
    column = table.columns[split.group]
    labeled = f"WHERE {table.class_sql} < {table.n_classes}"
    (counted,) = table.fetch(f"count(DISTINCT {column.value}) AS n", labeled)
    if int(counted[0]) < 2:
        raise ColumnError(
            f"Column {split.group!r} has the same value in all labeled rows, so no group can be "
            "held out: choose a column with several values."
        )
    own, row = key_sql([column], table.engine.key, split.seed), table.key(split.seed)
    key = f"CASE WHEN {column.value} IS NULL THEN {row} ELSE {own} END"
    cells = table.cells_of(sample, column)
    missing = _is_missing(cells)
    rows = table.sample_keys(sample, split.seed)
    keys = np.where(missing, rows, keys_of([column], [cells], split.seed))
    return replace(_by_key(key, keys, split), n_groups=int(counted[0]))


def _is_missing(cells: NDArray[Any]) -> NDArray[np.bool_]:
    if cells.dtype.kind == "f":
        return np.asarray(np.isnan(cells))
    return np.array([cell is None for cell in cells.tolist()], dtype=bool)


def _by_time(table: EngineTable, sample: MemoryRows, split: Split) -> EngineDivision:
    """Divide the last rows into parts, each tested by what was learned from the rows before it."""
    assert split.time is not None
    assert split.share is not None
    column = table.columns[split.time]
    starts = _starts(table, column, split)
    n = len(starts)
    conditions = [
        f"WHEN {column.value} >= {double(starts[k])} THEN {k}" for k in reversed(range(n))
    ]
    # Rows that have a time but no class are learned from, like all others before a part.
    sql = f"CASE {' '.join(conditions)} ELSE {n} END"
    train = tuple((*range(k), n) for k in range(n))
    times = np.asarray(table.cells_of(sample, column), dtype=np.float64)
    numbers = np.searchsorted(np.array(starts), times, side="right") - 1
    numbers[(numbers < 0) | np.isnan(times)] = n
    return EngineDivision(Folds(sql, n + 1, train), numbers)


def _starts(table: EngineTable, column: EngineColumn, split: Split) -> list[float]:
    """Return the times at which the parts start."""
    assert split.share is not None
    times, rows = table.fetch(
        f"{column.value} AS t, count(*) AS n",
        f"WHERE {table.class_sql} < {table.n_classes} AND {column.value} IS NOT NULL "
        "GROUP BY 1 ORDER BY 1",
    )
    if len(times) < 2:
        raise ColumnError(
            f"Column {column.name!r} has fewer than two different times in the labeled rows, so "
            "the evaluation cannot go forward in time: choose another column."
        )
    above = np.cumsum(rows.astype(np.int64))
    shares = 1 - split.share * np.arange(split.n_folds, 0, -1) / split.n_folds
    first = np.minimum((shares * above[-1]).astype(np.int64), above[-1] - 1)
    found = np.unique(times[np.searchsorted(above, first, side="right")])
    return [float(time) for time in found.tolist() if time > times[0]]

"""Which rows of an engine are tested: by their keys, by groups, or forward in time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from modlearn._engines.engine import EngineColumn, once_more
from modlearn._engines.row_keys import key_sql, keys_of
from modlearn._engines.table import ALL_ROWS, EngineTable, Folds, as_stored
from modlearn._export.sql_writer import double
from modlearn._statistics.rows import Split
from modlearn._tables.memory.folds import deal_out
from modlearn._tables.memory.rows import MemoryRows
from modlearn._tables.memory.table import Table
from modlearn.errors import ColumnError, spelled

__all__ = ["EngineDivision"]

SHARES = 10_000
"""Shares of rows are rounded to this fraction."""

MOST_GROUPS = 10_000
"""Most groups that are dealt out as in memory; of more, each is tested by its key."""

COMPARED = 256
"""Most values that a cell is compared with one by one."""

TIME_BINS = 4_096
"""Number of bins that the times of rows are counted in, to find those at which parts start."""

MOST_TIMES = 100_000
"""Most times that are read at once."""

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


@dataclass(frozen=True)
class EngineDivision:
    """Folds of a table, and the fold of each row of its sample."""

    folds: Folds  # the folds, as SQL
    sample_folds: Integers  # (n,), fold of each row of the sample
    n_groups: int | None = None  # number of groups, where whole groups are held out

    @classmethod
    def of(cls, table: EngineTable, sample: MemoryRows, split: Split) -> EngineDivision:
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
    """Divide rows by a number from 0 to PRIME - 1 that behaves like a random number."""
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
    labeled = f"{table.class_sql} < {table.n_classes}"
    (counted,) = table.fetch(f"count(DISTINCT {column.value}) AS n")
    (alone,) = table.fetch("count(*) AS n", f"WHERE {labeled} AND {column.value} IS NULL")
    by_row = _by_key(table.key(split.seed), table.sample_keys(sample, split.seed), split)
    cells = table.cells_of(sample, column)
    missing, n_groups = _is_missing(cells), int(counted[0])
    if n_groups <= MOST_GROUPS and n_groups * table.n_classes * 32 <= table.memory:
        by_group = _dealt_out(table, column, split, cells, int(alone[0]))
    else:
        own = key_sql([column], table.engine.key, split.seed)
        by_group = _by_key(own, keys_of([column], [cells], split.seed), split)
        by_group = replace(by_group, n_groups=n_groups + int(alone[0]))
    sql = f"CASE WHEN {column.value} IS NULL THEN {by_row.folds.sql} ELSE {by_group.folds.sql} END"
    numbers = np.where(missing, by_row.sample_folds, by_group.sample_folds)
    return replace(by_group, folds=replace(by_row.folds, sql=sql), sample_folds=numbers)


def _dealt_out(
    table: EngineTable, column: EngineColumn, split: Split, cells: NDArray[Any], n_alone: int
) -> EngineDivision:
    """Deal out whole groups as rows in memory are."""
    values, classes, rows = table.fetch(
        f"{column.value} AS v, {table.class_sql} AS g, count(*) AS n",
        f"WHERE {column.value} IS NOT NULL GROUP BY 1, 2",
    )
    found = Table([column.name], len(values), [as_stored(column, values)]).categorical(0)
    groups, first = found.codes.astype(np.intp), np.unique(found.codes, return_index=True)[1]
    counts = np.zeros((len(first), table.n_classes + 1), dtype=np.int64)
    np.add.at(counts, (groups, classes.astype(np.intp)), rows.astype(np.int64))
    fold_of_group, n_groups = deal_out(counts[:, :-1], split, n_alone)
    known = sorted(zip(values[first].tolist(), fold_of_group.tolist(), strict=True))
    literals = [(table.literal(column, value), fold) for value, fold in known]
    fold_of = dict(known)
    numbers = np.array([fold_of.get(cell, 0) for cell in cells.tolist()], dtype=np.int64)
    sql = _lookup(column.value, literals, table.dialect.position)
    return EngineDivision(Folds(sql, 0), numbers, n_groups)


def _lookup(value: str, literals: Sequence[tuple[str, int]], position: str | None) -> str:
    """Return the SQL of the number of a value, of literals in increasing order, by bisection.

    The order of texts is that of their bytes in all engines and, by code points, in Python.
    `position` is that of the dialect: DuckDB takes 32 KB for a literal that is not in a list.
    """
    numbers = sorted({number for _, number in literals})
    if len(numbers) < 2:
        return str(numbers[0]) if numbers else "0"
    if len(literals) > COMPARED:
        half = len(literals) // 2
        parts = literals[:half], literals[half:]
        below, above = (_lookup(value, part, position) for part in parts)
        return f"CASE WHEN {value} < {literals[half][0]} THEN {below} ELSE {above} END"
    cases = []
    for number in numbers[:-1]:
        some = ", ".join(literal for literal, n in literals if n == number)
        is_one = f"{value} IN ({some})"
        if position is not None:
            is_one = f"{position.format(values=some, x=value)} > 0"
        cases.append(f"WHEN {is_one} THEN {number}")
    return f"CASE {' '.join(cases)} ELSE {numbers[-1]} END"


def _is_missing(cells: NDArray[Any]) -> NDArray[np.bool_]:
    if cells.dtype.kind == "f":
        return np.asarray(np.isnan(cells))
    return np.array([cell is None for cell in cells.tolist()], dtype=bool)


def _by_time(table: EngineTable, sample: MemoryRows, split: Split) -> EngineDivision:
    """Divide the last rows into parts, each tested by what was learned from the rows before it."""
    assert split.time is not None
    assert split.share is not None
    column = table.columns[split.time]
    starts = _starts(table, column, sample, split)
    n = len(starts)
    conditions = [
        f"WHEN {column.value} >= {double(starts[k])} THEN {k}" for k in reversed(range(n))
    ]
    # Rows that have a time but no class are learned from, like all others before a part.
    sql = f"CASE {' '.join(conditions)} ELSE {n} END"
    train = tuple((*range(k), n) for k in range(n))
    times = np.asarray(table.cells_of(sample, column), dtype=np.float64)
    numbers = np.searchsorted(starts, times, side="right") - 1
    numbers[(numbers < 0) | np.isnan(times)] = n
    return EngineDivision(Folds(sql, n + 1, train), numbers)


def _starts(table: EngineTable, column: EngineColumn, sample: MemoryRows, split: Split) -> Floats:
    """Return the times at which the parts start, with bounded memory whatever their number."""
    assert split.share is not None
    value, labeled = column.value, f"{table.class_sql} < {table.n_classes}"
    found = table.fetch(f"count({value}) AS n, min({value}) AS a, max({value}) AS b", _of(labeled))
    n_rows, least, most = (float(one.tolist()[0] or 0.0) for one in found)
    if least == most:
        raise ColumnError(
            f"Column {column.name!r} has fewer than two different times in the labeled rows, so "
            "the evaluation cannot go forward in time: choose another column."
        )
    shares = 1 - split.share * np.arange(split.n_folds, 0, -1) / split.n_folds
    ranks = np.minimum((shares * n_rows).astype(np.int64), int(n_rows) - 1)
    times = np.asarray(table.cells_of(sample, column), dtype=np.float64)
    times = np.sort(times[(times >= least) & (times <= most)])
    some = times[np.linspace(0, len(times) - 1, min(TIME_BINS, len(times))).astype(np.intp)]
    edges = np.unique(np.append(some, most))
    below = _rows_below(table, column, edges)
    starts = [_time_at(table, column, rank, edges, below) for rank in ranks.tolist()]
    distinct_starts = np.unique(starts)
    return distinct_starts[distinct_starts > least]


def _rows_below(table: EngineTable, column: EngineColumn, edges: Floats) -> Integers:
    """Return the number of labeled rows up to each edge, from one scan."""
    scan = table.scan([column.value], [edges], ALL_ROWS)
    (counts,) = once_more(lambda: table.engine.count_bins(scan, table.report))
    return np.asarray(counts[1:-1, :-1].sum(axis=1).cumsum())


def _time_at(
    table: EngineTable, column: EngineColumn, rank: int, edges: Floats, below: Integers
) -> float:
    """Return the time of a labeled row by its rank, from 0, in the order of time.

    Up to MOST_TIMES times of the bin that it is in are read; a bin with more is divided.
    """
    value, labeled = column.value, f"{table.class_sql} < {table.n_classes}"
    while True:
        at = int(np.searchsorted(below, rank, side="right"))
        low, before = (edges[at - 1], below[at - 1]) if at else (-np.inf, 0)
        inside = f"{labeled} AND {value} <= {double(edges[at])}"
        inside += f" AND {value} > {double(low)}" if at else ""
        times, rows = table.fetch(
            f"{value} AS t, count(*) AS n",
            f"{_of(inside)} GROUP BY 1 ORDER BY 1 LIMIT {MOST_TIMES}",
        )
        above = before + np.cumsum(rows.astype(np.int64))
        if above[-1] > rank:
            return float(times[np.searchsorted(above, rank, side="right")])
        # The times that were read are below it: go on above them.
        edges = np.unique(np.linspace(times[-1], edges[at], TIME_BINS + 1))
        below = _rows_below(table, column, edges)


def _of(condition: str) -> str:
    return f"WHERE {condition}"

"""A table in files or a DuckDB database that is larger than memory, counted chunk by chunk."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import count as count_up
from threading import Lock, current_thread, main_thread
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from modlearn._engines.engine import (
    EngineColumn,
    RowsDone,
    Scan,
    WindowCounts,
    integers_or_null,
    numbers_by_window,
)
from modlearn._parallel import each_in_threads, in_other_thread, n_threads_of
from modlearn._statistics.cell_counts import count_coarse_cells
from modlearn._statistics.edges import Edges
from modlearn._tables.files.columns import FileColumn, identifier, read_as
from modlearn._tables.files.parse_errors import unreadable
from modlearn._tables.files.relation import Piece
from modlearn._tables.files.workspace import IN_MEMORY, is_interruption, literal
from modlearn.errors import EngineError, spelled
from modlearn.schema import ORDERED, Kind, free_names

if TYPE_CHECKING:
    from modlearn._tables.files.relation import FileSource

__all__ = ["DIALECT", "DuckDBEngine"]

DIALECT = "duckdb"
"""Name of its SQL, a key of ``DIALECTS``."""

CHUNK = 250_000
"""Number of rows that are counted at a time."""

CELLS_IN_CHUNK = 5_000_000
"""Most cells that are counted or read at a time, unless a row group of a column holds more.

DuckDB holds the row group of all columns of a query in memory, so that wide tables are read a few
columns at a time.
"""

BEFORE, AFTER = "nullif(", ", 'nan'::DOUBLE)"
"""What makes NaN missing in SQL."""

TIMES = (Kind.DATETIME, Kind.DURATION)

INTEGERS = ("integer",)
"""Families of columns that hold integers."""


@dataclass(eq=False)
class DuckDBEngine:
    """Answers for the table of an open file."""

    source: FileSource  # the open file; threads use cursors of its connection
    memory: int = 1_000_000_000  # number of bytes that DuckDB may use
    n_jobs: int | None = -1  # number of threads, as scikit-learn spells it

    def __post_init__(self) -> None:
        self._pieces = self.source.pieces

    @property
    def key(self) -> str:
        """Name of its dialect."""
        return DIALECT

    @property
    def label(self) -> str:
        """Name of the file as the user passed it."""
        return self.source.path

    @property
    def relation(self) -> str:
        """All rows."""
        return self.source.whole

    @cached_property
    def columns(self) -> Sequence[EngineColumn]:
        """The columns of the file."""
        return [self.column(one) for one in self.source.columns]

    @staticmethod
    def column(column: FileColumn) -> EngineColumn:
        """Return a column of a file as engines name it."""
        value = column.value
        if column.family == "nanoseconds":
            value = f"epoch_us({column.raw})"
        if column.kind in ORDERED:
            value = f"{BEFORE}CAST({value} AS DOUBLE){AFTER}"
        is_spelled = column.is_text and (column.format or column.kind in TIMES)
        written = read_as(column, Kind.TEXT).value if is_spelled else ""
        is_integer = column.family in INTEGERS
        exact = column.value if is_integer else ""
        return EngineColumn(
            column.name, column.kind, value, is_integer, column.format, written, exact
        )

    def name(self, name: str) -> str:
        """Return a column name in quotes."""
        return identifier(name)

    def text(self, value: str) -> str:
        """Return a text in quotes."""
        return literal(value)

    def fetch(self, statement: str) -> list[NDArray[Any]]:
        """Return the columns of a result that fits in memory."""
        with self._own_errors(), self.source.workspace.cursor() as cursor:

            def ask() -> list[NDArray[Any]]:
                # A relation hands its rows over as they are computed; `execute` copies them first.
                return list(cursor.sql(statement).fetchnumpy().values())

            # Signals reach the main thread, but not while it is inside of `fetchnumpy`.
            is_main = current_thread() is main_thread()
            arrays = in_other_thread(ask, cursor.interrupt) if is_main else ask()
        return [_filled(array) for array in arrays]

    def share_done(self) -> float | None:
        """Return about which share of the query that is running is done."""
        return self.source.workspace.share_done()

    def count_bins(self, scan: Scan, report: RowsDone) -> list[NDArray[np.int64]]:
        """Count rows by bin and group."""
        edges = [Edges(one) for one in scan.edges]
        shapes = [(len(one) + 2, scan.n_groups) for one in scan.edges]
        counts = [np.zeros(shape, dtype=np.int64) for shape in shapes]
        locks, numbers = [Lock() for _ in counts], count_up()

        def count(first: int, columns: list[NDArray[np.float64]], groups: NDArray[Any]) -> None:
            # Threads start with different columns, so that they rarely wait for each other.
            half = len(columns) // 2 * (next(numbers) % 2)
            for k in np.roll(np.arange(len(columns)), half).tolist():
                with locks[first + k]:
                    edges[first + k].count(columns[k], groups, counts[first + k])

        self._each_chunk(scan, count, report)
        return counts

    def count_windows(self, scan: Scan, report: RowsDone) -> list[WindowCounts]:
        """Count rows by value and group inside windows."""
        edges = [Edges(one) for one in scan.edges]
        found: list[list[tuple[NDArray[Any], NDArray[Any]]]] = [[] for _ in edges]

        def collect(first: int, columns: list[NDArray[np.float64]], groups: NDArray[Any]) -> None:
            for k, values in enumerate(columns, first):
                inside = edges[k].inside(values)
                found[k].append((values[inside], groups[inside]))

        self._each_chunk(scan, collect, report)
        return [_counted(parts) for parts in found]

    def count_cells(
        self, scan: Scan, pairs: NDArray[np.int64], n_bins: int, report: RowsDone
    ) -> NDArray[np.int64]:
        """Count rows of pairs of columns by both bins and group."""
        edges = [Edges(one) for one in scan.edges]
        total = np.zeros((len(pairs), n_bins, n_bins, scan.n_groups), dtype=np.int64)
        lock = Lock()
        # All threads together count as many cells at a time as two would.
        step = max(1, 2 * len(pairs) // max(2, n_threads_of(self.n_jobs)))
        blocks = [slice(first, first + step) for first in range(0, len(pairs), step)]

        def count(_: int, columns: list[NDArray[np.float64]], groups: NDArray[Any]) -> None:
            codes = np.stack(
                [
                    one.codes(values).astype(np.uint8)
                    for one, values in zip(edges, columns, strict=True)
                ]
            )
            small = groups.astype(np.int32)
            for some in blocks:
                cells = count_coarse_cells(codes, small, None, scan.n_groups, pairs[some], n_bins)
                with lock:
                    np.add(total[some], cells, out=total[some])

        self._each_chunk(scan, count, report, together=True)
        return total

    def numbered(self, key: str, cells: str) -> tuple[str, str]:
        """Return a temporary copy of the rows, and the column that numbers rows that are equal.

        A window over all rows would be computed anew for every chunk.
        """
        name, number = numbers_by_window(self, key, cells)
        (row,) = free_names(["position"], [name, *(column.name for column in self.columns)])
        workspace = self.source.workspace
        table = workspace.new_table(2 * IN_MEMORY)
        with self._own_errors(), workspace.cursor() as cursor:
            cursor.execute(
                f"CREATE TABLE {table} AS SELECT *, row_number() OVER () - 1 AS {row} "
                f"FROM (SELECT *, {number} FROM {self.relation})"
            )
        self._pieces = [Piece(table, row, self.source.n_rows)]
        return table, name

    def stop(self) -> None:
        """Stop all queries and close the file."""
        self.source.close()

    def close(self) -> None:
        """Close the file."""
        self.source.close()

    @property
    def columns_at_once(self) -> int:
        """Most columns that one query reads."""
        group = max((piece.group for piece in self._pieces), default=1)
        return max(1, self._cells_at_once // group)

    @cached_property
    def _cells_at_once(self) -> int:
        """Most cells that one thread reads: twice as many row groups as threads fit in memory."""
        return min(CELLS_IN_CHUNK, self.memory // (4 * 8 * n_threads_of(self.n_jobs)))

    def _each_chunk(
        self,
        scan: Scan,
        work: Callable[[int, list[NDArray[np.float64]], NDArray[Any]], None],
        report: RowsDone,
        together: bool = False,
    ) -> None:
        """Read chunk after chunk, in threads; hand over some columns, or all together, and groups.

        The number of the first column is handed over, too.
        """
        n_columns = len(scan.columns)
        at_once = n_columns if together else min(n_columns, self.columns_at_once)
        n_cells = 0

        def read(chunk: tuple[str, str, int]) -> int:
            relation, condition, first = chunk
            columns = scan.columns[first : first + at_once]
            # Kernels know that NaN is missing, so that DuckDB need not look for it.
            plain = [one.removeprefix(BEFORE).removesuffix(AFTER) for one in columns]
            selected = [f"{one} AS c{k}" for k, one in enumerate(plain)]
            selected.append(f"CAST({scan.group} AS {_small_type(scan.n_groups)}) AS g")
            arrays = self.fetch(
                f"SELECT {', '.join(selected)} FROM {relation} "
                f"WHERE {condition} AND ({scan.condition})"
            )
            groups = arrays.pop()
            work(first, [np.ascontiguousarray(one, dtype=np.float64) for one in arrays], groups)
            return len(groups) * len(columns)

        def keep(chunk: tuple[str, str, int], n_more: int) -> None:
            nonlocal n_cells
            n_cells += n_more
            report(n_cells // n_columns)

        each_in_threads(read, self._chunks(n_columns, at_once), keep, self.n_jobs)

    def _chunks(self, n_columns: int, at_once: int) -> Iterator[tuple[str, str, int]]:
        """Yield relations, the condition of a chunk of their rows, and the first of its columns."""
        most = max(1, min(CHUNK, self._cells_at_once // max(1, at_once)))
        for piece in self._pieces:
            step = most - most % piece.group or piece.group
            for start in range(0, piece.stop, step):
                condition = f"{piece.row} BETWEEN {start} AND {start + step - 1}"
                for first in range(0, n_columns, at_once):
                    yield piece.relation, condition, first

    def _own_errors(self) -> Any:
        return _OwnErrors(self.source.path)


class _OwnErrors:
    """Raises errors of DuckDB as those of an engine, and its interruptions as the user's."""

    def __init__(self, path: str) -> None:
        self._path = path

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, error: BaseException | None, _: Any) -> None:
        import duckdb

        if error is not None and is_interruption(error):
            raise KeyboardInterrupt from None
        if isinstance(error, duckdb.OutOfMemoryException):
            raise EngineError(
                *spelled(
                    lambda spell: (
                        f"Counting the rows of {self._path!r} needs more memory than is allowed: "
                        f"allow more with {spell('memory')}, or use fewer columns."
                    )
                )
            ) from None
        if isinstance(error, duckdb.Error):
            raise EngineError(*unreadable(self._path, error).args) from None


def _small_type(n_groups: int) -> str:
    return "UTINYINT" if n_groups <= 256 else "USMALLINT" if n_groups <= 2**16 else "INTEGER"


def _filled(array: NDArray[Any]) -> NDArray[Any]:
    """Return an array without a mask: missing numbers are NaN, other missing values None."""
    if not np.ma.is_masked(array):
        plain = np.asarray(array)
        return plain.astype(object) if plain.dtype.kind in ("b", "U") else plain
    is_float = array.dtype.kind == "f"
    found = np.asarray(array).astype(np.float64 if is_float else object)
    found[np.ma.getmaskarray(array)] = np.nan if is_float else None
    return integers_or_null(found) if array.dtype.kind in "iu" else found


def _counted(parts: list[tuple[NDArray[Any], NDArray[Any]]]) -> WindowCounts:
    """Count equal values and groups."""
    values = np.concatenate([values for values, _ in parts]) if parts else np.zeros(0)
    of_rows = [groups.astype(np.int64) for _, groups in parts]
    groups = np.concatenate(of_rows) if parts else np.zeros(0, dtype=np.int64)
    values = values + 0.0  # -0.0 is 0.0
    order = np.lexsort((groups, values))
    values, groups = values[order], groups[order]
    first = np.ones(len(values), dtype=bool)
    first[1:] = (values[1:] != values[:-1]) | (groups[1:] != groups[:-1])
    starts = np.flatnonzero(first)
    rows = np.diff(np.append(starts, len(values)))
    return values[starts], groups[starts], rows.astype(np.int64)

"""What is asked of an engine: small results of SQL, and three kinds of counts made in one scan.

Everything else about fitting where the data lies is the same for all engines (``rows.py``).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from modlearn._tables.cells import EXACT_INTEGERS
from modlearn.errors import EngineError
from modlearn.schema import Kind, free_names

__all__ = [
    "POLL_SECONDS",
    "Engine",
    "EngineColumn",
    "RowsDone",
    "Scan",
    "WindowCounts",
    "integers_or_null",
    "numbered_by_window",
    "numbers_by_window",
    "once_more",
]

Answer = TypeVar("Answer")

POLL_SECONDS = 0.25
"""How often a query that runs is looked at: how far it is, and whether it is to stop."""

RowsDone = Callable[[int], None]
"""Called during a scan with the number of rows that are done, for the progress bar."""

WindowCounts = tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]
"""Values, groups and numbers of rows."""


@dataclass(frozen=True)
class EngineColumn:
    """A column of a table in an engine.

    Parameters
    ----------
    name : str
        Name of the column.
    kind : Kind
        What its cells are.
    value : str
        SQL of its cells: double precision for numbers, microseconds in double precision for dates
        (since 1970, UTC) and durations, otherwise text or Boolean; NULL = missing, also for NaN.
    is_integer : bool, default=False
        Whether its numbers are stored as integers.
    format : str or None, default=None
        How its dates or numbers are written where they are text, as in ``Column``.
    as_written : str, default=""
        SQL of its texts, if they are read as dates, durations or amounts; empty = they are not.
    exact : str, default=""
        SQL of its integers as such: those above 2**53 differ although their doubles do not.
    in_double : str, default=""
        SQL of its integers in double precision, where `value` is exact; empty = it is not.
    """

    name: str
    kind: Kind
    value: str
    is_integer: bool = False
    format: str | None = None
    as_written: str = ""
    exact: str = ""
    in_double: str = ""

    def as_categories(self) -> EngineColumn:
        """Return the column as its categories or classes are read: integers as such."""
        if not self.exact:
            return self
        return replace(self, value=self.exact, in_double=self.value, exact="")


@dataclass(frozen=True)
class Scan:
    """One pass over the rows, which counts several columns.

    Parameters
    ----------
    columns : sequence of str
        SQL of the columns to count, in double precision.
    edges : sequence of ndarray of float64
        Increasing edges for each column; infinite ones are allowed.
    group : str
        SQL of a number from 0 for each row, such as class and fold in one.
    n_groups : int
        Number of groups.
    relation : str
        SQL that follows FROM.
    condition : str
        SQL that follows WHERE.
    n_rows : int
        About how many rows are read, for the progress bar.
    """

    columns: Sequence[str]
    edges: Sequence[NDArray[np.float64]]
    group: str
    n_groups: int
    relation: str
    condition: str = "true"
    n_rows: int = 0


def once_more(ask: Callable[[], Answer]) -> Answer:
    """Ask an engine, and a second time if it fails."""
    try:
        return ask()
    except EngineError:
        return ask()


def integers_or_null(values: NDArray[Any]) -> NDArray[Any]:
    """Return integers and None as float64, or as they are if float64 does not hold one of them."""
    if any(value is not None and abs(value) > EXACT_INTEGERS for value in values.tolist()):
        return values
    return values.astype(np.float64)  # None becomes NaN


def numbers_by_window(engine: Engine, key: str, cells: str) -> tuple[str, str]:
    """Return the name of a column that numbers the rows of each key, and its SQL with that name."""
    (name,) = free_names(["number_of_equal"], [column.name for column in engine.columns])
    return name, f"row_number() OVER (PARTITION BY {key} ORDER BY {cells}) AS {name}"


def numbered_by_window(engine: Engine, key: str, cells: str) -> tuple[str, str]:
    """Return what ``Engine.numbered`` returns, by a window function."""
    name, number = numbers_by_window(engine, key, cells)
    return f"(SELECT *, {number} FROM {engine.relation}) AS numbered", name


class Engine(Protocol):
    """A connection to an engine and one of its tables; SQL is in the dialect of the engine.

    Nothing is written into the user's database. An error of the engine is raised as an
    ``EngineError`` with the engine's own message and without credentials. An interruption by the
    user stops the query that is running and raises ``KeyboardInterrupt``.
    """

    @property
    def label(self) -> str:
        """Name of the table in messages and reports; never holds credentials."""
        ...

    @property
    def key(self) -> str:
        """Name of its dialect of SQL, a key of ``DIALECTS``."""
        ...

    @property
    def relation(self) -> str:
        """SQL of the table, as it follows FROM."""
        ...

    @property
    def columns(self) -> Sequence[EngineColumn]:
        """The columns of the table, in their order; nested ones are among them."""
        ...

    @property
    def columns_at_once(self) -> int:
        """Most columns to fetch in one query, if queries of the same rows keep their order."""
        ...

    def text(self, value: str) -> str:
        """Return a text in quotes."""
        ...

    def fetch(self, statement: str) -> list[NDArray[Any]]:
        """Return the columns of a result that fits in memory.

        Numbers are float64 with NaN for NULL; integers without NULL are int64, and those with NULL
        objects if float64 does not hold one of them. Texts and Booleans are objects, None for NULL.
        """
        ...

    def share_done(self) -> float | None:
        """Return about which share of the query that is running is done; None = not known."""
        ...

    def count_bins(self, scan: Scan, report: RowsDone) -> list[NDArray[np.int64]]:
        """Count rows by bin and group, shape (E + 2, n_groups) for each column with E edges.

        Bin 0 holds NULL; bin b the values above edge b - 2, up to and including edge b - 1, where
        there are such edges: 1 + np.searchsorted(edges, values, side="left").
        """
        ...

    def count_windows(self, scan: Scan, report: RowsDone) -> list[WindowCounts]:
        """Count rows by value and group inside windows, for each column.

        Edges are pairs (low, high]: values in low < value <= high of any window are counted, NULL
        is not. The values of each result are in increasing order, equal ones by group.
        """
        ...

    def count_cells(
        self, scan: Scan, pairs: NDArray[np.int64], n_bins: int, report: RowsDone
    ) -> NDArray[np.int64]:
        """Count rows of pairs (P, 2) of the columns by both bins and group, shape (P, I, I, G).

        Bins are those of ``count_bins``; I = n_bins is at least the number of bins of each column.
        """
        ...

    def numbered(self, key: str, cells: str) -> tuple[str, str]:
        """Return a relation with all rows, and the SQL of a number of rows that are equal.

        `key` is the SQL of the key of a row: rows with the same key have different numbers, in the
        order of their `cells`, which is SQL, too. Which of several identical rows has which number
        does not matter, so that nothing depends on the order of rows.
        """
        ...

    def stop(self) -> None:
        """Stop what other threads ask; whoever asks again is interrupted, too."""
        ...

    def close(self) -> None:
        """Close the connection, if it was opened here."""
        ...

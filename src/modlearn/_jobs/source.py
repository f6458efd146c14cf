"""What a job asks of whatever holds a table: a file, a frame, or an engine."""

from __future__ import annotations

import os
from collections.abc import Hashable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from modlearn._jobs.options import as_names
from modlearn._model.evaluation import Note
from modlearn._parallel import Progress, no_progress
from modlearn._statistics.rows import Rows
from modlearn._tables.memory.table import Source, vector

__all__ = ["ColumnRequest", "OpenSource", "RequestedRows", "Room"]


@dataclass(frozen=True)
class ColumnRequest:
    """Which columns of the table to use, and how."""

    target: Any  # name of the target, or a label per row
    # Columns to leave out; the only columns to use; columns whose numbers are categories.
    drop: Any = ()
    only: Any = ()
    as_categorical: Any = ()
    as_date: Any = ()  # columns to read as dates, in the format that most cells have
    date_format: Any = None  # formats of columns to read as dates
    trend: Any = ()  # columns of dates to use as they are, too, rather than only by their calendar
    # Columns that divide the rows for the evaluation. The model does not use them, except that a
    # `time` that is a date is used like other dates.
    group: Hashable | None = None
    time: Hashable | None = None

    def dates(self) -> dict[Hashable, str | None]:
        """Columns to read as dates, with their formats; None = to be detected."""
        formats = {} if self.date_format is None else self.date_format
        if not isinstance(formats, Mapping):
            raise ValueError(
                f"date_format is {formats!r}: pass a dict of columns and their formats, such as "
                "{'when': '%d/%m/%Y'}."
            )
        return {**(dict.fromkeys(as_names(self.as_date)) if self.as_date else {}), **formats}

    @cached_property
    def labels(self) -> Source | None:
        """A label per row; None if the target is a column of the table."""
        if isinstance(self.target, str | bytes | tuple) or not hasattr(self.target, "__len__"):
            return None
        return vector(self.target, "y", warn=False)

    @property
    def label_name(self) -> Hashable:
        """The name of the labels: their own, as a series has, or "y"."""
        name: Hashable = getattr(self.labels, "name", None)
        return "y" if name in (None, "") else name


@dataclass(frozen=True)
class RequestedRows:
    """The rows that a user asks for, wherever they lie."""

    rows: Rows  # the columns and the target, as the statistics that models are learned from
    nested: list[int]  # indices of columns that turned out to hold several values in each cell
    # Names of categories and classes whose dates, times or amounts stay text.
    as_written: frozenset[str] = frozenset()


class OpenSource:
    """What a job asks of anything that holds a table; an engine is one more of these.

    It is a class rather than a protocol: frames have their columns, and those of Spark Connect
    every name, as attributes.

    Attributes
    ----------
    label : str or None
        Name of the file or table; None = a frame.
    names : list
        Names of the columns.
    named : bool
        Whether the user named the columns.
    notes : list of Note
        What happened while the table was opened.
    nested : frozenset of int
        Indices of columns that cannot be read, as a cell holds several values.
    closing : context manager
        Closes what reading needs; rows that stay in an engine keep their own connection.
    """

    label: str | None
    names: list[Hashable]
    named: bool
    notes: list[Note]
    nested: frozenset[int]
    closing: AbstractContextManager[Any]

    def rows(
        self,
        request: ColumnRequest,
        target: int | None,
        columns: list[int],
        categorical: set[int],
    ) -> RequestedRows:
        """Return the rows, with these columns and this target by index."""
        raise NotImplementedError


SHARE = 0.5
"""Share of the installed memory that a job may use if the user does not say how much."""

BYTES_PER_CELL = 40
"""Memory that a cell takes while a model is learned from a table in memory."""


@dataclass(frozen=True)
class Room:
    """How much memory a job may use, and how many threads."""

    memory: int
    progress: Progress = no_progress  # called with the progress of scans
    at_once: int | None = None  # number of columns that are in memory at the same time; None = all
    n_jobs: int = -1  # number of threads that read and count, as scikit-learn spells it

    @classmethod
    def of(cls, memory: int | None, progress: Progress, n_jobs: int = -1) -> Room:
        """Return the room that the user grants, by default half of the memory installed."""
        return cls(_installed() if memory is None else memory, progress, n_jobs=n_jobs)

    def holds(self, n_rows: int, n_columns: int) -> bool:
        """Return whether a job can be done with a table in memory."""
        n_read = n_columns if self.at_once is None else self.at_once
        return n_rows * n_read * BYTES_PER_CELL <= self.memory


def _installed() -> int:
    """Return the share of the installed memory that a job may use."""
    pages = os.sysconf("SC_PHYS_PAGES") if hasattr(os, "sysconf") else 0
    installed = pages * os.sysconf("SC_PAGE_SIZE") if pages > 0 else 4_000_000_000
    return int(SHARE * installed)

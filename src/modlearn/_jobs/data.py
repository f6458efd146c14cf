"""The table of a job, from a file or a frame, of which only columns that are needed are read."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from modlearn._tables.memory.source import is_array_like
from modlearn._tables.memory.table import Table, read_table
from modlearn.errors import ColumnError, EmptyTableError

__all__ = ["Opened", "open_data"]


@dataclass(frozen=True)
class Opened:
    """A table whose columns are known, and read when they are asked for.

    Parameters
    ----------
    label : str or None
        Name of the file; None = a frame.
    names : list
        Names of the columns.
    named : bool
        Whether the user gave them; those of an array are numbered.
    notes : list of str
        What happened while the file was opened.
    nested : frozenset of int
        Places of columns that a file is known to hold and that cannot be read.
    read : callable
        Gives a table of the columns at some places; those of a file as types that are named.
    closing : context manager
        What to leave when all is read.
    """

    label: str | None
    names: list[Hashable]
    named: bool
    notes: list[str]
    nested: frozenset[int]
    read: Callable[..., Table]
    closing: AbstractContextManager[Any]


def open_data(data: Any) -> Opened:
    """Open a path, or name the columns of an open file, a frame, an array or a table."""
    if isinstance(data, str | PathLike):
        return _open_file(fspath(data))
    if hasattr(data, "batches"):
        return _of_source(data, _shown(data.path), nullcontext())
    try:
        table = read_table(data)
    except EmptyTableError as error:
        raise ColumnError(f"The table has no {error.lacks}: give one that has some.") from None

    def read(places: Sequence[int], types: Mapping[str, str] | None = None) -> Table:
        return _part(table, places)

    named = not is_array_like(data)
    return Opened(None, list(table.names), named, [], frozenset(), read, nullcontext())


def _part(table: Table, places: Sequence[int]) -> Table:
    """Some columns of a table."""
    names = [table.names[i] for i in places]
    return Table(names, table.n_rows, [table.sources[i] for i in places])


def _open_file(path: str) -> Opened:
    # not imported before: users of frames need no DuckDB
    from modlearn._tables.files.paths import open_source

    source = open_source(path)
    return _of_source(source, _shown(path), source)


def _shown(path: str) -> str:
    """The last part of a path, of a glob or of "folder/shop.duckdb::orders" says enough."""
    return path if path == "-" else Path(path).name


def _of_source(source: Any, label: str | None, closing: AbstractContextManager[Any]) -> Opened:
    """A file that is open, whose columns DuckDB reads."""
    if not source.n_rows:
        with closing:
            name = "" if label is None else f" {label!r}"
            raise ColumnError(f"The table{name} has no rows: give one that has some.")

    def read(places: Sequence[int], types: Mapping[str, str] | None = None) -> Table:
        return source.read([source.names[i] for i in places], types)

    names, notes = list(source.names), [str(note) for note in source.notes]
    nested = frozenset(i for i, name in enumerate(names) if source.types[name] == "nested")
    return Opened(label, names, True, notes, nested, read, closing)

"""The table of a job, from a file or a frame, of which only columns that are needed are read."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from modlearn._model.evaluation import Note
from modlearn._tables.memory.source import is_array_like
from modlearn._tables.memory.table import Table, read_table
from modlearn.errors import ColumnError, EmptyTableError
from modlearn.schema import Kind

__all__ = ["OpenTable", "open_data"]


@dataclass(frozen=True)
class OpenTable:
    """A table whose columns are known, and read when they are needed.

    Parameters
    ----------
    label : str or None
        Name of the file; None = a frame.
    names : list
        Names of the columns.
    named : bool
        Whether the user named them; those of an array are numbered.
    notes : list of Note
        What happened while the file was opened.
    nested : frozenset of int
        Indices of columns of a file whose cells hold several values, which cannot be read.
    read : callable
        Gives a table of the columns at some indices; those of a file as the kinds that are passed.
    closing : context manager
        To be left when all is read.
    """

    label: str | None
    names: list[Hashable]
    named: bool
    notes: list[Note]
    nested: frozenset[int]
    read: Callable[..., Table]
    closing: AbstractContextManager[Any]


def open_data(data: Any) -> OpenTable:
    """Open a path, or name the columns of an open file, a frame, an array or a table."""
    if isinstance(data, str | PathLike):
        return _open_file(fspath(data))
    if hasattr(data, "batches"):
        return _of_source(data, _shown(data.path), nullcontext())
    try:
        table = read_table(data)
    except EmptyTableError as error:
        raise ColumnError(f"The table has no {error.lacks}: give one that has some.") from None

    def read(indices: Sequence[int], types: Mapping[str, str] | None = None) -> Table:
        return _part(table, indices)

    named = not is_array_like(data)
    return OpenTable(None, list(table.names), named, [], frozenset(), read, nullcontext())


def _part(table: Table, indices: Sequence[int]) -> Table:
    """Some columns of a table."""
    names = [table.names[i] for i in indices]
    return Table(names, table.n_rows, [table.sources[i] for i in indices])


def _open_file(path: str) -> OpenTable:
    # not imported before: users of frames need no DuckDB
    from modlearn._tables.files.paths import open_source

    source = open_source(path)
    return _of_source(source, _shown(path), source)


def _shown(path: str) -> str:
    """The last part of a path, of a glob or of "folder/shop.duckdb::orders" says enough."""
    return path if path == "-" else Path(path).name


def _of_source(source: Any, label: str | None, closing: AbstractContextManager[Any]) -> OpenTable:
    """A file that is open, whose columns DuckDB reads."""
    if not source.n_rows:
        with closing:
            name = "" if label is None else f" {label!r}"
            raise ColumnError(f"The table{name} has no rows: give one that has some.")

    def read(indices: Sequence[int], types: Mapping[str, str] | None = None) -> Table:
        return source.read([source.names[i] for i in indices], types)

    names = list(source.names)
    notes = [Note(note.kind, dict(note.numbers)) for note in source.notes]
    nested = frozenset(i for i, name in enumerate(names) if source.types[name] is Kind.NESTED)
    return OpenTable(label, names, True, notes, nested, read, closing)

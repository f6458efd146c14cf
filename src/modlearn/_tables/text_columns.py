"""Texts and numbers of frames, read as dates or numbers in the way that files are read."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

import numpy as np

from modlearn._tables.cells import Cells, CodedCells, distinct
from modlearn._tables.memory.table import Source, Table, cells_of, is_text, kind_of
from modlearn._tables.notes import ReadingNote
from modlearn.errors import ColumnError
from modlearn.schema import Column, Kind, listed

__all__ = ["as_in_training", "read_texts"]

TIMES = {Kind.DATETIME: "M8[us]", Kind.DURATION: "m8[us]"}
SAMPLE_ROWS = 1000
"""Number of rows that show whether a column of text may be something else."""

TYPES = {"i": "BIGINT", "u": "UBIGINT", "f": "DOUBLE"}


def as_in_training(table: Table, columns: Sequence[Column | None]) -> Table:
    """Return a table whose texts are dates or numbers where they were in the training data.

    Its columns are those of the training data; None = it was not one of them.
    """
    sources = list(table.sources)
    for i, (name, column) in enumerate(zip(table.names, columns, strict=True)):
        if column is None or not (column.kind in TIMES or column.format):
            continue
        kind = kind_of(sources[i], f"Column {name!r}")
        if kind is Kind.TEXT or (kind is Kind.NUMERIC and column.kind is Kind.DATETIME):
            sources[i] = _read_known(sources[i], name, column)
    return Table(table.names, table.n_rows, sources)


def read_texts(
    table: Table, requested: Mapping[int, str | None]
) -> tuple[Table, list[ReadingNote]]:
    """Return a table whose texts are amounts, dates or times if files would be read so, and notes.

    Texts that are plain numbers stay text: a frame has a type for numbers, and whoever does not
    use it means categories. Requested columns are read as dates in a format; None = detected.
    """
    sources, notes = list(table.sources), list[ReadingNote]()
    for i, format in requested.items():
        if kind_of(sources[i], f"Column {table.names[i]!r}") is not Kind.DATETIME:
            sources[i], about = _read_requested(sources[i], table.names[i], format)
            notes += about
    doubtful = [i for i, source in enumerate(sources) if _may_be_spelled(source)]
    if doubtful:
        notes += _reinterpret(table.names, sources, doubtful)
    return Table(table.names, table.n_rows, sources), notes


def _reinterpret(
    names: list[Hashable], sources: list[Source], doubtful: list[int]
) -> list[ReadingNote]:
    """Read columns as files are read, in place; return notes."""
    from modlearn._tables.files.options import ReadOptions
    from modlearn._tables.files.text_types import reinterpret

    notes = []
    # Names may be anything; here they are numbers.
    texts = {str(i): _DistinctValues(sources[i], names[i]) for i in doubtful}
    with _opened(texts) as opened:
        found, about = reinterpret(opened.workspace, "texts", opened.columns, ReadOptions())
        used = {n: c for n, c in found.items() if c.kind in TIMES or c.format}
        for key, column in used.items():
            sources[int(key)] = texts[key].cells(opened, column)
    for note in about:
        key = str(note.numbers["column"])
        if key in used:
            numbers = {**note.numbers, "column": str(names[int(key)])}
            if note.kind == "missing_words":
                numbers["n_cells"] = texts[key].n_missing(sources[int(key)])
            notes.append(ReadingNote(note.kind, numbers))
    return notes


def _may_be_spelled(source: Source) -> bool:
    """Whether the first cells of a column are text that may be amounts, dates or times."""
    if isinstance(source, Cells | CodedCells) or not is_text(source):
        return False
    from modlearn._tables.files.dialect import are_words

    try:
        cells = cells_of(source[:SAMPLE_ROWS], "")
    except (ColumnError, TypeError, ValueError):
        return False  # it is refused with its name if it is used
    return isinstance(cells, CodedCells) and not are_words(list(map(str, cells.values)))


def _read_known(source: Source, name: Hashable, column: Column) -> Source:
    """Read a column as the kind and in the format that it had in the training data."""
    from modlearn._tables.files.columns import read_as

    values = _DistinctValues(source, name)
    with _opened({str(name): values}) as opened:
        read = read_as(opened.columns[0], column.kind, column.format)
        return values.cells(opened, read) if read.kind is column.kind else source


def _read_requested(
    source: Source, name: Hashable, format: str | None
) -> tuple[Source, list[ReadingNote]]:
    """Read a column as dates."""
    from modlearn._tables.files.date_columns import read_requested_dates

    values = _DistinctValues(source, name)
    with _opened({str(name): values}) as opened:
        read_requested_dates(opened, {str(name): format})
        return values.cells(opened, opened.columns[0]), opened.notes


def _opened(columns: Mapping[str, _DistinctValues]) -> Any:
    """Return the distinct values of columns as a table of DuckDB; shorter ones end with NULL."""
    from modlearn._tables.files.columns import identifier, natural_columns
    from modlearn._tables.files.relation import FileSource, Piece
    from modlearn._tables.files.workspace import Workspace

    workspace, n_rows = Workspace(), max(len(column.values) for column in columns.values())
    selected = ", ".join(
        f"unnest(CAST(? AS {column.type}[])) AS {identifier(name)}"
        for name, column in columns.items()
    )
    lists = [column.values for column in columns.values()]
    workspace.execute(f"CREATE TABLE texts AS SELECT {selected}", lists)
    found, pieces = natural_columns(workspace, "texts"), [Piece("texts", "rowid", n_rows)]
    return FileSource(workspace, found, "texts", pieces, n_rows, path="the table")


class _DistinctValues:
    """The distinct texts or numbers of a column, which DuckDB reads as another kind."""

    def __init__(self, source: Source, name: Hashable) -> None:
        cells, self.name = cells_of(source, f"Column {name!r}"), name
        if isinstance(cells, CodedCells):
            self.codes, self.type = cells.codes, "VARCHAR"
            self.values = [None if value is None else str(value) for value in cells.values]
            return
        if cells.values.dtype.kind not in TYPES:
            raise ColumnError(f"Column {name!r} holds neither text nor numbers to read as dates.")
        self.codes, found = distinct(cells)
        self.values, self.type = found.tolist(), TYPES[cells.values.dtype.kind]

    def cells(self, opened: Any, column: Any) -> Cells:
        """Return the cells of all rows."""
        from modlearn._tables.files.columns import IS_MISSING_WORD

        missing_word = IS_MISSING_WORD.format(c=column.raw)
        rows = opened.workspace.rows(
            f"SELECT {column.value}, {column.raw} IS NULL OR {missing_word} FROM texts"
        )
        for code in np.unique(self.codes[self.codes >= 0]).tolist() if column.needed else ():
            value, is_missing = rows[code]
            if value is None and not is_missing:
                self._refuse(code, column.needed)
        # A code of -1 finds the filler at the end.
        read = [0 if value is None else value for value, _ in rows]
        type_ = TIMES.get(column.kind, "f8")
        values = np.array([*read, 0], dtype="f8" if type_ == "f8" else "i8")
        missing = np.array([*(value is None for value, _ in rows), True])[self.codes]
        return Cells(values[self.codes].view(type_), missing, column.format)

    def n_missing(self, source: Source) -> int:
        """Count the rows that have a text, but are missing among cells that were read from it."""
        missing = source.missing if isinstance(source, Cells) else None
        return 0 if missing is None else int((missing & (self.codes >= 0)).sum())

    def _refuse(self, code: int, needed: str) -> None:
        """Raise for a value that is not of the kind that is needed."""
        row = int(np.flatnonzero(self.codes == code)[0])
        cell = listed([self.values[code]], 1)
        raise ColumnError(
            f"Column {self.name!r} row {row} is {cell}, but {needed} are needed: "
            "correct the cell, set it to None, or train the model without the column."
        )

"""`analyze` without a target: what the columns of a table hold."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np

from modlearn._jobs.engines import OpenEngine
from modlearn._jobs.options import as_names, find_column
from modlearn._jobs.prepare import OpenTable, notes_that_hold, open_data, selected_columns
from modlearn._jobs.source import ColumnRequest, Room
from modlearn._model.evaluation import Note, Numbers
from modlearn._show.overview import overview_as_html, overview_as_text, summarize_overview
from modlearn._show.summary import now
from modlearn._statistics.overview import (
    ColumnOverview,
    overview_of_categories,
    overview_of_numbers,
)
from modlearn._tables.memory.table import Table
from modlearn.errors import ColumnError
from modlearn.schema import Kind

if TYPE_CHECKING:
    from modlearn._engines.table import Extremes

__all__ = ["TableOverview", "overview"]


@dataclass(frozen=True, eq=False, repr=False)
class TableOverview:
    """What the columns of a table hold; print it.

    Parameters
    ----------
    source : str or None
        The file; None = a table in memory.
    n_rows : int
        Number of rows.
    columns : dict of name to ColumnOverview
        Missing and distinct values, quantiles and a histogram of every column.
    kinds : dict of name to Kind
        What the cells of every column are.
    notes : list of Note
        What happened while the file was read.
    created : str
        The time in UTC.

    See Also
    --------
    analyze : Makes it, if no target is passed.

    Examples
    --------
    >>> import modlearn
    >>> from sklearn.datasets import load_iris
    >>> iris = load_iris(as_frame=True).frame
    >>> modlearn.analyze(iris).columns["sepal width (cm)"].quantiles
    (2.0, 2.8, 3.0, 3.3, 4.4)
    """

    source: str | None
    n_rows: int
    columns: dict[Hashable, ColumnOverview]
    kinds: dict[Hashable, Kind]
    notes: list[Note]
    created: str

    def summary(self) -> dict[str, Any]:
        """Return the overview as a dict of JSON types, from which the report is made."""
        notes = [note.to_dict() for note in self.notes]
        columns = [(str(name), self.kinds[name], one) for name, one in self.columns.items()]
        return summarize_overview(self.source, self.n_rows, columns, notes, self.created)

    def report(self, path: str | PathLike[str]) -> None:
        """Write the overview as one HTML page; if writing fails, an existing file is unchanged."""
        from modlearn._show.overview import write_overview

        write_overview(self.summary(), path)

    def to_frame(self, backend: Any = "pandas") -> Any:
        """Return a line per column as a data frame.

        Parameters
        ----------
        backend : {"pandas", "polars", "pyarrow"}, default="pandas"
            Which kind of data frame.

        Returns
        -------
        data frame
        """
        from modlearn._show.frames import frame_of_columns
        from modlearn._show.overview import overview_columns

        return frame_of_columns(overview_columns(self.summary()), backend)

    def __repr__(self) -> str:
        return f"<TableOverview of {self.n_rows:,} rows, {len(self.columns):,} columns>"

    def __str__(self) -> str:
        return overview_as_text(self.summary())

    def _repr_html_(self) -> str:
        return overview_as_html(self.summary())


def overview(data: Any, request: ColumnRequest, room: Room) -> TableOverview:
    """Read one column after another, so that the table need not fit into memory.

    If even a column does not fit, or if the table is in a database, a sample is read.
    """
    opened, progress = open_data(data, request, room=replace(room, at_once=1)), room.progress
    with opened.closing:
        _, indices = selected_columns(opened.names, None, request)
        categorical = {
            find_column(opened.names, name, "as_categorical")
            for name in as_names(request.as_categorical)
        }
        if isinstance(opened, OpenEngine):
            return _of_engine(opened, indices, categorical)
        if not isinstance(opened, OpenTable):
            raise ColumnError("An overview needs a file or a table in memory: export the table.")
        as_text = opened.spelled & categorical
        columns: dict[Hashable, ColumnOverview] = {}
        kinds: dict[Hashable, Kind] = {}
        for done, i in enumerate(indices):
            progress("reading", done, len(indices))
            if i in opened.nested:
                kinds[opened.names[i]], found = Kind.NESTED, ColumnOverview(0, 0)
            else:
                read = opened.read([i], as_text)
                kinds[opened.names[i]], found = _column_overview(read, i in categorical)
            columns[opened.names[i]] = found
        n_rows = opened.read([]).n_rows
        progress("reading", len(indices), len(indices))
    notes = notes_that_hold(opened.notes, {str(opened.names[i]) for i in as_text})
    return TableOverview(opened.label, n_rows, columns, kinds, notes, now())


def _column_overview(table: Table, as_categories: bool) -> tuple[Kind, ColumnOverview]:
    """Return the kind and the overview of a table of one column."""
    (column,) = table.columns()
    if column.kind is Kind.NESTED:
        return column.kind, ColumnOverview(0, 0)
    if column.ordered and not as_categories:
        return column.kind, overview_of_numbers(table.numeric(0).values)
    read = table.categorical(0)
    return column.kind, overview_of_categories(read.codes, read.categories)


def _of_engine(opened: OpenEngine, indices: list[int], categorical: set[int]) -> TableOverview:
    """Describe columns from a sample, but for what one query says about all rows."""
    from modlearn._engines.engine import once_more
    from modlearn._engines.table import EngineTable, as_stored

    engine, room = opened.engine, opened.room
    try:
        statement = f"SELECT count(*) AS n FROM {engine.relation}"
        (counted,) = once_more(lambda: engine.fetch(statement))
        n_rows = int(counted[0])
        described = {i: engine.columns[i] for i in indices}
        read = {i: one for i, one in described.items() if one.kind is not Kind.NESTED}
        by_name: Any = {one.name: one for one in read.values()}
        # All rows are of one class, and none is unlabeled.
        table = EngineTable(engine, by_name, "0", 1, n_rows, room.memory // 2, room.progress)
        n_sampled = len(table.draw_sample(np.array([n_rows, 0]))) if read and n_rows else 0
        extremes = dict(zip(read, table.extremes(list(read.values())), strict=True))
    finally:
        engine.close()
    columns: dict[Hashable, ColumnOverview] = {}
    kinds: dict[Hashable, Kind] = {}
    for i, one in described.items():
        kinds[one.name], columns[one.name] = Kind.NESTED, ColumnOverview(0, 0)
        if i in read:
            cells = as_stored(one, table.sample_cells[one.name])
            sample = Table([one.name], n_sampled, [cells])
            kinds[one.name], found = _column_overview(sample, i in categorical)
            columns[one.name] = _of_all_rows(found, extremes[i], n_sampled, n_rows)
    numbers: Numbers = {"rows": n_sampled, "all": n_rows}
    sampled = [Note("overview_sampled", numbers)] * (n_sampled < n_rows)
    notes = [*opened.notes, *sampled]
    return TableOverview(opened.label, n_rows, columns, kinds, notes, now())


def _of_all_rows(
    sampled: ColumnOverview, known: Extremes, n_sampled: int, n_rows: int
) -> ColumnOverview:
    """Return the overview of a sample with what is known about all rows, and rows in proportion."""
    if n_sampled == n_rows:
        return sampled
    times = n_rows / max(1, n_sampled)
    quantiles, n_distinct = sampled.quantiles, None
    if quantiles and np.isfinite([known.least, known.most]).all():
        quantiles = (known.least, *quantiles[1:-1], known.most)
    elif not quantiles and not known.least:  # of categories, `most` is their number
        n_distinct = int(known.most)
    return replace(
        sampled,
        n_missing=n_rows - known.n_present,
        n_distinct=n_distinct,
        quantiles=quantiles,
        histogram=tuple(round(times * n) for n in sampled.histogram),
    )

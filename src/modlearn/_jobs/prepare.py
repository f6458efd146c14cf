"""From what the user passes to columns and classes that a model can learn from."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from modlearn._addresses import address_of_path, without_password
from modlearn._jobs.engines import OpenEngine, engine_of
from modlearn._jobs.options import as_names, find_column
from modlearn._jobs.source import ColumnRequest, OpenSource, RequestedRows, Room
from modlearn._model.evaluation import ColumnFacts, Note, OmittedColumn, TableFacts
from modlearn._parallel import Progress, map_in_threads
from modlearn._show.words import left_out_sentence
from modlearn._statistics.rows import Rows
from modlearn._statistics.summary import ColumnSummary
from modlearn._tables.cells import CodedCells
from modlearn._tables.files.options import ReadOptions, UnopenedFile, kinds_and_formats
from modlearn._tables.memory.rows import MemoryRows
from modlearn._tables.memory.table import (
    CategoricalColumn,
    Table,
    categorical_column,
    is_array_like,
    read_table,
)
from modlearn._tables.memory.target import MOST_UNREPEATED, Target, read_classes
from modlearn._tables.notes import ReadingNote
from modlearn._tables.text_columns import as_in_training, read_texts
from modlearn.errors import (
    ColumnError,
    EmptyTableError,
    LengthError,
    NestedColumnError,
    TargetError,
    spelled,
)
from modlearn.schema import Column, Kind, Schema, TargetSpec, kind_of_values

__all__ = [
    "OpenTable",
    "PreparedData",
    "as_notes",
    "column_facts",
    "columns_in_training",
    "dates_of",
    "never_repeats",
    "notes_that_hold",
    "open_data",
    "prepare",
    "refuse_none_left",
    "selected_columns",
]


@dataclass(frozen=True)
class OpenTable(OpenSource):
    """A table whose columns are known, but read into memory only when they are needed."""

    label: str | None  # name of the file; None = a frame
    names: list[Hashable]
    named: bool  # whether the user named the columns; those of an array are numbered
    notes: list[Note]  # what happened while the file was opened
    # Indices of columns of a file whose cells hold several values, which cannot be read.
    nested: frozenset[int]
    # Returns a table of the columns with these indices; ``as_text`` = indices of columns whose
    # dates, times and amounts stay text if the table holds text.
    read: Callable[..., Table]
    closing: AbstractContextManager[Any]  # closes the file; to be exited after the last read
    # Indices of columns of text that are read as dates, times or amounts.
    spelled: frozenset[int] = frozenset()

    def rows(
        self,
        request: ColumnRequest,
        target: int | None,
        columns: list[int],
        categorical: set[int],
    ) -> RequestedRows:
        """Read the columns and the target, given by index, into memory."""
        indices = columns if target is None else [*columns, target]
        own = len(self.names) if target is None else target
        # Categories and classes stay as they are written.
        as_text = self.spelled & {*categorical, own}
        read = self.read(indices, as_text=as_text)
        labels = labels_of(read, request)
        if own in as_text - categorical and len(labels.categories) > MOST_UNREPEATED:
            # A quantity is refused as one, also if its cells have a unit.
            read_classes(self.read([own]).categorical(0), are_classes=False)
        classes = read_classes(labels, own in categorical)
        table, schema = _features(read, [i in categorical for i in columns])
        nested = [
            i for i, column in zip(columns, schema, strict=True) if column.kind is Kind.NESTED
        ]
        kept = [i for i, column in enumerate(schema) if column.kind is not Kind.NESTED]
        table, schema = _part(table, kept), [schema[i] for i in kept]
        rows = MemoryRows.of(table, Schema(tuple(schema)), classes, labels.name, keeps=True)
        as_written = frozenset(str(self.names[i]) for i in as_text)
        return RequestedRows(rows, nested, as_written)


def columns_in_training(schema: Schema, target: TargetSpec) -> dict[str, Column]:
    """Return how the columns of a model and its target are read from other tables, by name.

    Columns are read as in the training data, and classes that are text as text.
    """
    columns = {str(column.name): column for column in schema.sources.values()}
    if target.classes.dtype.kind in "OU" and target.name is not None:
        name = str(target.name)
        columns.setdefault(name, Column(name, Kind.TEXT, ordered=False))
    return columns


READINGS = {"amounts", "day_order", "decimal_comma", "missing_words", "thousands_comma"}
"""Kinds of notes on how texts were read as something else."""


def notes_that_hold(notes: Sequence[Note], as_written: Collection[str]) -> list[Note]:
    """Return notes without those on another reading of columns that stay as they are written."""
    return [
        note
        for note in notes
        if note.kind not in READINGS or note.numbers.get("column") not in as_written
    ]


def open_data(
    data: Any,
    request: ColumnRequest | None = None,
    like: Mapping[str, Column] | None = None,
    room: Room | None = None,
) -> OpenSource:
    """Open a path, or name the columns of an open file, a frame, an array or a table.

    What is open already, as an engine may be, is returned as it is. A request says which columns
    are dates; `like` = columns of a model by name, in whose kinds and formats they are read. A
    table for which there is no `room` in memory stays where it is.
    """
    if isinstance(data, OpenSource):
        return data
    dates = {} if request is None else request.dates()
    if isinstance(data, PathLike):
        data = fspath(data)
        data = address_of_path(data) if ":/" in data else data
    is_file = isinstance(data, str) and "://" not in data
    if room is not None and not is_file and (found := engine_of(data)) is not None:
        opened = OpenEngine.of(found, room)
        with opened.closing:
            _refuse_dates_of_engine(found.label, dates)
        return opened
    if isinstance(data, str):
        formats = {str(name): format for name, format in dates.items()}
        n_jobs = None if room is None else room.n_jobs
        data = UnopenedFile(data, ReadOptions(dates=formats, n_jobs=n_jobs))
    if isinstance(data, UnopenedFile):
        return _open_file(data, like, room)
    if _is_open_file(data):
        return _of_source(data, _shown(data.path), nullcontext(), like, room)
    try:
        table = read_table(data)
    except EmptyTableError as error:
        raise ColumnError(f"The table has no {error.lacks}: pass a table that has some.") from None

    parsed, notes = table, list[ReadingNote]()
    if request is not None:
        requested = {find_column(table.names, name, "as_date"): f for name, f in dates.items()}
        parsed, notes = read_texts(table, requested)

    def read(indices: Sequence[int], as_text: Collection[int] = ()) -> Table:
        if like:
            part = _part(table, indices)
            return as_in_training(part, [like.get(str(name)) for name in part.names])
        sources = [(table if i in as_text else parsed).sources[i] for i in indices]
        return Table([table.names[i] for i in indices], table.n_rows, sources)

    pairs = zip(table.sources, parsed.sources, strict=True)
    spelled = frozenset(i for i, (before, after) in enumerate(pairs) if before is not after)
    named = not is_array_like(data)
    return OpenTable(
        None, list(table.names), named, as_notes(notes), frozenset(), read, nullcontext(), spelled
    )


def _is_open_file(data: Any) -> bool:
    """Whether data is a file that has been opened, by its type: frames have any attribute."""
    from modlearn._tables.files.relation import FileSource

    return isinstance(data, FileSource)


def _refuse_dates_of_engine(label: str, dates: Mapping[Hashable, str | None]) -> None:
    """Raise if a column of a database or a cluster is to be read as dates."""
    if dates:
        raise ColumnError(
            f"Column {str(next(iter(dates)))!r} of {label!r} is used with the type that it has "
            "there, as only files are read as dates: cast it in a view."
        )


def as_notes(notes: Sequence[ReadingNote]) -> list[Note]:
    """Return notes on how a table was read as those of a result."""
    return [Note(note.kind, dict(note.numbers)) for note in notes]


def _part(table: Table, indices: Sequence[int]) -> Table:
    """Some columns of a table."""
    names = [table.names[i] for i in indices]
    return Table(names, table.n_rows, [table.sources[i] for i in indices])


def _open_file(
    file: UnopenedFile, like: Mapping[str, Column] | None, room: Room | None
) -> OpenSource:
    # Imported late: users of data frames do not need DuckDB.
    from modlearn._tables.files.formats import open_source

    options = replace(file.options, **kinds_and_formats(like)) if like else file.options
    source = open_source(file.name, options)
    return _of_source(source, _shown(file.name), source, like, room)


def _shown(path: str) -> str:
    """Return the last part of a path, of a glob pattern or of "folder/shop.duckdb::orders"."""
    return path if path == "-" else Path(path).name


def _of_source(
    source: Any,
    label: str | None,
    closing: AbstractContextManager[Any],
    like: Mapping[str, Column] | None,
    room: Room | None,
) -> OpenSource:
    """Wrap an open file, whose columns DuckDB reads."""
    if not source.n_rows:
        with closing:
            name = "" if label is None else f" {label!r}"
            raise ColumnError(f"The table{name} has no rows: pass a table that has some.")

    notes = as_notes(source.notes)
    if room is not None and not room.holds(source.n_rows, len(source.names)):
        return OpenEngine.of_file(source, label, notes, room)
    names = list(source.names)
    kinds: Mapping[str, Kind] = {}
    formats: Mapping[str, str] = {}
    if like:
        known = kinds_and_formats(like)
        kinds, formats = known["types"], known["formats"]

    def read(indices: Sequence[int], as_text: Collection[int] = ()) -> Table:
        types = {**kinds, **{names[i]: Kind.TEXT for i in as_text}}
        table: Table = source.read([names[i] for i in indices], types, formats)
        return table

    nested = frozenset(i for i, c in enumerate(source.columns) if c.kind is Kind.NESTED)
    spelled = frozenset(
        i
        for i, c in enumerate(source.columns)
        if c.is_text and (c.format or c.kind in (Kind.DATETIME, Kind.DURATION))
    )
    return OpenTable(label, names, True, notes, nested, read, closing, spelled)


PRESENT = 0.95
"""Minimum share of non-missing rows for a text that never repeats to count as an identifier."""


@dataclass(frozen=True)
class PreparedData:
    """Columns and classes, and what is known about them."""

    rows: Rows  # the columns and the target, as the statistics that models learn from
    summaries: tuple[ColumnSummary, ...]  # summary of each column, in the order of the table
    facts: TableFacts
    columns: tuple[ColumnFacts, ...]
    named: bool  # whether the user named the columns
    # Columns that divide the rows for the evaluation. They are not among the columns to learn
    # from, except that a `time` that is a date is used like other dates.
    group: Hashable | None = None
    time: Hashable | None = None

    def in_memory(self) -> tuple[Table, Target]:
        """Return the columns and the class of every row, for work that needs rows as such."""
        if not isinstance(self.rows, MemoryRows):
            raise ColumnError(
                f"The table {self.facts.source!r} stays where it is, as it is too large or in an "
                "engine, but splitters and propagation need its rows in memory: pass a table with "
                "fewer rows, or allow more memory."
            )
        table, target = self.rows.batch.columns.table, self.rows.batch.target
        index = {name: i for i, name in enumerate(table.names)}
        return _part(table, [index[name] for name in self.rows.schema.sources]), target


def prepare(
    data: Any,
    request: ColumnRequest,
    n_jobs: int | None,
    progress: Progress,
    room: Room | None = None,
) -> PreparedData:
    """Read the target and the columns; leave out columns from which nothing can be learned.

    A table for which there is no `room` in memory stays where it is; without it, all are read.
    """
    progress("reading", 0, 1)
    _refuse_swapped(data, request.target)
    opened = open_data(data, request, room=room)
    with opened.closing:
        own = () if request.labels is None else (request.label_name,)
        target_index = _target_index(opened, request)
        categorical = {
            find_column([*opened.names, *own], name, "as_categorical")
            for name in as_names(request.as_categorical)
        }
        if request.as_date or request.date_format or request.trend:
            _refuse_dates_of_target(opened.names, target_index, request)
        left_out, rest = selected_columns(opened.names, target_index, request)
        _refuse_copy([opened.names[i] for i in rest], request)
        dividing = {
            option: find_column(opened.names, name, option)
            for option, name in (("time", request.time), ("group", request.group))
            if name is not None
        }
        left_out |= dict.fromkeys(opened.nested.intersection(rest), "nested")
        rest = sorted({*rest, *dividing.values()} - opened.nested)
        read = opened.rows(request, target_index, rest, categorical)
        left_out |= dict.fromkeys(read.nested, "nested")
        summaries = _summarize(read.rows, n_jobs, progress)
    reasons = {opened.names[i]: reason for i, reason in left_out.items()}
    reasons |= _uninformative(read.rows, summaries)
    divides = {option: opened.names[i] for option, i in dividing.items()}
    columns = read.rows.schema.by_name
    for option in divides:
        _check_division(divides, option, read.rows)
    # The model may use the recurring parts of a date.
    reasons |= {
        name: option
        for option, name in divides.items()
        if option == "group" or columns[name].kind is not Kind.DATETIME
    }
    found = _prepared(opened, read, summaries, reasons)
    return replace(found, group=divides.get("group"), time=divides.get("time"))


def _check_division(divides: Mapping[str, Hashable], option: str, rows: Rows) -> None:
    """Raise if the rows cannot be divided for the evaluation by the column of an option."""
    name = divides[option]
    column = rows.schema.by_name.get(name)
    if name == rows.target.name:
        reason = "is the target"
    elif list(divides.values()).count(name) > 1:
        reason = "is named twice, as the group and the time"
    elif column is None:
        reason = "holds several values in each cell"
    elif option == "time" and not column.ordered:
        reason = "does not hold dates or numbers"
    else:
        return

    def message(spell: Callable[[str], str]) -> str:
        dates = f"; dates that are text are read with {spell('as_date')}" * ("dates" in reason)
        return (
            f"{spell(option)} names the column {str(name)!r}, which {reason}: choose another "
            f"column{dates}."
        )

    raise ColumnError(*spelled(message))


def _refuse_dates_of_target(
    names: Sequence[Hashable], target: int | None, request: ColumnRequest
) -> None:
    """Raise if an option for dates names the target."""
    named = {
        "as_date": request.as_date,
        "date_format": list(request.date_format or ()),
        "trend": request.trend,
    }
    wrong = [
        (option, str(name))
        for option, given in named.items()
        for name in as_names(given)
        if find_column(names, name, option) == target
    ]
    if wrong:
        option, column = wrong[0]
        raise ColumnError(
            *spelled(
                lambda spell: (
                    f"{spell(option)} names the column {column!r}, which is the target, whose "
                    "classes are used as they are written: name other columns, or choose another "
                    "target."
                )
            )
        )


def _refuse_swapped(data: Any, target: Any) -> None:
    """Raise if the target was passed first and the table second."""
    shape: Any = getattr(target, "shape", ())
    if len(shape) == 2 and shape[1] > 1:
        name = repr(without_password(data)) if isinstance(data, str) else "y"
        raise TargetError(
            f"The target is a table with {shape[1]} columns: pass the table first and the target "
            f"second, (table, {name})."
        )
    texts = isinstance(data, str) and isinstance(target, str)
    if texts and Path(target).is_file() and not Path(data).exists():
        raise TargetError(
            f"The target is the file {target!r}: pass the table first and the target second, "
            f"({target!r}, {without_password(data)!r})."
        )


def _refuse_copy(names: Sequence[Hashable], request: ColumnRequest) -> None:
    """Raise if labels that are passed have the name of a column, which must be their copy."""
    name = getattr(request.labels, "name", None)
    if name is not None and name in names:
        raise TargetError(
            f"The target {name!r} is also a column of the table: pass its name instead of its "
            f"labels, or leave the column out with drop=[{name!r}]."
        )


def _target_index(opened: OpenSource, request: ColumnRequest) -> int | None:
    """Index of the target in the table; None if its labels are passed."""
    if request.labels is not None:
        return None
    if request.target is None:
        shown = ", ".join(repr(str(name)) for name in opened.names[:10])
        raise TargetError(
            "No target was passed: pass a label per row, or the name of the column to predict, "
            f"such as one of {shown}."
        )
    return find_column(opened.names, request.target, "target")


def selected_columns(
    names: Sequence[Hashable], target: int | None, request: ColumnRequest
) -> tuple[dict[int, str], list[int]]:
    """Return the indices of columns that the user leaves out, with the reason, and the others."""
    dropped = {find_column(names, name, "drop") for name in as_names(request.drop)}
    selected = {find_column(names, name, "only") for name in as_names(request.only)}
    left_out: dict[int, str] = {}
    for i in range(len(names)):
        if i == target:
            continue
        if i in dropped:
            left_out[i] = "dropped"
        elif selected and i not in selected:
            left_out[i] = "not_selected"
    return left_out, [i for i in range(len(names)) if i not in left_out and i != target]


def labels_of(table: Table, request: ColumnRequest) -> CategoricalColumn:
    """Return the target column, which is the last one unless its labels are passed."""
    if request.labels is not None and len(request.labels) != table.n_rows:
        raise LengthError(table.n_rows, len(request.labels))
    try:
        if request.labels is not None:
            return categorical_column(request.labels, request.label_name)
        return table.categorical(len(table.names) - 1)
    except NestedColumnError:
        raise
    except ColumnError as error:
        raise TargetError(*error.args) from None


def _features(table: Table, as_categories: list[bool]) -> tuple[Table, list[Column]]:
    """Return all columns but the target, numbers as categories where that is requested."""
    features = _part(table, range(len(as_categories)))
    columns = features.columns()
    for i, categorical in enumerate(as_categories):
        if categorical and columns[i].kind is not Kind.NESTED:
            column = table.categorical(i)
            features.sources[i] = CodedCells(column.codes, list(column.categories))
            kind = columns[i].kind
            # Dates are read as dates later, too, so that their categories are spelled alike.
            if kind not in (Kind.DATETIME, Kind.DURATION):
                kind = kind_of_values(column.categories)
            columns[i] = Column(column.name, kind, ordered=False)
    return features, columns


def _summarize(rows: Rows, n_jobs: int | None, progress: Progress) -> dict[Hashable, ColumnSummary]:
    """Read every column and summarize it."""
    names = [column.name for column in rows.schema.columns]
    summaries = map_in_threads(
        lambda name: rows.summaries([name])[0], names, n_jobs, progress, "reading"
    )
    return dict(zip(names, summaries, strict=True))


def _uninformative(rows: Rows, summaries: dict[Hashable, ColumnSummary]) -> dict[Hashable, str]:
    """Return why nothing can be learned from a column, for each column of that kind."""
    reasons = {
        column.name: _reason(summaries[column.name], rows.n_rows, column)
        for column in rows.schema.columns
    }
    return {name: reason for name, reason in reasons.items() if reason is not None}


def _reason(summary: ColumnSummary, n_rows: int, column: Column) -> str | None:
    if summary.n_missing == n_rows:
        return "all_missing"
    if summary.common_share == 1.0:
        return "constant" if summary.merged is None else "merged"
    # Something in texts that never repeat may repeat: their views are used instead.
    if never_repeats(summary, n_rows, column) and not summary.views:
        return "all_different"
    return None


def never_repeats(summary: ColumnSummary, n_rows: int, column: Column) -> bool:
    """Whether a column has different categories in nearly all rows, like an identifier."""
    n_present = n_rows - summary.n_missing
    unrepeated = not column.ordered and summary.n_distinct == n_present
    return unrepeated and n_present >= PRESENT * n_rows and n_present > 2


def _prepared(
    opened: OpenSource,
    read: RequestedRows,
    summaries: dict[Hashable, ColumnSummary],
    reasons: dict[Hashable, str],
) -> PreparedData:
    left_out = tuple(
        OmittedColumn(str(name), reasons[name]) for name in opened.names if name in reasons
    )
    used = [c for c in read.rows.schema.columns if c.name not in reasons]
    kept = [c.name for c in used]
    if not kept:
        refuse_none_left(left_out)
    n_rows, n_unlabeled = read.rows.n_rows, read.rows.target.n_unlabeled
    unlabeled = [Note("unlabeled", {"rows": n_unlabeled})] * bool(n_unlabeled)
    facts = TableFacts(
        source=opened.label,
        target=str(read.rows.target.name),
        n_rows=n_rows,
        n_labeled=n_rows - n_unlabeled,
        n_unlabeled=n_unlabeled,
        n_columns=len(kept),
        left_out=left_out,
        notes=(*notes_that_hold(opened.notes, read.as_written), *unlabeled),
    )
    return PreparedData(
        columns=tuple(column_facts(name, summaries[name]) for name in kept),
        rows=read.rows.select(used),
        summaries=tuple(summaries[name] for name in kept),
        facts=facts,
        named=opened.named,
    )


def dates_of(schema: Schema) -> list[Hashable]:
    """Return the names of the columns of dates."""
    return [c.name for c in schema.columns if c.ordered and c.kind is Kind.DATETIME]


def column_facts(name: Hashable, summary: ColumnSummary) -> ColumnFacts:
    """Return what a report says about a column."""
    return ColumnFacts(str(name), summary.n_missing, summary.n_distinct)


def refuse_none_left(left_out: Sequence[OmittedColumn]) -> None:
    """Raise the error that no column is left to learn from."""
    if not left_out:
        raise ColumnError(
            "The table has no column besides the target: add columns that may be informative."
        )
    shown = "; ".join(
        f"{column.name!r}: {left_out_sentence(column.to_dict())}" for column in left_out[:3]
    )
    more = f"; and {len(left_out) - 3:,} more" if len(left_out) > 3 else ""
    raise ColumnError(
        f"No column is left to learn from ({shown}{more}): add columns that differ between rows, "
        "or leave out fewer."
    )

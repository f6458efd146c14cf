"""Columns and targets: the name of a column, the kind of its cells, and how it is treated."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "EXCEL",
    "NUMBER_FORMATS",
    "ORDERED",
    "Column",
    "Kind",
    "Labels",
    "Schema",
    "TargetSpec",
    "View",
    "class_names",
    "free_name",
    "free_names",
    "is_format",
    "kind_of_values",
    "listed",
    "prediction_names",
    "unique_names",
]


class Kind(StrEnum):
    """What the cells of a column are."""

    NUMERIC = "numeric"
    DATETIME = "datetime"
    DURATION = "duration"
    BOOLEAN = "boolean"
    TEXT = "text"
    NESTED = "nested"


class Labels(StrEnum):
    """What the labels of a target are."""

    CLASSES = "classes"
    COUNTS = "counts"


ORDERED = (Kind.NUMERIC, Kind.DATETIME, Kind.DURATION)
"""Kinds whose values have an order, so that they can be cut into intervals."""


NUMBER_FORMATS = ("1,234.5", "1.234,5")
"""Formats of numbers, by an example: what separates thousands, and what separates decimals."""

EXCEL = "excel"
"""Format of dates that are numbers of days, as spreadsheets store them: 40939 is 2012-01-31."""

STRPTIME = re.compile("([^%\0]|%-?[dHIjmMSy]|%[aAbBcfgGhnpTuUVwWxXYzZ%]){1,100}")


def is_format(kind: Kind, format: str) -> bool:
    """Whether dates or numbers can be written in a format."""
    if kind is Kind.NUMERIC:
        return format in NUMBER_FORMATS
    is_date = "%" in format and STRPTIME.fullmatch(format) is not None
    return kind is Kind.DATETIME and (format == EXCEL or is_date)


@dataclass(frozen=True)
class View:
    """How a column is computed from another one: everything that a table or an export must know.

    Each value of the source has a number, which either is the cell of the view or, from 0, the
    position of its category. Views of the same name are equal.

    Parameters
    ----------
    name : str
        Name of the view, in models on disk and for the reader.
    source_kind : Kind
        What the column holds that it is computed from.
    numbers : callable
        Returns the number of each value, none of them missing: of an array of float64, in which
        dates and durations are microseconds, or of an array of objects if the source is not
        ordered.
    sql : mapping of str to str
        SQL of the number, by dialect: of ``{cell}``, a number, microseconds or a text as it is
        compared, or of ``{x}``, the column as it is stored. Dialects that are not among them
        refuse the view.
    whole : callable or None, default=None
        Returns the number of a date or a duration by arithmetic of whole numbers: of microseconds,
        or of anything that adds, multiplies and divides like integers. Without it, exports other
        than SQL refuse the view.
    categories : tuple of str, default=()
        The categories; empty = the number itself is the cell.
    """

    name: str
    source_kind: Kind = field(compare=False)
    numbers: Callable[[NDArray[Any]], NDArray[np.float64]] = field(compare=False, repr=False)
    sql: Mapping[str, str] = field(compare=False, repr=False)
    whole: Callable[[Any], Any] | None = field(default=None, compare=False, repr=False)
    categories: tuple[str, ...] = field(default=(), compare=False, repr=False)

    @property
    def ordered(self) -> bool:
        """Whether it is cut into intervals; otherwise its categories are grouped."""
        return not self.categories

    @property
    def kind(self) -> Kind:
        """What its cells are."""
        return Kind.NUMERIC if self.ordered else Kind.TEXT


@dataclass(frozen=True)
class Column:
    """A column of a table, or one that is computed from a column of the table.

    Parameters
    ----------
    name : hashable
        Name of the column.
    kind : Kind
        What its cells are.
    ordered : bool
        Whether it is cut into intervals; otherwise its values are grouped.
    format : str or None, default=None
        How its dates or numbers are written where they are text, such as "%d/%m/%Y"; None = dates
        in ISO 8601, and numbers with a decimal point.
    source : hashable or None, default=None
        Name of the column that it is computed from; None = it is a column of the table.
    view : View or None, default=None
        How it is computed. `format` is then that of the source.
    """

    name: Hashable
    kind: Kind
    ordered: bool
    format: str | None = None
    source: Hashable | None = None
    view: View | None = None

    @property
    def read(self) -> Column:
        """The column of the table that it is read from: itself, or the one it is a view of."""
        if self.view is None:
            return self
        kind = self.view.source_kind
        return Column(self.source, kind, ordered=kind in ORDERED, format=self.format)


def kind_of_values(values: Iterable[Hashable]) -> Kind:
    """Return the kind of a column from its distinct values; None stands for missing."""
    present = [value for value in values if value is not None]
    if present and all(isinstance(value, bool) for value in present):
        return Kind.BOOLEAN
    return Kind.TEXT if any(isinstance(value, str) for value in present) else Kind.NUMERIC


@dataclass(frozen=True)
class Schema:
    """The columns of a table in their order, accessible by name.

    Parameters
    ----------
    columns : tuple of Column
        The columns, with distinct names.
    """

    columns: tuple[Column, ...]

    @cached_property
    def names(self) -> tuple[Hashable, ...]:
        """Names of the columns, in their order."""
        return tuple(column.name for column in self.columns)

    @cached_property
    def by_name(self) -> dict[Hashable, Column]:
        """The columns by their names."""
        return {column.name: column for column in self.columns}

    @cached_property
    def sources(self) -> dict[Hashable, Column]:
        """The columns of the table that these are read from, by their names."""
        read = [column.read for column in self.columns]
        return {column.name: column for column in read}

    @cached_property
    def views(self) -> dict[Hashable, Column]:
        """The columns that are computed from others, by their names."""
        return {column.name: column for column in self.columns if column.view is not None}


@dataclass(frozen=True, eq=False)
class TargetSpec:
    """What is predicted: the classes, and how many rows had them.

    Parameters
    ----------
    name : hashable or None
        Name of the target; None if it was passed without one.
    classes : ndarray of shape (J,)
        The distinct labels, ascending.
    counts : ndarray of shape (J,), int64
        Labeled rows of each class.
    n_unlabeled : int
        Rows without a label.
    """

    name: Hashable | None
    classes: NDArray[Any]
    counts: NDArray[np.int64]
    n_unlabeled: int

    @cached_property
    def class_names(self) -> list[str]:
        """The classes as text."""
        return class_names(self.classes)


def prediction_names(target: TargetSpec, n_reasons: int = 0) -> list[str]:
    """Return the names of what is predicted: the label, a probability per class, and reasons."""
    return [
        f"predicted {'class' if target.name is None else target.name}",
        *(f"P({name})" for name in target.class_names),
        *(f"reason {i + 1}" for i in range(n_reasons)),
    ]


def class_names(classes: NDArray[Any] | Iterable[Any]) -> list[str]:
    """Return classes as text, whole numbers without a decimal point.

    Integer labels with missing values among them arrive as floats.
    """
    values = classes.tolist() if isinstance(classes, np.ndarray) else list(classes)
    return [str(int(c)) if isinstance(c, float) and c.is_integer() else str(c) for c in values]


def listed(names: Sequence[Hashable], most: int) -> str:
    """Return the first names in quotes, cut if they are long, and the number of the others."""
    quoted = [repr(name) for name in names[:most]]
    shown = ", ".join(q if len(q) <= 80 else f"{q[:76]}...{q[-1]}" for q in quoted)
    return shown if len(names) <= most else f"{shown} and {len(names) - most:,} more"


def unique_names(titles: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return names that differ in more than case, and the titles that had to change."""
    names: list[str] = []
    changed, taken = [], {title.lower() for title in titles}
    used: set[str] = set()
    for i, title in enumerate(titles):
        name = title or f"column{i}"
        if name.lower() in used:
            changed.append(title)
            name = free_name(name, taken | used)
        used.add(name.lower())
        names.append(name)
    return names, changed


def free_name(name: str, taken: set[str]) -> str:
    """Return the name, with the first number appended that makes it differ from those taken."""
    number = 1
    while f"{name}_{number}".lower() in taken:
        number += 1
    return f"{name}_{number}"


def free_names(names: Iterable[str], taken: Iterable[str]) -> list[str]:
    """Return names for new columns; a number is appended to those already taken."""
    known = {name.lower() for name in taken}
    free = []
    for name in names:
        free.append(free_name(name, known) if name.lower() in known else name)
        known.add(free[-1].lower())
    return free

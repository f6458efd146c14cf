"""The one vocabulary of columns and targets: what a column is called, holds, and stands for."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["ORDERED", "Column", "Kind", "Schema", "TargetSpec", "class_names", "kind_of_values"]


class Kind(StrEnum):
    """What the cells of a column are."""

    NUMERIC = "numeric"
    DATETIME = "datetime"
    DURATION = "duration"
    BOOLEAN = "boolean"
    TEXT = "text"
    NESTED = "nested"


ORDERED = (Kind.NUMERIC, Kind.DATETIME, Kind.DURATION)
"""Kinds whose values have an order, so that they can be cut into intervals."""


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Parameters
    ----------
    name : hashable
        Its name.
    kind : Kind
        What its cells are.
    ordered : bool
        Whether it is cut into intervals; otherwise its values are grouped.
    """

    name: Hashable
    kind: Kind
    ordered: bool


def kind_of_values(values: Iterable[Hashable]) -> Kind:
    """Return the kind of a column from its distinct values; None stands for missing."""
    present = [value for value in values if value is not None]
    if present and all(isinstance(value, bool) for value in present):
        return Kind.BOOLEAN
    return Kind.TEXT if any(isinstance(value, str) for value in present) else Kind.NUMERIC


@dataclass(frozen=True)
class Schema:
    """The columns of a table, in their order, found by name.

    Parameters
    ----------
    columns : tuple of Column
        The columns, no two of the same name.
    """

    columns: tuple[Column, ...]

    @property
    def names(self) -> tuple[Hashable, ...]:
        """Names of the columns, in their order."""
        return tuple(column.name for column in self.columns)

    def __getitem__(self, name: Hashable) -> Column:
        """Return the column of a name."""
        return self._by_name[name]

    def __contains__(self, name: object) -> bool:
        """Whether there is a column of a name."""
        return name in self._by_name

    def __len__(self) -> int:
        """Return the number of columns."""
        return len(self.columns)

    @cached_property
    def _by_name(self) -> dict[Hashable, Column]:
        return {column.name: column for column in self.columns}


@dataclass(frozen=True, eq=False)
class TargetSpec:
    """What is predicted: the classes, and how many rows had them.

    Parameters
    ----------
    name : hashable or None
        Name of the target; None where it was passed without one.
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

    @property
    def class_names(self) -> list[str]:
        """The classes as text."""
        return class_names(self.classes)


def class_names(classes: NDArray[Any] | Iterable[Any]) -> list[str]:
    """Return classes as text; whole numbers without a decimal point.

    Labels with missing values among them arrive as floats although they are integers.
    """
    values = classes.tolist() if isinstance(classes, np.ndarray) else list(classes)
    return [str(int(c)) if isinstance(c, float) and c.is_integer() else str(c) for c in values]

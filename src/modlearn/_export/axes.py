"""How exports other than SQL locate a row in a model: step functions, and views."""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from itertools import product
from math import inf, nextafter, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from modlearn._model.additive import AdditiveModel, Term
from modlearn._model.partitions import Groups, Intervals, Partition
from modlearn._tables.cells import EXACT_INTEGERS
from modlearn.errors import ColumnError
from modlearn.schema import Column, Kind

__all__ = [
    "Steps",
    "axes_of",
    "cell_numbers",
    "cell_scores",
    "is_text",
    "number_of_category",
    "number_of_view",
    "steps_of",
    "strides_of",
    "used_axes",
]


def axes_of(term: Term) -> tuple[Partition, ...]:
    """Return the partitions that a term locates a row in: one per column."""
    return term.scored.axes


def strides_of(term: Term) -> list[int]:
    """Return what the number of a part on each axis counts in the number of a cell.

    Number 0 of an axis is an unseen value, so that an axis has one number more than parts.
    """
    sizes = [axis.n_parts + 1 for axis in axes_of(term)]
    return [prod(sizes[k + 1 :]) for k in range(len(sizes))]


def cell_numbers(term: Term) -> list[int]:
    """Return the number of each cell of a term, in the order of ``part_of_cell``."""
    numbers = [
        [stride * part for part in range(1, axis.n_parts + 1)]
        for stride, axis in zip(strides_of(term), axes_of(term), strict=True)
    ]
    return [sum(cell) for cell in product(*numbers)]


def cell_scores(term: Term, table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the line of a table for each cell of a term."""
    return table[term.scored.part_of_cell]


def is_text(column: Column) -> bool:
    """Whether the categories of a column are compared as text."""
    return column.kind is Kind.TEXT and column.view is None


def number_of_category(value: Hashable, column: Column) -> int | float | None:
    """Return the number that stands for a category; None if no cell can equal it.

    A category of a view has its number from 0, a date its microseconds since 1970.
    """
    if column.view is not None:
        names = column.view.categories
        return names.index(str(value)) if value in names else None
    if column.kind is Kind.DATETIME:
        instant = np.datetime64(str(value))
        microseconds = instant.astype("M8[us]")
        return int(microseconds.astype(np.int64)) if microseconds == instant else None
    if isinstance(value, int | float) and column.kind is not Kind.DURATION:
        return value
    what = "durations" if column.kind is Kind.DURATION else "numbers and texts"
    raise ColumnError(
        f"Column {column.name!r} holds {what} as categories, such as {value!r}, which cannot be "
        "exported: convert it to text, and train the model again."
    )


@dataclass(frozen=True)
class Steps:
    """A function of a number that changes at bounds: a start plus the jumps at bounds up to it.

    A missing number is below all bounds.

    Parameters
    ----------
    start : int
        The value of the function for a missing number.
    bounds : tuple of float
        Where it jumps.
    jumps : tuple of int
        By how much.
    """

    start: int
    bounds: tuple[float, ...]
    jumps: tuple[int, ...]


def steps_of(axis: Partition, column: Column) -> Steps:
    """Return the part of a number, from 1, as a step function; 0 = a value never seen."""
    if isinstance(axis, Intervals):
        cuts = [cut for cut in axis.cuts.tolist() if cut < inf]
        bounds = [-inf] * axis.missing_alone + [nextafter(cut, inf) for cut in cuts]
        return Steps(1, tuple(bounds), (1,) * len(bounds))
    assert isinstance(axis, Groups)
    start, found = 0, []
    for i, group in enumerate(axis.groups):
        for value in group:
            number = None if value is None else number_of_category(value, column)
            if value is None:
                start = i + 1
            elif number is not None:
                _refuse_large(number, column)
                found += [(float(number), i + 1), (nextafter(number, inf), -i - 1)]
    found = [(-inf, -start), *sorted(found)]
    return Steps(start, tuple(b for b, _ in found), tuple(jump for _, jump in found))


def _refuse_large(number: float, column: Column) -> None:
    if isinstance(number, int) and abs(number) > EXACT_INTEGERS and column.kind is Kind.NUMERIC:
        raise ColumnError(
            f"Column {column.name!r} holds the category {number}, which a double rounds: convert "
            "the column to text, and train the model again."
        )


def number_of_view(column: Column, whole: Any, export: str) -> Any:
    """Return the number of a view of a date or a duration, by arithmetic of whole numbers.

    `whole` is the microseconds of the source, as an integer or as whatever adds, multiplies and
    divides like one. `export` is what computes it.
    """
    view = column.view
    assert view is not None
    if view.whole is None or view.source_kind not in (Kind.DATETIME, Kind.DURATION):
        raise ColumnError(
            f"Column {column.name!r} is the {view.name} of {column.source!r}, which {export} "
            f"cannot compute: leave out {column.source!r}, and train the model again, or export "
            "the model as SQL."
        )
    return view.whole(whole)


def used_axes(model: AdditiveModel) -> list[Partition]:
    """Return the partitions that rows are located in, each once."""
    return list(dict.fromkeys(axis for term in model.used_terms for axis in axes_of(term)))

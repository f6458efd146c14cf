"""How exports other than SQL locate a row in a model: step functions, and parts of the calendar."""

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
from modlearn._statistics.views import MONTHS, WEEKDAYS
from modlearn._tables.cells import EXACT_INTEGERS
from modlearn.errors import ColumnError
from modlearn.schema import Column, Kind, View

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

HOUR, DAY = 3_600_000_000, 86_400_000_000


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

    A month or a weekday has its number from 0, a date its microseconds since 1970.
    """
    if column.view is not None:
        names = WEEKDAYS if column.view is View.WEEKDAY else MONTHS
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


def number_of_view(view: View, microseconds: Any) -> Any:
    """Return a part of the calendar of dates, by integer arithmetic.

    Dates are whole microseconds since 1970: integers, or anything that adds, multiplies and
    divides like integers.

    Examples
    --------
    >>> number_of_view(View.DAY_OF_YEAR, 31 * 86_400_000_000)
    32
    """
    if view is View.HOUR:
        return microseconds // HOUR % 24
    day = microseconds // DAY
    if view is View.WEEKDAY:
        return (day + 3) % 7  # 1970-01-01 was a Thursday
    # Years that begin in March, in eras of 400 years, end with the day that leap years add.
    shifted = day + 719_468
    era, day_of_era = shifted // 146_097, shifted % 146_097
    leaps = day_of_era // 1_460 - day_of_era // 36_524 + day_of_era // 146_096
    year_of_era = (day_of_era - leaps) // 365
    day_of_year = day_of_era - (year_of_era * 365 + year_of_era // 4 - year_of_era // 100)
    month = (day_of_year * 5 + 2) // 153
    if view is View.MONTH:
        return (month + 2) % 12
    before = era * 400 + year_of_era + month // 10 - 1  # the calendar year before
    first = before * 365 + before // 4 - before // 100 + before // 400 - 719_162
    return day - first + 1


def used_axes(model: AdditiveModel) -> list[Partition]:
    """Return the partitions that rows are located in, each once."""
    return list(dict.fromkeys(axis for term in model.used_terms for axis in axes_of(term)))

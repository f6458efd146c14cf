"""Which columns are looked at, as what, and what is seen at first sight."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from modlearn._jobs.options import as_names, find_column
from modlearn._model.evaluation import LeftOut
from modlearn._parallel import Progress, each_in_threads
from modlearn._show.sentences import left_out_sentence
from modlearn._tables.cells import Kind
from modlearn._tables.memory.table import Table
from modlearn._tables.memory.view import TableView, view
from modlearn.errors import ColumnError, NestedColumnError

__all__ = [
    "NESTED",
    "ColumnSummary",
    "SelectedColumns",
    "asked_for",
    "choose_columns",
    "look_at_categories",
    "look_at_numbers",
    "refuse_none_left",
]

MOST_COUNTED = 5_000_000
"""Cells of a table beyond which different numbers are not counted: that is a sort per column."""

SAMPLE = 1_000
"""Rows that tell whether one value may be in nearly all rows."""

PRESENT = 0.95
"""Share of rows with a value, from which on a text that never repeats is an identifier."""


NESTED = "nested"


@dataclass(frozen=True)
class ColumnSummary:
    """A column at first sight.

    Parameters
    ----------
    n_missing : int
        Rows without a value.
    n_distinct : int or None
        Different values; None = not counted.
    common : object
        A value that is in many rows, if there is one.
    common_share : float
        Share of rows that have it.
    numbers_rows : bool
        Whether it holds whole numbers that grow from row to row.
    """

    n_missing: int
    n_distinct: int | None
    common: Any
    common_share: float
    numbers_rows: bool


@dataclass(frozen=True)
class SelectedColumns:
    """The columns that are learned from, what they look like, and why others are left out."""

    table: TableView
    looks: tuple[ColumnSummary, ...]
    left_out: dict[str, str]


def asked_for(
    names: Sequence[Hashable], target: int | None, drop: Any, only: Any
) -> tuple[dict[int, str], list[int]]:
    """Places of columns that the user leaves out, with the reason, and of the others."""
    dropped = {find_column(names, name, "drop") for name in as_names(drop)}
    chosen = {find_column(names, name, "only") for name in as_names(only)}
    left_out: dict[int, str] = {}
    for place in range(len(names)):
        if place == target:
            continue
        if place in dropped:
            left_out[place] = "dropped"
        elif chosen and place not in chosen:
            left_out[place] = "not_selected"
    rest = [i for i in range(len(names)) if i not in left_out and i != target]
    return left_out, rest


def choose_columns(
    table: Table, as_categorical: Any, n_jobs: int | None, progress: Progress
) -> SelectedColumns:
    """Leave out columns of which nothing can be learned; the table is without the target."""
    kinds, nested = _kinds(table)
    left_out = dict.fromkeys(nested, NESTED)
    for name in as_categorical:
        if name in table.names and (place := table.names.index(name)) in kinds:
            kinds[place] = "categorical"
    seen = view(table, list(kinds), list(kinds.values()))
    looks = dict(zip(kinds, _look_at_all(seen, n_jobs, progress), strict=True))
    for place, look in looks.items():
        reason = _nothing_to_learn(look, table.n_rows, kinds[place])
        if reason:
            left_out[place] = reason
    kept = [i for i, place in enumerate(kinds) if place not in left_out]
    learned = tuple(look for place, look in looks.items() if place not in left_out)
    named = {str(table.names[place]): reason for place, reason in left_out.items()}
    return SelectedColumns(seen.at_columns(kept), learned, named)


def _kinds(table: Table) -> tuple[dict[int, Kind], list[int]]:
    """Kind of each column, and columns whose cells hold several values."""
    try:
        return dict(enumerate(table.kinds())), []
    except NestedColumnError:
        pass  # each is asked alone
    kinds: dict[int, Kind] = {}
    nested = []
    for place in range(len(table.names)):
        try:
            (kinds[place],) = Table(
                [table.names[place]], table.n_rows, [table.sources[place]]
            ).kinds()
        except NestedColumnError:
            nested.append(place)
    return kinds, nested


def _look_at_all(table: TableView, n_jobs: int | None, progress: Progress) -> list[ColumnSummary]:
    """Read every column and look at it."""
    counted = table.n_rows * len(table.names) <= MOST_COUNTED
    looks: list[ColumnSummary] = []

    def work(column: tuple[int, Kind]) -> ColumnSummary:
        i, kind = column
        if kind == "categorical":
            read = table.categorical(i)
            return look_at_categories(read.codes, read.categories)
        return look_at_numbers(table.numeric(i).values, counted, kind == "numeric")

    def keep(column: tuple[int, Kind], look: ColumnSummary) -> None:
        looks.append(look)
        progress("reading", len(looks), len(table.names))

    each_in_threads(work, enumerate(table.kinds()), keep, n_jobs)
    return looks


def look_at_categories(codes: NDArray[np.int32], categories: Sequence[Hashable]) -> ColumnSummary:
    """Look at a column of categories; missing is a value like any other for the common one."""
    rows = np.bincount(codes + 1, minlength=len(categories) + 1)
    common = int(rows.argmax())
    return ColumnSummary(
        n_missing=int(rows[0]),
        n_distinct=int(np.count_nonzero(rows[1:])),
        common=None if common == 0 else categories[common - 1],
        common_share=float(rows[common] / len(codes)),
        numbers_rows=False,
    )


def look_at_numbers(values: NDArray[np.float64], counted: bool, numeric: bool) -> ColumnSummary:
    """Look at a column of numbers."""
    missing = np.isnan(values)
    n_missing = int(np.count_nonzero(missing))
    common, share = _common_number(values, missing)
    present = values[~missing] if n_missing else values
    n_distinct = len(np.unique(present)) if counted else 1 if share == 1.0 else None
    numbered = numeric and not n_missing and _numbers_rows(values)
    return ColumnSummary(n_missing, n_distinct, common, share, numbered)


def _common_number(
    values: NDArray[np.float64], missing: NDArray[np.bool_]
) -> tuple[float | None, float]:
    """A number (None = missing) that is in most rows, and its share; 0 if a sample shows none."""
    step = max(1, len(values) // SAMPLE)
    sample, rows = np.unique(values[::step], return_counts=True)
    common = float(sample[rows.argmax()])
    if 2 * rows.max() < rows.sum():
        return None, 0.0
    if np.isnan(common):
        return None, float(np.mean(missing))
    return common, float(np.mean(values == common))


def _numbers_rows(values: NDArray[np.float64]) -> bool:
    """Whether whole numbers grow from row to row, as an index does."""

    def grow(some: NDArray[np.float64]) -> bool:
        # Not a difference, which two infinite values do not have.
        return bool(np.all(some[1:] > some[:-1])) and bool(np.all(some == np.floor(some)))

    # Nearly all columns are told by their first rows.
    return grow(values[:SAMPLE]) and grow(values)


def _nothing_to_learn(look: ColumnSummary, n_rows: int, kind: Kind) -> str | None:
    """Why nothing can be learned from a column."""
    if look.n_missing == n_rows:
        return "all_missing"
    if look.common_share == 1.0:
        return "constant"
    present = n_rows - look.n_missing
    unrepeated = kind == "categorical" and look.n_distinct == present
    if unrepeated and present >= PRESENT * n_rows and present > 2:
        return "all_different"
    return None


def refuse_none_left(left_out: Sequence[LeftOut]) -> None:
    """Raise, as there is no column to learn from."""
    if not left_out:
        raise ColumnError(
            "The table has no column beside the target: add columns that may tell about it."
        )
    shown = "; ".join(
        f"{column.name!r}: {left_out_sentence(vars(column))}" for column in left_out[:3]
    )
    more = f"; and {len(left_out) - 3:,} more" if len(left_out) > 3 else ""
    raise ColumnError(
        f"No column is left to learn from ({shown}{more}): add columns that differ between rows, "
        "or drop fewer."
    )

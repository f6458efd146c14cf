"""One named, typed column."""

from collections.abc import Hashable
from dataclasses import dataclass

import numpy as np

from modlearn._tables.cells import Cells, Coded, distinct, first_text, floats, sorted_codes
from modlearn._tables.memory.source import Source, cells_of
from modlearn.errors import ColumnError
from modlearn.schema import Kind

__all__ = ["CategoricalColumn", "NumericColumn", "categorical_column", "numeric_column"]

SECOND = 1_000_000  # microseconds


@dataclass(frozen=True)
class NumericColumn:
    """Ordered values of one column.

    Parameters
    ----------
    name : hashable
        Name of the column.
    kind : Kind
        What the values were before they became floats.
    values : ndarray of shape (n,), float64
        The values, NaN = missing. Dates are microseconds since 1970 (UTC), durations microseconds.
        Integers beyond 2**53 in magnitude are rounded: neighbors may coincide. The array may
        share the memory of the user's table: never write into it.
    """

    name: Hashable
    kind: Kind
    values: np.ndarray


@dataclass(frozen=True)
class CategoricalColumn:
    """Unordered values of one column.

    Parameters
    ----------
    name : hashable
        Name of the column.
    codes : ndarray of shape (n,), int32
        Index into ``categories``, -1 = missing.
    categories : tuple
        The values that occur, as plain Python, sorted. Dates are ISO 8601 text in UTC (only the day
        when it is midnight), durations and times of day ``hh:mm:ss``.
    """

    name: Hashable
    codes: np.ndarray
    categories: tuple[Hashable, ...]


def numeric_column(source: Source, name: Hashable) -> NumericColumn:
    """Read a column as numbers; text is refused."""
    subject = f"Column {name!r}"
    cells = cells_of(source, subject)
    text = first_text(cells)
    if text is not None:
        raise ColumnError(
            f"{subject} holds text, row {text[0]} is {text[1]!r}, where numbers are needed: "
            "convert it (for example with pandas.to_numeric), or fit it as text with Grouper or "
            'Encoder, or with representation="auto" to spread labels.'
        )
    return NumericColumn(name, _numeric_kind(cells), floats(cells))


def categorical_column(source: Source, name: Hashable) -> CategoricalColumn:
    """Read a column as categories; numbers and dates become categories of their distinct values."""
    cells = cells_of(source, f"Column {name!r}")
    if isinstance(cells, Cells) and cells.values.dtype.kind in "Mm":
        cells = _label_times(cells)
    if isinstance(cells, Coded):
        codes, values = sorted_codes(cells)
        return CategoricalColumn(name, codes, tuple(values))
    codes, categories = distinct(cells)
    return CategoricalColumn(name, codes, tuple(categories.tolist()))


def _numeric_kind(cells: Cells | Coded) -> Kind:
    """Kind of cells read as numbers; booleans and categories that are numbers are numeric."""
    letter = cells.values.dtype.kind if isinstance(cells, Cells) else ""
    return Kind.DATETIME if letter == "M" else Kind.DURATION if letter == "m" else Kind.NUMERIC


def _label_times(cells: Cells) -> Coded:
    """Replace dates or durations by their text, the same for every unit and frame."""
    letter = cells.values.dtype.kind
    codes, times = distinct(Cells(cells.values.astype(f"{letter}8[us]"), cells.missing))
    if letter == "M":
        return Coded(codes, [_iso_date(text) for text in np.datetime_as_string(times)])
    return Coded(codes, [_clock(count) for count in times.view(np.int64).tolist()])


def _iso_date(text: str) -> str:
    """ISO 8601 text of an instant without the zeros of whole seconds and of midnight."""
    return str(text).removesuffix(".000000").removesuffix("T00:00:00")


def _clock(microseconds: int) -> str:
    """Duration as hh:mm:ss, with its fraction of a second if it has one."""
    seconds, rest = divmod(abs(microseconds), SECOND)
    text = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    sign = "-" if microseconds < 0 else ""
    return f"{sign}{text}.{rest:06d}" if rest else f"{sign}{text}"

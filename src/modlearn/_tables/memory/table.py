"""Frames and arrays as named columns, each read when it is needed."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sized
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from sklearn.utils.validation import check_array, column_or_1d

from modlearn._tables.cells import (
    EXACT_INTEGERS,
    Cells,
    CodedCells,
    distinct,
    first_text,
    floats,
    sorted_codes,
)
from modlearn._tables.memory.arrays import KINDS, array_cells, array_kind
from modlearn.errors import EmptyTableError, NestedColumnError, TextColumnError
from modlearn.schema import ORDERED, Column, Kind, kind_of_values, listed

if TYPE_CHECKING:  # imported late: users of arrays do not need narwhals
    from modlearn._tables.memory.series import Series

__all__ = [
    "CategoricalColumn",
    "NumericColumn",
    "Source",
    "Table",
    "categorical_column",
    "cells_of",
    "described_column",
    "is_array_like",
    "is_text",
    "kind_of",
    "numeric_column",
    "objects_of",
    "read_table",
    "vector",
]

Source: TypeAlias = "np.ndarray | Series | Cells | CodedCells"


def kind_of(source: Source, subject: str) -> Kind:
    """Return the kind of a column; ``subject``, such as "Column 'age'", begins error messages."""
    if isinstance(source, Cells):
        return KINDS[source.values.dtype.kind]
    if isinstance(source, CodedCells):
        return kind_of_values(source.values)
    if isinstance(source, np.ndarray):
        return array_kind(source, subject)
    from modlearn._tables.memory.series import series_kind

    return series_kind(source, subject)


def described_column(source: Source, name: Hashable) -> Column:
    """Describe a column: numbers, dates and durations are ordered, unless they are categories."""
    try:
        kind = kind_of(source, f"Column {name!r}")
    except NestedColumnError:
        return Column(name, Kind.NESTED, ordered=False)
    is_number = not isinstance(source, CodedCells) or source.labels is not None
    ordered = is_number and kind in ORDERED
    return Column(name, kind, ordered, source.format if isinstance(source, Cells) else None)


def cells_of(source: Source, subject: str) -> Cells | CodedCells:
    """Read a column; ``subject``, such as "Column 'age'", begins error messages."""
    if isinstance(source, Cells | CodedCells):
        return source
    if isinstance(source, np.ndarray):
        return array_cells(source, subject)
    from modlearn._tables.memory.series import series_cells

    return series_cells(source, subject)


def is_text(source: np.ndarray | Series) -> bool:
    """Whether a column is of text, or of objects that may be text; not of declared categories."""
    if isinstance(source, np.ndarray):
        return source.dtype.kind in "OUT"
    from modlearn._tables.memory.series import has_texts

    return has_texts(source)


def objects_of(source: Source) -> np.ndarray | None:
    """Return the cells of a column of objects; None for a column of one type."""
    if isinstance(source, Cells | CodedCells):
        return None
    if isinstance(source, np.ndarray):
        return source if source.dtype == object else None
    from modlearn._tables.memory.series import is_untyped

    return source.to_numpy().astype(object) if is_untyped(source) else None


def is_array_like(data: object) -> bool:
    """Whether data is an array or a list rather than something that may be a frame."""
    return isinstance(data, np.ndarray | list | tuple)


def keep_mask(checked: np.ndarray, data: Any) -> np.ndarray:
    """Restore the mask of an array, which scikit-learn's checks drop."""
    if not isinstance(data, np.ma.MaskedArray):
        return checked
    return np.ma.array(checked, mask=np.ma.getmaskarray(data).reshape(checked.shape))


def vector(data: Any, subject: str, warn: bool) -> Source:
    """Read a single column: a vector, series, list, one-column frame or (n, 1) array."""
    if isinstance(data, Cells | CodedCells):
        return data
    if not is_array_like(data):
        from modlearn._tables.memory.series import is_frame, is_series, only_column, wrap

        wrapped = wrap(data, subject)
        if is_frame(wrapped):
            return only_column(wrapped, subject)
        if is_series(wrapped):
            series: Series = wrapped
            return series
    array = _as_array(data)
    return keep_mask(column_or_1d(array, warn=warn), array)


def _as_array(data: Any) -> Any:
    """Convert data to an array if possible; scikit-learn refuses the rest."""
    if isinstance(data, list | tuple):
        return np.array(data, dtype=object)  # as one type, [1, "a"] would become ["1", "a"]
    # scikit-learn would read the integers of a pandas array as floats.
    return np.asanyarray(data) if hasattr(data, "__array__") else data


@dataclass(frozen=True, eq=False)
class NumericColumn:
    """Ordered values of one column."""

    name: Hashable
    kind: Kind  # what the values were before they became floats
    # (n,), the values, NaN = missing. Dates are microseconds since 1970 (UTC), durations
    # microseconds. Integers beyond 2**53 in magnitude are rounded: neighbors may coincide. The
    # array may share the memory of the user's table: never write into it.
    values: np.ndarray
    # Number of distinct values before and after rounding, if it made some of them equal.
    merged: tuple[int, int] | None = None


@dataclass(frozen=True, eq=False)
class CategoricalColumn:
    """Unordered values of one column."""

    name: Hashable
    codes: np.ndarray  # (n,), index into ``categories``, -1 = missing
    # The values that occur, as plain Python, sorted. Dates are ISO 8601 text in UTC (only the day
    # at midnight), durations and times of day are ``hh:mm:ss``.
    categories: tuple[Hashable, ...]


def numeric_column(source: Source, name: Hashable) -> NumericColumn:
    """Read a column as numbers; text is refused."""
    subject = f"Column {name!r}"
    cells = cells_of(source, subject)
    kind, may_round = _numeric_kind(cells), _may_round(cells)
    text = first_text(cells)
    if text is not None:
        raise TextColumnError(
            f"{subject} holds text (row {text[0]} is {listed([text[1]], 1)}), but numbers are "
            "needed: convert it (for example with pandas.to_numeric)."
        )
    values = floats(cells)
    return NumericColumn(name, kind, values, _merged(cells, values) if may_round else None)


def _merged(cells: Cells | CodedCells, values: np.ndarray) -> tuple[int, int] | None:
    """Numbers of distinct values before and after rounding, if rounding made some equal."""
    if isinstance(cells, CodedCells):
        exact = np.unique(cells.codes[cells.codes >= 0])
    elif cells.merged is not None:
        return cells.merged
    else:
        _, exact = distinct(cells)
    n_numbers = len(np.unique(values[~np.isnan(values)]))
    return (len(exact), n_numbers) if n_numbers < len(exact) else None


def _may_round(cells: Cells | CodedCells) -> bool:
    """Whether numbers, dates or durations may have more digits than float64 keeps."""
    if isinstance(cells, CodedCells):
        return cells.labels is not None
    values = cells.values
    if values.dtype.kind in "Mm":
        is_fine = np.datetime_data(values.dtype)[0] == "ns"
        return is_fine and bool((values[~np.isnat(values)].view(np.int64) % 1000).any())
    if values.dtype.kind not in "iu" or values.dtype.itemsize < 8 or not values.size:
        return cells.merged is not None
    return int(values.max()) > EXACT_INTEGERS or int(values.min()) < -EXACT_INTEGERS


def categorical_column(source: Source, name: Hashable) -> CategoricalColumn:
    """Read a column as categories; numbers and dates become categories of their distinct values."""
    cells = cells_of(source, f"Column {name!r}")
    if isinstance(cells, Cells) and cells.values.dtype.kind in "Mm":
        cells = _label_times(cells)
    if isinstance(cells, CodedCells):
        codes, values = sorted_codes(cells)
        return CategoricalColumn(name, codes, tuple(values))
    codes, categories = distinct(cells)
    return CategoricalColumn(name, codes, tuple(categories.tolist()))


def _numeric_kind(cells: Cells | CodedCells) -> Kind:
    """Return the kind of cells read as numbers; booleans and numeric categories are numeric."""
    letter = cells.values.dtype.kind if isinstance(cells, Cells) else ""
    return Kind.DATETIME if letter == "M" else Kind.DURATION if letter == "m" else Kind.NUMERIC


def _label_times(cells: Cells) -> CodedCells:
    """Replace dates or durations by their text, the same for every unit and frame."""
    letter, dtype = cells.values.dtype.kind, cells.values.dtype
    unit = "ns" if np.datetime_data(dtype)[0] == "ns" else "us"  # nanoseconds may tell them apart
    codes, times = distinct(Cells(cells.values.astype(f"{letter}8[{unit}]"), cells.missing))
    if letter == "M":
        return CodedCells(codes, [_iso_date(text) for text in np.datetime_as_string(times)])
    n_digits = 9 if unit == "ns" else 6
    return CodedCells(codes, [_clock(count, n_digits) for count in times.view(np.int64).tolist()])


def _iso_date(text: str) -> str:
    """Return the ISO 8601 text of an instant, without zero fractions and midnight."""
    micro = str(text)[:-3] if re.search(r"\.\d{6}000$", text) else str(text)
    return micro.removesuffix(".000000").removesuffix("T00:00:00")


def _clock(count: int, n_digits: int) -> str:
    """Return a duration as hh:mm:ss, with the fraction of a second if it has one."""
    seconds, rest = divmod(abs(count), 10**n_digits)
    text = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    sign = "-" if count < 0 else ""
    # Three digits more only where they are needed: the same duration has the same text.
    fraction = f".{rest:0{n_digits}d}" if rest % 1000 or n_digits == 6 else f".{rest // 1000:06d}"
    return f"{sign}{text}{fraction}" if rest else f"{sign}{text}"


@dataclass(frozen=True, eq=False)
class Table:
    """Named columns, each read when it is needed; threads may read at the same time."""

    names: list[Hashable]
    n_rows: int
    sources: list[Source]

    def columns(self) -> list[Column]:
        """Name and kind of each column; a column of nested cells has the kind NESTED."""
        return [described_column(s, n) for s, n in zip(self.sources, self.names, strict=True)]

    def numeric(self, i: int) -> NumericColumn:
        """Read column ``i`` as numbers, dates or durations; ``ColumnError`` if it holds text."""
        return numeric_column(self.sources[i], self.names[i])

    def categorical(self, i: int) -> CategoricalColumn:
        """Read column ``i`` as categories, whatever its kind."""
        return categorical_column(self.sources[i], self.names[i])

    @property
    def shape(self) -> tuple[int, int]:
        """Number of rows and of columns."""
        return self.n_rows, len(self.names)


def read_table(X: Any) -> Table:
    """Name the columns of a frame, a 2-D array or a list of rows; no column is read yet."""
    if isinstance(X, Table):
        _check_not_empty(X.shape)
        return X
    # Some sparse matrices are dicts too.
    if X is None or type(X) is dict or isinstance(X, str | PathLike):
        raise ValueError(
            f"X is a {type(X).__name__}: pass a table, such as pandas.DataFrame(X), or a 2D array."
        )
    if is_array_like(X):
        return _read_array(X)
    # Imported late: users of arrays do not need narwhals.
    from modlearn._tables.memory.series import is_frame, is_series, wrap

    wrapped = wrap(X, "X")
    if is_frame(wrapped):
        _check_not_empty(wrapped.shape)
        return Table(list(wrapped.columns), wrapped.shape[0], list(wrapped.iter_columns()))
    if is_series(wrapped):
        raise ValueError(
            f"Expected 2D array, got 1D array instead: X is the series {wrapped.name!r}. "
            "Reshape your data: pass a frame, for one column X.to_frame(), for one row in pandas "
            "df.iloc[[0]] instead of df.iloc[0]."
        )
    return _read_array(X)


def _check_not_empty(shape: tuple[int, int]) -> None:
    """Refuse a table without rows or columns."""
    if 0 in shape:
        raise EmptyTableError(shape)


def _read_array(X: Any) -> Table:
    """Name the columns of an array x0, x1, ... after scikit-learn has checked its shape."""
    rows = _rows_as_array(X) if isinstance(X, list | tuple) else X
    checked = check_array(
        rows,
        dtype=None,
        ensure_all_finite=False,
        ensure_min_samples=0,
        ensure_min_features=0,
        input_name="X",
    )
    _check_not_empty(checked.shape)
    array = keep_mask(checked, rows)
    names: list[Hashable] = [f"x{i}" for i in range(array.shape[1])]
    return Table(names, array.shape[0], [array[:, i] for i in range(array.shape[1])])


def _rows_as_array(rows: list[Any] | tuple[Any, ...]) -> np.ndarray:
    """Rows as an object array: as one type, [1, "a"] would become ["1", "a"]."""
    widths = [len(r) if isinstance(r, Sized) and not isinstance(r, str) else 0 for r in rows]
    odd = next((i for i, width in enumerate(widths) if width != widths[0]), None)
    if odd is not None:
        raise ValueError(
            f"Row {odd} of X has {widths[odd]} values but row 0 has {widths[0]}: "
            "pass the same number of values in every row (None for a missing one)."
        )
    return np.array(rows, dtype=object)

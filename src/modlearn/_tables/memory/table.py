"""A frame or an array as named columns, each read when it is needed."""

from collections.abc import Hashable, Sized
from dataclasses import dataclass
from os import PathLike
from typing import Any

import numpy as np
from sklearn.utils.validation import check_array

from modlearn._tables.memory.column import (
    CategoricalColumn,
    NumericColumn,
    Source,
    categorical_column,
    described_column,
    is_array_like,
    keep_mask,
    numeric_column,
)
from modlearn.errors import EmptyTableError
from modlearn.schema import Column

__all__ = ["Table", "read_table"]


@dataclass(frozen=True)
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
        return _read_frame(wrapped)
    if is_series(wrapped):
        raise ValueError(
            f"Expected 2D array, got 1D array instead: X is the series {wrapped.name!r}. "
            "Reshape your data: pass a frame, for one column X.to_frame(), for one row in pandas "
            "df.iloc[[0]] instead of df.iloc[0]."
        )
    return _read_array(X)


def _read_frame(frame: Any) -> Table:
    """Name the columns of a narwhals frame."""
    _check_not_empty(frame.shape)
    return Table(list(frame.columns), frame.shape[0], list(frame.iter_columns()))


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

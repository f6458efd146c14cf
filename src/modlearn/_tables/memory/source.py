"""A column where it lives: a NumPy vector, a frame's series, or cells that were read before."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
from sklearn.utils.validation import column_or_1d

from modlearn._tables.cells import Cells, Coded
from modlearn._tables.memory.arrays import KINDS, array_cells, array_kind
from modlearn.schema import Kind, kind_of_values

if TYPE_CHECKING:  # imported below by those who pass frames: users of arrays need no narwhals
    from modlearn._tables.memory.series import Series

__all__ = [
    "Source",
    "cells_of",
    "is_array_like",
    "keep_mask",
    "kind_of",
    "objects_of",
    "vector",
]

Source: TypeAlias = "np.ndarray | Series | Cells | Coded"


def kind_of(source: Source, subject: str) -> Kind:
    """Kind of a column; ``subject`` (such as "Column 'age'") begins an error's sentence."""
    if isinstance(source, Cells):
        return KINDS[source.values.dtype.kind]
    if isinstance(source, Coded):
        return kind_of_values(source.values)
    if isinstance(source, np.ndarray):
        return array_kind(source, subject)
    from modlearn._tables.memory.series import series_kind

    return series_kind(source, subject)


def cells_of(source: Source, subject: str) -> Cells | Coded:
    """Read a column; ``subject`` (such as "Column 'age'") begins an error's sentence."""
    if isinstance(source, Cells | Coded):
        return source
    if isinstance(source, np.ndarray):
        return array_cells(source, subject)
    from modlearn._tables.memory.series import series_cells

    return series_cells(source, subject)


def objects_of(source: Source) -> np.ndarray | None:
    """Cells of a column of objects; None for a column of one type."""
    if isinstance(source, Cells | Coded):
        return None
    if isinstance(source, np.ndarray):
        return source if source.dtype == object else None
    from modlearn._tables.memory.series import is_untyped

    return source.to_numpy().astype(object) if is_untyped(source) else None


def is_array_like(data: object) -> bool:
    """Whether data is an array or a list rather than, perhaps, a frame."""
    return isinstance(data, np.ndarray | list | tuple)


def keep_mask(checked: np.ndarray, data: Any) -> np.ndarray:
    """Give an array its mask back, which scikit-learn's checks drop."""
    if not isinstance(data, np.ma.MaskedArray):
        return checked
    return np.ma.array(checked, mask=np.ma.getmaskarray(data).reshape(checked.shape))


def vector(data: Any, subject: str, warn: bool) -> Source:
    """Read one column alone: a vector, series, list, one-column frame or (n, 1) array."""
    if isinstance(data, Cells | Coded):
        return data
    if not is_array_like(data):
        from modlearn._tables.memory.series import is_frame, is_series, only_column, wrap

        wrapped = wrap(data, subject)
        if is_frame(wrapped):
            wrapped = only_column(wrapped, subject)
        if is_series(wrapped):
            return wrapped
    array = _as_array(data)
    return keep_mask(column_or_1d(array, warn=warn), array)


def _as_array(data: Any) -> Any:
    """An array of what can become one; the rest is left for scikit-learn to refuse."""
    if isinstance(data, list | tuple):
        return np.array(data, dtype=object)  # as one type, [1, "a"] would become ["1", "a"]
    # scikit-learn would read the integers of a pandas array as floats
    return np.asanyarray(data) if hasattr(data, "__array__") else data

"""Reading columns of frames: pandas, Polars, Arrow, and others that narwhals supports."""

import datetime as dt
from collections import Counter
from collections.abc import Callable
from typing import Any, TypeAlias

import narwhals.stable.v2 as nw
import numpy as np
from narwhals.exceptions import DuplicateError

from modlearn._tables.cells import Cells, CodedCells
from modlearn._tables.memory.arrays import array_cells, array_kind
from modlearn.errors import ColumnError, NestedColumnError
from modlearn.schema import Kind

__all__ = [
    "Series",
    "has_texts",
    "is_frame",
    "is_series",
    "is_untyped",
    "kind_of_dtype",
    "only_column",
    "series_cells",
    "series_kind",
    "wrap",
]

Series: TypeAlias = nw.Series[Any]

TEXT = (nw.String, nw.Categorical, nw.Enum)
PLAIN = (str, int, float)
NESTED = (nw.List, nw.Array, nw.Struct)
NOT_IN_NUMPY = (nw.Decimal, nw.Int128, nw.UInt128)


def wrap(data: Any, subject: str) -> Any:
    """Wrap a frame or a series with narwhals; anything else is returned as it is."""
    try:
        wrapped = nw.from_native(_batch_as_table(data), pass_through=True, allow_series=True)
    except DuplicateError:
        raise ColumnError(_duplicates(data)) from None
    if isinstance(wrapped, nw.LazyFrame):
        raise TypeError(
            f"{subject} is a lazy frame of {wrapped.implementation}, whose rows are not computed "
            "yet: call .collect() and pass the result (if it has no .collect(): "
            "narwhals.from_native(frame).collect())."
        )
    return wrapped


def _batch_as_table(data: Any) -> Any:
    """Convert an Arrow batch to a table, which narwhals supports; anything else stays as it is."""
    if type(data).__name__ != "RecordBatch":
        return data
    import pyarrow as pa

    return pa.Table.from_batches([data])


def is_frame(wrapped: object) -> bool:
    """Return whether ``wrap`` found a frame."""
    return isinstance(wrapped, nw.DataFrame)


def is_series(wrapped: object) -> bool:
    """Return whether ``wrap`` found a series."""
    return isinstance(wrapped, nw.Series)


def only_column(frame: Any, subject: str) -> Series:
    """Return the column of a frame with one column."""
    if frame.shape[1] != 1:
        raise ValueError(
            f"{subject} should be a 1d array, got a frame of shape {frame.shape} instead: "
            "pass one of its columns."
        )
    return next(frame.iter_columns())


def series_kind(series: Series, subject: str) -> Kind:
    """Return the kind of a series; cells are inspected only if the column has no type."""
    dtype = _flat_dtype(series, subject)
    if is_untyped(series):
        return array_kind(_untyped(series, subject), subject)
    kind = kind_of_dtype(dtype)
    if kind is not Kind.TEXT:
        return kind
    # Without a type, as in pandas, a column without values is numeric: so it is in every library.
    is_empty = isinstance(dtype, nw.String) and not series.head(1).drop_nulls().len()
    return Kind.NUMERIC if is_empty and not series.drop_nulls().len() else Kind.TEXT


def kind_of_dtype(dtype: Any) -> Kind:
    """Return the kind of a data type of narwhals; what is nothing else is text."""
    if isinstance(dtype, NESTED):
        return Kind.NESTED
    if dtype.is_numeric():
        return Kind.NUMERIC
    if isinstance(dtype, nw.Duration | nw.Time):
        return Kind.DURATION
    if isinstance(dtype, nw.Boolean):
        return Kind.BOOLEAN
    return Kind.DATETIME if dtype.is_temporal() else Kind.TEXT


def series_cells(series: Series, subject: str) -> Cells | CodedCells:
    """Read a series; ``subject``, such as "Column 'age'", begins error messages."""
    dtype = _flat_dtype(series, subject)
    if is_untyped(series):
        return array_cells(_untyped(series, subject), subject)
    if isinstance(dtype, TEXT):
        return _encode(series, subject)
    if isinstance(dtype, NOT_IN_NUMPY):
        return array_cells(np.array(series.to_list(), dtype=object), subject)
    if dtype.is_integer() or isinstance(dtype, nw.Boolean):
        return _nullable_cells(series)
    return array_cells(series.to_numpy(), subject)


def has_texts(series: Series) -> bool:
    """Return whether a column is of text, or of objects; not of declared categories."""
    return isinstance(series.dtype, nw.String) or is_untyped(series)


def is_untyped(series: Series) -> bool:
    """Return whether only the cells show what the column holds."""
    # narwhals calls an object column text if its first 100 cells are: use the native type.
    is_object = str(getattr(series.to_native(), "dtype", "")) == "object"
    return is_object or isinstance(series.dtype, nw.Object | nw.Unknown | nw.Binary)


def _untyped(series: Series, subject: str) -> np.ndarray:
    """Return the cells of a column without a type; an extension type may hold several in each."""
    cells = series.to_numpy()
    if cells.ndim != 1:
        raise NestedColumnError(_nested(series, subject))
    return cells


def _flat_dtype(series: Series, subject: str) -> Any:
    """Return the data type of a series; raise if its cells hold several values."""
    if isinstance(series.dtype, NESTED):
        raise NestedColumnError(_nested(series, subject))
    return series.dtype


def _nested(series: Series, subject: str) -> str:
    """Return the error for cells that hold several values."""
    return (
        f"{subject} is nested ({series.dtype}): each cell holds several values. "
        "Split it into one column per value, or drop it."
    )


def _nullable_cells(series: Series) -> Cells:
    """Return integers or booleans with a mask of nulls: as floats, they would lose digits."""
    missing = series.is_null().to_numpy()
    if not missing.any():
        return Cells(series.to_numpy())
    filler = False if isinstance(series.dtype, nw.Boolean) else 0
    return Cells(series.fill_null(filler).to_numpy(), missing)


def _encode(series: Series, subject: str) -> CodedCells | Cells:
    """Number the texts of a series with the frame's own engine, or else one by one."""
    encode = ENCODERS.get(series.implementation)
    if encode is None:
        return array_cells(np.array(series.to_list(), dtype=object), subject)
    codes, values = encode(series.to_native())
    return CodedCells(codes, list(map(_plain, values)))


def _plain(value: Any) -> Any:
    """Convert a category to plain Python: a date to ISO text, other objects to their text."""
    if value is None or isinstance(value, PLAIN):
        return value
    if isinstance(value, dt.date):
        return value.isoformat().removesuffix("T00:00:00")
    return str(value)


def _encode_pandas(series: Any) -> tuple[np.ndarray, list[Any]]:
    """Codes (n,) and values of text or categories of pandas."""
    codes, values = series.factorize()
    return np.asarray(codes), values.tolist()


def _encode_polars(series: Any) -> tuple[np.ndarray, list[Any]]:
    """Codes (n,) and values of text, categories or enumerations of Polars."""
    import polars as pl

    text = series.cast(pl.String)
    values = text.drop_nulls().unique().sort()
    # An Enum numbers its values in their order; the codes of a Categorical are shared by columns.
    codes = text.cast(pl.Enum(values)).to_physical().cast(pl.Int32).fill_null(-1)
    return codes.to_numpy(), values.to_list()


def _encode_arrow(column: Any) -> tuple[np.ndarray, list[Any]]:
    """Codes (n,) and values of text or dictionaries of Arrow."""
    encoded = column.dictionary_encode().unify_dictionaries().combine_chunks()
    codes = encoded.indices.cast("int32").fill_null(-1)
    return codes.to_numpy(), encoded.dictionary.to_pylist()


ENCODERS: dict[nw.Implementation, Callable[[Any], tuple[np.ndarray, list[Any]]]] = {
    nw.Implementation.PANDAS: _encode_pandas,
    nw.Implementation.POLARS: _encode_polars,
    nw.Implementation.PYARROW: _encode_arrow,
}


def _duplicates(frame: Any) -> str:
    """Raise the error that names a column that occurs twice."""
    names = Counter(getattr(frame, "column_names", None) or list(frame.columns))
    name, count = names.most_common(1)[0]
    return (
        f"Column {name!r} occurs {count} times, but names of columns must differ. "
        "Rename or drop the duplicates."
    )

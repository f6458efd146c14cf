"""Arrays of Python objects: inspected, then read as numbers, dates, booleans or text."""

import datetime as dt
import numbers
from collections import defaultdict
from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Any

import numpy as np

from modlearn._tables.cells import MISSING_TYPE_NAMES, Cells, Coded
from modlearn.errors import ColumnError, NestedColumnError
from modlearn.schema import Kind

__all__ = ["NestedCellError", "object_cells", "object_kind"]

SEVERAL = (list, tuple, dict, set, frozenset, np.ndarray)


class NestedCellError(NestedColumnError, TypeError):
    """A cell holds several values; scikit-learn requires a TypeError if cells are objects."""


# The order matters: NumPy's timedelta64 is an integer in Python, and bool is a number.
FAMILIES: dict[str, tuple[type, ...]] = {
    "booleans": (bool, np.bool_),
    "text": (str,),
    "durations": (dt.timedelta, np.timedelta64, dt.time),
    "dates": (dt.date, np.datetime64),
    "numbers": (numbers.Real, Decimal),
}
KINDS: dict[str, Kind] = {
    "booleans": Kind.BOOLEAN,
    "text": Kind.TEXT,
    "durations": Kind.DURATION,
    "dates": Kind.DATETIME,
    "numbers": Kind.NUMERIC,
}


def object_kind(values: np.ndarray, subject: str) -> Kind:
    """Return the kind of an object column; ``subject`` begins error messages."""
    return KINDS[_inspect(values, subject)[0]]


def object_cells(values: np.ndarray, subject: str) -> Cells | Coded:
    """Convert an object column (n,) to what all of its cells are."""
    family, missing = _inspect(values, subject)
    if family == "text":
        return _code_text(values, missing)
    present = values if missing is None else values[~missing]
    try:
        converted = CONVERTERS[family](present)
    except OverflowError:
        raise ColumnError(_too_large(values, present, subject)) from None
    if missing is None:
        return Cells(converted)
    filled = np.zeros(values.size, dtype=converted.dtype)
    filled[~missing] = converted
    return Cells(filled, missing)


def _inspect(values: np.ndarray, subject: str) -> tuple[str, np.ndarray | None]:
    """Find the one family of the cells and the mask (n,) of the missing ones, None = no cell."""
    types = set(map(type, values))
    _refuse_other_objects(values, types, subject)
    if types in ({str}, {int}, {bool}):  # these types cannot be NaN
        return _family(types.pop()), None
    missing = _missing(values, types)
    families = {_family(kind) for kind in set(map(type, values[~missing]))}
    if families == {"numbers", "booleans"} or not families:
        return "numbers", missing
    if len(families) > 1:
        raise ColumnError(_mixture(values, missing, subject))
    return families.pop(), missing


def _family(kind: type) -> str:
    """Return the family of a type; empty for objects that no column can hold."""
    if kind.__name__ in MISSING_TYPE_NAMES:
        return "missing"
    return next((name for name, types in FAMILIES.items() if issubclass(kind, types)), "")


def _missing(values: np.ndarray, types: Iterable[type]) -> np.ndarray:
    """Mask (n,) of None, NaN, NaT and pandas.NA."""
    is_empty = {kind for kind in types if kind.__name__ in MISSING_TYPE_NAMES}.__contains__
    empty = np.fromiter(map(is_empty, map(type, values)), dtype=bool, count=values.size)
    comparable = values.copy()
    comparable[empty] = None  # pandas.NA cannot be compared
    return np.asarray(empty | (comparable != comparable), dtype=bool)


def _refuse_other_objects(values: np.ndarray, types: Iterable[type], subject: str) -> None:
    """Raise for the first cell that is neither text, number, date, duration nor boolean."""
    other = {kind for kind in types if not _family(kind)}
    if not other:
        return
    row = next(row for row, value in enumerate(values) if type(value) in other)
    if any(issubclass(kind, numbers.Complex) for kind in other):
        raise ValueError(f"Complex data not supported: {subject} row {row} holds {values[row]!r}.")
    is_nested = any(issubclass(kind, SEVERAL) for kind in other)
    raise (NestedCellError if is_nested else TypeError)(
        f"{subject} row {row} holds {values[row]!r}: each argument must be a string or a real "
        f"number, not {type(values[row]).__name__!r}. Convert it to numbers or text, or drop it."
    )


def _mixture(values: np.ndarray, missing: np.ndarray, subject: str) -> str:
    """Return the error that names the two families a column mixes, with the first row of each."""
    rows: dict[str, int] = {}
    for row in np.flatnonzero(~missing):
        rows.setdefault(_family(type(values[row])), int(row))
        if len(rows) == 2:
            break
    (one, i), (other, j) = sorted(rows.items())
    return (
        f"{subject} mixes {one} and {other}: row {i} holds {values[i]!r} and row {j} holds "
        f"{values[j]!r}. Convert the column to numbers (for example with pandas.to_numeric) "
        "or to text (for example with .astype(str))."
    )


def _too_large(values: np.ndarray, present: np.ndarray, subject: str) -> str:
    """Return the error for a number that a column of numbers cannot hold."""
    largest = max(present, key=abs)
    row = next(row for row, value in enumerate(values) if value is largest)
    return (
        f"{subject} row {row} holds a number beyond 1.7e308, the largest that can be used: convert "
        "the column to text, or drop it."
    )


def _code_text(values: np.ndarray, missing: np.ndarray | None) -> Coded:
    """Number the texts in the order of their first row."""
    codes: defaultdict[Any, int] = defaultdict()
    codes.default_factory = codes.__len__
    present = values if missing is None else values[~missing]
    numbered = np.fromiter(map(codes.__getitem__, present), dtype=np.int32, count=present.size)
    texts = list(map(str.__str__, codes))  # numpy.str_ and other subclasses become plain text
    if missing is None:
        return Coded(numbered, texts)
    spread = np.full(values.size, -1, dtype=np.int32)
    spread[~missing] = numbered
    return Coded(spread, texts)


def _read_numbers(values: np.ndarray) -> np.ndarray:
    """Integers as int64, everything else (and integers beyond int64) as float64."""
    types = set(map(type, values))
    if not types or not all(issubclass(kind, (numbers.Integral, np.bool_)) for kind in types):
        return values.astype(np.float64)
    try:
        return values.astype(np.int64)
    except OverflowError:
        return values.astype(np.float64)


def _read_dates(values: np.ndarray) -> np.ndarray:
    """Dates and times as datetime64[us]; those with a time zone in UTC."""
    return np.array(list(map(_without_zone, values)), dtype="M8[us]")


def _without_zone(value: Any) -> Any:
    """Convert an instant to UTC without a zone, as NumPy requires; no zone means UTC."""
    if getattr(value, "tzinfo", None) is None:
        return value
    return value.astimezone(dt.UTC).replace(tzinfo=None)


def _read_durations(values: np.ndarray) -> np.ndarray:
    """Durations as timedelta64[us]; a time of day is the time since midnight."""
    return np.array(list(map(_since_midnight, values)), dtype="m8[us]")


def _since_midnight(value: Any) -> Any:
    """A time of day as a duration; durations as they are."""
    if not isinstance(value, dt.time):
        return value
    return dt.timedelta(
        hours=value.hour,
        minutes=value.minute,
        seconds=value.second,
        microseconds=value.microsecond,
    )


CONVERTERS: dict[str, Callable[[np.ndarray], np.ndarray]] = {
    "booleans": lambda values: values.astype(bool),
    "numbers": _read_numbers,
    "dates": _read_dates,
    "durations": _read_durations,
}

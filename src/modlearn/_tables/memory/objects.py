"""Arrays of Python objects: inspected, then read as numbers, dates, booleans or text."""

import datetime as dt
import numbers
from collections import defaultdict
from collections.abc import Callable, Iterable
from decimal import Decimal
from typing import Any

import numpy as np

from modlearn._tables.cells import (
    EXACT_DIGITS,
    EXACT_INTEGERS,
    MISSING_TYPE_NAMES,
    Cells,
    CodedCells,
)
from modlearn.errors import ColumnError, NestedColumnError
from modlearn.schema import Kind

__all__ = ["NestedCellError", "object_cells", "object_kind"]

LARGEST_EXPONENT = 400
"""Beyond this power of ten, a text has an exponent."""

FIRST_OF_NS, LAST_OF_NS = np.datetime64("1678-01-01"), np.datetime64("2262-01-01")
"""Nanoseconds can express the instants between these."""

SEVERAL = (list, tuple, dict, set, frozenset, np.ndarray)


class NestedCellError(NestedColumnError, TypeError):
    """A cell holds several values; scikit-learn requires a TypeError if cells are objects."""


# The order matters: NumPy's timedelta64 is an integer in Python, and bool is a number.
OBJECT_FAMILIES: dict[str, tuple[Kind, tuple[type, ...]]] = {
    "booleans": (Kind.BOOLEAN, (bool, np.bool_)),
    "text": (Kind.TEXT, (str,)),
    "durations": (Kind.DURATION, (dt.timedelta, np.timedelta64, dt.time)),
    "dates": (Kind.DATETIME, (dt.date, np.datetime64)),
    "numbers": (Kind.NUMERIC, (numbers.Real, Decimal)),
}


def object_kind(values: np.ndarray, subject: str) -> Kind:
    """Return the kind of an object column; ``subject`` begins error messages."""
    return OBJECT_FAMILIES[_inspect(values, subject)[0]][0]


def object_cells(values: np.ndarray, subject: str) -> Cells | CodedCells:
    """Convert an object column (n,) to what all of its cells are."""
    texts = _as_texts(values)
    if texts is not None:
        return texts
    family, missing = _inspect(values, subject)
    if family == "text":
        return _coded_texts(*_numbered(values, missing))
    present = values if missing is None else values[~missing]
    try:
        if family == "numbers" and _are_long(present):
            codes, found = _numbered(values, missing)
            return CodedCells(codes, list(map(float, found)), list(map(_exact_text, found)))
        converted = CONVERTERS[family](present)
    except OverflowError:
        raise ColumnError(_too_large(values, present, subject)) from None
    if missing is None:
        return Cells(converted)
    filled = np.zeros(values.size, dtype=converted.dtype)
    filled[~missing] = converted
    return Cells(filled, missing)


def _as_texts(values: np.ndarray) -> CodedCells | None:
    """Read a column that begins with a text and holds nothing else; None for every other column.

    A text equals nothing but a text, so it is enough to inspect the distinct values.
    """
    if not values.size or not isinstance(values[0], str):
        return None
    try:
        codes, found = _numbered(values, None)
    except TypeError:  # a cell that cannot be hashed is not a text
        return None
    if not all(issubclass(type_, str) for type_ in set(map(type, found))):
        return None
    return _coded_texts(codes, found)


def _coded_texts(codes: np.ndarray, texts: list[Any]) -> CodedCells:
    return CodedCells(codes, list(map(str.__str__, texts)))  # numpy.str_ becomes plain text


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
    return next(
        (name for name, (_, types) in OBJECT_FAMILIES.items() if issubclass(kind, types)), ""
    )


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


def _numbered(values: np.ndarray, missing: np.ndarray | None) -> tuple[np.ndarray, list[Any]]:
    """Codes (n,), -1 = missing, of texts or numbers in the order of their first row; the values."""
    codes: defaultdict[Any, int] = defaultdict()
    codes.default_factory = codes.__len__
    present = values if missing is None else values[~missing]
    numbered = np.fromiter(map(codes.__getitem__, present), dtype=np.int32, count=present.size)
    if missing is None:
        return numbered, list(codes)
    spread = np.full(values.size, -1, dtype=np.int32)
    spread[~missing] = numbered
    return spread, list(codes)


def _are_long(values: np.ndarray) -> bool:
    """Whether numbers have more digits than floats, or integers of 64 bits, keep apart."""
    if _are_integers(values):
        return not (-(2**63) <= min(values, default=0) <= max(values, default=0) < 2**63) and not (
            0 <= min(values) <= max(values) < 2**64
        )
    return any(map(_is_long, values))


def _are_integers(values: np.ndarray) -> bool:
    return all(issubclass(type_, (numbers.Integral, np.bool_)) for type_ in set(map(type, values)))


def _is_long(value: Any) -> bool:
    if isinstance(value, Decimal):
        return len(value.as_tuple().digits) > EXACT_DIGITS
    return isinstance(value, numbers.Integral) and abs(int(value)) > EXACT_INTEGERS


def _exact_text(value: Any) -> str:
    """Return all digits of a number, in the same way whatever its type."""
    if not value:
        return "0"
    if isinstance(value, numbers.Integral) or (isinstance(value, float) and value.is_integer()):
        return str(int(value))
    if not isinstance(value, Decimal) or abs(value.adjusted()) > LARGEST_EXPONENT:
        return str(value)
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def _read_numbers(values: np.ndarray) -> np.ndarray:
    """Integers as int64 or uint64, everything else as float64."""
    if not values.size or not _are_integers(values):
        return values.astype(np.float64)
    return values.astype(np.int64 if max(values) < 2**63 else np.uint64)


def _read_dates(values: np.ndarray) -> np.ndarray:
    """Dates and times as datetime64[us], or [ns] if they need it; with a time zone, in UTC."""
    dates = [getattr(value, "asm8", value) for value in map(_without_zone, values)]
    found = np.array(dates, dtype="M8[us]")
    if not any(isinstance(date, np.datetime64) for date in dates):
        return found
    in_range = found.min() > FIRST_OF_NS and found.max() < LAST_OF_NS
    exact = np.array(dates, dtype="M8[ns]") if in_range else found
    return exact if (exact != found).any() else found


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

"""The two forms that every column is reduced to, and what can be computed from them."""

import numbers as abstract
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

__all__ = [
    "EXACT_DIGITS",
    "EXACT_INTEGERS",
    "MISSING_TYPE_NAMES",
    "Cells",
    "CodedCells",
    "distinct",
    "first_text",
    "floats",
    "is_missing",
    "rank_values",
    "sorted_codes",
]

EXACT_INTEGERS = 2**53
"""Whole numbers up to this one stay different as float64."""

EXACT_DIGITS = 15
"""Decimal numbers of at most this number of digits stay different as float64."""

# Rows handled at a time: the shifted integers of one block stay in the processor's cache.
BLOCK = 1 << 16


def rank_values(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Ranks (n,) int32 and distinct values, ascending; kind b, i, u, f, M or m, nothing missing."""
    values = values.astype(values.dtype.newbyteorder("="), copy=False)
    kind = values.dtype.kind
    if kind == "f":
        return _rank_floats(values)
    if kind == "b":
        ranks, distinct = _rank_integers(values.view(np.uint8))
        return ranks, distinct.astype(bool)
    if kind in "Mm":
        ranks, distinct = _rank_integers(values.view(np.int64))
        return ranks, distinct.view(values.dtype)
    return _rank_integers(values)


def _rank_floats(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rank floats; integers stored as floats, as labels with NaN among them, are ranked faster."""
    if values.size and _spans_few(values):
        whole = values.astype(np.int64)
        if np.array_equal(whole, values):
            ranks, distinct = _rank_integers(whole)
            return ranks, distinct.astype(values.dtype)
    ranks, distinct = _rank_sorted(values)
    return ranks, distinct + 0.0  # -0.0 becomes 0.0, whichever comes first


def _rank_integers(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rank integers by a lookup table if they span few values, else by sorting."""
    return _rank_by_lookup(values) if values.size and _spans_few(values) else _rank_sorted(values)


def _rank_sorted(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rank by sorting."""
    distinct, ranks = np.unique(values, return_inverse=True)
    return ranks.astype(np.int32), distinct


def _spans_few(values: np.ndarray) -> bool:
    """Return whether a lookup table of the range of values is about as small as the column."""
    low, high = values.min().item(), values.max().item()
    return bool(high - low <= 2 * values.size + BLOCK and -(2**62) < low <= high < 2**62)


def _rank_by_lookup(values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Rank integers in two passes: mark the values that occur, then look up each rank."""
    low, high = int(values.min()), int(values.max())
    used = np.zeros(high - low + 1, dtype=bool)
    for _, offsets in _offsets(values, low):
        used[offsets] = True
    found = np.flatnonzero(used)
    lookup = np.zeros(used.size, dtype=np.int32)
    lookup[found] = np.arange(found.size)
    ranks = np.empty(values.size, dtype=np.int32)
    for rows, offsets in _offsets(values, low):
        np.take(lookup, offsets, out=ranks[rows], mode="clip")
    return ranks, (found + low).astype(values.dtype)


def _offsets(values: np.ndarray, low: int) -> Iterator[tuple[slice, np.ndarray]]:
    """Yield blocks of rows with their values counted from the smallest one, as int64."""
    for start in range(0, values.size, BLOCK):
        rows = slice(start, start + BLOCK)
        yield rows, np.subtract(values[rows], low, dtype=np.int64, casting="unsafe")


# Types of pandas' missing scalars, by name: pandas must not be imported without need.
MISSING_TYPE_NAMES = frozenset({"NoneType", "NAType", "NaTType"})


@dataclass(frozen=True, eq=False)
class Cells:
    """Values (n,) of NumPy kind b, i, u, f, M or m; missing (n,) where a value is only a filler.

    A format says how they were written, if they were text that had to be read in some way.
    `merged` are the numbers of distinct values before and after they were rounded, if known.
    """

    values: np.ndarray
    missing: np.ndarray | None = None
    format: str | None = None
    merged: tuple[int, int] | None = None

    def __len__(self) -> int:
        return len(self.values)


@dataclass(frozen=True, eq=False)
class CodedCells:
    """Codes (n,) into values, -1 = missing; values in any order, some perhaps missing or unused.

    Values that are rounded, such as whole numbers of 20 digits, have labels: as categories and
    classes they are these texts, which are exact.
    """

    codes: np.ndarray
    values: list[Any]
    labels: list[str] | None = None

    def __len__(self) -> int:
        return len(self.codes)


def is_missing(value: object) -> bool:
    """Return whether a scalar is None, NaN, NaT or pandas.NA."""
    # pandas.NA cannot be compared: check its type before `value != value`, which finds NaN.
    return type(value).__name__ in MISSING_TYPE_NAMES or bool(value != value)


def floats(cells: Cells | CodedCells) -> np.ndarray:
    """Read cells as float64 (n,), NaN = missing, dates and durations in microseconds."""
    if isinstance(cells, CodedCells):
        table = [np.nan if is_missing(value) else value for value in cells.values]
        return np.asarray(np.array([*table, np.nan], dtype=np.float64)[cells.codes])
    if cells.values.dtype.kind in "Mm":
        values = _microseconds(cells.values)
    else:
        # A source that is already contiguous float64 is not copied.
        values = np.ascontiguousarray(cells.values, dtype=np.float64)
    return values if cells.missing is None else np.where(cells.missing, np.nan, values)


def first_text(cells: Cells | CodedCells) -> tuple[int, object] | None:
    """Find the first row whose cell is not a number, and the cell; None if all are numbers."""
    if isinstance(cells, Cells):
        return None
    text = [not (isinstance(v, abstract.Real) or is_missing(v)) for v in cells.values]
    rows = np.flatnonzero(np.array([*text, False])[cells.codes])
    return (int(rows[0]), cells.values[cells.codes[rows[0]]]) if rows.size else None


def distinct(cells: Cells) -> tuple[np.ndarray, np.ndarray]:
    """Factorize cells into codes (n,) int32, -1 = missing, and their distinct values, ascending."""
    present = _present(cells)
    if present is None:
        return rank_values(cells.values)
    codes = np.full(cells.values.size, -1, dtype=np.int32)
    codes[present], values = rank_values(cells.values[present])
    return codes, values


def sorted_codes(coded: CodedCells) -> tuple[np.ndarray, list[Any]]:
    """Factorize coded cells into codes (n,) int32 and the values that occur, in canonical order."""
    names = coded.values if coded.labels is None else coded.labels
    used = np.zeros(len(names) + 1, dtype=bool)
    used[coded.codes] = True  # code -1 marks the spare last element
    occurring = {v for v, u in zip(names, used, strict=False) if u and not is_missing(v)}
    values = _in_canonical_order(occurring)
    ranks = dict(zip(values, range(len(values)), strict=True))
    lookup = np.array([*(ranks.get(v, -1) for v in names), -1], dtype=np.int32)
    return lookup[coded.codes], values


def _in_canonical_order(values: Iterable[Any]) -> list[Any]:
    """Sort numbers numerically and text by code point, so that nothing depends on the row order."""
    try:
        return sorted(values)
    except TypeError:  # numbers and text together have no natural order
        return sorted(values, key=lambda value: (type(value).__name__, value))


def _present(cells: Cells) -> np.ndarray | None:
    """Mask (n,) of the cells with a value, or None if all have one."""
    missing = cells.missing
    if cells.values.dtype.kind in "fMm":
        empty = np.isnan(cells.values)
        missing = empty if missing is None else missing | empty
    return None if missing is None or not missing.any() else ~missing


def _microseconds(values: np.ndarray) -> np.ndarray:
    """Microseconds (n,) float64 of datetime64 or timedelta64 values of any unit, NaT -> NaN."""
    counts = values.astype(f"{values.dtype.kind}8[us]").view(np.int64).astype(np.float64)
    empty = np.isnat(values)
    return np.where(empty, np.nan, counts) if empty.any() else counts

"""A number for every row, from its content alone: which rows are sampled, and which are tested.

An engine has no order of rows that lasts, and its random numbers differ from run to run. The key
of a row is computed from its cells by arithmetic that every engine does alike: doubles are
multiplied and rounded down, integers stay below 2**62, and texts are read from their MD5. Rows with
equal cells have equal keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from hashlib import md5
from typing import Any

import numpy as np
from numpy.typing import NDArray

from modlearn._engines.engine import EngineColumn
from modlearn._export.dialects import DIALECTS, Dialect
from modlearn.schema import ORDERED, Kind

__all__ = ["PRIME", "key_sql", "keys_of"]

PRIME = 2**31 - 1
"""Keys are numbers from 0 to PRIME - 1."""

STEP = 1_000_003
"""Added to what columns contribute, before that is multiplied. With sums of multiples, rows that
differ in one column would have a distance that does not depend on the others: of rows with equal
numbers and flags 0 and 1, a sample would never hold both, and no number would seem to repeat."""

LAST_STEP = 48_271
NUMBER_STEP = 1_327_217_885
"""A number of equal rows contributes a multiple of its square: multiples of the number itself would
keep the same distance for rows that follow each other, so that a sample never held two of them."""

LARGEST = 1e14
"""Numbers beyond it are alike: their products would exceed the integers that Spark rounds to."""

SHRINKING = 1048576.0
"""Larger numbers are divided by it, so that long identifiers have different keys, too."""

SCALES = (0.6180339887498949, 61803.39887498949)
"""A number contributes the fractions of these multiples: of large numbers and of small ones."""

MISSING = 1
"""What a missing value contributes; 0 contributes 0."""

DIGITS = 7
"""Number of hexadecimal digits of MD5 that a text contributes."""


def key_sql(
    columns: Sequence[EngineColumn], dialect: str, seed: int, number: str | None = None
) -> str:
    """Return the SQL of the key of a row by some of its columns.

    `number` is the SQL of a number that tells rows with equal cells apart, where many are equal.
    """
    write = DIALECTS[dialect]
    parts = [_part_sql(column, write) for column in columns]
    if number is not None:
        n = f"(CAST({number} AS {write.integer}) % {PRIME})"
        parts.append(f"(({n} * {n}) % {PRIME} * {NUMBER_STEP}) % {PRIME}")
    found = reduce(
        lambda key, part: f"(({key} + {STEP}) * ({part} + {STEP})) % {PRIME}",
        parts,
        f"CAST({seed % PRIME} AS {write.integer})",
    )
    return f"((({found}) * {_last_step(seed)}) % {PRIME})"


def _last_step(seed: int) -> int:
    """Return the last factor of keys: other seeds have others, so that their folds differ."""
    return pow(LAST_STEP, seed % (PRIME - 1) + 1, PRIME)


def _part_sql(column: EngineColumn, write: Dialect) -> str:
    """Return the SQL of what a column contributes."""
    value = f"({column.in_double or column.value})"
    if column.kind not in ORDERED:
        return f"COALESCE({str(write.text_key).format(x=value)}, {MISSING})"
    if column.kind is not Kind.NUMERIC:
        value = f"({value} / 1e6)"
    near, far = (_fractions(one, write.integer) for one in (value, f"({value} / {SHRINKING!r})"))
    return (
        f"CASE WHEN ABS({value}) < {LARGEST} THEN {near} "
        f"WHEN ABS({value}) < {LARGEST * SHRINKING} THEN {far} ELSE {MISSING} END"
    )


def _fractions(value: str, integer: str) -> str:
    """Return the SQL of a number from fractions of multiples of another."""
    of_scales = [f"({value} * {scale!r})" for scale in SCALES]
    parts = [f"CAST(FLOOR(({one} - FLOOR({one})) * {PRIME}e0) AS {integer})" for one in of_scales]
    return f"({' + '.join(parts)}) % {PRIME}"


def keys_of(
    columns: Sequence[EngineColumn],
    cells: Sequence[NDArray[Any]],
    seed: int,
    numbers: NDArray[np.int64] | None = None,
) -> NDArray[np.int64]:
    """Return what an engine computes with ``key_sql``, from the cells of rows in memory."""
    found = np.full(len(cells[0]), seed % PRIME, dtype=np.int64)
    for column, values in zip(columns, cells, strict=True):
        found = (found + STEP) * (_parts_of(column, values) + STEP) % PRIME
    if numbers is not None:
        n = numbers % PRIME
        found = (found + STEP) * (n * n % PRIME * NUMBER_STEP % PRIME + STEP) % PRIME
    return np.asarray(found * _last_step(seed) % PRIME)


def _parts_of(column: EngineColumn, values: NDArray[Any]) -> NDArray[np.int64]:
    if column.kind not in ORDERED:
        return np.array([_text_key(value) for value in values.tolist()], dtype=np.int64)
    numbers = np.asarray(values, dtype=np.float64)
    if column.kind is not Kind.NUMERIC:
        numbers = numbers / 1e6
    with np.errstate(invalid="ignore"):
        numbers = np.where(np.abs(numbers) < LARGEST, numbers, numbers / SHRINKING)
    used = np.abs(numbers) < LARGEST  # False for NaN
    found = np.zeros(len(numbers), dtype=np.int64)
    for scale in SCALES:
        multiple = np.where(used, numbers, 0.0) * scale
        found += np.floor((multiple - np.floor(multiple)) * float(PRIME)).astype(np.int64)
    return np.where(used, found % PRIME, MISSING)


def _text_key(value: object) -> int:
    if value is None:
        return MISSING
    text = str(value).lower() if isinstance(value, bool) else str(value)
    return int(md5(text.encode(), usedforsecurity=False).hexdigest()[:DIGITS], 16)

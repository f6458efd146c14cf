"""The file from which an interrupted search of pairs is resumed."""

from __future__ import annotations

import json
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from time import monotonic
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from modlearn._files import refuse_lost_folder, write_whole
from modlearn._statistics.rows import Rows

__all__ = ["Checkpoint"]

FORMAT = "modlearn pairs"
VERSION = 3

SECONDS = 2.0
"""Minimum time between two writes, in seconds."""

SHARE = 0.1
"""Share of the time that writes may take: large files are written less often."""

Parts = NDArray[np.intp]
Pair = tuple[Hashable, Hashable]
Indices = tuple[int, int]
PairOutcome = tuple[tuple[Parts, Parts], bool]


class NumberedColumn(Protocol):
    """A column whose distinct values are numbered."""

    @property
    def name(self) -> Hashable:
        """Name of the column."""
        ...

    @property
    def ordered(self) -> bool:
        """Whether parts are intervals; otherwise they are groups."""
        ...

    @property
    def n_values(self) -> int:
        """Number of distinct values."""
        ...


@dataclass
class Checkpoint:
    """Parts of the pairs found so far, by the indices of their columns.

    Parameters
    ----------
    path : Path or None
        The file; None = nothing is kept or written.
    columns : sequence of NumberedColumn
        The columns.
    data : str
        Fingerprint of the table and the target.
    entries : dict of pairs of indices to str
        The record of each pair, as it is written to the file.
    """

    path: Path | None
    columns: Sequence[NumberedColumn]
    data: str
    entries: dict[Indices, str]
    due: float = field(default_factory=lambda: monotonic() + SECONDS)
    changed: bool = False

    @classmethod
    def at(cls, path: Any, columns: Sequence[NumberedColumn], rows: Rows) -> Checkpoint:
        """Read the file if there is one; it must belong to the same data."""
        if path is None:
            return cls(None, columns, "", {})
        path = Path(path)
        # Check before a long search, not after it.
        refuse_lost_folder(path)
        if path.is_dir():
            raise IsADirectoryError(
                f"checkpoint is {str(path)!r}, a folder: pass the name of a file in it, such as "
                f"{str(path / 'pairs.json')!r}."
            )
        data = rows.fingerprint()
        return cls(path, columns, data, _read(path, data, columns) if path.exists() else {})

    def __contains__(self, pair: Pair) -> bool:
        return self.found(pair) is not None

    def found(self, pair: Pair) -> PairOutcome | None:
        """Return the parts of both axes of a pair, in either order, and whether proven optimal."""
        if not self.entries:
            return None
        indices = self._indices(pair)
        if indices in self.entries:
            return _pair(json.loads(self.entries[indices]), self.columns)[1]
        if indices[::-1] in self.entries:
            (second, first), proven = _pair(json.loads(self.entries[indices[::-1]]), self.columns)[
                1
            ]
            return (first, second), proven
        return None

    def add(self, pair: Pair, parts: tuple[Parts, Parts], proven: bool) -> None:
        """Add a finished pair, and write the file if the last write was some time ago."""
        if self.path is None:
            return
        indices = self._indices(pair)
        self.entries[indices] = _entry(indices, parts, proven, self.columns)
        self.changed = True
        if monotonic() > self.due:
            self.save()

    def _indices(self, pair: Pair) -> Indices:
        return self._index[pair[0]], self._index[pair[1]]

    @cached_property
    def _index(self) -> dict[Hashable, int]:
        return {column.name: i for i, column in enumerate(self.columns)}

    def save(self) -> None:
        """Write the file; if writing fails, an existing file is left unchanged."""
        if self.path is None or not self.changed:
            return
        began = monotonic()
        head = json.dumps({"format": FORMAT, "version": VERSION, "data": self.data})
        pairs = ",\n".join(self.entries.values())
        write_whole(self.path, f'{head[:-1]}, "pairs": [\n{pairs}\n]}}')
        ended = monotonic()
        self.due = ended + max(SECONDS, (ended - began) * (1 / SHARE - 1))
        self.changed = False


def _read(path: Path, data: str, columns: Sequence[NumberedColumn]) -> dict[Indices, str]:
    """Read the pairs of a file; raise if it is not a checkpoint, or of other data."""
    try:
        content = json.loads(path.read_text())
        if content["format"] != FORMAT or content["version"] != VERSION:
            raise ValueError(content["format"])
        same = content["data"] == data
        entries = {}
        for entry in content["pairs"] if same else ():
            pair, (parts, proven) = _pair(entry, columns)
            entries[pair] = _entry(pair, parts, proven, columns)
    except (ValueError, KeyError, TypeError, IndexError, OverflowError, RecursionError):
        raise ValueError(
            f"The file {str(path)!r} is not a checkpoint of pairs, or it is damaged: delete it, or "
            "pass another file name as checkpoint=."
        ) from None
    if not same:
        raise ValueError(
            f"The checkpoint {str(path)!r} was written for other data: delete it, or pass "
            "another file name as checkpoint=."
        )
    return entries


def _entry(
    pair: Indices, parts: tuple[Parts, Parts], proven: bool, columns: Sequence[NumberedColumn]
) -> str:
    """Return the record of a pair; intervals are written as the indices of their first values."""
    written = [
        (np.flatnonzero(np.diff(p)) + 1 if columns[i].ordered else p).tolist()
        for p, i in zip(parts, pair, strict=True)
    ]
    entry = {"columns": list(pair), "parts": written, "proven": proven}
    return json.dumps(entry, separators=(",", ":"))


def _pair(entry: dict[str, Any], columns: Sequence[NumberedColumn]) -> tuple[Indices, PairOutcome]:
    """Read and check one pair of a file."""
    a, b = _whole_numbers(entry["columns"]).tolist()
    if not 0 <= a != b >= 0 or type(entry["proven"]) is not bool:
        raise ValueError(entry["columns"])
    first, second = (_parts(p, columns[i]) for p, i in zip(entry["parts"], (a, b), strict=True))
    return (a, b), ((first, second), entry["proven"])


def _parts(written: Any, column: NumberedColumn) -> Parts:
    """Return the part of every value of an axis, numbered without gaps."""
    found = _whole_numbers(written)
    if column.ordered:
        bounds = np.concatenate(([0], found, [column.n_values]))
        if np.any(np.diff(bounds) <= 0):
            raise ValueError(written)
        return np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
    numbers = np.unique(found)
    if found.shape != (column.n_values,) or not np.array_equal(numbers, np.arange(len(numbers))):
        raise ValueError(written)
    return found


def _whole_numbers(written: Any) -> Parts:
    """Read a list of integers; NumPy alone would truncate fractions."""
    if not isinstance(written, list) or any(type(number) is not int for number in written):
        raise ValueError(written)
    return np.array(written, dtype=np.intp)

"""The file from which an interrupted search of pairs is resumed."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path
from time import monotonic
from typing import Any

import numpy as np
from numpy.typing import NDArray

from modlearn._model.files import refuse_lost_folder, write_whole
from modlearn._statistics.pairs import Axis

__all__ = ["Checkpoint"]

FORMAT = "modlearn pairs"
VERSION = 2

SECONDS = 2.0
"""Least time between two writes."""

SHARE = 0.1
"""Share of the time that writes may take: large files are written less often."""

Parts = NDArray[np.intp]
Pair = tuple[int, int]
Found = tuple[tuple[Parts, Parts], bool]


@dataclass
class Checkpoint:
    """Parts of the pairs found so far, by the numbers of their columns.

    Parameters
    ----------
    path : Path or None
        The file; None = nothing is kept or written.
    axes : sequence of Axis
        The columns.
    data : str
        Fingerprint of the table and the target.
    entries : dict of pairs to str
        What the file says of each pair, as it is written.
    """

    path: Path | None
    axes: Sequence[Axis]
    data: str
    entries: dict[Pair, str]
    due: float = field(default_factory=lambda: monotonic() + SECONDS)
    changed: bool = False

    @classmethod
    def at(
        cls,
        path: Any,
        axes: Sequence[Axis],
        classes: NDArray[np.int32],
        rows: NDArray[np.int64] | None,
    ) -> Checkpoint:
        """Read the file if there is one; it must be of the same data."""
        if path is None:
            return cls(None, axes, "", {})
        path, data = Path(path), _fingerprint(axes, classes, rows)
        # Now, not after a long search.
        refuse_lost_folder(path)
        if path.is_dir():
            raise IsADirectoryError(
                f"checkpoint is {str(path)!r}, a folder: give the name of a file in it, such as "
                f"{str(path / 'pairs.json')!r}."
            )
        return cls(path, axes, data, _read(path, data, axes) if path.exists() else {})

    def found(self, pair: Pair) -> Found | None:
        """Parts of both axes of a pair, in either order, and whether they are proven best."""
        if pair in self.entries:
            return _pair(json.loads(self.entries[pair]), self.axes)[1]
        if pair[::-1] in self.entries:
            (second, first), proven = _pair(json.loads(self.entries[pair[::-1]]), self.axes)[1]
            return (first, second), proven
        return None

    def add(self, pair: Pair, parts: tuple[Parts, Parts], proven: bool) -> None:
        """Keep what was found, and write it if that is some time ago."""
        if self.path is None:
            return
        self.entries[pair] = _entry(pair, parts, proven, self.axes)
        self.changed = True
        if monotonic() > self.due:
            self.save()

    def save(self) -> None:
        """Write the file: it appears whole, or the old one stays."""
        if self.path is None or not self.changed:
            return
        began = monotonic()
        head = json.dumps({"format": FORMAT, "version": VERSION, "data": self.data})
        pairs = ",\n".join(self.entries.values())
        write_whole(self.path, f'{head[:-1]}, "pairs": [\n{pairs}\n]}}')
        ended = monotonic()
        self.due = ended + max(SECONDS, (ended - began) * (1 / SHARE - 1))
        self.changed = False


def _fingerprint(
    axes: Sequence[Axis], classes: NDArray[np.int32], rows: NDArray[np.int64] | None
) -> str:
    """Differs for other values, classes or weights, or another order of rows or columns."""
    digest = sha256(classes.tobytes())
    if rows is not None:
        digest.update(rows.tobytes())
    for axis in axes:
        digest.update(f"{axis.n_values} {axis.ordered}".encode())
        digest.update(axis.codes.tobytes())
    return digest.hexdigest()


def _read(path: Path, data: str, axes: Sequence[Axis]) -> dict[Pair, str]:
    """Pairs in a file; refused if it is not one of these, or of other data."""
    try:
        content = json.loads(path.read_text())
        if content["format"] != FORMAT or content["version"] != VERSION:
            raise ValueError(content["format"])
        same = content["data"] == data
        entries = {}
        for entry in content["pairs"] if same else ():
            pair, (parts, proven) = _pair(entry, axes)
            entries[pair] = _entry(pair, parts, proven, axes)
    except (ValueError, KeyError, TypeError, IndexError, OverflowError, RecursionError):
        raise ValueError(
            f"The file {str(path)!r} is no checkpoint of pairs, or a damaged one: delete it, or "
            "give checkpoint another name."
        ) from None
    if not same:
        raise ValueError(
            f"The checkpoint {str(path)!r} was written for other data: delete it, or give "
            "checkpoint another name."
        )
    return entries


def _entry(pair: Pair, parts: tuple[Parts, Parts], proven: bool, axes: Sequence[Axis]) -> str:
    """One pair as it is written: of intervals the first values, which are few."""
    written = [
        (np.flatnonzero(np.diff(p)) + 1 if axes[i].ordered else p).tolist()
        for p, i in zip(parts, pair, strict=True)
    ]
    entry = {"columns": list(pair), "parts": written, "proven": proven}
    return json.dumps(entry, separators=(",", ":"))


def _pair(entry: dict[str, Any], axes: Sequence[Axis]) -> tuple[Pair, Found]:
    """One pair of a file, checked."""
    a, b = _whole_numbers(entry["columns"]).tolist()
    if not 0 <= a != b >= 0 or type(entry["proven"]) is not bool:
        raise ValueError(entry["columns"])
    first, second = (_parts(p, axes[i]) for p, i in zip(entry["parts"], (a, b), strict=True))
    return (a, b), ((first, second), entry["proven"])


def _parts(written: Any, axis: Axis) -> Parts:
    """Part of every value of an axis, numbered without gaps."""
    found = _whole_numbers(written)
    if axis.ordered:
        bounds = np.concatenate(([0], found, [axis.n_values]))
        if np.any(np.diff(bounds) <= 0):
            raise ValueError(written)
        return np.repeat(np.arange(len(bounds) - 1), np.diff(bounds))
    numbers = np.unique(found)
    if found.shape != (axis.n_values,) or not np.array_equal(numbers, np.arange(len(numbers))):
        raise ValueError(written)
    return found


def _whole_numbers(written: Any) -> Parts:
    """A list of whole numbers; NumPy alone would cut off what is behind the point."""
    if not isinstance(written, list) or any(type(number) is not int for number in written):
        raise ValueError(written)
    return np.array(written, dtype=np.intp)

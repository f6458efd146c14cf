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

from modlearn._count.grid import Axis
from modlearn._model.files import refuse_lost_folder, write_whole

__all__ = ["Checkpoint"]

FORMAT = "modlearn pairs"
VERSION = 1

SECONDS = 2.0
"""Time between two writes."""

Parts = NDArray[np.intp]
Pair = tuple[int, int]
Found = tuple[tuple[Parts, Parts], bool]


@dataclass
class Checkpoint:
    """Parts of the pairs found so far, by the numbers of their columns.

    Parameters
    ----------
    path : Path or None
        The file; None = nothing is written.
    data : str
        Fingerprint of the table and the target.
    found : dict of pairs to parts of both axes and whether they are proven best
    """

    path: Path | None
    data: str
    found: dict[Pair, Found]
    written: float = field(default_factory=monotonic)
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
            return cls(None, "", {})
        path, data = Path(path), _fingerprint(axes, classes, rows)
        # Now, not after a long search.
        refuse_lost_folder(path)
        if path.is_dir():
            raise IsADirectoryError(
                f"checkpoint is {str(path)!r}, a folder: give the name of a file in it, such as "
                f"{str(path / 'pairs.json')!r}."
            )
        return cls(path, data, _read(path, data, axes) if path.exists() else {})

    def add(self, pair: Pair, parts: tuple[Parts, Parts], proven: bool) -> None:
        """Keep what was found, and write it if that is some time ago."""
        self.found[pair] = parts, proven
        self.changed = True
        if monotonic() - self.written > SECONDS:
            self.save()

    def save(self) -> None:
        """Write the file: it appears whole, or the old one stays."""
        if self.path is None or not self.changed:
            return
        pairs = [
            {"columns": list(pair), "parts": [p.tolist() for p in parts], "proven": proven}
            for pair, (parts, proven) in self.found.items()
        ]
        content = {"format": FORMAT, "version": VERSION, "data": self.data, "pairs": pairs}
        write_whole(self.path, json.dumps(content, separators=(",", ":")))
        self.written, self.changed = monotonic(), False


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


def _read(path: Path, data: str, axes: Sequence[Axis]) -> dict[Pair, Found]:
    """Pairs in a file; refused if it is not one of these, or of other data."""
    try:
        content = json.loads(path.read_text())
        if content["format"] != FORMAT or content["version"] != VERSION:
            raise ValueError(content["format"])
        same = content["data"] == data
        found = {} if not same else dict(_pair(entry, axes) for entry in content["pairs"])
    except (ValueError, KeyError, TypeError, IndexError, RecursionError):
        raise ValueError(
            f"The file {str(path)!r} is no checkpoint of pairs, or a damaged one: delete it, or "
            "give checkpoint another name."
        ) from None
    if not same:
        raise ValueError(
            f"The checkpoint {str(path)!r} was written for other data: delete it, or give "
            "checkpoint another name."
        )
    return found


def _pair(entry: dict[str, Any], axes: Sequence[Axis]) -> tuple[Pair, Found]:
    """One pair of a file, checked."""
    a, b = entry["columns"]
    if not 0 <= a != b >= 0:
        raise ValueError(entry["columns"])
    first, second = (_parts(p, axes[i]) for p, i in zip(entry["parts"], (a, b), strict=True))
    return (a, b), ((first, second), bool(entry["proven"]))


def _parts(parts: Any, axis: Axis) -> Parts:
    """Part of every value of an axis, numbered without gaps, in order if the values are."""
    found = np.array(parts, dtype=np.intp)
    numbers = np.unique(found)
    if found.shape != (axis.n_values,) or not np.array_equal(numbers, np.arange(len(numbers))):
        raise ValueError(parts)
    if axis.ordered and np.any(np.diff(found) < 0):
        raise ValueError(parts)
    return found

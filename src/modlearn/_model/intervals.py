"""Intervals of a numeric column."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor

import numpy as np
from numpy.typing import NDArray

from modlearn._model._interval_codes import interval_codes
from modlearn._model.partition import Partition

__all__ = ["Intervals"]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Intervals(Partition):
    """Intervals of a numeric column; ``x <= cut`` falls left of a cut.

    Parameters
    ----------
    cuts : ndarray of float64
        Between neighboring intervals, increasing. Dates are microseconds since 1970 (UTC).
    sides : ndarray of shape (n_cuts, 2), float64
        The values seen in fit next to every cut: the largest one left of it (or at it) and the
        smallest one right of it.
    missing_alone : bool
        Whether part 0 is missing values alone. Otherwise missing, which stands below every
        value, shares part 0 with the lowest interval.
    n_missing : int
        Missing values among the rows counted.
    kind : {"numeric", "datetime", "duration"}
        What the numbers stand for.
    """

    cuts: NDArray[np.float64]
    sides: NDArray[np.float64]
    missing_alone: bool
    n_missing: int
    kind: str

    def codes(self, values: NDArray[np.float64]) -> NDArray[np.int32]:
        """Return the part of every value, 0 to I-1."""
        return interval_codes(values, self.cuts, self.missing_alone)

    @property
    def labels(self) -> list[str]:
        """A readable label per part, such as ``(2.95, 3.35]``."""
        ends = self.cut_texts
        lows, highs = ["-inf", *ends], [*(f"{end}]" for end in ends), "inf)"]
        labels = [f"({low}, {high}" for low, high in zip(lows, highs, strict=True)]
        if ends and self.cuts[0] == -np.inf:
            labels[0] = "{-inf}"
        if ends and self.cuts[-1] == np.finfo(np.float64).max:
            labels[-2:] = f"({lows[-2]}, inf)", "{inf}"
        if self.missing_alone:
            return ["missing", *labels]
        if self.n_missing:
            labels[0] = f"missing or {labels[0]}"
        return labels

    def bounds(self, part: int) -> tuple[str | None, str | None]:
        """Return the cuts below and above a part; None where it is open or has missing values."""
        texts: list[str | None] = [None, *self.cut_texts, None]
        if part == 0 and (self.missing_alone or self.n_missing):
            return None, None
        low = part - self.missing_alone
        return texts[low], texts[low + 1]

    @property
    def cut_texts(self) -> list[str]:
        """The cuts as people read them, with as few digits as tell them apart."""
        write = {"datetime": _date, "duration": _duration}.get(self.kind)
        if write is not None:
            return [write(cut) for cut in self.cuts.tolist()]
        beside = zip(self.cuts.tolist(), self.sides.tolist(), strict=True)
        return [_number(cut, left, right) for cut, (left, right) in beside]


def _number(cut: float, left: float, right: float) -> str:
    """A cut with as few digits as keep it near its place between the values beside it."""
    for digits in range(1, 18):
        rounded = float(f"{cut:.{digits}g}")
        if left <= rounded < right and abs(rounded - cut) <= 0.01 * (right - left):
            return repr(rounded).removesuffix(".0")
    return repr(cut).removesuffix(".0")


def _date(microseconds: float) -> str:
    """Instant as ISO 8601 text, without a time where that is midnight."""
    # Dates are whole microseconds: rounded down, a cut keeps the same ones on its left.
    text = str(np.datetime64(floor(microseconds), "us"))
    return text.removesuffix(".000000").removesuffix("T00:00:00")


def _duration(microseconds: float) -> str:
    """Length of time in days, hours, minutes and seconds."""
    count = floor(microseconds)
    seconds, rest = divmod(abs(count), 1_000_000)
    days, seconds = divmod(seconds, 86_400)
    text = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}.{rest:06d}"
    sign, day = "-" if count < 0 else "", f"{days}d " if days else ""
    return f"{sign}{day}{text.removesuffix('.000000')}"

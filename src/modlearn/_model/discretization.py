"""Intervals of a numeric column."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor

import numpy as np
from numpy.typing import NDArray

from modlearn._model.partition import Partition

__all__ = ["Intervals"]


@dataclass(frozen=True, kw_only=True, eq=False)
class Intervals(Partition):
    """Intervals of a numeric column; ``x <= cut`` falls left of a cut.

    Parameters
    ----------
    cuts : ndarray of float64
        Between neighbouring intervals, increasing. Dates are microseconds since 1970 (UTC).
    missing_alone : bool
        Whether part 0 is missing values alone. Otherwise missing, which stands below every
        value, shares part 0 with the lowest interval.
    n_missing : int
        Missing values among the rows counted.
    kind : {"numeric", "datetime", "duration"}
        What the numbers stand for.
    """

    cuts: NDArray[np.float64]
    missing_alone: bool
    n_missing: int
    kind: str

    def codes(self, values: NDArray[np.float64]) -> NDArray[np.int64]:
        """Return the part of every value, 0 to I-1."""
        codes = np.searchsorted(self.cuts, values, side="left")
        if self.missing_alone:
            codes += 1
        codes[np.isnan(values)] = 0
        return codes

    @property
    def labels(self) -> list[str]:
        """A readable label per part, such as ``(2.95, 3.35]``."""
        ends = _separate_texts(self.cuts, self.kind)
        lows, highs = ["-inf", *ends], [*(f"{end}]" for end in ends), "inf)"]
        labels = [f"({low}, {high}" for low, high in zip(lows, highs, strict=True)]
        if self.missing_alone:
            return ["missing", *labels]
        if self.n_missing:
            labels[0] = f"missing or {labels[0]}"
        return labels


def _separate_texts(cuts: NDArray[np.float64], kind: str) -> list[str]:
    """Cuts as text, with as few digits as keep them apart."""
    write = {"datetime": _date, "duration": _duration}.get(kind)
    if write is not None:
        return [write(cut) for cut in cuts.tolist()]
    for digits in (10, 15, 17):
        texts = [f"{cut:.{digits}g}" for cut in cuts.tolist()]
        if len(set(texts)) == len(texts):
            break
    return texts


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

"""Intervals of a numeric column."""

from __future__ import annotations

from dataclasses import dataclass
from math import floor
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from modlearn._model._interval_codes import interval_codes
from modlearn._model.forms import At, Floats, Text
from modlearn._model.partition import Partition
from modlearn._model.record import Fault, Key
from modlearn._statistics.rows import Batch
from modlearn.errors import ColumnError

__all__ = ["Intervals"]

KINDS = ("numeric", "datetime", "duration")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Intervals(Partition):
    """Intervals of an ordered column; ``x <= cut`` falls left of a cut.

    Parameters
    ----------
    name : hashable
        Name of the column.
    classes : ndarray of shape (J,)
        The classes of the target.
    counts : ndarray of shape (I, J), int64
        Labeled rows per part and class.
    unlabeled_counts : ndarray of shape (I,), int64
        Unlabeled rows per part.
    cost, null_cost : float
        Cost of these intervals and of a single one: minus the log of their probability, in nats.
    level : float
        How informative the column is about the target: 1 - cost / null_cost, 0 = not at all.
    proven_optimal : bool
        Whether it is proven that no intervals cost less.
    cuts : ndarray of float64
        Bounds between adjacent intervals, increasing. Dates are microseconds since 1970 (UTC).
    sides : ndarray of shape (n_cuts, 2), float64
        The training values next to every cut: the largest one left of it (or at it) and the
        smallest one right of it.
    missing_alone : bool
        Whether part 0 holds missing values alone. Otherwise missing values, which rank below every
        other value, share part 0 with the lowest interval.
    n_missing : int
        Missing values among the rows counted.
    kind : {"numeric", "datetime", "duration"}
        What the numbers stand for.

    See Also
    --------
    Groups : The parts of a column whose values have no order.
    Grid : The parts of two columns together.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from modlearn import Discretizer
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> intervals = Discretizer().fit(X, y).partitions_["petal width (cm)"]
    >>> intervals.cuts
    array([0.8 , 1.75])
    >>> intervals.to_frame()[["part", "rows", "rows of 1", "share of 1"]]
              part  rows  rows of 1  share of 1
    0  (-inf, 0.8]    50          0    0.000000
    1  (0.8, 1.75]    54         49    0.907407
    2  (1.75, inf)    46          1    0.021739
    """

    cuts: Annotated[NDArray[np.float64], Floats((None,), infinite=True, empty=True)]
    sides: Annotated[
        NDArray[np.float64], Floats((None, 2), infinite=True, empty=True), Key("beside_cuts")
    ]
    missing_alone: bool
    n_missing: int
    kind: Annotated[str, Text(KINDS), Key("type")]

    def codes(self, values: NDArray[np.float64]) -> NDArray[np.int32]:
        """Return the part of every value, 0 to I-1.

        Parameters
        ----------
        values : ndarray of float64
            The values, NaN = missing.

        Returns
        -------
        ndarray of int32
        """
        return interval_codes(values, self.cuts, self.missing_alone)

    def codes_in(self, batch: Batch) -> NDArray[np.int32]:
        """Return the part of every row of a batch, 0 to I-1.

        Parameters
        ----------
        batch : Batch
            Rows that have the column.

        Returns
        -------
        ndarray of int32
        """
        values = batch.numeric(self.name)
        if len(self.cuts) and batch.kind(self.name) != self.kind and not np.isnan(values).all():
            raise ColumnError(
                f"Column {self.name!r} held {self.kind} values in the training data and holds "
                f"{batch.kind(self.name)} values now: convert it to the type it had."
            )
        return self.codes(values)

    def fault(self, at: At) -> Fault | None:
        """Say which field of a record contradicts the others."""
        n_cuts = self.n_parts - 1 - self.missing_alone
        if len(self.cuts) != n_cuts or np.any(np.diff(self.cuts) <= 0):
            return ("cuts",), f"a list of {max(0, n_cuts)} increasing numbers"
        if self.sides.shape != (n_cuts, 2):
            return ("beside_cuts",), "a pair of numbers per cut"
        return super().fault(at)

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
        """The cuts as people read them, with as few digits as distinguish them."""
        write = {"datetime": _date, "duration": _duration}.get(self.kind)
        if write is not None:
            return [write(cut) for cut in self.cuts.tolist()]
        sides = zip(self.cuts.tolist(), self.sides.tolist(), strict=True)
        return [_number(cut, left, right) for cut, (left, right) in sides]


def _number(cut: float, left: float, right: float) -> str:
    """A cut with as few digits as keep it close to where it is between its adjacent values."""
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

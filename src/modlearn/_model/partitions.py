"""What intervals and groups have in common: parts, each with its rows per class."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import floor
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from modlearn._model._interval_codes import interval_codes
from modlearn._model.forms import Categories, Counts, Floats, Items, RecordPosition, Text
from modlearn._model.limits import MOST_MICROSECONDS
from modlearn._model.printing import FrameMixin, PlotMixin, PrintMixin
from modlearn._model.record import DerivedField, Fault, Key, Record
from modlearn._statistics.batches import Batch
from modlearn.criteria import level, part_log_odds
from modlearn.errors import ColumnError
from modlearn.schema import ORDERED, Kind, class_names

__all__ = [
    "Classes",
    "Groups",
    "Intervals",
    "Level",
    "Partition",
    "date_text",
    "duration_text",
]

Classes = Annotated[NDArray[Any], DerivedField(lambda _, at: at.classes)]
"""The classes of the target, which the file holds once."""

Level = Annotated[float, DerivedField(lambda values, _: level(values["cost"], values["null_cost"]))]
"""1 - cost / null_cost, computed from the costs in the file."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Partition(PrintMixin, PlotMixin, FrameMixin, Record):
    """Parts of the values of one column, as informative about the target as possible.

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
        Cost of this partition and of a single part: minus the log of their probability, in nats.
    level : float
        How informative the column is about the target: 1 - cost / null_cost, 0 = not at all.
    proven_optimal : bool
        Whether it is proven that no partition costs less.
    """

    name: Hashable
    classes: Classes
    counts: Annotated[NDArray[np.int64], Counts((None, "classes"))]
    unlabeled_counts: Annotated[NDArray[np.int64], Counts((None,))]
    cost: float
    null_cost: float
    level: Level
    proven_optimal: bool

    @cached_property
    def columns(self) -> tuple[Hashable, ...]:
        """Names of the columns that the part of a row depends on: one."""
        return (self.name,)

    @cached_property
    def axes(self) -> tuple[Partition, ...]:
        """The partitions that a row is located in: this one."""
        return (self,)

    @property
    def n_parts(self) -> int:
        """I, the number of parts."""
        return len(self.counts)

    @property
    def part_of_cell(self) -> NDArray[np.intp]:
        """The part of every cell of the axes: each is one, shape (I,)."""
        return np.arange(self.n_parts)

    @property
    def cells(self) -> NDArray[np.int64]:
        """Rows per part and class, shape (I, J)."""
        return self.counts

    @cached_property
    def labels(self) -> list[str]:
        """A readable label per part, such as ``(2.95, 3.35]`` or ``{red, yellow}``."""
        raise NotImplementedError

    @property
    def log_odds(self) -> NDArray[np.float64]:
        """Log-likelihood ratio per part and class, shape (I, J): log P(part | j) / P(part | not j).

        Class probabilities are those of the naive Bayes classifiers, (N_ij + P(j)) / (N_i + 1). The
        ratios are finite, and exactly 0 if there is only one part.
        """
        return part_log_odds(self.counts)

    @property
    def class_names(self) -> list[str]:
        """The classes as text."""
        return class_names(self.classes)

    def codes_in(self, batch: Batch) -> NDArray[np.int32]:
        """Return the part of every row of a batch, 0 to I-1; -1 = an unseen value."""
        raise NotImplementedError

    def fault(self, at: RecordPosition) -> Fault | None:
        """Say which field of a record contradicts the others."""
        if len(self.unlabeled_counts) != self.n_parts:
            return ("unlabeled_counts",), f"a table of {self.n_parts} counts"
        return None


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
        The training values next to every cut: the largest value left of it or equal to it, and the
        smallest value right of it.
    missing_alone : bool
        Whether part 0 holds only missing values. Otherwise missing values, which rank below every
        other value, share part 0 with the lowest interval.
    n_missing : int
        Number of missing values among the rows counted.
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
        NDArray[np.float64], Floats((None, 2), infinite=True, empty=True), Key("sides")
    ]
    missing_alone: bool
    n_missing: int
    kind: Annotated[str, Text(ORDERED), Key("type")]

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
                f"Column {self.name!r} held {self.kind} values in the training data but holds "
                f"{batch.kind(self.name)} values now: convert it to the type it had."
            )
        return interval_codes(values, self.cuts, self.missing_alone)

    def fault(self, at: RecordPosition) -> Fault | None:
        """Say which field of a record contradicts the others."""
        n_cuts = self.n_parts - 1 - self.missing_alone
        if len(self.cuts) != n_cuts or np.any(np.diff(self.cuts) <= 0):
            return ("cuts",), f"a list of {max(0, n_cuts)} increasing numbers"
        if self.kind != Kind.NUMERIC and np.any(np.abs(self.cuts) >= MOST_MICROSECONDS):
            return ("cuts",), "a list of microseconds in the range of dates"
        if self.sides.shape != (n_cuts, 2):
            return ("sides",), "a pair of numbers per cut"
        return super().fault(at)

    @cached_property
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

    @property
    def bounds(self) -> list[tuple[str | None, str | None]]:
        """The cuts below and above each part; None if it is open or has missing values."""
        bounds = list(pairwise([None, *self.cut_texts, None]))
        if self.missing_alone:
            return [(None, None), *bounds]
        return [(None, None), *bounds[1:]] if self.n_missing else bounds

    @cached_property
    def cut_texts(self) -> list[str]:
        """The cuts as readable text, with as few digits as distinguish them."""
        write = {Kind.DATETIME: date_text, Kind.DURATION: duration_text}.get(Kind(self.kind))
        if write is not None:
            return [write(cut) for cut in self.cuts.tolist()]
        sides = zip(self.cuts.tolist(), self.sides.tolist(), strict=True)
        return [_number(cut, left, right) for cut, (left, right) in sides]


def _number(cut: float, left: float, right: float) -> str:
    """Round a cut to as few digits as keep it close to its position between adjacent values."""
    for digits in range(1, 18):
        rounded = float(f"{cut:.{digits}g}")
        if left <= rounded < right and abs(rounded - cut) <= 0.01 * (right - left):
            return repr(rounded).removesuffix(".0")
    return repr(cut).removesuffix(".0")


def date_text(microseconds: float) -> str:
    """Return an instant as ISO 8601 text, without the time if that is midnight."""
    # Dates are whole microseconds: a cut that is rounded down separates the same dates.
    text = str(np.datetime64(floor(microseconds), "us"))
    return text.removesuffix(".000000").removesuffix("T00:00:00")


def duration_text(microseconds: float) -> str:
    """Return a length of time in days, hours, minutes and seconds."""
    count = floor(microseconds)
    seconds, rest = divmod(abs(count), 1_000_000)
    days, seconds = divmod(seconds, 86_400)
    text = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}.{rest:06d}"
    sign, day = "-" if count < 0 else "", f"{days}d " if days else ""
    return f"{sign}{day}{text.removesuffix('.000000')}"


LIKE_A_LIST = re.compile(r", |,$|[{}]|^\.\.\. ")
"""A value that matches this reads like several values, or none."""

LONGEST_LABEL = 60
"""Most characters of a group's label; longer ones are cut short."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Groups(Partition):
    """Groups of the values of a categorical column, the group with the most rows first.

    Parameters
    ----------
    name : hashable
        Name of the column.
    classes : ndarray of shape (J,)
        The classes of the target.
    counts : ndarray of shape (I, J), int64
        Labeled rows per group and class.
    unlabeled_counts : ndarray of shape (I,), int64
        Unlabeled rows per group.
    cost, null_cost : float
        Cost of these groups and of a single one: minus the log of their probability, in nats.
    level : float
        How informative the column is about the target: 1 - cost / null_cost, 0 = not at all.
    proven_optimal : bool
        Whether it is proven that no groups cost less.
    groups : tuple of tuples
        The values of every group, most frequent first; None stands for missing. Any other value
        was never seen in the training data: its code is -1.

    See Also
    --------
    Intervals : The parts of a column whose values have an order.
    Grid : The parts of two columns together.

    Examples
    --------
    >>> import pandas as pd
    >>> from modlearn import Grouper
    >>> X = pd.DataFrame({"color": ["red", "pink", "blue", "gray"] * 20})
    >>> groups = Grouper().fit(X, ["warm", "warm", "cold", "cold"] * 20).partitions_["color"]
    >>> groups.groups
    (('blue', 'gray'), ('pink', 'red'))
    >>> groups.codes(["red", "gray", "green"])
    array([ 1,  0, -1], dtype=int32)
    """

    groups: Annotated[tuple[tuple[Hashable, ...], ...], Items(Categories())]

    def codes(self, values: Iterable[Hashable]) -> NDArray[np.int32]:
        """Return the group of every value, 0 to I-1; -1 = an unseen value.

        Parameters
        ----------
        values : iterable
            The values, None = missing.

        Returns
        -------
        ndarray of int32
        """
        known = self._group_of_value
        return np.array([known.get(value, -1) for value in values], dtype=np.int32)

    def codes_in(self, batch: Batch) -> NDArray[np.int32]:
        """Return the group of every row of a batch, 0 to I-1; -1 = an unseen value.

        Parameters
        ----------
        batch : Batch
            Rows that have the column.

        Returns
        -------
        ndarray of int32
        """
        codes, categories = batch.categorical(self.name)
        return self.codes((None, *self._as_in_training(categories)))[codes + 1]

    def _as_in_training(self, categories: tuple[Hashable, ...]) -> Sequence[Hashable]:
        """Return numbers as text if they were text, as those of many digits are; or raise."""
        then = {isinstance(v, str) for group in self.groups for v in group if v is not None}
        now = {isinstance(value, str) for value in categories}
        if len(then) == len(now) == 1 and then != now and self.n_parts > 1:
            texts = class_names(categories)
            if then == {True} and not self._group_of_value.keys().isdisjoint(texts):
                return texts
            held, holds = ("text", "numbers") if then == {True} else ("numbers", "text")
            raise ColumnError(
                f"Column {self.name!r} held {held} in the training data but holds {holds} now, "
                f"such as {categories[0]!r}: convert it to the type it had."
            )
        return categories

    def fault(self, at: RecordPosition) -> Fault | None:
        """Say which field of a record contradicts the others."""
        values = [value for group in self.groups for value in group]
        # True equals 1 in Python, so groups cannot hold both: the group would be ambiguous.
        if len(self.groups) != self.n_parts or len(set(values)) != len(values):
            return ("groups",), f"{self.n_parts} lists of different values"
        return super().fault(at)

    @cached_property
    def _group_of_value(self) -> dict[Hashable, int]:
        return {value: i for i, group in enumerate(self.groups) for value in group}

    @cached_property
    def labels(self) -> list[str]:
        """A readable label per group, such as ``{red, yellow}``, cut short if it is long."""
        labels = [_label(group, str) for group in self.groups]
        if len(set(labels)) == len(labels):
            return labels
        # The number 1 and the text "1" look alike: quotes distinguish them.
        labels = [_label(group, repr) for group in self.groups]
        if len(set(labels)) == len(labels):
            return labels
        # Long values that begin alike have equal labels: number them.
        return [f"{i}: {label}" for i, label in enumerate(labels)]


def _label(group: tuple[Hashable, ...], write: Callable[[object], str]) -> str:
    """Return the values of a group in braces, as many as fit."""
    text = ""
    for i, value in enumerate(group):
        more = "missing" if value is None else _shortened(_written(value, write))
        if i and len(text) + len(more) > LONGEST_LABEL:
            return f"{{{text}, ... {len(group) - i:,} more}}"
        text = f"{text}, {more}" if i else more
    return f"{{{text}}}"


def _shortened(text: str) -> str:
    """Return a value, cut short if it is long."""
    return text if len(text) <= LONGEST_LABEL else f"{text[: LONGEST_LABEL - 3]}..."


def _written(value: Hashable, write: Callable[[object], str]) -> str:
    """Return a value as text; in quotes if it would be ambiguous or invisible."""
    text = write(value)
    plain = text == text.strip() and text.isprintable() and text not in ("", "missing")
    return text if plain and not LIKE_A_LIST.search(text) else repr(value)

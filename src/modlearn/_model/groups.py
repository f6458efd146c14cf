"""Groups of the values of a categorical column."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated

import numpy as np
from numpy.typing import NDArray

from modlearn._model.forms import At, Categories, Items
from modlearn._model.partition import Partition
from modlearn._model.record import Fault
from modlearn._statistics.rows import Batch
from modlearn.errors import ColumnError

__all__ = ["Groups"]

LIKE_A_LIST = re.compile(r", |,$|[{}]|^\.\.\. ")
"""Where a value holds this, it reads like several values, or none."""

LONGEST_LABEL = 60
"""Characters of a group's label before it is cut short."""


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
        The values of every group, the most frequent first; None stands for missing. Any other
        value was never seen in the training data: its code is -1.

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
        """Return the group of every value, 0 to I-1; -1 = a value never seen in training.

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
        """Return the group of every row of a batch, 0 to I-1; -1 = a value never seen.

        Parameters
        ----------
        batch : Batch
            Rows that have the column.

        Returns
        -------
        ndarray of int32
        """
        codes, categories = batch.categorical(self.name)
        self._refuse_other_type(categories)
        return self.codes((None, *categories))[codes + 1]

    def _refuse_other_type(self, categories: tuple[Hashable, ...]) -> None:
        """Raise when groups of text are to be applied to numbers, or the reverse."""
        then = {isinstance(v, str) for group in self.groups for v in group if v is not None}
        now = {isinstance(value, str) for value in categories}
        if len(then) == len(now) == 1 and then != now and self.n_parts > 1:
            held, holds = ("text", "numbers") if then == {True} else ("numbers", "text")
            raise ColumnError(
                f"Column {self.name!r} held {held} in the training data and holds {holds} now, "
                f"such as {categories[0]!r}: convert it to the type it had."
            )

    def fault(self, at: At) -> Fault | None:
        """Say which field of a record contradicts the others."""
        values = [value for group in self.groups for value in group]
        # True equals 1 in Python, so both cannot stand in groups: which group would it be?
        if len(self.groups) != self.n_parts or len(set(values)) != len(values):
            return ("groups",), f"{self.n_parts} lists of different values"
        return super().fault(at)

    @cached_property
    def _group_of_value(self) -> dict[Hashable, int]:
        return {value: i for i, group in enumerate(self.groups) for value in group}

    @property
    def labels(self) -> list[str]:
        """A readable label per group, such as ``{red, yellow}``, cut short if it is long."""
        labels = [_label(group, str) for group in self.groups]
        if len(set(labels)) == len(labels):
            return labels
        # The number 1 and the text "1" look alike: quotes distinguish them.
        labels = [_label(group, repr) for group in self.groups]
        if len(set(labels)) == len(labels):
            return labels
        # Long values that begin alike.
        return [f"{i}: {label}" for i, label in enumerate(labels)]


def _label(group: tuple[Hashable, ...], write: Callable[[object], str]) -> str:
    """The values of a group in braces, as many as fit."""
    text = ""
    for i, value in enumerate(group):
        more = "missing" if value is None else _shortened(_written(value, write))
        if i and len(text) + len(more) > LONGEST_LABEL:
            return f"{{{text}, ... {len(group) - i:,} more}}"
        text = f"{text}, {more}" if i else more
    return f"{{{text}}}"


def _shortened(text: str) -> str:
    """A value of ordinary length as it is, a longer one cut short."""
    return text if len(text) <= LONGEST_LABEL else f"{text[: LONGEST_LABEL - 3]}..."


def _written(value: Hashable, write: Callable[[object], str]) -> str:
    """A value as text; in quotes where it could be taken for something else, or not be seen."""
    text = write(value)
    plain = text == text.strip() and text.isprintable() and text not in ("", "missing")
    return text if plain and not LIKE_A_LIST.search(text) else repr(value)

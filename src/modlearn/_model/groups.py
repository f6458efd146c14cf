"""Groups of the values of a categorical column."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from modlearn._model.partition import Partition

__all__ = ["Groups"]

LIKE_A_LIST = re.compile(r", |,$|[{}]|^\.\.\. ")
"""In a value this reads as if there were several, or none."""

LONGEST_LABEL = 60
"""Characters of a group's label before it is cut short."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Groups(Partition):
    """Groups of values, the one with the most rows first.

    Parameters
    ----------
    groups : tuple of tuples
        The values of every group, the most frequent first; None stands for missing. A value that
        is in none of them belongs to group 0, which has the most rows.
    """

    groups: tuple[tuple[Hashable, ...], ...]

    def codes(self, values: Iterable[Hashable]) -> NDArray[np.int32]:
        """Return the group of every value, 0 to I-1."""
        known = self._group_of_value
        return np.array([known.get(value, 0) for value in values], dtype=np.int32)

    @cached_property
    def _group_of_value(self) -> dict[Hashable, int]:
        return {value: i for i, group in enumerate(self.groups) for value in group}

    @property
    def labels(self) -> list[str]:
        """A readable label per group, such as ``{red, yellow}``, cut short if it is long."""
        labels = [_label(group, str) for group in self.groups]
        if len(set(labels)) == len(labels):
            return labels
        # The number 1 beside the text "1": quotes tell them apart.
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

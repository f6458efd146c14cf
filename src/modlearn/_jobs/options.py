"""The options of a job, checked before anything is read."""

from __future__ import annotations

import re
import shlex
from collections.abc import Hashable, Iterable, Sequence
from difflib import get_close_matches
from numbers import Integral, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from modlearn._tables.cells import Coded
from modlearn._tables.memory.table import CategoricalColumn
from modlearn.errors import ColumnError, TargetError
from modlearn.schema import TargetSpec, class_names, listed

__all__ = [
    "METHODS",
    "NEW_CLASS",
    "as_names",
    "check_share",
    "classes_by_name",
    "find_column",
    "find_positive",
    "labels_as_cells",
    "nearest",
    "read_pairs",
    "similar",
]

METHODS = ("weighted", "averaged")

SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
TIME = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|min|m|h)")


def read_pairs(pairs: Any) -> Any:
    """Return the `pairs` of a classifier: False, True, a number, seconds as a float, or a list.

    Examples
    --------
    >>> [read_pairs(pairs) for pairs in ("none", "all", 20, "20", "60s", "1.5m")]
    [False, True, 20, 20, 60.0, 90.0]
    """
    if pairs is None or isinstance(pairs, bool):
        return bool(pairs)
    if isinstance(pairs, str):
        return _read_pairs_text(pairs.strip().lower())
    if isinstance(pairs, Real):
        if not isinstance(pairs, Integral) or int(pairs) < 0:
            raise ValueError(_wrong_pairs(pairs))
        return int(pairs) or False
    return list(pairs)


def _read_pairs_text(text: str) -> Any:
    if text in ("none", "all"):
        return text == "all"
    if text.isdecimal():
        return int(text) or False
    time = TIME.fullmatch(text)
    if time is None or not float(time[1]):
        raise ValueError(_wrong_pairs(text))
    return float(time[1]) * SECONDS[time[2]]


def _wrong_pairs(pairs: Any) -> str:
    return (
        f"pairs is {pairs!r}: pass 'none', 'all', a number of pairs such as 20, or a time such as "
        "'60s' or '5m'."
    )


def check_share(test: Any, option: str = "test") -> float | None:
    """Return a share of rows between 0 and 1, or None."""
    if test is None:
        return None
    if isinstance(test, bool) or not isinstance(test, Real) or not 0 < float(test) < 1:
        raise ValueError(
            f"{option} is {test!r}: pass the share of the rows to hold out, such as 0.3; to "
            "evaluate on another table, pass it as test_file."
        )
    return float(test)


def as_names(names: Any) -> list[Hashable]:
    """Return one name or several names as a list."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        return [names]
    return list(names)


def find_column(names: Sequence[Hashable], name: Hashable, option: str) -> int:
    """Return the index of the column that an option names, itself or as text."""
    if name in names:
        return list(names).index(name)
    texts = [str(known) for known in names]
    if str(name) in texts:
        return texts.index(str(name))
    raise ColumnError(
        f"{option} names the column {str(name)!r}, which the table does not have"
        f"{_several(str(name), texts, option) or nearest(str(name), texts)}"
    )


def _several(name: str, names: Sequence[str], option: str) -> str:
    """Return the end of a sentence that helps if a name is a list of columns with commas."""
    listed = [part.strip() for part in name.split(",")]
    if option == "target" or not set(listed) <= set(names):
        return ""
    typed = " ".join(f"--{option.replace('_', '-')} {shlex.quote(part)}" for part in listed)
    return f": name each column by itself, {typed} (in Python, {option}={listed!r})."


def nearest(name: str, names: Sequence[str], there_are: str = "it has") -> str:
    """Return the end of a sentence that helps: the most similar name, or a list of all names."""
    close = similar(name, names)
    return f": did you mean {close!r}?" if close else f": {there_are} {listed(names, 10)}."


def similar(name: str, names: Sequence[str]) -> str | None:
    """Return the most similar name, whatever its case; None if none is similar."""
    lowered = {known.lower(): known for known in names}
    close = get_close_matches(name.lower(), lowered, n=1)
    return lowered[close[0]] if close else None


NEW_CLASS = -2
"""Code of a label that is not one of the classes."""


def classes_by_name(column: CategoricalColumn, classes: NDArray[Any]) -> NDArray[np.int32]:
    """Return the class of each row of another table: -1 = unlabeled, NEW_CLASS = unknown."""
    index = {name: j for j, name in enumerate(class_names(classes))}
    texts = class_names(column.categories)
    lookup = np.array([*(index.get(text, NEW_CLASS) for text in texts), -1], dtype=np.int32)
    return np.asarray(lookup[column.codes])


def labels_as_cells(classes: NDArray[Any], labels: NDArray[Any]) -> Any:
    """Return labels to be written from class indices, -1 = none; numbers stay numbers."""
    if classes.dtype.kind in "iuf":
        return (
            np.ma.array(classes[labels], mask=labels < 0) if (labels < 0).any() else classes[labels]
        )
    return Coded(labels.astype(np.int32), class_names(classes))


def find_positive(positive: Any, target: TargetSpec) -> int | None:
    """Return the index of the class of interest: the rarer of two classes if none is named.

    If both are equally frequent, it is the second.
    """
    names, classes = target.class_names, target.classes
    if positive is None:
        return int(target.counts[1] <= target.counts[0]) if len(names) == 2 else None
    text = str(int(positive)) if isinstance(positive, float) and positive.is_integer() else None
    text = str(positive) if text is None else text
    if text.capitalize() in names and classes.dtype.kind == "b":
        text = text.capitalize()  # files spell booleans as true and false
    if text not in names:
        there = nearest(text, names, "the classes are")
        raise TargetError(f"positive is {text!r}, which is not a class of the target{there}")
    if len(names) != 2:
        raise TargetError(
            f"positive is {text!r}, but there are {len(names)} classes: leave it out, as there is "
            "a class of interest only if there are two classes."
        )
    return names.index(text)

"""The target of a job: classes that can be told apart, or a sentence that names the column."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from math import isinf
from typing import Any

import numpy as np
from numpy.typing import NDArray

from modlearn._jobs.options import nearest
from modlearn._tables.cells import Coded
from modlearn._tables.memory.column import CategoricalColumn
from modlearn._tables.target import Target
from modlearn.errors import TargetError
from modlearn.schema import class_names

__all__ = ["find_positive", "labels_as_cells", "labels_by_name", "read_labels"]

MOST_NUMBERS = 50
"""More different numbers than this are a measurement, unless they repeat often."""

REPEATED = 20
"""Rows per number from which on numbers are classes all the same."""

MOST_UNREPEATED = 20
"""More labels than this must repeat, two rows to a label on average."""


def read_labels(column: CategoricalColumn, surely_classes: bool) -> Target:
    """Classes and codes of a column, of which missing values are unlabeled rows.

    `surely_classes` says that numbers are classes, however many there are.
    """
    n_rows, n_labeled = len(column.codes), int((column.codes >= 0).sum())
    values = list(column.categories)
    subject = f"The target {str(column.name)!r}"
    if not n_labeled:
        raise TargetError(
            f"{subject} has no label in any of the {n_rows:,} rows: give at least two classes a "
            "label, or name another target."
        )
    _refuse_mixture(values, subject)
    _refuse_infinity(values, subject)
    if len(values) == 1:
        raise TargetError(
            f"{subject} has one class, {values[0]!r}, in all {n_labeled:,} labeled rows: there is "
            "nothing to tell apart. Name a target with two classes or more."
        )
    if not surely_classes:
        _refuse_regression(values, n_labeled, column.name)
        _refuse_identifier(values, n_labeled, subject)
    codes = np.where(column.codes < 0, len(values), column.codes).astype(np.int32)
    return Target(_class_array(values), codes)


def _refuse_mixture(values: Sequence[Hashable], subject: str) -> None:
    texts = [value for value in values if isinstance(value, str)]
    if texts and len(texts) < len(values):
        number = next(value for value in values if not isinstance(value, str))
        raise TargetError(
            f"{subject} mixes numbers and text, such as {number!r} and {texts[0]!r}: make its "
            "labels all text or all numbers."
        )


def _refuse_infinity(values: Sequence[Hashable], subject: str) -> None:
    if any(isinstance(value, float) and isinf(value) for value in values):
        raise TargetError(
            f"{subject} has an infinite label: replace it by a class, or leave the cell empty if "
            "the row has no label."
        )


def _refuse_regression(values: Sequence[Any], n_labeled: int, name: Hashable) -> None:
    if len(values) <= MOST_NUMBERS or isinstance(values[0], str):
        return
    whole = all(value == int(value) for value in values)
    if whole and len(values) * REPEATED <= n_labeled:
        return
    raise TargetError(
        f"The target {str(name)!r} has {len(values):,} different numbers in {n_labeled:,} labeled "
        "rows, which looks like a quantity rather than classes: cut it into a few ranges first, "
        f"or say that the numbers are classes by as_categorical={str(name)!r}."
    )


def _refuse_identifier(values: Sequence[Hashable], n_labeled: int, subject: str) -> None:
    if len(values) > MOST_UNREPEATED and 2 * len(values) > n_labeled:
        raise TargetError(
            f"{subject} has {len(values):,} different labels in {n_labeled:,} rows, such as "
            f"{values[0]!r}: hardly one repeats, as in an identifier. Name the column that holds "
            "the classes."
        )


def _class_array(values: list[Any]) -> NDArray[Any]:
    """Classes of one type; whole numbers are integers, whichever type their file has."""
    if isinstance(values[0], str):
        return np.array(values, dtype=object)
    if all(isinstance(value, bool) for value in values):
        return np.array(values, dtype=bool)
    if all(value == int(value) and abs(value) < 2**53 for value in values):
        return np.array([int(value) for value in values], dtype=np.int64)
    return np.array(values, dtype=np.float64)


def labels_by_name(column: CategoricalColumn, classes: NDArray[Any]) -> NDArray[np.int32]:
    """Class of each row of another table: -1 = unlabeled, -2 = not one of the classes."""
    place = {name: j for j, name in enumerate(class_names(classes))}
    texts = class_names(np.array(column.categories, dtype=object))
    lookup = np.array([*(place.get(text, -2) for text in texts), -1], dtype=np.int32)
    return lookup[column.codes]


def labels_as_cells(classes: NDArray[Any], labels: NDArray[Any]) -> Any:
    """Labels to be written, by the places of their classes, -1 = none; numbers stay numbers."""
    if classes.dtype.kind in "iuf":
        return (
            np.ma.array(classes[labels], mask=labels < 0) if (labels < 0).any() else classes[labels]
        )
    return Coded(labels.astype(np.int32), class_names(classes))


def find_positive(positive: Any, classes: NDArray[Any]) -> int | None:
    """Place of the positive class: of two, the second if none is named."""
    names = class_names(classes)
    if positive is None:
        return 1 if len(names) == 2 else None
    text = str(int(positive)) if isinstance(positive, float) and positive.is_integer() else None
    text = str(positive) if text is None else text
    if text.capitalize() in names and classes.dtype.kind == "b":
        text = text.capitalize()  # true and false, as files have them
    if text not in names:
        there = nearest(text, names, "the classes are")
        raise TargetError(f"positive is {text!r}, which is no class{there}")
    if len(names) != 2:
        raise TargetError(
            f"positive is {text!r}, but there are {len(names)} classes: leave it out, as a class "
            "is positive only beside one other."
        )
    return names.index(text)

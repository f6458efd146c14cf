"""The target of a job: its classes, and the class of interest."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from modlearn._jobs.options import nearest
from modlearn._tables.cells import Coded
from modlearn._tables.memory.column import CategoricalColumn
from modlearn._tables.memory.target import Target, TargetOptions, read_target
from modlearn.errors import TargetError
from modlearn.schema import class_names

__all__ = ["NEW_CLASS", "classes_by_name", "find_positive", "labels_as_cells", "read_classes"]

NEW_CLASS = -2
"""Code of a label that is not one of the classes."""


def read_classes(column: CategoricalColumn, are_classes: bool) -> Target:
    """Read the classes of a column, in which missing values are unlabeled rows.

    `are_classes` says that numbers are classes, however many there are.
    """
    name = str(column.name)
    options = TargetOptions(
        are_classes=are_classes,
        subject=repr(name),
        remedy=f"pass as_categorical={name!r} (--as-categorical on the command line)",
    )
    labels = Coded(column.codes, list(column.categories))
    target = read_target(labels, len(column.codes), options)
    if target.n_classes == 1:
        (only,) = target.classes.tolist()
        raise TargetError(
            f"The target {name!r} has one class, {only!r}, in all {target.n_labeled:,} labeled "
            "rows, so there is nothing to distinguish: choose a target with at least two classes."
        )
    return Target(_whole(target.classes), target.codes)


def _whole(classes: NDArray[Any]) -> NDArray[Any]:
    """Classes that are whole numbers as integers, whichever type their file has."""
    if classes.dtype.kind != "f" or (classes != np.floor(classes)).any():
        return classes
    return classes.astype(np.int64) if np.abs(classes).max() < 2**53 else classes


def classes_by_name(column: CategoricalColumn, classes: NDArray[Any]) -> NDArray[np.int32]:
    """Class of each row of another table: -1 = unlabeled, NEW_CLASS = not one of the classes."""
    index = {name: j for j, name in enumerate(class_names(classes))}
    texts = class_names(column.categories)
    lookup = np.array([*(index.get(text, NEW_CLASS) for text in texts), -1], dtype=np.int32)
    return lookup[column.codes]


def labels_as_cells(classes: NDArray[Any], labels: NDArray[Any]) -> Any:
    """Labels to be written, by the index of their class, -1 = none; numbers stay numbers."""
    if classes.dtype.kind in "iuf":
        return (
            np.ma.array(classes[labels], mask=labels < 0) if (labels < 0).any() else classes[labels]
        )
    return Coded(labels.astype(np.int32), class_names(classes))


def find_positive(positive: Any, classes: NDArray[Any]) -> int | None:
    """Index of the class of interest: of two classes, the second if none is named."""
    names = class_names(classes)
    if positive is None:
        return 1 if len(names) == 2 else None
    text = str(int(positive)) if isinstance(positive, float) and positive.is_integer() else None
    text = str(positive) if text is None else text
    if text.capitalize() in names and classes.dtype.kind == "b":
        text = text.capitalize()  # true and false, as files have them
    if text not in names:
        there = nearest(text, names, "the classes are")
        raise TargetError(f"positive is {text!r}, which is not a class of the target{there}")
    if len(names) != 2:
        raise TargetError(
            f"positive is {text!r}, but there are {len(names)} classes: leave it out, as only one "
            "of two classes can be the class of interest."
        )
    return names.index(text)

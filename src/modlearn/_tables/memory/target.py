"""The target: reads its classes, and refuses quantities and identifiers."""

from __future__ import annotations

import numbers
import shlex
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from modlearn._tables.cells import Cells, distinct, first_text, floats, is_missing, sorted_codes
from modlearn._tables.memory.objects import NestedCellError
from modlearn._tables.memory.table import (
    CategoricalColumn,
    Source,
    cells_of,
    objects_of,
    vector,
)
from modlearn.errors import ColumnError, LengthError, TargetError
from modlearn.schema import Labels, TargetSpec, listed

__all__ = [
    "Target",
    "TargetOptions",
    "read_classes",
    "read_target",
    "read_votes",
    "read_weights",
]


def read_weights(sample_weight: Any, n_rows: int) -> np.ndarray | None:
    """Read weights (n_rows,) as int64: the number of times a row is repeated; None = once each."""
    if sample_weight is None:
        return None
    values = _read_floats(sample_weight, n_rows, REPETITIONS)
    _check(values, (values >= 0) & (values == np.floor(values)), REPETITIONS)
    if values.sum() >= 2**53:
        raise TargetError(
            f"The sample weights add up to {values.sum():.3g}, 2**53 or more: divide all of them "
            "by the same number."
        )
    return values.astype(np.int64)


def read_votes(sample_weight: Any, n_rows: int) -> np.ndarray | None:
    """Read weights (n_rows,) as float64 up to 1: how much a row's vote counts; None = equally."""
    if sample_weight is None:
        return None
    values = _read_floats(sample_weight, n_rows, VOTES)
    _check(values, values >= 0, VOTES)
    # Only their ratios matter; at most 1, they can be added and multiplied without overflow.
    votes = np.ldexp(values, -np.frexp(values.max())[1])
    return np.where(values > 0, np.maximum(votes, LEAST_VOTE), 0.0)


LEAST_VOTE = 2.0**-900
"""Dividing by this does not overflow; compared with a vote of 1, it counts for nothing anyway."""


REPETITIONS = (
    "weights are repetitions of rows, so each must be a non-negative integer. Round them, or leave "
    "sample_weight out."
)
VOTES = "weights must be finite and not negative. Replace it, or leave sample_weight out."


def _read_floats(sample_weight: Any, n_rows: int, remedy: str) -> np.ndarray:
    """Weights (n_rows,) as floats, NaN = missing."""
    if isinstance(sample_weight, str):
        raise TargetError(f"sample_weight is {sample_weight!r}: pass one number per row.")
    if isinstance(sample_weight, numbers.Real):
        sample_weight = np.full(n_rows, sample_weight)
    source = vector(sample_weight, "sample_weight", warn=False)
    if len(source) != n_rows:
        raise ValueError(
            f"sample_weight has {len(source)} rows but X has {n_rows}: pass one weight per row."
        )
    cells = cells_of(source, "sample_weight")
    text = first_text(cells)
    if text is not None:
        raise TargetError(f"sample_weight row {text[0]} is {listed([text[1]], 1)}: {remedy}")
    return floats(cells)


def _check(values: np.ndarray, allowed: np.ndarray, remedy: str) -> None:
    """Raise for the first weight that cannot be used, or if none is positive."""
    bad = ~(allowed & np.isfinite(values))
    if bad.any():
        row = int(np.argmax(bad))
        raise TargetError(f"sample_weight row {row} is {float(values[row])!r}: {remedy}")
    if not values.any():
        raise TargetError(
            "All sample weights are zero: give at least one row a positive sample_weight."
        )


MOST_NUMBERS = 50
"""More distinct numbers than this are a quantity, however often they repeat: ages, delays, sums."""

CHUNK = 1 << 18
"""Rows that are counted at a time: what NumPy copies of them stays in the cache."""

FEW_CELLS = 6
"""Up to this number of cells, to look for each of them is faster than to count them all at once."""

MOST_UNREPEATED = 20
"""If there are more distinct labels than this, they must have two rows each on average."""


@dataclass(frozen=True, eq=False)
class Target:
    """Classes and the class of each row."""

    classes: NDArray[Any]  # (n_classes,), the distinct labels, ascending, in their original type
    codes: NDArray[np.int32]  # (n,), index into ``classes``; unlabeled rows have ``n_classes``
    weights: NDArray[np.int64] | None = None  # (n,), how often each row counts; None = once

    @cached_property
    def n_classes(self) -> int:
        """Number of classes."""
        return int(self.classes.size)

    @property
    def is_labeled(self) -> NDArray[np.bool_]:
        """Whether each row has a class, shape (n,)."""
        return self.codes < self.n_classes

    @property
    def n_labeled(self) -> int:
        """Number of labeled rows, each counted as often as its weight says."""
        return int(self._rows[: self.n_classes].sum())

    @property
    def n_unlabeled(self) -> int:
        """Number of unlabeled rows, each counted as often as its weight says."""
        return int(self._rows[-1])

    @cached_property
    def _rows(self) -> NDArray[np.int64]:
        (rows,) = self.rows_by_fold(None, 1)
        return np.asarray(rows)

    def rows_by_fold(self, folds: NDArray[np.uint8] | None, n_folds: int) -> NDArray[np.int64]:
        """Count rows per fold and class, unlabeled ones last, shape (n_folds, J + 1).

        Each row counts as often as its weight says; `folds` None = all rows are in one fold.
        """
        size = self.n_classes + 1
        rows = np.zeros(n_folds * size, dtype=np.int64)
        # In chunks, as NumPy copies its input.
        for first in range(0, len(self.codes), CHUNK):
            some = slice(first, first + CHUNK)
            weights = None if self.weights is None else self.weights[some]
            cells = self.codes[some]
            if folds is not None:
                cells = cells + np.int32(size) * folds[some]
            rows += _counted(cells, weights, len(rows))
        return rows.reshape(n_folds, size)

    def at(self, rows: NDArray[np.intp]) -> Target:
        """Return the target of some of the rows."""
        weights = None if self.weights is None else self.weights[rows]
        return Target(self.classes, self.codes[rows], weights)

    def spec(self, name: Hashable | None = None) -> TargetSpec:
        """Return the classes and their numbers of rows, without the labels of the rows."""
        return TargetSpec(name, self.classes, self._rows[:-1], int(self._rows[-1]))


def _counted(
    cells: NDArray[np.int32], weights: NDArray[np.int64] | None, n_cells: int
) -> NDArray[np.int64]:
    """Return the number of rows in each cell; a single count is a chain of additions."""
    if weights is None and n_cells <= FEW_CELLS:
        return np.array([np.count_nonzero(cells == cell) for cell in range(n_cells)])
    return np.bincount(cells, weights, minlength=n_cells).astype(np.int64)


@dataclass(frozen=True, eq=False)
class TargetOptions:
    """How the target is to be read."""

    # A label that marks unlabeled rows, such as -1 or "?", in addition to missing ones.
    unlabeled: Any = None
    # (n_rows,), how often each row counts, as non-negative integers. A label whose rows all have
    # weight 0 is not a class; its rows become unlabeled.
    sample_weight: Any = None
    # What labels are; counts are whole numbers that are not negative, in which nothing must repeat.
    labels: Labels = Labels.CLASSES
    # Whether labels are classes even if they look like a quantity or an identifier.
    are_classes: bool = False
    subject: str = "y"  # name of the target in error messages
    # What error messages advise if the numbers really are classes; a second one is the advice on
    # the command line.
    remedy: tuple[str, ...] = ("convert it to text (y.astype(str))",)
    # Whether labels are those that an engine counted. Weights are their rows then, and no label has
    # a row number.
    are_counted: bool = False


def read_target(y: Any, n_rows: int, options: TargetOptions | None = None) -> Target:
    """Read the labels of ``n_rows`` rows, of any one type.

    Rows with a missing label (NaN, None, NaT, pandas.NA) are unlabeled.

    Examples
    --------
    >>> target = read_target(["no", None, "yes", "no"], n_rows=4)
    >>> target.classes, target.codes
    (array(['no', 'yes'], dtype=object), array([0, 2, 1, 0], dtype=int32))
    """
    options = options or TargetOptions()
    if isinstance(y, str):
        raise TargetError(f"y is the text {y!r}: pass the column itself, such as table[{y!r}].")
    codes, classes = _factorize(_read_labels(y, n_rows, options.unlabeled), options)
    return _target(codes, classes, options)


def read_classes(
    column: CategoricalColumn, are_classes: bool, rows: NDArray[np.int64] | None = None
) -> Target:
    """Read the classes of a column that a job predicts; rows where it is missing are unlabeled.

    `are_classes` = numbers are classes, however many there are; `rows` = the number of rows that
    each entry of the column stands for, as an engine counts its labels; None = one.
    """
    name = str(column.name)
    options = TargetOptions(
        sample_weight=rows,
        are_classes=are_classes,
        subject=repr(name),
        remedy=(f"pass as_categorical={name!r}", f"pass --as-categorical {shlex.quote(name)}"),
        are_counted=rows is not None,
    )
    classes = _class_array(column.codes, list(column.categories), options)
    target = _target(column.codes, classes, options)
    if target.n_classes == 1:
        only = listed(target.classes.tolist(), 1)
        raise TargetError(
            f"The target {name!r} has one class, {only}, in all {target.n_labeled:,} labeled "
            "rows, so there is nothing to distinguish: choose a target with at least two classes."
        )
    return Target(_whole(target.classes), target.codes, target.weights)


def _whole(classes: NDArray[Any]) -> NDArray[Any]:
    """Convert classes that are whole numbers to integers, whatever their type in the file."""
    if classes.dtype.kind != "f" or (classes != np.floor(classes)).any():
        return classes
    return classes.astype(np.int64) if np.abs(classes).max() < 2**53 else classes


def _target(codes: NDArray[np.int32], classes: NDArray[Any], options: TargetOptions) -> Target:
    """Return the classes that rows have; quantities and identifiers are refused."""
    n_rows = len(codes)
    weights = read_weights(options.sample_weight, n_rows)
    kept = _is_label(classes, options.unlabeled) & _has_weight(codes, classes.size, weights)
    codes, classes = _keep_classes(codes, classes, kept)
    if not classes.size:
        raise TargetError(_no_labels(n_rows, weights, options))
    _refuse_infinity(codes, classes, options)
    target = Target(classes, codes, weights)
    if options.labels is Labels.COUNTS:
        _refuse_other_than_counts(target, options)
    elif not options.are_classes:
        _refuse_quantity(target, options)
        _refuse_identifier(target, options)
    return target


def _read_labels(y: Any, n_rows: int, unlabeled: Any) -> Source:
    """Convert y to one column of the right length."""
    if y is None:
        raise ValueError("This estimator requires y to be passed, but the target y is None.")
    source = vector(y, "y", warn=True)
    if len(source) != n_rows:
        raise LengthError(n_rows, len(source))
    return source if is_missing(unlabeled) else _without_marker(source, unlabeled)


def _without_marker(source: Source, unlabeled: Any) -> Source:
    """Replace the marker among objects by None: "?" among numbers is not a mixture of types."""
    labels = objects_of(source)
    if labels is None:
        return source
    # A list as a label cannot be looked up; it is refused later, with its row number.
    is_marker = {unlabeled}.__contains__
    marked = [type(label).__hash__ is not None and is_marker(label) for label in labels]
    labels = labels.copy()
    labels[marked] = None
    return labels


def _factorize(source: Source, options: TargetOptions) -> tuple[NDArray[np.int32], NDArray[Any]]:
    """Codes (n,), -1 = missing, and classes, ascending."""
    try:
        cells = cells_of(source, f"The target {options.subject}")
    except NestedCellError:
        raise  # a TypeError, as for other objects
    except ColumnError as error:
        raise TargetError(*error.args) from None
    if isinstance(cells, Cells):
        return distinct(cells)
    codes, values = sorted_codes(cells)
    return codes, _class_array(codes, values, options)


def _class_array(
    codes: NDArray[np.int32], values: list[Any], options: TargetOptions
) -> NDArray[Any]:
    """Return the classes of text (as objects) or of a frame's categories (in their own type)."""
    text = [isinstance(value, str) for value in values]
    if all(text):
        return np.array(values, dtype=object)
    if not any(text):
        return np.array(values)
    label, number = values[text.index(True)], values[text.index(False)]
    row, other = (int(np.argmax(codes == text.index(kind))) for kind in (True, False))
    raise TargetError(
        f"The target {options.subject} mixes numbers and text: row {other} holds {number!r} and "
        f"row {row} holds {label!r}. Make its labels all text, for example with y.astype(str), or "
        "all numbers."
    )


def _is_label(classes: NDArray[Any], unlabeled: Any) -> NDArray[np.bool_]:
    """Mask of the classes that are not the marker of unlabeled rows."""
    if unlabeled is None or is_missing(unlabeled):
        return np.ones(classes.size, dtype=bool)
    return np.array([bool(label != unlabeled) for label in classes.tolist()], dtype=bool)


def _has_weight(
    codes: NDArray[np.int32], n_classes: int, weights: NDArray[np.int64] | None
) -> NDArray[np.bool_]:
    """Mask of the classes that have a row with a positive weight."""
    if weights is None:
        return np.ones(n_classes, dtype=bool)
    return np.asarray(np.bincount(codes[(codes >= 0) & (weights > 0)], minlength=n_classes) > 0)


def _keep_classes(
    codes: NDArray[np.int32], classes: NDArray[Any], kept: NDArray[np.bool_]
) -> tuple[NDArray[np.int32], NDArray[Any]]:
    """Renumber the kept classes; all other rows get the code of unlabeled rows."""
    if kept.all() and codes.min(initial=0) >= 0:
        return codes, classes
    n_kept = int(kept.sum())
    lookup = np.full(classes.size + 1, n_kept, dtype=np.int32)  # the last entry serves code -1
    lookup[:-1][kept] = np.arange(n_kept)
    return lookup[codes], classes[kept]


def _no_labels(n_rows: int, weights: NDArray[np.int64] | None, options: TargetOptions) -> str:
    """Return the error that all rows are unlabeled."""
    marker = ""
    if not is_missing(options.unlabeled):
        marker = f" or equal to unlabeled={options.unlabeled!r}"
    counting = "" if weights is None else " with a positive weight"
    if weights is not None and options.are_counted:
        n_rows, counting = int(weights.sum()), ""
    return (
        f"The target {options.subject} has no label: all {n_rows:,} rows{counting} are unlabeled "
        f"(missing{marker}). Give at least one row a label."
    )


def _refuse_infinity(
    codes: NDArray[np.int32], classes: NDArray[Any], options: TargetOptions
) -> None:
    """Raise if a float label is infinite; among sorted labels, it is the first or the last."""
    if classes.dtype.kind != "f" or np.isfinite(classes[[0, -1]]).all():
        return
    row = np.flatnonzero(np.append(np.isinf(classes), False)[codes])[0]
    where = "" if options.are_counted else f", first in row {row}"
    raise TargetError(
        f"Input {options.subject} contains infinity{where}: replace it with a class, or with a "
        "missing value if the row is unlabeled."
    )


def _refuse_other_than_counts(target: Target, options: TargetOptions) -> None:
    """Raise if a label is not a whole number, or is negative."""
    for code, label in enumerate(target.classes.tolist()):
        is_number = isinstance(label, int | float) and not isinstance(label, bool)
        if not is_number or label < 0 or label != int(label):
            row = int(np.argmax(target.codes == code))
            raise TargetError(
                f"The target {options.subject} must hold counts, whole numbers from 0, but row "
                f"{row} holds {label!r}: correct it, or choose a method for classes."
            )


def _refuse_quantity(target: Target, options: TargetOptions) -> None:
    """Raise if numbers look like a quantity that regression would predict."""
    n_classes = target.n_classes
    few = n_classes <= MOST_NUMBERS and not _hardly_repeat(target)
    if few or target.classes.dtype.kind not in "iuf":
        return
    found = (
        f"The target {options.subject} looks like a continuous quantity rather than classes: it "
        f"has {n_classes:,} distinct numbers in {target.n_labeled:,} labeled rows, and regression "
        "is not supported. Bin it into a few ranges first"
    )
    # The second one is for the command line, where there is no pandas.
    ways = (" (for example with pandas.qcut)", "")
    raise TargetError(
        *(
            f"{found}{way}, or, if the numbers really are classes, {remedy}."
            for way, remedy in zip(ways, options.remedy, strict=False)
        )
    )


def _hardly_repeat(target: Target) -> bool:
    """Whether there are many labels, with less than two rows each on average."""
    return target.n_classes > MOST_UNREPEATED and 2 * target.n_classes > target.n_labeled


def _refuse_identifier(target: Target, options: TargetOptions) -> None:
    """Raise if labels hardly repeat, like those of an identifier."""
    if not _hardly_repeat(target):
        return
    (example,) = target.classes[:1].tolist()
    raise TargetError(
        f"The target {options.subject} looks like an identifier: it has {target.n_classes:,} "
        f"distinct labels in {target.n_labeled:,} labeled rows, such as {example!r}, and almost "
        "none repeats. Choose the column that holds the classes."
    )

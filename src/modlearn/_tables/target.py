"""The target: classes, one code per row, and how often each row counts."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from modlearn._tables.cells import Cells, distinct, is_missing, sorted_codes
from modlearn._tables.memory.objects import NestedCellError
from modlearn._tables.memory.source import Source, cells_of, objects_of, vector
from modlearn._tables.memory.weights import read_weights
from modlearn.errors import ColumnError, LengthError, TargetError

__all__ = ["Target", "read_target"]

# More distinct values than this, and floats are a measurement rather than a class.
MOST_FLOAT_CLASSES = 50

# More labels than this must repeat, two rows to a label on average.
MOST_UNREPEATED = 1000


@dataclass(frozen=True)
class Target:
    """Classes and the class of each row.

    Parameters
    ----------
    classes : ndarray of shape (n_classes,)
        The distinct labels, ascending, of the type they were given in.
    codes : ndarray of shape (n,), int32
        Index into ``classes``; unlabeled rows have ``n_classes``.
    weights : ndarray of shape (n,), int64, or None
        How often each row counts; None = once.
    """

    classes: np.ndarray
    codes: np.ndarray
    weights: np.ndarray | None = None

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return int(self.classes.size)

    @property
    def is_labeled(self) -> np.ndarray:
        """Whether each row has a class, shape (n,)."""
        return self.codes < self.n_classes

    @property
    def n_labeled(self) -> int:
        """Number of labeled rows, each counted as often as its weight says."""
        return self._n_rows(self.is_labeled)

    @property
    def n_unlabeled(self) -> int:
        """Number of unlabeled rows, counted in the same way."""
        return self._n_rows(~self.is_labeled)

    def _n_rows(self, some: np.ndarray) -> int:
        return int(some.sum() if self.weights is None else self.weights[some].sum())


def read_target(y: Any, n_rows: int, unlabeled: Any = None, sample_weight: Any = None) -> Target:
    """Read the labels of ``n_rows`` rows.

    Parameters
    ----------
    y : array-like, series or one-column frame of shape (n_rows,)
        Labels of any one type. Missing ones (NaN, None, NaT, pandas.NA) are unlabeled rows.
    n_rows : int
        Number of rows of the table.
    unlabeled : scalar, default=None
        One more label that means unlabeled, such as -1 or "?".
    sample_weight : array-like of shape (n_rows,) or number, default=None
        How often each row counts: non-negative integers. A class whose rows all have weight 0
        is no class; its rows become unlabeled.

    Examples
    --------
    >>> target = read_target(["no", None, "yes", "no"], n_rows=4)
    >>> target.classes, target.codes
    (array(['no', 'yes'], dtype=object), array([0, 2, 1, 0], dtype=int32))
    """
    if isinstance(y, str):
        raise TargetError(f"y is the text {y!r}: pass the column itself, such as table[{y!r}].")
    source = _read_labels(y, n_rows, unlabeled)
    codes, classes = _factorize(source)
    weights = read_weights(sample_weight, n_rows)
    kept = _is_label(classes, unlabeled) & _has_weight(codes, classes.size, weights)
    codes, classes = _keep_classes(codes, classes, kept)
    if not classes.size:
        raise TargetError(_no_labels(n_rows, unlabeled, weights))
    _refuse_infinity(codes, classes)
    target = Target(classes, codes, weights)
    _refuse_regression(target)
    _refuse_identifiers(target)
    return target


def _read_labels(y: Any, n_rows: int, unlabeled: Any) -> Source:
    """Bring y to one column of the right length."""
    if y is None:
        raise ValueError("This estimator requires y to be passed, but the target y is None.")
    source = vector(y, "y", warn=True)
    if len(source) != n_rows:
        raise LengthError(n_rows, len(source))
    return source if is_missing(unlabeled) else _without_marker(source, unlabeled)


def _without_marker(source: Source, unlabeled: Any) -> Source:
    """Replace the marker among objects by None: "?" beside numbers is no mixture of types."""
    labels = objects_of(source)
    if labels is None:
        return source
    # a list as a label cannot be looked up; it is refused later, by its row
    is_marker = {unlabeled}.__contains__
    marked = [type(label).__hash__ is not None and is_marker(label) for label in labels]
    labels = labels.copy()
    labels[marked] = None
    return labels


def _factorize(source: Source) -> tuple[np.ndarray, np.ndarray]:
    """Codes (n,), -1 = missing, and classes, ascending."""
    try:
        cells = cells_of(source, "Target y")
    except NestedCellError:
        raise  # a TypeError, as of other objects
    except ColumnError as error:
        raise TargetError(str(error)) from None
    if isinstance(cells, Cells):
        return distinct(cells)
    codes, values = sorted_codes(cells)
    return codes, _class_array(codes, values)


def _class_array(codes: np.ndarray, values: list[Any]) -> np.ndarray:
    """Classes of text (as objects) or of a frame's categories (of the type they have)."""
    text = [isinstance(value, str) for value in values]
    if all(text):
        return np.array(values, dtype=object)
    if not any(text):
        return np.array(values)
    label, number = values[text.index(True)], values[text.index(False)]
    row, other = (int(np.argmax(codes == text.index(kind))) for kind in (True, False))
    raise TargetError(
        f"Target y mixes numbers and text: row {other} holds {number!r} and row {row} holds "
        f"{label!r}. Convert the labels to text, for example with y.astype(str)."
    )


def _is_label(classes: np.ndarray, unlabeled: Any) -> np.ndarray:
    """Mask of the classes that are not the marker of unlabeled rows."""
    if is_missing(unlabeled):
        return np.ones(classes.size, dtype=bool)
    return np.array([bool(label != unlabeled) for label in classes.tolist()], dtype=bool)


def _has_weight(codes: np.ndarray, n_classes: int, weights: np.ndarray | None) -> np.ndarray:
    """Mask of the classes with a row that counts."""
    if weights is None:
        return np.ones(n_classes, dtype=bool)
    return np.bincount(codes[(codes >= 0) & (weights > 0)], minlength=n_classes) > 0


def _keep_classes(
    codes: np.ndarray, classes: np.ndarray, kept: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Number the kept classes anew; every other row gets the code of the unlabeled."""
    if kept.all() and codes.min(initial=0) >= 0:
        return codes, classes
    n_kept = int(kept.sum())
    lookup = np.full(classes.size + 1, n_kept, dtype=np.int32)  # the last place serves code -1
    lookup[:-1][kept] = np.arange(n_kept)
    return lookup[codes], classes[kept]


def _no_labels(n_rows: int, unlabeled: Any, weights: np.ndarray | None) -> str:
    """Say that there is nothing to learn from."""
    marker = "" if is_missing(unlabeled) else f" or equal to unlabeled={unlabeled!r}"
    counting = "" if weights is None else " of positive weight"
    return (
        f"All {n_rows} rows of y{counting} are unlabeled (missing{marker}): "
        "give at least one row a label."
    )


def _refuse_infinity(codes: np.ndarray, classes: np.ndarray) -> None:
    """Raise when a float label is infinite; sorted, it is the first or the last."""
    if classes.dtype.kind != "f" or np.isfinite(classes[[0, -1]]).all():
        return
    row = np.flatnonzero(np.append(np.isinf(classes), False)[codes])[0]
    raise TargetError(
        f"Input y contains infinity, first in row {row}: replace it by a label, "
        "or by NaN if the row is unlabeled."
    )


def _refuse_regression(target: Target) -> None:
    """Raise when float labels look like measurements."""
    classes = target.classes
    if classes.dtype.kind != "f" or classes.size <= MOST_FLOAT_CLASSES:
        return
    n_labeled = target.n_labeled
    if np.array_equal(classes, np.round(classes)) and classes.size <= n_labeled / 2:
        return
    raise TargetError(
        f"The target y is continuous: {classes.size:,} distinct float values in {n_labeled:,} "
        "labeled rows look like regression. Bin the target first (for example with pandas.qcut), "
        "or convert it to text if the values really are classes (y.astype(str))."
    )


def _refuse_identifiers(target: Target) -> None:
    """Raise when labels hardly repeat: an identifier, of which nothing can be learned."""
    if target.n_classes > MOST_UNREPEATED and 2 * target.n_classes > target.n_labeled:
        (example,) = target.classes[:1].tolist()
        raise TargetError(
            f"The target has {target.n_classes:,} different labels in {target.n_labeled:,} rows, "
            f"such as {example!r}: hardly one repeats, as in an identifier. Give the column that "
            "holds the classes."
        )

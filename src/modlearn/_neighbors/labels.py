"""From labels to distributions over the classes, and from distributions to classes again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from modlearn._neighbors.distributions import LabelDistributions
from modlearn._neighbors.points import Array
from modlearn._tables.cells import is_missing
from modlearn._tables.memory.table import Table, is_array_like, read_table
from modlearn._tables.memory.target import TargetOptions, read_target
from modlearn.criteria import with_prior
from modlearn.errors import ColumnError, LengthError, TargetError

__all__ = ["Decision", "KnownLabels", "make_decision", "read_label_distributions"]

ROUNDING = 1e-6
"""A distribution may exceed 1 by this much."""


@dataclass(frozen=True)
class KnownLabels:
    """What is known about each row before labels spread."""

    classes: Array  # (J,), the classes, ascending; the column names if labels are soft
    # (n, J), probability of each class; the rest up to 1 is unknown, all of it in an unlabeled
    # row.
    distributions: NDArray[np.float64]

    @classmethod
    def of_codes(cls, classes: Array, codes: NDArray[np.integer[Any]]) -> KnownLabels:
        """Create certain labels from the index (n,) of each row's class, -1 = unlabeled."""
        distributions = np.zeros((len(codes), len(classes)))
        labeled = np.flatnonzero(codes >= 0)
        distributions[labeled, codes[labeled]] = 1.0
        return cls(classes, distributions)

    def prior(self, weights: NDArray[np.float64] | None) -> NDArray[np.float64]:
        """Return the share of each class among the labels, shape (J,), rows weighted."""
        counts = self.distributions.sum(0) if weights is None else weights @ self.distributions
        # If all labeled rows have weight 0, they still show which classes there are.
        return counts / counts.sum() if counts.any() else np.full(len(counts), 1 / len(counts))


def read_label_distributions(y: Any, n_rows: int, unlabeled: Any) -> KnownLabels:
    """Read labels (n_rows,), or probabilities of classes (n_rows, J), J > 1.

    Labels are of any one type, missing or equal to `unlabeled` in unlabeled rows. Probabilities add
    up to at most 1 in each row; they are zero or missing in unlabeled rows.
    """
    if isinstance(y, KnownLabels):
        return y
    if _n_columns(y) > 1:
        return _read_distributions(y, n_rows)
    target = read_target(y, n_rows, TargetOptions(unlabeled))
    if target.n_classes == 1 and target.n_unlabeled and not is_missing(unlabeled):
        _refuse_lost_class(y, target.classes.tolist()[0], unlabeled)
    return KnownLabels.of_codes(target.classes, np.where(target.is_labeled, target.codes, -1))


def _n_columns(y: Any) -> int:
    """Return the number of columns of a frame or 2-D array; 1 for anything else."""
    is_rows = is_array_like(y) and _is_regular(y)
    shape: tuple[int, ...] = np.shape(y) if is_rows else getattr(y, "shape", ())
    return shape[1] if len(shape) == 2 else 1


def _is_regular(y: Any) -> bool:
    """Whether all rows of a list have the same length."""
    return isinstance(y, np.ndarray) or len({np.shape(row) for row in y}) <= 1


def _refuse_lost_class(y: Any, label: Any, unlabeled: Any) -> None:
    """Raise if the marker of unlabeled rows was probably meant as the other class."""
    labels = np.asarray(y, dtype=object).reshape(-1)
    if any(bool(value == unlabeled) for value in labels if not is_missing(value)):
        raise TargetError(
            f"y has one class, {label!r}, and rows marked {unlabeled!r}, which means unlabeled: "
            f"label rows of another class, or pass unlabeled=None if {unlabeled!r} is a class."
        )


def _read_distributions(y: Any, n_rows: int) -> KnownLabels:
    """Read distributions over the columns of a frame or array."""
    table = read_table(y)
    if table.n_rows != n_rows:
        raise LengthError(n_rows, table.n_rows)
    values = np.column_stack([_probabilities(table, i) for i in range(len(table.names))])
    values[np.isnan(values).all(1)] = 0.0
    totals = values.sum(1)
    bad = ~((values >= 0).all(1) & (totals <= 1 + ROUNDING))
    if bad.any():
        row = int(np.argmax(bad))
        raise TargetError(
            f"Row {row} of y is {values[row].tolist()}, which is not a distribution over "
            f"{len(table.names)} classes: pass probabilities that add up to 1, or zeros if the row "
            "is unlabeled."
        )
    if not totals.any():
        raise TargetError(
            f"All {n_rows} rows of y are zero, which means unlabeled: label at least one row."
        )
    # Sums that exceed 1 by rounding are 1.
    values /= np.maximum(totals, 1.0)[:, None]
    return KnownLabels(
        _names(table) if not is_array_like(y) else np.arange(len(table.names)), values
    )


def _probabilities(table: Table, i: int) -> NDArray[np.float64]:
    """Return the values (n,) of a column of the target."""
    try:
        return table.numeric(i).values
    except ColumnError:
        raise TargetError(
            f"y has {len(table.names)} columns, so they must be probabilities of classes, but "
            f"{table.names[i]!r} does not hold numbers: pass one column of labels, or "
            "probabilities."
        ) from None


def _names(table: Table) -> Array:
    """Return column names as classes: text as objects, like labels that are text."""
    text = any(isinstance(name, str) for name in table.names)
    return np.array(table.names, dtype=object if text else None)


@dataclass(frozen=True)
class Decision:
    """How distributions become classes: the class prior enters here and nowhere else."""

    classes: Array  # (J,)
    # (J,), share of each class among the labels, which the distributions already reflect.
    labeled: NDArray[np.float64]
    prior: NDArray[np.float64]  # (J,), expected share of each class
    abstention: object  # label of rows about which nothing is known

    def probabilities(self, rows: LabelDistributions) -> NDArray[np.float64]:
        """Return the probability of each class, shape (n, J); the prior if undecided."""
        return with_prior(rows.known, self.labeled, self.prior)

    def labels(self, rows: LabelDistributions) -> Array:
        """Return the most probable class of each row, shape (n,); the abstention if undecided."""
        labels: Array = self.classes[self.probabilities(rows).argmax(1)]
        undecided = rows.undecided
        if not undecided.any():
            return labels
        labels = labels.astype(_common_type(labels.dtype, self.abstention))
        labels[undecided] = self.abstention
        return labels


def _common_type(dtype: np.dtype[Any], label: Any) -> np.dtype[Any]:
    """Return the smallest type that holds labels of this type and this label; else object."""
    kinds = dtype.kind, np.min_scalar_type(label).kind
    if kinds == ("b", "b"):
        return dtype
    if not set(kinds) <= set("iuf"):
        return np.dtype(object)
    common = np.result_type(dtype, np.min_scalar_type(label))
    # Unsigned 64-bit integers and a negative one together would become floats.
    return np.dtype(object) if common.kind == "f" and "f" not in kinds else common


def make_decision(
    classes: Array, labeled: NDArray[np.float64], class_prior: Any, abstain: Any
) -> Decision:
    """Make the decision rule from the parameters `class_prior` and `abstain` of the estimator."""
    prior = _prior(class_prior, labeled)
    return Decision(classes, labeled, prior, _abstention(abstain, classes, prior))


def _prior(class_prior: Any, labeled: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the expected share of each class, shape (J,)."""
    if isinstance(class_prior, str):
        n_classes = len(labeled)
        return labeled if class_prior == "empirical" else np.full(n_classes, 1 / n_classes)
    try:
        prior = np.asarray(class_prior, dtype=np.float64)
    except (TypeError, ValueError):
        prior = np.empty(0)
    if prior.shape != labeled.shape or not (prior >= 0).all() or not np.isclose(prior.sum(), 1):
        passed = class_prior.tolist() if isinstance(class_prior, np.ndarray) else class_prior
        raise ValueError(
            f"class_prior is {passed}: pass the share of each of the {len(labeled)} classes, in "
            "the order of classes_, adding up to 1."
        )
    return np.asarray(prior / prior.sum())


def _abstention(abstain: Any, classes: Array, prior: NDArray[np.float64]) -> Any:
    """Return the label of undecided rows."""
    if isinstance(abstain, str) and abstain == "prior":
        return classes[prior.argmax()]
    if abstain is None and classes.dtype.kind in "iu" and -1 not in classes:
        return -1
    return abstain

"""Label distributions of rows, and how they are turned into classes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from modlearn._neighbors.points import Array
from modlearn._neighbors.propagation import log_masses
from modlearn.criteria import with_prior

__all__ = ["Decision", "LabelDistributions", "make_decision"]


@dataclass(frozen=True)
class LabelDistributions:
    """What is known about each row.

    Parameters
    ----------
    known : ndarray of shape (n, J)
        Distribution over the classes, adding up to 1; zero if nothing is known.
    masses : structured ndarray of shape (n,)
        The probability that is known, as (high + low) * 2**exponent: it may be very small.
    """

    known: NDArray[np.float64]
    masses: Array

    @property
    def log_mass(self) -> NDArray[np.float64]:
        """Log of the probability that is known, shape (n,); -inf if nothing is known."""
        return log_masses(self.masses)

    @property
    def undecided(self) -> NDArray[np.bool_]:
        """Whether nothing is known about a row, shape (n,)."""
        return np.asarray(self.masses["high"] == 0.0)

    @property
    def unknown_mass(self) -> NDArray[np.float64]:
        """Probability that is not known, shape (n,)."""
        return np.abs(np.expm1(self.log_mass))


@dataclass(frozen=True)
class Decision:
    """How distributions become classes: the class prior enters here and nowhere else.

    Parameters
    ----------
    classes : ndarray of shape (J,)
        The classes.
    labeled : ndarray of shape (J,)
        Share of each class among the labels, which the distributions already reflect.
    prior : ndarray of shape (J,)
        Expected share of each class.
    abstention : scalar
        Label of rows about which nothing is known.
    """

    classes: Array
    labeled: NDArray[np.float64]
    prior: NDArray[np.float64]
    abstention: object

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

"""Rows with label distributions, and the decision for a class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from modlearn._neighbors.propagation import log_masses
from modlearn.criteria import with_prior

__all__ = ["Decision", "LabelDistributions"]


@dataclass(frozen=True)
class LabelDistributions:
    """What is known of each row.

    Parameters
    ----------
    known : ndarray of shape (n, J)
        Distribution over the classes, adding up to 1; zero if nothing is known.
    masses : structured ndarray of shape (n,)
        The probability that is known, as (high + low) * 2**exponent: it may be very small.
    """

    known: NDArray[np.float64]
    masses: np.ndarray

    @property
    def log_mass(self) -> NDArray[np.float64]:
        """Log of the probability that is known, shape (n,); -inf if nothing is."""
        return log_masses(self.masses)

    @property
    def undecided(self) -> NDArray[np.bool_]:
        """Rows of which nothing is known, shape (n,)."""
        return np.asarray(self.masses["high"] == 0.0)

    @property
    def unknown_mass(self) -> NDArray[np.float64]:
        """Probability that is not known, shape (n,)."""
        return np.abs(np.expm1(self.log_mass))


@dataclass(frozen=True)
class Decision:
    """How distributions become classes: the class prior comes in here and nowhere else.

    Parameters
    ----------
    classes : ndarray of shape (J,)
        The classes.
    labeled : ndarray of shape (J,)
        Share of each class among the labels, which the distributions carry already.
    prior : ndarray of shape (J,)
        Share that is expected of each class.
    abstention : scalar
        Label of rows of which nothing is known.
    """

    classes: np.ndarray
    labeled: NDArray[np.float64]
    prior: NDArray[np.float64]
    abstention: object

    def probabilities(self, rows: LabelDistributions) -> NDArray[np.float64]:
        """Probability of each class, shape (n, J); of undecided rows the prior."""
        return with_prior(rows.known, self.labeled, self.prior)

    def labels(self, rows: LabelDistributions) -> np.ndarray:
        """The most probable class of each row, shape (n,); of undecided rows the abstention."""
        labels = self.classes[self.probabilities(rows).argmax(1)]
        undecided = rows.undecided
        if not undecided.any():
            return labels
        labels = labels.astype(_common_type(labels.dtype, self.abstention))
        labels[undecided] = self.abstention
        return labels


def _common_type(dtype: np.dtype, label: Any) -> np.dtype:
    """The least type that holds labels of one type and one label more; else object."""
    kinds = dtype.kind, np.min_scalar_type(label).kind
    if kinds == ("b", "b"):
        return dtype
    if not set(kinds) <= set("iuf"):
        return np.dtype(object)
    common = np.result_type(dtype, np.min_scalar_type(label))
    # Integers of 64 bits beside a negative one would become floats.
    return np.dtype(object) if common.kind == "f" and "f" not in kinds else common

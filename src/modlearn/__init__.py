"""Bayes-optimal partitions of table columns: which variables tell about a target, and why."""

from typing import TYPE_CHECKING, Any

from modlearn import criteria
from modlearn._estimate.best_variable import (
    BestBivariateClassifier,
    BestUnivariateClassifier,
)
from modlearn._estimate.discretization import Discretizer
from modlearn._estimate.encoding import Encoder
from modlearn._estimate.grouping import Grouper
from modlearn._estimate.naive_bayes import NaiveBayesClassifier, SelectiveNaiveBayesClassifier
from modlearn._estimate.pairs import PairEncoder
from modlearn._estimate.propagation import LabelDistributionPropagation
from modlearn._estimate.saving import load

if TYPE_CHECKING:
    from modlearn._job.fitting import analyze, fit

__version__ = "0.1.0"

__all__ = [
    "BestBivariateClassifier",
    "BestUnivariateClassifier",
    "Discretizer",
    "Encoder",
    "Grouper",
    "LabelDistributionPropagation",
    "NaiveBayesClassifier",
    "PairEncoder",
    "SelectiveNaiveBayesClassifier",
    "analyze",
    "criteria",
    "fit",
    "load",
]


def __getattr__(name: str) -> Any:
    """Import the job when it is asked for: users of an estimator need not wait for it."""
    if name not in ("analyze", "fit"):
        raise AttributeError(f"module 'modlearn' has no attribute {name!r}")
    from modlearn._job import fitting

    return getattr(fitting, name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})

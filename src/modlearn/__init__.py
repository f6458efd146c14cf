"""Bayes-optimal partitions of table columns: which variables tell about a target, and why."""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

# Where each public name is: nothing is imported before it is asked for, so that the command line
# answers at once. `__init__.pyi` says the same to type checkers.
_PLACES = {
    "BestBivariateClassifier": "_estimate.best_variable",
    "BestUnivariateClassifier": "_estimate.best_variable",
    "Discretizer": "_estimate.discretization",
    "Encoder": "_estimate.encoding",
    "Grouper": "_estimate.grouping",
    "LabelDistributionPropagation": "_estimate.propagation",
    "NaiveBayesClassifier": "_estimate.naive_bayes",
    "PairEncoder": "_estimate.pairs",
    "SelectiveNaiveBayesClassifier": "_estimate.naive_bayes",
    "analyze": "_job.fitting",
    "fit": "_job.fitting",
    "load": "_estimate.saving",
}

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
    """Import a public name when it is first used."""
    if name == "criteria":
        return import_module("modlearn.criteria")
    if name not in _PLACES:
        raise AttributeError(f"module 'modlearn' has no attribute {name!r}")
    value = getattr(import_module(f"modlearn.{_PLACES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])

"""Bayes-optimal partitions of table columns: which variables tell about a target, and why."""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

# Where each public name is: nothing is imported before it is asked for, so that the command line
# answers at once. `__init__.pyi` says the same to type checkers.
_MODULES = {
    "BestBivariateClassifier": "_estimators.best_variable",
    "BestUnivariateClassifier": "_estimators.best_variable",
    "Discretizer": "_estimators.discretization",
    "Encoder": "_estimators.encoding",
    "Grouper": "_estimators.grouping",
    "LabelDistributionPropagation": "_estimators.propagation",
    "NaiveBayesClassifier": "_estimators.naive_bayes",
    "PairEncoder": "_estimators.pairs",
    "SelectiveNaiveBayesClassifier": "_estimators.naive_bayes",
    "analyze": "_jobs.fit",
    "fit": "_jobs.fit",
    "load": "_estimators.saving",
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
    if name not in _MODULES:
        raise AttributeError(f"module 'modlearn' has no attribute {name!r}")
    value = getattr(import_module(f"modlearn.{_MODULES[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])

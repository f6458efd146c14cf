"""Bayes-optimal partitions of table columns: which are informative about a target, and why."""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

# Where each public name is defined. Nothing is imported before it is used, so that the command
# line starts at once. `__init__.pyi` declares the same names for type checkers.
_MODULES = {
    "AdditiveClassifier": "_estimators.additive",
    "AdditiveModel": "_model.additive",
    "BestBivariateClassifier": "_estimators.best_variable",
    "BestUnivariateClassifier": "_estimators.best_variable",
    "DataWarning": "_model.evaluation",
    "Discretizer": "_estimators.discretization",
    "Encoder": "_estimators.encoding",
    "Evaluation": "_model.evaluation",
    "Explanation": "_model.additive",
    "FitResult": "_jobs.result",
    "Grid": "_model.grid",
    "Grouper": "_estimators.grouping",
    "Groups": "_model.partitions",
    "Intervals": "_model.partitions",
    "LabelDistributionPropagation": "_estimators.propagation",
    "NaiveBayesClassifier": "_estimators.naive_bayes",
    "PairEncoder": "_estimators.pairs",
    "SelectiveNaiveBayesClassifier": "_estimators.naive_bayes",
    "TableOverview": "_jobs.overview",
    "Term": "_model.additive",
    "Tree": "_model.tree",
    "UnlabeledRows": "_jobs.unlabeled",
    "analyze": "_jobs.analyze",
    "fit": "_jobs.fit",
    "load": "_jobs.result",
}

__all__ = [
    "AdditiveClassifier",
    "AdditiveModel",
    "BestBivariateClassifier",
    "BestUnivariateClassifier",
    "DataWarning",
    "Discretizer",
    "Encoder",
    "Evaluation",
    "Explanation",
    "FitResult",
    "Grid",
    "Grouper",
    "Groups",
    "Intervals",
    "LabelDistributionPropagation",
    "NaiveBayesClassifier",
    "PairEncoder",
    "SelectiveNaiveBayesClassifier",
    "TableOverview",
    "Term",
    "Tree",
    "UnlabeledRows",
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

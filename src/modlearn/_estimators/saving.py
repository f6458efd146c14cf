"""Fitted classifiers read from JSON files."""

from __future__ import annotations

from collections.abc import Hashable
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np

from modlearn._estimators.best_variable import BestBivariateClassifier, BestUnivariateClassifier
from modlearn._estimators.classifier import PairClassifier, PartitionClassifier, show_model
from modlearn._estimators.naive_bayes import NaiveBayesClassifier, SelectiveNaiveBayesClassifier
from modlearn._fit.pairs import Pair
from modlearn._model.forms import At, Text
from modlearn._model.model_file import ModelFile, read_model_file
from modlearn.errors import ModelError

__all__ = ["load"]

CLASSIFIERS: dict[str, type[PartitionClassifier]] = {
    kind.__name__: kind
    for kind in (
        BestBivariateClassifier,
        BestUnivariateClassifier,
        NaiveBayesClassifier,
        SelectiveNaiveBayesClassifier,
    )
}


def load(path: str | PathLike[str]) -> PartitionClassifier:
    """Read a classifier from the file that its ``save`` has written.

    Parameters
    ----------
    path : path
        The file.

    Returns
    -------
    BestUnivariateClassifier, BestBivariateClassifier, NaiveBayesClassifier or \
SelectiveNaiveBayesClassifier
        Fitted; it makes the same predictions as the one saved, to the last bit.

    Examples
    --------
    >>> import modlearn, os, tempfile
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> path = os.path.join(tempfile.mkdtemp(), "iris.modlearn.json")
    >>> bayes = modlearn.SelectiveNaiveBayesClassifier().fit(X, y)
    >>> bayes.save(path)
    >>> bool((modlearn.load(path).predict_proba(X) == bayes.predict_proba(X)).all())
    True
    """
    path = Path(path)
    try:
        return _classifier(read_model_file(path))
    except ModelError as error:
        raise ModelError(f"The file {str(path)!r} cannot be used as a model. {error}") from None


def _classifier(file: ModelFile) -> PartitionClassifier:
    """Return the fitted classifier of a file."""
    kind = CLASSIFIERS[Text(tuple(CLASSIFIERS)).read(file.classifier, At(("classifier",)))]
    model, names = file.model, file.model.schema.names
    if model.grids and not issubclass(kind, PairClassifier):
        raise At(("model", "terms")).refuse("without pairs, although the classifier uses none")
    classifier = kind(**_read_parameters(file.parameters, kind, names))
    classifier.n_features_in_ = len(names)
    if file.named_columns:
        classifier.feature_names_in_ = np.array(names, dtype=object)
    show_model(classifier, model, file.pairs_complete, file.read_diagnostics())
    return classifier


def _read_parameters(
    parameters: Any, kind: type[PartitionClassifier], names: tuple[Hashable, ...]
) -> dict[str, Any]:
    """Return parameters of the classifier, which must be ones that fit accepts."""
    at = At(("parameters",))
    if not isinstance(parameters, dict) or not set(parameters) <= set(kind._get_param_names()):
        raise at.refuse(f"parameters of {kind.__name__}")
    if isinstance(parameters.get("pairs"), list | dict):
        parameters = parameters | {"pairs": _read_pairs(parameters["pairs"], set(names))}
    try:
        kind(**parameters)._validate_params()
    except (ValueError, TypeError):
        raise at.refuse(f"parameters of {kind.__name__}") from None
    return dict(parameters)


def _read_pairs(pairs: Any, known: set[Hashable]) -> list[Pair]:
    """Return the pairs of names that fit was asked for."""
    if not isinstance(pairs, list) or not all(
        isinstance(pair, list)
        and len(pair) == 2
        and all(type(name) in (str, int) and name in known for name in pair)
        and pair[0] != pair[1]
        for pair in pairs
    ):
        raise At(("parameters", "pairs")).refuse("a list of pairs of two different columns")
    return [(first, second) for first, second in pairs]

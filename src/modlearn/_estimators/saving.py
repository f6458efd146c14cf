"""Fitted classifiers in files of JSON."""

from __future__ import annotations

import json
from collections.abc import Hashable
from math import isfinite
from os import PathLike
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from modlearn._estimators.best_variable import BestBivariateClassifier, BestUnivariateClassifier
from modlearn._estimators.classifier import PairClassifier, PartitionClassifier
from modlearn._estimators.naive_bayes import NaiveBayesClassifier, SelectiveNaiveBayesClassifier
from modlearn._fit.pairs import Pair
from modlearn._model.files import write_whole
from modlearn._model.grid import Grid
from modlearn._model.record import (
    Fields,
    classes_record,
    grid_record,
    partition_record,
    read_classes,
    read_grid,
    read_partition,
)
from modlearn.schema import class_names
from modlearn.errors import ModelError

__all__ = ["load", "save_classifier"]

FORMAT = "modlearn model"
VERSION = 1

CLASSIFIERS: dict[str, type[PartitionClassifier]] = {
    kind.__name__: kind
    for kind in (
        BestBivariateClassifier,
        BestUnivariateClassifier,
        NaiveBayesClassifier,
        SelectiveNaiveBayesClassifier,
    )
}


def save_classifier(classifier: PartitionClassifier, path: str | PathLike[str]) -> None:
    """Write a fitted classifier."""
    record = {
        "format": FORMAT,
        "version": VERSION,
        "classifier": type(classifier).__name__,
        "parameters": _parameters(classifier),
        "named_columns": hasattr(classifier, "feature_names_in_"),
        "classes": classes_record(classifier.classes_),
        "class_prior": classifier.class_prior_.tolist(),
        "columns": [partition_record(p) for p in classifier.partitions_.values()],
        "pairs": [grid_record(grid) for grid in getattr(classifier, "grids_", {}).values()],
        "weights": [
            [list(name) if isinstance(name, tuple) else name, weight]
            for name, weight in classifier.weights_.items()
        ],
    }
    if isinstance(classifier, PairClassifier):
        record["pairs_complete"] = classifier.complete_
    if classifier._diagnostics is not None:
        record |= classifier._diagnostics.to_dict()
    write_whole(Path(path), json.dumps(record, allow_nan=False, ensure_ascii=False, indent=1))


def _parameters(classifier: PartitionClassifier) -> dict[str, Any]:
    """Parameters that a file can hold; a generator or a function is left at its default."""
    given = {name: _plain(value) for name, value in classifier.get_params().items()}
    return {
        name: value
        for name, value in given.items()
        if value is None
        or isinstance(value, str | int | list)
        or (isinstance(value, float) and isfinite(value))
    }


def _plain(value: Any) -> Any:
    """A parameter as JSON has it: what NumPy holds as Python does, and pairs of names as lists."""
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    return [list(pair) for pair in value] if isinstance(value, list | tuple) else value


def load(path: str | PathLike[str]) -> PartitionClassifier:
    """Read a classifier that was written with its ``save``.

    Parameters
    ----------
    path : path
        The file.

    Returns
    -------
    BestUnivariateClassifier, BestBivariateClassifier, NaiveBayesClassifier or \
SelectiveNaiveBayesClassifier
        Fitted; it predicts what the one written did, to the last bit.

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
        return _classifier(_content(path))
    except ModelError as error:
        raise ModelError(f"The file {str(path)!r} cannot be used as a model. {error}") from None


def _content(path: Path) -> Fields:
    """The record in a file, of a version that can be read."""
    try:
        text = path.read_text(encoding="utf-8")
        fields = Fields(json.loads(text, parse_constant=_refuse_constant), "The file")
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        if isinstance(error, ModelError):
            raise
        raise ModelError("It is damaged, or no JSON: write the model again.") from None
    if fields.record.get("format") != FORMAT:
        raise ModelError("It is JSON, but no model: give a file that save has written.")
    if fields.record.get("version") != VERSION:
        raise ModelError(
            f"Its version is {fields.record.get('version')!r}, and this modlearn reads version "
            f"{VERSION}: install a newer modlearn, or write the model again."
        )
    return fields


def _refuse_constant(name: str) -> None:
    raise ModelError(f"It holds the number {name}, which no model has: write the model again.")


def _classifier(fields: Fields) -> PartitionClassifier:
    """A fitted classifier from its record."""
    kind = CLASSIFIERS[fields.text("classifier", tuple(CLASSIFIERS))]
    classes = read_classes(fields.any("classes"), "classes")
    prior = fields.floats("class_prior")
    if len(prior) != len(classes) or not (prior > 0).all() or not np.isclose(prior.sum(), 1.0):
        raise fields.refuse("class_prior", f"{len(classes)} shares")
    partitions = fields.items("columns", lambda record, at: read_partition(record, classes, at))
    names = [partition.name for partition in partitions]
    if not names or len(set(names)) != len(names):
        raise fields.refuse("columns", "a list of columns with different names")
    grids = {
        grid.names: grid
        for grid in fields.items("pairs", lambda record, at: read_grid(record, classes, at))
    }
    _check_grids(fields, grids, set(names), issubclass(kind, PairClassifier))
    classifier = kind(**_read_parameters(fields, kind, names))
    _name_columns(classifier, names, fields)
    variables = classifier._variables(partitions, grids)
    weights = _read_weights(fields, [variable.name for variable in variables])
    if isinstance(classifier, PairClassifier):
        classifier.complete_ = fields.flag("pairs_complete")
    classifier._remember(classes, prior, partitions, grids, weights)
    if "data" in fields.record:
        from modlearn._model.evaluation_record import read_diagnostics

        classifier._diagnostics = read_diagnostics(fields, class_names(classes))
    return classifier


def _check_grids(
    fields: Fields, grids: dict[Pair, Grid], names: set[Hashable], allowed: bool
) -> None:
    """Pairs are of two different columns of the model."""
    if grids and not allowed:
        raise fields.refuse("pairs", "empty, though the classifier takes none")
    if len(grids) != len(fields.record["pairs"]) or any(
        first == second or not {first, second} <= names for first, second in grids
    ):
        raise fields.refuse("pairs", "a list of different pairs of its columns")


def _read_parameters(
    fields: Fields, kind: type[PartitionClassifier], names: list[Hashable]
) -> dict[str, Any]:
    """Parameters of the classifier, which must be ones that fit takes."""
    parameters = fields.any("parameters")
    known = kind._get_param_names()
    if not isinstance(parameters, dict) or not set(parameters) <= set(known):
        raise fields.refuse("parameters", f"parameters of {kind.__name__}")
    if isinstance(parameters.get("pairs"), list | dict):
        parameters = parameters | {"pairs": _read_pairs(fields, parameters["pairs"], names)}
    try:
        kind(**parameters)._validate_params()
    except (ValueError, TypeError):
        raise fields.refuse("parameters", f"parameters of {kind.__name__}") from None
    return parameters


def _read_pairs(fields: Fields, pairs: Any, names: list[Hashable]) -> list[Pair]:
    """Pairs of names that fit was asked for."""
    known = set(names)
    if not isinstance(pairs, list) or not all(
        isinstance(pair, list)
        and len(pair) == 2
        and all(type(name) in (str, int) and name in known for name in pair)
        and pair[0] != pair[1]
        for pair in pairs
    ):
        raise fields.refuse("parameters", "with pairs of two different columns")
    return [(first, second) for first, second in pairs]


def _name_columns(classifier: PartitionClassifier, names: list[Hashable], fields: Fields) -> None:
    """Set what scikit-learn knows of the columns."""
    classifier.n_features_in_ = len(names)
    if fields.flag("named_columns"):
        if not all(isinstance(name, str) for name in names):
            raise fields.refuse("named_columns", "false, though a name is no text")
        classifier.feature_names_in_ = np.array(names, dtype=object)


def _read_weights(fields: Fields, names: list[Hashable]) -> NDArray[np.float64]:
    """Weight of each variable, in the order of the names."""
    found: dict[Hashable, float] = {}
    for entry in fields.items("weights", lambda entry, _: entry):
        if not isinstance(entry, list) or len(entry) != 2:
            raise fields.refuse("weights", "a list of names and weights")
        name, weight = entry
        key = tuple(name) if isinstance(name, list) else name
        if type(weight) not in (int, float) or not 0 <= weight <= 1 or isinstance(name, dict):
            raise fields.refuse("weights", "a list of names and weights from 0 to 1")
        try:
            found[key] = float(weight)
        except TypeError:
            raise fields.refuse("weights", "a list of names and weights") from None
    if set(found) != set(names) or len(found) != len(fields.record["weights"]):
        raise fields.refuse("weights", "a weight for each informative column and pair")
    return np.array([found[name] for name in names], dtype=np.float64)

"""Reading fitted classifiers from JSON files, whose every field is checked."""

from __future__ import annotations

import json
from collections.abc import Hashable
from os import PathLike
from pathlib import Path
from typing import Any

from modlearn._estimators.best_variable import BestBivariateClassifier, BestUnivariateClassifier
from modlearn._estimators.classifier import PartitionClassifier, name_columns, show_model
from modlearn._estimators.naive_bayes import NaiveBayesClassifier, SelectiveNaiveBayesClassifier
from modlearn._estimators.saving import FORMAT, VERSION, ModelFile
from modlearn._fit.pairs import Pair
from modlearn._model.evaluation import Diagnostics
from modlearn._model.forms import At
from modlearn.errors import ModelError

__all__ = ["load"]

KINDS: dict[str, type[PartitionClassifier]] = {
    kind.__name__: kind
    for kind in (
        BestBivariateClassifier,
        BestUnivariateClassifier,
        NaiveBayesClassifier,
        SelectiveNaiveBayesClassifier,
    )
}


def load(path: str | PathLike[str]) -> PartitionClassifier:
    """Read a classifier from a file that its ``save`` wrote.

    Parameters
    ----------
    path : path
        The file to read.

    Returns
    -------
    BestUnivariateClassifier, BestBivariateClassifier, NaiveBayesClassifier or \
SelectiveNaiveBayesClassifier
        A fitted classifier, whose predictions equal those of the saved one to the last bit.

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
        return _read(ModelFile.from_dict(_content(path), At()))
    except ModelError as error:
        raise ModelError(f"The file {str(path)!r} cannot be used as a model. {error}") from None


def _content(path: Path) -> dict[str, Any]:
    """Return the record in a file, after checking its format and version."""
    try:
        text = path.read_text(encoding="utf-8")
        record: Any = json.loads(text, parse_constant=_refuse_constant)
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        if isinstance(error, ModelError):
            raise
        raise ModelError("It is damaged or not JSON: save the model again.") from None
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise ModelError("It is JSON but not a model: pass a file that save wrote.")
    if record.get("version") != VERSION:
        raise ModelError(
            f"It has format version {record.get('version')!r}, and this modlearn reads version "
            f"{VERSION}: {_remedy(record.get('version'))}."
        )
    return record


def _remedy(version: Any) -> str:
    """Return what to do about a file with another version."""
    newer = isinstance(version, int | float) and version > VERSION
    return "install a newer modlearn" if newer else "fit the model again and save it"


def _refuse_constant(name: str) -> None:
    raise ModelError(f"It holds the number {name}, which no model has: save the model again.")


def _read(file: ModelFile) -> PartitionClassifier:
    """Return the fitted classifier of a file."""
    kind, model = KINDS[file.classifier], file.model
    names = model.schema.names
    classifier = kind(**_read_parameters(file.parameters, kind, names))
    name_columns(classifier, names, file.named_columns)
    at = At(("diagnostics",), model.classes)
    found = None if file.diagnostics is None else Diagnostics.from_dict(file.diagnostics, at)
    show_model(classifier, model, file.pairs_complete, found)
    return classifier


def _read_parameters(
    parameters: Any, kind: type[PartitionClassifier], names: tuple[Hashable, ...]
) -> dict[str, Any]:
    """Return the parameters of the classifier, which must be valid for ``fit``."""
    at = At(("parameters",))
    if not isinstance(parameters, dict) or not set(parameters) <= set(kind._get_param_names()):
        raise at.refuse(f"parameters of {kind.__name__}")
    if isinstance(parameters.get("pairs"), list | dict):
        parameters = parameters | {"pairs": _read_pairs(parameters["pairs"], set(names))}
    try:
        json.dumps(parameters, ensure_ascii=False).encode()
        kind(**parameters)._validate_params()
    except (ValueError, TypeError):
        raise at.refuse(f"parameters of {kind.__name__}") from None
    return dict(parameters)


def _read_pairs(pairs: Any, known: set[Hashable]) -> list[Pair]:
    """Return the pairs of names that were requested in ``fit``."""
    if not isinstance(pairs, list) or not all(
        isinstance(pair, list)
        and len(pair) == 2
        and all(type(name) in (str, int) and name in known for name in pair)
        and pair[0] != pair[1]
        for pair in pairs
    ):
        raise At(("parameters", "pairs")).refuse("a list of pairs of two different columns")
    return [(first, second) for first, second in pairs]

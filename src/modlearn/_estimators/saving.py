"""Fitted classifiers in JSON files."""

from __future__ import annotations

import json
from collections.abc import Hashable
from dataclasses import dataclass
from math import isfinite
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, Self

import numpy as np

from modlearn._estimators.best_variable import BestBivariateClassifier, BestUnivariateClassifier
from modlearn._estimators.classifier import PairClassifier, PartitionClassifier, show_model
from modlearn._estimators.naive_bayes import NaiveBayesClassifier, SelectiveNaiveBayesClassifier
from modlearn._fit.pairs import Pair
from modlearn._model.additive import AdditiveModel
from modlearn._model.evaluation import Diagnostics
from modlearn._model.files import write_whole
from modlearn._model.forms import At, Form, Text
from modlearn._model.record import Fault, Recorded
from modlearn.errors import ModelError

__all__ = ["load", "save_classifier"]

FORMAT = "modlearn model"
VERSION = 2

CLASSIFIERS: dict[str, type[PartitionClassifier]] = {
    kind.__name__: kind
    for kind in (
        BestBivariateClassifier,
        BestUnivariateClassifier,
        NaiveBayesClassifier,
        SelectiveNaiveBayesClassifier,
    )
}


class _Model(Form):
    """The additive model."""

    def write(self, value: AdditiveModel) -> dict[str, Any]:
        return value.to_dict()

    def read(self, value: Any, at: At) -> AdditiveModel:
        return AdditiveModel.from_dict(value, at)


class _Anything(Form):
    """Values that are checked when the whole file is read."""

    def read(self, value: Any, at: At) -> Any:
        return value


@dataclass(frozen=True)
class ModelFile(Recorded):
    """What a model file holds.

    Parameters
    ----------
    format, version : str and int
        What the file is; another version is refused.
    classifier : str
        Name of the estimator.
    parameters : dict
        Its parameters.
    named_columns : bool
        Whether the training data had names of columns.
    pairs_complete : bool
        Whether all requested pairs were searched.
    model : AdditiveModel
        What it predicts with.
    diagnostics : dict or None
        What a job knows besides the model.
    """

    format: str
    version: int
    classifier: Annotated[str, Text(tuple(CLASSIFIERS))]
    parameters: Annotated[Any, _Anything()]
    named_columns: bool
    pairs_complete: bool
    model: Annotated[AdditiveModel, _Model()]
    diagnostics: Annotated[Any, _Anything()]

    @classmethod
    def of(cls, classifier: PartitionClassifier) -> Self:
        """Return what a file of a fitted classifier holds."""
        diagnostics = classifier.diagnostics_
        return cls(
            format=FORMAT,
            version=VERSION,
            classifier=type(classifier).__name__,
            parameters=_parameters(classifier),
            named_columns=hasattr(classifier, "feature_names_in_"),
            pairs_complete=getattr(classifier, "complete_", True),
            model=classifier.model_,
            diagnostics=None if diagnostics is None else diagnostics.to_dict(),
        )

    def fault(self, at: At) -> Fault | None:
        """Say which field of a record contradicts the others."""
        if self.model.grids and not issubclass(CLASSIFIERS[self.classifier], PairClassifier):
            return ("model", "terms"), "without pairs, although the classifier uses none"
        if self.named_columns and not all(isinstance(n, str) for n in self.model.schema.names):
            return ("named_columns",), "false, although a name is not text"
        return None


def save_classifier(classifier: PartitionClassifier, path: str | PathLike[str]) -> None:
    """Write a fitted classifier."""
    record = ModelFile.of(classifier).to_dict()
    write_whole(Path(path), json.dumps(record, allow_nan=False, ensure_ascii=False, indent=1))


def _parameters(classifier: PartitionClassifier) -> dict[str, Any]:
    """Parameters that a file can hold; a generator or a function is left out."""
    given = {name: _plain(value) for name, value in classifier.get_params().items()}
    return {
        name: value
        for name, value in given.items()
        if value is None
        or isinstance(value, str | int | list)
        or (isinstance(value, float) and isfinite(value))
    }


def _plain(value: Any) -> Any:
    """A parameter in JSON types: NumPy values as Python ones, and pairs of names as lists."""
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    return [list(pair) for pair in value] if isinstance(value, list | tuple) else value


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
        return _read(ModelFile.from_dict(_content(path), At()))
    except ModelError as error:
        raise ModelError(f"The file {str(path)!r} cannot be used as a model. {error}") from None


def _content(path: Path) -> dict[str, Any]:
    """Return the record in a file, of a version that can be read."""
    try:
        text = path.read_text(encoding="utf-8")
        record: Any = json.loads(text, parse_constant=_refuse_constant)
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        if isinstance(error, ModelError):
            raise
        raise ModelError("It is damaged or not JSON: save the model again.") from None
    if not isinstance(record, dict) or record.get("format") != FORMAT:
        raise ModelError("It is JSON but not a model: pass a file that save has written.")
    if record.get("version") != VERSION:
        raise ModelError(
            f"It has format version {record.get('version')!r}, and this modlearn reads version "
            f"{VERSION}: {_remedy(record.get('version'))}."
        )
    return record


def _remedy(version: Any) -> str:
    """Return what to do about a file of another version."""
    newer = isinstance(version, int | float) and version > VERSION
    return "install a newer modlearn" if newer else "fit the model again and save it"


def _refuse_constant(name: str) -> None:
    raise ModelError(f"It holds the number {name}, which no model has: save the model again.")


def _read(file: ModelFile) -> PartitionClassifier:
    """Return the fitted classifier of a file."""
    kind, model = CLASSIFIERS[file.classifier], file.model
    names = model.schema.names
    classifier = kind(**_read_parameters(file.parameters, kind, names))
    classifier.n_features_in_ = len(names)
    if file.named_columns:
        classifier.feature_names_in_ = np.array(names, dtype=object)
    at = At(("diagnostics",), model.classes)
    found = None if file.diagnostics is None else Diagnostics.from_dict(file.diagnostics, at)
    show_model(classifier, model, file.pairs_complete, found)
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

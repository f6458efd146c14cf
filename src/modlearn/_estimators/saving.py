"""A fitted classifier as a JSON file: what it holds, and how it is written."""

from __future__ import annotations

import json
from dataclasses import dataclass
from math import isfinite
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, Self

import numpy as np

from modlearn._model.additive import AdditiveModel
from modlearn._model.files import write_whole
from modlearn._model.forms import At, Form, Text
from modlearn._model.record import Fault, Recorded

__all__ = ["CLASSIFIERS", "FORMAT", "VERSION", "ModelFile", "save_classifier"]

FORMAT = "modlearn model"
VERSION = 2

CLASSIFIERS = (
    "BestBivariateClassifier",
    "BestUnivariateClassifier",
    "NaiveBayesClassifier",
    "SelectiveNaiveBayesClassifier",
)
"""Names of the estimators that a file may hold."""

WITHOUT_PAIRS = "BestUnivariateClassifier"


class _Model(Form):
    """The additive model."""

    def write(self, value: AdditiveModel) -> dict[str, Any]:
        return value.to_dict()

    def read(self, value: Any, at: At) -> AdditiveModel:
        return AdditiveModel.from_dict(value, at)


class _Anything(Form):
    """Values that are checked later, when the whole file has been read."""

    def read(self, value: Any, at: At) -> Any:
        return value


@dataclass(frozen=True)
class ModelFile(Recorded):
    """What a model file holds.

    Parameters
    ----------
    format, version : str and int
        Format and version of the file; another version is refused.
    classifier : str
        Name of the estimator.
    parameters : dict
        The parameters of the estimator.
    named_columns : bool
        Whether the training data had column names.
    pairs_complete : bool
        Whether all requested pairs were searched.
    model : AdditiveModel
        The model it predicts with.
    diagnostics : dict or None
        What a job found besides the model.
    """

    format: str
    version: int
    classifier: Annotated[str, Text(CLASSIFIERS)]
    parameters: Annotated[Any, _Anything()]
    named_columns: bool
    pairs_complete: bool
    model: Annotated[AdditiveModel, _Model()]
    diagnostics: Annotated[Any, _Anything()]

    @classmethod
    def of(cls, classifier: Any) -> Self:
        """Return the contents of the file of a fitted classifier."""
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
        if self.model.grids and self.classifier == WITHOUT_PAIRS:
            return ("model", "terms"), "without pairs, although the classifier uses none"
        if self.named_columns and not all(isinstance(n, str) for n in self.model.schema.names):
            return ("named_columns",), "false, although a name is not text"
        return None


def save_classifier(classifier: Any, path: str | PathLike[str]) -> None:
    """Write a fitted classifier to a file."""
    record = ModelFile.of(classifier).to_dict()
    write_whole(Path(path), json.dumps(record, allow_nan=False, ensure_ascii=False, indent=1))


def _parameters(classifier: Any) -> dict[str, Any]:
    """Parameters that a file can hold; a generator or a function is left out."""
    plain = {name: _plain(value) for name, value in classifier.get_params().items()}
    return {
        name: value
        for name, value in plain.items()
        if value is None
        or isinstance(value, str | int | list)
        or (isinstance(value, float) and isfinite(value))
    }


def _plain(value: Any) -> Any:
    """A parameter in JSON types: NumPy values as Python ones, and pairs of names as lists."""
    if isinstance(value, np.generic | np.ndarray):
        value = value.tolist()
    return [list(pair) for pair in value] if isinstance(value, list | tuple) else value

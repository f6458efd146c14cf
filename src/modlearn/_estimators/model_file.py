"""What a model file holds, and how it is written."""

from __future__ import annotations

import json
from dataclasses import dataclass
from math import isfinite
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, Self

import numpy as np
from sklearn.base import BaseEstimator

from modlearn._estimators.transformer_parts import TransformerParts
from modlearn._files import MODEL_FORMAT, write_whole
from modlearn._model.additive import AdditiveModel
from modlearn._model.evaluation import Diagnostics
from modlearn._model.forms import Form, RecordPosition, Text
from modlearn._model.record import Fault, Record

__all__ = ["VERSION", "ModelFile"]

VERSION = 5

CLASSIFIERS = (
    "AdditiveClassifier",
    "BestBivariateClassifier",
    "BestUnivariateClassifier",
    "NaiveBayesClassifier",
    "SelectiveNaiveBayesClassifier",
)
TRANSFORMERS = ("Discretizer", "Encoder", "Grouper", "PairEncoder")
ESTIMATORS = (*CLASSIFIERS, *TRANSFORMERS)
"""Names of the estimators that a file may hold."""

WITHOUT_PAIRS = ("BestUnivariateClassifier", "Discretizer", "Encoder", "Grouper")


class _Anything(Form):
    """Values that are checked later, when the whole file has been read."""

    def read(self, value: Any, at: RecordPosition) -> Any:
        return value


@dataclass(frozen=True)
class ModelFile(Record):
    """What a model file holds.

    Parameters
    ----------
    format, version : str and int
        Format and version of the file; another version is refused.
    estimator : str
        Name of the estimator.
    parameters : dict
        The parameters of the estimator.
    named_columns : bool
        Whether the training data had column names.
    pairs_complete : bool
        Whether all requested pairs were searched.
    model : AdditiveModel or None
        What a classifier predicts with.
    parts : TransformerParts or None
        What a transformer transforms with.
    diagnostics : Diagnostics or None
        What a job found besides the model.
    """

    format: str
    version: int
    estimator: Annotated[str, Text(ESTIMATORS)]
    parameters: Annotated[Any, _Anything()]
    named_columns: bool
    pairs_complete: bool
    model: AdditiveModel | None
    parts: TransformerParts | None
    diagnostics: Diagnostics | None

    @classmethod
    def of(
        cls,
        estimator: BaseEstimator,
        learned: AdditiveModel | TransformerParts,
        named: bool,
        complete: bool,
        diagnostics: Diagnostics | None = None,
    ) -> Self:
        """Return the contents of the file of an estimator, and of what it or a job learned."""
        return cls(
            format=MODEL_FORMAT,
            version=VERSION,
            estimator=type(estimator).__name__,
            parameters=_parameters(estimator),
            named_columns=named,
            pairs_complete=complete,
            model=learned if isinstance(learned, AdditiveModel) else None,
            parts=learned if isinstance(learned, TransformerParts) else None,
            diagnostics=diagnostics,
        )

    def write(self, path: str | PathLike[str]) -> None:
        """Write the file, whole or not at all."""
        text = json.dumps(self.to_dict(), allow_nan=False, ensure_ascii=False, indent=1)
        write_whole(Path(path), text)

    @property
    def learned(self) -> AdditiveModel | TransformerParts:
        """What the estimator learned."""
        learned = self.model or self.parts
        assert learned is not None
        return learned

    def fault(self, at: RecordPosition) -> Fault | None:
        """Say which field of a record contradicts the others."""
        holds, lacks = ("model", "parts") if self.estimator in CLASSIFIERS else ("parts", "model")
        if getattr(self, holds) is None:
            return (holds,), f"an object, although the estimator is {self.estimator}"
        if getattr(self, lacks) is not None:
            return (lacks,), f"null, although the estimator is {self.estimator}"
        if self.parts is not None and self.diagnostics is not None:
            return ("diagnostics",), f"null, although the estimator is {self.estimator}"
        if self.learned.grids and self.estimator in WITHOUT_PAIRS:
            fields = ("model", "terms") if self.model else ("parts", "grids")
            return fields, "without pairs, although the estimator uses none"
        if self.named_columns and not all(isinstance(n, str) for n in self.learned.columns):
            return ("named_columns",), "false, although a name is not text"
        return None


def _parameters(estimator: BaseEstimator) -> dict[str, Any]:
    """Parameters that a file can hold; a generator or a function is left out."""
    plain = {name: _plain(value) for name, value in estimator.get_params().items()}
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

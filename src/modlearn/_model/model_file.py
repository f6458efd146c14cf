"""The model file: an additive model, the estimator that shows it, and what a job knows about it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from modlearn._model.additive import AdditiveModel
from modlearn._model.evaluation import Diagnostics
from modlearn._model.files import write_whole
from modlearn._model.forms import At, Form
from modlearn._model.record import Fault, Recorded
from modlearn.errors import ModelError

__all__ = ["ModelFile", "plain_parameters", "read_model_file", "write_model_file"]

FORMAT = "modlearn model"
VERSION = 2


class _Model(Form):
    """The additive model."""

    def write(self, value: AdditiveModel) -> dict[str, Any]:
        return value.to_dict()

    def read(self, value: Any, at: At) -> AdditiveModel:
        return AdditiveModel.from_dict(value, at)


class _Later(Form):
    """A value that can be checked only once the rest of the file is known."""

    def read(self, value: Any, at: At) -> Any:
        return value


@dataclass(frozen=True, kw_only=True)
class ModelFile(Recorded):
    """What a model file holds.

    Parameters
    ----------
    classifier : str
        Name of the estimator.
    parameters : dict
        Its parameters, in JSON types.
    named_columns : bool
        Whether the training data had column names.
    pairs_complete : bool
        Whether all requested pairs were searched.
    model : AdditiveModel
        What it predicts with.
    diagnostics : dict or None
        What a job knows besides the model, as a record.
    format : str
        What the file is.
    version : int
        Version of the format.
    """

    format: str = FORMAT
    version: int = VERSION
    classifier: str
    parameters: Annotated[Any, _Later()]
    named_columns: bool
    pairs_complete: bool
    model: Annotated[AdditiveModel, _Model()]
    diagnostics: Annotated[Any, _Later()]

    def read_diagnostics(self) -> Diagnostics | None:
        """Return the diagnostics, which refer to the classes of the model."""
        if self.diagnostics is None:
            return None
        return Diagnostics.from_dict(self.diagnostics, At(("diagnostics",), self.model.classes))

    def fault(self, at: At) -> Fault | None:
        """Say which field of a record contradicts the others."""
        if self.named_columns and not all(isinstance(n, str) for n in self.model.schema.names):
            return ("named_columns",), "false, although a name is not text"
        return None


def write_model_file(file: ModelFile, path: Path) -> None:
    """Write a model file; if that fails, an old one stays as it was."""
    write_whole(path, json.dumps(file.to_dict(), allow_nan=False, ensure_ascii=False, indent=1))


def plain_parameters(parameters: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parameters that a file can hold; a generator or a function is left out."""
    given = {name: _plain(value) for name, value in parameters.items()}
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


def read_model_file(path: Path) -> ModelFile:
    """Read a model file. Nothing in it is trusted."""
    return ModelFile.from_dict(_content(path), At())


def _content(path: Path) -> dict[str, Any]:
    """Return the record in a file, if it has a version that can be read."""
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

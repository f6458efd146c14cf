"""Fitted estimators as JSON files: what a file holds, how it is written, and how it is read."""

from __future__ import annotations

import json
from collections.abc import Hashable
from dataclasses import dataclass
from importlib import import_module
from math import isfinite
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from modlearn._files import MODEL_FORMAT, MODEL_MARK, write_whole
from modlearn._model.additive import AdditiveModel
from modlearn._model.evaluation import Diagnostics
from modlearn._model.forms import At, Classes, Form, Items, Text
from modlearn._model.grid import PARTITION, Grid
from modlearn._model.partitions import Partition
from modlearn._model.record import Fault, Recorded
from modlearn.errors import ModelError

__all__ = [
    "ESTIMATORS",
    "ModelFile",
    "SavedEstimator",
    "TransformerParts",
    "read_model_file",
    "show_fitted",
]

VERSION = 4

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


class SavedEstimator(BaseEstimator):
    """Base of the estimators that can be saved: all they learn is one object."""

    _takes_text = True

    def save(self, path: str | PathLike[str]) -> None:
        """Write the fitted estimator to a JSON file, which ``modlearn.load`` reads.

        The file holds data, never code, and what is loaded predicts or transforms the same to the
        last bit. If writing fails, an existing file is left unchanged.

        Parameters
        ----------
        path : path
            The file to write, such as ``"wine.modlearn.json"``.

        Returns
        -------
        None
        """
        check_is_fitted(self)
        ModelFile.of(self).write(path)

    def _learned(self) -> AdditiveModel | TransformerParts:
        """What was learned, from which all fitted attributes follow."""
        raise NotImplementedError

    def _show(self, learned: Any, complete: bool) -> None:
        """Set all fitted attributes; `complete` = all requested pairs were searched."""
        raise NotImplementedError

    def _forget(self) -> None:
        """Remove the fitted attributes, so that a fit that fails leaves no mixture behind."""
        for name in [name for name in vars(self) if name.endswith("_")]:
            delattr(self, name)

    def __sklearn_is_fitted__(self) -> bool:
        # Column names alone are not enough: a fit that failed has set them, too.
        return hasattr(self, "classes_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = tags.input_tags.categorical = self._takes_text
        return tags


def show_fitted(
    estimator: SavedEstimator,
    learned: AdditiveModel | TransformerParts,
    complete: bool,
    named: bool,
) -> None:
    """Make an estimator a view of what was learned elsewhere: by a job, or before it was saved.

    Parameters
    ----------
    estimator : SavedEstimator
        The estimator to set; it is fitted afterwards.
    learned : AdditiveModel or TransformerParts
        What it predicts or transforms with.
    complete : bool
        Whether all requested pairs were searched.
    named : bool
        Whether the training data had column names.
    """
    estimator._show(learned, complete)
    names = _columns(learned)
    estimator.n_features_in_ = len(names)
    if named and all(isinstance(name, str) for name in names):
        estimator.feature_names_in_ = np.array(names, dtype=object)


@dataclass(frozen=True, eq=False)
class TransformerParts(Recorded):
    """What a transformer learns.

    Parameters
    ----------
    classes : ndarray of shape (J,)
        The classes of the target.
    partitions : tuple of Partition
        The partition of every column, in the order of the table.
    grids : tuple of Grid
        The grid of every pair that was searched.
    """

    classes: Annotated[NDArray[Any], Classes()]
    partitions: Annotated[tuple[Partition, ...], Items(PARTITION)]
    grids: tuple[Grid, ...] = ()

    def fault(self, at: At) -> Fault | None:
        """Say which field of a record contradicts the others."""
        names = {partition.name for partition in self.partitions}
        if not names or len(names) != len(self.partitions):
            return ("partitions",), "a list of partitions of different columns"
        pairs = {grid.names for grid in self.grids}
        if len(pairs) != len(self.grids) or any(
            first == second or not {first, second} <= names for first, second in pairs
        ):
            return ("grids",), "a list of different pairs of its columns"
        by_name = {partition.name: partition for partition in self.partitions}
        if not all(grid.fits(by_name) for grid in self.grids):
            return ("grids",), "a list of pairs whose axes are intervals or groups as their columns"
        return None


def _columns(learned: AdditiveModel | TransformerParts) -> tuple[Hashable, ...]:
    """Names of the columns of the training data."""
    if isinstance(learned, AdditiveModel):
        return tuple(learned.schema.sources)
    return tuple(partition.name for partition in learned.partitions)


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
    def of(cls, estimator: SavedEstimator, diagnostics: Diagnostics | None = None) -> Self:
        """Return the contents of the file of a fitted estimator."""
        learned = estimator._learned()
        return cls(
            format=MODEL_FORMAT,
            version=VERSION,
            estimator=type(estimator).__name__,
            parameters=_parameters(estimator),
            named_columns=hasattr(estimator, "feature_names_in_"),
            pairs_complete=getattr(estimator, "complete_", True),
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

    def fault(self, at: At) -> Fault | None:
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
        if self.named_columns and not all(isinstance(n, str) for n in _columns(self.learned)):
            return ("named_columns",), "false, although a name is not text"
        return None


def _parameters(estimator: SavedEstimator) -> dict[str, Any]:
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


def read_model_file(path: Path) -> tuple[SavedEstimator, Diagnostics | None]:
    """Return the fitted estimator in a file, and what a job found; nothing in it is trusted."""
    try:
        file = ModelFile.from_dict(_content(path), At())
        kind: type[SavedEstimator] = getattr(import_module("modlearn"), file.estimator)
        estimator = kind(**_read_parameters(file, kind))
        show_fitted(estimator, file.learned, file.pairs_complete, file.named_columns)
        return estimator, file.diagnostics
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
        raise ModelError(_not_json(path)) from None
    if not isinstance(record, dict) or record.get("format") != MODEL_FORMAT:
        raise ModelError(NOT_A_MODEL)
    if record.get("version") != VERSION:
        raise ModelError(
            f"It has format version {record.get('version')!r}, and this modlearn reads version "
            f"{VERSION}: {_remedy(record.get('version'))}."
        )
    return record


NOT_A_MODEL = "It is not a model: pass a file that modlearn fit wrote, or the save of a result."


def _not_json(path: Path) -> str:
    """Return what is wrong with a file that is not JSON: another kind of file, or a damaged one."""
    with path.open("rb") as file:
        is_model = MODEL_MARK in file.read(200)
    return "It is damaged: save the model again." if is_model else NOT_A_MODEL


def _remedy(version: Any) -> str:
    """Return what to do about a file with another version."""
    newer = isinstance(version, int | float) and version > VERSION
    return "install a newer modlearn" if newer else "fit the model again and save it"


def _refuse_constant(name: str) -> None:
    raise ModelError(f"It holds the number {name}, which no model has: save the model again.")


def _read_parameters(file: ModelFile, kind: type[SavedEstimator]) -> dict[str, Any]:
    """Return the parameters of the estimator, which must be valid for ``fit``."""
    parameters, at = file.parameters, At(("parameters",))
    if not isinstance(parameters, dict) or not set(parameters) <= set(kind._get_param_names()):
        raise at.refuse(f"parameters of {kind.__name__}")
    if isinstance(parameters.get("pairs"), list | dict):
        known = set(_columns(file.learned))
        parameters = parameters | {"pairs": _read_pairs(parameters["pairs"], known)}
    try:
        # Text that is not valid Unicode could not be written again.
        json.dumps(parameters, ensure_ascii=False).encode()
        kind(**parameters)._validate_params()
    except (ValueError, TypeError):
        raise at.refuse(f"parameters of {kind.__name__}") from None
    return dict(parameters)


def _read_pairs(pairs: Any, known: set[Hashable]) -> list[tuple[Hashable, Hashable]]:
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

"""Estimators from files, in which nothing is trusted."""

from __future__ import annotations

import json
from collections.abc import Hashable
from importlib import import_module
from pathlib import Path
from typing import Any

from modlearn._estimators.model_file import VERSION, ModelFile
from modlearn._estimators.saving import SavedEstimator, show_fitted
from modlearn._files import MODEL_FORMAT, MODEL_MARK
from modlearn._model.evaluation import Diagnostics
from modlearn._model.forms import RecordPosition
from modlearn.errors import ModelError

__all__ = ["read_model_file"]


def read_model_file(path: Path) -> tuple[SavedEstimator, Diagnostics | None]:
    """Return the fitted estimator in a file, and what a job found; nothing in it is trusted."""
    try:
        file = ModelFile.from_dict(_content(path), RecordPosition())
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


RESTORE = "restore it from a copy, or train the model again"
NOT_A_MODEL = "It is not a model: pass a file that modlearn fit or save() wrote."


def _not_json(path: Path) -> str:
    """Return what is wrong with a file that is not JSON: another kind of file, or a damaged one."""
    with path.open("rb") as file:
        is_model = MODEL_MARK in file.read(200)
    return f"It is damaged: {RESTORE}." if is_model else NOT_A_MODEL


def _remedy(version: Any) -> str:
    """Return what to do about a file with another version."""
    newer = isinstance(version, int | float) and version > VERSION
    return "install a newer modlearn" if newer else "fit the model again and save it"


def _refuse_constant(name: str) -> None:
    raise ModelError(f"It holds the number {name}, which no model has: {RESTORE}.")


def _read_parameters(file: ModelFile, kind: type[SavedEstimator]) -> dict[str, Any]:
    """Return the parameters of the estimator, which must be valid for ``fit``."""
    parameters, at = file.parameters, RecordPosition(("parameters",))
    if not isinstance(parameters, dict) or not set(parameters) <= set(kind._get_param_names()):
        raise at.refuse(f"parameters of {kind.__name__}")
    if isinstance(parameters.get("pairs"), list | dict):
        known = set(file.learned.columns)
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
        raise RecordPosition(("parameters", "pairs")).refuse(
            "a list of pairs of two different columns"
        )
    return [(first, second) for first, second in pairs]

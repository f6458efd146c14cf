"""Model objects as data frames, for further work with the numbers."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Any

import numpy as np

from modlearn._model.additive import AdditiveModel, Explanation, Term
from modlearn._model.evaluation import MEASURES, Evaluation
from modlearn._model.grid import Grid
from modlearn._model.partitions import Partition
from modlearn._model.tree import Tree
from modlearn.schema import class_names, free_names, unique_names

__all__ = ["frame_of_columns", "frame_of_parts", "to_frame"]

Columns = dict[str, Any]

BACKENDS = ("pandas", "polars", "pyarrow")


def to_frame(shown: Any, backend: Any = "pandas") -> Any:
    """Return an object as a data frame of a library."""
    return frame_of_columns(_columns(shown), backend)


def frame_of_parts(parts: list[Any], weights: dict[Any, float], backend: Any) -> Any:
    """Return partitions, grids and trees as lines of a data frame, the most informative first."""
    ranked = sorted(parts, key=lambda one: -one.level)
    keys = (one.name if isinstance(one, Partition) else one.columns for one in ranked)
    return frame_of_columns(_terms(ranked, [weights.get(key, 0.0) for key in keys]), backend)


def _columns(shown: Any) -> Columns:
    """Return the columns of an object's table."""
    match shown:
        case Partition():
            return {"part": shown.labels, **_part_facts(shown)}
        case Grid():
            return {**_axis_labels(shown), **_part_facts(shown)}
        case Tree():
            return {"leaf": shown.labels, **_part_facts(shown)}
        case Term():
            names = class_names(shown.parts.classes)
            scores = {f"score of {name}": shown.table[:, j] for j, name in enumerate(names)}
            if shown.deviation is not None:
                deviations = zip(names, shown.deviation.T, strict=True)
                scores |= {f"deviation of {name}": column for name, column in deviations}
            return {**_columns(shown.scored), **scores}
        case Explanation():
            return _explanation(shown)
        case AdditiveModel():
            return _terms([t.parts for t in shown.terms], [t.weight for t in shown.terms])
        case Evaluation():
            found = [shown.measures[key] for key in MEASURES]
            return {
                "measure": list(MEASURES.values()),
                "mean": [np.nan if one.mean is None else one.mean for one in found],
                "spread": [np.nan if one.spread is None else one.spread for one in found],
            }
    raise TypeError(f"{type(shown).__name__} is not a table.")


def _part_facts(shown: Partition | Grid | Tree) -> Columns:
    """Return rows, share and log odds of every part and class."""
    counts = shown.cells
    rows, odds = counts.sum(axis=1), shown.log_odds
    shares = counts / np.maximum(1, rows)[:, None]
    columns: Columns = {"rows": rows}
    for j, name in enumerate(shown.class_names):
        columns[f"rows of {name}"] = counts[:, j]
    for j, name in enumerate(shown.class_names):
        columns[f"share of {name}"] = shares[:, j]
    for j, name in enumerate(shown.class_names):
        columns[f"log odds of {name}"] = odds[:, j]
    if isinstance(shown, Partition) and shown.unlabeled_counts.any():
        columns["unlabeled rows"] = shown.unlabeled_counts
    return columns


def _axis_labels(grid: Grid) -> Columns:
    """Return the part of every cell on each axis."""
    first, second = grid.axes
    return {
        str(first.name): [label for label in first.labels for _ in second.labels],
        str(second.name): [label for _ in first.labels for label in second.labels],
    }


def _explanation(shown: Explanation) -> Columns:
    """Return base, what each variable adds, and the score: one line per row, or row and class.

    Two classes are one line, whose positive numbers speak for the class of interest.
    """
    shown = shown.signed()
    n_rows, n_terms, n_classes = shown.contributions.shape
    names = [" × ".join(map(str, n)) if isinstance(n, tuple) else str(n) for n in shown.names]
    titles, _ = unique_names(names)
    row, label, base, score = free_names(["row", "class", "base", "score"], titles)
    lines = shown.contributions.swapaxes(1, 2).reshape(n_rows * n_classes, n_terms)
    of_line = {
        row: np.repeat(np.arange(n_rows), n_classes),
        label: class_names(shown.classes) * n_rows,
    }
    return {
        **(of_line if n_classes > 1 else {}),
        base: np.tile(shown.base, n_rows),
        **dict(zip(titles, lines.T, strict=True)),
        score: shown.scores.ravel(),
    }


def _terms(parts: Sequence[Any], weights: list[float]) -> Columns:
    """Return one line per partition, grid or tree."""
    return {
        "term": [" × ".join(map(str, one.columns)) for one in parts],
        "weight": weights,
        "level": [one.level for one in parts],
        "parts": [one.n_parts for one in parts],
    }


def frame_of_columns(columns: Columns, backend: Any) -> Any:
    """Return columns as a data frame."""
    if isinstance(backend, str):
        if backend not in BACKENDS:
            known = ", ".join(map(repr, BACKENDS))
            raise ValueError(f"backend is {backend!r}: pass one of {known}.")
        try:
            import_module(backend)
        except ImportError as error:
            raise ImportError(
                f"A data frame of {backend} needs {backend}, which is not installed: "
                f"pip install {backend}"
            ) from error
    import narwhals.stable.v2 as nw

    return nw.to_native(nw.from_dict(columns, backend=backend))

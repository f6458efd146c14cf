"""A result as text: how good, on what, and which variables tell most."""

from __future__ import annotations

from typing import Any

from modlearn._model.evaluation import MEASURES, Diagnostics, Evaluation, Measure
from modlearn._model.partition import Partition
from modlearn._show.partition import aligned, printable
from modlearn._show.words import mean_and_spread

__all__ = ["result_as_text"]

MOST_VARIABLES = 10
MOST_PAIRS = 5
MOST_WARNINGS = 10


def result_as_text(
    partitions: dict[Any, Partition], grids: dict[Any, Any], model: Any, diagnostics: Diagnostics
) -> str:
    """Headline, measures, the most informative variables and pairs, and warnings."""
    lines = [_headline(partitions, diagnostics)]
    if diagnostics.evaluation is not None:
        lines += _measures(diagnostics.evaluation)
    weights = None if model is None else model.weights_
    lines += ["", *_variables(partitions, weights)]
    if any(grid.level > 0 for grid in grids.values()):
        lines += ["", *_pairs(grids, weights)]
    shown = diagnostics.warnings[:MOST_WARNINGS]
    if shown:
        lines += ["", *(f"warning: {warning.text}" for warning in shown)]
    if len(diagnostics.warnings) > len(shown):
        lines.append(f"... {len(diagnostics.warnings) - len(shown)} more warnings")
    return "\n".join(lines)


def _headline(partitions: dict[Any, Partition], diagnostics: Diagnostics) -> str:
    facts = diagnostics.data
    n_classes = len(next(iter(partitions.values())).classes)
    source = "" if facts.source is None else f"{facts.source}: "
    unlabeled = f" ({facts.n_unlabeled:,} unlabeled)" if facts.n_unlabeled else ""
    out = f" ({len(facts.left_out):,} left out)" if facts.left_out else ""
    return (
        f"{source}{printable(facts.target)}, {n_classes} classes, "
        f"by {facts.n_columns:,} columns{out} of {facts.n_rows:,} rows{unlabeled}"
    )


def _measures(evaluation: Evaluation) -> list[str]:
    how = evaluation.how
    if evaluation.n_folds:
        how = f"{evaluation.n_folds}-fold {how}"
    best = evaluation.best_variable
    alone = "" if best is None else f"; {_short(best.name)} alone {best.accuracy:.3f}"
    accuracy, *others = [
        f"{name} {_shown(evaluation.measures[key])}" for key, name in MEASURES.items()
    ]
    return [
        f"{accuracy} by {how}, {evaluation.n_test:,} test rows",
        ", ".join(others),
        f"accuracy of the most frequent class {evaluation.majority.accuracy:.3f}{alone}",
    ]


def _shown(measure: Measure) -> str:
    return " ".join(filter(None, mean_and_spread(measure.to_dict())))


def _variables(partitions: dict[Any, Partition], weights: Any) -> list[str]:
    """The most informative columns as a table."""
    ranked = sorted(partitions.values(), key=lambda partition: -partition.level)
    rows = [["variable", "level", *(["weight"] if weights is not None else []), "parts"]]
    for partition in ranked[:MOST_VARIABLES]:
        weight = [] if weights is None else [f"{weights.get(partition.name, 0.0):.2f}"]
        name = _short(str(partition.name))
        rows.append([name, f"{partition.level:.3f}", *weight, str(partition.n_parts)])
    more = len(ranked) - MOST_VARIABLES
    return [*aligned(rows), *([f"... {more:,} more"] if more > 0 else [])]


def _pairs(grids: dict[Any, Any], weights: Any) -> list[str]:
    """The most informative pairs as a table."""
    ranked = sorted((g for g in grids.values() if g.level > 0), key=lambda grid: -grid.level)
    rows = [["pair", "level", *(["weight"] if weights is not None else []), "gain"]]
    for grid in ranked[:MOST_PAIRS]:
        weight = [] if weights is None else [f"{weights.get(grid.names, 0.0):.2f}"]
        rows.append([_short(grid.name), f"{grid.level:.3f}", *weight, f"{grid.gain:+.3f}"])
    more = len(ranked) - MOST_PAIRS
    return [*aligned(rows), *([f"... {more:,} more"] if more > 0 else [])]


def _short(name: str) -> str:
    name = printable(name)
    return name if len(name) <= 60 else f"{name[:57]}..."

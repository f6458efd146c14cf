"""A result as text: how good the model is, on which data, and which variables are informative."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from modlearn._model.evaluation import MEASURES
from modlearn._show.phrases import (
    advice,
    cost_lines,
    counted,
    decision_lines,
    evaluated_by,
    mean_and_spread,
    thousandths,
    verdict,
    visible,
)
from modlearn._show.tables import as_lines, rank_pairs, rank_trees, rank_variables
from modlearn._show.words import warning_lines

__all__ = ["result_as_text"]

MOST_VARIABLES = 10
MOST_PAIRS = 5
MOST_WARNINGS = 10
LONGEST_NAME = 60

Record = Mapping[str, Any]


def result_as_text(summary: Record) -> str:
    """Return headline, measures, the first variables, pairs and trees, and warnings."""
    lines = [_headline(summary)]
    if summary["evaluation"] is not None:
        lines += _measures(summary)
    lines += ["", *as_lines(rank_variables(summary, MOST_VARIABLES))]
    if summary["pairs"]:
        lines += ["", *as_lines(rank_pairs(summary, MOST_PAIRS))]
    if summary["trees"]:
        lines += ["", *as_lines(rank_trees(summary, MOST_PAIRS))]
    warnings = warning_lines(summary["warnings"])
    if warnings:
        lines += ["", *(f"warning: {line}" for line in warnings[:MOST_WARNINGS])]
    if len(warnings) > MOST_WARNINGS:
        lines.append(f"... and {len(warnings) - MOST_WARNINGS:,} more warnings")
    return "\n".join(lines)


def _headline(summary: Record) -> str:
    data = summary["data"]
    source = "" if data["source"] is None else f"{data['source']}: "
    unlabeled = f" ({data['n_unlabeled']:,} unlabeled)" if data["n_unlabeled"] else ""
    out = f" ({len(data['left_out']):,} left out)" if data["left_out"] else ""
    return (
        f"{source}{visible(data['target'], LONGEST_NAME)}, "
        f"{counted(len(summary['classes']), 'class')}, "
        f"{counted(data['n_rows'], 'row')}{unlabeled}, {counted(data['n_columns'], 'column')}{out}"
    )


def _measures(summary: Record) -> list[str]:
    evaluation, first = summary["evaluation"], summary["top_quarter"]
    accuracy, *others = [
        " ".join(filter(None, (name, *mean_and_spread(evaluation["measures"][key]))))
        for key, name in MEASURES.items()
    ]
    best, majority = evaluation["best_variable"], evaluation["majority"]
    alone = (
        ""
        if best is None
        else f", {visible(best['name'], LONGEST_NAME)} alone {thousandths(best['accuracy'])}"
    )
    return [
        f"{accuracy} ({evaluated_by(evaluation)})",
        ", ".join(others),
        f"for comparison: most frequent class {thousandths(majority['accuracy'])}{alone}",
        *(verdict(summary)[:1] if first and first["leads"] else ()),
        *advice(summary),
        *((*decision_lines(summary), *cost_lines(summary)) if summary["decision"] else ()),
    ]

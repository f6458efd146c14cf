"""The report as a plain dict, from a result or from a model file."""

from __future__ import annotations

from typing import Any

from modlearn._model.evaluation import Diagnostics, Note, TableFacts

__all__ = ["summary_of"]


def summary_of(fitted: Any, diagnostics: Diagnostics | None) -> dict[str, Any]:
    """Return the summary of a classifier or an analysis; without diagnostics, of the model alone."""
    from modlearn._show.summary import summarize

    if diagnostics is None:
        return summarize(fitted, _facts_of_model(fitted).to_dict())
    shared: dict[str, dict[str, float]] = {}
    for found in diagnostics.redundancies:
        shared.setdefault(found.column, {})[found.covered_by] = found.share
    summary = summarize(
        fitted,
        diagnostics.data.to_dict(),
        None if diagnostics.evaluation is None else diagnostics.evaluation.to_dict(),
        [warning.to_dict() for warning in diagnostics.warnings],
        {
            column.name: {"n_missing": column.n_missing, "n_distinct": column.n_distinct}
            for column in diagnostics.columns
        },
        shared,
        diagnostics.positive,
    )
    return summary | {"created": diagnostics.created, "pairs_complete": diagnostics.pairs_complete}


def _facts_of_model(fitted: Any) -> TableFacts:
    """What a model knows of the table it was fitted on."""
    partitions = list(fitted.partitions_.values())
    n_labeled = int(partitions[0].counts.sum())
    n_unlabeled = int(partitions[0].unlabeled_counts.sum())
    return TableFacts(
        source=None,
        target="target",
        n_rows=n_labeled + n_unlabeled,
        n_labeled=n_labeled,
        n_unlabeled=n_unlabeled,
        n_columns=len(partitions),
        left_out=(),
        notes=(Note("model_alone"),),
    )

"""What the result says about rows that stayed in an engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from modlearn._model.evaluation import ColumnFacts, Evaluation, Note, Numbers
from modlearn._statistics.rows import Counting, Fold

__all__ = ["notes_on_counts", "notes_on_tests", "with_bins"]


def notes_on_counts(counting: Counting, paired: bool) -> tuple[Note, ...]:
    """Return how the columns were counted, and pairs of them."""
    by_value: Numbers = {"by_value": counting.n_by_value} if counting.n_by_value else {}
    bins = counting.bins.values()
    binned: Numbers = {"in_bins": len(bins), "bins": max(bins)} if bins else {}
    kind = {
        (False, False): "counted_in_runs",  # a further note says which columns
        (True, False): "counted_by_value",
        (False, True): "counted_in_bins",
        (True, True): "counted_both_ways",
    }[bool(by_value), bool(binned)]
    notes = [Note(kind, {"engine": counting.engine, **by_value, **binned})]
    if counting.ranges:
        names = tuple(map(str, counting.ranges))
        notes.append(Note("counted_by_range", {"columns": len(names)}, names))
    if counting.merged:
        names, runs = tuple(map(str, counting.merged)), max(counting.merged.values())
        notes.append(Note("merged_values", {"columns": len(names), "runs": runs}, names))
    if counting.pooled:
        names = tuple(map(str, counting.pooled))
        notes.append(Note("pooled_values", {"columns": len(names)}, names))
    if paired and counting.n_pair_bins is not None:
        notes.append(Note("pairs_in_bins", {"bins": counting.n_pair_bins}))
    return tuple(notes)


def with_bins(columns: Sequence[ColumnFacts], counting: Counting) -> tuple[ColumnFacts, ...]:
    """Return facts about columns with how each was counted."""
    bins = {str(name): n for name, n in {**counting.bins, **counting.merged}.items()}
    return tuple(replace(one, n_bins=bins.get(one.name)) for one in columns)


def notes_on_tests(
    counting: Counting, evaluation: Evaluation | None, folds: Sequence[Fold]
) -> tuple[Note, ...]:
    """Return which rows the weights were learned from, and which ones were tested."""
    notes = []
    if counting.n_sampled is not None:
        notes.append(Note("weights_sampled", {"rows": counting.n_sampled}))
    n_tests = sum(int(fold.test.target.counts.sum()) for fold in folds)
    if evaluation is not None and evaluation.n_test < n_tests:
        notes.append(Note("tested_on_sample", {"rows": evaluation.n_test, "all": n_tests}))
    return tuple(notes)

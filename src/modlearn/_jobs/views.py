"""Columns as the views that are worth learning from, such as dates as what recurs in them."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from modlearn._evaluate.evaluation import forward_fold, total_log_loss
from modlearn._fit.model import Recipe
from modlearn._jobs.options import as_names, find_column
from modlearn._jobs.prepare import (
    PreparedData,
    column_facts,
    dates_of,
    never_repeats,
    refuse_none_left,
)
from modlearn._model.evaluation import Note, OmittedColumn
from modlearn._parallel import Progress
from modlearn._statistics.rows import Fold, Split
from modlearn._statistics.summary import ColumnSummary
from modlearn.errors import ColumnError, spelled
from modlearn.schema import Column, Kind, free_names

__all__ = ["with_useful_dates", "with_views"]


MOST_TRIED = 3
"""Most dates that are tried as they are, forward in time."""


def with_views(prepared: PreparedData, trend: Hashable | Sequence[Hashable]) -> PreparedData:
    """Add the views that columns offer, and leave out dates and columns that never repeat.

    A date that `trend` names is used as it is, too.
    """
    kept = _named_dates(prepared, trend)
    schema = prepared.rows.schema
    columns = _columns(prepared, kept)
    if columns == schema.columns:
        return prepared
    used, dates = {c.name for c in columns}, dates_of(schema)
    left_out = [
        OmittedColumn(str(name), "date" if name in dates else "all_different")
        for name in schema.names
        if name not in used
    ]
    reasons = (*prepared.facts.left_out, *left_out)
    if not columns:
        refuse_none_left(reasons)
    rows = prepared.rows.select(columns)
    new = [c.name for c in columns if c.view is not None]
    summaries = dict(zip(schema.names, prepared.summaries, strict=True))
    summaries |= dict(zip(new, rows.summaries(new), strict=True))
    known = {facts.name: facts for facts in prepared.columns}
    return replace(
        prepared,
        rows=rows,
        summaries=tuple(summaries[c.name] for c in columns),
        facts=replace(prepared.facts, n_columns=len(columns), left_out=reasons),
        columns=tuple(
            known.get(str(c.name)) or column_facts(c.name, summaries[c.name]) for c in columns
        ),
    )


def _named_dates(prepared: PreparedData, trend: Hashable | Sequence[Hashable]) -> set[Hashable]:
    """Return the dates that are to be used as they are; raise if a column holds no dates."""
    schema = prepared.rows.schema
    kept = {schema.names[find_column(schema.names, name, "trend")] for name in as_names(trend)}
    wrong = [str(name) for name in kept if schema.by_name[name].kind is not Kind.DATETIME]
    if wrong:
        raise ColumnError(
            *spelled(
                lambda spell: (
                    f"{spell('trend')} names the column {wrong[0]!r}, which does not "
                    f"hold dates: name another column, or pass {spell('as_date')} if it does."
                )
            )
        )
    return kept


def _columns(prepared: PreparedData, kept: Collection[Hashable]) -> tuple[Column, ...]:
    """Return all columns that repeat, with their views, and only some dates themselves."""
    schema = prepared.rows.schema
    summaries = dict(zip(schema.names, prepared.summaries, strict=True))
    dates = dates_of(schema)
    columns: list[Column] = []
    for c in schema.columns:
        summary = summaries[c.name]
        if c.name in kept or not (
            c.name in dates or never_repeats(summary, prepared.rows.n_rows, c)
        ):
            columns.append(c)
        columns += _views(c, summary, schema.names)
    return tuple(columns)


def with_useful_dates(
    read: PreparedData,
    trend: Hashable | Sequence[Hashable],
    planned: tuple[Sequence[Fold], Split],
    recipe: Recipe,
    progress: Progress,
) -> tuple[PreparedData, tuple[Fold, ...]]:
    """Use the date itself, too, that helped most to predict later rows, if one did.

    The folds go forward in time, and each is a test of the first dates that `trend` does not name:
    the training rows of a fold, and all rows for the model, use the date that lowered the log-loss
    of the tests before it most. One more test, on the training rows of the first fold, precedes
    them.
    """
    (folds, split), named = planned, _named_dates(read, trend)
    dates = [name for name in dates_of(read.rows.schema) if name not in named][:MOST_TRIED]
    if not dates:
        return with_views(read, [*named]), tuple(folds)
    variants = [_columns(read, named), *(_columns(read, {*named, date}) for date in dates)]
    tests = [*forward_fold(folds[0].train, split), *folds]
    total = _losses_so_far(tests, variants, recipe, progress)
    best = total.argmin(axis=1).tolist()  # the first, without a date, if tied
    n_rows = sum(int(fold.test.target.counts.sum()) for fold in tests)
    found = with_views(read, [*named, *dates[best[-1] - 1 : best[-1]]])
    notes = (*found.facts.notes, *_tested(dates, best[-1], total[-1] / n_rows, len(tests)))
    return replace(found, facts=replace(found.facts, notes=notes)), tuple(
        replace(fold, train=fold.train.select(variants[k]))
        for fold, k in zip(folds, best[-1 - len(folds) : -1], strict=True)
    )


def _losses_so_far(
    tests: Sequence[Fold],
    variants: Sequence[Sequence[Column]],
    recipe: Recipe,
    progress: Progress,
) -> NDArray[np.float64]:
    """Return the log-loss of some columns in the first 0, 1, ... tests, a column per variant."""
    losses = np.zeros((len(tests) + 1, len(variants)))
    for k, fold in enumerate(tests):
        progress("dates", k, len(tests))
        losses[k + 1] = [total_log_loss(fold, columns, recipe) for columns in variants]
    progress("dates", len(tests), len(tests))
    return np.cumsum(losses, axis=0)


def _tested(
    dates: Sequence[Hashable], best: int, losses: NDArray[np.float64], n_tests: int
) -> list[Note]:
    """Note whether each date is used, and its log-loss; the first is that without any date."""
    without, *others = (round(float(loss), 4) for loss in losses)
    return [
        Note(
            "date_used" if k == best else "date_not_used",
            {"tests": n_tests, "with": loss, "without": without},
            (str(name),),
        )
        for k, (name, loss) in enumerate(zip(dates, others, strict=True), 1)
    ]


def _views(column: Column, summary: ColumnSummary, taken: Sequence[Hashable]) -> list[Column]:
    """Return a column for each view that is offered."""
    names = free_names([f"{column.name}: {view.name}" for view in summary.views], map(str, taken))
    return [
        Column(name, view.kind, view.ordered, column.format, source=column.name, view=view)
        for name, view in zip(names, summary.views, strict=True)
    ]

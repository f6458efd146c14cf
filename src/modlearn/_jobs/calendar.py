"""Dates as their recurring parts: hours, weekdays, months and days of the year."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import replace

from modlearn._jobs.options import as_names, find_column
from modlearn._jobs.prepare import PreparedData, refuse_none_left
from modlearn._model.evaluation import ColumnFacts, LeftOut
from modlearn._statistics.summary import ColumnSummary
from modlearn.errors import ColumnError
from modlearn.schema import Column, Kind, free_names

__all__ = ["with_calendar"]


def with_calendar(prepared: PreparedData, trend: Hashable | Sequence[Hashable]) -> PreparedData:
    """Replace dates by the parts of the calendar that recur in them.

    A column that `trend` names is used as it is, too.
    """
    schema = prepared.rows.schema
    kept = {schema.names[find_column(schema.names, name, "trend")] for name in as_names(trend)}
    for name in kept:
        if schema.by_name[name].kind is not Kind.DATETIME:
            raise ColumnError(
                f"trend names the column {str(name)!r}, which does not hold dates: leave it out, "
                f"or read its dates with as_date=[{str(name)!r}] (--as-date on the command line)."
            )
    summaries = dict(zip(schema.names, prepared.summaries, strict=True))
    dates = [c for c in schema.columns if c.ordered and c.kind is Kind.DATETIME]
    if not dates:
        return prepared
    views = {c.name: _views(c, summaries[c.name], schema.names) for c in dates}
    left_out = [c.name for c in dates if c.name not in kept]
    columns = [
        one
        for c in schema.columns
        for one in (*([] if c.name in left_out else [c]), *views.get(c.name, []))
    ]
    reasons = (*prepared.facts.left_out, *(LeftOut(str(name), "date") for name in left_out))
    if not columns:
        refuse_none_left(reasons)
    rows = prepared.rows.select(columns)
    new = [one.name for found in views.values() for one in found]
    summaries |= dict(zip(new, rows.summaries(new), strict=True))
    known = {facts.name: facts for facts in prepared.columns}
    return replace(
        prepared,
        rows=rows,
        summaries=tuple(summaries[c.name] for c in columns),
        facts=replace(prepared.facts, n_columns=len(columns), left_out=reasons),
        columns=tuple(known.get(str(c.name)) or _facts(c.name, summaries[c.name]) for c in columns),
    )


def _views(column: Column, summary: ColumnSummary, taken: Sequence[Hashable]) -> list[Column]:
    """Return a column for each part of the calendar that recurs."""
    names = free_names([f"{column.name}: {view}" for view in summary.views], map(str, taken))
    return [
        Column(
            name,
            Kind.NUMERIC if view.ordered else Kind.TEXT,
            ordered=view.ordered,
            format=column.format,
            source=column.name,
            view=view,
        )
        for name, view in zip(names, summary.views, strict=True)
    ]


def _facts(name: Hashable, summary: ColumnSummary) -> ColumnFacts:
    return ColumnFacts(str(name), summary.n_missing, summary.n_distinct)

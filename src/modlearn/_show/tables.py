"""The ranking of variables or pairs as data, rendered as text and HTML.

``terminal`` renders it with colors; the page has a table that can be searched and sorted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from modlearn._show.phrases import counted, names_in_lines

__all__ = [
    "CELL_STYLE",
    "COLORS",
    "DARK",
    "GRAY",
    "Ranking",
    "Row",
    "aligned",
    "as_html",
    "as_lines",
    "rank_pairs",
    "rank_trees",
    "rank_variables",
]

# Okabe and Ito's colors, which color-blind readers can distinguish; the last is for "other".
COLORS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#888888")

# Slightly lighter versions of these colors, for a dark background.
DARK = ("#3F9BDC", "#EEB03A", "#2FBF94", "#D996BB", "#8ACCF2", "#F0814A", "#ECE26A", "#7B8694")

GRAY = COLORS[-1]
"""Color of guides, and of what is not highlighted."""

Record = Mapping[str, Any]


BAR_WIDTH = 160
"""Length of the bar of a level of 1 in a notebook, in pixels."""

CELL_STYLE = "text-align:left;padding:1px 12px 1px 0"

Cells = dict[str, Callable[[Record], str]]
"""Titles of columns, and the functions that format their cells."""


@dataclass(frozen=True)
class Row:
    """A variable or a pair: its name, the length of its bar from 0 to 1, and its cells as text."""

    name: str
    bar: float
    cells: tuple[str, ...]


@dataclass(frozen=True)
class Ranking:
    """The most informative variables or pairs, and in words how many others there are."""

    noun: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    rest: str


def rank_variables(summary: Record, most: int) -> Ranking:
    """Return the most informative variables of a summary."""
    # An additive model may rely on a variable that is not informative alone.
    informative = [one for one in summary["variables"] if one["level"] > 0 or one.get("curve")]
    n_others = len(summary["variables"]) - len(informative)
    last: Cells = {"parts": lambda r: f"{len(r['parts']):,}"}
    return _ranking("variable", informative, most, n_others, last)


def rank_pairs(summary: Record, most: int) -> Ranking:
    """Return the most informative pairs of a summary."""
    n_others = summary["pairs_searched"] - len(summary["pairs"])
    last: Cells = {
        "gain": lambda r: f"{r['gain']:+.3f}",
        "synergy": lambda r: f"{r['synergy']:+.1f}",
    }
    return _ranking("pair", summary["pairs"], most, n_others, last)


def rank_trees(summary: Record, most: int) -> Ranking:
    """Return the trees of a summary, that of the largest weight first."""
    last: Cells = {
        "leaves": lambda r: f"{len(r['paths']):,}",
        "synergy": lambda r: f"{r['synergy']:+.1f}",
    }
    return _ranking("tree", summary["trees"], most, 0, last)


def _ranking(
    noun: str, informative: Sequence[Record], most: int, n_others: int, last: Cells
) -> Ranking:
    shown = informative[:most]
    cells: Cells = {"level": lambda r: f"{r['level']:.3f}"}
    if any(record["weight"] is not None for record in shown):
        cells["weight"] = lambda r: _weight(r["weight"])
    cells |= last
    rows = tuple(
        Row(name, record["level"], tuple(f(record) for f in cells.values()))
        for name, record in zip(names_in_lines(shown), shown, strict=True)
    )
    return Ranking(noun, tuple(cells), rows, _rest(noun, shown, len(informative), n_others))


def _rest(noun: str, shown: Sequence[Record], n_informative: int, n_others: int) -> str:
    """Return what is not listed, in words; empty if everything is listed."""
    if not shown:
        return f"No {noun} is informative about the target."
    n_more = n_informative - len(shown)
    parts = [f"{n_more:,} more"] if n_more else []
    if n_others:
        verb = "is" if n_others == 1 else "are"
        parts.append(f"{counted(n_others, noun)} that {verb} not informative")
    return f"... and {' and '.join(parts)}" if parts else ""


def _weight(weight: float) -> str:
    """Return a weight as text; a small one is not rounded to 0."""
    return "<0.01" if 0 < weight < 0.005 else f"{weight:.2f}"


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Return rows of a table as lines of text, names on the left, numbers on the right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return [
        "  ".join(
            cell.rjust(width) if i else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]


def as_lines(ranking: Ranking) -> list[str]:
    """Return a ranking as lines of text."""
    table = [(ranking.noun, *ranking.columns), *((row.name, *row.cells) for row in ranking.rows)]
    return [*(aligned(table) if ranking.rows else []), *filter(None, [ranking.rest])]


def as_html(ranking: Ranking) -> str:
    """Return a ranking as a table of HTML with bars of the levels."""
    level, *others = ranking.columns
    head = _th(ranking.noun) + _th(level, span=2) + "".join(map(_th, others))
    lines = "".join(f"<tr>{_cells_as_html(row)}</tr>" for row in ranking.rows)
    table = f'<table style="border-collapse:collapse"><tr>{head}</tr>{lines}</table>'
    return (table if ranking.rows else "") + f"<div>{escape(ranking.rest)}</div>"


def _th(title: str, span: int = 1) -> str:
    return f'<th style="{CELL_STYLE}" colspan="{span}">{title}</th>'


def _cells_as_html(row: Row) -> str:
    level, *others = row.cells
    bar = (
        f'<svg width="{BAR_WIDTH}" height="10" role="img" aria-label="level {level}" '
        'style="background:rgba(128,128,128,0.15)">'
        f'<rect width="{BAR_WIDTH * row.bar:.1f}" height="10" fill="{COLORS[0]}"/></svg>'
    )
    cells = [f"<bdi>{escape(row.name)}</bdi>", level, bar, *map(escape, others)]
    return "".join(f'<td style="{CELL_STYLE}">{cell}</td>' for cell in cells)

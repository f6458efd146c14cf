"""The ranking of variables or pairs as data, rendered as text and HTML.

``terminal`` renders it with colors; the page has a table that can be searched and sorted.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from modlearn._model.partitions import LONGEST_LABEL
from modlearn._show.words import counted, visible

__all__ = [
    "COLORS",
    "GRAY",
    "Ranking",
    "Row",
    "aligned",
    "as_html",
    "as_lines",
    "needs_list",
    "rank_pairs",
    "rank_variables",
    "short_labels",
    "style_of_classes",
]

# Okabe and Ito's colors, which color-blind readers can distinguish; the last is for "other".
COLORS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#888888")

# Slightly lighter versions of these colors, for a dark background.
DARK = ("#3F9BDC", "#EEB03A", "#2FBF94", "#D996BB", "#8ACCF2", "#F0814A", "#ECE26A", "#7B8694")

GRAY = COLORS[-1]
"""Color of guides, and of what is not highlighted."""


def style_of_classes() -> str:
    """Return CSS: the colors as variables ``--c0`` to ``--c7``, and a class ``c0`` ... for each."""
    classes = " ".join(f".c{i} {{ --c: var(--c{i}); }}" for i in range(len(COLORS)))
    dark = f"@media screen and (prefers-color-scheme: dark) {{ {_variables(DARK)} }}"
    return f"{_variables(COLORS)}\n{dark}\n{classes}\n"


def _variables(colors: tuple[str, ...]) -> str:
    return f":root {{ {' '.join(f'--c{i}: {color};' for i, color in enumerate(colors))} }}"


Record = Mapping[str, Any]


def short_labels(axis: Record) -> list[str]:
    """Return a label per part: ``≤ 2``, ``(2, 3]``, ``> 3``; groups have their values in braces."""
    if axis["cut_texts"] is None:
        return list(axis["labels"])
    labels = _intervals(axis["cut_texts"], *axis["infinite_ends"])
    if axis["missing"] == "alone":
        return ["missing", *labels]
    if axis["missing"] == "first":
        labels[0] = f"missing or {labels[0]}"
    return labels


def _intervals(cuts: Sequence[str], low_alone: bool, high_alone: bool) -> list[str]:
    """Return labels of the intervals between cuts; infinite values may be parts of their own."""
    lows: list[str | None] = [None, *cuts]
    highs: list[str | None] = [*cuts, None]
    # A cut next to a part of only infinite values is not shown as a bound.
    if low_alone:
        lows[1] = None
    if high_alone:
        highs[-2] = None
    labels = [_interval(low, high) for low, high in zip(lows, highs, strict=True)]
    if not cuts:
        return ["all values"]
    return ["−∞" if low_alone else labels[0], *labels[1:-1], "∞" if high_alone else labels[-1]]


def _interval(low: str | None, high: str | None) -> str:
    if low is None:
        return "all other values" if high is None else f"≤ {high}"
    return f"> {low}" if high is None else f"({low}, {high}]"


def needs_list(axis: Record) -> bool:
    """Return whether groups have more values than their labels may show."""
    if axis["groups"] is None:
        return False
    texts = (", ".join("missing" if v is None else v for v in group) for group in axis["groups"])
    return any(len(text) > LONGEST_LABEL for text in texts)


LONGEST_NAME, LONGEST_PAIR_NAME = 40, 28
"""Most characters of a name, which leaves room for the numbers."""

BAR_WIDTH = 160
"""Length of the longest bar in a notebook, in pixels."""

_CELL = "text-align:left;padding:1px 12px 1px 0"

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
    """The most informative variables or pairs, and how many are not listed or not informative."""

    noun: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    n_more: int
    n_others: int

    @property
    def rest(self) -> str:
        """Return what is not listed, in words; empty if everything is listed."""
        if not self.rows:
            return f"No {self.noun} is informative about the target."
        parts = [f"{self.n_more:,} more"] if self.n_more else []
        if self.n_others:
            verb = "is" if self.n_others == 1 else "are"
            parts.append(f"{counted(self.n_others, self.noun)} that {verb} not informative")
        return f"... and {' and '.join(parts)}" if parts else ""


def rank_variables(summary: Record, most: int) -> Ranking:
    """Return the most informative variables of a summary."""
    informative = [one for one in summary["variables"] if one["level"] > 0]
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


def _ranking(
    noun: str, informative: Sequence[Record], most: int, n_others: int, last: Cells
) -> Ranking:
    shown = informative[:most]
    cells: Cells = {"level": lambda r: f"{r['level']:.3f}"}
    if any(record["weight"] is not None for record in shown):
        cells["weight"] = lambda r: _weight(r["weight"])
    cells |= last
    longest = max([1e-9, *(record["level"] for record in shown)])
    rows = tuple(
        Row(_name(record), record["level"] / longest, tuple(f(record) for f in cells.values()))
        for record in shown
    )
    return Ranking(noun, tuple(cells), rows, len(informative) - len(shown), n_others)


def _name(record: Record) -> str:
    """Return the name of a variable, or both names of a pair, cut short if long."""
    if "name" in record:
        return visible(record["name"], LONGEST_NAME)
    return " × ".join(visible(name, LONGEST_PAIR_NAME) for name in record["names"])


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
    return f'<th style="{_CELL}" colspan="{span}">{title}</th>'


def _cells_as_html(row: Row) -> str:
    level, *others = row.cells
    bar = (
        f'<svg width="{BAR_WIDTH}" height="10" role="img" aria-label="level {level}">'
        f'<rect width="{BAR_WIDTH * row.bar:.1f}" height="10" fill="{COLORS[0]}"/></svg>'
    )
    cells = [f"<bdi>{escape(row.name)}</bdi>", level, bar, *map(escape, others)]
    return "".join(f'<td style="{_CELL}">{cell}</td>' for cell in cells)

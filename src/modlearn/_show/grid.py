"""A grid for display: a table as text, and a small picture for notebooks."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

import numpy as np

from modlearn._show.partition import (
    cost_in_words,
    counts_in_words,
    legend,
    printable,
    shown_classes,
    stacked_boxes,
    title,
)
from modlearn._show.tables import aligned

if TYPE_CHECKING:
    from modlearn._model.grid import Grid

__all__ = ["grid_as_html", "grid_as_text", "grid_headline"]

MOST_PARTS = 20
"""Most parts of an axis that are shown; the rest is counted."""

MOST_COUNTS = 4
"""Up to this number of classes, a cell shows the rows of each; else the most frequent class."""

CELL_WIDTH, CELL_HEIGHT = 72, 26


def grid_headline(grid: Grid) -> str:
    """Return names, level, cells, and what the pair adds to its columns."""
    return f"{title(grid)}, {_facts(grid)}"


def _facts(grid: Grid) -> str:
    """Return cells, cost, and what the pair adds to its columns."""
    kind = "redundancy" if grid.synergy < 0 else "synergy"
    return (
        f"{grid.counts.shape[0]} × {grid.counts.shape[1]} cells, {cost_in_words(grid, 'cell')}; "
        f"gain {grid.gain:+.3f}, {kind} {abs(grid.synergy):.2f} nats"
    )


def grid_as_text(grid: Grid) -> str:
    """Return the headline and a line per part of the first column."""
    first, second = (axis.labels[:MOST_PARTS] for axis in grid.axes)
    header = [f"{printable(str(grid.names[0]))} \\ {printable(str(grid.names[1]))}", *second]
    names, shown = list(grid.class_names), grid.cells
    if len(names) <= MOST_COUNTS:
        names, shown = shown_classes(names, shown)
    shown = shown.reshape(*grid.counts.shape[:2], -1)
    cells = [[_cell_text(names, counts) for counts in line[:MOST_PARTS]] for line in shown]
    lines = [header, *([label, *row] for label, row in zip(first, cells, strict=False))]
    text = [grid_headline(grid)]
    if len(names) <= MOST_COUNTS:
        text.append(f"rows of {' / '.join(names)}")
    return "\n".join([*text, *aligned(lines), *_left_out(grid)])


def _left_out(grid: Grid) -> list[str]:
    """Return how many parts are not shown."""
    return [
        f"... {axis.n_parts - MOST_PARTS} more parts of {printable(str(axis.name))}"
        for axis in grid.axes
        if axis.n_parts > MOST_PARTS
    ]


def _cell_text(names: list[str], counts: np.ndarray) -> str:
    """Return the rows of each class; for many classes, the share of the most frequent one."""
    rows = int(counts.sum())
    if rows == 0:
        return "-"
    if len(counts) <= MOST_COUNTS:
        return "/".join(f"{n:,}" for n in counts.tolist())
    leading = int(counts.argmax())
    return f"{names[leading]} {counts[leading] / rows:.0%} of {rows:,}"


def grid_as_html(grid: Grid) -> str:
    """Return the headline, a legend and the cells as bars of class shares, self-contained."""
    names, shown = shown_classes(grid.class_names, grid.cells)
    shown = shown.reshape(*grid.counts.shape[:2], -1)
    most = max(1, int(grid.counts.sum(axis=2).max()))
    first, second = (axis.labels[:MOST_PARTS] for axis in grid.axes)
    head = "".join(f'<th style="{_TH}">{escape(label)}</th>' for label in second)
    body = "".join(
        f'<tr><th style="{_TH}">{escape(label)}</th>'
        + "".join(
            f'<td style="padding:1px 8px 1px 0;white-space:nowrap">'
            f"{_cell_bar(names, shown[a, b], most)} {shown[a, b].sum():,}</td>"
            for b in range(len(second))
        )
        + "</tr>"
        for a, label in enumerate(first)
    )
    left_out = "".join(f"<br>{escape(line)}" for line in _left_out(grid))
    return (
        f'<div style="margin:0 0 1.2em 0"><b>{escape(title(grid))}</b>, '
        f"{escape(_facts(grid))}<br>{legend(names)} &ensp; (height: rows)"
        '<div style="overflow-x:auto">'
        '<table style="border-collapse:collapse;font-size:inherit"><tr>'
        f'<th style="{_TH}">{escape(str(grid.names[0]))} &#92; '
        f"{escape(str(grid.names[1]))}</th>{head}</tr>{body}</table></div>{left_out}</div>"
    )


_TH = "font-weight:normal;text-align:left;padding:1px 8px 1px 0"


def _cell_bar(names: list[str], counts: np.ndarray, most: int) -> str:
    """Return the class shares of a cell as a stacked bar, whose height shows the rows."""
    rows = int(counts.sum())
    height = CELL_HEIGHT * rows / most
    # A cell with few rows must still be visible.
    height = max(3.0, height) if rows else 0.0
    return (
        f'<svg viewBox="0 0 {CELL_WIDTH} {CELL_HEIGHT}" width="{CELL_WIDTH}" '
        f'height="{CELL_HEIGHT}" role="img" aria-label="{counts_in_words(names, counts)}" '
        'style="background:rgba(128,128,128,0.12);vertical-align:middle">'
        f"{stacked_boxes(names, counts, CELL_WIDTH, CELL_HEIGHT - height, height)}</svg>"
    )

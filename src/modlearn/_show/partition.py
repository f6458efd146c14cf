"""A partition for display: a table as text, and a small picture for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING

import numpy as np

from modlearn._show.phrases import percent
from modlearn._show.tables import COLORS, aligned

if TYPE_CHECKING:
    from modlearn._model.grid import Grid
    from modlearn._model.partitions import Partition
    from modlearn._model.tree import Tree

__all__ = [
    "aligned",
    "as_html",
    "as_text",
    "cost_in_words",
    "counts_in_words",
    "headline",
    "legend",
    "printable",
    "shown_classes",
    "stacked_boxes",
    "title",
]

MOST_CLASSES = 8
"""Most classes that are shown; the rarest ones are added up as "other"."""

MOST_PARTS = 40
"""Most parts that are shown; the rest is counted."""

BAR_WIDTH = 320


def as_text(partition: Partition) -> str:
    """Return the headline and one line per part with its rows per class."""
    header, rows = _table(partition)
    lines = [headline(partition), *aligned([header, *rows])]
    if partition.n_parts > MOST_PARTS:
        lines.append(f"... {partition.n_parts - MOST_PARTS} more parts")
    return "\n".join(lines)


def as_html(partition: Partition) -> str:
    """Return the headline, a legend and a bar of class shares per part, as self-contained HTML."""
    classes, counts = shown_classes(partition.class_names, partition.counts)
    rows = partition.counts.sum(axis=1)
    lines = [
        _cells(label, f"{n:,}", _bar(classes, shown, n / max(1, rows.max())) + _share(shown))
        for label, n, shown in zip(partition.labels[:MOST_PARTS], rows, counts, strict=False)
    ]
    if partition.unlabeled_counts.any():
        lines.append(_cells(f"{partition.unlabeled_counts.sum():,} rows unlabeled", "", ""))
    if partition.n_parts > MOST_PARTS:
        lines.append(_cells(f"... {partition.n_parts - MOST_PARTS} more parts", "", ""))
    return (
        f'<div style="margin:0 0 1.2em 0"><b>{escape(title(partition))}</b>, '
        f"{escape(_facts(partition))}<br>{legend(classes)} &ensp; (height: rows)"
        f'<table style="border-collapse:collapse">{"".join(lines)}</table></div>'
    )


def _share(counts: np.ndarray) -> str:
    """Return the share of the first of two classes, to be written next to its bar."""
    if len(counts) != 2 or not counts.any():
        return ""
    return f'</td><td style="text-align:right;padding:1px 8px">{percent(counts[0] / counts.sum())}'


def legend(classes: Sequence[str]) -> str:
    """Return the classes with their colors."""
    return " &ensp; ".join(
        f'<span style="white-space:nowrap"><span style="color:{COLORS[i]}">&#9632;</span> '
        f"{escape(name)}</span>"
        for i, name in enumerate(classes)
    )


def _cells(label: str, rows: str, bar: str) -> str:
    """Return one line of the picture."""
    return (
        f'<tr><td style="text-align:left;min-width:9em;padding:1px 8px 1px 0">{escape(label)}</td>'
        f'<td style="text-align:right;min-width:5em;padding:1px 8px">{rows}</td>'
        f'<td style="padding:1px 0">{bar}</td></tr>'
    )


def headline(partition: Partition) -> str:
    """Return name, level, number of parts and cost, and whether the partition is proven optimal."""
    return f"{title(partition)}, {_facts(partition)}"


def title(found: Partition | Grid | Tree) -> str:
    """Return name and level."""
    return f"{printable(str(found.name))}: level {found.level:.3f}"


def _facts(partition: Partition) -> str:
    """Return number of parts and cost, and whether the partition is proven optimal."""
    parts = f"{partition.n_parts} part{'s' if partition.n_parts > 1 else ''}"
    return f"{parts}, {cost_in_words(partition, 'part')}"


def cost_in_words(found: Partition | Grid, part: str) -> str:
    """Return the cost next to that of one part or cell, and whether it is proven optimal."""
    proof = "proven optimal" if found.proven_optimal else "best found"
    return f"cost {found.cost:.2f} against {found.null_cost:.2f} for one {part}, {proof}"


def printable(name: str) -> str:
    """Return a name as it is, or in quotes with its odd characters written out."""
    return name if name.isprintable() else repr(name)


def _leading(counts: np.ndarray) -> tuple[np.ndarray, bool]:
    """Return which classes are shown, and whether others are left.

    They are in their own order, except that the rarer of two comes first.
    """
    n_classes, totals = counts.shape[1], counts.sum(axis=0)
    if n_classes == 2:
        return np.array([0, 1] if totals[0] < totals[1] else [1, 0]), False
    if n_classes <= MOST_CLASSES:
        return np.arange(n_classes), False
    return np.sort(np.argsort(-totals, kind="stable")[: MOST_CLASSES - 1]), True


def _table(partition: Partition) -> tuple[list[str], list[list[str]]]:
    """Return header and cells of the text table."""
    names, counts = shown_classes(partition.class_names, partition.counts)
    columns: list[tuple[str, np.ndarray]] = list(zip(names, counts.T, strict=True))
    columns.append(("rows", partition.counts.sum(axis=1)))
    if partition.unlabeled_counts.any():
        columns.append(("unlabeled", partition.unlabeled_counts))
    cells = [[f"{n:,}" for n in numbers[:MOST_PARTS]] for _, numbers in columns]
    labels = partition.labels[:MOST_PARTS]
    rows = [[label, *row] for label, row in zip(labels, zip(*cells, strict=True), strict=True)]
    return ["", *(name for name, _ in columns)], rows


def shown_classes(names: Sequence[str], counts: np.ndarray) -> tuple[list[str], np.ndarray]:
    """Return the names of the classes shown, and their rows per part; the rarest as "other"."""
    leading, others = _leading(counts)
    shown = counts[:, leading]
    if others:
        shown = np.column_stack((shown, counts.sum(axis=1) - shown.sum(axis=1)))
    return [names[j] for j in leading] + ["other"] * others, shown


def _bar(classes: Sequence[str], counts: np.ndarray, size: float) -> str:
    """Return the class shares as a stacked bar, whose height shows the number of rows."""
    height = 6 + 14 * size
    return (
        f'<svg viewBox="0 0 {BAR_WIDTH} 20" preserveAspectRatio="none" '
        f'style="width:min({BAR_WIDTH}px,45vw);height:20px" role="img" '
        f'aria-label="{counts_in_words(classes, counts)}">'
        f"{stacked_boxes(classes, counts, BAR_WIDTH, (20 - height) / 2, height)}</svg>"
    )


def counts_in_words(classes: Sequence[str], counts: np.ndarray) -> str:
    """Return the rows of each class in words, for readers who cannot see the bar."""
    return escape(", ".join(f"{name} {n:,}" for name, n in zip(classes, counts, strict=True)))


def stacked_boxes(
    classes: Sequence[str], counts: np.ndarray, width: float, y: float, height: float
) -> str:
    """Return a box per class side by side, each as wide as its share."""
    rows, x, boxes = max(1, int(counts.sum())), 0.0, []
    for i, (name, count) in enumerate(zip(classes, counts.tolist(), strict=True)):
        share = count / rows
        boxes.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{width * share:.1f}" '
            f'height="{height:.1f}" fill="{COLORS[i]}">'
            f"<title>{escape(name)}: {count:,} ({share:.1%})</title></rect>"
        )
        x += width * share
    return "".join(boxes)

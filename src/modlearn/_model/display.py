"""A partition for people: a table as text, and a small picture for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from modlearn._model.partition import Partition

__all__ = ["as_html", "as_text"]

MOST_CLASSES = 8
"""Columns of classes shown; the rarer ones are added up as "other"."""

MOST_PARTS = 40
"""Parts shown; the rest is counted."""

# Okabe and Ito's colours, told apart by colour-blind readers too; the last is "other".
COLOURS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#888888")

BAR_WIDTH = 320


def as_text(partition: Partition) -> str:
    """Return the headline and one line per part with its rows per class."""
    header, rows = _table(partition)
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    lines = [_headline(partition)]
    for row in [header, *rows]:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        lines.append("  ".join(cells).rstrip())
    if partition.n_parts > MOST_PARTS:
        lines.append(f"... {partition.n_parts - MOST_PARTS} more parts")
    return "\n".join(lines)


def as_html(partition: Partition) -> str:
    """Return the headline, a legend and a bar of class shares per part, as self-contained HTML."""
    names, shares = _shown_classes(partition)
    rows = partition.counts.sum(axis=1)
    legend = " ".join(
        f'<span style="white-space:nowrap"><span style="color:{COLOURS[i]}">&#9632;</span> '
        f"{escape(name)}</span>"
        for i, name in enumerate(names)
    )
    bars = "".join(
        f'<tr><td style="text-align:left">{escape(label)}</td><td>{n:,}</td>'
        f"<td>{_bar(share, n / max(1, rows.max()))}</td></tr>"
        for label, n, share in zip(partition.labels[:MOST_PARTS], rows, shares, strict=False)
    )
    rest = partition.n_parts - MOST_PARTS
    more = f"<tr><td>... {rest} more parts</td></tr>" if rest > 0 else ""
    return (
        f"<div><b>{escape(_headline(partition))}</b><br>{legend}"
        f"<table><tr><th></th><th>rows</th><th></th></tr>{bars}{more}</table></div>"
    )


def _headline(partition: Partition) -> str:
    """Name, level, parts, and how sure it is that none is better."""
    parts = f"{partition.n_parts} part{'s' if partition.n_parts > 1 else ''}"
    proof = "proven optimal" if partition.proven_optimal else "best found"
    return (
        f"{partition.name}: level {partition.level:.3f}, {parts}, "
        f"cost {partition.cost:.2f} against {partition.null_cost:.2f} for one part, {proof}"
    )


def _leading(partition: Partition) -> tuple[np.ndarray, bool]:
    """Which classes are shown, in their own order, and whether others are left."""
    n_classes = len(partition.classes)
    if n_classes <= MOST_CLASSES:
        return np.arange(n_classes), False
    totals = partition.counts.sum(axis=0)
    return np.sort(np.argsort(-totals, kind="stable")[: MOST_CLASSES - 1]), True


def _table(partition: Partition) -> tuple[list[str], list[list[str]]]:
    """Header and cells of the text table."""
    shown, others = _leading(partition)
    counts = partition.counts[:MOST_PARTS]
    columns: list[tuple[str, Iterable[int]]] = [
        (str(partition.classes[j]), counts[:, j]) for j in shown
    ]
    if others:
        columns.append(("other", counts.sum(axis=1) - counts[:, shown].sum(axis=1)))
    columns.append(("rows", counts.sum(axis=1)))
    if partition.unlabeled_counts.any():
        columns.append(("unlabeled", partition.unlabeled_counts[:MOST_PARTS]))
    cells = [[f"{n:,}" for n in numbers] for _, numbers in columns]
    labels = partition.labels[:MOST_PARTS]
    rows = [[label, *row] for label, row in zip(labels, zip(*cells, strict=True), strict=True)]
    return ["", *(name for name, _ in columns)], rows


def _shown_classes(partition: Partition) -> tuple[list[str], np.ndarray]:
    """Names of the classes shown, and their shares per part."""
    shown, others = _leading(partition)
    names = [str(partition.classes[j]) for j in shown] + ["other"] * others
    shares = partition.counts / np.maximum(1, partition.counts.sum(axis=1, keepdims=True))
    if others:
        rest = 1.0 - shares[:, shown].sum(axis=1, keepdims=True)
        return names, np.hstack((shares[:, shown], rest))
    return names, shares


def _bar(shares: Sequence[float], size: float) -> str:
    """One stacked bar, its height telling how many rows it stands for."""
    height, x, boxes = 6 + 14 * size, 0.0, []
    for i, share in enumerate(shares):
        width = BAR_WIDTH * float(share)
        boxes.append(
            f'<rect x="{x:.1f}" y="{(20 - height) / 2:.1f}" width="{width:.1f}" '
            f'height="{height:.1f}" fill="{COLOURS[i]}"><title>{share:.1%}</title></rect>'
        )
        x += width
    return f'<svg width="{BAR_WIDTH}" height="20" role="img">{"".join(boxes)}</svg>'

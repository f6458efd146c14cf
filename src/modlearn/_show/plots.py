"""Partitions and grids as matplotlib plots, for papers and notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from modlearn._show.partition import printable, shown_classes
from modlearn._show.tables import COLORS

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from modlearn._model.grid import Grid
    from modlearn._model.partitions import Partition

__all__ = [
    "LONGEST_LABEL",
    "MOST_PARTS",
    "add_legend",
    "add_legend_below",
    "annotate_rest",
    "axes_for",
    "plain",
    "plot_grid",
    "plot_partition",
    "short",
]

MOST_PARTS = 40
"""Most parts that are drawn; the rest is counted."""

LONGEST_LABEL = 30
"""Most characters of a label; longer ones are cut short."""

WRITTEN_SHARE = 0.12
"""The share of a class is written only if it is at least this large."""


def axes_for(ax: Axes | None) -> Axes:
    """Return existing axes, or those of a new figure."""
    if ax is not None:
        return ax
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError(
            "Plots need matplotlib, which is not installed: pip install 'modlearn[plot]'"
        ) from error
    return pyplot.subplots(layout="constrained")[1]


def plot_partition(partition: Partition, ax: Axes | None = None) -> Axes:
    """Draw a bar per part, stacked from the shares of the classes, the first part on top."""
    axes = axes_for(ax)
    names, counts = shown_classes(partition.class_names, partition.counts)
    labels = [plain(short(label)) for label in partition.labels[:MOST_PARTS]]
    rows = partition.counts.sum(axis=1)
    shares = 100 * counts / np.maximum(1, rows)[:, None]
    left = np.zeros(len(labels))
    bars = []
    for j in range(len(names)):
        width = shares[: len(labels), j]
        bars.append(axes.barh(range(len(labels)), width, left=left, color=COLORS[j], height=0.8))
        axes.bar_label(bars[-1], _written(width), label_type="center", fontsize="small")
        if j == 0 and len(names) == 2:
            # Of two classes, the first is written on every bar, next to its part if that is narrow.
            narrow = [f"{share:.1f}" if share < 100 * WRITTEN_SHARE else "" for share in width]
            axes.bar_label(bars[-1], narrow, label_type="edge", padding=2, fontsize="small")
        left += width
    axes.set_yticks(
        range(len(labels)), [f"{label}  ({n:,})" for label, n in zip(labels, rows, strict=False)]
    )
    axes.invert_yaxis()
    axes.set(xlim=(0, 100), xlabel="share of rows (%)", title=_title(partition))
    add_legend_below(axes, bars, names)
    annotate_rest(axes, partition.n_parts - len(labels))
    return axes


def plot_grid(grid: Grid, ax: Axes | None = None) -> Axes:
    """Draw the cells in the color of their most frequent class, stronger for a larger share.

    A cell without rows is left white.
    """
    axes = axes_for(ax)
    names, cells = shown_classes(grid.class_names, grid.cells)
    counts = cells.reshape(*grid.counts.shape[:2], -1)[:MOST_PARTS, :MOST_PARTS]
    axes.imshow(_colors(counts), aspect="auto", interpolation="nearest")
    for (a, b), n in np.ndenumerate(counts.sum(axis=2)):
        if n:
            j = int(counts[a, b].argmax())
            text = f"{plain(short(names[j], 12))}: {counts[a, b, j] / n:.0%}\n{n:,} rows"
            axes.text(b, a, text, ha="center", va="center", fontsize="small")
    for set_ticks, axis in ((axes.set_yticks, grid.axes[0]), (axes.set_xticks, grid.axes[1])):
        labels = [plain(short(label)) for label in axis.labels[:MOST_PARTS]]
        set_ticks(range(len(labels)), labels)
    first, second = (plain(short(printable(str(name)))) for name in grid.names)
    axes.set(ylabel=first, xlabel=second, title=_title(grid))
    handles = [axes.scatter([], [], marker="s", color=COLORS[j]) for j in range(len(names))]
    add_legend_below(axes, handles, names)
    annotate_rest(axes, max(axis.n_parts for axis in grid.axes) - MOST_PARTS)
    return axes


def _colors(counts: np.ndarray) -> np.ndarray:
    """Return a color per cell, shape (I1, I2, 3): the leading class, mixed with white."""
    rows = np.maximum(1, counts.sum(axis=2, keepdims=True))
    palette = np.array([[int(c[k : k + 2], 16) / 255 for k in (1, 3, 5)] for c in COLORS])
    leading = counts.argmax(axis=2)
    strength = 0.7 * (counts.max(axis=2, keepdims=True) / rows) ** 2
    return np.asarray(1 - strength * (1 - palette[leading]))


def plain(text: str) -> str:
    """Escape a text for matplotlib: dollar signs would begin a formula."""
    return text.replace("$", r"\$")


def short(text: str, most: int = LONGEST_LABEL) -> str:
    """Return a text, cut short if it is long."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _written(shares: np.ndarray) -> list[str]:
    return [f"{share:.0f}" if share >= 100 * WRITTEN_SHARE else "" for share in shares]


def _title(found: Partition | Grid) -> str:
    return f"{plain(short(printable(str(found.name)), 50))}: level {found.level:.3f}"


def add_legend_below(axes: Axes, drawn: Sequence[Any], names: Sequence[str]) -> None:
    """Add a legend below the plot."""
    columns = min(4, len(names))
    add_legend(axes, drawn, names, ncols=columns, loc="upper center", bbox_to_anchor=(0.5, -0.14))


def add_legend(axes: Axes, drawn: Sequence[Any], names: Sequence[str], **options: Any) -> None:
    """Add a legend; matplotlib ignores labels that begin with an underscore, so add a space."""
    legend = axes.legend(drawn, [f" {name}" for name in names], frameon=False, **options)
    for handle, text, name in zip(drawn, legend.get_texts(), map(plain, names), strict=True):
        handle.set_label(name)
        text.set_text(name)


def annotate_rest(axes: Axes, rest: int) -> None:
    """Write how many parts are not drawn."""
    if rest > 0:
        axes.annotate(f"... {rest} more parts", (1, 1.01), xycoords="axes fraction", ha="right")

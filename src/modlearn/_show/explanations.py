"""Where the scores of rows come from: as text, as bars for notebooks, and as a waterfall plot."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from modlearn._model.additive import Explanation
from modlearn._show.phrases import counted, visible
from modlearn._show.plots import axes_for, plain
from modlearn._show.tables import CELL_STYLE, COLORS, GRAY, aligned
from modlearn.schema import class_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["explanation_as_html", "explanation_as_text", "numbers", "plot_row"]

MOST_ROWS = 5
"""Most rows that are displayed one by one; of more, the mean is shown as text."""

MOST_TERMS = 12
"""Most variables of a row that are displayed; the sum of the others is one more."""

LONGEST_NAME = 40

BAR_WIDTH = 220
"""Length of two opposite bars in a notebook, in pixels."""


@dataclass(frozen=True)
class Evidence:
    """How a row comes to its score: positive numbers speak for a class, strongest first.

    ``title`` names the score: the log odds of the class of interest, or, if there are more than
    two classes, the score of the most probable class minus that of the next one.
    """

    title: str
    names: list[str]
    added: NDArray[np.float64]
    base: float
    score: float


def explanation_as_text(shown: Explanation) -> str:
    """Return the mean over the rows; the terms that separate the classes most come first."""
    toward = "toward " if len(shown.classes) == 2 else ""
    shown = shown.signed()
    means = shown.contributions.mean(axis=0)
    spread = abs(means[:, 0]) if toward else means.max(axis=1) - means.min(axis=1)
    order = np.argsort(-spread, kind="stable").tolist()
    titles = [f"{toward}{name}" for name in class_names(shown.classes)]
    names = _names(shown)
    lines = [["", *titles], ["(base)", *numbers(shown.base)]]
    lines += [[names[k], *numbers(means[k])] for k in order]
    lines += [["score", *numbers(shown.scores.mean(axis=0))]]
    heading = [f"mean of {len(shown):,} rows"] if len(shown) > 1 else []
    return "\n".join([*heading, *aligned(lines)])


def numbers(values: NDArray[np.float64]) -> list[str]:
    """Return values with two decimals."""
    return [f"{value:.2f}" for value in (values.round(2) + 0.0).tolist()]


def explanation_as_html(shown: Explanation) -> str:
    """Return a table with bars per row; of many rows, the mean as text."""
    if not 0 < len(shown) <= MOST_ROWS:
        return f"<pre>{escape(str(shown))}</pre>"
    return "".join(_row_as_html(shown, row) for row in range(len(shown)))


def plot_row(shown: Explanation, row: int = 0, ax: Axes | None = None) -> Axes:
    """Draw how a row comes to its score: from the base, a step per variable, strongest first."""
    found = _evidence(shown, row)
    axes = axes_for(ax)
    steps = np.concatenate(([found.base], found.added))
    ends = np.cumsum(steps)
    starts = np.concatenate(([0.0], ends[:-1]))
    colors = [GRAY, *(COLORS[0] if value > 0 else COLORS[1] for value in found.added), GRAY]
    names = ["base", *found.names, "score"]
    lengths, lefts = [*steps, found.score], [*starts, 0.0]
    bars = axes.barh(range(len(names)), lengths, left=lefts, color=colors, height=0.7)
    texts = [*numbers(steps[:1]), *(f"{value:+.2f}" for value in found.added)]
    axes.bar_label(bars, [*texts, *numbers(np.array([found.score]))], padding=3, fontsize="small")
    # A thin line leads from the end of a step to the beginning of the next one.
    axes.vlines(ends, np.arange(len(ends)) - 0.35, np.arange(len(ends)) + 1.35, GRAY, linewidth=0.7)
    axes.axvline(0, color=GRAY, linewidth=0.7, linestyle="--")
    axes.set_yticks(range(len(names)), [plain(name) for name in names])
    axes.invert_yaxis()
    axes.use_sticky_edges = False  # room for the numbers, also at 0
    axes.margins(x=0.12, y=0.03)
    axes.set(xlabel=plain(found.title), title=f"Row {row}")
    return axes


def _evidence(shown: Explanation, row: int) -> Evidence:
    """Return the steps of a row; those beyond the strongest are summed up in one."""
    if not -len(shown) <= row < len(shown):
        raise IndexError(
            f"row is {row}, but {counted(len(shown), 'row')} are explained, numbered from 0."
        )
    signed = shown.signed()
    base, added, scores = signed.base, signed.contributions[row], signed.scores[row]
    classes = [visible(name, LONGEST_NAME) for name in class_names(signed.classes)]
    if len(classes) > 1:
        first, second = np.argsort(-scores, kind="stable")[:2]
        difference = np.zeros(len(classes))
        difference[[first, second]] = 1.0, -1.0
        title = f"evidence for {classes[first]} over {classes[second]} (nats)"
    else:
        difference, title = np.ones(1), f"log odds of {classes[0]}"
    values = added @ difference
    order = np.argsort(-abs(values), kind="stable")
    names, kept = _names(shown), order[: MOST_TERMS if len(order) > MOST_TERMS + 1 else None]
    rest = order[len(kept) :]
    return Evidence(
        title,
        [*(names[k] for k in kept), *([f"{len(rest):,} others"] if len(rest) else [])],
        np.array([*values[kept], *([values[rest].sum()] if len(rest) else [])]),
        float(base @ difference),
        float(scores @ difference),
    )


def _names(shown: Explanation) -> list[str]:
    """Return the names of columns, and of pairs of columns."""
    names = (name if isinstance(name, tuple) else (name,) for name in shown.names)
    return [" × ".join(visible(str(one), LONGEST_NAME) for one in name) for name in names]


def _row_as_html(shown: Explanation, row: int) -> str:
    found = _evidence(shown, row)
    values = np.array([found.base, *found.added])
    most = max(1e-9, float(abs(values).max()))
    bars = [_bar(value / most, text) for value, text in zip(values, numbers(values), strict=True)]
    texts = numbers(np.array([*values, found.score]))
    cells = "".join(
        f'<tr><td style="{CELL_STYLE}">{escape(name)}</td><td>{bar}</td>'
        f'<td style="text-align:right;padding:1px 0 1px 12px">{text}</td></tr>'
        for name, bar, text in zip(["base", *found.names, "score"], [*bars, ""], texts, strict=True)
    )
    heading = f"Row {row}: " if len(shown) > 1 else ""
    return (
        f'<div style="margin:0 0 1.2em 0"><b>{heading}{escape(found.title)}</b>'
        f'<table style="border-collapse:collapse">{cells}</table></div>'
    )


def _bar(share: float, text: str) -> str:
    """Return a bar to the right of the middle if it is positive, else to the left."""
    middle, length = BAR_WIDTH / 2, BAR_WIDTH / 2 * abs(share)
    return (
        f'<svg width="{BAR_WIDTH}" height="12" role="img" aria-label="{text}">'
        f'<rect x="{middle if share > 0 else middle - length:.1f}" width="{length:.1f}" '
        f'height="12" fill="{COLORS[0] if share > 0 else COLORS[1]}"/>'
        f'<rect x="{middle}" width="1" height="12" fill="{GRAY}"/></svg>'
    )

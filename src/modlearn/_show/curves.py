"""What a column, pair or tree adds to the scores, with bands, as facts and as matplotlib plots."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import NormalDist
from textwrap import wrap
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from modlearn._model.additive import AdditiveModel, Term
from modlearn._model.grid import Grid
from modlearn._model.partitions import Intervals
from modlearn._model.tree import Tree
from modlearn._model.uncertainty import effects
from modlearn._show.partition import printable
from modlearn._show.phrases import counted
from modlearn._show.plots import (
    MOST_PARTS,
    add_legend_below,
    annotate_rest,
    axes_for,
    plain,
    short,
)
from modlearn._show.positions import positions_of
from modlearn._show.summary import cut_texts
from modlearn._show.tables import COLORS, GRAY
from modlearn.errors import ColumnError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["find_term", "plot_term", "term_of"]

BAND = NormalDist().inv_cdf(0.975)
"""Standard deviations on either side of a score that hold 95 %."""

MOST_CURVES = len(COLORS)
"""Most classes that are drawn, the most frequent ones."""

HISTOGRAM = 0.22
"""Share of the height that the histogram takes."""

WIDEST = 60
"""Characters of labels that stand next to each other; more are turned."""

LONGEST_LINE, MOST_LINES = 40, 4
"""Characters of a line of a path, and lines of a path."""

TURNED: dict[str, Any] = {"rotation": 30, "ha": "right"}

Array = NDArray[np.float64]


@dataclass(frozen=True)
class _TermScores:
    """Scores of the parts of a term, of the class of interest or of each class.

    Parameters
    ----------
    term : Term
        The term.
    names : list of str
        The classes that are drawn, C of them.
    scores, deviations : ndarrays of shape (I, C)
        Centered scores and their standard deviations; of two classes, log odds.
    """

    term: Term
    names: list[str]
    scores: Array
    deviations: Array

    @classmethod
    def of(cls, term: Term, positive: int | None) -> _TermScores:
        """Take the log odds of the class of interest, or scores of the most frequent classes."""
        scores, deviations = effects(term)
        names = term.parts.class_names
        if len(names) == 2:
            one = 1 if positive is None else positive
            # Both scores are as far from their mean.
            return cls(term, [names[one]], 2 * scores[:, [one]], 2 * deviations[:, [one]])
        rows = term.counts.sum(axis=0)
        kept = np.sort(np.argsort(-rows, kind="stable")[:MOST_CURVES])
        return cls(term, [names[j] for j in kept], scores[:, kept], deviations[:, kept])

    @property
    def rows(self) -> NDArray[np.int64]:
        """Labeled rows of each part."""
        return np.asarray(self.term.scored.cells.sum(axis=1))

    @property
    def what(self) -> str:
        """What the scores are."""
        one = plain(short(self.names[0]))
        return f"log odds of {one}" if len(self.names) == 1 else "score"

    @property
    def title(self) -> str:
        """Name and weight of the term."""
        name = " × ".join(printable(str(one)) for one in self.term.columns)
        return f"{plain(short(name, 50))}: weight {self.term.weight:.2f}"


def find_term(model: AdditiveModel, name: Any) -> Term | None:
    """Return the term of a column, or of several columns in any order; None if there is none."""
    pair = tuple(name) if isinstance(name, tuple | list) else ()
    for term in model.terms:
        if term.name == name or (len(pair) > 1 and set(term.columns) == set(pair)):
            return term
    return None


def term_of(model: AdditiveModel, name: Any) -> Term:
    """Return the term of a column, or of the columns of a pair or a tree."""
    term = find_term(model, name)
    if term is not None:
        return term
    known = ", ".join(repr(term.name) for term in model.terms[:20])
    raise ColumnError(f"The model has no column, pair or tree {name!r}: pass one of {known}.")


def plot_term(term: Term, positive: int | None = None, ax: Axes | None = None) -> Axes:
    """Draw a curve over numbers, bars of categories or leaves, or a heat map of a pair."""
    drawn, axes = _TermScores.of(term, positive), axes_for(ax)
    if isinstance(term.scored, Grid):
        _draw_grid(axes, drawn, term.scored)
    elif isinstance(term.scored, Intervals):
        _draw_curves(axes, drawn, term.scored)
    elif isinstance(term.scored, Tree):
        _draw_bars(axes, drawn, [_path_lines(paths) for paths in term.scored.paths[:MOST_PARTS]])
        axes.tick_params(axis="y", labelsize="small")
    else:
        _draw_bars(axes, drawn, [plain(short(label)) for label in term.scored.labels[:MOST_PARTS]])
    # Paths take much of the width: the title of a tree begins above them.
    axes.set_title(drawn.title, loc="right" if isinstance(term.scored, Tree) else "center")
    return axes


def _path_lines(paths: list[str]) -> str:
    """Return the first path to a leaf in a few lines, and the number of the others."""
    lines = wrap(plain(paths[0]), LONGEST_LINE, max_lines=MOST_LINES, placeholder=" …")
    more = len(paths) - 1
    return "\n".join([*lines, *([f"or {counted(more, 'other path')}"] if more else [])])


def _draw_curves(axes: Axes, drawn: _TermScores, bins: Intervals) -> None:
    """Draw steps with bands over values, and below them how many rows have these values."""
    edges, written = positions_of(bins)
    texts = cut_texts(bins)
    ticks = [(at, texts[i]) for at, i in written]
    first = int(bins.missing_alone)
    width = edges[-1] - edges[0]
    if first:
        # Missing values stand apart, to the left of all others.
        ticks = [(edges[0] - 0.06 * width, "missing"), *ticks]
    handles = []
    for c in range(len(drawn.names)):
        scores, band = drawn.scores[first:, c], BAND * drawn.deviations[first:, c]
        low, high = scores - band, scores + band
        axes.fill_between(
            edges, np.append(low, low[-1]), np.append(high, high[-1]),
            step="post", alpha=0.2, color=COLORS[c], linewidth=0,
        )  # fmt: skip
        handles.append(axes.stairs(scores, edges, baseline=None, color=COLORS[c], linewidth=1.6))
        if first:
            apart = edges[0] - (0.06 + 0.015 * c) * width
            score, error = drawn.scores[0, c], BAND * drawn.deviations[0, c]
            axes.errorbar(apart, score, error, color=COLORS[c], marker="o", capsize=2, markersize=4)
    axes.axhline(0, color=GRAY, linewidth=0.8, linestyle="--")
    _add_histogram(axes, drawn.rows[first:] / np.diff(edges), edges)
    axes.set_xticks([at for at, _ in ticks], [plain(text) for _, text in ticks])
    axes.set(ylabel=drawn.what, xlabel=plain(short(printable(str(bins.name)), 50)))
    if len(drawn.names) > 1:
        add_legend_below(axes, handles, drawn.names)


def _add_histogram(axes: Axes, heights: Array, edges: Array) -> None:
    """Draw rows per unit of value at the bottom, below the curves."""
    low, high = axes.get_ylim()
    axes.set_ylim(low - HISTOGRAM * (high - low), high)
    below = axes.twinx()
    below.stairs(heights, edges, fill=True, color=GRAY, alpha=0.45)
    below.set_ylim(0, max(float(heights.max()), 1e-300) / HISTOGRAM * (1 + HISTOGRAM) / 0.9)
    below.axis("off")


def _draw_bars(axes: Axes, drawn: _TermScores, labels: list[str]) -> None:
    """Draw a bar with its error per category or leaf and class, the most frequent one on top."""
    n, C = len(labels), len(drawn.names)
    height = 0.8 / C
    handles = []
    for c in range(C):
        at = np.arange(n) + (c - (C - 1) / 2) * height
        handles.append(
            axes.barh(
                at,
                drawn.scores[:n, c],
                height * 0.95,
                xerr=BAND * drawn.deviations[:n, c],
                color=COLORS[c],
                error_kw={"ecolor": "#555555", "elinewidth": 1, "capsize": 2},
            )
        )
    axes.axvline(0, color=GRAY, linewidth=0.8)
    texts = [f"{label}  ({rows:,})" for label, rows in zip(labels, drawn.rows, strict=False)]
    axes.set_yticks(range(n), texts)
    axes.invert_yaxis()
    axes.set(xlabel=drawn.what)
    if C > 1:
        add_legend_below(axes, handles, drawn.names)
    annotate_rest(axes, drawn.term.scored.n_parts - n)


def _draw_grid(axes: Axes, drawn: _TermScores, grid: Grid) -> None:
    """Draw the score of each cell: of the class of interest, or of the class that gains most."""
    shape = grid.counts.shape[:2]
    cut = (slice(MOST_PARTS), slice(MOST_PARTS))
    scores = drawn.scores.reshape(*shape, -1)[cut]
    band = BAND * drawn.deviations.reshape(*shape, -1)[cut]
    shown = scores.argmax(axis=2)[:, :, None]
    values = np.take_along_axis(scores, shown, 2)[:, :, 0]
    most = max(float(np.abs(values).max()), 1e-9)
    axes.imshow(values, cmap="PuOr_r", vmin=-most, vmax=most, aspect="auto")
    for (a, b), value in np.ndenumerate(values):
        j = int(shown[a, b, 0])
        text = f"{value:+.2f} ± {band[a, b, j]:.2f}"
        if len(drawn.names) > 1:
            text = f"{plain(short(drawn.names[j], 12))}\n{text}"
        strong = abs(value) > 0.7 * most
        axes.text(
            b, a, text, ha="center", va="center", fontsize="small",
            color="white" if strong else "black",
        )  # fmt: skip
    for set_ticks, axis in ((axes.set_yticks, grid.axes[0]), (axes.set_xticks, grid.axes[1])):
        labels = [plain(short(label)) for label in axis.labels[:MOST_PARTS]]
        turned = axis is grid.axes[1] and sum(map(len, labels)) > WIDEST
        set_ticks(range(len(labels)), labels, **TURNED if turned else {})
    first, second = (plain(short(printable(str(name)))) for name in grid.names)
    axes.set(ylabel=first, xlabel=second)
    annotate_rest(axes, max(axis.n_parts for axis in grid.axes) - MOST_PARTS)

"""Model objects as a line, a text, HTML and a plot: whatever the user prints."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from modlearn._model.additive import AdditiveModel, Explanation, Term
from modlearn._model.evaluation import DataWarning, Evaluation, Note
from modlearn._model.grid import Grid
from modlearn._model.partitions import Partition
from modlearn._model.tree import Tree
from modlearn._show import partition as partitions
from modlearn._show.explanations import explanation_as_html, explanation_as_text, numbers, plot_row
from modlearn._show.grid import grid_as_html, grid_as_text, grid_headline
from modlearn._show.phrases import counted, mean_and_spread
from modlearn._show.tables import aligned
from modlearn._show.tree import tree_as_text, tree_headline
from modlearn._show.words import note_sentence, warning_sentence
from modlearn.schema import class_names

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["as_html", "as_text", "one_line", "plot", "plot_name", "plot_row"]


def one_line(shown: Any) -> str:
    """Return a description of an object in one line."""
    match shown:
        case Partition():
            return f"<{type(shown).__name__} {partitions.headline(shown)}>"
        case Grid():
            return f"<Grid {grid_headline(shown)}>"
        case Tree():
            return f"<Tree {tree_headline(shown)}>"
        case Explanation():
            return (
                f"<Explanation of {len(shown):,} rows by {len(shown.names)} variables, "
                f"{len(shown.classes)} classes>"
            )
        case Evaluation():
            return _evaluation_line(shown)
        case Term():
            return (
                f"<Term of {_name(shown)}: weight {shown.weight:.2f}, "
                f"{shown.scored.n_parts} parts, {shown.table.shape[1]} classes>"
            )
        case DataWarning() | Note():
            return f"<{type(shown).__name__} {shown.kind}: {as_text(shown)}>"
        case AdditiveModel():
            trees = f"{counted(len(shown.trees), 'tree')}, " if shown.trees else ""
            return (
                f"<AdditiveModel of {len(shown.classes)} classes: {len(shown.schema.columns)} "
                f"columns, {len(shown.grids)} pairs, {trees}{len(shown.used_terms)} terms with a "
                "weight>"
            )
    raise TypeError(f"{type(shown).__name__} has no line.")


def as_text(shown: Any) -> str:
    """Return an object as a table of text."""
    match shown:
        case Partition():
            return partitions.as_text(shown)
        case Grid():
            return grid_as_text(shown)
        case Tree():
            return tree_as_text(shown)
        case Explanation() if len(shown):
            return explanation_as_text(shown)
        case Term():
            return "\n".join([one_line(shown)[1:-1], *_score_lines(shown)])
        case AdditiveModel():
            return _model_text(shown)
        case DataWarning():
            return warning_sentence(shown.to_dict())
        case Note():
            return note_sentence(shown.to_dict())
    return one_line(shown)


def as_html(shown: Any) -> str:
    """Return an object as self-contained HTML."""
    match shown:
        case Partition():
            return partitions.as_html(shown)
        case Grid():
            return grid_as_html(shown)
        case Explanation():
            return explanation_as_html(shown)
    return f"<pre>{escape(as_text(shown))}</pre>"


def plot(shown: Any, ax: Axes | None = None) -> Axes:
    """Draw an object with matplotlib."""
    from modlearn._show.plots import plot_grid, plot_partition

    return plot_grid(shown, ax) if isinstance(shown, Grid) else plot_partition(shown, ax)


def plot_name(
    model: AdditiveModel, name: Any, positive: int | None = None, ax: Axes | None = None
) -> Axes:
    """Draw what a column or a pair adds to the scores."""
    from modlearn._show.curves import plot_term, term_of

    return plot_term(term_of(model, name), positive, ax)


def _name(term: Term) -> str:
    return partitions.printable(" × ".join(map(str, term.columns)))


def _evaluation_line(shown: Evaluation) -> str:
    accuracy = " ".join(filter(None, mean_and_spread(vars(shown.measures["accuracy"]))))
    how = {"forward in time": shown.how, "test file": "on another table"}.get(
        shown.how, f"by {shown.how}"
    )
    return f"<Evaluation {how}, {shown.n_test:,} test rows: accuracy {accuracy}>"


def _score_lines(term: Term) -> list[str]:
    """Return the scores of the parts before they are weighted."""
    header = ["", *class_names(term.parts.classes)]
    lines = zip(term.scored.labels[: partitions.MOST_PARTS], term.table, strict=False)
    return aligned([header, *([label, *numbers(scores)] for label, scores in lines)])


def _model_text(model: AdditiveModel) -> str:
    """Return the terms with a weight, largest first."""
    terms = sorted(model.used_terms, key=lambda term: -term.weight)
    lines = [["", "weight", "level", "parts"]]
    lines += [
        [_name(t), f"{t.weight:.2f}", f"{t.level:.3f}", f"{t.parts.n_parts:,}"] for t in terms
    ]
    return "\n".join([one_line(model)[1:-1], *(aligned(lines) if terms else [])])

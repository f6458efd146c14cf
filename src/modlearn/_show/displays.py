"""Plots of an evaluation: scikit-learn's displays, and one for lift, which it does not have."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from modlearn._show.plots import add_legend, axes_for, plain
from modlearn._show.tables import COLORS, GRAY

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["KINDS", "LiftDisplay", "plot_evaluation"]

KINDS = ("roc", "lift", "calibration", "confusion")
"""What can be drawn."""

MOST_COLORED = len(COLORS) - 1
"""Most curves with a color and a name each; with more, only the one with the lowest AUC."""

MOST_WRITTEN = 15
"""Most classes for which numbers are written into the cells of a confusion matrix."""

Summary = Mapping[str, Any]
Curves = Sequence[Mapping[str, Any]]


def plot_evaluation(summary: Summary, kind: str, ax: Axes | None = None) -> Any:
    """Return a display of an evaluation, drawn on existing axes or on a new figure.

    ``kind`` is "roc", "lift", "calibration" or "confusion". The display has ``ax_`` and
    ``figure_``; for several ROC curves, it is the display of the last one.
    """
    if kind not in KINDS:
        raise ValueError(
            f"kind is {kind!r}: use one of {', '.join(map(repr, KINDS))}, or a column of the model."
        )
    if summary["evaluation"] is None:
        raise ValueError(
            "There is no evaluation to plot, because an analysis has no classifier: train one with "
            "modlearn.fit."
        )
    kinds = dict(zip(KINDS, (_roc, _lift, _calibration, _confusion), strict=True))
    display = kinds[kind](summary, axes_for(ax))
    display.ax_.set_title({"roc": "ROC"}.get(kind, kind.capitalize()))
    return display


def _roc(summary: Summary, axes: Axes) -> Any:
    from sklearn.metrics import RocCurveDisplay

    evaluation, names = summary["evaluation"], _names(summary)
    curves = evaluation["curves"]
    pooled = "pooled " if (evaluation.get("n_folds") or 1) > 1 else ""
    axes.plot([0, 1], [0, 1], color=GRAY, linestyle="--", linewidth=1)
    # If all test rows belong to one class, there is no curve: draw an empty one, with a name for
    # the legend, which scikit-learn 1.6 draws in any case.
    display = RocCurveDisplay(fpr=np.zeros(0), tpr=np.zeros(0))
    lines = []
    for curve in _in_order(curves):
        fpr, tpr = np.transpose(curve["roc"])
        display = RocCurveDisplay(fpr=fpr, tpr=tpr, roc_auc=curve["auc"]).plot(ax=axes)
        lines.append(display.line_)
    if not lines:
        return display.plot(ax=axes, name="no curve: one class in the test rows")
    texts = [f"{names[c['class']]} ({pooled}AUC {c['auc']:.3f})" for c in _in_order(curves)]
    _style(axes, lines, texts)
    return display


class LiftDisplay:
    """The share of a class that is found in the first rows, ranked by probability.

    ``plot`` draws on existing axes or on a new figure, and sets ``ax_`` and ``figure_``.
    """

    def __init__(self, curves: Curves, classes: Sequence[str]) -> None:
        self.curves = curves
        self.classes = classes

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw the curves and return the display."""
        axes = self.ax_ = axes_for(ax)
        self.figure_ = axes.figure
        axes.plot([0, 1], [0, 1], color=GRAY, linestyle="--", linewidth=1)
        curves = _in_order(self.curves)
        lines = [axes.plot(*np.transpose(curve["lift"]))[0] for curve in curves]
        axes.set(xlabel="share of rows", ylabel="share of the class found")
        axes.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), aspect="equal")
        _style(axes, lines, [self.classes[curve["class"]] for curve in curves])
        return self


def _lift(summary: Summary, axes: Axes) -> LiftDisplay:
    return LiftDisplay(summary["evaluation"]["curves"], _names(summary)).plot(axes)


def _in_order(curves: Curves) -> Curves:
    """Return the curves; if there are too many for colors, the named one comes last, on top."""
    is_crowded = len(curves) > MOST_COLORED
    return sorted(curves, key=lambda curve: -curve["auc"]) if is_crowded else curves


def _style(axes: Axes, lines: Sequence[Any], names: Sequence[str]) -> None:
    """Color and name the curves; if there are too many, only the last one."""
    is_crowded = len(lines) > MOST_COLORED
    for line in lines[:-1] if is_crowded else ():
        line.set(color=GRAY, alpha=0.3, linewidth=1)
    named = lines[-1:] if is_crowded else lines
    for line, color in zip(named, COLORS, strict=False):
        line.set_color(color)
    if named:
        add_legend(axes, named, names[-len(named) :], loc="lower right")


def _calibration(summary: Summary, axes: Axes) -> Any:
    from sklearn.calibration import CalibrationDisplay

    positive, bins = summary["positive"], summary["evaluation"]["calibration"]
    of = "the predicted class" if positive is None else _names(summary)[positive]
    predicted, observed, rows = (
        np.array([one[key] for one in bins]) for key in ("predicted", "observed", "rows")
    )
    display = CalibrationDisplay(observed, predicted, predicted)
    display.plot(ax=axes, color=COLORS[0], marker="")
    axes.scatter(predicted, observed, 15 + 120 * rows / max(1, rows.max(initial=0)), COLORS[0])
    axes.set(xlabel=f"probability of {plain(of)}", ylabel="observed share")
    axes.set(xlim=(-0.03, 1.03), ylim=(-0.03, 1.03), aspect="equal")
    return display


def _confusion(summary: Summary, axes: Axes) -> Any:
    from sklearn.metrics import ConfusionMatrixDisplay

    positive, names = summary["positive"], [plain(name) for name in _names(summary)]
    # The class of interest comes first; sorting keeps the order of the others.
    order = sorted(range(len(names)), key=lambda j: j != positive)
    names = [names[j] for j in order]
    is_turned = len(names) > 4 and max(map(len, names)) > 3
    return ConfusionMatrixDisplay(
        np.array(summary["evaluation"]["confusion"])[np.ix_(order, order)], display_labels=names
    ).plot(
        ax=axes,
        cmap="Blues",
        colorbar=False,
        include_values=len(names) <= MOST_WRITTEN,
        values_format=",d",
        xticks_rotation="vertical" if is_turned else "horizontal",
    )


def _names(summary: Summary) -> list[str]:
    return [group["name"] for group in summary["classes"]]

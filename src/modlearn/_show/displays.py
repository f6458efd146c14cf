"""Pictures of an evaluation through matplotlib, in the manner of scikit-learn's displays.

Each is made from a summary, keeps what it draws, and has ``plot(ax=None)``, which sets ``ax_``
and ``figure_`` and returns the display.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from modlearn._show.partition import COLORS
from modlearn._show.plots import add_legend, axes_for, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure, SubFigure

__all__ = ["CalibrationDisplay", "ConfusionDisplay", "LiftDisplay", "RocDisplay"]

MOST_COLORED = len(COLORS) - 1
"""Curves with a color and a name; of more, all are grey but the one with the least AUC."""

MOST_WRITTEN = 15
"""Classes whose numbers are written into the cells of a confusion matrix."""


class EvaluationDisplay:
    """Base of the displays.

    Attributes
    ----------
    ax_ : matplotlib Axes
        What was drawn on.
    figure_ : matplotlib Figure
        Its figure.
    """

    ax_: Axes
    figure_: Figure | SubFigure

    @classmethod
    def from_summary(cls, summary: Mapping[str, Any]) -> Self:
        """Return the display of an evaluation.

        Parameters
        ----------
        summary : mapping
            A report as a dict.

        Returns
        -------
        display
        """
        return cls(*cls._kept(summary))

    @classmethod
    def _kept(cls, summary: Mapping[str, Any]) -> tuple[Any, ...]:
        """What the display is made of."""
        raise NotImplementedError

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw, on given axes or on a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, default=None
            Where to draw; None = on a new figure.

        Returns
        -------
        self
        """
        self.ax_ = axes_for(ax)
        self.figure_ = self.ax_.figure
        self._draw(self.ax_)
        return self

    def _draw(self, axes: Axes) -> None:
        raise NotImplementedError


class _CurvesDisplay(EvaluationDisplay):
    """Curves of one class against the rest."""

    key: str
    title: str
    labels: tuple[str, str]

    def __init__(self, curves: Sequence[Mapping[str, Any]], classes: Sequence[str]) -> None:
        self.curves = curves
        self.classes = classes

    @classmethod
    def _kept(cls, summary: Mapping[str, Any]) -> tuple[Any, ...]:
        return _evaluation(summary)["curves"], _names(summary)

    def _draw(self, axes: Axes) -> None:
        axes.plot([0, 1], [0, 1], color="#888888", linestyle="--", linewidth=1)
        crowded = len(self.curves) > MOST_COLORED
        # The one that is named is drawn last, on top of the others.
        ordered = sorted(self.curves, key=lambda curve: -curve["auc"]) if crowded else self.curves
        lines, names = [], []
        for k, curve in enumerate(ordered):
            named = not crowded or k == len(ordered) - 1
            lines += axes.plot(*np.transpose(curve[self.key]), **_look(k, named, crowded))
            names += [self._label(curve)] * named
        axes.set(xlabel=self.labels[0], ylabel=self.labels[1], title=self.title)
        axes.set(xlim=(-0.01, 1.01), ylim=(-0.01, 1.01), aspect="equal")
        if self.curves:  # there are none where all test rows are of one class
            add_legend(axes, lines[-len(names) :], names, loc="lower right")

    def _label(self, curve: Mapping[str, Any]) -> str:
        return self.classes[curve["class"]]


def _look(place: int, named: bool, crowded: bool) -> dict[str, Any]:
    """Color and width of a curve."""
    if not named:
        return {"color": "#888888", "alpha": 0.3, "linewidth": 1}
    return {"color": COLORS[0] if crowded else COLORS[place]}


class RocDisplay(_CurvesDisplay):
    """ROC curves, one class against the rest."""

    key, title = "roc", "ROC"
    labels = "false alarms", "found"

    def _label(self, curve: Mapping[str, Any]) -> str:
        return f"{super()._label(curve)} (AUC {curve['auc']:.3f})"


class LiftDisplay(_CurvesDisplay):
    """How much of a class is found after how many rows, the most probable first."""

    key, title = "lift", "Lift"
    labels = "rows looked at", "share of the class found"


class CalibrationDisplay(EvaluationDisplay):
    """How often what was said with a probability came true."""

    def __init__(self, bins: Sequence[Mapping[str, Any]], of: str) -> None:
        self.bins = bins
        self.of = of

    @classmethod
    def _kept(cls, summary: Mapping[str, Any]) -> tuple[Any, ...]:
        positive = summary["positive"]
        of = "the predicted class" if positive is None else _names(summary)[positive]
        return _evaluation(summary)["calibration"], of

    def _draw(self, axes: Axes) -> None:
        said, true, rows = (
            np.array([one[key] for one in self.bins]) for key in ("predicted", "observed", "rows")
        )
        axes.plot([0, 1], [0, 1], color="#888888", linestyle="--", linewidth=1)
        axes.plot(said, true, color=COLORS[0])
        axes.scatter(said, true, 15 + 120 * rows / max(1, rows.max(initial=0)), color=COLORS[0])
        axes.set(xlabel=f"probability of {plain(self.of)}", ylabel="share that came true")
        axes.set(title="Calibration", xlim=(-0.03, 1.03), ylim=(-0.03, 1.03), aspect="equal")


class ConfusionDisplay(EvaluationDisplay):
    """True against predicted classes: rows, shaded by the share of the true class."""

    def __init__(self, confusion: Sequence[Sequence[int]], classes: Sequence[str]) -> None:
        self.confusion = confusion
        self.classes = classes

    @classmethod
    def _kept(cls, summary: Mapping[str, Any]) -> tuple[Any, ...]:
        return _evaluation(summary)["confusion"], _names(summary)

    def _draw(self, axes: Axes) -> None:
        counts = np.array(self.confusion)
        shares = counts / np.maximum(1, counts.sum(axis=1, keepdims=True))
        axes.imshow(shares, cmap="Blues", vmin=0, vmax=1)
        if len(counts) <= MOST_WRITTEN:
            for (a, b), n in np.ndenumerate(counts):
                ink = "white" if shares[a, b] > 0.5 else "black"
                axes.text(b, a, f"{n:,}", ha="center", va="center", color=ink)
        names = [plain(name) for name in self.classes]
        turned = 90 if max(map(len, names)) > 3 and len(names) > 4 else 0
        axes.set_xticks(range(len(names)), names, rotation=turned)
        axes.set_yticks(range(len(names)), names)
        axes.set(xlabel="predicted class", ylabel="true class", title="Confusion")


def _evaluation(summary: Mapping[str, Any]) -> Mapping[str, Any]:
    if summary["evaluation"] is None:
        raise ValueError(
            "This report has no evaluation to draw: it is of an analysis, not of a classifier."
        )
    evaluation: Mapping[str, Any] = summary["evaluation"]
    return evaluation


def _names(summary: Mapping[str, Any]) -> list[str]:
    return [group["name"] for group in summary["classes"]]

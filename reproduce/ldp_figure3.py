"""kNN-LDP, figure 3: the first rows being labeled, step by step."""

import sys

import numpy as np
from matplotlib.axes import Axes
from matplotlib.colors import to_rgb
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import NDArray
from sklearn.datasets import make_moons
from sklearn.neighbors import NearestNeighbors

from modlearn import LabelDistributionPropagation
from reproduce.output import BLUE, GRAY, ORANGE, run

NEIGHBORS = 4
LABELED_PER_CLASS = 2
LEAST_DISTANCE = 0.24
"""Smallest distance between two points, so that they can be told apart."""
STEPS = (0, 1, 2, 3, 12, None)
"""Steps after which a picture is taken; None = all."""


def compute() -> dict:
    """Points, labels, neighbors, the order of decisions, and what is known after each step."""
    points, classes = _points()
    labels = _labels(classes)
    fitted = LabelDistributionPropagation(NEIGHBORS, sweeps=0, representation="raw")
    fitted.fit(points, labels)
    search = NearestNeighbors(n_neighbors=NEIGHBORS).fit(points)
    neighbors = search.kneighbors(return_distance=False)
    states = replay(labels, neighbors, fitted.order_)
    known = fitted.label_distributions_ * (1 - fitted.unknown_mass_)[:, None]
    np.testing.assert_allclose(states[-1], known, atol=1e-12)
    return {
        "points": points.tolist(),
        "labels": labels.tolist(),
        "neighbors": neighbors.tolist(),
        "order": fitted.order_.tolist(),
        "known after each step": np.round(states, 6).tolist(),
    }


def _points() -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Two moons, points left out that are too near to earlier ones."""
    points, classes = make_moons(400, noise=0.12, random_state=4)
    kept: list[int] = []
    for row, point in enumerate(points):
        if all(np.linalg.norm(points[other] - point) >= LEAST_DISTANCE for other in kept):
            kept.append(row)
    return points[kept], classes[kept]


def _labels(classes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Labels of a few rows of each class, -1 for others."""
    random = np.random.default_rng(1)
    labels = np.full(len(classes), -1)
    for code in np.unique(classes):
        rows = np.flatnonzero(classes == code)
        labels[random.choice(rows, LABELED_PER_CLASS, replace=False)] = code
    return labels


def replay(
    labels: NDArray[np.int64], neighbors: NDArray[np.int64], order: NDArray[np.int32]
) -> list[NDArray[np.float64]]:
    """Pr(c|x) of all rows (n, J) before and after each step: Eq. 5, a row at a time."""
    state = np.zeros((len(labels), labels.max() + 1))
    labeled = np.flatnonzero(labels >= 0)
    state[labeled, labels[labeled]] = 1.0
    states = [state]
    for row in order:
        state = state.copy()
        state[row] = state[neighbors[row]].mean(axis=0)
        states.append(state)
    return states


def draw(numbers: dict) -> Figure:
    """A panel per state."""
    figure = Figure(figsize=(13, 6.4))
    panels = figure.subplots(2, 3, sharex=True, sharey=True).ravel()
    for axes, step in zip(panels, STEPS, strict=True):
        n_steps = len(numbers["order"]) if step is None else step
        _draw_state(axes, numbers, n_steps)
        axes.set_title(_title(numbers, n_steps))
        axes.set_xticks([])
        axes.set_yticks([])
        axes.set_aspect("equal")
        axes.margins(0.08)
        axes.spines[:].set_visible(True)
        axes.spines[:].set_color("#cccccc")
    figure.legend(handles=_legend(), loc="outside lower center", ncols=5)
    return figure


def _title(numbers: dict, n_steps: int) -> str:
    if n_steps == 0:
        return f"Before: {sum(label >= 0 for label in numbers['labels'])} labels"
    if n_steps == len(numbers["order"]):
        return f"After all {n_steps} steps"
    row = numbers["order"][n_steps - 1]
    mass = sum(numbers["known after each step"][n_steps][row])
    return f"After step {n_steps}: w = {mass:.3g}"


def _draw_state(axes: Axes, numbers: dict, n_steps: int) -> None:
    """Rows as disks, filled as far as they are known; the row just decided points to its votes."""
    points, order = np.array(numbers["points"]), numbers["order"]
    state = np.array(numbers["known after each step"][n_steps])
    labeled = np.array(numbers["labels"]) >= 0
    for shown, marker, size in ((~labeled, "o", 210), (labeled, "s", 190)):
        axes.scatter(
            *points[shown].T, s=size, marker=marker, color=_fills(state[shown]), zorder=2,
            edgecolors="black" if marker == "s" else GRAY, linewidths=1.8 if marker == "s" else 0.8,
        )  # fmt: skip
    for step, row in enumerate(order[:n_steps], start=1):
        axes.text(*points[row], str(step), ha="center", va="center", fontsize=8.5, zorder=4)
    if 0 < n_steps < len(order):
        _draw_arrows(axes, points, order[n_steps - 1], numbers["neighbors"])


def _fills(state: NDArray[np.float64]) -> NDArray[np.float64]:
    """Colors (n, 4): the classes' mixed as they are known; transparent as far as unknown."""
    mass = state.sum(axis=1, keepdims=True)
    shares = np.divide(state, mass, out=np.zeros_like(state), where=mass > 0)
    return np.hstack([shares @ np.array([to_rgb(BLUE), to_rgb(ORANGE)]), mass])


def _draw_arrows(axes: Axes, points: np.ndarray, row: int, neighbors: list) -> None:
    axes.scatter(
        *points[row], s=330, facecolors="none", edgecolors="black", linewidths=1.5, zorder=3
    )
    for other in neighbors[row]:
        axes.annotate(
            "", points[other], points[row], zorder=3,
            arrowprops={"arrowstyle": "-|>", "color": "black", "shrinkA": 9, "shrinkB": 7, "lw": 1},
        )  # fmt: skip


def _legend() -> list[Line2D]:
    """What the signs mean."""
    round_ = {"ls": "", "marker": "o", "ms": 12, "mec": GRAY}
    square = {"ls": "", "marker": "s", "ms": 11, "mec": "black", "mew": 1.8}
    return [
        Line2D([], [], mfc=BLUE, label="label: one class", **square),
        Line2D([], [], mfc=ORANGE, label="label: the other", **square),
        Line2D([], [], mfc="white", label="nothing known", **round_),
        Line2D([], [], mfc="#80B8D8", label="half unknown (number: its step)", **round_),
        Line2D(
            [], [], color="black", marker=">", markevery=[-1], label="to the neighbors that vote"
        ),
    ]


if __name__ == "__main__":
    run(sys.modules[__name__])

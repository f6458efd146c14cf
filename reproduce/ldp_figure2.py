"""kNN-LDP, figure 2: runtime against the number of rows."""

import sys
import warnings
from functools import partial
from typing import Any

import numpy as np
from benchmarks.synthetic import labeled_blobs
from benchmarks.timing import machine, minimum_seconds
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, NullLocator
from sklearn.semi_supervised import LabelPropagation, LabelSpreading

from modlearn import LabelDistributionPropagation
from reproduce.output import BLUE, GRAY, GREEN, ORANGE, run

ROWS = (1_000, 2_000, 5_000, 10_000, 20_000, 50_000)
MOST_DENSE_ROWS = 5_000
"""Most rows for the rbf kernel, which holds rows × rows numbers."""
COLUMNS, CLASSES, NEIGHBORS = 20, 10, 10
REPEATS = 3

KNN = {"kernel": "knn", "n_neighbors": NEIGHBORS, "n_jobs": -1}
RBF = {"kernel": "rbf", "gamma": 0.3, "n_jobs": -1}  # about 20 / median squared distance
METHODS = {
    "LDP": LabelDistributionPropagation(NEIGHBORS),
    "LDP single pass": LabelDistributionPropagation(NEIGHBORS, sweeps=0),
    "LabelSpreading knn": LabelSpreading(**KNN),
    "LabelPropagation knn": LabelPropagation(**KNN),
    "LabelSpreading rbf": LabelSpreading(**RBF),
    "LabelPropagation rbf": LabelPropagation(**RBF),
}
LINES = {
    "LDP": (BLUE, "-", "o"),
    "LDP single pass": (BLUE, "--", "o"),
    "LabelSpreading knn": (ORANGE, "-", "s"),
    "LabelPropagation knn": (GREEN, "-", "^"),
    "LabelSpreading rbf": (ORANGE, ":", "s"),
    "LabelPropagation rbf": (GREEN, ":", "^"),
}


def compute() -> dict:
    """Minimum seconds of fit and accuracy, per method and number of rows."""
    seconds: dict[str, dict[str, float]] = {method: {} for method in METHODS}
    accuracies: dict[str, dict[str, float]] = {method: {} for method in METHODS}
    for rows in ROWS:
        points, classes, labels = labeled_blobs(rows, COLUMNS, CLASSES)
        hidden = labels < 0
        able = [name for name in METHODS if rows <= MOST_DENSE_ROWS or not name.endswith("rbf")]
        fits = {name: partial(_fit, METHODS[name], points, labels) for name in able}
        for name, best in minimum_seconds(fits, REPEATS).items():
            found = METHODS[name].transduction_
            seconds[name][str(rows)] = best
            accuracies[name][str(rows)] = float(np.mean(found[hidden] == classes[hidden]))
    return {**machine(), "repeats": REPEATS, "seconds": seconds, "accuracies": accuracies}


def _fit(method: Any, points: np.ndarray, labels: np.ndarray) -> None:
    with warnings.catch_warnings():
        # Peers warn if they stop before they converge.
        warnings.simplefilter("ignore")
        method.fit(points, labels)


def draw(numbers: dict) -> Figure:
    """Seconds against rows, both as logarithms."""
    figure = Figure(figsize=(9.5, 5))
    axes = figure.subplots()
    for method, (color, style, marker) in LINES.items():
        seconds = numbers["seconds"][method]
        rows = [int(n) for n in seconds]
        axes.plot(
            rows, list(seconds.values()), color=color, ls=style, marker=marker, ms=5, lw=2,
            label=method,
        )  # fmt: skip
    axes.set(xscale="log", yscale="log", xlabel="rows", ylabel="seconds")
    axes.set_title(f"Time of fit, {COLUMNS} columns, {CLASSES} classes, 5 % labeled")
    axes.set_xticks(ROWS, [f"{n:,}" for n in ROWS])
    axes.xaxis.set_minor_locator(NullLocator())
    axes.text(
        0.99, 0.02, f"{numbers['cores']} cores, minimum of {numbers['repeats']}",
        transform=axes.transAxes, ha="right", color=GRAY,
    )  # fmt: skip
    axes.yaxis.set_major_formatter(FuncFormatter(lambda seconds, _: f"{seconds:g}"))
    figure.legend(loc="outside right upper")
    return figure


if __name__ == "__main__":
    run(sys.modules[__name__])

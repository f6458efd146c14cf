"""The picture of the README: which columns of Wine tell about the grower, and how the best does."""

import sys

import numpy as np
from matplotlib.figure import Figure
from sklearn.datasets import load_wine

from modlearn import Discretizer
from reproduce.output import BLUE, GREEN, GREY, ORANGE, run


def compute() -> dict:
    """Levels of all columns, and the intervals of the best."""
    wine = load_wine()
    found = Discretizer().fit(wine.data, wine.target)
    names = dict(zip(found.partitions_, wine.feature_names, strict=True))
    best, column = next(iter(found.levels_)), list(found.partitions_).index(next(iter(found.levels_)))
    return {
        "levels": {names[name]: level for name, level in found.levels_.items()},
        "best": names[best],
        "values": wine.data[:, column].tolist(),
        "classes": wine.target.tolist(),
        "cuts": found.partitions_[best].cuts.tolist(),
        "intervals": found.partitions_[best].labels,
        "counts": found.partitions_[best].counts.tolist(),
    }


def draw(numbers: dict) -> Figure:
    """Levels as bars; beside them the values of the best column, its cuts and class shares."""
    figure = Figure(figsize=(10, 4.6))
    levels, best = figure.subplots(1, 2, width_ratios=(2, 3))
    _draw_levels(levels, numbers)
    _draw_best(best, numbers)
    return figure


def _draw_levels(axes, numbers: dict) -> None:
    names = [name.replace("_", " ") for name in numbers["levels"]]
    bars = axes.barh(names, list(numbers["levels"].values()), color=BLUE)
    axes.bar_label(bars, fmt="%.2f", padding=3, fontsize=9)
    axes.invert_yaxis()
    axes.set(xlim=(0, 0.6), xlabel="level (0 = tells nothing)", title="13 columns, by level")
    axes.grid(axis="y", visible=False)

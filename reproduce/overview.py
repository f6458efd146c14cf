"""The picture of the README: which columns of Wine are informative about its grower, and why."""

import sys

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from sklearn.datasets import load_wine

from modlearn import Discretizer
from reproduce.output import BLUE, GRAY, GREEN, ORANGE, run

HIGHEST = 5.2
"""Where the axis of the flavanoids ends."""


def compute() -> dict:
    """Levels of all columns, and the intervals of the best."""
    wine = load_wine()
    found = Discretizer().fit(wine.data, wine.target)
    names = dict(zip(found.partitions_, wine.feature_names, strict=True))
    best = next(iter(found.levels_))
    partition = found.partitions_[best]
    return {
        "levels": {names[name]: level for name, level in found.levels_.items()},
        "best": names[best],
        "values": wine.data[:, int(best[1:])].tolist(),
        "growers": wine.target.tolist(),
        "cuts": partition.cuts.tolist(),
        "counts": partition.counts.tolist(),
    }


def draw(numbers: dict) -> Figure:
    """Levels as bars; next to them the values of the best column, and the class shares per part."""
    figure = Figure(figsize=(10, 4.8))
    panels = figure.subplot_mosaic(
        [["levels", "values"], ["levels", "shares"]], width_ratios=(2, 3), height_ratios=(3, 2)
    )
    _draw_levels(panels["levels"], numbers)
    _draw_values(panels["values"], numbers)
    _draw_shares(panels["shares"], numbers)
    panels["shares"].sharex(panels["values"])
    panels["shares"].set_xlim(0, HIGHEST)
    return figure


def _draw_levels(axes: Axes, numbers: dict) -> None:
    names = [name.replace("_", " ").removesuffix(" of diluted wines") for name in numbers["levels"]]
    bars = axes.barh(names, list(numbers["levels"].values()), color=BLUE)
    axes.bar_label(bars, fmt="%.2f", padding=3, fontsize=10)
    axes.invert_yaxis()
    axes.set(xlim=(0, 0.55), xlabel="level (0 = not informative)", title="Informative columns")
    axes.grid(axis="y", visible=False)


def _draw_values(axes: Axes, numbers: dict) -> None:
    values, growers = np.array(numbers["values"]), np.array(numbers["growers"])
    groups = [values[growers == j] for j in range(3)]
    names = [f"grower {j + 1}" for j in range(3)]
    axes.hist(
        groups,
        np.arange(0, HIGHEST + 0.05, 0.1),
        stacked=True,
        color=(BLUE, ORANGE, GREEN),
        label=names,
    )
    for cut in numbers["cuts"]:
        axes.axvline(cut, color=GRAY, ls="--", lw=1.5)
    axes.set(ylabel="wines", title=f"Best intervals of {numbers['best']}")
    axes.tick_params(labelbottom=False)
    axes.legend()


def _draw_shares(axes: Axes, numbers: dict) -> None:
    counts = np.array(numbers["counts"])
    edges = np.array([0, *numbers["cuts"], HIGHEST])
    bottom = np.zeros(len(counts))
    for j, color in enumerate((BLUE, ORANGE, GREEN)):
        share = 100 * counts[:, j] / counts.sum(axis=1)
        axes.bar(
            edges[:-1], share, np.diff(edges), bottom, align="edge", color=color, edgecolor="white"
        )
        bottom += share
    axes.set(ylim=(0, 100), ylabel="share (%)")
    axes.set_xlabel(f"{numbers['best']}, cut at " + ", ".join(f"{c:g}" for c in numbers["cuts"]))


if __name__ == "__main__":
    run(sys.modules[__name__])

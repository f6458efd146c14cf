"""Boullé 2007, figure 3: alcohol and flavanoids of Wine, and their grid."""

import sys

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from sklearn.datasets import load_wine

from modlearn import PairEncoder
from reproduce.output import BLUE, GREEN, ORANGE, run

COLUMNS = ("alcohol", "flavanoids")
COLORS = (BLUE, ORANGE, GREEN)
MARKERS = ("o", "s", "^")


def compute() -> dict:
    """The grid, and the wines it holds."""
    wine = load_wine(as_frame=True)
    pairs = PairEncoder([COLUMNS]).fit(wine.data, wine.target)
    grid = pairs.grids_[COLUMNS]
    return {
        "values": wine.data[list(COLUMNS)].to_numpy().tolist(),
        "growers": wine.target.tolist(),
        "cuts": [axis.cuts.tolist() for axis in grid.axes],
        "counts": grid.counts.tolist(),
        "cost": grid.cost,
        "null cost": grid.null_cost,
        "level": grid.level,
        "levels alone": [pairs.partitions_[name].level for name in COLUMNS],
        "synergy": grid.synergy,
    }


def draw(numbers: dict) -> Figure:
    """The wines with the cuts between them; next to them the shares of the growers per cell."""
    figure = Figure(figsize=(10, 4.6))
    wines, cells = figure.subplots(1, 2, width_ratios=(3, 2))
    _draw_wines(wines, numbers)
    _draw_cells(cells, np.array(numbers["counts"]), numbers["cuts"])
    figure.legend(*wines.get_legend_handles_labels(), loc="outside lower center", ncols=3)
    return figure


def _draw_wines(axes: Axes, numbers: dict) -> None:
    values, growers = np.array(numbers["values"]), np.array(numbers["growers"])
    for i, (color, marker) in enumerate(zip(COLORS, MARKERS, strict=True)):
        axes.scatter(
            *values[growers == i].T, s=18, color=color, marker=marker, label=f"grower {i + 1}"
        )
    first, second = numbers["cuts"]
    for cut in first:
        axes.axvline(cut, color="black", lw=1)
    for cut in second:
        axes.axhline(cut, color="black", lw=1)
    axes.set(xlabel="alcohol", ylabel="flavanoids")
    first, second = numbers["levels alone"]
    axes.set_title(f"Wine: level {numbers['level']:.2f} together, {first:.2f}, {second:.2f} alone")
    axes.grid(visible=False)


def _draw_cells(axes: Axes, counts: np.ndarray, cuts: list[list[float]]) -> None:
    """Every cell as a stacked bar of its growers, with their numbers."""
    for a, b in np.ndindex(counts.shape[:2]):
        shares = counts[a, b] / counts[a, b].sum()
        left = a + 0.08
        for share, color in zip(shares, COLORS, strict=True):
            axes.barh(b + 0.32, 0.84 * share, 0.36, left, color=color)
            left += 0.84 * share
        axes.text(a + 0.5, b + 0.68, " / ".join(map(str, counts[a, b])), ha="center", va="center")
    axes.set_xticks(range(1, counts.shape[0]), [f"{cut:g}" for cut in cuts[0]])
    axes.set_yticks(range(1, counts.shape[1]), [f"{cut:g}" for cut in cuts[1]])
    axes.set(xlim=(0, counts.shape[0]), ylim=(0, counts.shape[1]), xlabel="alcohol")
    axes.set_title("wines of each grower per cell")
    axes.grid(color="black", lw=1)


if __name__ == "__main__":
    run(sys.modules[__name__])

"""Boullé 2007, figure 1: the discretization of the sepal width of Iris."""

import sys

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray
from sklearn.datasets import load_iris

from modlearn import Discretizer
from reproduce.output import BLUE, GRAY, GREEN, ORANGE, run

COPIES = {"scikit-learn's copy": 3.6, "UCI's copy": 3.1}
"""Sepal width of flower 38, the one in which the two copies of Iris differ for this variable."""


def compute() -> dict:
    """Flowers per width and class, and the intervals found in either copy of the data."""
    widths, species = sepal_widths(), load_iris().target
    values = np.unique(widths)
    counts = [[int(np.sum((widths == v) & (species == j))) for j in range(3)] for v in values]
    return {
        "species": load_iris().target_names.tolist(),
        "widths": values.tolist(),
        "flowers": counts,
        **{copy: _intervals(sepal_widths(width), species) for copy, width in COPIES.items()},
    }


def sepal_widths(flower_38: float = 3.6) -> NDArray[np.float64]:
    """Sepal widths in cm, that of flower 38 as given."""
    widths = load_iris().data[:, 1].copy()
    widths[37] = flower_38
    return widths


def _intervals(widths: NDArray[np.float64], species: NDArray[np.int64]) -> dict:
    found = Discretizer().fit(widths[:, None], species).partitions_["x0"]
    return {
        "cuts": found.cuts.tolist(),
        "intervals": found.labels,
        "counts": found.counts.tolist(),
        "cost": found.cost,
        "null cost": found.null_cost,
        "level": found.level,
        "proven optimal": found.proven_optimal,
    }


def draw(numbers: dict) -> Figure:
    """Flowers per width stacked by species, with the cuts, over the table of counts."""
    figure = Figure(figsize=(7, 5.2))
    axes, below = figure.subplots(2, height_ratios=(4, 1))
    flowers, bottom = np.array(numbers["flowers"]), np.zeros(len(numbers["widths"]))
    for j, color in enumerate((BLUE, ORANGE, GREEN)):
        axes.bar(
            numbers["widths"], flowers[:, j], 0.08, bottom, color=color,
            label=numbers["species"][j],
        )  # fmt: skip
        bottom += flowers[:, j]
    found = numbers["scikit-learn's copy"]
    for cut in found["cuts"]:
        axes.axvline(cut, color=GRAY, ls="--", lw=1.5)
        axes.text(cut + 0.02, 28, f"{cut:g}", color=GRAY, va="top")
    axes.set(
        ylim=(0, 28.5),
        xlabel="sepal width (cm)",
        ylabel="flowers",
        title="Iris: three intervals of the sepal width",
    )
    axes.legend()
    _draw_table(below, numbers["species"], found)
    return figure


def _draw_table(axes: Axes, species: list[str], found: dict) -> None:
    """Flowers per species and interval."""
    axes.axis("off")
    table = axes.table(
        np.transpose(found["counts"]).tolist(),
        rowLabels=species,
        colLabels=found["intervals"],
        cellLoc="center",
        bbox=(0.15, 0, 0.8, 1),
    )
    table.auto_set_font_size(False)
    table.set_fontsize(11)
    for cell in table.get_celld().values():
        cell.set_edgecolor("#cccccc")


if __name__ == "__main__":
    run(sys.modules[__name__])

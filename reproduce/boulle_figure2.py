"""Boullé 2007, figure 2: the groups of the cap colors of Mushroom."""

import sys

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from modlearn import Grouper
from reproduce.output import BLUE, ORANGE, run

COLORS = {
    "BROWN": (889, 1610),
    "GRAY": (892, 1458),
    "RED": (429, 1066),
    "YELLOW": (285, 743),
    "WHITE": (497, 711),
    "BUFF": (37, 122),
    "PINK": (40, 101),
    "CINNAMON": (22, 31),
    "GREEN": (13, 13),
    "PURPLE": (10, 10),
}
"""Edible and all mushrooms per cap color, from the shares and totals that the figure prints."""


def compute() -> dict:
    """Groups of the colors, with their mushrooms per class."""
    X = [[color] for color in COLORS for _ in range(2)]
    y = ["edible", "poisonous"] * len(COLORS)
    weights = [n for edible, total in COLORS.values() for n in (edible, total - edible)]
    found = Grouper().fit(X, y, sample_weight=weights).partitions_["x0"]
    return {
        "classes": found.classes.tolist(),
        "groups": [list(group) for group in found.groups],
        "counts": found.counts.tolist(),
        "cost": found.cost,
        "null cost": found.null_cost,
        "level": found.level,
        "proven optimal": found.proven_optimal,
    }


def draw(numbers: dict) -> Figure:
    """Share of edible mushrooms per color, every group under a bracket."""
    figure = Figure(figsize=(7.5, 4.8))
    axes = figure.subplots()
    y, ticks = 0.0, {}
    for counts, colors in sorted(
        zip(numbers["counts"], numbers["groups"], strict=True), key=_share_of_first
    ):
        _draw_group(axes, y, y + len(colors) - 1, counts)
        for color in sorted(colors, key=lambda c: COLORS[c][0] / COLORS[c][1]):
            edible, total = COLORS[color]
            _draw_color(axes, y, 100 * edible / total)
            ticks[y] = f"{color.lower()} ({total:,})"
            y += 1
        y += 0.6
    axes.set_yticks(list(ticks), ticks.values())
    axes.set(xlim=(0, 150), ylim=(y - 0.8, -0.8), xticks=range(0, 101, 20))
    axes.set_xlabel("share of the mushrooms (%)", x=1 / 3)
    axes.set_title("Mushroom: five groups of cap colors", x=1 / 3)
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.spines["bottom"].set_bounds(0, 100)
    axes.grid(axis="y", visible=False)
    figure.legend(*axes.get_legend_handles_labels(), loc="outside lower center", ncols=2)
    return figure


def _share_of_first(group: tuple[list[int], list[str]]) -> float:
    """Share of the first class in a group, given with its counts."""
    return group[0][0] / sum(group[0])


def _draw_color(axes: Axes, y: float, edible: float) -> None:
    """Edible and poisonous mushrooms of a color, in percent."""
    names = (None, None) if axes.patches else ("edible", "poisonous")
    axes.barh(y, edible, 0.8, color=BLUE, label=names[0])
    axes.barh(y, 100 - edible, 0.8, edible, color=ORANGE, label=names[1])


def _draw_group(axes: Axes, first: float, last: float, counts: list[int]) -> None:
    """Bracket next to the colors of a group, with its mushrooms."""
    start, end = first - 0.4, last + 0.4
    axes.plot([102, 103.5, 103.5, 102], [start, start, end, end], color="black", lw=1)
    text = f"{sum(counts):,}, {counts[0] / sum(counts):.1%} edible"
    axes.text(106, (start + end) / 2, text, va="center")


if __name__ == "__main__":
    run(sys.modules[__name__])

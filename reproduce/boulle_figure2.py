"""Boullé 2007, figure 2: the groups of the cap colours of Mushroom."""

import sys

import numpy as np
from matplotlib.figure import Figure

from modlearn import Grouper
from reproduce.output import BLUE, ORANGE, run

COLOURS = {
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
"""Edible and all mushrooms per cap colour, from the shares and totals that the figure prints."""


def compute() -> dict:
    """Groups of the colours, with their mushrooms per class."""
    X = [[colour] for colour in COLOURS for _ in range(2)]
    y = ["edible", "poisonous"] * len(COLOURS)
    weights = [n for edible, total in COLOURS.values() for n in (edible, total - edible)]
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
    """Share of edible mushrooms per colour, colours side by side with their group."""
    figure = Figure(figsize=(7, 4.8))
    axes = figure.subplots()
    order = sorted(range(len(numbers["groups"])), key=lambda i: _share(numbers["counts"][i]))
    top, ticks = 0.0, {}
    for i in order:
        start = top
        for colour in sorted(numbers["groups"][i], key=lambda c: COLOURS[c][0] / COLOURS[c][1]):
            edible, total = COLOURS[colour]
            _draw_bar(axes, top, edible / total, total)
            ticks[colour] = top
            top += 1
        _draw_group(axes, start - 0.5, top - 0.5, numbers["counts"][i])
        top += 0.6
    axes.set_yticks(list(ticks.values()), [colour.lower() for colour in ticks])
    axes.set(xlim=(0, 134), ylim=(top - 0.8, -0.8), xticks=range(0, 101, 20))
    axes.set(xlabel="mushrooms (%)", title="Mushroom: five groups of cap colours")
    axes.tick_params(axis="y", length=0)
    axes.spines["left"].set_visible(False)
    axes.grid(axis="y", visible=False)
    axes.legend(loc="upper center", bbox_to_anchor=(0.37, -0.16), ncols=2)
    return figure


def _share(counts: list[int]) -> float:
    return counts[0] / sum(counts)


def _draw_bar(axes, y: float, share: float, total: int) -> None:
    """Edible and poisonous share of a colour, and how many mushrooms it has."""
    first = not axes.patches
    for left, width, colour, name in (
        (0, 100 * share, BLUE, "edible"),
        (100 * share, 100 - 100 * share, ORANGE, "poisonous"),
    ):
        axes.barh(y, width, 0.8, left, color=colour, label=name if first else None)
    axes.text(99, y, f"{total:,}", ha="right", va="center", fontsize=9)


def _draw_group(axes, start: float, end: float, counts: list[int]) -> None:
    """Bracket beside the colours of a group, and its share."""
    axes.plot([102, 103.5, 103.5, 102], [start + 0.1] * 2 + [end - 0.1] * 2, color="black", lw=1)
    text = f"{sum(counts):,}: {_share(counts):.1%}"
    axes.text(105, (start + end) / 2, text, va="center")


if __name__ == "__main__":
    run(sys.modules[__name__])

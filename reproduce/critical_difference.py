"""Critical-difference diagrams (Demšar 2006): which methods' mean ranks differ beyond chance."""

from collections.abc import Mapping

import numpy as np
from matplotlib.axes import Axes
from numpy.typing import NDArray
from scipy.stats import friedmanchisquare, rankdata, studentized_range

from reproduce.output import BLUE, GRAY

__all__ = ["compare", "critical_difference", "draw_diagram", "not_different"]

SIGNIFICANCE = 0.05


def compare(accuracies: NDArray[np.float64], methods: list[str]) -> dict:
    """Mean ranks of methods over data sets, from accuracies (sets, methods), with significance."""
    # Accuracies that differ by the order of summation only are equal.
    ranks = rankdata(-accuracies.round(9), axis=1)
    means = dict(zip(methods, ranks.mean(axis=0).tolist(), strict=True))
    means = dict(sorted(means.items(), key=lambda item: item[1]))
    difference = critical_difference(len(methods), len(accuracies))
    return {
        "sets": len(accuracies),
        "mean ranks": means,
        "mean accuracies": dict(zip(methods, accuracies.mean(axis=0).tolist(), strict=True)),
        "p of Friedman's test": float(friedmanchisquare(*ranks.T).pvalue),
        "critical difference": difference,
        "not different": not_different(means, difference),
    }


def critical_difference(n_methods: int, n_sets: int) -> float:
    """CD = q sqrt(k (k + 1) / (6 N)), q by Nemenyi: the studentized range over sqrt 2."""
    q = studentized_range.ppf(1 - SIGNIFICANCE, n_methods, np.inf) / np.sqrt(2)
    return float(q * np.sqrt(n_methods * (n_methods + 1) / (6 * n_sets)))


def not_different(means: Mapping[str, float], difference: float) -> list[list[str]]:
    """Largest groups of methods, best first, whose mean ranks differ by less than that."""
    methods = sorted(means, key=means.__getitem__)
    groups: list[list[str]] = []
    for i, best in enumerate(methods):
        group = [method for method in methods[i:] if means[method] - means[best] < difference]
        if len(group) > 1 and not (groups and group[-1] in groups[-1]):
            groups.append(group)
    return groups


def draw_diagram(axes: Axes, comparison: dict, highlighted: tuple[str, ...]) -> None:
    """The axis of mean ranks, best on the left; names on both sides; bars join groups."""
    means, groups = comparison["mean ranks"], comparison["not different"]
    n = len(means)
    below = 0.55 + 0.42 * len(groups)  # where the names begin, in lines of text
    axes.set(xlim=(1 - 0.5 * n, n + 0.5 * n), ylim=(below + (n + 1) // 2, -2.4))
    axes.axis("off")
    _draw_axis(axes, n, comparison["critical difference"])
    for i, group in enumerate(groups):
        ends = means[group[0]] - 0.06, means[group[-1]] + 0.06
        axes.plot(ends, [0.5 + 0.42 * i] * 2, color="black", lw=4, solid_capstyle="butt")
    for i, (method, mean) in enumerate(means.items()):
        left = i < (n + 1) // 2
        height = below + 0.5 + (i if left else n - 1 - i)
        end = 0.9 if left else n + 0.1
        color = BLUE if method in highlighted else "black"
        axes.plot([mean, mean, end], [0, height, height], color=color, lw=1.2)
        axes.text(
            end + (-0.08 if left else 0.08), height, f"{method}  {mean:.2f}" if left
            else f"{mean:.2f}  {method}", ha="right" if left else "left", va="center",
            color=color, weight="bold" if method in highlighted else "normal",
        )  # fmt: skip


def _draw_axis(axes: Axes, n: int, difference: float) -> None:
    """Ranks from 1 to n, and above them how far apart is far."""
    axes.plot([1, n], [0, 0], color="black", lw=1.2)
    for rank in range(1, n + 1):
        axes.plot([rank, rank], [0, -0.2], color="black", lw=1.2)
        axes.text(rank, -0.32, str(rank), ha="center", va="bottom")
    axes.plot([1, 1 + difference], [-1.5, -1.5], color=GRAY, lw=1.5, marker="|", ms=8)
    axes.text(1 + difference + 0.15, -1.5, f"CD = {difference:.2f}", va="center", color=GRAY)

"""Bondu et al. 2008, figure 1: how many labels it takes to see two intervals."""

import sys

import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MultipleLocator

from modlearn import Discretizer
from reproduce.output import BLUE, ORANGE, run

METHODS = ("supervised", "map")

X = [[0.0], [1.0], [0.0], [1.0]]
Y = [0, 1, None, None]
"""A labeled and an unlabeled row at x = 0 and at x = 1; their weights say how many there are."""


def compute() -> dict:
    """Fewest labels for two intervals, per number of rows and method."""
    sizes = _even_sizes(6, 100_000)
    return {
        "rows": sizes,
        "labels": {method: [fewest_labels(n, method) for n in sizes] for method in METHODS},
    }


def _even_sizes(first: int, last: int) -> list[int]:
    """Even numbers, about twenty per factor of ten, and every power of ten."""
    exponents = np.arange(np.log10(first), np.log10(last) + 1e-9, 0.05)
    sizes = {first, last, 20, 50, *(10**k for k in range(1, 6))}
    sizes |= {2 * round(10**e / 2) for e in exponents}
    return sorted(n for n in sizes if first <= n <= last)


def fewest_labels(n_rows: int, method: str) -> int:
    """Fewest labels, half of each class, with which two intervals are the better model."""
    for n_labels in range(2, n_rows + 1, 2):
        weights = [n_labels // 2] * 2 + [(n_rows - n_labels) // 2] * 2
        found = Discretizer(method=method).fit(X, Y, sample_weight=weights)
        if found.partitions_["x0"].n_parts == 2:
            return n_labels
    raise ValueError(f"{n_rows} rows are never cut in two by the method {method!r}.")


def draw(numbers: dict) -> Figure:
    """Steps of the fewest labels against the rows, on a logarithmic axis."""
    figure = Figure(figsize=(7, 4))
    axes = figure.subplots()
    for method, color, style in zip(METHODS, (ORANGE, BLUE), ("--", "-"), strict=True):
        labels = numbers["labels"][method]
        axes.step(numbers["rows"], labels, style, where="post", color=color, lw=2, label=method)
    axes.set(
        xscale="log",
        ylim=(0, None),
        xlabel="rows N, labeled and unlabeled (logarithmic scale)",
        ylabel="fewest labeled rows for two intervals",
        title="Labels needed to tell two intervals from one",
    )
    axes.yaxis.set_major_locator(MultipleLocator(4))
    axes.legend(title="method")
    return figure


if __name__ == "__main__":
    run(sys.modules[__name__])

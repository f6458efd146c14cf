"""Lines over data sets: how much more accurate classifiers are than one of them."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from reproduce.output import BLUE, GREEN, ORANGE

__all__ = ["differences", "draw_differences"]

STYLES = ((BLUE, "o"), (ORANGE, "s"), (GREEN, "^"))


def differences(accuracies: pd.DataFrame, reference: str, methods: tuple[str, ...]) -> dict:
    """Accuracy less that of the reference, in percent, by classifier and set."""
    return {
        "reference": reference,
        "sets": accuracies.index.tolist(),
        "differences": {
            method: (100 * (accuracies[method] - accuracies[reference])).round(4).tolist()
            for method in methods
            if method in accuracies
        },
    }


def draw_differences(numbers: dict, title: str) -> Figure:
    """One marked line per classifier; sets by name, in the order of the paper's table 1."""
    figure = Figure(figsize=(10, 4.6))
    axes = figure.subplots()
    positions = np.arange(len(numbers["sets"]))
    axes.axhline(0, color="black", lw=0.8)
    for (method, values), (color, marker) in zip(
        numbers["differences"].items(), STYLES, strict=False
    ):
        axes.plot(positions, values, marker=marker, ms=4.5, lw=1.3, color=color, label=method)
    axes.set_xticks(positions, numbers["sets"], rotation=60, ha="right", rotation_mode="anchor")
    axes.set(title=title, ylabel="percentage points", xlim=(-0.7, len(positions) - 0.3))
    axes.legend(ncols=3)
    return figure

"""Bondu et al. 2008, figure 3: the cost of every bound across an unlabeled area."""

import sys

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

from modlearn.criteria import (
    averaged_cost,
    discretization_prior,
    likelihoods,
    map_cost,
    part_costs,
)
from reproduce.output import BLUE, GRAY, ORANGE, run

LABELED = 40
"""Rows of class 0 on [0, 0.4] (part A), and as many of class 1 on [0.6, 1] (part C)."""

UNLABELED = 20
"""Rows between them (part B)."""

N = 2 * LABELED + UNLABELED

Counts = NDArray[np.int64]


def compute() -> dict:
    """Cost of two intervals for every number of rows left of the bound."""
    cases = [sides(n_left) for n_left in range(1, N)]
    return {
        "bounds": [n_left / N for n_left in range(1, N)],
        "averaged": [averaged_cost(*case) for case in cases],
        "averaged, summed over all labelings": [summed_cost(*case) for case in cases],
        "map": [map_cost(*case) for case in cases],
    }


def sides(n_left: int) -> tuple[Counts, Counts]:
    """Labeled rows (2, 2) and unlabeled rows (2,) of two intervals, n_left rows in the first."""
    left = np.array([min(n_left, LABELED), max(0, n_left - LABELED - UNLABELED)])
    unlabeled = n_left - left.sum()
    return np.array([left, LABELED - left]), np.array([unlabeled, UNLABELED - unlabeled])


def summed_cost(counts: Counts, unlabeled: Counts) -> float:
    """The averaged cost as the paper defines it: -log of a sum of Eq. 7 over every {N_ij}."""
    cost = discretization_prior(N, len(counts))
    for labeled, n_rest in zip(counts, unlabeled, strict=True):
        rest = np.array([(k, n_rest - k) for k in range(n_rest + 1)])
        cost -= np.logaddexp.reduce(likelihoods(rest) - part_costs(labeled + rest))
    return float(cost)


def draw(numbers: dict) -> Figure:
    """Cost against the bound, and next to it the unlabeled area enlarged."""
    figure = Figure(figsize=(9, 4.2))
    axes, enlarged = figure.subplots(1, 2, width_ratios=(5, 3))
    low, high = LABELED / N, (LABELED + UNLABELED) / N
    for panel in (axes, enlarged):
        panel.axvspan(low, high, color="#f2f2f2")
        panel.plot(numbers["bounds"], numbers["averaged"], color=BLUE, lw=2, label="averaged")
        panel.plot(numbers["bounds"], numbers["map"], "--", color=ORANGE, lw=2, label="map")
        panel.set(xlabel="bound b between the two intervals", ylabel="−log P(b, D)  (nats)")
    names = ("A: 40 of class 0", "B: 20\nunlabeled", "C: 40 of class 1")
    for x, name in zip((low / 2, (low + high) / 2, (1 + high) / 2), names, strict=True):
        axes.text(x, 80, name, ha="center", va="top", color=GRAY)
    axes.set(xlim=(0, 1), ylim=(0, 82), title="Cost of a bound across an unlabeled area")
    enlarged.set(xlim=(low, high), ylim=(16.5, 17.2), title="Part B enlarged")
    axes.legend(title="criterion", loc="lower left")
    return figure


if __name__ == "__main__":
    run(sys.modules[__name__])

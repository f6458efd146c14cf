"""Bondu et al. 2008, figure 5: finding a step with few labels, with and without the others."""

import sys
from statistics import NormalDist

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray
from sklearn.metrics import roc_auc_score

from modlearn import Discretizer
from reproduce.output import BLUE, GRAY, ORANGE, run
from reproduce.step_expectation import expected_aucs

X = np.exp(np.arange(1, 101) / 10)[:, None]
Y = np.where(X[:, 0] < 220, 0, 1)

METHODS = ("supervised", "post_optimized")
LABELS = tuple(range(2, 51))
REPETITIONS = 100


def compute() -> dict:
    """AUC on all 100 points, per number of labels and method, and what the second gains."""
    auc = np.array([[_aucs(n, seed) for seed in range(REPETITIONS)] for n in LABELS])
    expected = np.array([expected_aucs(X[:, 0], int((Y == 0).sum()), n) for n in LABELS])
    return {
        "labels": list(LABELS),
        "repetitions": REPETITIONS,
        "class sizes": np.bincount(Y).tolist(),
        "mean": _by_method(auc.mean(axis=1)),
        "standard deviation": _by_method(auc.std(axis=1, ddof=1)),
        "first decile": _by_method(np.quantile(auc, 0.1, axis=1)),
        "last decile": _by_method(np.quantile(auc, 0.9, axis=1)),
        "expectation": _by_method(expected),
        **_gains(auc[..., 1] - auc[..., 0]),
    }


def _by_method(figures: NDArray[np.float64]) -> dict[str, list[float]]:
    return dict(zip(METHODS, figures.T.tolist(), strict=True))


def _gains(gain: NDArray[np.float64]) -> dict[str, list]:
    """Mean of the gains (labels, draws), its standard error, and how often there is one."""
    signs = np.stack([np.sum(np.sign(gain) == sign, axis=1) for sign in (1, 0, -1)], axis=1)
    return {
        "gain": gain.mean(axis=1).tolist(),
        "standard error of the gain": (gain.std(axis=1, ddof=1) / REPETITIONS**0.5).tolist(),
        "draws better, equal, worse": signs.tolist(),
    }


def _aucs(n_labels: int, seed: int) -> list[float]:
    """AUC of every method on one draw of the labeled points, the same for all."""
    labeled = np.random.default_rng([n_labels, seed]).choice(len(Y), n_labels, replace=False)
    y = np.full(len(Y), np.nan)
    y[labeled] = Y[labeled]
    return [_auc(y, method) for method in METHODS]


def _auc(y: NDArray[np.float64], method: str) -> float:
    """AUC of the naive Bayes classifier on the one discretized variable.

    It ranks the points by the share of class 1 in their interval.
    """
    found = Discretizer(max_parts=2, method=method).fit(X, y)
    counts = found.partitions_["x0"].counts
    share = counts[:, -1] / counts.sum(axis=1)
    return float(roc_auc_score(Y, share[found.transform(X)[:, 0]]))


def draw(numbers: dict) -> Figure:
    """Means with their spread above, the gain with its confidence interval below."""
    figure = Figure(figsize=(7, 6))
    above, below = figure.subplots(2, sharex=True, height_ratios=(3, 2))
    _draw_means(above, numbers)
    _draw_gain(below, numbers)
    above.set(ylabel="AUC", title="Finding a step: AUC against the number of labels")
    below.set(
        xlabel="labeled points, of 100", ylabel="gain of post_optimized", xlim=(2, LABELS[-1])
    )
    return figure


def _draw_means(axes: Axes, numbers: dict) -> None:
    for method, color, style in zip(METHODS, (ORANGE, BLUE), ("--", "-"), strict=True):
        low, high = numbers["first decile"][method], numbers["last decile"][method]
        axes.plot(
            numbers["labels"], numbers["mean"][method], style, color=color, lw=2, label=method
        )
        axes.fill_between(numbers["labels"], low, high, color=color, alpha=0.2, lw=0)
    axes.set(ylim=(0.48, 1.01))
    axes.legend(title="mean of 100 draws,\nshaded: 80 % of them", loc="lower right")


def _draw_gain(axes: Axes, numbers: dict) -> None:
    supervised, post_optimized = (np.array(numbers["expectation"][m]) for m in METHODS)
    reach = NormalDist().inv_cdf(0.975) * np.array(numbers["standard error of the gain"])
    axes.axhline(0, color=GRAY, lw=1)
    axes.plot(
        numbers["labels"], post_optimized - supervised, color="black", lw=1.5,
        label="expected, over all draws",
    )  # fmt: skip
    axes.errorbar(
        numbers["labels"], numbers["gain"], reach, fmt="o", ms=3.5, lw=1, color=BLUE,
        label="mean of 100 draws, 95 % interval",
    )  # fmt: skip
    axes.legend(loc="upper right")


if __name__ == "__main__":
    run(sys.modules[__name__])

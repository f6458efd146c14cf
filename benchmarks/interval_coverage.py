"""How often bands and credible intervals hold the truth, on tables from a known additive model.

    python -m benchmarks.interval_coverage

Columns are correlated normal numbers and a category; the true log odds are a sum of a line, a wave,
a step and scores of the category. Printed are shares of entries of the centered tables, weighted by
their rows, and of test rows whose true value is within the 95 % bounds, and the bounds' mean width.
"""

from __future__ import annotations

import argparse
from itertools import product

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import softmax

from modlearn import AdditiveClassifier, SelectiveNaiveBayesClassifier

Array = NDArray[np.float64]

CATEGORIES = np.array(["a", "b", "c", "d", "e", "f"])


def main() -> None:
    """Print one line per number of rows, of classes, and strength of the signal."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=8)
    parser.add_argument("--rows", type=int, nargs="+", default=[200, 1000, 5000])
    arguments = parser.parse_args()
    print("rows  classes  strength  entries  probabilities  width  naive Bayes  width")
    for n, n_classes, strength in product(arguments.rows, (2, 3), (1.0, 3.0)):
        found = [
            coverage(n, n_classes, strength, np.random.default_rng(seed))
            for seed in range(arguments.draws)
        ]
        shares = np.mean(found, axis=0)
        print(f"{n:5} {n_classes:8} {strength:9}" + "".join(f"{one:10.3f}" for one in shares))


def coverage(n: int, n_classes: int, strength: float, rng: np.random.Generator) -> list[float]:
    """Return the coverage of entries and of probabilities, and the width of the latter."""
    table, parts = sample(n + 500, rng)
    effects = contrasts(n_classes) * strength
    scores = parts.sum(axis=1)[:, None] * effects[0] + parts[:, -1:] * effects[1]
    chances = softmax(scores, axis=1)
    y = (rng.random((len(table), 1)) > chances.cumsum(axis=1)).sum(axis=1)
    model = AdditiveClassifier().fit(table[:n], y[:n])
    truth = [np.multiply.outer(p, effects[0]) for p in parts[:n].T]
    truth[-1] = truth[-1] + np.multiply.outer(parts[:n, -1], effects[1])
    return [
        coverage_of_entries(model, table[:n], truth),
        *coverage_of_rows(model, table[n:], chances[n:]),
        *coverage_of_rows(
            SelectiveNaiveBayesClassifier().fit(table[:n], y[:n]), table[n:], chances[n:]
        ),
    ]


def sample(n: int, rng: np.random.Generator) -> tuple[pd.DataFrame, Array]:
    """Return a table, and what each of its columns adds to the score."""
    numbers = rng.multivariate_normal(np.zeros(4), 0.5 + 0.5 * np.eye(4), n)
    category = rng.choice(len(CATEGORIES), n, p=[0.35, 0.25, 0.15, 0.1, 0.1, 0.05])
    table = pd.DataFrame(numbers, columns=["line", "wave", "step", "noise"])
    table["category"] = CATEGORIES[category]
    parts = [
        0.8 * numbers[:, 0],
        np.sin(2 * numbers[:, 1]),
        1.0 * (numbers[:, 2] > 0.5),
        0 * numbers[:, 3],
        np.linspace(-1, 1, len(CATEGORIES))[category],
    ]
    return table, np.column_stack(parts)


def contrasts(n_classes: int) -> Array:
    """Return two directions in which scores of classes differ, each with mean 0."""
    first = np.linspace(-0.5, 0.5, n_classes)
    second = first**2 - (first**2).mean()
    return np.array([first, second])


def coverage_of_entries(
    model: AdditiveClassifier, table: pd.DataFrame, truth: list[Array]
) -> float:
    """Return the share of rows and classes whose true centered score is in its band."""
    batch = model._batch(table)
    hits = []
    for term, values in zip(model.model_.terms, truth, strict=True):
        if term.weight == 0:
            continue
        codes = term.scored.codes_in(batch)
        known = codes >= 0
        mean = np.zeros(term.table.shape)
        np.add.at(mean, codes[known], values[known] - values.mean(axis=0))
        mean /= np.maximum(1, np.bincount(codes[known], minlength=len(mean)))[:, None]
        width = 1.96 * term.deviation
        inside = abs(term.table * term.weight - mean) <= width * term.weight
        hits.append(inside[codes[known]].mean())
    return float(np.mean(hits))


def coverage_of_rows(model: AdditiveClassifier, table: pd.DataFrame, chances: Array) -> list[float]:
    """Return the share of true probabilities in their interval, and its mean width."""
    lower, upper = model.predict_proba_interval(table)
    return [float(((lower <= chances) & (chances <= upper)).mean()), float((upper - lower).mean())]


if __name__ == "__main__":
    main()

"""Synthetic columns and tables whose information about the class is known by construction."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
Table = tuple[pd.DataFrame, IntArray]

_STEPS = (-1.2, -0.4, 0.3, 1.1)
_COLUMNS = 10


def stepped_column(rows: int, classes: int, seed: int = 0) -> tuple[FloatArray, IntArray]:
    """A normal column whose class climbs in four smooth steps; a third of the labels is noise."""
    rng = np.random.default_rng(seed)
    values = rng.standard_normal(rows)
    return values, _noisy(np.floor(_staircase(values) * (classes - 1) + rng.random(rows)), rng)


def noise_column(rows: int, classes: int, seed: int = 1) -> tuple[FloatArray, IntArray]:
    """A normal column that is not informative about the class."""
    rng = np.random.default_rng(seed)
    return rng.standard_normal(rows), rng.integers(0, classes, rows)


def noisy_steps(rows: int) -> Table:
    """Two classes, distinct doubles: five columns move the log-odds in steps, five are noise."""
    rng = np.random.default_rng(2)
    values = rng.standard_normal((rows, _COLUMNS))
    strengths = np.r_[2.0, 1.5, 1.0, 0.5, 0.2, np.zeros(_COLUMNS - 5)]
    log_odds = (2 * _staircase(values) - 1) @ strengths
    labels = (rng.random(rows) < 1 / (1 + np.exp(-log_odds))).astype(np.int64)
    return _frame(values), labels


def gaussian_mixtures(rows: int) -> Table:
    """Five classes; in every column each class is a mixture of two Gaussians of its own."""
    rng = np.random.default_rng(3)
    labels = rng.integers(0, 5, rows)
    centers = rng.normal(0, 1.5, (2, 5, _COLUMNS))
    spreads = rng.uniform(0.3, 2, (2, 5, _COLUMNS))
    component = rng.integers(0, 2, rows)
    values = rng.normal(centers[component, labels], spreads[component, labels])
    return _frame(values), labels


def rounded_ties(rows: int) -> Table:
    """Three classes; from 6 to some 50,000 distinct values in a column, missing ones in two."""
    rng = np.random.default_rng(4)
    labels = rng.integers(0, 3, rows)
    columns = rng.gamma(2 + 0.1 * labels[:, None], 1.0, (rows, _COLUMNS))
    resolutions = (0.4, 1, 2, 5, 10, 30, 100, 300, 1000, 10_000)
    values = np.minimum(np.floor(columns * resolutions), np.ceil(np.multiply(resolutions, 12)))
    values /= resolutions
    for column in (3, 7):
        values[rng.random(rows) < 0.04 + 0.03 * labels, column] = np.nan
    return _frame(values), labels


TABLES: dict[str, Callable[[int], Table]] = {
    "noisy steps": noisy_steps,
    "gaussian mixtures": gaussian_mixtures,
    "rounded ties": rounded_ties,
}


def checkered_plane(rows: int) -> Table:
    """Two classes on a board of 5 x 5 squares; neither column is informative alone."""
    rng = np.random.default_rng(9)
    points = rng.random((rows, 2))
    squares = (5 * points).astype(np.int64).sum(axis=1)
    return _frame(points), squares % 2 ^ (rng.random(rows) < 0.1)


def smooth_plane(rows: int) -> Table:
    """Two classes whose share changes in waves along both columns."""
    rng = np.random.default_rng(10)
    points = rng.random((rows, 2))
    waves = np.sin(6 * points[:, 0]) * np.cos(5 * points[:, 1])
    return _frame(points), (rng.random(rows) < (1 + waves) / 2).astype(np.int64)


def divided_plane(rows: int) -> Table:
    """Two classes on both sides of a slanting line, mixed near it."""
    rng = np.random.default_rng(11)
    points = rng.random((rows, 2))
    side = points.sum(axis=1) + rng.normal(0, 0.1, rows) > 1
    return _frame(points), side.astype(np.int64)


PLANES: dict[str, Callable[[int], Table]] = {
    "checkered": checkered_plane,
    "smooth": smooth_plane,
    "linear": divided_plane,
}


def mixed_columns(rows: int, columns: int) -> Table:
    """Three classes; numbers and, every third column, 12 categories, each slightly informative."""
    rng = np.random.default_rng(12)
    labels = rng.integers(0, 3, rows)
    values = rng.standard_normal((rows, columns)) + 0.6 * labels[:, None]
    frame = _frame(values)
    for name in frame.columns[2::3]:
        codes = np.clip(np.round(2 * frame[name]), -4, 7).astype(np.int64)
        frame[name] = np.array([f"v{code}" for code in range(-4, 8)], dtype=object)[codes + 4]
    return frame, labels


def categorical_column(rows: int, values: int, classes: int) -> tuple[IntArray, IntArray]:
    """Codes in which each of `values` values occurs, and a class that depends on their group.

    A value belongs to one of six hidden groups with class distributions of their own.
    """
    rng = np.random.default_rng(5)
    codes = rng.permutation(np.r_[np.arange(values), rng.integers(0, values, rows - values)])
    group = rng.integers(0, 6, values)[codes]
    shares = rng.dirichlet(np.full(classes, 0.7), 6).cumsum(axis=1)
    labels = (rng.random(rows)[:, None] > shares[group][:, :-1]).sum(axis=1)
    return codes, labels.astype(np.int64)


def labeled_blobs(rows: int, columns: int, classes: int) -> tuple[FloatArray, IntArray, IntArray]:
    """Points around one center per class, overlapping; the classes; the labels, -1 for 95 %."""
    rng = np.random.default_rng(6)
    centers = rng.normal(0, 0.7, (classes, columns))
    codes = rng.integers(0, classes, rows)
    points = rng.standard_normal((rows, columns))
    for code in range(classes):  # not centers[codes]: a second table of that size
        points[codes == code] += centers[code]
    return points, codes, np.where(rng.random(rows) < 0.05, codes, -1)


def _staircase(values: FloatArray) -> FloatArray:
    """Sum of four logistic steps, scaled to (0, 1), elementwise."""
    height = np.zeros_like(values)
    for step in _STEPS:
        height += 1 / (1 + np.exp(-(values - step) / 0.02))
    return height / len(_STEPS)


def _noisy(labels: FloatArray, rng: np.random.Generator) -> IntArray:
    """The labels with a third of them drawn again from all labels."""
    replaced = rng.random(labels.size) < 1 / 3
    return np.where(replaced, rng.permutation(labels), labels).astype(np.int64)


def _frame(values: FloatArray) -> pd.DataFrame:
    """Columns x0, x1, ..., each contiguous in memory as a Parquet reader leaves them."""
    return pd.DataFrame(
        {f"x{i}": np.ascontiguousarray(column) for i, column in enumerate(values.T)}
    )

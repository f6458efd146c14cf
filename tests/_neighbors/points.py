"""Clouds of points, and their neighbors by comparing all with all."""

from typing import Any

import numpy as np


def distances(points: Any, queries: Any) -> np.ndarray:
    """Euclidean distances (m, n), squares added up in the order of the coordinates."""
    total = np.zeros((len(queries), len(points)))
    for a in range(points.shape[1]):
        total += (queries[:, a, None].astype(np.float64) - points[:, a].astype(np.float64)) ** 2
    return np.sqrt(total)


def nearest_rows(points: Any, queries: Any, k: int, own: bool) -> tuple[np.ndarray, np.ndarray]:
    """Rows (m, k) and distances (m, k) of the nearest, ties by row; itself left out if own."""
    apart = distances(points, queries)
    if own:
        np.fill_diagonal(apart, np.inf)
    rows = np.argsort(apart, axis=1, kind="stable")[:, :k]
    return rows, np.take_along_axis(apart, rows, axis=1)


def cloud(n: int, d: int, seed: int = 0) -> np.ndarray:
    """Points whose distances all differ."""
    return np.random.default_rng(seed).normal(size=(n, d))


CLOUDS = {
    "line": cloud(300, 1),
    "plane": cloud(1200, 2),
    "space": cloud(700, 20),
    "high": cloud(600, 80),
    "float32": cloud(600, 5).astype(np.float32),
    "high float32": cloud(600, 30).astype(np.float32),
    # Far from the origin products of coordinates lose the digits that distances differ in.
    "offset": cloud(600, 3) + 1e9 * (np.arange(3) == 0),
    "high offset": cloud(600, 20) + 1e9 * (np.arange(20) == 3),
    "scales": cloud(600, 4) * [1e-6, 1.0, 1e3, 1e6],
    "outlier": np.vstack((cloud(600, 18), np.full((1, 18), 1e8))),
}

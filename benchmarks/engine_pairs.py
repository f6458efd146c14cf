"""Cost of grids that an engine counts in bins above those of the same rows in memory."""

from __future__ import annotations

import tempfile
from pathlib import Path
from unittest import mock

import numpy as np
import pandas as pd

import modlearn
from benchmarks import timing
from benchmarks.timing import Figure
from modlearn._jobs.source import Room

TARGET = 0.01
"""Percent of the cost in memory."""


def make_table(n_rows: int) -> pd.DataFrame:
    """Return pairs of columns of several shapes, and a class that depends on all of them."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n_rows, 8))
    frame = pd.DataFrame(x, columns=[f"x{k}" for k in range(8)])
    frame["skewed"] = np.exp(2 * rng.normal(size=n_rows))
    frame["count"] = rng.poisson(3, n_rows).astype(float)
    frame["letter"] = rng.choice(list("abcdefghij"), n_rows)
    score = (
        1.2 * np.sign(x[:, 0] * x[:, 1])  # exclusive or
        + 1.5 * (np.hypot(x[:, 2], x[:, 3]) < 1)  # a disc
        + 0.8 * np.abs(x[:, 4] - x[:, 5])  # a diagonal
        + 0.5 * x[:, 6] * x[:, 7]  # a saddle
        + 0.6 * (np.log(frame["skewed"]) > frame["count"] - 3)
        + 0.7 * frame["letter"].isin(list("ace")) * (x[:, 0] > 0)
    )
    noisy = score + rng.logistic(size=n_rows)
    frame["y"] = np.where(noisy > np.median(noisy), "yes", "no")
    return frame


PAIRS = [
    ("x0", "x1"),
    ("x2", "x3"),
    ("x4", "x5"),
    ("x6", "x7"),
    ("skewed", "count"),
    ("letter", "x0"),
    ("x0", "x7"),
]


def figures(known: modlearn.FitResult, found: modlearn.FitResult) -> list[Figure]:
    """Compare the grids, and the models that use them."""
    assert known.model is not None
    assert found.model is not None
    result = []
    for pair, grid in known.model.grids.items():
        other = found.model.grids[pair]
        more = other.cost - grid.cost
        sizes = ["x".join(map(str, one.counts.shape[:2])) for one in (grid, other)]
        note = f"{more:+.1f} of {grid.cost:.0f} nats, {sizes[1]} parts, {sizes[0]} from values"
        name = " x ".join(map(str, pair))
        result.append(Figure(name, 100 * more / grid.cost, TARGET, unit=" %", note=note))
    losses = [_log_loss(one) for one in (known, found)]
    note = f"{losses[1]:.5f} against {losses[0]:.5f} from values"
    return [*result, Figure("log-loss on held-out rows, more", losses[1] - losses[0], note=note)]


def _log_loss(result: modlearn.FitResult) -> float:
    assert result.evaluation is not None
    return float(result.evaluation.measures["log_loss"].mean)


def main() -> int:
    """Print the figures of every pair."""
    parser = timing.arguments_with_json(__doc__)
    parser.add_argument("--rows", type=float, default=1e6)
    parser.add_argument("--memory", default="2GB")
    options = parser.parse_args()
    n_rows = int(options.rows)
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "rows.parquet")
        make_table(n_rows).to_parquet(path)
        known = modlearn.fit(path, "y", pairs=PAIRS, test=0.3, memory="1TB")
        with mock.patch.object(Room, "holds", return_value=False):
            found = modlearn.fit(path, "y", pairs=PAIRS, test=0.3, memory=options.memory)
    return timing.report(f"Pairs, {n_rows:.0e} rows", figures(known, found), options.json)


if __name__ == "__main__":
    raise SystemExit(main())

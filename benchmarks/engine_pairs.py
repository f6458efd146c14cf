"""Grids of pairs that an engine counts in bins, against those of rows in memory.

``python -m benchmarks.engine_pairs`` prints, for each pair of columns, by how much the cost of the
grid from bins exceeds that of the grid from values, in nats and in percent of the cost.
"""

import argparse
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

import modlearn
from modlearn._jobs.engines import Room


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


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=float, default=1e6)
    parser.add_argument("--memory", default="2GB")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = str(Path(folder) / "rows.parquet")
        make_table(int(options.rows)).to_parquet(path)
        known = modlearn.fit(path, "y", pairs=PAIRS, test=0.3)
        holds = Room.holds
        Room.holds = lambda *_: False  # type: ignore[method-assign]
        found = modlearn.fit(path, "y", pairs=PAIRS, test=0.3, memory=options.memory)
        Room.holds = holds  # type: ignore[method-assign]
    print(f"{'pair':24}{'parts':>10}{'from bins':>12}{'more nats':>12}{'percent':>10}")
    for pair, grid in known.model.grids.items():
        other = found.model.grids[pair]
        more = other.cost - grid.cost
        sizes = ["x".join(map(str, one.counts.shape[:2])) for one in (grid, other)]
        name = " x ".join(map(str, pair))
        print(f"{name:24}{sizes[0]:>10}{sizes[1]:>12}{more:12.1f}{100 * more / grid.cost:10.4f}")
    losses = [one.evaluation.measures["log_loss"].mean for one in (known, found)]
    print(f"log-loss on held-out rows: {losses[0]:.5f} from values, {losses[1]:.5f} from bins")


if __name__ == "__main__":
    main()

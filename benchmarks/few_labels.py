"""Accuracy and log-loss with few labels, against logistic regression, on a folder of sets.

A number of rows is drawn at random, each class among them; they are all that is learned from. The
other rows are predicted, at most 2,000 of them.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks import timing
from benchmarks.classifier_accuracy import (
    ALL_SETS,
    METHODS,
    for_peers,
    log_loss,
    logistic_regression,
    read,
)
from benchmarks.khiops_peer import uci_files
from benchmarks.timing import Figure

LABELS = (10, 20, 50, 100)
MOST_TESTED = 2_000
PEER = "logistic regression"


def draw(
    codes: NDArray[np.int64], n: int, rng: np.random.Generator
) -> tuple[NDArray[np.intp], NDArray[np.intp]] | None:
    """Rows to learn from and rows to predict; None if there are fewer labels than classes."""
    order = rng.permutation(len(codes))
    _, first = np.unique(codes[order], return_index=True)
    if len(first) > n or len(codes) <= n:
        return None
    others = np.setdiff1d(np.arange(len(codes)), first)
    chosen = np.concatenate((first, others[: n - len(first)]))
    return order[chosen], order[np.setdiff1d(others, chosen)][:MOST_TESTED]


def measured(
    model: Any,
    frame: pd.DataFrame,
    codes: NDArray[np.int64],
    rows: tuple[NDArray[np.intp], NDArray[np.intp]],
) -> tuple[float, float]:
    """Accuracy and log-loss of one method on one draw."""
    train, test = rows
    model.fit(frame.iloc[train], codes[train])
    probabilities = model.predict_proba(frame.iloc[test])
    accuracy = float(np.mean(probabilities.argmax(axis=1) == codes[test]))
    return accuracy, log_loss(probabilities, codes[test])


def draws(path: Path, n_draws: int) -> Iterator[dict[str, Any]]:
    """Measure every method on every draw of a set."""
    frame, codes = read(path)
    table = for_peers(frame)
    for n in LABELS:
        for seed in range(n_draws):
            rows = draw(codes, n, np.random.default_rng(seed))
            if rows is None:
                continue
            for name in ("SNB1", "additive", PEER):
                peer = name == PEER
                model = logistic_regression() if peer else METHODS[name]()
                accuracy, loss = measured(model, table if peer else frame, codes, rows)
                yield {
                    "set": path.stem,
                    "labels": n,
                    "method": name,
                    "accuracy": accuracy,
                    "log_loss": loss,
                }


def arguments() -> argparse.Namespace:
    """Options of the command line."""
    parser = timing.arguments_with_json(__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of Parquet files")
    parser.add_argument("--sets", nargs="+", help="names of the data sets; default: all")
    parser.add_argument("--draws", type=int, default=5, help="number of draws of each size")
    return parser.parse_args()


def main() -> int:
    """Measure and report."""
    options = arguments()
    paths = uci_files(options.data, options.sets)
    found = pd.DataFrame([one for path in paths for one in draws(path, options.draws)])
    measures = ["accuracy", "log_loss"]
    chosen = found["set"].isin(ALL_SETS[::2])
    for label, some in (
        ("all", found),
        ("choices were made on", found[chosen]),
        ("held back", found[~chosen]),
    ):
        if len(some):
            print(f"{some['set'].nunique()} sets, {label}")
            means = some.groupby(["labels", "method", "set"])[measures].mean()
            print(means.groupby(["labels", "method"]).mean().to_string(float_format="%.4f"))
    means = found.groupby(["labels", "method"])["accuracy"].mean()
    figures = [
        Figure(f"additive, {n} labels", means[n, "additive"], means[n, PEER], at_least=True)
        for n in LABELS
        if (n, PEER) in means
    ]
    return timing.report("Few labels against logistic regression", figures, options.json)


if __name__ == "__main__":
    raise SystemExit(main())

"""Log-loss and AUC of unlabeled rows with few labels, with and without their neighbors.

A number of rows is drawn at random, each class among them, and keeps its labels; up to 2,000 others
lose theirs. They are predicted by the model of ``modlearn.fit``, by the geometric mean of its
probabilities and the class shares among neighbors, and by whichever of the two ``fit`` chose.
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
from benchmarks.classifier_accuracy import auc, log_loss, read
from benchmarks.few_labels import draw
from benchmarks.khiops_peer import uci_files
from benchmarks.timing import Figure

LABELS = (20, 50)
METHODS = ("weighted", "additive")
NEIGHBORS = 10
MEASURES = ["log_loss", "auc"]


def neighbor_shares(frame: pd.DataFrame, few: pd.Series) -> NDArray[np.float64]:
    """Class shares among the neighbors of the unlabeled rows, classes in ascending order."""
    from modlearn import LabelDistributionPropagation, criteria

    spread = LabelDistributionPropagation(n_neighbors=NEIGHBORS).fit(frame, few)
    prior = few.value_counts(normalize=True).sort_index()
    known = spread.label_distributions_[few.isna().to_numpy()]
    return criteria.neighbor_shares(known, prior, NEIGHBORS)


def draws(path: Path, n_draws: int) -> Iterator[dict[str, Any]]:
    """Measure every method on every draw of a set."""
    import modlearn
    from modlearn import criteria

    everything, codes = read(path)
    for n in LABELS:
        for seed in range(n_draws):
            rng = np.random.default_rng(seed)
            rows = draw(codes, n, rng)
            # With fewer than two labels for each class, they are refused as identifiers.
            if rows is None or n < 2 * len(np.unique(codes)):
                continue
            # Shuffled: where distances tie, the earlier row is the neighbor.
            order = rng.permutation(np.concatenate(rows))
            frame = everything.iloc[order].reset_index(drop=True)
            labels = pd.Series([f"class {code:03}" for code in codes[order]], dtype=object)
            few = labels.where(np.isin(order, rows[0]))
            hidden = few.isna().to_numpy()
            truth = pd.factorize(few.dropna(), sort=True)[1].get_indexer(labels[hidden])
            shares = neighbor_shares(frame, few)
            for method in METHODS:
                result = modlearn.fit(frame, few, method=method)
                alone = result.predict_proba(frame[hidden])
                for name, chances in (
                    ("model", alone),
                    ("blend", criteria.blended(alone, shares)),
                    ("chosen", result.unlabeled.probabilities),
                ):
                    yield {
                        "set": path.stem,
                        "labels": n,
                        "method": method,
                        "predicted by": name,
                        "log_loss": log_loss(chances, truth),
                        "auc": auc(chances, truth),
                    }


def arguments() -> argparse.Namespace:
    """Options of the command line."""
    parser = timing.arguments_with_json(__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of Parquet files")
    parser.add_argument("--sets", nargs="+", help="names of the data sets; default: all")
    parser.add_argument("--draws", type=int, default=5, help="number of draws of each size")
    return parser.parse_args()


def figures_of(means: pd.DataFrame) -> Iterator[Figure]:
    """What the choice gains over the model alone, and on how many sets the blend is better."""
    for method in METHODS:
        for n in LABELS:
            model, blend, chosen = (
                means.xs((n, method, name), level=["labels", "method", "predicted by"])
                for name in ("model", "blend", "chosen")
            )
            lower, higher = blend["log_loss"] < model["log_loss"], blend["auc"] > model["auc"]
            note = f"blend better on {lower.sum()} of {len(model)} sets"
            change = float((chosen["log_loss"] - model["log_loss"]).mean())
            yield Figure(f"{method}, {n} labels: log-loss, chosen - model", change, 0.0, note=note)
            note = f"blend better on {higher.sum()} of {len(model)} sets"
            change = float((chosen["auc"] - model["auc"]).mean())
            yield Figure(f"{method}, {n} labels: AUC, chosen - model", change, 0.0, True, note=note)


def main() -> int:
    """Measure and report."""
    options = arguments()
    paths = uci_files(options.data, options.sets)
    found = pd.DataFrame([one for path in paths for one in draws(path, options.draws)])
    means = found.groupby(["set", "labels", "method", "predicted by"])[MEASURES].mean()
    shown = means.groupby(["labels", "method", "predicted by"], sort=False).mean()
    print(f"{len(paths)} sets, {options.draws} draws")
    print(shown.to_string(float_format="%.4f"))
    return timing.report("Unlabeled rows", list(figures_of(means)), options.json)


if __name__ == "__main__":
    raise SystemExit(main())

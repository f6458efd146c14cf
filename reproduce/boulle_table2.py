"""Boullé 2007, table 2: mean accuracies, significant differences and mean ranks of classifiers.

The accuracies are measured by `benchmarks.classifier_accuracy`.
"""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pandas as pd
from benchmarks.classifier_accuracy import Results, missing, per_set
from benchmarks.khiops_peer import uci_files
from numpy.typing import NDArray
from scipy.stats import rankdata, ttest_1samp

from reproduce.output import FOLDER

__all__ = ["RESULTS", "accuracies", "measure", "table", "win_draw_loss"]

RESULTS = FOLDER.parents[1] / "build" / "classifier_results.json"
GRIDS = RESULTS.with_name("grids")
SIGNIFICANCE = 0.05
PAPER = ["SNB2", "NB2", "SNB1", "NB1", "B2", "B1", "M"]
"""The paper's classifiers in its order: the one that the others are compared with first."""


def measure(data: Path) -> None:
    """Measure what is not known yet, on the sets in a folder."""
    RESULTS.parent.mkdir(exist_ok=True)
    command = ["-m", "benchmarks.classifier_accuracy", "--pairs", "--data", data]
    command += ["--out", RESULTS, "--grids", GRIDS]
    # Its exit code says whether targets are met; the file says whether all is measured.
    subprocess.run([sys.executable, *map(str, command)], check=False)
    known, sets = read(RESULTS), [path.stem for path in uci_files(data, None)]
    if any(todo for name in sets for todo in missing(known, name, PAPER)):
        raise SystemExit("Some accuracies are missing; see above. Run the command again to resume.")


def read(path: Path) -> Results:
    """What was measured."""
    return json.loads(path.read_text(encoding="utf-8"))["sets"]


def accuracies(path: Path) -> pd.DataFrame:
    """Sets x classifiers of the paper."""
    return per_set(read(path), "accuracy")[PAPER]


def win_draw_loss(results: Results, best: str, other: str) -> tuple[int, int, int]:
    """Sets on which the best is better, not different and worse, by Student's test of the folds."""
    outcomes = [0, 0, 0]
    for methods in results.values():
        one, two = (
            np.array([methods[method][fold]["accuracy"] for fold in methods[best]])
            for method in (best, other)
        )
        outcomes[1 - _sign(one - two)] += 1
    return outcomes[0], outcomes[1], outcomes[2]


def _sign(differences: NDArray[np.float64]) -> int:
    """1 or -1 if the mean differs from 0 beyond chance, else 0."""
    # Folds that all differ by the same amount leave the test nothing to divide by.
    chance = 0.0 if np.ptp(differences) < 1e-12 else ttest_1samp(differences, 0).pvalue
    return int(np.sign(differences.mean().round(12))) if chance < SIGNIFICANCE else 0


def table(path: Path) -> pd.DataFrame:
    """Mean accuracy, win/draw/loss of the best classifier, and mean rank, as in the paper."""
    results, means = read(path), accuracies(path)
    best = means.columns[0]
    # Accuracies that differ by the order of summation only are equal.
    ranks = rankdata(-means.round(9), axis=1).mean(axis=0)
    return pd.DataFrame(
        {
            "mean accuracy": [f"{100 * mean:.1f} %" for mean in means.mean()],
            f"win/draw/loss of {best}": [
                "" if method == best else "/".join(map(str, win_draw_loss(results, best, method)))
                for method in means
            ],
            "mean rank": [f"{rank:.1f}" for rank in ranks],
        },
        index=means.columns,
    ).T

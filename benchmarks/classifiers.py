"""Time of the classifiers: small jobs, prediction of a large table, and training against Khiops."""

from __future__ import annotations

from argparse import Namespace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks import khiops_peer, synthetic, timing
from benchmarks.timing import Figure

FIT_TARGET_MS, PREDICT_TARGET_MS = 15.0, 1.0
SEARCH_TARGET = 2.0
KHIOPS_TARGET = 15.0


def small_jobs(repeats: int) -> list[Figure]:
    """Fit iris and predict one row of it, after one warm-up each."""
    from sklearn.datasets import load_iris

    from modlearn import SelectiveNaiveBayesClassifier

    iris = load_iris(as_frame=True)
    labels = iris.target.to_numpy()
    figures = []
    for kind, table in {"NumPy": iris.data.to_numpy(), "pandas": iris.data}.items():
        model = SelectiveNaiveBayesClassifier().fit(table, labels)
        fit, predict = partial(model.fit, table, labels), partial(model.predict, table[:1])
        best = timing.minimum_seconds({"fit": fit, "predict": predict}, repeats)
        targets = {"fit": FIT_TARGET_MS, "predict": PREDICT_TARGET_MS}
        figures += [
            Figure(f"{work} iris ({what}), {kind}", best[work] * 1e3, targets[work], unit=" ms")
            for work, what in (("fit", "150 rows"), ("predict", "one row"))
        ]
    return figures


def searches(frame: pd.DataFrame, cuts: dict[Any, NDArray[np.float64]]) -> None:
    """Find the interval of every value with NumPy."""
    for name, bounds in cuts.items():
        np.searchsorted(bounds, frame[name].to_numpy())


def prediction(rows: int, repeats: int) -> list[Figure]:
    """Predict a table whose columns all have a weight, over np.searchsorted of the columns."""
    from modlearn import SelectiveNaiveBayesClassifier

    frame, codes = synthetic.gaussian_mixtures(rows)
    figures = []
    for labels in (codes % 2, codes):
        model = SelectiveNaiveBayesClassifier(n_jobs=1).fit(frame, labels)
        used = [column for column, weight in model.weights_.items() if weight > 0]
        cuts = {column: model.partitions_[column].cuts for column in used}
        best = timing.minimum_seconds(
            {"search": partial(searches, frame, cuts), "predict": partial(model.predict, frame)},
            repeats,
        )
        work = f"predict {rows:.0e} x {len(used)}, {len(model.classes_)} classes / np.searchsorted"
        note = f"{best['predict'] * 1e3:.0f} / {best['search'] * 1e3:.0f} ms"
        ratio = best["predict"] / best["search"]
        figures.append(Figure(work, ratio, SEARCH_TARGET, unit=" x", note=note))
    return figures


def training(rows: int, repeats: int) -> list[Figure]:
    """Time of Khiops' call, without writing its file, over time of fit."""
    from modlearn import SelectiveNaiveBayesClassifier

    frame, codes = synthetic.TABLES["noisy steps"](rows)
    works = {
        method: partial(SelectiveNaiveBayesClassifier(method=method, n_jobs=2).fit, frame, codes)
        for method in ("weighted", "averaged")
    }
    ours = timing.minimum_seconds(works, repeats)
    # As often as ours: the least of more calls is less.
    khiops = min(
        khiops_peer.analyze(frame, codes, classifier=True).analyzing for _ in range(repeats)
    )
    shape = f"{rows:.0e} x {frame.shape[1]}"
    return [
        Figure(
            f'Khiops / method="{method}", {shape}, 2 threads',
            khiops / seconds,
            KHIOPS_TARGET if method == "weighted" else None,
            at_least=True,
            unit=" x",
            note=f"{khiops:.2f} / {seconds:.3f} s",
        )
        for method, seconds in ours.items()
    ]


def arguments() -> Namespace:
    """Options of the command line."""
    parser = timing.arguments_with_json(__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows of synthetic tables")
    parser.add_argument("--repeats", type=int, default=5, help="repeats of large jobs")
    parser.add_argument(
        "--khiops-repeats", type=int, default=5, help="repeats of training, for both; 0: none"
    )
    return parser.parse_args()


def main() -> int:
    """Measure and report."""
    options = arguments()
    figures = small_jobs(repeats=50) + prediction(options.rows, options.repeats)
    if options.khiops_repeats:
        khiops_peer.require_khiops()
        figures += training(options.rows, options.khiops_repeats)
    return timing.report("Classifiers: time", figures, options.json)


if __name__ == "__main__":
    raise SystemExit(main())

"""Accuracy, AUC, log-loss and calibration of the classifiers on a folder of sets, and of peers.

Stratified ten-fold cross-validation; Parquet files with the target column `class`. Each fold is
saved, so that a run that was stopped goes on where it was, if the sources are the same. The
classifiers with pairs have the grids of a fold in common: they are searched once, and the time of
that counts for each of them.
"""

from __future__ import annotations

import argparse
import json
import pickle
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass
from functools import cache, cached_property
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from sklearn.dummy import DummyClassifier
from sklearn.metrics import roc_auc_score
from sklearn.model_selection import StratifiedKFold

from benchmarks import timing
from benchmarks.khiops_peer import uci_files
from benchmarks.timing import Figure

SOURCES = Path(__file__).parents[1] / "src" / "modlearn"
FOLDS = 10
BINS = 10
MOST_CATEGORIES = 255
MEASURES = ("accuracy", "auc", "log_loss", "calibration", "seconds")
TARGETS = {"SNB2": 83.9, "SNB1": 82.4, "NB2": 81.9, "NB1": 81.4, "B2": 73.4, "B1": 67.6}
"""Mean accuracies of the paper in percent, table 2, with the digits that it gives."""

ALL_SETS = (
    "abalone",
    "adult",
    "australian",
    "breast",
    "crx",
    "german",
    "glass",
    "heart",
    "hepatitis",
    "horsecolic",
    "hypothyroid",
    "ionosphere",
    "iris",
    "led",
    "led17",
    "letter",
    "mushroom",
    "pendigits",
    "pima",
    "satimage",
    "segmentation",
    "sickeuthyroid",
    "sonar",
    "spam",
    "thyroid",
    "tictactoe",
    "vehicle",
    "waveform",
    "wine",
    "yeast",
)
"""The 30 sets by name. Choices are made on every second one, from the first on."""

ADDITIVE = "additive with pairs"
ADDITIVE_TARGETS = {"accuracy": 0.855, "auc": 0.935, "log_loss": 0.38}

# set -> method -> fold -> measure, with the keys that JSON knows: strings
Results = dict[str, dict[str, dict[str, dict[str, float]]]]


def _ours(name: str, **parameters: Any) -> Callable[[], Any]:
    """Maker of one of our classifiers; nothing is imported before it is needed."""

    def make() -> Any:
        import modlearn

        return getattr(modlearn, name)(**parameters)

    return make


def _boosting() -> Any:
    """Gradient boosting as a user would take it: categories by their type."""
    from sklearn.ensemble import HistGradientBoostingClassifier

    return HistGradientBoostingClassifier(categorical_features="from_dtype", random_state=0)


def _lightgbm() -> Any:
    from lightgbm import LGBMClassifier

    return LGBMClassifier(random_state=0, n_jobs=1, verbose=-1)


def logistic_regression() -> Any:
    """Logistic regression with standardized numbers and a column per category."""
    from sklearn.compose import make_column_selector, make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler

    numbers = make_pipeline(
        SimpleImputer(strategy="median", add_indicator=True, keep_empty_features=True),
        StandardScaler(),
    )
    columns = make_column_transformer(
        (numbers, make_column_selector(dtype_include=np.number)),
        (OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_include="category")),
    )
    return make_pipeline(columns, LogisticRegression(max_iter=2000))


def _ebm() -> Any:
    from interpret.glassbox import ExplainableBoostingClassifier

    return ExplainableBoostingClassifier(random_state=0, n_jobs=1)


METHODS: dict[str, Callable[[], Any]] = {
    "M": DummyClassifier,
    "B1": _ours("BestUnivariateClassifier"),
    "NB1": _ours("NaiveBayesClassifier"),
    "SNB1": _ours("SelectiveNaiveBayesClassifier"),
    "SNB1 averaged": _ours("SelectiveNaiveBayesClassifier", method="averaged"),
    "additive": _ours("AdditiveClassifier"),
}
WITH_PAIRS: dict[str, Callable[[], Any]] = {
    "B2": _ours("BestBivariateClassifier"),
    "NB2": _ours("NaiveBayesClassifier", pairs=True),
    "SNB2": _ours("SelectiveNaiveBayesClassifier", pairs=True),
    "SNB2 averaged": _ours("SelectiveNaiveBayesClassifier", pairs=True, method="averaged"),
    "additive with pairs": _ours("AdditiveClassifier", pairs=True),
}
PEERS: dict[str, Callable[[], Any]] = {
    "gradient boosting": _boosting,
    "logistic regression": logistic_regression,
    **({"LightGBM": _lightgbm} if find_spec("lightgbm") else {}),
    **({"EBM": _ebm} if find_spec("interpret") else {}),
}


def read(path: Path) -> tuple[pd.DataFrame, NDArray[np.int64]]:
    """Columns and class codes."""
    frame = pd.read_parquet(path)
    codes = pd.factorize(frame.pop("class"), sort=True)[0]
    return frame, codes.astype(np.int64)


def for_peers(frame: pd.DataFrame) -> pd.DataFrame:
    """Return text as categories and numbers as floats, as scikit-learn and EBM require.

    Text of more categories than gradient boosting allows is numbered in order of its name.
    """

    def taken(column: pd.Series) -> pd.Series:
        if pd.api.types.is_numeric_dtype(column):
            return column.astype(float)
        categories = column.astype("category")
        few = len(categories.cat.categories) <= MOST_CATEGORIES
        return categories if few else categories.cat.codes.astype(float)

    return pd.DataFrame({name: taken(column) for name, column in frame.items()})


def folds_of(
    codes: NDArray[np.int64], seed: int = 0
) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Rows to learn from and rows to predict."""
    splitter = StratifiedKFold(FOLDS, shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # classes of fewer rows than folds
        return list(splitter.split(np.zeros(len(codes)), codes))


@cache
def version() -> str:
    """Return a short hash of the sources of modlearn, on which saved results depend."""
    digest = sha256()
    for file in sorted(SOURCES.rglob("*")):
        if file.suffix in (".py", ".pyx", ".pxd"):
            digest.update(f"{file.relative_to(SOURCES).as_posix()}\n".encode())
            digest.update(file.read_bytes())
    return digest.hexdigest()[:12]


def known_results(file: Path | None, seed: int) -> Results:
    """Return earlier results; refuse those of other sources or folds."""
    if file is None or not file.exists():
        return {}
    content = json.loads(file.read_text(encoding="utf-8"))
    written, now = (content.get("sources"), content.get("seed")), (version(), seed)
    if written != now:
        raise SystemExit(
            f"{file} was measured with sources and seed {written}, and these are {now}: give --out "
            "another name, or delete it."
        )
    return content["sets"]


@dataclass(frozen=True)
class Fold:
    """One fold of a set, and the methods to measure on it.

    `seed` is that of the folds; `kept` is a folder that keeps the grids of each fold, or None.
    """

    path: Path
    fold: int
    methods: tuple[str, ...]
    seed: int
    kept: Path | None

    def measured(self) -> dict[str, dict[str, float]]:
        """All measures of each method."""
        frame, codes = read(self.path)
        rows = folds_of(codes, self.seed)[self.fold]
        tables = {False: frame, True: for_peers(frame)}
        return {
            method: measure(self.classifier(method), tables[method in PEERS], codes, rows)
            for method in self.methods
        }

    def classifier(self, method: str) -> Any:
        """A classifier to fit; one with pairs has the grids."""
        if method not in WITH_PAIRS:
            return {**METHODS, **PEERS}[method]()
        return WithGrids(WITH_PAIRS[method](), *self.grids)

    @cached_property
    def grids(self) -> tuple[dict[Any, Any], float]:
        """The grid of every pair of columns, and the CPU seconds that the search took."""
        name = f"{self.path.stem}-{self.seed}-{self.fold}-{version()}.pickle"
        file = self.kept and self.kept / name
        if file and file.exists():
            return pickle.loads(file.read_bytes())
        frame, codes = read(self.path)
        train, _ = folds_of(codes, self.seed)[self.fold]
        start = time.process_time()
        found = WITH_PAIRS["NB2"]().fit(frame.iloc[train], codes[train]).grids_
        seconds = time.process_time() - start
        if file:
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(pickle.dumps((found, seconds)))
        return found, seconds


class WithGrids:
    """A classifier with pairs, whose grids are known from another one on the same rows."""

    def __init__(self, model: Any, grids: dict[Any, Any], seconds: float) -> None:
        self.model, self.grids, self.seconds = model, grids, seconds

    def fit(self, frame: pd.DataFrame, codes: NDArray[np.int64]) -> None:
        """Fit with the grids, which are not searched again."""
        from modlearn._fit import model as recipes

        with mock.patch.object(recipes, "fit_pairs", return_value=(self.grids, True)):
            self.model.fit(frame, codes)

    def __getattr__(self, name: str) -> Any:
        return getattr(self.model, name)


def measure(
    model: Any,
    frame: pd.DataFrame,
    codes: NDArray[np.int64],
    rows: tuple[NDArray[np.intp], NDArray[np.intp]],
) -> dict[str, float]:
    """All measures of one method on one fold."""
    train, test = rows
    start = time.process_time()
    model.fit(frame.iloc[train], codes[train])
    seconds = time.process_time() - start + getattr(model, "seconds", 0.0)
    probabilities = np.zeros((len(test), int(codes.max()) + 1))
    # A class may have no row to learn from.
    probabilities[:, model.classes_] = model.predict_proba(frame.iloc[test])
    predicted = np.asarray(model.predict(frame.iloc[test]))
    return {
        "accuracy": float(np.mean(predicted == codes[test])),
        "auc": auc(probabilities, codes[test]),
        "log_loss": log_loss(probabilities, codes[test]),
        "calibration": calibration_error(probabilities, codes[test]),
        "seconds": seconds,
    }


def log_loss(probabilities: NDArray[np.float64], codes: NDArray[np.int64]) -> float:
    """Mean of -log P(class), P no less than 1e-15."""
    own = probabilities[np.arange(len(codes)), codes]
    return float(-np.log(np.maximum(own, 1e-15)).mean())


def auc(probabilities: NDArray[np.float64], codes: NDArray[np.int64]) -> float:
    """Area under the ROC curve of each class against the others, weighted by its rows."""
    classes, rows = np.unique(codes, return_counts=True)
    areas = [roc_auc_score(codes == j, probabilities[:, j]) for j in classes]
    return float(np.average(areas, weights=rows))


def calibration_error(probabilities: NDArray[np.float64], codes: NDArray[np.int64]) -> float:
    """Mean distance of the largest probability from the share classified correctly, in ten bins."""
    sure, right = probabilities.max(axis=1), probabilities.argmax(axis=1) == codes
    bins = np.minimum((sure * BINS).astype(int), BINS - 1)
    gaps = [
        abs(sure[bins == b].mean() - right[bins == b].mean()) * (bins == b).mean()
        for b in np.unique(bins)
    ]
    return float(sum(gaps))


def missing(
    results: Results, name: str, methods: Sequence[str], n_folds: int = FOLDS
) -> Iterator[tuple[str, int]]:
    """Methods and folds of a set that are not measured yet."""
    for method in methods:
        known = results.get(name, {}).get(method, {})
        yield from ((method, fold) for fold in range(n_folds) if str(fold) not in known)


def cheapest_first(paths: Iterable[Path]) -> list[Path]:
    """Sets by rows times pairs of columns."""

    def pairs(path: Path) -> int:
        rows, columns = read(path)[0].shape
        return rows * columns**2

    return sorted(paths, key=pairs)


def missing_folds(
    path: Path, methods: Sequence[str], results: Results, options: argparse.Namespace
) -> Iterator[Fold]:
    """Folds of a set with what is not measured yet."""
    todo = list(missing(results, path.stem, methods, options.folds))
    for fold in sorted({fold for _, fold in todo}):
        wanted = tuple(method for method, other in todo if other == fold)
        yield Fold(path, fold, wanted, options.seed, options.grids)


def measured_folds(
    folds: Sequence[Fold], processes: int
) -> Iterator[tuple[Fold, dict[str, dict[str, float]]]]:
    """Yield the results of each fold as soon as they are known."""
    if processes == 1:
        yield from ((fold, fold.measured()) for fold in folds)
        return
    with ProcessPoolExecutor(processes) as pool:
        started = {pool.submit(fold.measured): fold for fold in folds}
        yield from ((started[done], done.result()) for done in as_completed(started))


def measure_set(
    path: Path, methods: Sequence[str], results: Results, options: argparse.Namespace
) -> None:
    """Measure what is missing for one data set; saved after each fold."""
    folds = list(missing_folds(path, methods, results, options))
    if not folds:
        return
    known = results.setdefault(path.stem, {})
    for fold, found in measured_folds(folds, options.processes):
        for method, figures_of_fold in found.items():
            known.setdefault(method, {})[str(fold.fold)] = figures_of_fold
        if options.out:
            timing.save_json(
                options.out, {"sources": version(), "seed": options.seed, "sets": results}
            )
    line = ", ".join(
        f"{method} {np.mean([f['accuracy'] for f in known[method].values()]):.4f}"
        for method in methods
    )
    print(f"{path.stem}: {line}", flush=True)


def per_set(results: Results, measure: str) -> pd.DataFrame:
    """Sets x methods, means over the folds."""
    return pd.DataFrame(
        {
            name: {
                method: np.mean([fold[measure] for fold in folds.values()])
                for method, folds in methods.items()
            }
            for name, methods in sorted(results.items())
        }
    ).T


def summary(results: Results) -> pd.DataFrame:
    """Methods x measures, means over the sets that all methods were measured on."""
    tables = {measure: per_set(results, measure).dropna() for measure in MEASURES}
    return pd.DataFrame({measure: table.mean() for measure, table in tables.items()})


def halves(results: Results) -> dict[str, Results]:
    """Results on the sets that choices were made on, and on those that were held back."""
    return {
        label: {name: results[name] for name in names if name in results}
        for label, names in (("choices were made on", ALL_SETS[::2]), ("held back", ALL_SETS[1::2]))
    }


def figures(results: Results) -> list[Figure]:
    """Figures with a target."""
    means = 100 * per_set(results, "accuracy").mean()
    return [*_additive_figures(results), *_paper_figures(means, len(results))]


def _additive_figures(results: Results) -> list[Figure]:
    """Means of the additive model with pairs; its calibration against that of SNB2."""
    found = summary(results)
    if ADDITIVE not in found.index:
        return []
    own = found.loc[ADDITIVE]
    figures = [
        Figure(f"{ADDITIVE}, mean {measure}", own[measure], target, at_least=measure != "log_loss")
        for measure, target in ADDITIVE_TARGETS.items()
    ]
    if "SNB2" in found.index:
        target = found.loc["SNB2"]["calibration"]
        figures.append(Figure(f"{ADDITIVE}, calibration error", own["calibration"], target))
    return figures


def _paper_figures(means: pd.Series, n_sets: int) -> list[Figure]:
    """Mean accuracies in percent, rounded as in the paper, against those of the paper."""
    return [
        Figure(
            f"{method}, mean accuracy",
            round(means[method], 1),
            target,
            at_least=True,
            unit=" %",
            note=f"{means[method]:.3f} over {n_sets} sets",
        )
        for method, target in TARGETS.items()
        if method in means
    ]


def arguments() -> argparse.Namespace:
    """Options of the command line."""
    parser = timing.arguments_with_json(__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of Parquet files")
    parser.add_argument("--sets", nargs="+", help="names of the data sets; default: all")
    parser.add_argument(
        "--methods", nargs="+", choices=[*METHODS, *WITH_PAIRS, *PEERS], default=[*METHODS]
    )
    parser.add_argument("--pairs", action="store_true", help="also measure classifiers with pairs")
    parser.add_argument("--peers", action="store_true", help="also measure the peers")
    parser.add_argument("--folds", type=int, default=FOLDS, help="number of the ten folds to run")
    parser.add_argument("--seed", type=int, default=0, help="random seed for the folds")
    parser.add_argument(
        "--out", type=Path, help="file for the results of each fold; resumes from it"
    )
    parser.add_argument("--grids", type=Path, help="folder for the grids of each fold")
    parser.add_argument(
        "--processes", type=int, default=1, help="number of folds measured at a time"
    )
    return parser.parse_args()


def main() -> int:
    """Measure and report."""
    options = arguments()
    results = known_results(options.out, options.seed)
    methods = [*options.methods, *(WITH_PAIRS if options.pairs else ())]
    methods += [*(PEERS if options.peers else ())]
    for path in cheapest_first(uci_files(options.data, options.sets)):
        measure_set(path, methods, results, options)
    for label, some in (("all", results), *halves(results).items()):
        if some:
            print(f"{len(some)} sets, {label}")
            print(summary(some).to_string(float_format="{:.4f}".format))
    if options.peers and "EBM" not in PEERS:
        print("EBM was not measured: interpret is not installed.")
    return timing.report("Classifiers against the paper", figures(results), options.json)


if __name__ == "__main__":
    raise SystemExit(main())

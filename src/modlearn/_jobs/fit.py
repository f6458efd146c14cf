"""`fit` and `analyze`: the whole job in one call."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from modlearn._estimators.naive_bayes import SelectiveNaiveBayesClassifier
from modlearn._evaluate.data_warnings import TrainingData, data_warnings
from modlearn._evaluate.redundancy import redundancies
from modlearn._fit.columns import fit_columns
from modlearn._fit.pairs import PairSearch, fit_pairs
from modlearn._jobs.evaluation import EvaluationOutcome, judge
from modlearn._jobs.labels import find_positive
from modlearn._jobs.options import METHODS, check_share, read_pairs
from modlearn._jobs.preparing import ColumnRequest, PreparedData, prepare
from modlearn._jobs.result import FitResult
from modlearn._model.evaluation import Diagnostics
from modlearn._model.grid import Grid
from modlearn._model.partition import Partition
from modlearn._parallel import Progress, no_progress
from modlearn._search.intervals import Limits
from modlearn._show.summary import now

__all__ = ["Plan", "analyze", "begin_fit", "fit"]


def fit(
    data: Any,
    target: Hashable | None = None,
    *,
    y: Any = None,
    pairs: Any = "none",
    method: str = "weighted",
    drop: Any = (),
    only: Any = (),
    as_categorical: Any = (),
    positive: Any = None,
    test: float | None = None,
    test_file: Any = None,
    seed: int = 0,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> FitResult:
    """Learn to predict a column of a table, and tell how well that works and why.

    Columns of which nothing can be learned are left out, the model is evaluated on rows that it has
    not learned from, and what a careful colleague would say is said. Print the result.

    Parameters
    ----------
    data : path, frame or array-like of shape (n_rows, n_columns)
        A file of any kind that DuckDB reads, ``"shop.duckdb::orders"``, or a table of any kind:
        pandas, Polars, Arrow, NumPy.
    target : str, default=None
        Name of the column to predict. Rows without a value there are unlabeled: they help to
        place the cuts.
    y : array-like of shape (n_rows,), default=None
        The target itself, if it is no column of the table.
    pairs : "none", "all", int or str, default="none"
        Pairs of columns that are variables too: none, all, so many of the most promising, or as
        many of these as can be begun within a time such as "60s" or "5m". In a cross-validation
        every fold searches anew, so that ten folds take ten times as long as the search for the
        model; ``test=0.3`` searches once more only. With a time, a part is held out rather than
        ten folds from 1,000 labeled rows on.
    method : {"weighted", "averaged"}, default="weighted"
        How weights are found, as in SelectiveNaiveBayesClassifier.
    drop, only, as_categorical : names of columns, default=()
        Columns not to look at; columns alone to look at; columns whose numbers are categories.
    positive : class, default=None
        Of two classes, the one whose curves and calibration are shown; the second by default.
    test : float, default=None
        Share of the labeled rows to hold out for the evaluation. By default there are ten folds,
        or 0.3 is held out of more than 50,000 rows. The model always learns from all rows.
    test_file : path or frame, default=None
        A table to evaluate on; columns that differ between the tables are warned of.
    seed : int, default=0
        Of the folds and of all else that is drawn.
    n_jobs : int, default=None
        Threads; None = all cores. The result does not depend on it.
    progress : callable, default=None
        Called as ``progress(stage, done, total)``: "reading", "columns", "pairs",
        "evaluating 3/10".

    Returns
    -------
    FitResult
        With ``model``, ``evaluation``, ``facts``, ``warnings``, ``summary()``, ``report(path)`` and
        ``save(path)``.

    Examples
    --------
    >>> import modlearn
    >>> from sklearn.datasets import load_wine
    >>> wine = load_wine(as_frame=True).frame
    >>> wine["target"] = wine["target"].map("grower {}".format)
    >>> result = modlearn.fit(wine, "target", only=["flavanoids", "proline", "hue"])
    >>> print(result)
    target, 3 classes, 178 rows, 3 columns (10 left out)
    accuracy 0.932 ± 0.045 (10-fold cross-validation, 178 test rows)
    balanced accuracy 0.933 ± 0.046, AUC 0.983 ± 0.029, log-loss 0.219 ± 0.184
    for comparison: most frequent class 0.399, flavanoids alone 0.797
    <BLANKLINE>
    variable    level  weight  parts
    flavanoids  0.467    1.00      4
    proline     0.363    0.99      4
    hue         0.254    1.00      3
    >>> result.evaluation.confusion
    array([[55,  4,  0],
           [ 2, 67,  2],
           [ 0,  4, 44]])
    >>> result.model.predict(wine[result.model.feature_names_in_])[:3]
    array(['grower 0', 'grower 0', 'grower 0'], dtype=object)
    """
    wanted = ColumnRequest(target, y, drop, only, as_categorical)
    plan = Plan(
        pairs=pairs,
        method=method,
        positive=positive,
        test=test,
        test_file=test_file,
        seed=seed,
        n_jobs=n_jobs,
        progress=progress or no_progress,
    )
    return begin_fit(data, wanted, plan)[1]()


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How a model is learned and evaluated; each field is what ``fit`` calls by its name."""

    pairs: Any = "none"
    method: str = "weighted"
    positive: Any = None
    test: float | None = None
    test_file: Any = None
    seed: int = 0
    n_jobs: int | None = None
    progress: Progress = no_progress

    def classifier(self) -> SelectiveNaiveBayesClassifier:
        """The classifier that is asked for, not fitted."""
        if self.method not in METHODS:
            methods = ", ".join(map(repr, METHODS))
            raise ValueError(f"method is {self.method!r}: give one of {methods}.")
        model = SelectiveNaiveBayesClassifier(
            pairs=read_pairs(self.pairs),
            method=self.method,
            random_state=self.seed,
            n_jobs=_threads(self.n_jobs),
        )
        model._validate_params()
        return model

    def judged_by(self) -> Any:
        """The share of the rows, or the table, to evaluate on; None = as is sensible."""
        share = check_share(self.test)
        if share is not None and self.test_file is not None:
            raise ValueError("test and test_file are both given: give one of them.")
        return share if self.test_file is None else self.test_file


def begin_fit(
    data: Any, wanted: ColumnRequest, plan: Plan
) -> tuple[PreparedData, Callable[[], FitResult]]:
    """What was understood of the table, at once; and what finishes the job."""
    test, model = plan.judged_by(), plan.classifier()
    prepared = prepare(data, wanted, model.n_jobs, plan.progress)
    positive = find_positive(plan.positive, prepared.target.classes)

    def finish() -> FitResult:
        _learn(model, prepared, plan.progress)
        judged = judge(model, prepared, positive, test, plan.seed, plan.progress)
        model._diagnostics = _diagnostics(model, prepared, judged, positive, plan.seed)
        model.n_jobs = plan.n_jobs
        return FitResult(model, model.partitions_, model.grids_, model._diagnostics)

    return prepared, finish


def _diagnostics(
    model: SelectiveNaiveBayesClassifier,
    prepared: PreparedData,
    judged: EvaluationOutcome,
    positive: int | None,
    seed: int,
) -> Diagnostics:
    """All that is known beside the model."""
    seen = _seen(prepared, list(model.partitions_.values()))
    return Diagnostics(
        created=now(),
        data=replace(prepared.facts, notes=(*prepared.facts.notes, *judged.notes)),
        positive=positive,
        evaluation=judged.evaluation,
        pairs_complete=model.complete_,
        warnings=(*data_warnings(seen), *judged.data_warnings),
        columns=prepared.columns,
        redundancies=redundancies(model, prepared.chosen.table, prepared.target, seed),
    )


def analyze(
    data: Any,
    target: Hashable | None = None,
    *,
    y: Any = None,
    pairs: Any = "none",
    drop: Any = (),
    only: Any = (),
    as_categorical: Any = (),
    positive: Any = None,
    n_jobs: int | None = None,
    progress: Progress | None = None,
) -> FitResult:
    """Tell which columns of a table, and which pairs of them, tell about a target.

    The same as ``fit`` without a classifier and its evaluation.

    Parameters
    ----------
    data : path, frame or array-like of shape (n_rows, n_columns)
        A file or a table of any kind, as in ``fit``.
    target : str, default=None
        Name of the column to tell about.
    y : array-like of shape (n_rows,), default=None
        The target itself, if it is no column of the table.
    pairs : "none", "all", int or str, default="none"
        Pairs of columns to search: none, all, so many of the most promising, or as many of these
        as can be begun within a time such as "60s" or "5m".
    drop, only, as_categorical : names of columns, default=()
        Columns not to look at; columns alone to look at; columns whose numbers are categories.
    positive : class, default=None
        Of two classes, the one that the report puts first; the second by default.
    n_jobs : int, default=None
        Threads; None = all cores.
    progress : callable, default=None
        Called as ``progress(stage, done, total)``: "reading", "columns", "pairs".

    Returns
    -------
    FitResult
        With ``partitions``, ``grids``, ``facts``, ``warnings``, ``summary()`` and
        ``report(path)``; its ``model`` and ``evaluation`` are None.

    Examples
    --------
    >>> import modlearn
    >>> from sklearn.datasets import load_iris
    >>> iris = load_iris(as_frame=True).frame
    >>> print(modlearn.analyze(iris, "target"))
    target, 3 classes, 150 rows, 4 columns
    <BLANKLINE>
    variable           level  parts
    petal width (cm)   0.685      3
    petal length (cm)  0.673      3
    sepal length (cm)  0.302      3
    sepal width (cm)   0.137      3
    """
    asked = read_pairs(pairs)
    tell = progress or no_progress
    threads = _threads(n_jobs)
    wanted = ColumnRequest(target, y, drop, only, as_categorical)
    prepared = prepare(data, wanted, threads, tell)
    table, classes = prepared.chosen.table, prepared.target
    limits = Limits.within(None, 1)
    partitions = fit_columns(table, table.kinds(), classes, "auto", limits, threads, tell)
    grids: dict[Any, Grid] = {}
    complete = True
    if asked is not False and len(partitions) > 1:
        search = PairSearch("all" if asked is True else asked, threads, tell, None, False)
        grids, complete = fit_pairs(table, classes, partitions, search)
    diagnostics = Diagnostics(
        created=now(),
        data=prepared.facts,
        positive=find_positive(positive, classes.classes),
        evaluation=None,
        pairs_complete=complete,
        warnings=tuple(data_warnings(_seen(prepared, partitions))),
        columns=prepared.columns,
    )
    return FitResult(None, {p.name: p for p in partitions}, grids, diagnostics)


def _threads(n_jobs: int | None) -> int:
    return -1 if n_jobs is None else n_jobs


def _learn(
    model: SelectiveNaiveBayesClassifier, prepared: PreparedData, progress: Progress
) -> None:
    """Fit the model on all rows, and set what scikit-learn knows of its columns."""
    model._progress, model._keeps_interrupted = progress, False
    table = prepared.chosen.table
    model._fit_table(table, prepared.target)
    # A model is kept and copied, what it tells its progress to is not.
    del model._progress, model._keeps_interrupted
    model.n_features_in_ = len(table.names)
    if prepared.named and all(isinstance(name, str) for name in table.names):
        model.feature_names_in_ = np.array(table.names, dtype=object)


def _seen(prepared: PreparedData, partitions: list[Partition]) -> TrainingData:
    return TrainingData(prepared.chosen.table, partitions, prepared.chosen.looks)

"""`fit` and `analyze`: the whole job in one call."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from modlearn._estimators.classifier import show_model
from modlearn._estimators.naive_bayes import SelectiveNaiveBayesClassifier
from modlearn._estimators.partitioner import name_columns
from modlearn._evaluate.data_warnings import TrainingData, data_warnings, redundancies
from modlearn._evaluate.evaluation import Evaluator
from modlearn._fit.columns import fit_partitions
from modlearn._fit.model import Recipe, fit_model, without_repeats
from modlearn._fit.pairs import Pair, PairSearch, fit_pairs, requested_pairs
from modlearn._jobs.evaluation import plan_evaluation
from modlearn._jobs.options import METHODS, check_share, find_positive, read_pairs
from modlearn._jobs.prepare import ColumnRequest, PreparedData, prepare
from modlearn._jobs.result import FitResult
from modlearn._model.evaluation import DataWarning, Diagnostics
from modlearn._model.grid import Grid
from modlearn._model.partitions import Partition
from modlearn._parallel import Progress, no_progress
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
    request = ColumnRequest(target, y, drop, only, as_categorical)
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
    return begin_fit(data, request, plan)[1]()


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How a model is learned and evaluated; each field is a parameter of ``fit``."""

    pairs: Any = "none"
    method: str = "weighted"
    positive: Any = None
    test: float | None = None
    test_file: Any = None
    seed: int = 0
    n_jobs: int | None = None
    progress: Progress = no_progress

    def classifier(self) -> SelectiveNaiveBayesClassifier:
        """The classifier that the plan describes, not fitted."""
        if self.method not in METHODS:
            methods = ", ".join(map(repr, METHODS))
            raise ValueError(f"method is {self.method!r}: pass one of {methods}.")
        model = SelectiveNaiveBayesClassifier(
            pairs=read_pairs(self.pairs),
            method=self.method,
            random_state=self.seed,
            n_jobs=_threads(self.n_jobs),
        )
        model._validate_params()
        return model

    def recipe(self, pairs: Any) -> Recipe:
        """How the model is learned."""
        draws = np.random.RandomState(self.seed)
        return Recipe(
            weights=self.method,
            choose=without_repeats,
            pairs=requested_pairs(pairs),
            # The seed that the classifier draws from its random_state.
            seed=int(draws.randint(np.iinfo(np.int32).max)),
            n_jobs=_threads(self.n_jobs),
            column_progress=self.progress,
            pair_progress=self.progress,
            keeps_interrupted=False,
        )

    def test_on(self) -> Any:
        """The share of the rows, or the table, to evaluate on; None = as is sensible."""
        share = check_share(self.test)
        if share is not None and self.test_file is not None:
            raise ValueError("test and test_file are both given: pass one of them.")
        return share if self.test_file is None else self.test_file


def begin_fit(
    data: Any, request: ColumnRequest, plan: Plan
) -> tuple[PreparedData, Callable[[], FitResult]]:
    """What was understood of the table, at once; and a function that finishes the job."""
    test, classifier = plan.test_on(), plan.classifier()
    prepared = prepare(data, request, classifier.n_jobs, plan.progress)
    positive = find_positive(plan.positive, prepared.target.classes)

    def finish() -> FitResult:
        return _finish(prepared, classifier, plan, test, positive)

    return prepared, finish


def _finish(
    prepared: PreparedData,
    classifier: SelectiveNaiveBayesClassifier,
    plan: Plan,
    test: Any,
    positive: int | None,
) -> FitResult:
    """Learn from all rows, evaluate, and gather what is known."""
    timed = isinstance(classifier.pairs, float)
    planned = plan_evaluation(prepared.rows, test, plan.seed, timed)
    recipe = plan.recipe(classifier.pairs)
    fitted = fit_model(planned.rows, recipe)
    # A fold searches the number of pairs that the model found in the time it had.
    of_fold = replace(recipe, pairs=len(fitted.model.grids) or None) if timed else recipe
    quiet = replace(of_fold, column_progress=None, pair_progress=no_progress)
    evaluator = Evaluator(fitted.model, quiet, positive, plan.seed, plan.progress)
    outcome = planned.evaluate(evaluator, prepared)
    diagnostics = Diagnostics(
        created=now(),
        data=replace(prepared.facts, notes=(*prepared.facts.notes, *outcome.notes)),
        positive=positive,
        evaluation=outcome.evaluation,
        pairs_complete=fitted.pairs_complete,
        warnings=(*_warnings(prepared, fitted.model.partitions), *outcome.warnings),
        columns=prepared.columns,
        redundancies=redundancies(fitted.model, prepared.rows, plan.seed),
    )
    classifier.n_jobs = plan.n_jobs
    show_model(classifier, fitted.model, fitted.pairs_complete, diagnostics)
    name_columns(classifier, prepared.rows.schema.names, prepared.named)
    return FitResult(classifier, fitted.model.partitions, fitted.model.grids, diagnostics)


def _warnings(prepared: PreparedData, partitions: dict[Hashable, Partition]) -> list[DataWarning]:
    training = TrainingData(prepared.rows, list(partitions.values()), prepared.summaries)
    return data_warnings(training)


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
    requested = requested_pairs(read_pairs(pairs))
    report, threads = progress or no_progress, _threads(n_jobs)
    request = ColumnRequest(target, y, drop, only, as_categorical)
    prepared = prepare(data, request, threads, report)
    found = fit_partitions(prepared.rows, threads, report)
    partitions = {partition.name: partition for partition in found}
    grids: dict[Pair, Grid] = {}
    complete = True
    if requested is not None and len(partitions) > 1:
        search = PairSearch(requested, threads, report, keeps_interrupted=False)
        grids, complete = fit_pairs(prepared.rows, found, search)
    diagnostics = Diagnostics(
        created=now(),
        data=prepared.facts,
        positive=find_positive(positive, prepared.target.classes),
        evaluation=None,
        pairs_complete=complete,
        warnings=tuple(_warnings(prepared, partitions)),
        columns=prepared.columns,
    )
    return FitResult(None, partitions, grids, diagnostics)


def _threads(n_jobs: int | None) -> int:
    return -1 if n_jobs is None else n_jobs

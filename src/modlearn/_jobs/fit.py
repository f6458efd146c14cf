"""`fit`: the whole job in one call."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from modlearn._estimators.classifier import PairClassifier
from modlearn._estimators.naive_bayes import SelectiveNaiveBayesClassifier
from modlearn._evaluate.data_warnings import (
    TrainingData,
    columns_of_names,
    data_warnings,
    redundancies,
    unseen_values,
    weighted_dates,
)
from modlearn._evaluate.evaluation import (
    Evaluator,
    TestPlan,
    TestRequest,
    plan_of,
    with_untested,
)
from modlearn._fit.model import Recipe, fit_model, without_repeats
from modlearn._fit.trees import MOST_TREES
from modlearn._jobs.counting import notes_on_counts, notes_on_tests, with_bins
from modlearn._jobs.given_tests import (
    EvaluationOutcome,
    TestTable,
    given_parts,
    on_table,
    only_date,
    read_test,
)
from modlearn._jobs.options import (
    METHODS,
    both_passed,
    check_share,
    find_decision,
    find_positive,
    not_by_error,
    read_memory,
    read_pairs,
)
from modlearn._jobs.prepare import PreparedData, prepare
from modlearn._jobs.result import FitResult
from modlearn._jobs.source import ColumnRequest, Room
from modlearn._jobs.views import with_useful_dates, with_views
from modlearn._model.decision import Decision
from modlearn._model.evaluation import DataWarning, Diagnostics, Evaluation, Note, Numbers
from modlearn._parallel import Progress, no_progress
from modlearn._show.summary import now
from modlearn._statistics.rows import Fold, Rows
from modlearn.errors import ColumnError
from modlearn.schema import Kind, Schema

__all__ = [
    "Plan",
    "PlannedEvaluation",
    "begin_fit",
    "fit",
    "plan_evaluation",
    "threads_of",
    "with_offered_views",
]


@dataclass(frozen=True)
class PlannedEvaluation:
    """How a model will be evaluated; decided first, so that counts serve the folds too."""

    rows: Rows  # the rows that the model learns from
    # How rows are tested; None = none can be tested, or there is a test table.
    plan: TestPlan | None
    folds: tuple[Fold, ...] = ()
    test_table: TestTable | None = None  # another table to test on

    def evaluate(self, evaluator: Evaluator, prepared: PreparedData) -> EvaluationOutcome:
        """Evaluate a model that was trained on all rows."""
        if self.test_table is not None:
            outcome = on_table(evaluator, prepared, self.test_table)
            return replace(outcome, notes=(*outcome.notes, *_scored_notes([self.test_table.rows])))
        if self.plan is None:
            return EvaluationOutcome(None, (Note("not_evaluated"),))
        evaluation, models = evaluator.on_folds(self.folds, self.plan)
        notes = (*self.plan.notes, *_scored_notes([fold.test for fold in self.folds]))
        return EvaluationOutcome(evaluation, notes, models=models)


def _scored_notes(tests: Sequence[Rows]) -> tuple[Note, ...]:
    """Note how many test rows an engine scored, how it rounded, and whether it failed."""
    scorers = [(test, scorer) for test in tests if (scorer := test.scorer) is not None]
    notes: list[Note] = []
    if used := [scorer for _, scorer in scorers if scorer.n_scored]:
        n_rows, steps = sum(one.n_scored for one in used), min(one.steps for one in used)
        numbers: Numbers = {"rows": n_rows, "engine": used[0].engine, "steps": steps}
        notes.append(Note("scored_in_engine", numbers | {"moved": 8 * steps}))
    if failed := [(test, scorer) for test, scorer in scorers if scorer.failure]:
        n_rows = sum(int(test.target.counts.sum()) for test, _ in failed)
        _, first = failed[0]
        reason = first.failure.rstrip(".")
        notes.append(Note("not_scored", {"rows": n_rows, "engine": first.engine, "reason": reason}))
    return tuple(notes)


def plan_evaluation(rows: Rows, test: TestRequest) -> PlannedEvaluation:
    """Plan to test some of the rows."""
    plan = plan_of(rows, test)
    if plan is None:
        return PlannedEvaluation(rows, None)
    division = rows.divide(plan.split)
    if not division.folds:
        raise ColumnError(
            f"Whole groups of column {plan.split.group!r} cannot be held out: every class has all "
            "of its rows in one or a few groups. Choose a column with more groups."
        )
    if plan.split.group is not None or plan.split.time is not None:
        plan = with_untested(plan, rows.target, division)
    return PlannedEvaluation(division.whole, plan, division.folds)


def fit(
    data: Any,
    target: Any = None,
    *,
    pairs: Any = "none",
    method: str = "weighted",
    drop: Any = (),
    only: Any = (),
    as_categorical: Any = (),
    as_date: Any = (),
    date_format: Any = None,
    trend: Any = (),
    positive: Any = None,
    cost: Any = None,
    threshold: float | None = None,
    test: Any = None,
    test_file: Any = None,
    group: Hashable | None = None,
    time: Hashable | None = None,
    test_last: float | None = None,
    seed: int = 0,
    n_jobs: int | None = None,
    memory: int | str | None = None,
    progress: Progress | None = None,
) -> FitResult:
    """Learn to predict a column of a table, and report how well that works and why.

    Columns from which nothing can be learned are left out, the model is evaluated on rows that it
    was not trained on, and problems in the data are reported as warnings. Print the result.

    Parameters
    ----------
    data : path, frame or array-like of shape (n_rows, n_columns)
        A file that DuckDB can read, a table of a database such as ``"shop.duckdb::orders"``, or a
        table in memory: pandas, Polars, Arrow, NumPy. A table of PostgreSQL, such as
        ``"postgresql://localhost/shop::orders"``, and a Spark DataFrame stay where they are.
    target : str or array-like of shape (n_rows,)
        Name of the column to predict, or a label per row: ``fit(X, y)``. Rows where it is missing
        are unlabeled; they position the cuts between labels, and are predicted if they are the
        majority.
    pairs : "none", "all", int or str, default="none"
        Pairs of columns to use in addition: none; all; the most promising ones, up to this number;
        or as many of those as can be started within a time such as "60s" or "5m". In
        cross-validation, every fold repeats the search, so that ten folds take ten times as long
        as the search for the model; with ``test=0.3`` it is repeated only once. With a time and at
        least 1,000 labeled rows, a part is held out instead of using ten folds.
    method : {"weighted", "averaged", "additive"}, default="weighted"
        How the weights of columns and pairs are computed; see SelectiveNaiveBayesClassifier.
        "additive" learns a smooth curve for each column instead; see AdditiveClassifier.
    drop, only, as_categorical : names of columns, default=()
        Columns to leave out; the only columns to use; columns whose numbers are categories.
    as_date : names of columns, default=()
        Columns to read as dates, in the format that most of their cells have.
    date_format : dict of column name to str, default=None
        Columns to read as dates in a format of strptime, such as ``{"when": "%d/%m/%Y"}``, or
        ``"excel"`` for numbers of days. The model reads later tables in the same format.
    trend : names of columns, default=()
        Columns of dates to use as they are, too. By default, a date counts only by the parts of the
        calendar that recur in it: hour, weekday, month, day of the year. Pass the name if new
        rows have dates of the same range, such as a date of birth.
    positive : class, default=None
        The class of interest, if there are two classes: the one whose curves and calibration are
        shown. By default, the rarer class.
    cost : dict of (true class, predicted class) to float, default=None
        What errors cost, if not all cost the same: with ``{("yes", "no"): 10}``, predicting "no"
        for a row of class "yes" costs 10. Every other error costs 1. The class of least expected
        cost is predicted; probabilities do not change.
    threshold : float, default=None
        Predict the class of interest if its probability is at least this; needs two classes. By
        default, the more probable class is predicted. Pass either this or `cost`.
    test : float, splitter or iterable of (train, test), default=None
        Share of the labeled rows to hold out for the evaluation; or a splitter of scikit-learn,
        such as ``KFold(5)``, or the row numbers it would return. By default, the evaluation is a
        10-fold cross-validation, or holds out 0.3 of more than 50,000 rows. The model itself is
        always trained on all rows.
    test_file : path, frame or address, default=None
        A table to evaluate on, scored where it is if it does not fit in memory. Columns whose
        distribution differs from the training data are reported as warnings.
    group : str, default=None
        Column that says which rows belong together, such as a customer: rows with the same value
        are never in both training rows and test rows, so the evaluation holds for values that were
        never seen. The model does not use the column.
    time : str, default=None
        Column of dates or numbers: the evaluation goes forward in time. The last 0.3 of the rows
        are tested in three parts, each by a model trained on all rows before it. The model uses
        only the recurring parts of a date, and dates themselves if that helps to predict later
        rows, which is tested on rows before those that are evaluated; a note says so.
    test_last : float, default=None
        Share of the rows to test forward in time, instead of 0.3. If there is only one column of
        dates, it is the time.
    seed : int, default=0
        Random seed for the cross-validation folds and all other random choices.
    n_jobs : int, default=None
        Number of threads; None = all cores. The result does not depend on it.
    memory : int or str, default=None
        Memory to use, in bytes or as text such as "2GB"; by default half of what is installed.
        Larger files are not read into memory: DuckDB counts their columns where they are, and the
        model is learned from the counts.
    progress : callable, default=None
        Called as ``progress(stage, done, total)``: "reading", "dates", "counting" (rows that an
        engine has counted), "columns", "pairs", "evaluating 3/10"; with many unlabeled rows also
        "neighbors" and "unlabeled rows".

    Returns
    -------
    FitResult
        The ``model``, also as a ``classifier`` of scikit-learn, its ``evaluation``, ``facts`` and
        ``warnings`` about the table, and the methods ``predict(data)``, ``predict_proba(data)``,
        ``explain(data)``, ``evaluate(data)``, ``summary()``, ``report(path)`` and ``save(path)``.
        If most rows are unlabeled, ``unlabeled`` holds their predictions.

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
    >>> result.predict(wine)[:3]
    array(['grower 0', 'grower 0', 'grower 0'], dtype=object)
    """
    for option, name in (("group", group), ("time", time)):
        if hasattr(name, "__len__") and not isinstance(name, str | tuple):
            raise ValueError(
                f"{option} is a {type(name).__name__}: pass the name of a column of the table."
            )
    request = ColumnRequest(
        target, drop, only, as_categorical, as_date, date_format, trend, group, time
    )
    plan = Plan(
        pairs=pairs,
        method=method,
        positive=positive,
        cost=cost,
        threshold=threshold,
        test=test,
        test_file=test_file,
        test_last=test_last,
        seed=seed,
        n_jobs=n_jobs,
        memory=memory,
        progress=progress or no_progress,
    )
    return begin_fit(data, request, plan)[1]()


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How a model is learned and evaluated; each field but the last is a parameter of ``fit``."""

    pairs: Any = "none"
    method: str = "weighted"
    positive: Any = None
    cost: Any = None
    threshold: float | None = None
    test: Any = None
    test_file: Any = None
    test_last: float | None = None
    seed: int = 0
    n_jobs: int | None = None
    memory: int | str | None = None
    progress: Progress = no_progress
    predicts_unlabeled: bool = True  # whether unlabeled rows are predicted, if most rows are

    def classifier(self) -> PairClassifier:
        """The classifier that the plan describes, not yet fitted."""
        if self.method not in METHODS:
            methods = ", ".join(map(repr, METHODS))
            raise ValueError(f"method is {self.method!r}: pass one of {methods}.")
        n_jobs, pairs = threads_of(self.n_jobs), read_pairs(self.pairs)
        model: PairClassifier
        if self.method == "additive":
            from modlearn._estimators.additive import AdditiveClassifier

            model = AdditiveClassifier(pairs=pairs, n_jobs=n_jobs)
        else:
            model = SelectiveNaiveBayesClassifier(
                pairs=pairs, method=self.method, random_state=self.seed, n_jobs=n_jobs
            )
        model._validate_params()
        return model

    def recipe(self, pairs: Any) -> Recipe:
        """How the model is learned."""
        draws = np.random.RandomState(self.seed)
        return Recipe(
            weights=self.method,
            choose=without_repeats,
            # The seed that the classifier draws from its random_state.
            seed=int(draws.randint(np.iinfo(np.int32).max)),
            n_jobs=threads_of(self.n_jobs),
            column_progress=self.progress,
            pair_progress=self.progress,
            keeps_interrupted=False,
            pairs=pairs,
            n_trees=MOST_TREES,
        )

    def check_test(self, request: ColumnRequest) -> None:
        """Raise if the options for the evaluation contradict each other."""
        named = {"test": self.test, "test_file": self.test_file, "test_last": self.test_last}
        # A test table, or a division by the user, leaves no rows to choose.
        if self.test_file is not None:
            named |= {"group": request.group, "time": request.time}
        elif _divides(self.test):
            named |= {"time": request.time}
        passed = [name for name, value in named.items() if value is not None]
        if len(passed) > 1:
            raise both_passed(*passed[:2])
        if self.cost is not None and not isinstance(self.cost, Mapping):
            raise not_by_error(self.cost)
        if self.cost and self.threshold is not None:
            raise both_passed("cost", "threshold")
        if self.test_last is not None:
            check_share(self.test_last, "test_last")
        if self.test is not None and not _divides(self.test):
            check_share(self.test)

    def test_request(self, prepared: PreparedData, timed: bool) -> TestRequest:
        """What the user says about the test rows."""
        group, time = prepared.group, prepared.time
        if _divides(self.test):
            return TestRequest(parts=given_parts(self.test, prepared), seed=self.seed)
        share = self.test if self.test_last is None else self.test_last
        return TestRequest(share=share, group=group, time=time, seed=self.seed, timed=timed)


def _divides(test: Any) -> bool:
    """Whether rows are divided by the user: by a splitter, or by row numbers, not by a table."""
    if isinstance(test, str | bytes) or hasattr(test, "columns"):
        return False
    return hasattr(test, "split") or isinstance(test, Iterable)


def begin_fit(
    data: Any, request: ColumnRequest, plan: Plan
) -> tuple[PreparedData, Callable[[], FitResult]]:
    """Read the table; return what was read, and a function that does the rest of the job."""
    plan.check_test(request)
    n_jobs, classifier = threads_of(plan.n_jobs), plan.classifier()
    memory = None if plan.memory is None else read_memory(plan.memory)
    room = Room.of(memory, plan.progress, n_jobs)
    read = prepare(data, request, n_jobs, plan.progress, room)
    if plan.test_last is not None and read.time is None:
        read = replace(read, time=only_date(read))
    target = read.rows.target
    positive = find_positive(plan.positive, target)
    decision = find_decision(plan.cost, plan.threshold, target, positive)
    prepared = with_offered_views(read, request)
    if plan.test_file is not None:
        # Read now: a wrong name is reported before a long search.
        other = read_test(prepared, plan.test_file, room)
        planned = PlannedEvaluation(prepared.rows, None, test_table=other)
    else:
        test = plan.test_request(prepared, isinstance(classifier.pairs, float))
        planned = plan_evaluation(prepared.rows, test)

    def finish() -> FitResult:
        used, tested = prepared, planned
        try:
            if used.time is not None and tested.plan is not None:
                quiet = replace(plan.recipe(False), column_progress=None)
                divided = tested.folds, tested.plan.split
                used, folds = with_useful_dates(read, request.trend, divided, quiet, plan.progress)
                tested = replace(tested, rows=used.rows, folds=folds)
            return _finish(used, tested, classifier, plan, positive, decision)
        except BaseException:
            prepared.rows.stop()
            if planned.test_table is not None:
                planned.test_table.rows.stop()
            raise

    return prepared, finish


def with_offered_views(prepared: PreparedData, request: ColumnRequest) -> PreparedData:
    """Replace dates with their recurring parts, and add the views that other columns offer."""
    dated = any(column.kind is Kind.DATETIME for column in prepared.rows.schema.columns)
    viewed = dated or any(summary.views for summary in prepared.summaries)
    return with_views(prepared, request.trend) if viewed or request.trend else prepared


def _finish(
    prepared: PreparedData,
    planned: PlannedEvaluation,
    classifier: PairClassifier,
    plan: Plan,
    positive: int | None,
    decision: Decision | None,
) -> FitResult:
    """Learn from all rows, evaluate, and collect the diagnostics."""
    recipe = plan.recipe(classifier.pairs)
    fitted = fit_model(planned.rows, recipe)
    if decision is not None:
        fitted = replace(fitted, model=replace(fitted.model, decision=decision))
    # A fold searches as many pairs as the model could within its time.
    timed = isinstance(classifier.pairs, float)
    of_fold = replace(recipe, pairs=fitted.n_searched or False) if timed else recipe
    quiet = replace(of_fold, column_progress=None, pair_progress=no_progress)
    evaluator = Evaluator(fitted.model, quiet, positive, plan.seed, plan.progress)
    outcome = planned.evaluate(evaluator, prepared)
    n_distinct = {one.name: one.n_distinct for one in prepared.columns}
    about_model, unchecked = _about_model(evaluator, planned, outcome.evaluation, n_distinct)
    partitions = list(fitted.model.partitions.values())
    warnings = (
        *about_model,
        *data_warnings(TrainingData(planned.rows, partitions, prepared.summaries)),
        *outcome.warnings,
    )
    warnings = tuple(_with_source(one, prepared.rows.schema) for one in warnings)
    redundant = redundancies(fitted.model, planned.rows, plan.seed)
    notes = [*prepared.facts.notes, *outcome.notes, *unchecked]
    unlabeled = None
    if prepared.facts.n_unlabeled > prepared.facts.n_labeled:
        from modlearn._jobs.unlabeled import label_tests, predict_unlabeled

        tests = label_tests(prepared, plan.seed)
        if tests and plan.predicts_unlabeled:
            # The evaluation has trained the models of its own folds.
            is_same = planned.plan is not None and planned.plan.split == tests.split
            models = outcome.models if is_same else tests.models(quiet)
            unlabeled = predict_unlabeled(
                prepared, tests.folds, models, fitted.model, quiet.n_jobs, plan.progress
            )
            notes.append(unlabeled.note)
        elif tests:
            notes.append(Note("unlabeled_in_python"))
    counting, columns = planned.rows.counting, prepared.columns
    if counting is not None:
        columns = with_bins(columns, counting)
        notes += notes_on_counts(counting, bool(classifier.pairs))
        notes += notes_on_tests(counting, outcome.evaluation, planned.folds)
    diagnostics = Diagnostics(
        created=now(),
        data=replace(prepared.facts, notes=tuple(notes)),
        positive=positive,
        evaluation=outcome.evaluation,
        pairs_complete=fitted.pairs_complete,
        warnings=warnings,
        columns=columns,
        redundancies=redundant,
    )
    classifier.n_jobs = plan.n_jobs
    found = fitted.model.partitions, fitted.model.grids
    return FitResult(fitted.model, *found, diagnostics, classifier, prepared.named, unlabeled)


MOST_CHECKED = 3
"""Most columns of names that are checked with whole values held out."""


def _about_model(
    evaluator: Evaluator,
    planned: PlannedEvaluation,
    evaluation: Evaluation | None,
    n_distinct: Mapping[str, int | None],
) -> tuple[list[DataWarning], tuple[Note, ...]]:
    """Warn where the evaluation says more than the model can do for later rows."""
    by_rows = evaluation is not None and evaluation.how in ("cross-validation", "held-out part")
    in_time = evaluation is not None and evaluation.time is not None
    found = [] if in_time else weighted_dates(evaluator.model)
    if evaluation is None or evaluation.group or not by_rows:
        return found, ()
    names = columns_of_names(evaluator.model, n_distinct)
    if names and evaluator.model.decision is not None and planned.plan is not None:
        # Costs and thresholds move the accuracy, too: the most probable classes are compared.
        plain = replace(evaluator.model, decision=None)
        evaluator = replace(evaluator, model=plain, progress=no_progress)
        evaluation, _ = evaluator.on_folds(planned.folds, planned.plan)
    for name in names[:MOST_CHECKED]:
        unseen = evaluator.accuracy_on_unseen(planned.rows, name)
        found += unseen_values(name, evaluation.measures["accuracy"].mean, unseen)
    rest = tuple(map(str, names[MOST_CHECKED:]))
    return found, (Note("names_not_checked", {"unchecked": len(rest)}, rest),) * bool(rest)


def _with_source(warning: DataWarning, schema: Schema) -> DataWarning:
    """Add to a warning about a view the column that it is computed from."""
    views = {str(name): str(column.source) for name, column in schema.views.items()}
    if not warning.columns or warning.columns[0] not in views:
        return warning
    return replace(warning, numbers={**warning.numbers, "source": views[warning.columns[0]]})


def threads_of(n_jobs: int | None) -> int:
    """Return the number of threads as scikit-learn spells it: None is all cores here."""
    return -1 if n_jobs is None else n_jobs

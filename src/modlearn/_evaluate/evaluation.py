"""How good a model is on rows that it was not trained on."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from modlearn._evaluate.measures import (
    SMALLEST,
    CountMeasures,
    PredictedRows,
    Ranking,
    RowMeasures,
    calibration,
    calibration_of_counts,
    confusion,
    counted,
    curves,
    curves_of_counts,
    errors_of_sample,
    standard_errors,
)
from modlearn._fit.model import Recipe, fit_model, only_tested
from modlearn._model.additive import AdditiveModel, Term, next_probable
from modlearn._model.evaluation import (
    MEASURES,
    CalibrationBin,
    Curve,
    DecisionCost,
    Evaluation,
    ExplainedRow,
    MajorityClass,
    Measure,
    Note,
    Numbers,
    Reason,
    SingleVariable,
)
from modlearn._model.limits import MOST_REASONS
from modlearn._model.partitions import Groups, Intervals, Partition
from modlearn._parallel import Progress, no_progress
from modlearn._statistics.batches import LabeledBatch
from modlearn._statistics.rows import Division, Fold, Rows, Split
from modlearn._statistics.scores import ScoredRows
from modlearn.criteria import class_shares
from modlearn.errors import ColumnError
from modlearn.schema import Column, TargetSpec, class_names

__all__ = [
    "Evaluator",
    "TestPlan",
    "TestRequest",
    "cross_validation",
    "evaluate_predictions",
    "example_positions",
    "explain_rows",
    "forward_fold",
    "held_out_part",
    "plan_of",
    "sensible_plan",
    "total_log_loss",
    "with_untested",
]

MOST_FOLDS = 10
FEWEST_FOLDS = 5
"""Fewest folds, if a class has fewer rows than ten: with less, each fold would train on too few."""

HELD_OUT = 0.3
"""Share of the rows that is held out if ten folds would take too long."""

LARGE = 50_000
"""With more labeled rows, a part is held out: its standard error is small enough."""

LARGE_WIDE = 5_000_000
"""With more cells, a part is held out if it has enough rows."""

ROWS_OF_WIDE = 5_000

TIMED = 1_000
"""With a time limit for pairs and at least this many labeled rows, a part is held out."""

MOST_NAMED = 3
"""Most classes that are named if several are never tested."""


@dataclass(frozen=True)
class TestPlan:
    """How a model is tested."""

    __test__ = False  # not a test case, although its name starts with Test

    # How test rows are selected: "cross-validation", "held-out part", "forward in time", "given
    # splits".
    how: str
    split: Split  # how the table divides its rows
    notes: tuple[Note, ...]  # what is unusual about the split


@dataclass(frozen=True, kw_only=True)
class TestRequest:
    """What the user says about the test rows."""

    __test__ = False  # not a test case, although its name starts with Test

    # Share of the rows to hold out; None = folds, or a held-out part of a large table.
    share: float | None = None
    # Column whose equal values are never in both training rows and test rows.
    group: Hashable | None = None
    # Column of times: the last rows are tested, by what was learned from the rows before them.
    time: Hashable | None = None
    parts: tuple[tuple[NDArray[np.intp], NDArray[np.intp]], ...] | None = None
    seed: int = 0
    timed: bool = False  # whether pairs are searched within a time limit


FORWARD_PARTS = 3
"""Number of parts of the last rows, if the evaluation goes forward in time."""


def plan_of(rows: Rows, request: TestRequest) -> TestPlan | None:
    """Plan what the user asks for, or what is sensible; None if no row can be tested."""
    if request.parts is not None:
        split = Split(len(request.parts), None, request.seed, parts=request.parts)
        return TestPlan("given splits", split, ())
    if request.time is not None:
        share = HELD_OUT if request.share is None else request.share
        split = Split(FORWARD_PARTS, share, request.seed, request.group, request.time)
        return TestPlan("forward in time", split, ())
    if request.share is None:
        plan = sensible_plan(rows, request.seed, request.timed)
    else:
        plan = held_out_part(rows.target, request.share, request.seed)
    if plan is None or request.group is None:
        return plan
    return replace(plan, split=replace(plan.split, group=request.group))


def sensible_plan(rows: Rows, seed: int, timed: bool) -> TestPlan | None:
    """Plan ten folds, or a held-out part if they would take long; None if no row can be tested."""
    n_labeled = int(rows.target.counts.sum())
    n_cells = rows.n_rows * len(rows.schema.columns)
    large = n_labeled > LARGE or (n_labeled >= ROWS_OF_WIDE and n_cells > LARGE_WIDE)
    if not large and not (timed and n_labeled >= TIMED):
        return cross_validation(rows.target, seed)
    plan = held_out_part(rows.target, HELD_OUT, seed)
    note = Note("held_out", {"share": HELD_OUT, "because": "large" if large else "timed"})
    return plan and replace(plan, notes=(note, *plan.notes))


def cross_validation(target: TargetSpec, seed: int) -> TestPlan | None:
    """Plan folds with about equal shares of each class; None if no row can be tested.

    Examples
    --------
    >>> target = TargetSpec("y", np.array(["a", "b"]), np.array([3, 3]), 0)
    >>> cross_validation(target, seed=0).split.n_folds
    5
    """
    repeated = target.counts[target.counts > 1]
    if not len(repeated):
        return None
    n_folds = min(MOST_FOLDS, max(FEWEST_FOLDS, int(repeated.min())), int(repeated.sum()))
    notes = (*_fewer(target, n_folds), *_untested(target))
    return TestPlan("cross-validation", Split(n_folds, None, seed), notes)


def held_out_part(target: TargetSpec, share: float, seed: int) -> TestPlan | None:
    """Plan to hold out a share of each class; None if no row can be tested."""
    if not (target.counts > 1).any():
        return None
    return TestPlan("held-out part", Split(1, share, seed), _untested(target))


def _fewer(target: TargetSpec, n_folds: int) -> tuple[Note, ...]:
    """Note why there are fewer folds than usual."""
    if n_folds == MOST_FOLDS:
        return ()
    rows = target.counts
    rarest = int(np.argmin(np.where(rows > 1, rows, rows.max() + 1)))
    numbers: Numbers = {"folds": n_folds, "usual": MOST_FOLDS, "rows": int(rows[rarest])}
    return (Note("fewer_folds", numbers, (target.class_names[rarest],)),)


def _untested(target: TargetSpec) -> tuple[Note, ...]:
    """Note which classes are never tested."""
    single = np.flatnonzero(target.counts == 1)
    if not len(single):
        return ()
    names = class_names(target.classes[single[:MOST_NAMED]])
    return (Note("untested_classes", {"classes": len(single)}, tuple(names)),)


def with_untested(plan: TestPlan, target: TargetSpec, division: Division) -> TestPlan:
    """Note which classes and folds are not tested, where groups or times decide that."""
    tested = np.sum([fold.test.target.counts for fold in division.folds], axis=0)
    never = np.flatnonzero((target.counts > 0) & (tested == 0))
    notes = [note for note in plan.notes if note.kind != "untested_classes"]
    n_folds, n_tested, n_groups = plan.split.n_folds, len(division.folds), division.n_groups
    if n_groups is not None and n_groups < n_folds:
        numbers: Numbers = {"folds": n_groups, "usual": MOST_FOLDS, "groups": n_groups}
        notes = [note for note in notes if note.kind != "fewer_folds"]
        notes.append(Note("few_groups", numbers, (str(plan.split.group),)))
        n_folds = n_groups
    if len(never):
        names = class_names(target.classes[never[:MOST_NAMED]])
        notes.append(Note("never_tested", {"classes": len(never)}, tuple(names)))
    if n_tested < n_folds:
        kind = "untested_folds" if plan.split.time is None else "untested_times"
        notes.append(Note(kind, {"folds": n_tested, "usual": n_folds}))
    return replace(plan, notes=tuple(notes))


def forward_fold(rows: Rows, split: Split) -> tuple[Fold, ...]:
    """Return the last rows as one part to be tested forward in time; none if that is impossible."""
    try:
        return rows.divide(replace(split, n_folds=1, share=HELD_OUT)).folds
    except ColumnError:
        return ()


def total_log_loss(fold: Fold, columns: Sequence[Column], recipe: Recipe) -> float:
    """Return the log-loss of all test rows of a model of some columns, in nats."""
    model = fit_model(fold.train.select(columns), only_tested(recipe)).model
    scorer = fold.test.scorer
    scored = None if scorer is None else scorer.scored(model, None, ())
    if scored is not None:
        return scored.loss
    chances = [
        model.probabilities(batch, recipe.n_jobs)[np.arange(batch.n_rows), batch.labels]
        for batch in fold.test.batches()
    ]
    return -float(np.log(np.maximum(_joined(chances), SMALLEST)).sum())


STEPS = 1000
"""Number of progress steps per fold."""


@dataclass(frozen=True)
class _TestOutcome:
    """Test rows, the model and its predictions, and the accuracy of its best column alone.

    Where an engine `scored` the rows, the batches are a sample of them. Rows are `numbered` by
    their position in the table, unless they come from an engine.
    """

    model: AdditiveModel
    batches: tuple[LabeledBatch, ...]
    predicted: PredictedRows
    best_accuracy: float
    numbered: bool
    scored: ScoredRows | None = None

    @property
    def confusion(self) -> NDArray[np.int64]:
        """Rows by true and predicted class, shape (J, J)."""
        return confusion(self.predicted) if self.scored is None else self.scored.confusion


Tables = tuple[NDArray[np.int64], tuple[Curve, ...], tuple[CalibrationBin, ...]]
"""Confusion matrix, curves and calibration of all test rows."""


@dataclass(frozen=True)
class Evaluator:
    """What is evaluated, and how."""

    model: AdditiveModel  # the model that was trained on all rows
    recipe: Recipe  # how the model of each fold is trained
    positive: int | None  # the class of interest, if there are two
    seed: int  # random seed for the standard errors
    progress: Progress  # called with the progress of the folds

    def on_folds(
        self, folds: Sequence[Fold], plan: TestPlan
    ) -> tuple[Evaluation, tuple[AdditiveModel, ...]]:
        """Train on the rows of each fold from scratch, including pairs, and test on the rest.

        The model of each fold is returned too.
        """
        tested = []
        for k, fold in enumerate(folds):
            model = fit_model(fold.train, self._recipe_of_fold(k, len(folds))).model
            tested.append(self._test(model, fold.test))
            self.progress(*_stage(k, len(folds), STEPS))
        n_train = float(np.mean([fold.train.target.counts.sum() for fold in folds]))
        evaluation = self._summed_up(tested, plan.how, round(n_train), plan.split)
        return evaluation, tuple(fold.model for fold in tested)

    def on_table(self, rows: Rows) -> Evaluation:
        """Test the model on the labeled rows of another table."""
        self.progress("evaluating 1/1", 0, STEPS)
        tested = self._test(self.model, rows)
        self.progress("evaluating 1/1", STEPS, STEPS)
        return self._summed_up([tested], "test file", int(self.model.target.counts.sum()))

    def accuracy_on_unseen(self, rows: Rows, column: Hashable) -> float | None:
        """Return the accuracy on values of a column that are not in the training rows.

        None if no row can be tested: all rows of a class may have the same value. With pairs,
        which take long to search, a part of the values is held out instead of five folds.
        """
        paired = bool(self.recipe.pairs)
        split = Split(
            1 if paired else FEWEST_FOLDS, HELD_OUT if paired else None, self.seed, column
        )
        tested = [
            self._test(fit_model(fold.train, only_tested(self.recipe)).model, fold.test).confusion
            for fold in rows.divide(split).folds
        ]
        counts = np.sum(tested, axis=0)
        return float(np.trace(counts) / counts.sum()) if tested else None

    def _recipe_of_fold(self, k: int, n_folds: int) -> Recipe:
        """Return the recipe of a fold, with its longest stage reported as a share of all folds."""

        def report(stage: str, done: int, total: int) -> None:
            if total:
                self.progress(*_stage(k, n_folds, (STEPS - 1) * done // total))

        recipe = only_tested(self.recipe)
        if not recipe.pairs:
            return replace(recipe, column_progress=report)
        return replace(recipe, pair_progress=report)

    def _test(self, model: AdditiveModel, rows: Rows) -> _TestOutcome:
        """Predict rows that the model was not trained on."""
        scorer, scored = rows.scorer, None
        if scorer is not None:
            known = np.flatnonzero(rows.target.counts).tolist()
            ranked = known if self.positive is None else [self.positive]
            decided = replace(model, decision=self.model.decision)
            scored = scorer.scored(decided, self.positive, ranked)
        if scorer is None or scored is None:
            return self._read(model, tuple(rows.batches()), rows.counting is None)
        # Examples and standard errors come from the sample.
        found = self._read(model, tuple(scorer.sample.batches()), numbered=False)
        return replace(found, best_accuracy=self._accuracy_alone(model, rows), scored=scored)

    def _read(
        self, model: AdditiveModel, batches: tuple[LabeledBatch, ...], numbered: bool
    ) -> _TestOutcome:
        """Predict rows that are read in batches."""
        best, chances, alone = model.best_partition, [], []
        scored = [term.scored for term in model.used_terms]
        for batch in batches:
            codes = model.codes(batch, self.recipe.n_jobs)
            chances.append(model.probabilities_of(codes, batch.n_rows))
            if best is None:
                alone.append(np.full(batch.n_rows, -1, dtype=np.int32))
            else:
                # The parts of the best column are known if the scores of the model are theirs.
                known = [found for parts, found in zip(scored, codes, strict=True) if parts is best]
                alone.append(known[0] if known else best.codes_in(batch))
        truth, probabilities = _joined([batch.labels for batch in batches]), _joined(chances)
        np.clip(probabilities, 0.0, 1.0, out=probabilities)
        predicted = PredictedRows(truth, probabilities, self.positive, self.model.decision)
        accuracy = float((self._labels_alone(model)[_joined(alone)] == truth).mean())
        return _TestOutcome(model, batches, predicted, accuracy, numbered)

    def _labels_alone(self, model: AdditiveModel) -> NDArray[np.intp]:
        """Return the class that each part of the best column predicts alone.

        The last is that of a value never seen, code -1: the most frequent class. Without a column
        it is that of all rows.
        """
        counts, best = model.target.counts, model.best_partition
        shares = counts[None] / counts.sum()
        if best is not None:
            shares = np.concatenate([class_shares(best.counts), shares])
        decision = self.model.decision
        return shares.argmax(axis=1) if decision is None else decision.labels(shares)

    def _accuracy_alone(self, model: AdditiveModel, rows: Rows) -> float:
        """Return the accuracy of the best column alone, from counts of the test rows."""
        best, labels = model.best_partition, self._labels_alone(model)
        known = rows.target.counts
        if best is None:
            return float(known[labels[-1]] / known.sum())
        counts = _counts_by_part(best, rows.select(model.schema.columns))
        hits = counts[np.arange(len(labels)), labels]
        return float(hits[known[labels] > 0].sum() / known.sum())

    def _summed_up(
        self, tested: Sequence[_TestOutcome], how: str, n_train: int, split: Split | None = None
    ) -> Evaluation:
        """Return the measures of the folds, and curves of all their rows together."""
        every = tested[0].predicted
        if len(tested) > 1:
            every = replace(
                every,
                truth=np.concatenate([fold.predicted.truth for fold in tested]),
                probabilities=np.concatenate([fold.predicted.probabilities for fold in tested]),
            )
        if any(fold.scored is not None for fold in tested):
            found = self._counted(tested, how, n_train)
        else:
            found = self._evaluation([fold.predicted for fold in tested], every, how, n_train)
        return replace(
            found,
            group=None if split is None or split.group is None else str(split.group),
            time=None if split is None or split.time is None else str(split.time),
            best_variable=self._best_variable(tested),
            examples=self._examples(tested, every),
        )

    def on_predictions(
        self, truth: NDArray[np.int32], probabilities: NDArray[np.float64]
    ) -> Evaluation:
        """Evaluate what the model predicted for rows of another table; no row is explained."""
        shares = np.clip(probabilities, 0.0, 1.0)
        every = PredictedRows(truth, shares, self.positive, self.model.decision)
        n_train = int(self.model.target.counts.sum())
        return self._evaluation([every], every, "test file", n_train)

    def _evaluation(
        self, folds: Sequence[PredictedRows], every: PredictedRows, how: str, n_train: int
    ) -> Evaluation:
        """Return the measures of predictions by fold, and curves of all of them together."""
        measured, rankings = self._measures(folds, every)
        shown = curves(every, self.recipe.n_jobs, rankings)
        tables = confusion(every), shown, calibration(every)
        return self._of_tables(measured, tables, how, len(folds), n_train)

    def _counted(self, tested: Sequence[_TestOutcome], how: str, n_train: int) -> Evaluation:
        """Return the measures of rows that an engine scored; folds that were read are counted."""
        folds = [counted(fold.predicted) if fold.scored is None else fold.scored for fold in tested]
        every = ScoredRows.joined(folds)
        shown = calibration_of_counts(every, self.positive)
        tables = every.confusion, curves_of_counts(every), shown
        if len(folds) > 1:
            measured = _spread_over([CountMeasures(fold) for fold in folds])
        else:
            rows = every.confusion.sum(axis=1)
            errors = errors_of_sample(tested[0].predicted, rows, self.seed)
            measured = _with_errors(CountMeasures(every).measures(), errors)
        return self._of_tables(measured, tables, how, len(folds), n_train)

    def _of_tables(
        self, measured: dict[str, Measure], tables: Tables, how: str, n_folds: int, n_train: int
    ) -> Evaluation:
        """Return an evaluation, but for what is known of single rows."""
        counts, shown, calibrated = tables
        return Evaluation(
            how=how,
            n_folds=n_folds if how not in ("held-out part", "test file") else None,
            n_train=n_train,
            n_test=int(counts.sum()),
            confusion=counts,
            curves=shown,
            calibration=calibrated,
            measures=measured,
            cost=self._cost(counts),
            majority=self._majority(counts),
            best_variable=None,
            examples=(),
        )

    def _measures(
        self, folds: Sequence[PredictedRows], every: PredictedRows
    ) -> tuple[dict[str, Measure], dict[int, Ranking]]:
        """Return mean and spread over the folds; of one test set, standard errors and rankings."""
        n_jobs = self.recipe.n_jobs
        if len(folds) > 1:
            return _spread_over([RowMeasures.of(fold, n_jobs) for fold in folds]), {}
        whole = RowMeasures.of(every, n_jobs)
        errors = standard_errors(every, whole, self.seed)
        return _with_errors(whole.measures(), errors), whole.rankings

    def _cost(self, counts: NDArray[np.int64]) -> DecisionCost | None:
        """Return what the errors cost, and those of always predicting the cheapest class.

        Which one is the cheapest is known from the training rows.
        """
        decision, target = self.model.decision, self.model.target
        if decision is None or not decision.costs:
            return None
        cheapest = int(decision.labels(self.model.class_prior[None])[0])
        always = np.zeros_like(counts)
        always[:, cheapest] = counts.sum(axis=1)
        total, of_constant = decision.total(counts), decision.total(always)
        n_rows = int(counts.sum())
        name = target.class_names[cheapest]
        return DecisionCost(total, total / n_rows, name, of_constant / n_rows)

    def _majority(self, counts: NDArray[np.int64]) -> MajorityClass:
        """Return the most frequent class of the training rows, and its share of the test rows."""
        target = self.model.target
        majority = int(np.argmax(target.counts))
        share = float(counts[majority].sum() / counts.sum())
        return MajorityClass(target.class_names[majority], share)

    def _best_variable(self, tested: Sequence[_TestOutcome]) -> SingleVariable | None:
        """Return the best column of all rows, and the accuracy of the best column of each fold."""
        best = self.model.best_partition
        if best is None:
            return None
        accuracies = [fold.best_accuracy for fold in tested]
        return SingleVariable(str(best.name), float(np.mean(accuracies)))

    def _examples(
        self, tested: Sequence[_TestOutcome], every: PredictedRows
    ) -> tuple[ExplainedRow, ...]:
        """Explain some rows of all folds, each with the model that was not trained on it."""
        pieces = [(fold.model, batch) for fold in tested for batch in fold.batches]
        piece = np.repeat(np.arange(len(pieces)), [batch.n_rows for _, batch in pieces])
        first = np.searchsorted(piece, np.arange(len(pieces)))
        numbers = _joined([batch.row_numbers for _, batch in pieces])
        chosen = example_positions(every, numbers)
        explained: dict[int, ExplainedRow] = {}
        for k in np.unique(piece[chosen]).tolist():
            positions = chosen[piece[chosen] == k]
            model, batch = pieces[k]
            some, predicted = batch.at(positions - first[k]), every.at(positions)
            shown = numbers[positions].tolist() if tested[0].numbered else [None] * len(positions)
            found = explain_rows(model, some, shown, predicted, self.recipe.n_jobs)
            explained |= dict(zip(positions.tolist(), found, strict=True))
        return tuple(explained[position] for position in chosen.tolist())


def evaluate_predictions(
    model: AdditiveModel,
    truth: NDArray[np.int32],
    probabilities: NDArray[np.float64],
    positive: int | None,
    n_jobs: int | None,
) -> Evaluation:
    """Evaluate what a model predicted for rows whose class, an index each, is known."""
    recipe = Recipe(weights="weighted", n_jobs=n_jobs)
    return Evaluator(model, recipe, positive, 0, no_progress).on_predictions(truth, probabilities)


def _joined(arrays: list[NDArray[Any]]) -> NDArray[Any]:
    """Return arrays below each other; a single one as it is."""
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)


def _stage(k: int, n_folds: int, done: int) -> tuple[str, int, int]:
    return f"evaluating {k + 1}/{n_folds}", k * STEPS + done, n_folds * STEPS


def _counts_by_part(best: Partition, rows: Rows) -> NDArray[np.int64]:
    """Count rows by part and class, shape (I + 1, J); the last part holds values never seen."""
    if isinstance(best, Groups):
        categories = rows.categories([best.name])[0].by_label()[0]
        summed = categories.summed(best.codes(categories.values) % np.intp(best.n_parts + 1))
        return np.pad(summed, ((0, best.n_parts + 1 - len(summed)), (0, 0)))
    assert isinstance(best, Intervals)
    numbers = rows.numeric([best.name])[0].by_label()[0]
    found = np.zeros((best.n_parts + 1, numbers.n_classes), dtype=np.int64)
    codes = best.codes(numbers.values)
    np.add.at(found, (codes, numbers.classes), 1 if numbers.rows is None else numbers.rows)
    return found


def _spread_over(folds: Sequence[RowMeasures | CountMeasures]) -> dict[str, Measure]:
    """Return mean and standard deviation of the measures over folds."""
    found = [fold.measures() for fold in folds]
    over = {name: _over_folds([fold[name] for fold in found]) for name in MEASURES}
    recalls = np.array([fold.recalls() for fold in folds])
    return over | {"balanced_accuracy": _balanced(recalls, over["balanced_accuracy"])}


def _with_errors(
    values: dict[str, float | None], errors: dict[str, float | None]
) -> dict[str, Measure]:
    return {name: Measure(value, errors[name], (value,)) for name, value in values.items()}


def _over_folds(values: list[float | None]) -> Measure:
    """Return mean and standard deviation over the folds where the measure is defined."""
    known = [value for value in values if value is not None]
    mean = float(np.mean(known)) if known else None
    spread = float(np.std(known, ddof=1)) if len(known) > 1 else None
    return Measure(mean, spread, tuple(values))


def _balanced(recalls: NDArray[np.float64], over: Measure) -> Measure:
    """Return the mean recall of the classes; recalls have shape (folds, J), NaN where untested.

    A fold that lacks a class has no balanced accuracy: counting its other classes alone, a constant
    prediction would look good. Each class then counts by its mean over the folds that have it.
    """
    recalls = recalls[:, ~np.isnan(recalls).all(axis=0)]
    untested = np.isnan(recalls)
    if not untested.any():
        return over
    folds = zip(untested, over.folds, strict=True)
    found = _over_folds([None if lacks.any() else value for lacks, value in folds])
    return replace(found, mean=float(np.nanmean(recalls, axis=0).mean()))


EACH = 3
"""Number of examples of each kind."""


def example_positions(predicted: PredictedRows, rows: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return rows that are correct and certain, correct and uncertain, wrong and either of both.

    Among equally certain rows, those with the smallest row numbers are taken.
    """
    sure = predicted.chances
    correct = predicted.labels == predicted.truth
    chosen: list[int] = []
    for kind in (correct, ~correct):
        for doubt in (-sure, sure):
            positions = np.flatnonzero(kind)
            found = _least(doubt[positions], rows[positions], positions)
            chosen += found
            kind[found] = False
    return np.array(chosen, dtype=np.intp)


def _least(
    doubt: NDArray[np.float64], rows: NDArray[np.intp], positions: NDArray[np.intp]
) -> list[int]:
    """Return the positions of the rows with the least doubt."""
    if len(positions) > EACH:
        # Only the first few need to be sorted.
        few = np.flatnonzero(doubt <= np.partition(doubt, EACH - 1)[EACH - 1])
        doubt, rows, positions = doubt[few], rows[few], positions[few]
    least: list[int] = positions[np.lexsort((rows, doubt))[:EACH]].tolist()
    return least


def explain_rows(
    model: AdditiveModel,
    batch: LabeledBatch,
    row_numbers: Sequence[int | None],
    predicted: PredictedRows,
    n_jobs: int | None,
) -> list[ExplainedRow]:
    """Return the reasons for each prediction, against the true class or the runner-up."""
    labels, codes = predicted.labels, model.codes(batch, n_jobs)
    contributions = model.explanation_of(codes, batch.n_rows).contributions
    # The rival is the true class if another one is predicted, else the most probable other one.
    others = next_probable(predicted.probabilities, labels)
    rivals = np.where(labels == predicted.truth, others, predicted.truth)
    texts = cache(lambda k: _TermTexts.of(model.used_terms[k]))
    return [
        ExplainedRow(
            row=row,
            truth=int(predicted.truth[i]),
            predicted=int(labels[i]),
            probabilities=tuple(predicted.probabilities[i].tolist()),
            reasons=_reasons(
                texts,
                [int(column[i]) for column in codes],
                contributions[i],
                (int(labels[i]), int(rivals[i])),
            ),
        )
        for i, row in enumerate(row_numbers)
    ]


@dataclass(frozen=True)
class _TermTexts:
    """What reasons quote from a term: its names, and the label and the cuts of each part."""

    name: str | tuple[str, ...]
    labels: list[str]
    bounds: list[tuple[str | None, str | None]]

    @classmethod
    def of(cls, term: Term) -> _TermTexts:
        parts = term.scored
        first, *rest = map(str, parts.columns)
        open_ends: list[tuple[str | None, str | None]] = [(None, None)] * len(term.table)
        bounds = parts.bounds if isinstance(parts, Intervals) else open_ends
        return cls((first, *rest) if rest else first, parts.labels, bounds)


def _reasons(
    texts: Callable[[int], _TermTexts],
    codes: list[int],
    contributions: NDArray[np.float64],
    classes: tuple[int, int],
) -> tuple[Reason, ...]:
    """Return the terms that separate two classes most; contributions have shape (K, J)."""
    label, rival = classes
    evidence = contributions[:, label] - contributions[:, rival]
    strongest = np.argsort(-np.abs(evidence), kind="stable")[:MOST_REASONS]
    return tuple(
        Reason(
            texts(k).name,
            texts(k).labels[codes[k]],
            *(classes if evidence[k] > 0 else (rival, label)),
            abs(float(evidence[k])),
            *texts(k).bounds[codes[k]],
        )
        for k in strongest.tolist()
        if evidence[k]
    )

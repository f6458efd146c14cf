"""An evaluation is that of classifiers fitted by hand on the same rows."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics
from sklearn.base import clone
from sklearn.datasets import load_iris, load_wine
from tests.frames import make_people

import modlearn
from modlearn import BestUnivariateClassifier, SelectiveNaiveBayesClassifier
from modlearn._evaluate import evaluation as module
from modlearn._evaluate.evaluation import (
    Evaluator,
    cross_validation,
    example_positions,
    explain_rows,
    held_out_part,
    sensible_plan,
)
from modlearn._evaluate.measures import PredictedRows
from modlearn._model.evaluation import Note
from modlearn._parallel import no_progress
from modlearn._tables.memory.rows import MemoryRows
from modlearn._tables.memory.table import read_table
from modlearn._tables.memory.target import Target, read_target
from modlearn.schema import Schema


def rows_of(X, target):
    table = read_table(X)
    return MemoryRows.of(table, Schema(tuple(table.columns())), target)


class EvaluationCase:
    """A classifier of all rows, its evaluator, and the rows."""

    def __init__(self, X, y, pattern=None, positive=None, progress=no_progress):
        self.pattern = pattern or SelectiveNaiveBayesClassifier()
        self.target = read_target(y, len(X))
        self.rows = rows_of(X, self.target)
        self.classifier = clone(self.pattern).fit(X, y)
        recipe = self.pattern._recipe()
        self.evaluator = Evaluator(self.classifier.model_, recipe, positive, 0, progress)

    def on(self, plan):
        """The evaluation by a plan, and numbers of the training and test rows of its folds."""
        folds = self.rows.divide(plan.split).folds
        parts = [
            tuple(next(some.batches()).row_numbers for some in (fold.train, fold.test))
            for fold in folds
        ]
        return self.evaluator.on_folds(folds, plan)[0], parts

    def on_ten_folds(self):
        return self.on(cross_validation(self.target.spec(), 0))


@pytest.fixture(scope="module")
def people():
    data, y = make_people()
    return pd.DataFrame(data), np.array(y, dtype=object)


@pytest.mark.parametrize(
    "pattern",
    [
        SelectiveNaiveBayesClassifier(),
        SelectiveNaiveBayesClassifier(pairs=True),
        SelectiveNaiveBayesClassifier(method="averaged"),
    ],
    ids=str,
)
def test_folds_are_learned_anew_from_their_own_rows(people, pattern):
    X, y = people
    found, parts = EvaluationCase(X, y, pattern, positive=1).on_ten_folds()
    by_hand = []
    for train, test in parts:
        fold = clone(pattern).fit(X.iloc[train], y[train])
        by_hand.append(metrics.log_loss(y[test], fold.predict_proba(X.iloc[test])))
    assert found.measures["log_loss"].folds == pytest.approx(by_hand, rel=1e-12)
    assert found.measures["log_loss"].mean == pytest.approx(np.mean(by_hand))
    assert found.measures["log_loss"].spread == pytest.approx(np.std(by_hand, ddof=1))


def test_unlabeled_rows_are_learned_from_and_never_tested(people):
    X, y = people
    some = np.where(np.arange(len(y)) % 3 == 0, None, y)
    evaluated = EvaluationCase(X, some)
    found, parts = evaluated.on_ten_folds()
    assert found.n_test == sum(label is not None for label in some)
    by_hand = [
        clone(evaluated.pattern).fit(X.iloc[train], some[train]).score(X.iloc[test], some[test])
        for train, test in parts
    ]
    assert found.measures["accuracy"].folds == pytest.approx(by_hand)


def test_the_best_column_is_evaluated_on_the_same_folds(people):
    X, y = people
    found, parts = EvaluationCase(X, y).on_ten_folds()
    best = BestUnivariateClassifier()
    by_hand = [
        clone(best).fit(X.iloc[train], y[train]).score(X.iloc[test], y[test])
        for train, test in parts
    ]
    assert found.best_variable.accuracy == pytest.approx(np.mean(by_hand))
    assert found.best_variable.name == next(iter(best.fit(X, y).weights_))


def test_the_rest_is_of_all_test_rows_together(people):
    X, y = people
    found, _ = EvaluationCase(X, y, positive=1).on_ten_folds()
    assert (found.how, found.n_folds, found.n_train, found.n_test) == (
        "cross-validation",
        10,
        108,
        120,
    )
    assert found.confusion.sum() == 120
    assert np.trace(found.confusion) / 120 == pytest.approx(found.measures["accuracy"].mean)
    share = max(np.mean(y == "no"), np.mean(y == "yes"))
    assert found.majority.accuracy == pytest.approx(share)
    assert sum(part.rows for part in found.calibration) == 120
    assert [curve.label for curve in found.curves] == [1]


def test_examples_are_rows_of_the_table_with_their_own_class(people):
    X, y = people
    evaluated = EvaluationCase(X, y)
    found, _ = evaluated.on_ten_folds()
    assert 4 <= len(found.examples) <= 12
    for example in found.examples:
        assert evaluated.target.codes[example.row] == example.truth
        assert example.predicted == int(np.argmax(example.probabilities))


def test_a_held_out_part_has_a_standard_error(people):
    X, y = people
    evaluated = EvaluationCase(X, y, positive=1)
    found, ((train, test),) = evaluated.on(held_out_part(evaluated.target.spec(), 0.4, 0))
    fold = clone(evaluated.pattern).fit(X.iloc[train], y[train])
    accuracy = found.measures["accuracy"]
    assert accuracy.mean == pytest.approx(fold.score(X.iloc[test], y[test]))
    assert accuracy.folds == (accuracy.mean,)
    expected = (accuracy.mean * (1 - accuracy.mean) / len(test)) ** 0.5
    assert accuracy.spread == pytest.approx(expected, rel=0.3)
    assert (found.how, found.n_folds, found.n_train) == ("held-out part", None, len(train))


def test_another_table_is_tested_by_the_model_itself(people):
    X, y = people
    evaluated = EvaluationCase(X.iloc[:60], y[:60], positive=1)
    truth = (y[60:] == "yes").astype(np.int32)
    other = rows_of(X.iloc[60:], Target(evaluated.target.classes, truth))
    found = evaluated.evaluator.on_table(other)
    assert found.measures["accuracy"].mean == evaluated.classifier.score(X.iloc[60:], y[60:])
    assert (found.how, found.n_train, found.n_test) == ("test file", 60, 60)


def test_columns_that_are_not_informative_leave_the_majority():
    rng = np.random.default_rng(0)
    X, y = rng.random((60, 2)), np.arange(60) % 3 == 0
    found, _ = EvaluationCase(X, y, positive=1).on_ten_folds()
    assert found.best_variable is None
    assert found.measures["accuracy"].mean == pytest.approx(found.majority.accuracy)
    assert found.measures["auc"].mean == 0.5


@pytest.mark.parametrize("pairs", [True, False])
def test_progress_grows_from_fold_to_fold(pairs):
    X, y = load_wine(return_X_y=True)
    reported = []
    evaluated = EvaluationCase(
        X[:, :4],
        y,
        SelectiveNaiveBayesClassifier(pairs=pairs),
        progress=lambda *stage: reported.append(stage),
    )
    evaluated.on_ten_folds()
    assert reported[0][0] == "evaluating 1/10"
    assert reported[-1] == ("evaluating 10/10", 10_000, 10_000)
    done = [done for _, done, _ in reported]
    assert done == sorted(done)
    assert len(set(done)) > 20


def test_the_result_does_not_depend_on_threads(people):
    X, y = people
    one, two = (
        EvaluationCase(X, y, SelectiveNaiveBayesClassifier(n_jobs=n_jobs)) for n_jobs in (1, 2)
    )
    assert one.on_ten_folds()[0].to_dict() == two.on_ten_folds()[0].to_dict()


def predicted_of(chances, truth):
    chances = np.array(chances)
    return PredictedRows(np.array(truth, np.int32), np.column_stack((1 - chances, chances)), 1)


def test_examples_are_correct_and_wrong_sure_and_unsure():
    chances = [0.99, 0.98, 0.97, 0.96, 0.55, 0.54, 0.53, 0.95, 0.94, 0.93, 0.6, 0.59, 0.58]
    truth = [1] * 7 + [0] * 6
    chosen = example_positions(predicted_of(chances, truth), np.arange(13))
    assert chosen.tolist() == [0, 1, 2, 6, 5, 4, 7, 8, 9, 12, 11, 10]


def test_of_equally_sure_rows_the_first_ones_are_taken():
    predicted = predicted_of([0.9] * 50, [1] * 50)
    rows = np.arange(50)[::-1]
    assert rows[example_positions(predicted, rows)].tolist() == [0, 1, 2, 3, 4, 5]


def test_no_row_is_taken_twice():
    chosen = example_positions(predicted_of([0.9, 0.2], [1, 1]), np.arange(2))
    assert sorted(chosen.tolist()) == [0, 1]


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True, as_frame=True)
    model = SelectiveNaiveBayesClassifier(pairs=5).fit(X, y)
    truth = y.to_numpy().astype(np.int32)
    predicted = PredictedRows(truth, model.predict_proba(X), None)
    return model, X, rows_of(X, Target(model.classes_, truth)), predicted


def explained(wine, positions):
    model, _, rows, predicted = wine
    batch = next(rows.batches()).at(positions)
    return explain_rows(model.model_, batch, positions, predicted.at(positions), None)


def test_reasons_are_the_largest_differences_of_the_explanation(wine):
    model, X, _, predicted = wine
    (row,) = explained(wine, np.array([70]))
    terms = model.explain(X[70:71]).contributions[0]
    first = row.reasons[0]
    evidence = terms[:, first.towards] - terms[:, first.against]
    assert first.weight_of_evidence == pytest.approx(np.abs(evidence).max())
    weights = [reason.weight_of_evidence for reason in row.reasons]
    assert weights == sorted(weights, reverse=True)
    assert len(weights) <= 6
    assert row.row == 70
    assert row.probabilities == tuple(predicted.probabilities[70].tolist())


def test_reasons_favor_the_label_or_its_rival(wine):
    for example in explained(wine, np.arange(len(wine[1]))):
        for reason in example.reasons:
            pair = {reason.towards, reason.against}
            assert example.predicted in pair
            assert len(pair) == 2
            assert reason.weight_of_evidence > 0
            if example.predicted != example.truth:
                assert example.truth in pair


def test_a_reason_names_the_part_that_the_row_falls_in(wine):
    model, X, _, _ = wine
    (row,) = explained(wine, np.array([0]))
    for reason in row.reasons:
        if isinstance(reason.variable, str):
            partition = model.partitions_[reason.variable]
            code = partition.codes(X[reason.variable].to_numpy()[:1])[0]
            assert reason.part == partition.labels[code]
            assert (reason.low, reason.high) == partition.bounds[code]


def target_of(rows_per_class, n_unlabeled=0, seed=0):
    codes = np.repeat(np.arange(len(rows_per_class) + 1), [*rows_per_class, n_unlabeled])
    codes = np.random.default_rng(seed).permutation(codes).astype(np.int32)
    return Target(np.array([f"c{j}" for j in range(len(rows_per_class))], dtype=object), codes)


def parts_of(target, plan):
    """Numbers of the rows to learn from and of those to test, fold by fold."""
    if plan is None:
        return []
    table = read_table(np.zeros((len(target.codes), 1)))
    rows = MemoryRows.of(table, Schema(tuple(table.columns())), target)
    return [
        tuple(next(some.batches()).row_numbers for some in (fold.train, fold.test))
        for fold in rows.divide(plan.split).folds
    ]


COUNTS = st.lists(st.integers(1, 30), min_size=2, max_size=5)


@given(COUNTS, st.integers(0, 20), st.integers(0, 5))
def test_every_row_of_a_class_of_two_or_more_is_tested_once(counts, n_unlabeled, seed):
    target = target_of(counts, n_unlabeled)
    plan = cross_validation(target.spec(), seed)
    if plan is None:
        assert max(counts) == 1
        return
    tested = np.concatenate([test for _, test in parts_of(target, plan)])
    rows = np.bincount(target.codes, minlength=target.n_classes + 1)
    rows[-1] = 0
    np.testing.assert_array_equal(np.sort(tested), np.flatnonzero(rows[target.codes] > 1))


@given(COUNTS, st.integers(0, 20), st.floats(0.05, 0.95))
def test_training_rows_are_the_others_and_have_every_class(counts, n_unlabeled, share):
    target = target_of(counts, n_unlabeled)
    for plan in (cross_validation(target.spec(), 0), held_out_part(target.spec(), share, 0)):
        for train, test in parts_of(target, plan):
            assert len(test)
            assert not set(train) & set(test)
            assert len(train) + len(test) == len(target.codes)
            assert set(range(target.n_classes)) <= set(target.codes[train])
            assert (target.codes[test] < target.n_classes).all()


@given(COUNTS, st.integers(0, 5))
def test_a_class_is_shared_out_evenly_over_the_folds(counts, seed):
    target = target_of(counts)
    parts = parts_of(target, cross_validation(target.spec(), seed))
    for label, n_rows in enumerate(counts):
        if parts and n_rows > 1:
            in_fold = [int((target.codes[test] == label).sum()) for _, test in parts]
            assert max(in_fold) - min(in_fold) <= 1


def test_ten_folds_are_usual():
    plan = cross_validation(target_of([50, 50]).spec(), 0)
    assert (plan.how, plan.split.n_folds, plan.notes) == ("cross-validation", 10, ())


def test_a_rare_class_makes_the_folds_fewer_and_that_is_said():
    plan = cross_validation(target_of([50, 7]).spec(), 0)
    assert plan.split.n_folds == 7
    assert plan.notes == (Note("fewer_folds", {"folds": 7, "usual": 10, "rows": 7}, ("c1",)),)
    assert str(plan.notes[0]) == (
        "Cross-validation uses 7 folds instead of 10, because class 'c1' has only 7 rows."
    )


def test_there_are_never_fewer_than_five_folds_for_a_rare_class():
    assert cross_validation(target_of([50, 2]).spec(), 0).split.n_folds == 5


def test_a_class_of_one_row_is_never_tested_and_that_is_said():
    plan = cross_validation(target_of([50, 1, 50]).spec(), 0)
    assert list(map(str, plan.notes)) == [
        "1 class has a single row, which is used for training and never tested: 'c1'."
    ]


def test_many_classes_of_one_row_are_said_in_one_sentence():
    (note,) = held_out_part(target_of([50, 1, 1, 1, 1, 1]).spec(), 0.3, 0).notes
    assert str(note).startswith("5 classes have a single row")
    assert str(note).endswith("never tested: 'c1', 'c2', 'c3', ….")


def test_no_row_can_be_tested_where_each_class_has_one():
    assert cross_validation(target_of([1, 1, 1]).spec(), 0) is None
    assert held_out_part(target_of([1, 1, 1]).spec(), 0.3, 0) is None


def test_the_share_held_out_is_that_asked_for():
    target = target_of([100, 300], 50)
    ((_, test),) = parts_of(target, held_out_part(target.spec(), 0.3, 0))
    assert np.bincount(target.codes[test]).tolist() == [30, 90]


def test_the_seed_decides():
    target = target_of([20, 20])
    first, again, other = (
        parts_of(target, held_out_part(target.spec(), 0.3, seed))[0][1] for seed in (0, 0, 1)
    )
    np.testing.assert_array_equal(first, again)
    assert set(first) != set(other)


def planned(rows_per_class, n_columns, timed):
    """The plan for a table that has nothing but a size."""
    target = target_of(rows_per_class).spec()
    n_rows = sum(rows_per_class)
    return sensible_plan(
        SimpleNamespace(n_rows=n_rows, target=target, schema=Schema(tuple(range(n_columns)))),
        0,
        timed,
    )


@pytest.mark.parametrize(
    ("rows", "n_columns", "timed", "how"),
    [
        (1_000, 10, False, "cross-validation"),
        (60_000, 1, False, "held-out part"),
        (6_000, 2_000, False, "held-out part"),
        (100, 2_000_000, False, "cross-validation"),
        (2_000, 10, True, "held-out part"),
        (500, 10, True, "cross-validation"),
    ],
)
def test_large_tables_hold_a_part_out(rows, n_columns, timed, how):
    plan = planned([rows // 2, rows // 2], n_columns, timed)
    assert plan.how == how
    assert len(plan.notes) == (how == "held-out part")


def test_why_a_part_is_held_out_is_said():
    large = planned([30_000, 30_000], 1, False)
    assert "because the table is large; the final model is trained on all rows." in str(
        large.notes[0]
    )
    timed = planned([module.TIMED, 10], 1, True)
    assert timed.notes[0] == Note("held_out", {"share": module.HELD_OUT, "because": "timed"})


def test_test_rows_may_come_in_several_batches(monkeypatch):
    iris = load_iris(as_frame=True).frame
    whole = modlearn.fit(iris, "target", n_jobs=1).evaluation

    def in_small_batches(self, n_rows=None):
        positions = np.arange(self.n_rows)
        for first in range(0, self.n_rows, 7):
            yield self.batch.at(positions[first : first + 7])

    monkeypatch.setattr(MemoryRows, "batches", in_small_batches)
    assert modlearn.fit(iris, "target", n_jobs=1).evaluation.to_dict() == whole.to_dict()


def test_a_constant_model_has_the_balanced_accuracy_of_chance_also_where_folds_lack_a_class():
    y = np.array(["a"] * 40 + ["b"] * 10, dtype=object)
    parts = [(np.arange(50) % 5 != k, np.arange(50) % 5 == k) for k in range(4)]
    parts += [(np.arange(50) < 45, np.arange(50) >= 45), (np.arange(50) >= 20, np.arange(50) < 20)]
    frame = pd.DataFrame({"x": np.arange(50) % 2, "y": y})
    found = modlearn.fit(frame, "y", test=parts)
    assert found.model.used_terms == ()
    balanced = found.evaluation.measures["balanced_accuracy"]
    assert balanced.folds == (0.5, 0.5, 0.5, 0.5, None, None)
    assert (balanced.mean, balanced.spread) == (0.5, 0.0)


def test_classes_that_no_fold_tests_do_not_count():
    y = np.array(["a"] * 40 + ["b"] * 40 + ["c"], dtype=object)
    frame = pd.DataFrame({"x": np.arange(81) // 20, "y": y})
    found = modlearn.fit(frame, "y").evaluation.measures["balanced_accuracy"]
    assert None not in found.folds
    assert found.mean == pytest.approx(np.mean(found.folds))


def test_the_best_column_alone_decides_like_the_model():
    rng = np.random.default_rng(0)
    y = np.where(rng.random(500) < 0.2, "yes", "no")
    frame = pd.DataFrame({"x": (y == "yes") + rng.normal(0, 0.7, 500), "y": y})
    found = modlearn.fit(frame, "y", threshold=0.01, test=0.3).evaluation
    assert found.confusion[:, 0].sum() == 0
    assert found.best_variable.accuracy == found.confusion[1, 1] / found.n_test

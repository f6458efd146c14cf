"""An evaluation is that of classifiers fitted by hand on the same rows."""

import numpy as np
import pandas as pd
import pytest
from modlearn._tables.memory.view import view
from sklearn import metrics
from sklearn.base import clone
from sklearn.datasets import load_wine
from tests._estimators.samples import make_people

from modlearn import BestUnivariateClassifier, SelectiveNaiveBayesClassifier
from modlearn._evaluate.evaluation import Learning, evaluate_on, evaluate_split
from modlearn._evaluate.splits import cross_validation, held_out_part
from modlearn._parallel import no_progress
from modlearn._tables.memory.table import read_table
from modlearn._tables.memory.target import read_target


def learning_of(X, y, pattern=None, positive=None, progress=no_progress):
    pattern = pattern or SelectiveNaiveBayesClassifier()
    table = read_table(X)
    model = clone(pattern).fit(X, y)
    columns = view(table, range(len(table.names)), table.kinds())
    target = read_target(y, table.n_rows)
    return Learning(model, pattern, columns, target, positive, 0, progress)


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
def test_folds_are_learnt_anew_from_their_own_rows(people, pattern):
    X, y = people
    learning = learning_of(X, y, pattern, positive=1)
    split = cross_validation(learning.target, 0)
    found = evaluate_split(learning, split)
    by_hand = []
    for train, test in split.parts:
        fold = clone(pattern).fit(X.iloc[train], y[train])
        by_hand.append(metrics.log_loss(y[test], fold.predict_proba(X.iloc[test])))
    assert found.measures["log_loss"].folds == pytest.approx(by_hand, rel=1e-12)
    assert found.measures["log_loss"].mean == pytest.approx(np.mean(by_hand))
    assert found.measures["log_loss"].spread == pytest.approx(np.std(by_hand, ddof=1))


def test_unlabeled_rows_are_learnt_from_and_never_tested(people):
    X, y = people
    some = np.where(np.arange(len(y)) % 3 == 0, None, y)
    learning = learning_of(X, some)
    split = cross_validation(learning.target, 0)
    found = evaluate_split(learning, split)
    assert found.n_test == sum(label is not None for label in some)
    by_hand = [
        clone(learning.pattern).fit(X.iloc[train], some[train]).score(X.iloc[test], some[test])
        for train, test in split.parts
    ]
    assert found.measures["accuracy"].folds == pytest.approx(by_hand)


def test_the_best_column_is_judged_on_the_same_folds(people):
    X, y = people
    learning = learning_of(X, y)
    split = cross_validation(learning.target, 0)
    found = evaluate_split(learning, split)
    best = BestUnivariateClassifier()
    by_hand = [
        clone(best).fit(X.iloc[train], y[train]).score(X.iloc[test], y[test])
        for train, test in split.parts
    ]
    assert found.best_variable.accuracy == pytest.approx(np.mean(by_hand))
    assert found.best_variable.name == next(iter(best.fit(X, y).weights_))


def test_the_rest_is_of_all_test_rows_together(people):
    X, y = people
    found = evaluate_split(
        learning := learning_of(X, y, positive=1), cross_validation(learning.target, 0)
    )
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
    learning = learning_of(X, y)
    found = evaluate_split(learning, cross_validation(learning.target, 0))
    assert 4 <= len(found.examples) <= 12
    for example in found.examples:
        assert learning.target.codes[example.row] == example.truth
        assert example.predicted == int(np.argmax(example.probabilities))


def test_a_held_out_part_has_a_standard_error(people):
    X, y = people
    learning = learning_of(X, y, positive=1)
    split = held_out_part(learning.target, 0.4, 0)
    found = evaluate_split(learning, split)
    ((train, test),) = split.parts
    fold = clone(learning.pattern).fit(X.iloc[train], y[train])
    accuracy = found.measures["accuracy"]
    assert accuracy.mean == pytest.approx(fold.score(X.iloc[test], y[test]))
    assert accuracy.folds == (accuracy.mean,)
    expected = (accuracy.mean * (1 - accuracy.mean) / len(test)) ** 0.5
    assert accuracy.spread == pytest.approx(expected, rel=0.3)
    assert (found.how, found.n_folds, found.n_train) == ("held-out part", None, len(train))


def test_another_table_is_tested_by_the_model_itself(people):
    X, y = people
    learning = learning_of(X.iloc[:60], y[:60], positive=1)
    table = read_table(X.iloc[60:])
    other = view(table, range(len(table.names)), table.kinds())
    truth = (y[60:] == "yes").astype(np.int32)
    found = evaluate_on(learning, other, truth, np.arange(60))
    assert found.measures["accuracy"].mean == learning.classifier.score(X.iloc[60:], y[60:])
    assert (found.how, found.n_train, found.n_test) == ("test file", 60, 60)


def test_columns_that_tell_nothing_leave_the_majority():
    rng = np.random.default_rng(0)
    X, y = rng.random((60, 2)), np.arange(60) % 3 == 0
    found = evaluate_split(
        learning := learning_of(X, y, positive=1), cross_validation(learning.target, 0)
    )
    assert found.best_variable is None
    assert found.measures["accuracy"].mean == pytest.approx(found.majority.accuracy)
    assert found.measures["auc"].mean == 0.5


@pytest.mark.parametrize("pairs", [True, False])
def test_progress_grows_from_fold_to_fold(pairs):
    X, y = load_wine(return_X_y=True)
    told = []
    learning = learning_of(
        X[:, :4],
        y,
        SelectiveNaiveBayesClassifier(pairs=pairs),
        progress=lambda *stage: told.append(stage),
    )
    evaluate_split(learning, cross_validation(learning.target, 0))
    assert told[0][0] == "evaluating 1/10"
    assert told[-1] == ("evaluating 10/10", 10_000, 10_000)
    done = [done for _, done, _ in told]
    assert done == sorted(done)
    assert len(set(done)) > 20


def test_the_result_does_not_depend_on_threads(people):
    X, y = people
    one, two = (
        learning_of(X, y, SelectiveNaiveBayesClassifier(n_jobs=n_jobs)) for n_jobs in (1, 2)
    )
    split = cross_validation(one.target, 0)
    assert evaluate_split(one, split).to_dict() == evaluate_split(two, split).to_dict()

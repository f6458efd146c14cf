"""Examples: of all four kinds, and reasons that add up to what the model says."""

import numpy as np
import pytest
from sklearn.datasets import load_wine

from modlearn import SelectiveNaiveBayesClassifier
from modlearn._evaluate.evaluation import explain_rows, telling_rows
from modlearn._evaluate.measures import Predicted
from modlearn._tables.memory.table import read_table


def predicted_of(chances, truth):
    chances = np.array(chances)
    return Predicted(np.array(truth, np.int32), np.column_stack((1 - chances, chances)), 1)


def test_rows_are_right_and_wrong_sure_and_unsure():
    chances = [0.99, 0.98, 0.97, 0.96, 0.55, 0.54, 0.53, 0.95, 0.94, 0.93, 0.6, 0.59, 0.58]
    truth = [1] * 7 + [0] * 6
    chosen = telling_rows(predicted_of(chances, truth), np.arange(13))
    assert chosen.tolist() == [0, 1, 2, 6, 5, 4, 7, 8, 9, 12, 11, 10]


def test_of_equally_sure_rows_the_first_ones_are_taken():
    predicted = predicted_of([0.9] * 50, [1] * 50)
    rows = np.arange(50)[::-1]
    assert rows[telling_rows(predicted, rows)].tolist() == [0, 1, 2, 3, 4, 5]


def test_no_row_is_taken_twice():
    chosen = telling_rows(predicted_of([0.9, 0.2], [1, 1]), np.arange(2))
    assert sorted(chosen.tolist()) == [0, 1]


@pytest.fixture(scope="module")
def wine():
    X, y = load_wine(return_X_y=True, as_frame=True)
    model = SelectiveNaiveBayesClassifier(pairs=5).fit(X, y)
    return model, X, Predicted(y.to_numpy().astype(np.int32), model.predict_proba(X), None)


def test_reasons_are_the_largest_differences_of_the_explanation(wine):
    model, X, predicted = wine
    (row,) = explain_rows(model, read_table(X[70:71]), predicted.at(np.array([70])), np.array([70]))
    terms = model.explain(X[70:71]).contributions[0]
    first = row.reasons[0]
    evidence = terms[:, first.towards] - terms[:, first.against]
    assert first.weight_of_evidence == pytest.approx(np.abs(evidence).max())
    weights = [reason.weight_of_evidence for reason in row.reasons]
    assert weights == sorted(weights, reverse=True)
    assert len(weights) <= 6
    assert row.row == 70
    assert row.probabilities == tuple(predicted.probabilities[70].tolist())


def test_reasons_speak_for_the_label_or_for_its_rival(wine):
    model, X, predicted = wine
    rows = np.arange(len(X))
    for example in explain_rows(model, read_table(X), predicted, rows):
        for reason in example.reasons:
            pair = {reason.towards, reason.against}
            assert example.predicted in pair
            assert len(pair) == 2
            assert reason.weight_of_evidence > 0
            if example.predicted != example.truth:
                assert example.truth in pair


def test_a_reason_names_the_part_that_the_row_falls_in(wine):
    model, X, predicted = wine
    (row,) = explain_rows(model, read_table(X[:1]), predicted.at(np.array([0])), np.array([0]))
    for reason in row.reasons:
        if isinstance(reason.variable, str):
            partition = model.partitions_[reason.variable]
            code = partition.codes(X[reason.variable].to_numpy()[:1])[0]
            assert reason.part == partition.labels[code]
            assert (reason.low, reason.high) == partition.bounds(code)

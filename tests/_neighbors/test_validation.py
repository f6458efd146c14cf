import numpy as np
import pytest
from tests._neighbors.points import cloud

from modlearn import LabelDistributionPropagation
from modlearn._neighbors.labels import KnownLabels
from modlearn._neighbors.model import PropagationSettings, propagate_labels
from modlearn._neighbors.validation import undecided_rows


def spread(X, codes, n_neighbors=3):
    """The model and the graph of rows with these classes, -1 = unlabeled."""
    codes = np.asarray(codes, dtype=np.int64)
    labels = KnownLabels.of_codes(np.arange(codes.max() + 1), codes)
    settings = PropagationSettings(n_neighbors=n_neighbors)
    model, graph = propagate_labels(X, labels, settings)
    return model, graph, codes


def held_out(X, codes, n_jobs=1):
    labels = KnownLabels.of_codes(np.arange(np.max(codes) + 1), np.asarray(codes))
    settings = PropagationSettings(n_neighbors=3, n_threads=n_jobs, held_out_score=True)
    return propagate_labels(X, labels, settings)[0].held_out


@pytest.fixture(scope="module")
def rows():
    """Two clouds that overlap; every fourth row has a label."""
    rng = np.random.default_rng(0)
    codes = np.repeat([0, 1], 60)
    X = cloud(120, 2) + 1.5 * codes[:, None]
    return X, np.where(rng.random(120) < 0.25, codes, -1)


def test_held_out_labels_are_those_that_the_estimator_finds_without_them(rows):
    X, codes = rows
    tested = np.flatnonzero(codes >= 0)
    tested = tested[np.argsort(codes[tested], kind="stable")]
    right = 0
    for k in range(10):
        train = codes.copy()
        train[tested[k::10]] = -1
        found = LabelDistributionPropagation(3).fit(X, train).transduction_
        right += (found[tested[k::10]] == codes[tested[k::10]]).sum()
    found = held_out(X, codes)
    assert (found.n_folds, found.n_rows, found.n_right) == (10, len(tested), right)
    assert 0 < found.n_right < found.n_rows


def test_the_score_of_the_estimator_is_the_share_of_held_out_labels(rows):
    X, codes = rows
    found = held_out(X, codes)
    ldp = LabelDistributionPropagation(3, held_out_score=True).fit(X, codes)
    assert ldp.held_out_score_ == found.n_right / found.n_rows
    names = np.array(["tea", "milk", None], dtype=object)[codes]
    named = LabelDistributionPropagation(3, held_out_score=True).fit(X, names)
    assert named.held_out_score_ == ldp.held_out_score_
    assert not hasattr(ldp.set_params(held_out_score=False).fit(X, codes), "held_out_score_")


def test_without_two_labels_of_a_class_the_score_is_not_defined():
    ldp = LabelDistributionPropagation(1, held_out_score=True).fit([[0.0], [1.0]], [0, 1])
    assert np.isnan(ldp.held_out_score_)


def test_soft_labels_are_held_out_by_their_most_probable_class():
    X = [[0.0], [1.0], [2.0], [50.0], [51.0], [52.0]]
    y = [[0.9, 0.1], [0.8, 0.2], [0, 0], [0.2, 0.8], [0.1, 0.9], [0, 0]]
    ldp = LabelDistributionPropagation(2, held_out_score=True).fit(X, y)
    assert ldp.held_out_score_ == 1.0


def test_held_out_labels_do_not_depend_on_threads(rows):
    assert held_out(*rows, n_jobs=1) == held_out(*rows, n_jobs=2)


def test_the_most_frequent_class_is_what_labels_are_compared_with(rows):
    X, codes = rows
    found = held_out(X, codes)
    assert found.n_most_frequent == np.bincount(codes[codes >= 0]).max()
    assert found.most_frequent == np.bincount(codes[codes >= 0]).argmax()


def test_a_label_alone_in_its_class_is_not_tested(rows):
    X, codes = rows
    one = np.where(codes == 1, -1, codes)
    one[-1] = 1
    assert held_out(X, one).n_rows == (codes == 0).sum()
    assert held_out(X, np.where(np.arange(120) < 2, np.arange(120), -1)) is None


def test_a_label_that_the_others_do_not_reach_is_undecided():
    X = [[0.0], [1.0], [2.0], [3.0], [100.0], [101.0], [102.0], [103.0]]
    found = held_out(X, [0, -1, -1, 0, 0, -1, -1, -1])
    assert (found.n_rows, found.n_right, found.n_undecided) == (3, 2, 1)


def test_fewer_parts_are_held_out_of_many_rows(rows, monkeypatch):
    monkeypatch.setattr("modlearn._neighbors.validation.MANY_ROWS", 100)
    assert held_out(*rows).n_folds == 3


ISLANDS = np.array([[0.0], [1], [2], [3], [50], [51], [52], [90], [91], [92], [93]])


def test_rows_apart_from_labels_are_counted_by_group():
    model, graph, codes = spread(ISLANDS, [0, 1, -1, -1, -1, -1, -1, -1, -1, -1, -1], 2)
    found = undecided_rows(graph, codes, model.rows.undecided)
    assert (found.n_rows, found.groups, found.n_far) == (7, ((4, 7), (3, 4)), 0)


def test_a_row_that_is_connected_but_not_reached_is_far():
    model, graph, codes = spread(ISLANDS, [0, 1, -1, -1, 0, -1, -1, -1, -1, -1, 1], 2)
    undecided = np.zeros(11, dtype=bool)
    undecided[3] = True
    assert not model.rows.undecided.any()
    found = undecided_rows(graph, codes, undecided)
    assert (found.n_rows, found.groups, found.n_far) == (1, (), 1)


def test_without_undecided_rows_there_are_no_groups():
    _, graph, codes = spread(ISLANDS, [0, 1, 0, 1, 0, 1, 0, 1, 0, 1, 0], 2)
    found = undecided_rows(graph, codes, np.zeros(11, dtype=bool))
    assert (found.n_rows, found.groups, found.n_far) == (0, (), 0)

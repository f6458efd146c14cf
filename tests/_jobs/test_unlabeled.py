"""Unlabeled rows are predicted with or without their neighbors, whichever is better for labels."""

import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_moons
from tests._jobs.conftest import make_orders
from tests._jobs.test_source import Engine
from tests.oracles import blending as oracle

import modlearn
from modlearn import LabelDistributionPropagation, SelectiveNaiveBayesClassifier
from modlearn._evaluate import evaluation
from modlearn._jobs import unlabeled as module
from modlearn._jobs.prepare import open_data
from modlearn._statistics.rows import Split
from modlearn._tables.memory.folds import assign_folds
from modlearn._tables.memory.target import TargetOptions, read_target


def moons(n_labeled=24, n_rows=300):
    """Two classes that neighbors show but no cut of a column does; few rows are labeled."""
    points, classes = make_moons(n_rows, noise=0.08, random_state=0)
    frame = pd.DataFrame(points, columns=["x", "z"])
    frame["moon"] = np.where(classes == 1, "upper", "lower")
    labeled = np.random.default_rng(1).permutation(n_rows)[:n_labeled]
    return frame.assign(moon=frame["moon"].where(frame.index.isin(labeled))), frame["moon"]


def steps(n_labeled=40, n_rows=300):
    """Classes that one column decides; to neighbors, it is one of eight, the others noise."""
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.random((n_rows, 8)), columns=[*"abcdefgh"])
    return frame.assign(y=(frame["a"] > 0.5).map({True: "high", False: "low"})[:n_labeled])


@pytest.fixture(scope="module")
def blend():
    return modlearn.fit(moons()[0], "moon")


def by_hand(table, classes, asked):
    """Probabilities of the model and of the blend for some rows, by the public estimators."""
    few = classes.to_numpy()
    model = SelectiveNaiveBayesClassifier().fit(table, few).predict_proba(table.iloc[asked])
    spread = LabelDistributionPropagation().fit(table, few)
    prior = classes.value_counts(normalize=True).sort_index().tolist()
    shares = [
        oracle.neighbor_shares(known, prior, 10)
        for known in spread.label_distributions_[asked].tolist()
    ]
    blends = [oracle.blended(p, q) for p, q in zip(model.tolist(), shares, strict=True)]
    return model, np.array(blends)


# what is predicted


def test_a_blend_is_that_of_the_classifier_and_of_propagation(blend):
    few, _ = moons()
    found = blend.unlabeled
    np.testing.assert_array_equal(found.rows, np.flatnonzero(few["moon"].isna()))
    _, expected = by_hand(few[["x", "z"]], few["moon"], found.rows)
    assert found.chosen == "blend"
    np.testing.assert_allclose(found.probabilities, expected, rtol=1e-9)
    np.testing.assert_array_equal(found.labels, found.classes[expected.argmax(axis=1)])


def test_a_blend_is_more_accurate_where_neighbors_show_the_classes(blend):
    few, truth = moons()
    found = blend.unlabeled
    alone = blend.predict(few.iloc[found.rows])
    right = truth[found.rows].to_numpy()
    assert (found.labels == right).mean() > (alone == right).mean() + 0.05


def test_the_model_alone_predicts_where_neighbors_make_it_worse():
    table = steps()
    result = modlearn.fit(table, "y")
    found = result.unlabeled
    assert found.chosen == "model"
    assert found.log_loss["model"] <= found.log_loss["blend"]
    np.testing.assert_array_equal(found.probabilities, result.predict_proba(table.iloc[found.rows]))


def test_the_choice_is_made_on_labels_held_out_in_turn(blend):
    few, truth = moons()
    target = read_target(few["moon"], len(few), TargetOptions(None))
    n_folds = blend.evaluation.n_folds
    folds = assign_folds(target, Split(n_folds, None, 0))
    losses = []
    for k in range(n_folds):
        held = np.flatnonzero(folds == k)
        train = few["moon"].where(~few.index.isin(held))
        for_both = by_hand(few[["x", "z"]], train, held)
        at = np.arange(len(held)), (truth[held] == "upper").to_numpy().astype(int)
        losses.append([-np.log(chances[at]) for chances in for_both])
    model, both = np.concatenate(losses, axis=1).mean(axis=1)
    found = blend.unlabeled
    assert found.n_tested == 24
    assert found.log_loss == pytest.approx({"model": model, "blend": both}, rel=1e-9)


def test_labels_of_one_group_are_held_out_together(monkeypatch):
    few, _ = moons()
    few["group"] = np.arange(len(few)) // 10
    held = []
    plain = module._Neighbors.shares

    def shares(neighbors, labeled, asked):
        held.append((set(few["group"][labeled]), set(few["group"][asked])))
        return plain(neighbors, labeled, asked)

    monkeypatch.setattr(module._Neighbors, "shares", shares)
    modlearn.fit(few, "moon", group="group")
    folds = [groups for groups in held if len(groups[1]) < few["group"].nunique() / 2]
    assert len(folds) >= 5
    assert not any(labeled & asked for labeled, asked in folds)


@pytest.mark.parametrize(
    ("options", "in_evaluation", "again"),
    [({}, 8, 0), ({"group": "shop"}, 8, 0), ({"test": 0.3}, 1, 8), ({"seed": 3}, 8, 0)],
    ids=["folds", "groups", "held out", "seed"],
)
def test_models_of_the_evaluation_are_used_if_it_has_the_same_folds(
    monkeypatch, options, in_evaluation, again
):
    trained = {evaluation: 0, module: 0}

    def count(where):
        plain = where.fit_model

        def fit_model(*arguments):
            trained[where] += 1
            return plain(*arguments)

        monkeypatch.setattr(where, "fit_model", fit_model)

    count(evaluation)
    count(module)
    few = moons()[0].assign(shop=np.arange(300) % 100)
    assert modlearn.fit(few, "moon", **options).unlabeled.n_tested == 24
    assert trained == {evaluation: in_evaluation, module: again}


def test_costs_decide_on_the_class():
    few, _ = moons()
    found = modlearn.fit(few, "moon", cost={("upper", "lower"): 9}).unlabeled
    assert found.classes.tolist() == ["lower", "upper"]
    expected = np.where(found.probabilities[:, 1] >= 0.1, "upper", "lower")
    np.testing.assert_array_equal(found.labels, expected)
    assert (found.labels != found.classes[found.probabilities.argmax(axis=1)]).any()


def test_the_result_does_not_depend_on_threads(blend):
    again = modlearn.fit(moons()[0], "moon", n_jobs=1).unlabeled
    assert again.probabilities.tobytes() == blend.unlabeled.probabilities.tobytes()
    assert again.log_loss == blend.unlabeled.log_loss


def test_every_kind_of_column_has_neighbors():
    orders = make_orders()
    orders["when"] = pd.date_range("2024-01-01", periods=len(orders), freq="7h")
    orders["paid"] = orders["paid"].where(orders.index % 4 == 0)
    found = modlearn.fit(orders, "paid", test=0.3).unlabeled
    assert found.probabilities.shape == (150, 2)
    np.testing.assert_allclose(found.probabilities.sum(axis=1), 1)


# when rows are predicted


def test_half_of_the_rows_unlabeled_are_not_most():
    orders = make_orders(100)
    orders["paid"] = orders["paid"].where(orders.index % 2 == 0)
    assert modlearn.fit(orders, "paid").unlabeled is None


def test_large_tables_are_not_predicted(monkeypatch):
    monkeypatch.setattr(module, "MOST_ROWS", 299)
    result = modlearn.fit(moons()[0], "moon")
    assert result.unlabeled is None
    assert not any(note.kind.startswith("unlabeled_by") for note in result.facts.notes)


def test_nothing_is_chosen_if_no_label_can_be_held_out():
    table = pd.DataFrame({"x": [1.0, 2.0, 3.0, 4.0, 5.0], "y": ["a", "b", None, None, None]})
    assert modlearn.fit(table, "y").unlabeled is None


def test_a_table_that_stays_where_it_is_is_not_predicted():
    result = modlearn.fit(Engine(open_data(moons()[0])), "moon")
    assert result.facts.n_unlabeled == 276
    assert result.unlabeled is None


def test_labeled_tables_do_not_load_what_unlabeled_rows_need():
    code = (
        "import sys, modlearn; modlearn.fit([[1], [2], [3], [4]] * 5, [0, 0, 1, 1] * 5);"
        "print(any('_neighbors' in name or 'unlabeled' in name for name in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


# how it is shown


@pytest.mark.parametrize("backend", ["pandas", "polars", "pyarrow"])
def test_predictions_are_a_data_frame(blend, backend):
    found = blend.unlabeled
    frame = found.to_frame(backend)
    frame = frame if backend == "pandas" else frame.to_pandas()
    assert list(frame.columns) == ["row", "predicted moon", "P(lower)", "P(upper)"]
    assert frame["row"].tolist() == found.rows.tolist()
    assert frame["predicted moon"].tolist() == found.labels.tolist()
    np.testing.assert_array_equal(frame[["P(lower)", "P(upper)"]], found.probabilities)


@pytest.mark.parametrize(
    ("make", "start"),
    [
        (lambda: moons()[0].rename(columns={"moon": "y"}), "by the geometric mean of the model's"),
        (steps, "by the model alone. On 40 labels held out in turn"),
    ],
    ids=["blend", "model"],
)
def test_a_note_says_what_was_chosen_and_why(make, start, tmp_path):
    result = modlearn.fit(make(), "y")
    note = result.facts.notes[-1]
    losses = result.unlabeled.log_loss
    assert f"result.unlabeled predicts them {start}" in str(note)
    for loss in losses.values():
        assert f"{round(loss, 4):g}" in str(note)
    result.report(tmp_path / "report.html")
    assert start[:20] in (tmp_path / "report.html").read_text()
    result.save(tmp_path / "model.json")
    again = modlearn.load(tmp_path / "model.json")
    assert again.summary() == result.summary()
    assert again.unlabeled is None


def test_a_line_says_what_was_chosen(blend):
    assert repr(blend.unlabeled).startswith("<UnlabeledRows: 276 rows by blend, log-loss of 24")

"""Trees from pairs and triples, and the model that has them."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from modlearn import AdditiveClassifier, AdditiveModel, fit, load
from modlearn._fit import trees as module
from modlearn._model.forms import RecordPosition


def parity(n=600, seed=0, text=False):
    """Whether an odd number of three of five columns is high."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(n, 5)).round(2), columns=[*"abcde"])
    odd = (frame[["a", "c", "e"]] > 0).sum(axis=1) % 2 == 1
    if text:
        frame["c"] = np.where(frame["c"] > 0, "high", "low")
    return frame, odd.to_numpy()


def additive(n=600, seed=0):
    """Two columns that add up, and three of noise."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(rng.normal(size=(n, 5)), columns=[*"abcde"])
    log_odds = 2 * frame["a"] + np.sin(2 * frame["b"])
    return frame, (rng.random(n) < 1 / (1 + np.exp(-log_odds))).to_numpy()


def lines_up(n=700, seed=0):
    """Nine fields of noughts and crosses: whether a diagonal is full of crosses."""
    rng = np.random.default_rng(seed)
    fields = rng.choice(["x", "o", "b"], (n, 9), p=[0.6, 0.3, 0.1])
    crosses = fields == "x"
    full = crosses[:, [0, 4, 8]].all(axis=1) | crosses[:, [2, 4, 6]].all(axis=1)
    return pd.DataFrame(fields, columns=[f"field {i}" for i in range(9)]), full


@pytest.fixture(scope="module", params=[False, True], ids=["numbers", "text"])
def fitted(request):
    frame, odd = parity(text=request.param)
    return AdditiveClassifier(pairs=True).fit(frame, odd), frame, odd


def test_three_columns_that_decide_together_have_a_tree(fitted):
    model, *_ = fitted
    assert list(model.trees_) == [("a", "c", "e")]
    assert model.weights_["a", "c", "e"] == 1.0
    assert model.trees_["a", "c", "e"].synergy > 100


def test_the_tree_predicts_what_columns_and_pairs_cannot(fitted):
    model, frame, odd = fitted
    new, new_odd = parity(seed=1, text=frame["c"].dtype.kind in "OU" or "c" not in frame)
    new["c"] = new["c"].astype(frame["c"].dtype)
    without = AdditiveClassifier(pairs=True, trees=False).fit(frame, odd)
    assert not without.trees_
    assert without.score(new, new_odd) < 0.6
    assert model.score(new, new_odd) > 0.9


def test_a_tree_counts_the_training_rows_in_its_leaves(fitted):
    model, frame, _ = fitted
    tree, batch = model.trees_["a", "c", "e"], model._batch(frame)
    leaves = np.bincount(tree.codes_in(batch), minlength=tree.n_parts)
    assert leaves.tolist() == tree.counts.sum(axis=1).tolist()
    for axis in tree.axes:
        assert np.bincount(axis.codes_in(batch)).tolist() == axis.counts.sum(axis=1).tolist()


def test_contributions_of_a_tree_are_centered_over_the_training_rows(fitted):
    model, frame, _ = fitted
    added = model.explain(frame)
    k = added.names.index(("a", "c", "e"))
    assert abs(added.contributions[:, k].mean(axis=0)).max() < 1e-9


def test_the_file_brings_back_the_same_predictions(fitted, tmp_path):
    model, frame, _ = fitted
    model.save(tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    np.testing.assert_array_equal(again.predict_proba(frame), model.predict_proba(frame))
    assert str(again.trees_["a", "c", "e"]) == str(model.trees_["a", "c", "e"])


def test_two_diagonals_have_a_tree_each():
    frame, full = lines_up()
    trees = AdditiveClassifier(pairs=True).fit(frame, full).trees_
    assert {("field 0", "field 4", "field 8"), ("field 2", "field 4", "field 6")} <= set(trees)


@pytest.mark.parametrize("seed", range(3))
def test_columns_that_add_up_have_no_tree(seed):
    assert AdditiveClassifier(pairs=True).fit(*additive(seed=seed)).trees_ == {}


def test_no_pairs_no_trees():
    assert AdditiveClassifier().fit(*parity()).trees_ == {}


def test_the_number_of_trees_is_limited():
    frame, full = lines_up()
    assert len(AdditiveClassifier(pairs=True, trees=1).fit(frame, full).trees_) == 1


def test_the_order_of_rows_and_the_number_of_threads_do_not_matter():
    frame, full = lines_up(300)
    order = np.random.default_rng(5).permutation(len(full))
    one = AdditiveClassifier(pairs=True, n_jobs=1).fit(frame, full)
    other = AdditiveClassifier(pairs=True, n_jobs=2).fit(frame.iloc[order], full[order])
    assert [str(t) for t in one.trees_.values()] == [str(t) for t in other.trees_.values()]
    assert one.trees_
    np.testing.assert_array_equal(one.predict_proba(frame), other.predict_proba(frame))


def test_a_tree_grown_on_a_sample_counts_all_rows(monkeypatch):
    monkeypatch.setattr(module, "MOST_GROWN", 400)
    frame, odd = parity()
    (tree,) = AdditiveClassifier(pairs=True).fit(frame, odd).trees_.values()
    assert tree.counts.sum() == len(odd)


def test_a_job_has_the_same_trees():
    frame, odd = parity()
    frame["odd"] = odd
    result = fit(frame, target="odd", method="additive", pairs="all", test=0.3)
    assert isinstance(result.model, AdditiveModel)
    assert list(result.model.trees) == [("a", "c", "e")]


def test_an_engine_has_no_trees():
    class CountingRows:
        counting = object()

    assert module.fit_trees(CountingRows(), [None] * 3, [], 10, None) == []


def test_a_tree_on_a_column_that_the_model_lacks_is_refused():
    frame, odd = parity()
    model = AdditiveClassifier(pairs=True).fit(frame, odd).model_
    term = next(one for one in model.terms if one.columns == ("a", "c", "e"))
    axis = replace(term.parts.axes[0], name="unknown")
    other = replace(term, parts=replace(term.parts, axes=(axis, *term.parts.axes[1:])))
    wrong = replace(model, terms=(*model.terms[:-1], other))
    assert wrong.fault(RecordPosition()) == (("terms",), "a list of different trees on its columns")

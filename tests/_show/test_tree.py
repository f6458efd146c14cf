"""Trees as text and as data frames, and in what reports say."""

import numpy as np
import pandas as pd
import pytest
from tests._model.test_tree import make_tree

from modlearn import AdditiveClassifier
from modlearn._show.reasons import Reasons
from modlearn._show.summary import reason_of, summarize


@pytest.fixture(scope="module")
def model():
    bits = pd.DataFrame([[k % 2, k // 2 % 2, k // 4 % 2] for k in range(400)], columns=[*"abc"])
    return AdditiveClassifier(pairs=True).fit(bits, bits.sum(axis=1) % 2 == 1).model_


def test_a_tree_prints_a_line_per_path():
    assert str(make_tree()).splitlines() == [
        "size × color × big: level 0.750, 3 leaves, cost 10.00 against 40.00 for one leaf; "
        "synergy 3.50 nats",
        "                                                 1  0  rows",
        "size in missing                                  1  4     5",
        "size in (-inf, 2] and big in {no, missing}       3  1     4",
        "  or size in (2, inf) and color in {red}",
        "size in (-inf, 2] and big in {yes}               2  1     3",
        "  or size in (2, inf) and color in {blue, gray}",
    ]


def test_a_tree_is_one_line_among_others(model):
    assert repr(make_tree()).startswith("<Tree size × color × big: level 0.750, 3 leaves")
    assert "3 columns, 0 pairs, 1 tree, 1 terms with a weight" in repr(model)


def test_a_frame_has_a_line_per_leaf():
    frame = make_tree().to_frame()
    assert frame["leaf"].tolist() == make_tree().labels
    assert frame["rows"].tolist() == [5, 4, 3]


def test_the_frame_of_a_model_names_the_columns_of_its_trees(model):
    assert "a × b × c" in model.to_frame()["term"].tolist()


def test_reasons_are_the_paths(model):
    paths = model.trees["a", "b", "c"].labels
    sentences = Reasons(model, 1).sentences
    assert f"{paths[0]} favors False" in sentences
    assert paths[0].startswith("a in (-inf, 0.5] and b in (-inf, 0.5] and c in (-inf, 0.5] or ")


def test_the_summary_has_the_paths_of_trees(model):
    (tree,) = summarize(model, {})["trees"]
    assert tree["names"] == ["a", "b", "c"]
    assert np.array(tree["counts"]).tolist() == [[200, 0], [0, 200]]
    assert [len(paths) for paths in tree["paths"]] == [4, 4]


def test_a_column_may_be_used_through_a_tree():
    found = reason_of({"names": ["a", "b", "c"], "share": None, "weight": 0.5})
    assert found == "the model uses it through this tree, with weight 0.50"

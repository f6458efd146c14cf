"""Trees as text and as data frames, and in what reports say."""

import io

import matplotlib as mpl
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot as plt
from rich.console import Console
from tests._model.conftest import make_groups
from tests._model.test_tree import make_tree

import modlearn
from modlearn import AdditiveClassifier
from modlearn._model.tree import Branch
from modlearn._show.packing import pack
from modlearn._show.reasons import Reasons
from modlearn._show.result import result_as_text
from modlearn._show.summary import reason_of, summarize
from modlearn._show.terminal import results


def make_bits():
    """Whether three bits are odd together; a fourth column is noise."""
    bits = pd.DataFrame([[k % 2, k // 2 % 2, k // 4 % 2] for k in range(400)], columns=[*"abc"])
    odd = np.where(bits.sum(axis=1) % 2 == 1, "odd", "even")
    return bits.assign(noise=np.random.default_rng(0).random(400).round(2)), odd


@pytest.fixture(scope="module")
def model():
    bits, odd = make_bits()
    return AdditiveClassifier(pairs=True).fit(bits[[*"abc"]], odd == "odd").model_


@pytest.fixture(scope="module")
def result():
    return modlearn.fit(*make_bits(), method="additive", pairs="all", test=0.3)


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
    assert tree["letters"] == ["A", "B"]


def test_leaves_after_the_26th_have_two_letters(model, monkeypatch):
    counts = np.ones((54, 2), dtype=np.int64)
    axis = make_groups([[f"v{k}"] for k in range(54)], counts.tolist(), name="a")
    wide = make_tree(axes=(axis,), branches=(Branch(0, tuple(range(1, 55))),), counts=counts)
    monkeypatch.setitem(vars(model), "trees", {("a", "b", "c"): wide})
    (tree,) = summarize(model, {})["trees"]
    letters = [tree["letters"][leaf] for leaf in (0, 25, 26, 27, 51, 52, 53)]
    assert letters == ["A", "Z", "AA", "AB", "AZ", "BA", "BB"]


def test_a_column_may_be_used_through_a_tree():
    found = reason_of({"names": ["a", "b", "c"], "share": None, "weight": 0.5})
    assert found == "the model uses it through this tree, with weight 0.50"


def test_the_summary_has_branches_and_what_follows_them(model):
    (tree,) = summarize(model, {})["trees"]
    root, *others = tree["branches"]
    assert [label for label, _ in root["ways"]] == ["(-inf, 0.5]", "(0.5, inf)"]
    assert {one["column"] for one in [root, *others]} == {"a", "b", "c"}
    numbers = [number for one in tree["branches"] for _, number in one["ways"]]
    leaves = range(len(tree["branches"]), len(tree["branches"]) + 2)
    assert sorted({*numbers}) == [*range(1, len(tree["branches"])), *leaves]


def test_the_scores_of_leaves_are_those_of_the_model(result):
    (term,) = [one for one in result.model.used_terms if len(one.columns) > 2]
    (tree,) = result.summary()["trees"]
    expected = term.weight * term.table
    expected -= expected.mean(axis=1, keepdims=True)
    np.testing.assert_allclose(tree["scores"], expected, atol=1e-9)


def test_a_page_draws_every_leaf_of_a_tree(result):
    (packed,) = pack(result.summary())["trees"]
    (tree,) = result.summary()["trees"]
    assert packed["paths"] == tree["paths"]
    assert packed["letters"] == tree["letters"]
    assert packed["branches"] == [[one["column"], one["ways"]] for one in tree["branches"]]
    assert packed["details"][0] == [200, 0, 0, 200]


def test_trees_are_listed_below_pairs(result):
    lines = result_as_text(result.summary()).splitlines()
    assert lines[-2].split() == ["tree", "level", "weight", "leaves", "synergy"]
    assert lines[-1].startswith("a × b × c")


def test_a_terminal_draws_a_tree_whose_lines_are_conditions(result):
    console = Console(file=io.StringIO(), width=80)
    console.print(dict(results(result.summary()))["Trees"])
    lines = console.file.getvalue().splitlines()
    assert "└── a in (0.5, inf)" in [line.rstrip() for line in lines]
    ends = [line for line in lines if "→" in line]
    assert len(ends) == 8
    assert all(line.rstrip().endswith(("rows, 100% odd", "rows, 100% even")) for line in ends)
    assert {line.split("→")[1].split(":")[0].strip() for line in ends} == {"A", "B"}


def test_reasons_of_examples_name_all_columns_of_a_tree(result, tmp_path):
    names = {one.variable for row in result.evaluation.examples for one in row.reasons}
    assert ("a", "b", "c") in names
    result.save(tmp_path / "bits.json")
    assert modlearn.load(tmp_path / "bits.json").summary() == result.summary()


@pytest.mark.parametrize("name", [("a", "b", "c"), ("c", "a", "b")])
def test_a_tree_is_drawn_with_a_bar_per_leaf_and_a_path_to_it(result, name):
    with mpl.rc_context({"backend": "agg"}):
        axes = result.model.plot(name)
        labels = [text.get_text() for text in axes.get_yticklabels()]
        assert len(axes.patches) == len(labels) == 2
        assert all(label.startswith("a in ") and "or 3 other paths" in label for label in labels)
        assert axes.get_title(loc="right") == "a × b × c: weight 1.00"
        plt.close("all")


def test_variables_are_ranked_by_what_the_model_makes_of_them(result):
    importances = [one["importance"] for one in result.summary()["variables"]]
    assert importances == sorted(importances, reverse=True)
    assert importances[0] > 0
    # None of the three bits is informative alone, but the model uses them.
    assert "\na " in result_as_text(result.summary())

"""Partitions and grids as data frames."""

import sys

import numpy as np
import pytest
from sklearn.datasets import load_iris
from tests._model.conftest import make_grid, make_groups, make_intervals

import modlearn
from modlearn import AdditiveClassifier
from modlearn._model.additive import Explanation
from modlearn._show.frames import to_frame


def test_a_partition_is_a_frame_of_its_parts():
    partition = make_groups([["a"], ["b"]], [[3, 1], [0, 4]])
    frame = to_frame(partition)
    assert frame["part"].tolist() == ["{a}", "{b}"]
    assert frame["rows"].tolist() == [4, 4]
    assert frame["rows of 1"].tolist() == [1, 4]
    assert frame["share of 0"].tolist() == [0.75, 0.0]
    np.testing.assert_array_equal(frame["log odds of 1"], partition.log_odds[:, 1])
    assert "unlabeled rows" not in frame


def test_unlabeled_rows_are_a_column_where_there_are_any():
    frame = to_frame(make_intervals(unlabeled_counts=np.array([0, 3])))
    assert frame["unlabeled rows"].tolist() == [0, 3]


def test_a_grid_has_a_line_per_cell_with_both_parts():
    frame = to_frame(make_grid())
    assert frame["width"].tolist() == ["(-inf, 0.5]", "(-inf, 0.5]", "(0.5, inf)", "(0.5, inf)"]
    assert frame["color"].tolist() == ["{value 0}", "{value 1}"] * 2
    assert frame["rows"].tolist() == [4, 0, 6, 20]
    assert frame["share of 0"].tolist()[1] == 0.0


def test_a_library_that_is_not_installed_is_named_with_the_command(monkeypatch):
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(
        ImportError, match="needs pandas, which is not installed: pip install pandas"
    ):
        to_frame(make_grid())


def test_a_result_is_a_frame_of_its_columns_the_most_informative_first():
    iris = load_iris(as_frame=True).frame
    result = modlearn.fit(iris, "target", test=0.3)
    frame = result.to_frame()
    assert frame["level"].is_monotonic_decreasing
    assert dict(zip(frame["term"], frame["weight"], strict=True)) == result.classifier.weights_
    assert modlearn.analyze(iris, "target").to_frame()["weight"].tolist() == [0.0] * 4


def test_an_evaluation_is_a_frame_of_its_measures():
    evaluation = modlearn.fit(load_iris(as_frame=True).frame, "target", test=0.3).evaluation
    frame = evaluation.to_frame("polars")
    assert frame["measure"].to_list() == ["accuracy", "balanced accuracy", "AUC", "log-loss"]
    assert frame["mean"][0] == evaluation.measures["accuracy"].mean


def make_explanation(names):
    added = np.array([[[-1.0, -1.25], [0.0, -2.0]], [[-3.0, -1.0], [0.0, 0.0]]])
    return Explanation(names, np.array([0, 1]), np.array([-0.5, -1.0]), added)


def test_an_explanation_of_two_classes_has_a_line_per_row_with_a_signed_column_per_term():
    frame = to_frame(make_explanation(("x", ("y", "z"))))
    assert frame.columns.tolist() == ["base", "x", "y × z", "score"]
    assert frame.to_numpy().tolist() == [[-0.5, -0.25, -2.0, -2.75], [-0.5, 2.0, 0.0, 1.5]]


def test_terms_keep_their_names_where_base_and_score_are_taken():
    frame = to_frame(make_explanation(("base", "Score")))
    assert frame.columns.tolist() == ["base_1", "base", "Score", "score_1"]
    assert frame["base"].tolist() == [-0.25, 2.0]


def test_no_term_is_lost_where_two_have_the_same_name():
    frame = to_frame(make_explanation(("1", 1)))
    assert frame.columns.tolist() == ["base", "1", "1_1", "score"]


def test_a_term_whose_scores_were_learned_has_their_deviations():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(100, 1))
    model = (
        AdditiveClassifier().fit(x, np.where(x[:, 0] + rng.normal(size=100) > 0, "a", "b")).model_
    )
    frame = model.terms[0].to_frame()
    assert frame["deviation of a"].tolist() == model.terms[0].deviation[:, 0].tolist()
    assert (frame["deviation of b"] > 0).all()

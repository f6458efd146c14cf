"""Redundancy: columns without a weight, and those that tell the same."""

import numpy as np
import pandas as pd

import modlearn


def found_of(frame, target="y"):
    return modlearn.fit(frame, target).diagnostics.redundancies


def test_a_column_without_weight_is_told_by_its_twin():
    rng = np.random.default_rng(0)
    x = rng.normal(size=400)
    frame = pd.DataFrame(
        {"x": x, "double": 2 * x, "y": np.where(x + rng.normal(size=400) > 0, 1, 0)}
    )
    result = modlearn.fit(frame, "y")
    silent = [name for name, weight in result.model.weights_.items() if weight == 0]
    for found in result.diagnostics.redundancies:
        assert found.column in silent
        assert found.share > 0.9


def test_iris_is_told_by_its_petals():
    from sklearn.datasets import load_iris

    found = found_of(load_iris(as_frame=True).frame, "target")
    assert {one.column for one in found} == {"sepal length (cm)", "sepal width (cm)"}
    assert {one.covered_by for one in found} == {"petal length (cm)", "petal width (cm)"}
    assert all(0.05 <= one.share <= 1 for one in found)


def test_where_all_columns_have_a_weight_there_is_none():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(rng.random((300, 2)), columns=["a", "b"])
    frame["y"] = (frame["a"] + frame["b"] > 1).astype(int)
    assert found_of(frame) == ()

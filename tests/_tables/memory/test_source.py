import numpy as np
import pandas as pd
import polars as pl
import pytest

from modlearn._tables.memory.column import keep_mask, objects_of, vector


def test_a_list_keeps_the_type_of_each_value():
    assert vector([1, "a"], "y", warn=True).tolist() == [1, "a"]


def test_the_only_column_of_a_frame_is_taken(frame):
    assert vector(frame({"y": [1, 2]}), "y", warn=True).to_list() == [1, 2]


def test_a_frame_of_two_columns_is_refused(frame):
    with pytest.raises(ValueError, match=r"y should be a 1d array, got a frame of shape \(1, 2\)"):
        vector(frame({"a": [1], "b": [2]}), "y", warn=True)


def test_integers_of_a_pandas_array_stay_integers():
    assert vector(pd.array([1, 2]), "y", warn=True).dtype.kind == "i"


def test_the_mask_of_a_column_vector_is_flattened():
    masked = np.ma.array([[1], [2]], mask=[[False], [True]])
    assert keep_mask(np.array([1, 2]), masked).mask.tolist() == [False, True]


def test_only_columns_of_objects_have_objects():
    assert objects_of(np.array([1])) is None
    assert objects_of(vector(pl.Series(["a"]), "y", warn=True)) is None
    untyped = vector(pd.Series(["a"], dtype=object), "y", warn=True)
    assert objects_of(untyped).tolist() == ["a"]

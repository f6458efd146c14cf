import pandas as pd
import pytest

import modlearn
from modlearn._jobs.types import types_of_fit


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([1.5, 2.5, 3.5], "numeric"),
        (["a", "b", "c"], "text"),
        ([True, False, True], "boolean"),
        (pd.to_datetime(["2020-01-01", "2020-02-01", "2020-03-01"]), "datetime"),
        (pd.to_timedelta([1, 2, 3], unit="h"), "duration"),
    ],
    ids=str,
)
def test_columns_are_to_be_read_as_what_they_were(values, expected):
    table = pd.DataFrame({"x": values})
    model = modlearn.BestUnivariateClassifier().fit(pd.concat([table] * 20), [0, 1, 0] * 20)
    assert types_of_fit(model) == {"x": expected}


def test_numbers_that_were_categories_are_numbers():
    table = pd.DataFrame({"x": [1, 2, 3] * 20, "y": ["a", "b", "a"] * 20})
    model = modlearn.fit(table, "y", as_categorical=["x"], test=0.3).model
    assert types_of_fit(model) == {"x": "numeric"}

import json

import numpy as np
import pandas as pd
import polars as pl
import pytest

import modlearn
from modlearn.errors import ColumnError, TargetError


@pytest.fixture
def people():
    return pd.DataFrame(
        {
            "age": [31, 40, 22, 58],
            "city": ["Oslo", "Oslo", None, "Bergen"],
            "joined": pd.to_datetime(
                ["2020-01-01 00:00", "2021-06-01 00:00", None, "2022-01-01 12:30"]
            ),
            "active": [True, False, True, True],
        }
    )


def test_every_column_is_described(people):
    found = modlearn.analyze(people)
    assert found.n_rows == 4
    assert list(map(str, found.kinds.values())) == ["numeric", "text", "datetime", "boolean"]
    assert found.columns["age"].quantiles == (22.0, 31.0, 40.0, 40.0, 58.0)
    assert (found.columns["city"].n_missing, found.columns["city"].values) == (
        1,
        ("Oslo", "Bergen"),
    )
    assert found.columns["active"].histogram == (3, 1)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_a_file_is_described_as_the_table_in_memory_is(people, tmp_path, suffix):
    path = tmp_path / f"people.{suffix}"
    people.to_csv(path, index=False) if suffix == "csv" else people.to_parquet(path, index=False)
    found = modlearn.analyze(path)
    assert found.source == path.name
    assert found.columns == modlearn.analyze(people).columns
    assert found.kinds == modlearn.analyze(people).kinds


def test_polars_is_described_as_pandas_is(people):
    assert modlearn.analyze(pl.from_pandas(people)).columns == modlearn.analyze(people).columns


def test_columns_are_chosen_and_numbers_may_be_categories(people):
    assert list(modlearn.analyze(people, drop=["age", "city"]).columns) == ["joined", "active"]
    found = modlearn.analyze(people, only="age", as_categorical="age").columns
    assert found["age"].values == (22, 31, 40, 58)
    with pytest.raises(ColumnError, match=r"drop names the column 'aeg'.* did you mean 'age'"):
        modlearn.analyze(people, drop="aeg")


@pytest.mark.parametrize("is_file", [False, True], ids=["frame", "file"])
def test_amounts_that_are_categories_are_described_as_they_are_written(is_file, tmp_path):
    frame = pd.DataFrame({"share": ["45%", "50%"] * 5})
    frame.to_csv(tmp_path / "x.csv", index=False)
    data = tmp_path / "x.csv" if is_file else frame
    found = modlearn.analyze(data, as_categorical="share")
    assert (found.columns["share"].values, found.notes) == (("45%", "50%"), [])
    assert [note.kind for note in modlearn.analyze(data).notes] == ["amounts"]


def test_a_column_of_lists_is_named_but_not_described(people):
    found = modlearn.analyze(people.assign(tags=[[1], [2], [3], [4]]))
    assert found.kinds["tags"] == "nested"
    assert found.summary()["columns"][-1]["distinct"] is None


def test_a_table_of_lists_alone_has_rows(tmp_path):
    pd.DataFrame({"tags": [[1], [2, 3]]}).to_parquet(tmp_path / "tags.parquet")
    assert modlearn.analyze(tmp_path / "tags.parquet").n_rows == 2


def test_the_summary_is_json_with_dates_as_text(people):
    summary = modlearn.analyze(people.assign(far=[1.0, np.inf, -np.inf, 2.0])).summary()
    json.dumps(summary, allow_nan=False)
    joined = next(one for one in summary["columns"] if one["name"] == "joined")
    assert joined["quantiles"]["least"] == "2020-01-01"
    assert joined["quantiles"]["most"] == "2022-01-01T12:30:00"


def test_columns_are_lines_of_a_frame(people):
    frame = modlearn.analyze(people).to_frame()
    assert frame["name"].tolist() == list(people.columns)
    assert frame["missing"].tolist() == [0, 1, 1, 0]


def test_pairs_need_a_target(people):
    with pytest.raises(TargetError, match="pairs and positive need a target"):
        modlearn.analyze(people, pairs="all")


def test_progress_reaches_its_end(people):
    calls = []
    modlearn.analyze(people, progress=lambda *call: calls.append(call))
    assert calls[-1] == ("reading", 4, 4)

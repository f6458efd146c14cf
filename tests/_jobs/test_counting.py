"""What the result says about rows that stayed in an engine."""

from dataclasses import dataclass, replace

import numpy as np
import pandas as pd
import pytest

import modlearn
from modlearn._engines import table as engine_table
from modlearn._engines.duckdb import DuckDBEngine
from modlearn._jobs.counting import notes_on_counts, notes_on_tests, with_bins
from modlearn._jobs.source import Room
from modlearn._model.evaluation import ColumnFacts
from modlearn._statistics.rows import Counting
from modlearn.errors import ColumnError

COUNTING = Counting("Spark", n_by_value=3, bins={"x": 32_768}, n_sampled=None, n_pair_bins=9)


@pytest.mark.parametrize(
    ("counting", "sentence"),
    [
        (
            COUNTING,
            "The table stayed where it is: Spark counted 3 columns by value and 1 column in up to "
            "32,768 bins, refined around the cuts.",
        ),
        (
            replace(COUNTING, bins={}),
            "The table stayed where it is: Spark counted 3 columns by value.",
        ),
        (
            replace(COUNTING, n_by_value=0, bins={"x": 256, "z": 300}),
            "The table stayed where it is: Spark counted 2 columns in up to 300 bins, refined "
            "around the cuts.",
        ),
        (
            replace(COUNTING, n_by_value=0, bins={}),
            "The table stayed where it is: Spark counted its columns in runs of neighboring "
            "values.",
        ),
    ],
)
def test_columns_are_counted_by_value_in_bins_or_in_runs(counting, sentence):
    assert [str(note) for note in notes_on_counts(counting, paired=False)] == [sentence]


def test_pairs_are_noted_if_they_were_counted_in_bins():
    said = str(notes_on_counts(COUNTING, paired=True)[1])
    assert said.startswith("Pairs were counted in up to 9 bins of each column; columns with more")
    assert len(notes_on_counts(replace(COUNTING, n_pair_bins=None), paired=True)) == 1


def test_columns_with_too_many_categories_are_named():
    _, note = notes_on_counts(replace(COUNTING, pooled=("city", "name")), paired=False)
    assert str(note).startswith("2 columns have more values than fit in memory: the rare ones")
    assert str(note).endswith("'city', 'name'.")


def test_columns_counted_range_by_range_are_named():
    _, note = notes_on_counts(replace(COUNTING, ranges=("a", "b")), paired=False)
    assert str(note) == (
        "2 columns have more values than can be counted at once in the memory allowed. They were "
        "counted one range of values after the other: 'a', 'b'."
    )


def test_columns_whose_values_were_merged_are_named_again():
    merged = replace(COUNTING, ranges=("a", "b"), merged={"b": 1200})
    note = notes_on_counts(merged, paired=False)[-1]
    assert str(note) == (
        "The counts of 1 column still did not fit in memory. Neighboring values were merged into "
        "up to 1,200 runs, refined around the cuts: 'b'."
    )
    columns = [ColumnFacts(name=name, n_missing=0, n_distinct=9000) for name in ("a", "b")]
    assert [one.n_bins for one in with_bins(columns, merged)] == [None, 1200]


@dataclass
class EvaluationStub:
    n_test: int


def test_nothing_is_said_about_weights_and_tests_of_all_rows():
    assert notes_on_tests(COUNTING, None, ()) == ()
    assert notes_on_tests(COUNTING, EvaluationStub(10), ()) == ()
    (note,) = notes_on_tests(replace(COUNTING, n_sampled=200_000), EvaluationStub(10), ())
    assert str(note) == (
        "The weights were learned from a sample of 200,000 rows; intervals and groups were learned "
        "from all rows."
    )


@pytest.fixture
def few_sampled(monkeypatch):
    """Samples of an engine are small, so that a small table is more than one."""
    monkeypatch.setattr(Room, "holds", lambda *_: False)
    monkeypatch.setattr(engine_table, "MOST_SAMPLED", 500)
    monkeypatch.setattr(engine_table, "FEW", 10)
    monkeypatch.setattr(engine_table, "MOST_TESTED", 300)


@pytest.mark.usefixtures("few_sampled")
def test_a_result_says_which_rows_were_sampled_and_its_examples_have_no_numbers(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=4000), "c": rng.choice(list("abc"), 4000)})
    frame["y"] = np.where(frame["x"] + rng.normal(size=4000) > 0, "yes", "no")
    frame.to_parquet(tmp_path / "rows.parquet")
    result = modlearn.fit(tmp_path / "rows.parquet", "y", test=0.3)
    numbers = {note.kind: note.numbers for note in result.facts.notes}
    assert numbers["counted_by_value"] == {"engine": "DuckDB", "by_value": 2}
    assert 400 < numbers["weights_sampled"]["rows"] < 600
    tested = numbers["tested_on_sample"]
    assert tested["rows"] == result.evaluation.n_test < tested["all"]
    assert 1100 < tested["all"] < 1300
    assert str(result.facts.notes[-1]) == (
        f"The model was tested on {tested['rows']} of {tested['all']:,} test rows, chosen by a "
        "hash of their content."
    )
    assert {example.row for example in result.evaluation.examples} == {None}
    result.save(tmp_path / "model.json")
    loaded = modlearn.load(tmp_path / "model.json")
    assert loaded.facts == result.facts
    assert loaded.evaluation.to_dict() == result.evaluation.to_dict()
    in_memory = modlearn.fit(frame, "y", test=0.3)
    assert not any(note.kind.startswith("counted") for note in in_memory.facts.notes)
    assert all(isinstance(example.row, int) for example in in_memory.evaluation.examples)


@pytest.mark.usefixtures("few_sampled")
@pytest.mark.parametrize("job", [modlearn.fit, modlearn.analyze])
def test_a_result_says_how_each_column_was_counted(tmp_path, monkeypatch, job):
    monkeypatch.setattr("modlearn._engines.counts.MOST_VALUES", 100)
    monkeypatch.setattr("modlearn._engines.counts.MOST_IN_MEMORY", 100)
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=4000), "c": rng.choice(list("abc"), 4000)})
    frame["few"] = rng.integers(0, 5, 4000)
    frame["y"] = np.where(frame["x"] + rng.normal(size=4000) > 0, "yes", "no")
    frame.to_parquet(tmp_path / "rows.parquet")
    result = job(tmp_path / "rows.parquet", "y")
    bins = {one["name"]: one["n_bins"] for one in result.summary()["variables"]}
    assert (bins["c"], bins["few"]) == (None, None)
    assert 400 < bins["x"] < 600  # the sample has no more rows
    (note,) = [one for one in result.facts.notes if one.kind == "counted_both_ways"]
    assert note.numbers == {"engine": "DuckDB", "by_value": 2, "in_bins": 1, "bins": bins["x"]}
    in_memory = job(frame, "y").summary()["variables"]
    assert {one["n_bins"] for one in in_memory} == {None}


@pytest.mark.usefixtures("few_sampled")
def test_an_overview_of_a_sample_is_exact_where_one_query_can_say_it(tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "x": np.where(rng.random(4000) < 0.25, np.nan, rng.normal(size=4000)),
            "c": rng.choice(["common", "rare"], 4000, p=[0.9, 0.1]),
            "lists": [[1, 2]] * 4000,
        }
    )
    frame.to_parquet(tmp_path / "rows.parquet")
    found = modlearn.analyze(tmp_path / "rows.parquet")
    x, c = found.columns["x"], found.columns["c"]
    assert found.n_rows == 4000
    assert x.n_missing == frame["x"].isna().sum()
    assert (x.quantiles[0], x.quantiles[-1]) == (frame["x"].min(), frame["x"].max())
    assert x.quantiles[2] == pytest.approx(0, abs=0.2)
    assert x.n_distinct is None
    assert (c.n_distinct, c.values) == (2, ("common", "rare"))
    assert c.histogram[0] == pytest.approx(3600, rel=0.1)
    assert str(found.kinds["lists"]) == "nested"
    (note,) = found.notes
    assert note.kind == "overview_sampled"
    assert str(note).endswith("numbers of categories are those of all rows.")
    assert "x       numeric" in str(found)


class BrokenError(Exception):
    """What a test raises."""


@pytest.mark.usefixtures("few_sampled")
@pytest.mark.parametrize("job", [modlearn.fit, modlearn.analyze])
def test_a_job_that_fails_stops_the_engine(tmp_path, monkeypatch, job):
    stopped = []

    def fail(*_):
        raise BrokenError

    monkeypatch.setattr("modlearn._engines.counts.ColumnCounts.numeric", fail)
    monkeypatch.setattr(DuckDBEngine, "stop", lambda engine: stopped.append(engine))
    frame = pd.DataFrame({"x": np.arange(1000.0), "y": ["a", "b"] * 500})
    frame.to_parquet(tmp_path / "rows.parquet")
    with pytest.raises(BrokenError):
        job(tmp_path / "rows.parquet", "y")
    assert len(stopped) == 1


@pytest.mark.usefixtures("few_sampled")
def test_an_engine_is_closed_if_its_table_cannot_be_used(tmp_path, monkeypatch):
    closed, close = [], DuckDBEngine.close
    monkeypatch.setattr(DuckDBEngine, "close", lambda engine: closed.append(close(engine)))
    pd.DataFrame({"x": [1.0, 2.0], "y": ["a", "b"]}).to_parquet(tmp_path / "rows.parquet")
    with pytest.raises(ColumnError, match="target names the column 'z'"):
        modlearn.fit(tmp_path / "rows.parquet", "z")
    assert len(closed) == 1

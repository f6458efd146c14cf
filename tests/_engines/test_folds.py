"""Which rows of an engine are tested, by groups and by time."""

import duckdb
import numpy as np
import pandas as pd
import pytest
from tests._engines.tables import make_table

import modlearn
from modlearn._engines import folds
from modlearn._engines.folds import _lookup as lookup
from modlearn._export.dialects import DIALECTS
from modlearn._jobs.source import Room


@pytest.fixture
def fit_in_duckdb(tmp_path, monkeypatch):
    """Fit a frame that stays in a file."""

    def fitted(frame, **options):
        path = tmp_path / "rows.parquet"
        frame.to_parquet(path)
        with monkeypatch.context() as patch:
            patch.setattr(Room, "holds", lambda *_: False)
            return modlearn.fit(str(path), "y", **options)

    return fitted


@pytest.mark.parametrize("n_groups", [2, 3])
@pytest.mark.parametrize("seed", range(3))
def test_few_groups_are_held_out(fit_in_duckdb, n_groups, seed):
    frame = make_table(400)
    frame["store"] = [f"store {i % n_groups}" for i in range(len(frame))]
    found = fit_in_duckdb(frame, group="store", test=0.3, seed=seed).evaluation
    known = modlearn.fit(frame, "y", group="store", test=0.3, seed=seed).evaluation
    assert np.array_equal(found.confusion, known.confusion)


def test_rows_without_a_group_are_groups_of_their_own(fit_in_duckdb):
    frame = make_table(400)
    frame["store"] = np.where(np.arange(400) % 4 == 0, "only", None)
    found = fit_in_duckdb(frame, group="store", test=0.3)
    assert 50 < found.evaluation.n_test < 300
    with pytest.raises(modlearn.errors.ColumnError, match="'store' has the same value in all"):
        fit_in_duckdb(frame.assign(store="only"), group="store", test=0.3)


def test_many_groups_are_held_out_by_their_keys(fit_in_duckdb, monkeypatch):
    monkeypatch.setattr(folds, "MOST_GROUPS", 10)
    frame = make_table(1000)
    frame["store"] = [f"store {i % 200}" for i in range(len(frame))]
    found = fit_in_duckdb(frame, group="store", test=0.3).evaluation
    assert 150 < found.n_test < 450
    assert found.n_test + found.n_train == frame["y"].notna().sum()


@pytest.mark.parametrize("position", [None, DIALECTS["duckdb"].position])
@pytest.mark.parametrize("n_values", [0, 1, 3, 256, 257, 2000])
def test_a_value_is_looked_up_by_bisection(n_values, position):
    rng = np.random.default_rng(n_values)
    texts = sorted({"\u05d0\u00e9zZ\U0001f600"[i % 5] + str(i) for i in range(n_values)})
    numbers = rng.integers(0, 3, n_values).tolist()
    literals = [(f"'{text}'", number) for text, number in zip(texts, numbers, strict=True)]
    rows = pd.DataFrame({"v": pd.Series(texts, dtype=object)})
    duckdb.register("rows_of_test", rows)
    found = duckdb.sql(f"SELECT {lookup('v', literals, position)} FROM rows_of_test").fetchall()
    assert [number for (number,) in found] == numbers


def test_thousands_of_groups_are_looked_up_in_little_memory(tmp_path):
    path = tmp_path / "rows.parquet"
    duckdb.sql(
        "SELECT hash(i) / 1.8e19 AS x, 'store ' || hash(i, 3) % 9000 AS store, hash(i, 1) % 3 AS y "
        "FROM range(900000) AS t(i)"
    ).write_parquet(str(path))
    found = modlearn.fit(str(path), "y", group="store", memory="100MB").evaluation
    assert 250_000 < found.n_test < 290_000


@pytest.mark.parametrize("most", [2, 7, 100_000])
@pytest.mark.parametrize("n_bins", [2, 50, 4_096])
@pytest.mark.parametrize("digits", [0, 3])
def test_parts_start_at_the_times_that_memory_finds(
    fit_in_duckdb, monkeypatch, most, n_bins, digits
):
    rng = np.random.default_rng(digits)
    frame = make_table(600).drop(columns=["when", "code"])
    frame["t"] = rng.normal(size=600).round(digits)
    frame.loc[::7, "t"] = np.nan
    monkeypatch.setattr(folds, "MOST_TIMES", most)
    monkeypatch.setattr(folds, "TIME_BINS", n_bins)
    # Few times are in the sample.
    monkeypatch.setattr("modlearn._engines.table.MOST_SAMPLED", 100)
    monkeypatch.setattr("modlearn._engines.table.FEW", 10)
    found = fit_in_duckdb(frame, time="t").evaluation
    known = modlearn.fit(frame, "y", time="t").evaluation
    assert (found.n_test, found.n_train) == (known.n_test, known.n_train)
    assert found.n_folds == known.n_folds


def test_one_time_cannot_be_divided(fit_in_duckdb):
    with pytest.raises(modlearn.errors.ColumnError, match="fewer than two different times"):
        fit_in_duckdb(make_table(100).assign(when=pd.Timestamp("2020-01-01")), time="when")

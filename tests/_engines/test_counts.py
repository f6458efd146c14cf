"""Columns of a table in an engine: counted by value, or in bins, against rows in memory."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from numpy.typing import NDArray

from modlearn._engines import table as engine_table
from modlearn._engines.rows import EngineRows
from modlearn._engines.table import Folds
from modlearn._fit.columns import fit_intervals, fit_partitions
from modlearn._jobs.prepare import prepare
from modlearn._jobs.source import ColumnRequest, Room
from modlearn._model.partitions import Intervals
from modlearn._parallel import no_progress
from modlearn._statistics.numeric import count_numbers
from modlearn.criteria import CRITERIA

Floats = NDArray[np.float64]

N_ROWS = 40_000


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Let tables of some thousand rows be treated like large ones."""
    monkeypatch.setattr(Room, "holds", lambda *_: False)
    monkeypatch.setattr("modlearn._engines.counts.MOST_VALUES", 1_000)
    monkeypatch.setattr("modlearn._engines.counts.MOST_IN_MEMORY", 1_000)
    monkeypatch.setattr(engine_table, "MOST_SAMPLED", 8_000)
    return monkeypatch


def in_engine(
    tmp_path: Path, values: Floats, classes: NDArray[Any], memory: int = 10**9
) -> EngineRows:
    """A column and a target in a file that stays where it is."""
    path = tmp_path / "t.parquet"
    connection = duckdb.connect()
    connection.register("columns", {"x": values, "y": classes})
    connection.execute(f"COPY (SELECT x, 'c' || y AS y FROM columns) TO '{path}'")
    rows = prepare(str(path), ColumnRequest("y"), None, no_progress, Room(memory)).rows
    assert isinstance(rows, EngineRows)
    return rows


def fitted(tmp_path: Path, values: Floats, classes: NDArray[Any], memory: int = 10**9) -> Any:
    """The partition of a column in a file, the one of the column in memory, and its tier."""
    rows = in_engine(tmp_path, values, classes, memory)
    (found,) = fit_partitions(rows, None)
    numbers = count_numbers(values + 0.0, classes.astype(np.int32), None, len(rows.target.classes))
    column = rows.schema.columns[0]
    exact = fit_intervals(column, numbers, rows.target, CRITERIA["supervised"])  # type: ignore[arg-type]
    return found, exact, rows.counts.tiers["x"]


def waves(n_waves: float, n: int = N_ROWS) -> tuple[Floats, NDArray[np.int64]]:
    random = np.random.default_rng(0)
    x = random.random(n)
    return x, (random.random(n) < 0.5 + 0.4 * np.sin(n_waves * x)).astype(np.int64)


def test_a_column_of_different_values_is_counted_in_bins(tmp_path: Path, small: Any) -> None:
    found, exact, tier = fitted(tmp_path, *waves(20))
    assert tier == "bins"
    assert found.n_parts > 5
    assert found.cost == pytest.approx(exact.cost, rel=1e-4)
    assert exact.n_parts > 5
    assert not found.proven_optimal


def test_few_values_are_counted_one_by_one(tmp_path: Path, small: Any) -> None:
    x, y = waves(20)
    found, exact, tier = fitted(tmp_path, np.round(x, 2), y)
    assert tier == "values"
    assert found.cost == exact.cost
    assert found.cuts.tolist() == exact.cuts.tolist()
    assert found.proven_optimal


@pytest.mark.parametrize("together", [True, False])
def test_repeated_rows_are_counted_by_value(tmp_path: Path, small: Any, together: bool) -> None:
    x, y = waves(20, N_ROWS // 5)
    x, y = np.repeat(x, 5), np.repeat(y, 5)
    if not together:  # one row in five has a class of its own
        y[::5] = np.random.default_rng(1).integers(0, 2, len(x[::5]))
    found, exact, tier = fitted(tmp_path, x, y)
    assert tier == "column"
    assert found.cost == exact.cost
    assert found.n_parts == exact.n_parts > 100


def test_a_column_with_very_many_cuts_is_counted_by_value(tmp_path: Path, small: Any) -> None:
    found, exact, tier = fitted(tmp_path, *waves(700))
    assert tier == "column"
    assert found.cost == exact.cost


def test_values_that_do_not_fit_in_memory_are_counted_range_by_range(
    tmp_path: Path, small: Any
) -> None:
    x, y = waves(20, N_ROWS // 5)
    x, y = np.repeat(x, 5), np.repeat(y, 5)
    # The sample shows fewer values than there are; counting them shows how many.
    small.setattr("modlearn._engines.counts.expected_values", lambda *_: 500.0)
    found, exact, tier = fitted(tmp_path, x, y, memory=1_500_000)
    assert tier == "ranges"
    assert found.cost == exact.cost
    assert found.cuts.tolist() == exact.cuts.tolist()
    assert found.n_parts > 100


def test_a_column_with_very_many_cuts_is_counted_range_by_range(tmp_path: Path, small: Any) -> None:
    small.setattr("modlearn._engines.counts.MOST_ENGINE_BINS", 4_000)
    found, exact, tier = fitted(tmp_path, *waves(700), memory=5_000_000)
    assert tier == "ranges"
    assert found.cost == exact.cost
    assert found.cuts.tolist() == exact.cuts.tolist()


def test_runs_of_values_that_do_not_fit_in_memory_are_merged(tmp_path: Path, small: Any) -> None:
    x, y = waves(20, N_ROWS // 5)
    x, y = np.repeat(x, 5), np.repeat(y, 5)
    in_runs, exact, tier = fitted(tmp_path, x, y, memory=700_000)
    assert tier == "ranges"
    assert in_runs.counts.sum() == len(x)
    assert not in_runs.proven_optimal
    small.setattr("modlearn._engines.counts.MOST_RANGES", 0)
    in_bins, _, tier = fitted(tmp_path, x, y, memory=700_000)
    assert tier == "bins"
    assert exact.cost < in_runs.cost < 1.05 * exact.cost < in_bins.cost


def test_a_column_is_reported_as_it_was_last_counted(tmp_path: Path, small: Any) -> None:
    x, y = waves(20, N_ROWS // 5)
    rows = in_engine(tmp_path, np.repeat(x, 5), np.repeat(y, 5), memory=700_000)
    fit_partitions(rows, None)
    in_runs = rows.counting
    assert in_runs.ranges == tuple(in_runs.merged) == ("x",)
    assert (in_runs.n_by_value, in_runs.bins) == (0, {})
    small.setattr("modlearn._engines.counts.MOST_RANGES", 0)
    otherwise_divided = replace(rows, folds=Folds("0 + 0", 1))
    fit_partitions(otherwise_divided, None)
    in_bins = otherwise_divided.counting
    assert tuple(in_bins.bins) == ("x",)
    assert (in_bins.n_by_value, in_bins.merged, in_bins.ranges) == (0, {}, ())


def test_nan_and_null_are_missing_in_bins(tmp_path: Path, small: Any) -> None:
    path = tmp_path / "t.parquet"
    duckdb.connect().execute(
        "COPY (SELECT CASE i % 10 WHEN 0 THEN NULL WHEN 1 THEN 'nan'::DOUBLE "
        "ELSE hash(i) / 18446744073709551616 END AS x, "
        "CASE WHEN i % 10 < 2 OR hash(i + 1) % 3 = 0 THEN 'a' ELSE 'b' END AS y "
        f"FROM range({N_ROWS}) t(i)) TO '{path}'"
    )
    rows = prepare(str(path), ColumnRequest("y"), None, no_progress, Room(10**9)).rows
    assert isinstance(rows, EngineRows)
    (found,) = fit_partitions(rows, None)
    assert rows.counts.tiers["x"] == "bins"
    assert isinstance(found, Intervals)
    assert found.n_missing == N_ROWS / 5
    # Missing is below every value, and so is the first part, which holds hardly anything else.
    assert N_ROWS / 5 <= found.counts[0].sum() < 1.01 * N_ROWS / 5


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_counts_do_not_depend_on_threads(tmp_path: Path, small: Any, n_jobs: int) -> None:
    found, _, _ = fitted(tmp_path, *waves(20))
    small.setattr("modlearn._engines.duckdb.n_threads_of", lambda _: n_jobs)
    small.setattr("modlearn._parallel.n_threads_of", lambda _: n_jobs)
    small.setattr("modlearn._engines.duckdb.CHUNK", 3_000)
    again, _, _ = fitted(tmp_path, *waves(20))
    assert again.cuts.tolist() == found.cuts.tolist()
    assert again.cost == found.cost
    assert (again.counts == found.counts).all()


def test_columns_keep_within_memory(tmp_path: Path, small: Any) -> None:
    """With little memory there are fewer bins and windows; rows are not lost."""
    found, exact, tier = fitted(tmp_path, *waves(20), memory=400_000)
    assert tier == "bins"
    assert found.counts.sum() == N_ROWS
    assert exact.cost < found.cost < 1.05 * exact.cost

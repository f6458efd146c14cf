"""Files that are larger than memory, counted by DuckDB."""

import os
import subprocess
import sys
from contextlib import contextmanager

import duckdb
import numpy as np
import pandas as pd
import pytest
from tests._engines.tables import make_table
from tests._engines.test_fit import models_are_equal
from tests._engines.twin import bins_twin, cells_twin, windows_twin

import modlearn
from modlearn._engines import duckdb as engines
from modlearn._engines.duckdb import DuckDBEngine
from modlearn._engines.engine import Scan
from modlearn._jobs.engines import Room
from modlearn._parallel import each_in_threads, map_in_threads
from modlearn._tables.files.formats import open_source
from modlearn._tables.files.options import ReadOptions
from modlearn._tables.files.workspace import Workspace
from modlearn.errors import ColumnError, EngineError, OptionError, TargetError


@pytest.fixture
def no_room(monkeypatch):
    """No table fits in memory."""
    monkeypatch.setattr(Room, "holds", lambda *_: False)


def done(n_rows):
    """Take no notice of progress."""


@pytest.fixture(scope="module")
def numbers(tmp_path_factory):
    """Return two columns with repeated, infinite and missing values, and the engine of a file."""
    rng = np.random.default_rng(0)
    n = 5000
    columns = [rng.normal(size=n).round(2), rng.integers(0, 5, n).astype(float)]
    columns[0][rng.random(n) < 0.1] = np.nan
    columns[0][:4] = [np.inf, -np.inf, 0.0, -0.0]
    groups = rng.integers(0, 3, n)
    path = tmp_path_factory.mktemp("rows") / "rows.parquet"
    frame = pd.DataFrame({"a": columns[0], "b": columns[1], "g": groups})
    frame.to_parquet(path, row_group_size=700)
    with open_source(str(path), ReadOptions()) as source:
        yield columns, groups, DuckDBEngine(source)


def scan_of(engine, edges):
    values = [column.value for column in engine.columns[:2]]
    return Scan(values, edges, '"g"', 3, engine.relation)


def test_bins_windows_and_cells_are_those_of_numpy(numbers, monkeypatch):
    monkeypatch.setattr(engines, "CHUNK", 1500)
    columns, groups, engine = numbers
    edges = [np.array([-np.inf, -1.0, 0.0, 0.5, np.inf]), np.array([1.0, 3.0])]
    scan = scan_of(engine, edges)
    found = engine.count_bins(scan, done)
    for values, some, counts in zip(columns, edges, found, strict=True):
        assert np.array_equal(counts, bins_twin(values, some, groups, 3))
    windows = [np.array([-0.5, 0.0, 0.3, 0.31]), np.array([0.0, 1.0, 3.0, 4.0])]
    inside = engine.count_windows(scan_of(engine, windows), done)
    for values, some, counts in zip(columns, windows, inside, strict=True):
        for one, other in zip(counts, windows_twin(values, some, groups), strict=True):
            assert np.array_equal(one, other)
    pairs = np.array([[0, 1], [1, 0], [1, 1]])
    cells = engine.count_cells(scan, pairs, 8, done)
    assert np.array_equal(cells, cells_twin(columns, edges, groups, 3, pairs, 8))


@pytest.mark.parametrize("n_threads", [1, 2, 8])
def test_cells_of_all_threads_take_the_memory_of_two(numbers, monkeypatch, n_threads):
    columns, groups, engine = numbers
    counted, at_once = engines.count_coarse_cells, []

    def count(codes, classes, rows, n_groups, pairs, n_bins):
        at_once.append(len(pairs))
        return counted(codes, classes, rows, n_groups, pairs, n_bins)

    monkeypatch.setattr(engines, "n_threads_of", lambda _: n_threads)
    monkeypatch.setattr(engines, "count_coarse_cells", count)
    edges = [np.array([-1.0, 0.0, 0.5]), np.array([1.0, 3.0])]
    pairs = np.array([[0, 1], [1, 0], [1, 1], [0, 0]] * 2)
    cells = engine.count_cells(scan_of(engine, edges), pairs, 5, done)
    assert max(at_once) * n_threads <= 2 * len(pairs)
    assert np.array_equal(cells, cells_twin(columns, edges, groups, 3, pairs, 5))


def test_different_texts_are_counted_one_column_at_a_time(tmp_path, no_room, monkeypatch):
    """With the texts of many columns at the same time, DuckDB exceeds its memory."""
    frame = make_table(900)
    frame["other"], frame["third"] = frame["cat"], frame["cat"].str[:1]
    path = str(tmp_path / "rows.parquet")
    frame.to_parquet(path)
    fetch, statements = DuckDBEngine.fetch, []

    def kept(engine, statement):
        statements.append(statement)
        return fetch(engine, statement)

    monkeypatch.setattr(DuckDBEngine, "fetch", kept)
    monkeypatch.setattr("modlearn._engines.table.MOST_SAMPLED", 300)
    modlearn.fit(path, "y")
    distinct = [one.count("count(DISTINCT") for one in statements if "AS n0_2" in one]
    assert sorted(distinct) == [1, 1, 1, 1]  # the truth value is counted with the numbers


def test_progress_ends_with_all_rows(numbers):
    _, _, engine = numbers
    reported = []
    engine.count_bins(scan_of(engine, [np.zeros(1), np.zeros(1)]), reported.append)
    assert reported == sorted(reported)
    assert reported[-1] == 5000


def test_several_files_and_tables_of_databases(no_room, tmp_path):
    frame = make_table(900)
    known = modlearn.fit(frame, "y")
    for k in range(3):
        frame.iloc[300 * k : 300 * (k + 1)].to_parquet(tmp_path / f"part{k}.parquet")
    assert models_are_equal(known, modlearn.fit(str(tmp_path / "part*.parquet"), "y"))
    with duckdb.connect(str(tmp_path / "shop.duckdb")) as connection:
        connection.register("frame", frame)
        connection.execute("CREATE TABLE orders AS SELECT * FROM frame")
    assert models_are_equal(known, modlearn.fit(f"{tmp_path}/shop.duckdb::orders", "y"))


def test_repeated_rows_of_several_files_are_divided_like_those_of_one(
    no_room, tmp_path, monkeypatch
):
    monkeypatch.setattr("modlearn._engines.table.MOST_SAMPLED", 500)
    monkeypatch.setattr("modlearn._engines.table.FEW", 10)
    monkeypatch.setattr("modlearn._engines.counts.MOST_VALUES", 1)
    monkeypatch.setattr("modlearn._engines.counts.MOST_IN_MEMORY", 0)
    monkeypatch.setattr("modlearn._engines.counts.NEARLY_ALL", 0)  # repeated values in bins, too
    rng = np.random.default_rng(0)
    # Names that DuckDB, or the copy with numbers, gives to numbers of rows.
    names = ["rowid", "position", "number_of_equal"]
    frame = pd.DataFrame({name: rng.integers(0, 4, 3000) for name in names})
    frame["y"] = np.where(rng.random(3000) < 0.2 + 0.2 * frame["position"], "yes", "no")
    frame.to_parquet(tmp_path / "all.parquet")
    known = modlearn.fit(str(tmp_path / "all.parquet"), "y")
    for k in range(3):
        frame[2 - k :: 3].to_parquet(tmp_path / f"part{k}.parquet", index=False)
    found = modlearn.fit(str(tmp_path / "part*.parquet"), "y")
    assert known.model.terms
    assert models_are_equal(known, found)
    assert found.evaluation.measures == known.evaluation.measures


def test_texts_are_read_as_in_memory(tmp_path, monkeypatch):
    rng = np.random.default_rng(0)
    amounts = rng.normal(1000, 500, 800)
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 900, 800), unit="D")
    frame = pd.DataFrame(
        {
            "amount": [f"${value:,.2f}" for value in amounts],
            "when": days.strftime("%d/%m/%Y"),
            "size": rng.choice(["1,000", "2,000", "3,000"], 800),
        }
    )
    noise = rng.normal(0, 300, 800) + (frame["size"] == "1,000") * 300
    frame["y"] = np.where(amounts + noise > 1000, "yes", "no")
    path = str(tmp_path / "rows.csv")
    frame.to_csv(path, index=False)
    options = [{"target": "y"}, {"target": "y", "as_categorical": ["size"]}, {"target": "size"}]
    known = [modlearn.fit(path, **some) for some in options]
    monkeypatch.setattr(Room, "holds", lambda *_: False)
    for one, some in zip(known, options, strict=True):
        found = modlearn.fit(path, **some)
        assert models_are_equal(one, found)
        assert found.model.schema == one.model.schema
        assert found.model.classes.tolist() == one.model.classes.tolist()


def test_a_cell_that_is_not_a_date_is_refused(no_room, tmp_path):
    path = tmp_path / "rows.csv"
    path.write_text("when,y\n" + "01/02/2020,a\n02/02/2020,b\n" * 20 + "soon,a\n")
    with pytest.raises(ColumnError, match=r"Column 'when' holds text \(line 42 is 'soon'\)"):
        modlearn.fit(str(path), "y", date_format={"when": "%d/%m/%Y"})


def test_what_needs_rows_is_refused(no_room, tmp_path):
    frame = make_table(300)
    path = str(tmp_path / "rows.parquet")
    frame.to_parquet(path)
    with pytest.raises(TargetError, match="pass the name of the column to predict"):
        modlearn.fit(path, frame["y"].rename("label"))
    with pytest.raises(ColumnError, match="have no numbers, so test cannot be a splitter"):
        modlearn.fit(path, "y", test=[(np.arange(200), np.arange(200, 300))])
    with pytest.raises(ColumnError, match="group and time cannot be combined"):
        modlearn.fit(path, "y", group="code", time="when")


@pytest.mark.parametrize("memory", ["2", "much", "10MB", -5])
def test_memory_that_cannot_be_used_is_refused(memory):
    with pytest.raises(OptionError, match=r"memory is .*: pass an amount of at least 100MB"):
        modlearn.fit(make_table(50), "y", memory=memory)


def test_size_decides_where_a_file_is_counted():
    room = Room.of(200_000_000, done)
    assert room.holds(100_000, 20)
    assert not room.holds(1_000_000, 20)
    assert Room.of(None, done).memory > 200_000_000


def failing(monkeypatch, fails):
    """Let DuckDB raise an error for the statements for which `fails` is true."""
    cursor = Workspace.cursor

    class Failing:
        def __init__(self, found):
            self._found, self.interrupt = found, found.interrupt

        def sql(self, statement):
            if fails(statement):
                raise duckdb.IOException("the disk was lost")
            return self._found.sql(statement)

    @contextmanager
    def failing_cursor(self):
        with cursor(self) as found:
            yield Failing(found)

    monkeypatch.setattr(Workspace, "cursor", failing_cursor)


def test_a_query_that_fails_is_repeated_once(tmp_path, no_room, monkeypatch):
    path = str(tmp_path / "rows.parquet")
    make_table(400).to_parquet(path)
    known, failed = modlearn.fit(path, "y"), set()

    def fails_first(statement):
        is_new = statement not in failed
        failed.add(statement)
        return is_new

    failing(monkeypatch, fails_first)
    assert models_are_equal(known, modlearn.fit(path, "y"))
    assert len(failed) > 5
    assert modlearn.analyze(path).n_rows == 400


def test_a_query_that_fails_twice_is_reported_in_the_words_of_duckdb(
    tmp_path, no_room, monkeypatch
):
    path = str(tmp_path / "rows.parquet")
    make_table(400).to_parquet(path)
    failing(monkeypatch, lambda statement: True)
    with pytest.raises(EngineError, match="cannot be read: the disk was lost"):
        modlearn.fit(path, "y")


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_as_many_threads_count_as_the_user_allows(tmp_path, no_room, monkeypatch, n_jobs):
    path = str(tmp_path / "rows.parquet")
    make_table(2000).to_parquet(path)
    monkeypatch.setattr("modlearn._engines.counts.MOST_VALUES", 1)
    monkeypatch.setattr("modlearn._engines.counts.MOST_IN_MEMORY", 0)
    used, threads = [], []

    def each(work, items, keep, n_jobs=None):
        used.append(n_jobs)
        return each_in_threads(work, items, keep, n_jobs)

    def mapped(work, items, n_jobs, *more):
        used.append(n_jobs)
        return map_in_threads(work, items, n_jobs, *more)

    def opened(n_jobs=None):
        threads.append(n_jobs)
        return Workspace(n_jobs)

    monkeypatch.setattr(engines, "each_in_threads", each)
    monkeypatch.setattr("modlearn._engines.counts.map_in_threads", mapped)
    monkeypatch.setattr("modlearn._tables.files.formats.Workspace", opened)
    modlearn.fit(path, "y", n_jobs=n_jobs, test=0.3)
    assert set(used) == set(threads) == {n_jobs}


def test_an_infinite_label_is_refused_without_a_row(tmp_path, no_room):
    path = str(tmp_path / "rows.parquet")
    frame = make_table(50)
    frame.assign(y=np.where(frame["num"] > 0, np.inf, 1.0)).to_parquet(path)
    with pytest.raises(TargetError, match="Input 'y' contains infinity: replace it"):
        modlearn.fit(path, "y")
    frame.assign(y=pd.Series([None] * 50, dtype=object)).to_parquet(path)
    with pytest.raises(TargetError, match=r"has no label: all 50 rows are unlabeled"):
        modlearn.fit(path, "y")


SLOW = "SELECT sum(sqrt(a + b)) AS s FROM range(1000000) r(a), range(1000000) s(b)"
"""Rows by the billion: it would take hours."""


INTERRUPTED = """
import os, signal, sys, threading, time
import duckdb, numpy as np
from modlearn._engines.duckdb import DuckDBEngine
from modlearn._engines.engine import Scan
from modlearn._tables.files.formats import open_source
from modlearn._tables.files.options import ReadOptions

slow, path = sys.argv[2:]
signal.signal(signal.SIGINT, signal.default_int_handler)
with duckdb.connect(path) as database:
    database.execute("CREATE TABLE t AS SELECT range AS a FROM range(9)")
    database.execute(f"CREATE VIEW v AS {slow}")
with open_source(path + "::t", ReadOptions()) as source:
    engine = DuckDBEngine(source)
    scan = Scan([f"({slow})"], [np.array([1.0])], "0", 1, engine.relation)
    work = {
        "query": lambda: engine.fetch(slow),
        "scan": lambda: engine.count_bins(scan, lambda n_rows: None),
        "view": lambda: open_source(path + "::v", ReadOptions()),
        "view": lambda: open_source(path + "::v", ReadOptions()),
    }[sys.argv[1]]
    threading.Timer(1.0, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        work()
    except KeyboardInterrupt:
        print("interrupted")
    engine.stop()  # as a job does, whose other threads may still ask
"""


@pytest.mark.skipif(os.name != "posix", reason="signals are those of Unix")
@pytest.mark.parametrize("work", ["query", "scan", "view"])
def test_an_interruption_stops_what_duckdb_does(tmp_path, work):
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED, work, SLOW, str(tmp_path / "rows.duckdb")],
        capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stdout) == (0, "interrupted\n"), done.stderr


FIT = """
import sys, modlearn
print(modlearn.analyze(sys.argv[1], "bar").partitions)
"""


def test_the_progress_bar_of_duckdb_is_off_while_a_view_is_copied(tmp_path):
    """DuckDB would show it in programs without a file, such as notebooks."""
    path = tmp_path / "rows.duckdb"
    with duckdb.connect(str(path)) as database:
        setting = "current_setting('enable_progress_bar')::VARCHAR"
        database.execute(f"CREATE VIEW v AS SELECT i, {setting} AS bar FROM range(9) t(i)")
    done = subprocess.run(
        [sys.executable, "-c", FIT, f"{path}::v"], capture_output=True, text=True, check=False
    )
    assert "'false', in all 9 labeled rows" in done.stderr

"""A table of an engine: how its queries report, and values as SQL."""

import time
from threading import Thread

import duckdb
import pytest
from tests._engines.tables import make_table

import modlearn
from modlearn._engines import scores
from modlearn._engines import table as engine_table
from modlearn._engines.duckdb import DuckDBEngine
from modlearn._engines.engine import EngineColumn
from modlearn._engines.table import EngineTable
from modlearn._tables.files.formats import open_source
from modlearn._tables.files.options import ReadOptions
from modlearn.schema import Kind

N_ROWS = 3000


@pytest.fixture
def path(tmp_path, monkeypatch):
    """Return a file that is treated like a large one."""
    monkeypatch.setattr("modlearn._jobs.source.Room.holds", lambda *_: False)
    monkeypatch.setattr(engine_table, "MOST_SAMPLED", 500)
    monkeypatch.setattr(engine_table, "FEW", 10)
    monkeypatch.setattr(scores, "FEWEST_SCORED", 10)
    make_table(N_ROWS).to_parquet(tmp_path / "rows.parquet")
    return str(tmp_path / "rows.parquet")


def test_every_query_reports_its_rows(path, monkeypatch):
    events, of_queries, fetch = [], [], DuckDBEngine.fetch

    def kept(engine, statement):
        of_queries.append((statement, len(events)))
        return fetch(engine, statement)

    monkeypatch.setattr(DuckDBEngine, "fetch", kept)
    modlearn.fit(path, "y", test=0.3, progress=lambda *event: events.append(event))
    done = [k for k, event in enumerate(events) if event == ("counting", N_ROWS, N_ROWS)]
    ends = [first for _, first in of_queries[1:]] + [len(events)]
    for (statement, first), end in zip(of_queries, ends, strict=True):
        assert any(first <= k < end for k in done), statement
    kinds = ["count(DISTINCT", "AS n0_0", "GROUPING SETS", "GROUP BY 1"]
    assert all(any(kind in one for one, _ in of_queries) for kind in kinds)


def test_a_long_query_reports_what_is_done_of_it(path, monkeypatch):
    monkeypatch.setattr(engine_table, "POLL_SECONDS", 0.001)
    monkeypatch.setattr(DuckDBEngine, "share_done", lambda _: 0.25)
    fetch, events = DuckDBEngine.fetch, []

    def slow(engine, statement):
        time.sleep(0.02)
        return fetch(engine, statement)

    monkeypatch.setattr(DuckDBEngine, "fetch", slow)
    modlearn.analyze(path, "y", progress=lambda *event: events.append(event))
    assert ("counting", N_ROWS // 4, N_ROWS) in events


def test_duckdb_says_what_is_done_of_a_query(path):
    with open_source(path, ReadOptions()) as source:
        engine, shares = DuckDBEngine(source), []
        assert engine.share_done() is None
        statement = "SELECT count(DISTINCT hash(i)) AS n FROM range(5000000) t(i)"
        query = Thread(target=engine.fetch, args=[statement])
        query.start()
        while query.is_alive():
            shares.append(engine.share_done())
            query.join(0.005)
    known = [share for share in shares if share is not None]
    assert known
    assert all(0 <= share <= 1 for share in known)


@pytest.mark.parametrize(
    ("kind", "value", "interval"),
    [
        (Kind.DATETIME, "2020-02-03", "epoch_us(TIMESTAMP '2020-02-03')"),
        (
            Kind.DATETIME,
            "1960-02-03T10:20:30.000040",
            "epoch_us(TIMESTAMP '1960-02-03 10:20:30.00004')",
        ),
        (Kind.DURATION, "30:00:00", "epoch_us(INTERVAL 30 HOURS)"),
        (Kind.DURATION, "-00:00:01.500000", "epoch_us(INTERVAL (-1500) MILLISECONDS)"),
    ],
)
def test_dates_and_durations_of_categories_are_the_microseconds_of_cells(kind, value, interval):
    column = EngineColumn("c", kind, "c")
    literal = EngineTable.literal(None, column, value)
    ((found, known),) = duckdb.sql(f"SELECT {literal}, {interval}").fetchall()
    assert found == known

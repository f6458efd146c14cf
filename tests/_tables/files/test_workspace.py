"""The DuckDB connection of a source."""

import duckdb
import pytest

from modlearn._tables.files import workspace as module
from modlearn._tables.files.workspace import Workspace, identifier, literal


@pytest.fixture
def workspace():
    made = Workspace(1)
    yield made
    made.close()


@pytest.mark.parametrize("name", ['a"b', "a'b", "; DROP TABLE x; --", "é\n😀", "{c}"])
def test_names_and_texts_come_back_whatever_they_hold(workspace, name):
    workspace.run(f"CREATE TABLE t ({identifier(name)} VARCHAR)")
    workspace.run(f"INSERT INTO t VALUES ({literal(name)})")
    result = workspace.connection.execute("FROM t")
    assert ([column[0] for column in result.description], result.fetchall()) == ([name], [(name,)])


def test_threads_are_those_of_n_jobs(workspace):
    assert workspace.rows("SELECT current_setting('threads')") == [(1,)]


def test_no_name_of_a_table_means_a_python_variable(workspace):
    frame = {"a": [1]}
    with pytest.raises(duckdb.Error, match="frame"):
        workspace.rows("FROM frame")
    assert frame


def test_large_tables_are_kept_on_disk_and_removed(workspace):
    assert workspace.spool(module.IN_MEMORY + 1) == "spool"
    workspace.run("CREATE TABLE spool.t AS SELECT 1 AS a")
    folder = workspace.path("")
    assert workspace.path("spool.duckdb").exists()
    workspace.close()
    assert not folder.exists()


class Stopped:
    """A connection that a user stops when it is asked, or when its rows are fetched."""

    def __init__(self, error, at):
        self.error, self.at = error, at

    def __getattr__(self, name):
        def call(*arguments):
            if name == self.at:
                raise self.error
            return self

        return call


@pytest.mark.parametrize(
    "error", [RuntimeError("Query interrupted"), duckdb.InterruptException("INTERRUPT Error")]
)
@pytest.mark.parametrize(
    ("method", "at"),
    [
        ("run", "execute"),
        ("rows", "fetchall"),
        ("arrays", "execute"),
        ("arrays", "fetchnumpy"),
        ("chunks", "execute"),
        ("chunks", "fetchmany"),
    ],
)
def test_a_user_who_stops_a_query_stops_the_program(workspace, monkeypatch, error, method, at):
    arguments = [2] if method == "chunks" else []
    monkeypatch.setattr(workspace, "connection", Stopped(error, at))
    with pytest.raises(KeyboardInterrupt):
        list(getattr(workspace, method)("FROM t", *arguments) or [])


def test_other_errors_of_a_query_stay_what_they_are(workspace, monkeypatch):
    stopped = Stopped(RuntimeError("out of memory"), "execute")
    monkeypatch.setattr(workspace, "connection", stopped)
    with pytest.raises(RuntimeError, match="of memory"):
        workspace.run("FROM t")


def test_a_large_result_comes_in_chunks(workspace):
    chunks = list(workspace.chunks("SELECT range FROM range(5)", 2))
    assert chunks == [[(0,), (1,)], [(2,), (3,)], [(4,)]]

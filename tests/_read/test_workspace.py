"""The DuckDB connection of a source."""

import duckdb
import pytest

from modlearn._read import workspace as module
from modlearn._read.workspace import Workspace, identifier, literal


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
    assert module._threads(-1) == module._threads(None)


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

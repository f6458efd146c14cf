"""The DuckDB connection of a source."""

from threading import Event, Thread
from time import monotonic

import duckdb
import pytest

from modlearn._tables.files import workspace as module
from modlearn._tables.files.workspace import Workspace, interruptible


@pytest.fixture
def workspace():
    made = Workspace(1)
    yield made
    made.close()


def test_threads_are_those_of_n_jobs(workspace):
    assert workspace.rows("SELECT current_setting('threads')") == [(1,)]


def test_no_name_of_a_table_means_a_python_variable(workspace):
    frame = {"a": [1]}
    with pytest.raises(duckdb.Error, match="frame"):
        workspace.rows("FROM frame")
    assert frame


def test_large_tables_are_kept_on_disk_and_removed(workspace):
    table = workspace.new_table(module.IN_MEMORY + 1, 1)
    workspace.execute(f"CREATE TABLE {table} AS SELECT 1 AS a")
    folder = workspace.path("")
    assert workspace.path("spool.duckdb").exists()
    workspace.close()
    assert not folder.exists()


@pytest.mark.parametrize(
    "error", [RuntimeError("Query interrupted"), duckdb.InterruptException("INTERRUPT Error")]
)
def test_a_user_who_stops_a_query_stops_the_program(error):
    with pytest.raises(KeyboardInterrupt), interruptible():
        raise error


def test_other_errors_of_a_query_stay_what_they_are():
    with pytest.raises(RuntimeError, match="of memory"), interruptible():
        raise RuntimeError("out of memory")


def test_closing_stops_the_query_of_another_thread_and_waits_for_it(workspace):
    begun, raised = Event(), []

    def ask():
        try:
            with workspace.cursor() as cursor:
                begun.set()
                # Rows by the billion: it would take minutes.
                cursor.execute(
                    "SELECT sum(sqrt(a + b)) FROM range(1000000) r(a), range(1000000) s(b)"
                )
        except duckdb.InterruptException as error:
            raised.append(error)

    thread = Thread(target=ask)
    thread.start()
    begun.wait(10)
    start = monotonic()
    workspace.close()
    assert monotonic() - start < 10
    thread.join(1)
    assert len(raised) == 1
    with pytest.raises(KeyboardInterrupt), workspace.cursor():
        pass

"""Tables of databases that are replaced whole, or stay as they were."""

import sqlite3
import subprocess
import sys
from contextlib import closing

import duckdb
import pytest

WRITE = """
import resource, sys
from modlearn._export.tables import TableWriter
from modlearn._tables.files.formats import open_source
from modlearn.errors import FileError

with open_source(sys.argv[1]) as source:
    resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, 1_000_000))
    try:
        with TableWriter(sys.argv[2], like=source):
            pass
    except FileError as error:
        print(error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit for the size of a file")
@pytest.mark.parametrize(
    ("ending", "connect"), [("duckdb", duckdb.connect), ("sqlite", sqlite3.connect)]
)
@pytest.mark.parametrize("is_there", [True, False])
def test_a_database_that_cannot_grow_stays_as_it_was(tmp_path, ending, connect, is_there):
    rows, folder = tmp_path / "rows.parquet", tmp_path / "out"
    folder.mkdir()
    path = folder / f"x.{ending}"
    duckdb.execute(f"COPY (SELECT random() AS a FROM range(300000)) TO '{rows}' (FORMAT parquet)")
    if is_there:
        with closing(connect(path)) as database:
            database.execute("CREATE TABLE t (a INTEGER)")
            database.execute("INSERT INTO t VALUES (1)")
            database.commit()
    script = [sys.executable, "-c", WRITE, str(rows), f"{path}::t"]
    done = subprocess.run(script, capture_output=True, text=True, check=True)
    assert "cannot be written: " in done.stdout
    assert "rollback" not in done.stdout.lower()
    assert [file.name for file in folder.iterdir()] == [path.name] * is_there
    if is_there:
        with closing(connect(path)) as database:
            assert database.execute("SELECT a FROM t").fetchall() == [(1,)]

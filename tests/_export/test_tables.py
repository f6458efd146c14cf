"""Tables that are written row for row, whole or not at all."""

import os
import random
import resource
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import duckdb
import numpy as np
import pytest

from modlearn._export.tables import TableWriter
from modlearn._tables.cells import CodedCells
from modlearn._tables.files.formats import open_source
from modlearn.errors import ColumnError, FileError

N = 1000


def rows_of(name):
    """Rows of a table by name of the column."""
    with open_source(name) as source:
        table = source.read()
        columns = [table.categorical(i) for i in range(len(table.names))]
        return {
            c.name: [None if code < 0 else c.categories[code] for code in c.codes] for c in columns
        }


@pytest.fixture
def source(tmp_path):
    path = tmp_path / "in.parquet"
    duckdb.connect().execute(
        f"""COPY (SELECT range AS id, 'é"' || range % 7 || chr(10) AS "te'x""t 😀;", range / 8 AS x
        FROM range({N})) TO '{path}'"""
    ).fetchall()
    with open_source(path) as opened:
        yield opened


def add_all(writer, source, n_rows=300):
    """Add three columns to every row."""
    start = 0
    for batch in source.batches(["x"], n_rows):
        rows = np.arange(start, start + batch.n_rows)
        texts = ["it's", 'b"', "unused"] if start else ['b"', "it's"]
        codes = (rows % 2 if start else 1 - rows % 2).astype(np.int32)
        codes[rows % 10 == 9] = -1
        writer.add(
            {
                "label": CodedCells(codes, texts),
                "P('a')": np.where(rows % 3 == 0, np.nan, rows / 7),
                "words": np.array([f"w{i}" for i in rows]),
            }
        )
        start += batch.n_rows


EXPECTED = {
    "id": list(range(N)),
    "te'x\"t 😀;": [f'é"{i % 7}\n' for i in range(N)],
    "x": [i / 8 for i in range(N)],
    "label": [None if i % 10 == 9 else ["it's", 'b"'][i % 2] for i in range(N)],
    "P('a')": [None if i % 3 == 0 else i / 7 for i in range(N)],
    "words": [f"w{i}" for i in range(N)],
}

NAMES = [
    "o.csv",
    "o.tsv",
    "o.csv.gz",
    "o.csv.zst",
    "o.parquet",
    "o.jsonl",
    "o.jsonl.gz",
    "o.arrow",
    'o.duckdb::t "; DROP',
    'o.sqlite::t "; DROP',
    "it's *[1]; 😀\n.csv",
]


@pytest.mark.parametrize("name", NAMES)
def test_every_format_gives_back_what_was_written(source, tmp_path, name):
    with TableWriter(tmp_path / name, like=source) as writer:
        add_all(writer, source)
    assert rows_of(tmp_path / name) == EXPECTED


@pytest.mark.parametrize("name", NAMES)
def test_what_was_there_before_is_replaced(source, tmp_path, name):
    for keep in (["id", "x"], ["id"]):
        with TableWriter(tmp_path / name, like=source, keep=keep) as writer:
            writer.add({"new": np.arange(N)})
    assert rows_of(tmp_path / name) == {"id": EXPECTED["id"], "new": EXPECTED["id"]}


@pytest.mark.parametrize("name", NAMES)
def test_what_was_there_before_stays_if_anything_fails(source, tmp_path, name):
    with TableWriter(tmp_path / name, like=source, keep=["id"]) as writer:
        writer.add({"new": np.arange(N)})
    before = sorted(tmp_path.iterdir())
    with (
        pytest.raises(ValueError, match="differ from those of earlier rows"),
        TableWriter(tmp_path / name, like=source) as writer,
    ):
        _add_other_columns(writer)
    with (
        pytest.raises(ValueError, match="10 rows were added to a table of 1000 rows"),
        TableWriter(tmp_path / name, like=source) as writer,
    ):
        writer.add({"new": np.arange(10)})
    assert sorted(tmp_path.iterdir()) == before
    assert list(rows_of(tmp_path / name)) == ["id", "new"]


def _add_other_columns(writer):
    writer.add({"a": np.zeros(N - 1)})
    writer.add({"b": np.zeros(1)})


def test_other_tables_of_a_database_stay(source, tmp_path):
    for ending in ("duckdb", "sqlite"):
        for table in ("one", "two"):
            with TableWriter(tmp_path / f"o.{ending}::{table}", like=source, keep=[]) as writer:
                writer.add({"new": np.arange(N)})
        assert len(rows_of(tmp_path / f"o.{ending}::one")["new"]) == N


def test_a_table_may_be_written_to_the_file_it_was_read_from(source, tmp_path):
    with TableWriter(tmp_path / "in.parquet", like=source) as writer:
        add_all(writer, source)
    assert rows_of(tmp_path / "in.parquet") == EXPECTED
    with TableWriter(tmp_path / "o.duckdb::t", like=source, keep=["id"]) as writer:
        writer.add({"a": np.arange(N)})
    with (
        open_source(tmp_path / "o.duckdb::t") as table,
        TableWriter(tmp_path / "o.duckdb::t", like=table) as writer,
    ):
        writer.add({"b": np.arange(N)})
    assert list(rows_of(tmp_path / "o.duckdb::t")) == ["id", "a", "b"]


def test_only_new_or_only_old_columns_may_be_written(source, tmp_path):
    with TableWriter(tmp_path / "new.csv", like=source, keep=[]) as writer:
        writer.add({"new": np.arange(N)})
    assert list(rows_of(tmp_path / "new.csv")) == ["new"]
    with TableWriter(tmp_path / "old.csv", like=source, keep=["x", "id"]):
        pass
    assert list(rows_of(tmp_path / "old.csv")) == ["x", "id"]


def test_cells_of_a_text_file_are_copied_as_they_are(tmp_path):
    (tmp_path / "in.csv").write_text("zip;price;day\n01234;1,50;13/02/2020\n00004;2,5;?\n")
    with (
        open_source(tmp_path / "in.csv") as source,
        TableWriter(tmp_path / "o.tsv", like=source) as writer,
    ):
        assert source.types["price"] == "numeric"
        writer.add({"label": np.array(["a", None], dtype=object)})
    assert (tmp_path / "o.tsv").read_text() == (
        "zip\tprice\tday\tlabel\n01234\t1,50\t13/02/2020\ta\n00004\t2,5\t?\t\n"
    )


def test_texts_that_are_missing_at_first_are_texts(source, tmp_path):
    with TableWriter(tmp_path / "o.parquet", like=source, keep=[]) as writer:
        writer.add({"why": np.array([None] * 600, dtype=object)})
        writer.add({"why": np.array(["because"] * 400, dtype=object)})
    assert rows_of(tmp_path / "o.parquet")["why"] == [None] * 600 + ["because"] * 400


@pytest.mark.parametrize(("n_rows", "name"), [(0, "o.csv"), (0, "o.parquet"), (1, "o.parquet")])
def test_a_table_of_no_rows_or_one_is_written(tmp_path, n_rows, name):
    (tmp_path / "in.csv").write_text("a,b\n" + "1,x\n" * n_rows)
    with (
        open_source(tmp_path / "in.csv") as source,
        TableWriter(tmp_path / name, like=source) as writer,
    ):
        writer.add({"p": np.zeros(n_rows)})
    assert {column: len(cells) for column, cells in rows_of(tmp_path / name).items()} == {
        "a": n_rows,
        "b": n_rows,
        "p": n_rows,
    }


def test_standard_output_holds_the_table_and_nothing_else(source, tmp_path):
    code = (
        "import numpy as np\n"
        "from modlearn._tables.files.formats import open_source\n"
        "from modlearn._export.tables import TableWriter\n"
        f"with open_source({source.path!r}) as s:\n"
        "  with TableWriter('-', {} like=s, keep=['id']) as w:\n"
        "    w.add({'p': np.arange(1000)})"
    )
    for format_, start in (("", b"id,p\n0,0\n"), ("'json',", b'{"id":0,"p":0}\n')):
        result = subprocess.run(
            [sys.executable, "-c", code.replace("{}", format_)], capture_output=True
        )
        assert result.stdout.startswith(start), result.stderr


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("o.xls", "is not a known format: end it with .csv"),
        ("o.parquet.gz", "is compressed internally: remove the second extension"),
        ("o.duckdb", "must name a table of a database"),
        ("o.duckdb::", "must name a table of a database"),
        ("o.csv::t", "must name a table of a database"),
    ],
)
def test_a_name_that_cannot_be_written_to_is_refused_at_once(source, tmp_path, name, message):
    with pytest.raises(FileError, match=message):
        TableWriter(tmp_path / name, like=source)


def test_a_lost_folder_and_a_lost_column_are_refused_at_once(source, tmp_path):
    with pytest.raises(FileNotFoundError, match="There is no folder"):
        TableWriter(tmp_path / "lost" / "o.csv", like=source)
    with pytest.raises(ColumnError, match="no column 'lost'"):
        TableWriter(tmp_path / "o.csv", like=source, keep=["lost"])


def test_arrow_without_pyarrow_is_refused_at_once(source, tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(FileError, match="pip install pyarrow"):
        TableWriter(tmp_path / "o.arrow", like=source)


def test_columns_that_do_not_fit_are_refused(source, tmp_path):
    writer = TableWriter(tmp_path / "o.csv", like=source)
    with pytest.raises(ColumnError, match="already has a column 'x', so no new column 'X' can be"):
        writer.add({"X": np.zeros(2)})
    with pytest.raises(ValueError, match="same number of rows"):
        writer.add({"a": np.zeros(2), "b": np.zeros(3)})
    writer.add({"a": np.zeros(2)})
    with pytest.raises(ValueError, match="differ from those of earlier rows"):
        writer.add({"b": np.zeros(2)})
    with pytest.raises(ValueError, match="1002 rows were added to a table of 1000"):
        writer.add({"a": np.zeros(1000)})


def test_a_database_that_another_process_writes_is_reported(source, tmp_path):
    database = sqlite3.connect(tmp_path / "o.sqlite", isolation_level=None, timeout=0)
    database.execute("CREATE TABLE t (a)")
    database.execute("BEGIN EXCLUSIVE")
    writer = TableWriter(tmp_path / "o.sqlite::t", like=source, keep=["id"])
    with pytest.raises(FileError, match="cannot be written: database is locked"), writer:
        pass
    database.close()


FOREVER = """
import sys
import numpy as np
from modlearn._export.tables import TableWriter
from modlearn._tables.files.formats import open_source

print("ready", flush=True)
for round in range(1, 10_000):
    with open_source(sys.argv[1]) as source, TableWriter(sys.argv[2], like=source) as writer:
        writer.add({"round": np.full(source.n_rows, round)})
"""


@pytest.mark.parametrize("name", ["o.parquet", "o.csv.gz", "o.duckdb::t", "o.sqlite::t"])
def test_a_kill_at_any_moment_leaves_the_old_table_or_the_new_one(tmp_path, name):
    source = tmp_path / "in.parquet"
    sql = f"COPY (SELECT range AS id FROM range(50000)) TO '{source}'"
    duckdb.connect().execute(sql).fetchall()
    target = str(tmp_path / name)
    moments = random.Random(name)
    for _ in range(3):
        process = subprocess.Popen(
            [sys.executable, "-c", FOREVER, str(source), target], stdout=subprocess.PIPE
        )
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        while not Path(target.partition("::")[0]).exists():
            time.sleep(0.05)
        time.sleep(moments.uniform(0.3, 1.2))
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        process.stdout.close()
        rows = rows_of(target)
        assert rows["id"] == list(range(50_000))
        assert len(set(rows["round"])) == 1
    assert all(p.name.startswith(".") for p in tmp_path.iterdir() if p.name.endswith(".tmp"))


@pytest.mark.parametrize("name", NAMES)
def test_a_write_that_fails_leaves_nothing(source, tmp_path, name, monkeypatch):
    writer = TableWriter(tmp_path / name, like=source)
    monkeypatch.setattr(
        writer, "_query", lambda: "SELECT id, error('too late') FROM range(9) t(id)"
    )
    before = sorted(tmp_path.iterdir())
    with pytest.raises(FileError, match=r"cannot be written.*too late"), writer:
        add_all(writer, source)
    assert sorted(tmp_path.iterdir()) == before


def test_numbers_beyond_the_integers_of_sqlite_are_real(tmp_path):
    path = tmp_path / "in.parquet"
    sql = "SELECT unnest([0, 9007199254740993, 18446744073709551615])::UBIGINT AS n"
    duckdb.connect().execute(f"COPY ({sql}) TO '{path}'").fetchall()
    with open_source(path) as source, TableWriter(tmp_path / "o.sqlite::t", like=source):
        pass
    with closing(sqlite3.connect(tmp_path / "o.sqlite")) as database:
        (numbers,) = zip(*database.execute("SELECT n FROM t"), strict=True)
    assert numbers == (0, 9007199254740993, 2.0**64)


def test_a_column_that_is_kept_twice_is_written_once(source, tmp_path):
    with TableWriter(tmp_path / "out.csv", like=source, keep=["x", "id", "x"]) as writer:
        writer.add({"new": np.arange(N)})
    assert (tmp_path / "out.csv").read_text().splitlines()[0] == "x,id,new"


@pytest.mark.parametrize("kind", ["TABLE", "VIEW"])
def test_a_copied_table_is_written_back_to_its_database(tmp_path, kind):
    path = tmp_path / "x.duckdb"
    with duckdb.connect(str(path)) as database:
        database.execute(f"CREATE {kind} t AS SELECT 9 - range AS rowid FROM range(9)")
    with open_source(f"{path}::t") as source, TableWriter(f"{path}::out", like=source) as writer:
        for batch in source.batches(n_rows=4):
            writer.add({"twice": 2 * batch.numeric(0).values})
    assert rows_of(f"{path}::out") == {
        "rowid": [9 - i for i in range(9)],
        "twice": [18 - 2 * i for i in range(9)],
    }


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is always full")
@pytest.mark.parametrize("format", ["csv", "arrow", "parquet"])
def test_a_full_disk_is_named_as_the_cause(tmp_path, format):
    (tmp_path / "in.csv").write_text("a\n1\n2\n")
    with (
        pytest.raises(FileError, match="cannot be written: no space is left on its disk, or"),
        open_source(tmp_path / "in.csv") as source,
        TableWriter("/dev/full", format, like=source),
    ):
        pass


@pytest.mark.parametrize("ending", [".csv", ".arrow", ".parquet", ".jsonl", ".duckdb::t"])
def test_a_disk_that_is_full_midway_is_named_as_the_cause(tmp_path, ending):
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    (tmp_path / "in.csv").write_text("a\n" + "".join(f"{i * 7919}\n" for i in range(20_000)))
    with open_source(tmp_path / "in.csv") as source:
        resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, limits[1]))
        try:
            with (
                pytest.raises(FileError, match="cannot be written: no space is left on its disk"),
                TableWriter(f"{tmp_path}/out{ending}", like=source) as writer,
            ):
                writer.add({"new": np.arange(20_000)})
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]


def test_a_name_that_is_not_utf_8_is_refused_in_advance(tmp_path):
    (tmp_path / "in.csv").write_text("a\n1\n2\n")
    with (
        open_source(tmp_path / "in.csv") as source,
        pytest.raises(FileError, match=r"udcff.* is not valid UTF-8"),
    ):
        TableWriter(f"{tmp_path}/\udcff.csv", like=source)

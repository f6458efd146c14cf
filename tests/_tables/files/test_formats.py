"""Any name of a table: formats, patterns, databases, standard input."""

import gzip
import io
import json
import os
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.feather
import pytest

import modlearn
from modlearn import SelectiveNaiveBayesClassifier
from modlearn._tables.files.formats import (
    OPENERS,
    ReadOptions,
    format_of_name,
    open_source,
    split_database,
)
from modlearn._tables.memory.table import read_table
from modlearn._tables.memory.target import TargetOptions, read_target
from modlearn.errors import ColumnError, FileError

ROWS = "SELECT range AS a, range / 2 AS b, 't' || range % 3 AS c FROM range(7)"


def values(name, options=None):
    """Rows of a table as Python has them."""
    with open_source(name, options) as source:
        table = source.read()
        columns = [table.categorical(i) for i in range(len(table.names))]
        return {
            c.name: [None if code < 0 else c.categories[code] for code in c.codes] for c in columns
        }


def query(sql):
    duckdb.connect().execute(sql).fetchall()


EXPECTED = {
    "a": list(range(7)),
    "b": [i / 2 for i in range(7)],
    "c": [f"t{i % 3}" for i in range(7)],
}


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("x.csv", "FORMAT csv, HEADER"),
        ("x.csv.gz", "FORMAT csv, HEADER, COMPRESSION gzip"),
        ("x.csv.zst", "FORMAT csv, HEADER, COMPRESSION zstd"),
        ("x.tsv", "FORMAT csv, HEADER, DELIMITER '\t'"),
        ("x.txt", "FORMAT csv, HEADER, DELIMITER ';'"),
        ("x.data", "FORMAT csv, HEADER, DELIMITER '|'"),
        ("x.parquet", "FORMAT parquet, COMPRESSION zstd"),
        ("x.jsonl", "FORMAT json"),
        ("x.jsonl.gz", "FORMAT json, COMPRESSION gzip"),
        ("x.json", "FORMAT json, ARRAY true"),
        ("no ending", "FORMAT csv, HEADER"),
        ("parquet without ending", "FORMAT parquet"),
        ("json without ending", "FORMAT json"),
        ("it's; DROP TABLE x --*[1].csv", "FORMAT csv, HEADER"),
        ("it's; DROP TABLE x --*[1].parquet", "FORMAT parquet"),
        ("émoji 😀\n.csv", "FORMAT csv, HEADER"),
    ],
)
def test_a_file_of_any_kind_gives_its_rows(tmp_path, name, options):
    path = str(tmp_path / name).replace("'", "''")
    query(f"COPY ({ROWS}) TO '{path}' ({options})")
    assert values(tmp_path / name) == EXPECTED


@pytest.mark.parametrize("write", [pa.feather.write_feather, "stream"])
def test_arrow_files_and_streams_give_their_rows(tmp_path, write):
    table, path = pa.table(EXPECTED), str(tmp_path / "x.arrow")
    if write == "stream":
        with pa.ipc.new_stream(path, table.schema) as writer:
            writer.write_table(table)
    else:
        write(table, path)
    assert values(path) == EXPECTED


def test_arrow_without_pyarrow_says_how_to_get_it(tmp_path, monkeypatch):
    pa.feather.write_feather(pa.table(EXPECTED), str(tmp_path / "x.arrow"))
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(FileError, match="pip install pyarrow"):
        open_source(tmp_path / "x.arrow")


def test_a_pattern_gives_the_rows_of_its_files_in_order(tmp_path):
    for ending, options in (("csv", "FORMAT csv, HEADER"), ("parquet", "FORMAT parquet")):
        for i in (2, 0, 1):
            query(f"COPY (SELECT {i} AS a) TO '{tmp_path}/part{i}.{ending}' ({options})")
        with open_source(f"{tmp_path}/part*.{ending}") as source:
            assert source.read().numeric(0).values.tolist() == [0, 1, 2]
            batches = [b.numeric(0).values.tolist() for b in source.batches()]
        assert [row for batch in batches for row in batch] == [0, 1, 2]


def test_files_whose_columns_stand_in_another_order_are_joined_by_name(tmp_path):
    (tmp_path / "1.csv").write_text("a,b\n1,x\n")
    (tmp_path / "2.csv").write_text("b;a\ny;2\n")
    assert values(f"{tmp_path}/*.csv") == {"a": [1, 2], "b": ["x", "y"]}


def test_files_with_other_columns_are_refused(tmp_path):
    (tmp_path / "1.csv").write_text("a,b\n1,x\n")
    (tmp_path / "2.csv").write_text("a,c\n1,x\n")
    with pytest.raises(FileError, match=r"Column 'b' is in '.*1.csv' but not in '.*2.csv'"):
        open_source(f"{tmp_path}/*.csv")


def test_files_of_several_kinds_are_refused(tmp_path):
    (tmp_path / "x.csv").write_text("a,b\n1,x\n")
    query(f"COPY (SELECT 1 AS a) TO '{tmp_path}/x.parquet'")
    with pytest.raises(FileError, match="several formats"):
        open_source(f"{tmp_path}/x.*")


@pytest.fixture
def shop(tmp_path):
    path = tmp_path / "shop.duckdb"
    with duckdb.connect(str(path)) as database:
        database.execute(f"CREATE TABLE orders AS {ROWS}")
        database.execute('CREATE TABLE "odd "" name; DROP" AS SELECT 5 AS a')
        database.execute("CREATE VIEW big AS SELECT a FROM orders WHERE a > 4")
        database.execute("CREATE SCHEMA other; CREATE TABLE other.t AS SELECT 9 AS a")
    return path


def test_a_table_of_a_database_gives_its_rows(shop):
    assert values(f"{shop}::orders") == EXPECTED
    assert values(f'{shop}::odd " name; DROP') == {"a": [5]}
    assert values(f"{shop}::big") == {"a": [5, 6]}
    assert values(f"{shop}::other.t") == {"a": [9]}


def test_rows_that_were_deleted_leave_no_gap(shop):
    with duckdb.connect(str(shop)) as database:
        database.execute("DELETE FROM orders WHERE a IN (0, 3, 4)")
    with open_source(f"{shop}::orders") as source:
        assert source.n_rows == 4
        batches = [b.numeric(0).values.tolist() for b in source.batches(["a"], 2)]
    assert [row for batch in batches for row in batch] == [1, 2, 5, 6]


@pytest.mark.parametrize("title", ["rowid", "RowID"])
@pytest.mark.parametrize("kind", ["csv", "jsonl", "duckdb"])
def test_a_column_called_rowid_does_not_number_the_rows(tmp_path, title, kind):
    ids = np.random.default_rng(0).permutation(50) * 3 - 20
    frame = pd.DataFrame({title: ids, "rowid_1": "t", "x": np.arange(50)})
    path = tmp_path / f"x.{kind}"
    if kind == "csv":
        frame.to_csv(path, index=False)
    elif kind == "jsonl":
        frame.to_json(path, orient="records", lines=True)
    else:
        with duckdb.connect(str(path)) as database:
            database.execute("CREATE TABLE t AS FROM frame")
    with open_source(path) as source:
        assert (source.names, source.n_rows) == ([title, "rowid_1", "x"], 50)
        batches = list(source.batches(n_rows=7))
        copied = source.workspace.rows(f"SELECT {title}, x FROM ({source.select()})")
    assert [len(batch.numeric(0).values) for batch in batches] == [7] * 7 + [1]
    assert np.concatenate([batch.numeric(0).values for batch in batches]).tolist() == ids.tolist()
    assert np.concatenate([batch.numeric(2).values for batch in batches]).tolist() == [*range(50)]
    assert copied == [*zip(ids, range(50), strict=True)]


def test_a_missing_table_is_reported_with_those_that_exist(shop):
    with pytest.raises(FileError, match=r"no table 'order' in .*: name one of 'big', 'odd"):
        open_source(f"{shop}::order")
    with pytest.raises(FileError, match=r"has 4 tables, .*: name one, such as '.*::big'"):
        open_source(shop)


def test_a_table_of_sqlite_gives_its_rows(tmp_path):
    path = tmp_path / "x.sqlite"
    database = sqlite3.connect(path)
    database.execute('CREATE TABLE "o ""x" (a INTEGER, zip TEXT, r REAL, "n\no" TEXT)')
    rows = [(1, "01", 0.1, 'a,"b"\n'), (2, None, None, "é😀"), (None, "3", 2.5, "?")]
    database.executemany('INSERT INTO "o ""x" VALUES (?, ?, ?, ?)', rows)
    database.commit()
    database.close()
    expected = dict(zip(["a", "zip", "r", "n\no"], map(list, zip(*rows, strict=True)), strict=True))
    assert values(f'{path}::o "x') == expected


def test_standard_input_is_read_once_into_a_file(tmp_path):
    code = (
        "from modlearn._tables.files.formats import open_source\n"
        "with open_source('-') as source: print(source.n_rows, [*map(str, source.types.values())])"
    )
    for content in (
        b"a,b\n1,x\n2,y\n",
        gzip.compress(b"a;b\n1;x\n2;y\n"),
        b'{"a":1,"b":"x"}\n' * 2,
    ):
        result = subprocess.run([sys.executable, "-c", code], input=content, capture_output=True)
        assert result.stdout.decode().strip() == "2 ['numeric', 'text']"


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("no.csv", "There is no file 'no.csv'"),
        ("no*.csv", "No file matches"),
        (".", "is a folder"),
    ],
)
def test_a_missing_file_is_reported(name, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileError, match=message):
        open_source(name)


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_name_that_is_not_utf_8_is_reported(tmp_path, ending):
    name = os.fsdecode(os.fsencode(tmp_path) + b"/\xff." + ending.encode())
    try:
        Path(name).write_bytes(b"a,b\n1,2\n")
    except OSError:
        pytest.skip("the file system allows only names in UTF-8")
    for path in (name, f"{tmp_path}/*.{ending}"):
        with pytest.raises(FileError, match=r"udcff.* is not valid UTF-8.*: rename"):
            open_source(path)


def test_links_that_lead_nowhere_are_reported(tmp_path):
    (tmp_path / "one").symlink_to("two")
    (tmp_path / "two").symlink_to("one")
    (tmp_path / "lost.csv").symlink_to("gone.csv")
    for name in ("one", "one/x.csv"):
        with pytest.raises(FileError, match=r"one' is a link to 'two', which .* leads back"):
            open_source(tmp_path / name)
    with pytest.raises(FileError, match=r"lost.csv' is a link to 'gone.csv', which does not exist"):
        open_source(tmp_path / "lost.csv")


@pytest.mark.parametrize("name", ["x.csv", "x"])
@pytest.mark.parametrize("title", ["{a", "{", "[a", "[1"])
def test_the_first_name_of_a_csv_file_may_begin_with_a_bracket(tmp_path, name, title):
    (tmp_path / name).write_text(f"{title},b\n1,2\n3,4\n")
    assert values(tmp_path / name) == {title: [1, 3], "b": [2, 4]}


@pytest.mark.parametrize("text", ['{"a": 1}', '{\n"a": 1\n}', ' [ {"a": 1}]', "[" + " " * 99])
def test_json_is_recognized_whatever_its_spaces(tmp_path, text):
    (tmp_path / "x").write_text(text if text.strip() != "[" else text + '{"a": 1}]')
    assert values(tmp_path / "x") == {"a": [1]}


def test_a_view_cannot_read_other_files(tmp_path):
    secret = tmp_path / "secret.csv"
    secret.write_text("word\nhidden\n")
    path = tmp_path / "x.duckdb"
    with duckdb.connect(path) as database:
        database.execute("CREATE TABLE t AS SELECT range AS a FROM range(3)")
        database.execute("CREATE VIEW inside AS SELECT 2 * a AS b FROM t")
        database.execute(f"CREATE VIEW outside AS FROM read_csv('{secret}')")
        database.execute(f"CREATE VIEW found AS FROM glob('{tmp_path}/*')")
        database.execute("CREATE MACRO read(file) AS TABLE FROM read_text(file)")
        database.execute(f"CREATE VIEW called AS FROM read('{secret}')")
    assert values(f"{path}::inside") == {"b": [0, 2, 4]}
    for view in ("outside", "found", "called"):
        with pytest.raises(FileError, match=f"The view .*{view}.* reads something outside"):
            open_source(f"{path}::{view}")


def test_a_view_is_copied_with_as_many_threads_as_were_asked_for(tmp_path):
    path = tmp_path / "x.duckdb"
    with duckdb.connect(path) as database:
        database.execute("CREATE VIEW v AS SELECT current_setting('threads') AS n")
    for n_jobs in (1, 2):
        with open_source(path, ReadOptions(n_jobs=n_jobs)) as source:
            assert source.read().numeric(0).values.tolist() == [n_jobs]


@pytest.mark.parametrize("lines", ['{"a": %s}', '{"a": 1}\n{"a": %s'])
def test_json_that_is_nested_deeply_is_refused_in_one_sentence(tmp_path, lines):
    path = tmp_path / "x.jsonl"
    path.write_text(lines % ("[" * 20_000 + "]" * 20_000))
    n_line = lines.count("\n") + 1
    with pytest.raises(FileError, match=f"Line {n_line} of '.*x.jsonl' .* nested too deeply"):
        open_source(path)


def test_errors_that_duckdb_raises_as_those_of_python_name_the_file(tmp_path, monkeypatch):
    (tmp_path / "x.csv").write_text("a\n1\n")

    def fail(*_):
        raise RuntimeError("Out of buffer")

    with open_source(tmp_path / "x.csv") as source:
        monkeypatch.setattr(source, "_cells", fail)
        with pytest.raises(FileError, match=r"x.csv' cannot be read: Out of buffer"):
            source.read()
    monkeypatch.setitem(OPENERS, "csv", fail)
    with pytest.raises(FileError, match=r"x.csv' cannot be read: Out of buffer"):
        open_source(tmp_path / "x.csv")


def test_a_file_without_room_in_memory_is_reported_with_the_option_that_leaves_it_on_disk(
    tmp_path, monkeypatch
):
    (tmp_path / "x.csv").write_text("a\n1\n")

    def fail(*_):
        raise duckdb.OutOfMemoryException("Out of Memory Error: Failed to allocate block")

    with open_source(tmp_path / "x.csv") as source:
        monkeypatch.setattr(source, "_cells", fail)
        with pytest.raises(FileError, match=r"allocate block\. .*less with memory") as found:
            source.read()
    assert "pass less with --memory." in found.value.as_command


def test_a_file_that_is_not_what_its_name_says_is_reported(tmp_path):
    for content in (b"PAR1 and no more", b"x", b"a,b\n1,2\n"):
        (tmp_path / "x.parquet").write_bytes(content)
        with pytest.raises(FileError, match=r"x.parquet' is incomplete, or it is not Parquet: "):
            open_source(tmp_path / "x.parquet")
    (tmp_path / "y.duckdb").write_bytes(b"nothing")
    with pytest.raises(FileError, match=r"y.duckdb' cannot be read"):
        open_source(tmp_path / "y.duckdb")


def test_a_malformed_line_of_json_is_reported_by_its_number(tmp_path):
    (tmp_path / "x.jsonl").write_text('{"a":1}\n{"a":tr\n')
    with pytest.raises(FileError, match=r"Line 2 of '.*x.jsonl' is not valid JSON"):
        open_source(tmp_path / "x.jsonl")


def test_objects_with_few_of_many_keys_are_rows(tmp_path):
    objects = [{"y": i, f"k{i % 400}": 0.5, f"k{7 * i % 400}": 1.5} for i in range(800)]
    (tmp_path / "x.jsonl").write_text("\n".join(map(json.dumps, objects)))
    with open_source(tmp_path / "x.jsonl") as source:
        assert (len(source.names), source.n_rows) == (401, 800)
        assert source.read(["y"]).numeric(0).values.tolist() == [*range(800)]


def test_a_damaged_file_of_json_is_reported(tmp_path):
    packed = gzip.compress("\n".join(f'{{"a":{i * 7919 % 10007}}}' for i in range(9_000)).encode())
    (tmp_path / "x.jsonl.gz").write_bytes(packed[:5_000])
    with pytest.raises(FileError, match=r"x.jsonl.gz' (is damaged|cannot be read)"):
        open_source(tmp_path / "x.jsonl.gz")
    (tmp_path / "x.jsonl.gz").write_bytes(packed[:5_000] + b"garbage" * 9 + packed[5_063:])
    with pytest.raises(FileError, match=r"x.jsonl.gz' (is damaged|is not valid JSON)"):
        open_source(tmp_path / "x.jsonl.gz")


def test_an_unknown_format_is_reported(tmp_path):
    (tmp_path / "x.csv").write_text("a\n1\n")
    with pytest.raises(FileError, match="'xls' is not known: pass one of arrow, csv"):
        open_source(tmp_path / "x.csv", ReadOptions(format="xls"))


def test_the_ending_of_a_name_determines_format_and_packing():
    assert format_of_name("A.CSV.GZ") == ("csv", "gzip")
    assert format_of_name("a.b") == (None, None)
    assert split_database("a.duckdb::b") == ("a.duckdb", "b")


def test_nothing_is_left_when_a_source_is_closed(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    (tmp_path / "x.csv").write_text("a,b\n1,2\n3\n")
    with pytest.raises(FileError, match="Line 3"):
        open_source(tmp_path / "x.csv")
    (tmp_path / "x.csv").write_text("a,b\n1,2\n")
    with open_source(tmp_path / "x.csv") as source:
        source.read()
    assert not list((tmp_path / "temporary").iterdir())


# files and frames lead to the same fit


@pytest.fixture
def frame():
    rng = np.random.default_rng(0)
    x = rng.normal(size=500).round(6)
    return pd.DataFrame(
        {
            "x": np.where(rng.random(500) < 0.1, np.nan, x),
            "i": rng.integers(0, 50, 500),
            "text": rng.choice(["é", "b", 'c"d', None], 500),
            "flag": x > rng.normal(size=500),
            "day": pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 99, 500), "D"),
            "y": np.where(x + rng.normal(size=500) > 0, "yes", "no"),
        }
    )


@pytest.mark.parametrize("ending", ["csv", "parquet", "jsonl"])
def test_a_file_gives_the_same_fit_as_the_frame(tmp_path, frame, ending):
    path = tmp_path / f"x.{ending}"
    if ending == "csv":
        frame.to_csv(path, index=False)
    elif ending == "parquet":
        frame.to_parquet(path)
    else:
        frame.to_json(path, orient="records", lines=True, date_format="iso", double_precision=15)
    with open_source(path) as source:
        assert source.read().columns() == read_table(frame).columns()
    expected, found = modlearn.fit(frame, "y", test=0.3), modlearn.fit(path, "y", test=0.3)
    assert found.classifier.levels_ == expected.classifier.levels_
    for name, partition in found.partitions.items():
        assert str(partition) == str(expected.partitions[name])
    assert np.array_equal(found.predict_proba(path), expected.predict_proba(frame))


def test_the_target_may_be_a_column_of_numbers_with_a_marker(tmp_path):
    (tmp_path / "x.csv").write_text("y\n" + "1\n-1\n0\n\n" * 3)
    with open_source(tmp_path / "x.csv") as source:
        target = read_target(source.read(["y"]).sources[0], 12, TargetOptions(-1))
    assert (target.classes.tolist(), target.codes[:4].tolist()) == ([0, 1], [1, 2, 0, 2])


def test_an_empty_table_is_refused_by_estimators(tmp_path):
    (tmp_path / "x.csv").write_text("a,b\n")
    with open_source(tmp_path / "x.csv") as source:
        assert (source.n_rows, list(source.batches())) == (0, [])
        with pytest.raises(ValueError, match=r"0 sample\(s\)"):
            SelectiveNaiveBayesClassifier().fit(source.read(["a"]), [])


def test_files_are_read_where_no_frame_library_is_installed(tmp_path):
    (tmp_path / "x.csv").write_text("a,b,y\n" + "1,p,0\n2,q,1\n" * 30)
    code = (
        "import sys\n"
        "class AbsentModule:\n"
        "    def find_spec(name, path=None, target=None):\n"
        "        if name in ('pandas', 'polars', 'pyarrow'): raise ImportError(name)\n"
        "sys.meta_path.insert(0, AbsentModule)\n"
        "from modlearn._tables.files.formats import open_source\n"
        "from modlearn import SelectiveNaiveBayesClassifier\n"
        f"source = open_source({str(tmp_path / 'x.csv')!r})\n"
        "X, y = source.read(['a', 'b']), source.read(['y']).sources[0]\n"
        "print(SelectiveNaiveBayesClassifier().fit(X, y).predict(X)[:2])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (result.stdout.strip(), result.stderr) == ("[0 1]", "")


def test_a_missing_column_is_reported(tmp_path):
    (tmp_path / "x.csv").write_text("a,b\n1,2\n")
    with (
        open_source(tmp_path / "x.csv") as source,
        pytest.raises(ColumnError, match=r"no column 'c' in .*: it has 'a', 'b'"),
    ):
        source.read(["c"])


def test_standard_input_needs_no_terminal(monkeypatch):
    class Input:
        buffer = io.BytesIO(b"a,b\n1,2\n")

    monkeypatch.setattr("sys.stdin", Input())
    assert values("-") == {"a": [1], "b": [2]}


@pytest.mark.parametrize("content", [b"a,b\n1,2\n", b'{"a": 1, "b": 2}\n'])
def test_a_pipe_is_read_once_into_a_file(tmp_path, content):
    pipe = tmp_path / "pipe.of"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(content,))
    writer.start()
    assert values(pipe) == {"a": [1], "b": [2]}
    writer.join()
    end, start = os.pipe()
    os.write(start, content)
    os.close(start)
    assert values(f"/dev/fd/{end}") == {"a": [1], "b": [2]}
    os.close(end)


def test_a_pipe_is_reported_by_its_own_name():
    with pytest.raises(FileError, match="The file '/dev/null' is empty"):
        open_source("/dev/null")


@pytest.mark.parametrize(
    ("start", "what"),
    [
        (b"\x89PNG\r\n\x1a\n", "a PNG image"),
        (b"%PDF-1.7\n", "a PDF document"),
        (b"\x80\x04\x95", "a Python pickle"),
        (b"<!DOCTYPE html>\n<html>", "a web page"),
        (b'{\n "format": "modlearn model",\n "version": 3', "a model that modlearn wrote"),
    ],
)
def test_a_file_that_is_not_a_table_is_called_what_it_is(tmp_path, start, what):
    path = tmp_path / "table.csv"
    path.write_bytes(start + b"\0" * 100)
    with pytest.raises(FileError, match=f"table.csv' is {what}, not a table: pass a CSV"):
        open_source(path)

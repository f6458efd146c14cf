"""Commands on tables that stay where they are: large files, and tables of a database."""

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time

import duckdb
import numpy as np
import pandas as pd
import pytest

import modlearn
from modlearn._jobs.source import Room
from modlearn.cli import main

ADDRESS = "postgresql://ada:s3cret@127.0.0.1:9/shop::orders"


@pytest.fixture
def run(capsys, tmp_path, monkeypatch):
    """Runs the command in an empty folder; gives exit code, standard output and error."""
    monkeypatch.chdir(tmp_path)

    def run(*arguments):
        with pytest.raises(SystemExit) as end:
            main([str(argument) for argument in arguments])
        printed = capsys.readouterr()
        return end.value.code, printed.out, printed.err

    return run


@pytest.fixture
def no_room(monkeypatch):
    """No table fits in memory."""
    monkeypatch.setattr(Room, "holds", lambda *_: False)


def make_events(n_rows=3000, seed=0):
    rng = np.random.default_rng(seed)
    spent = rng.normal(50, 20, n_rows)
    shop = rng.choice(["Rome", "Oslo", "Bonn"], n_rows)
    late = rng.random(n_rows) < 0.2 + 0.4 * (spent < 40) + 0.2 * (shop == "Oslo")
    return pd.DataFrame({"spent": spent, "shop": shop, "late": np.where(late, "yes", "no")})


@pytest.fixture
def events(tmp_path):
    """Pattern of two files in a folder."""
    (tmp_path / "events").mkdir()
    frame = make_events()
    frame[:2000].to_parquet(tmp_path / "events" / "a.parquet")
    frame[2000:].to_parquet(tmp_path / "events" / "b.parquet")
    return "events/*.parquet"


def one_line(text):
    return " ".join(text.split())


@pytest.mark.usefixtures("no_room")
def test_fit_leaves_files_where_they_are_and_says_so(run, events, tmp_path):
    code, out, err = run("fit", events, "--target", "late", "--memory", "200MB")
    counted = "The table stayed where it is: DuckDB counted 2 columns by value."
    assert code == 0
    assert counted in one_line(err)
    assert "3,000" in out
    model = tmp_path / "events.late.modlearn.json"
    notes = modlearn.load(model).facts.notes
    assert counted in [str(note) for note in notes]
    assert counted in (tmp_path / "events.late.modlearn.html").read_text()
    assert run("report", model, "-o", "again.html")[0] == 0
    assert counted in (tmp_path / "again.html").read_text()


@pytest.mark.usefixtures("no_room")
def test_analyze_counts_files_where_they_are(run, events):
    code, out, _ = run("analyze", events, "-t", "late", "--pairs", "all", "--json")
    found = json.loads(out)
    assert code == 0
    assert [note["kind"] for note in found["data"]["notes"]] == ["counted_by_value"]
    assert {one["name"] for one in found["variables"]} == {"spent", "shop"}
    assert found["written"]["report"] == "events.late.analysis.html"


@pytest.mark.usefixtures("no_room")
def test_analyze_without_a_target_describes_files_where_they_are(run, events):
    code, out, _ = run("analyze", events, "--json")
    columns = {one["name"]: one for one in json.loads(out)["columns"]}
    assert code == 0
    assert columns["shop"]["distinct"] == 3
    assert columns["spent"]["distinct"] == 3000


@pytest.mark.parametrize(
    ("size", "unit"),
    [("2XB", ""), ("1KB", ""), ("much", ""), ("", ""), ("100", ", which has no unit")],
)
@pytest.mark.parametrize("command", ["fit", "analyze"])
def test_a_wrong_size_of_memory_is_refused_as_it_is_typed(run, command, size, unit):
    code, out, err = run(command, "nothing.csv", "-t", "y", "--memory", size)
    assert (code, out) == (2, "")
    allowed = "pass an amount of at least 100MB, such as 2GB."
    assert err == f"Error: --memory is {size!r}{unit}: {allowed}\n"


def test_wrong_pairs_are_refused_once_as_they_are_typed(run):
    code, out, err = run("fit", "nothing.csv", "-t", "y", "--pairs", "some")
    assert (code, out) == (2, "")
    assert err == (
        "Error: --pairs is 'some': pass none, all, a number of pairs such as 20, or a time such as "
        "60s or 5m.\n"
    )


def test_help_names_the_memory_and_addresses(run):
    assert "--memory SIZE" in run("fit", "--help")[1]
    assert "--memory SIZE" in run("analyze", "--help")[1]
    assert "postgresql://localhost/shop::orders" in run("--help")[1]


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        (["fit", ADDRESS, "-t", "y"], 1, "cannot open 'shop::orders'"),
        (["fit", ADDRESS, "-t", "y", "--debug"], 1, "cannot open 'shop::orders'"),
        (["analyze", ADDRESS], 1, "cannot open 'shop::orders'"),
        (["fit", ADDRESS.removesuffix("::orders"), "-t", "y"], 1, "names no table"),
        (["fit", ADDRESS.replace("s3cret", "s3cret@x/y"), "-t", "y"], 1, "An @ or / in the addr"),
        (["fit", ADDRESS, "y"], 2, "Type: modlearn fit 'postgresql://ada:***@127.0.0.1:9/shop::or"),
        (["fit", ADDRESS, "y", "z"], 2, "Missing option"),
        (["fit", "x.csv", "-t", "y", ADDRESS], 2, "unexpected extra argument (postgresql://ada:**"),
        (["train", ADDRESS, "-t", "y"], 2, "Type: modlearn fit 'postgresql://ada:***@"),
        (["fit", ADDRESS, "--label", "y"], 2, "Type: modlearn fit 'postgresql://ada:***@"),
        (
            ["fit", ADDRESS, "-t", "y", "--missing", "NA"],
            2,
            "--missing is for reading text files, not",
        ),
        (["fit", ADDRESS.replace("postgresql", "mysql"), "-t", "y"], 1, "'mysql://ada:***@127.0."),
        (["fit", "x.csv", "-t", "y", f"--test-file={ADDRESS}"], 1, "There is no file 'x.csv'"),
        (["propagate", ADDRESS, "-t", "y"], 2, "export the table to a Parquet file"),
    ],
)
def test_no_error_shows_a_password(run, arguments, code, said):
    pytest.importorskip("psycopg", reason="psycopg is not installed: modlearn[postgres]")
    found, out, err = run(*arguments)
    assert (found, out) == (code, "")
    assert "s3cret" not in err
    assert said in one_line(err)


def test_a_password_that_others_can_see_is_pointed_out(run):
    pytest.importorskip("psycopg", reason="psycopg is not installed: modlearn[postgres]")
    seen = "The password in the address can be seen in the list of processes"
    assert seen in one_line(run("fit", ADDRESS, "-t", "y")[2])
    assert seen not in one_line(run("fit", ADDRESS.replace(":s3cret", ""), "-t", "y")[2])
    assert seen not in one_line(run("fit", ADDRESS, "-t", "y", "--quiet")[2])


def test_predict_says_how_rows_of_a_database_are_predicted(run, tmp_path):
    make_events(300).to_csv(tmp_path / "few.csv", index=False)
    assert run("fit", "few.csv", "-t", "late", "-q")[0] == 0
    code, _, err = run("predict", "few.late.modlearn.json", ADDRESS)
    assert code == 2
    line = "modlearn sql few.late.modlearn.json --dialect postgres --table orders"
    assert line in one_line(err)


def test_a_test_file_without_room_is_scored_where_it_is(run, tmp_path, monkeypatch):
    make_events(300).to_csv(tmp_path / "few.csv", index=False)
    code, _, err = run("fit", "few.csv", "-t", "late", "--test-file", ADDRESS)
    assert code == 1
    assert "shop::orders" in err
    assert "secret" not in err
    make_events(9000).to_csv(tmp_path / "many.csv", index=False)
    monkeypatch.setattr(Room, "holds", lambda _, n_rows, __: n_rows < 1000)
    monkeypatch.setattr("modlearn._engines.table.MOST_SAMPLED", 500)
    monkeypatch.setattr("modlearn._engines.scores.FEWEST_SCORED", 10)
    code, out, _ = run("fit", "few.csv", "-t", "late", "--test-file", "many.csv", "--json")
    found = json.loads(out)
    assert (code, found["evaluation"]["how"]) == (0, "test file")
    assert found["evaluation"]["n_test"] == 9000
    (note,) = [one for one in found["data"]["notes"] if one["kind"] == "scored_in_engine"]
    assert note["numbers"]["rows"] == 9000


@pytest.mark.usefixtures("no_room")
def test_a_model_of_counts_is_tested_on_another_file(run, events, tmp_path, monkeypatch):
    make_events(500, seed=1).to_csv(tmp_path / "new.csv", index=False)
    monkeypatch.setattr(Room, "holds", lambda _, n_rows, __: n_rows < 1000)
    code, out, _ = run("fit", events, "-t", "late", "--test-file", "new.csv", "--json")
    evaluation = json.loads(out)["evaluation"]
    assert (code, evaluation["how"], evaluation["n_test"]) == (0, "test file", 500)
    assert all(isinstance(one["row"], int) for one in evaluation["examples"])


@pytest.fixture
def orders(postgres_server):
    """Address, with a password, of a table of PostgreSQL."""
    import psycopg

    with psycopg.connect(postgres_server, autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS orders")
        connection.execute("CREATE TABLE orders (spent float8, shop text, returned text)")
        with connection.cursor().copy("COPY orders FROM STDIN") as copy:
            for row in make_events(600).itertuples(index=False):
                copy.write_row(row)
    return postgres_server.replace("postgres@", "postgres:s3cret@") + "::orders"


def test_a_table_of_a_database_is_fitted_there_and_its_password_is_written_nowhere(
    run, orders, tmp_path
):
    code, out, err = run("fit", orders, "--target", "returned")
    assert code == 0, err
    assert "postgres::orders" in out
    assert "PostgreSQL counted 2 columns by value." in one_line(err)
    names = ["orders.returned.modlearn.html", "orders.returned.modlearn.json"]
    assert sorted(path.name for path in tmp_path.iterdir()) == names
    texts = [out, err, *((tmp_path / name).read_text() for name in names)]
    assert not any("s3cret" in text for text in texts)
    code, out, err = run("fit", orders, "--target", "returned", "--json", "--no-report")
    assert code == 0
    assert "s3cret" not in out + err
    assert all(one["row"] is None for one in json.loads(out)["evaluation"]["examples"])


def test_a_table_of_a_database_is_described(run, orders):
    code, out, _ = run("analyze", orders, "--json", "--no-report")
    columns = {one["name"]: one for one in json.loads(out)["columns"]}
    assert code == 0
    assert columns["shop"]["distinct"] == 3
    assert columns["spent"]["quantiles"]["least"] == make_events(600)["spent"].min()


def test_a_column_of_a_database_is_not_read_as_dates(run, orders):
    code, _, err = run("fit", orders, "-t", "returned", "--as-date", "shop", "-q")
    assert code == 1
    assert "Column 'shop' of 'postgres::orders' is used with the type that it has there" in err


@pytest.fixture(scope="module")
def many_rows(tmp_path_factory):
    """File of 4 million rows whose values never repeat."""
    path = tmp_path_factory.mktemp("many") / "many.parquet"
    columns = ", ".join(f"random() AS x{i}" for i in range(8))
    duckdb.sql("SELECT setseed(0.5)")
    duckdb.sql(f"SELECT {columns}, random() < 0.5 AS y FROM range(4000000)").write_parquet(
        str(path), compression="snappy"
    )
    return path


@pytest.mark.skipif(os.name != "posix", reason="signals are those of Unix")
def test_an_interruption_of_a_scan_ends_with_130_and_one_line(many_rows, tmp_path):
    folder = tmp_path / "temporary"
    folder.mkdir()
    outside, inside = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "modlearn", "fit", many_rows, "-t", "y", "--memory", "500MB"],
        stderr=inside,
        stdout=subprocess.DEVNULL,
        cwd=tmp_path,
        env={**os.environ, "TMPDIR": str(folder), "COLUMNS": "120"},
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),
    )
    os.close(inside)
    shown = shown_until(outside, rb"counting [\d,]+ of 4,000,000 rows")
    process.send_signal(signal.SIGINT)
    start = time.perf_counter()
    shown += shown_until(outside, None)
    assert process.wait(timeout=60) == 130, shown
    assert time.perf_counter() - start < 10
    after = re.sub(rb"\x1b\[[0-9;?]*[A-Za-z]", b"", shown).replace(b"\r", b"\n")
    lines = [line for line in after.decode().splitlines() if line.strip()]
    assert lines[-1].endswith("Interrupted.")
    assert all("━" in line for line in lines[:-1])
    assert list(folder.iterdir()) == []
    assert [path.name for path in tmp_path.iterdir()] == ["temporary"]


def shown_until(terminal, pattern):
    """Read what is shown until a pattern appears, or until the program closes the terminal."""
    shown = b""
    while pattern is None or not re.search(pattern, shown):
        try:
            read = os.read(terminal, 4096)
        except OSError:  # Linux reports a closed terminal as an error
            read = b""
        if not read:
            assert pattern is None, shown
            break
        shown += read
    return shown


SHOW_ARGUMENTS = """
import sys
from pathlib import Path
from modlearn.cli import _hide_passwords_of_process
_hide_passwords_of_process(sys.argv[1:])
print(Path("/proc/self/cmdline").read_bytes().split(b"\\0")[-4:])
"""


@pytest.mark.skipif(sys.platform != "linux", reason="arguments of processes are listed on Linux")
def test_a_password_is_not_in_the_list_of_processes():
    address = "postgresql://ada:s3cret@127.0.0.1:9/shop::orders"
    command = [sys.executable, "-c", SHOW_ARGUMENTS, "fit", address, "--jobs=2"]
    shown = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "s3cret" not in shown
    assert "ada:***@127.0.0.1:9/shop::orders" in shown
    assert "--jobs=2" in shown

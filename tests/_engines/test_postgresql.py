"""Counts of PostgreSQL equal those of NumPy, and nothing that is secret is shown."""

import logging
import signal
import subprocess
import sys
import time
import traceback
from contextlib import closing, contextmanager
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests._engines.twin import bins_twin, cells_twin, windows_twin

from modlearn import _addresses
from modlearn._engines.engine import Scan
from modlearn._engines.postgresql import open_engine
from modlearn._engines.row_keys import key_sql, keys_of
from modlearn.errors import EngineError
from modlearn.schema import ORDERED, Kind

psycopg = pytest.importorskip("psycopg", reason="psycopg is not installed: modlearn[postgres]")

GENERATED = settings(
    max_examples=40,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@pytest.fixture(scope="module")
def admin(postgres_server):
    """Connection that may write."""
    with psycopg.connect(postgres_server, autocommit=True, prepare_threshold=None) as connection:
        yield connection


@pytest.fixture(scope="module")
def opened(postgres_server):
    """Opener of tables, to be used in a with statement."""
    return lambda table: closing(open_engine(f"{postgres_server}::{table}"))


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def filled(admin, types, rows, table="t"):
    """Create a table; NaN is stored as NaN."""
    columns = ", ".join(f"{quoted(name)} {type_}" for name, type_ in types.items())
    admin.execute(f"DROP TABLE IF EXISTS {quoted(table)}".encode())
    admin.execute(f"CREATE TABLE {quoted(table)} ({columns})".encode())
    with admin.cursor() as cursor:
        marks = ", ".join(["%s"] * len(types))
        name = quoted(table).replace("%", "%%")
        cursor.executemany(f"INSERT INTO {name} VALUES ({marks})".encode(), rows)


NUMBERS = st.sampled_from([0.0, -0.0, 1.0, 1.5, -1.5, 5e-324, 1e308, np.inf, -np.inf]) | st.floats(
    allow_nan=True, width=64
)
EDGES = st.lists(NUMBERS.filter(lambda x: x == x), max_size=8, unique=True).map(sorted)


@st.composite
def tables(draw, n_columns):
    """Rows of a group and numbers, and edges that are often among the numbers."""
    edges = [np.array(draw(EDGES)) for _ in range(n_columns)]
    cells = [NUMBERS | st.sampled_from([*e.tolist(), None]) for e in edges]
    rows = draw(st.lists(st.tuples(st.integers(0, 2), *cells), max_size=30))
    return rows, edges


def arrays(rows, n_columns):
    columns = list(zip(*rows, strict=True)) or [()] * (n_columns + 1)
    groups, *values = columns
    return np.array(groups, dtype=np.int64), [np.array(v, dtype=np.float64) for v in values]


@contextmanager
def scanned(admin, opened, rows, edges):
    """Engine and scan of a table of numbers."""
    filled(admin, {"g": "INTEGER", **{f"x{i}": "FLOAT8" for i in range(len(edges))}}, rows)
    with opened("t") as engine:
        columns = [column.value for column in engine.columns[1:]]
        yield engine, Scan(columns, edges, "g", 3, engine.relation, n_rows=len(rows))


@GENERATED
@given(case=tables(2))
def test_bins_are_those_of_numpy(admin, opened, case):
    rows, edges = case
    groups, values = arrays(rows, 2)
    done = []
    with scanned(admin, opened, rows, edges) as (engine, scan):
        found = engine.count_bins(scan, done.append)
    for counts, x, e in zip(found, values, edges, strict=True):
        np.testing.assert_array_equal(counts, bins_twin(x, e, groups, 3))
    assert done == [len(rows) // 2, len(rows)]


@GENERATED
@given(case=tables(1))
def test_windows_are_those_of_numpy(admin, opened, case):
    rows, (edges,) = case
    edges = edges[: len(edges) // 2 * 2]
    groups, (values,) = arrays(rows, 1)
    with scanned(admin, opened, rows, [edges]) as (engine, scan):
        (found,) = engine.count_windows(scan, lambda _: None)
    for part, twin in zip(found, windows_twin(values, edges, groups), strict=True):
        np.testing.assert_array_equal(part, twin)
        assert part.dtype == twin.dtype
    assert not np.signbit(found[0][found[0] == 0]).any()


@GENERATED
@given(case=tables(3))
def test_cells_are_those_of_numpy(admin, opened, case):
    rows, edges = case
    groups, values = arrays(rows, 3)
    pairs = np.array([(0, 1), (2, 0), (1, 1)])
    with scanned(admin, opened, rows, edges) as (engine, scan):
        found = engine.count_cells(scan, pairs, 11, lambda _: None)
    np.testing.assert_array_equal(found, cells_twin(values, edges, groups, 3, pairs, 11))


def test_an_edge_belongs_to_the_bin_below_it(admin, opened):
    edges = np.array([-np.inf, -1.0, 0.0, 5e-324, 1.0, 1.7976931348623157e308, np.inf])
    values = [*edges.tolist(), -0.0, np.nan, None, 2.0, -2.0]
    with scanned(admin, opened, [(0, x) for x in values], [edges]) as (engine, scan):
        (found,) = engine.count_bins(scan, lambda _: None)
    assert found[:, 0].tolist() == [2, 1, 2, 2, 1, 1, 2, 1, 0]
    np.testing.assert_array_equal(
        found, bins_twin(np.array(values, dtype=float), edges, np.zeros(len(values), int), 3)
    )


def test_windows_may_touch(admin, opened):
    edges, values = np.array([0.0, 1.0, 1.0, 2.0, 5.0, np.inf]), [0.0, 1.0, 1.5, 2.0, 5.0, np.inf]
    with scanned(admin, opened, [(1, x) for x in values], [edges]) as (engine, scan):
        ((found, _, _),) = engine.count_windows(scan, lambda _: None)
    assert found.tolist() == [1.0, 1.5, 2.0, np.inf]


def test_only_rows_of_the_condition_are_counted(admin, opened):
    rows = [(0, 1.0), (1, 2.0), (2, None), (1, 3.0)]
    with scanned(admin, opened, rows, [np.array([2.0])]) as (engine, scan):
        scan = replace(scan, condition="g = 1 OR false")
        (bins,) = engine.count_bins(scan, lambda _: None)
        ((values, _, _),) = engine.count_windows(
            replace(scan, edges=[np.array([0.0, 9.0])]), lambda _: None
        )
        cells = engine.count_cells(scan, np.array([(0, 0)]), 3, lambda _: None)
    assert bins.tolist() == [[0, 0, 0], [0, 1, 0], [0, 1, 0]]
    assert values.tolist() == [2.0, 3.0]
    assert cells.sum() == 2


KINDS = {
    "i2": ("smallint", Kind.NUMERIC, ["-3"], [-3.0]),
    "i8": ("bigint", Kind.NUMERIC, ["9007199254740993"], [9007199254740992.0]),
    "r": ("real", Kind.NUMERIC, ["0.1", "NaN", "-inf"], [float(np.float32(0.1)), None, -np.inf]),
    "f": ("double precision", Kind.NUMERIC, ["NaN", "1e300"], [None, 1e300]),
    "n": ("numeric(9,2)", Kind.NUMERIC, ["12.50", "NaN"], [12.5, None]),
    "m": ("money", Kind.NUMERIC, ["12.50"], [12.5]),
    "b": ("boolean", Kind.BOOLEAN, ["true", "false"], [True, False]),
    "d": ("date", Kind.DATETIME, ["1970-01-02", "infinity", "0044-03-15 BC"],
          [864e8, None, -63517824000000000.0]),
    "t": ("timestamp", Kind.DATETIME,
          ["1970-01-01 00:00:00.000001", "-infinity", "2300-01-01 00:00:00.123456"],
          [1.0, None, 10413792000123456.0]),
    "z": ("timestamptz", Kind.DATETIME, ["1970-01-01 02:00:00+02", "infinity"], [0.0, None]),
    "v": ("interval", Kind.DURATION, ["1 day 00:00:00.5", "-1 second"], [864005e5, -1e6]),
    "h": ("time", Kind.DURATION, ["00:01:00.25"], [6025e4]),
    "hz": ("time with time zone", Kind.DURATION, ["00:01:00+05"], [6e7]),
    "s": ("text", Kind.TEXT, ["", "NA", " x ", "אב\"'\\%"], ["", "NA", " x ", "אב\"'\\%"]),
    "c": ("character(4)", Kind.TEXT, ["ab"], ["ab"]),
    "u": ("uuid", Kind.TEXT, ["A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11"],
          ["a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"]),
    "ip": ("inet", Kind.TEXT, ["10.0.0.1"], ["10.0.0.1/32"]),
    "e": ("mood", Kind.TEXT, ["sad"], ["sad"]),
    "o": ("positive_twice", Kind.NUMERIC, ["7"], [7.0]),
    "w": ("label", Kind.TEXT, ["x"], ["x"]),
    "a": ("integer[]", Kind.NESTED, ["{1,2}"], None),
    "j": ("json", Kind.NESTED, ["{}"], None),
    "jb": ("jsonb", Kind.NESTED, ["{}"], None),
    "y": ("bytea", Kind.NESTED, ["x"], None),
    "k": ("pair", Kind.NESTED, ["(1,2)"], None),
    "g": ("int4range", Kind.NESTED, ["[1,2)"], None),
    "p": ("point", Kind.NESTED, ["(1,2)"], None),
}  # fmt: skip
"""Type, kind, texts of cells, and what is read; one more cell of each is NULL."""


@pytest.fixture
def all_kinds(admin):
    """Create a table with every kind of column."""
    admin.execute(
        """
        DROP SCHEMA IF EXISTS kinds CASCADE; CREATE SCHEMA kinds; SET search_path = kinds;
        CREATE TYPE mood AS ENUM ('sad', 'glad'); CREATE TYPE pair AS (a int, b int);
        CREATE DOMAIN positive AS integer CHECK (VALUE > 0);
        CREATE DOMAIN positive_twice AS positive; CREATE DOMAIN label AS varchar(9);
        """
    )
    types = {name: case[0] for name, case in KINDS.items()}
    height = max(len(case[2]) for case in KINDS.values()) + 1
    cells = [case[2] + [None] * (height - len(case[2])) for case in KINDS.values()]
    filled(admin, types, list(zip(*cells, strict=True)), "kinds")
    admin.execute("ALTER TABLE kinds ADD COLUMN gone int; ALTER TABLE kinds DROP COLUMN gone")
    yield
    admin.execute("DROP SCHEMA kinds CASCADE; RESET search_path")


def test_every_type_has_a_kind_and_is_read(all_kinds, opened):
    with opened("kinds.kinds") as engine:
        assert [c.name for c in engine.columns] == list(KINDS)
        for column in engine.columns:
            type_, kind, _, wanted = KINDS[column.name]
            assert column.kind is kind, type_
            assert column.is_integer == (type_ in ("smallint", "bigint", "positive_twice"))
            if wanted is not None:
                (found,) = engine.fetch(f"SELECT {column.value} FROM {engine.relation}")
                n_missing = len(found) - len(wanted)
                if kind in ORDERED:
                    assert found.dtype == np.float64
                    found = np.where(np.isnan(found), None, found)
                assert found.tolist() == [*wanted, *[None] * n_missing], type_


def test_texts_are_compared_byte_by_byte(admin, opened):
    admin.execute(
        "CREATE COLLATION IF NOT EXISTS nocase "
        "(provider = icu, locale = 'und-u-ks-level2', deterministic = false)"
    )
    filled(admin, {"x": "text COLLATE nocase"}, [("a",), ("A",), ("é",), ("b",)])
    with opened("t") as engine:
        value = engine.columns[0].value
        found = engine.fetch(
            f"SELECT {value}, count(*) FROM {engine.relation} GROUP BY 1 ORDER BY 1"
        )
    assert [part.tolist() for part in found] == [["A", "a", "b", "é"], [1, 1, 1, 1]]
    assert found[1].dtype == np.int64


def test_results_are_fetched_in_chunks(opened, admin):
    filled(admin, {"x": "int"}, [])
    with opened("t") as engine:
        found = engine.fetch(
            "SELECT i, nullif(i, 30000), i::numeric, i::text, i > 5, NULLIF(i, 1)::float8 "
            "FROM generate_series(1, 45000) AS i ORDER BY 1"
        )
        empty = engine.fetch(f"SELECT x, x::text, x > 1, x / 2.0 FROM {engine.relation}")
    wanted = np.arange(1, 45001)
    assert [part.dtype for part in found] == [int, float, float, object, object, float]
    np.testing.assert_array_equal(found[0], wanted)
    np.testing.assert_array_equal(found[1], np.where(wanted == 30000, np.nan, wanted))
    np.testing.assert_array_equal(found[2], wanted)
    assert found[3].tolist() == list(map(str, wanted))
    assert found[4].tolist() == (wanted > 5).tolist()
    np.testing.assert_array_equal(found[5], np.where(wanted == 1, np.nan, wanted))
    assert [len(part) for part in empty] == [0, 0, 0, 0]
    assert [part.dtype for part in empty] == [int, object, object, float]


TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=9)
TYPED_CELLS = {
    "x": ("float8", st.none() | NUMBERS),
    "i": ("bigint", st.none() | st.integers(-(2**63), 2**63 - 1)),
    "t": ("timestamp", st.none() | st.datetimes()),
    "b": ("boolean", st.none() | st.booleans()),
    "s": ("text", st.none() | TEXTS | st.sampled_from(["", "it's", '"', "\\", "שלום", "%s", "$1"])),
}


@GENERATED
@given(
    rows=st.lists(st.tuples(*(cells for _, cells in TYPED_CELLS.values())), max_size=20),
    seed=st.integers(0, 2**40),
)
def test_keys_of_rows_are_those_of_python(admin, opened, rows, seed):
    filled(admin, {name: type_ for name, (type_, _) in TYPED_CELLS.items()}, rows)
    with opened("t") as engine:
        columns = engine.columns
        key, values = key_sql(columns, engine.key, seed), ", ".join(c.value for c in columns)
        *cells, found = engine.fetch(f"SELECT {values}, {key} FROM {engine.relation}")
    np.testing.assert_array_equal(found, keys_of(columns, cells, seed))


@pytest.fixture
def latin(admin, postgres_server):
    """Address of a database that stores texts in Latin-1."""
    admin.execute(
        "CREATE DATABASE latin TEMPLATE template0 ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C'"
    )
    yield postgres_server.rpartition("/")[0] + "/latin"
    admin.execute("DROP DATABASE latin")


def test_the_encoding_of_the_database_makes_no_difference(latin):
    with psycopg.connect(latin, autocommit=True, client_encoding="utf8") as admin:
        filled(admin, {"naïve": "text"}, [("é",), ("ß",)])
    with closing(open_engine(f"{latin}::t")) as engine:
        assert engine.label == "latin::t"
        (column,) = engine.columns
        key = key_sql(engine.columns, engine.key, 1)
        texts, keys = engine.fetch(f"SELECT {column.value}, {key} FROM {engine.relation}")
    assert (column.name, texts.tolist()) == ("naïve", ["é", "ß"])
    assert keys.tolist() == keys_of([column], [texts], 1).tolist()


HOSTILE = [
    'quote"; DROP TABLE t; --',
    "per%cent %s %(x)s %%",
    "new\nline\ttab",
    "it's \\ $1 $$ {c}",
    "שלום",
    "a.b",
    "Upper",
    "a::b@c",
]


@pytest.mark.parametrize("name", HOSTILE)
def test_names_may_be_anything(admin, opened, name):
    admin.execute(f"CREATE SCHEMA {quoted(name)}".encode())
    admin.execute(f"SET search_path = {quoted(name)}".encode())
    try:
        filled(admin, {name: "float8", "g": "int"}, [(1.0, 0), (2.0, 1), (None, 1)], name)
        with opened(f"{quoted(name)}.{quoted(name)}") as engine:
            x, g = engine.columns
            scan = Scan([x.value], [np.array([1.0])], g.value, 2, engine.relation)
            (found,) = engine.count_bins(scan, lambda _: None)
            (text,) = engine.fetch(f"SELECT {engine.text(name)} AS {engine.name(name)}")
    finally:
        admin.execute(f"DROP SCHEMA {quoted(name)} CASCADE; RESET search_path".encode())
    assert x.name == name
    assert found.tolist() == [[0, 1], [1, 0], [0, 1]]
    assert text.tolist() == [name]


def test_tables_and_views_are_found_as_in_sql(admin, opened):
    admin.execute(
        """
        DROP SCHEMA IF EXISTS sales CASCADE; CREATE SCHEMA sales;
        CREATE TABLE sales.orders (sales_orders int);
        DROP TABLE IF EXISTS orders, "Orders" CASCADE;
        CREATE TABLE orders (public_orders int); CREATE TABLE "Orders" (upper_orders int);
        CREATE VIEW a_view AS SELECT public_orders AS of_view FROM orders;
        CREATE MATERIALIZED VIEW stored AS SELECT public_orders AS of_stored FROM orders;
        CREATE TABLE parts (of_parts int) PARTITION BY RANGE (of_parts);
        """
    )
    found = {}
    for table in ("orders", "ORDERS", "Orders", '"Orders"', "sales.orders", 'Sales."orders"'):
        with opened(table) as engine:
            found[table] = (engine.relation, engine.columns[0].name)
            assert engine.label == f"postgres::{table}"
    plain, upper = ('"public"."orders"', "public_orders"), ('"public"."Orders"', "upper_orders")
    of_schema = ('"sales"."orders"', "sales_orders")
    assert list(found.values()) == [plain, plain, upper, upper, of_schema, of_schema]
    for table, column in (("a_view", "of_view"), ("stored", "of_stored"), ("parts", "of_parts")):
        with opened(table) as engine:
            assert engine.columns[0].name == column
    with pytest.raises(EngineError, match=r"no table 'order' for 'postgres::order'.* 'orders'"):
        opened("order")
    with pytest.raises(EngineError, match=r"no table 'x' in the schema 'sales' .* one of 'orders'"):
        opened("sales.x")
    with pytest.raises(EngineError, match=r"no table 'ORDERS' .*: name one of"):
        opened('"ORDERS"')
    with pytest.raises(EngineError, match="name one of none"):
        opened("nowhere.orders")


def test_nothing_can_be_written(admin, opened):
    filled(admin, {"x": "int"}, [(1,)])
    with opened("t") as engine:
        for statement in ("CREATE TABLE new (x int)", "DELETE FROM t", "SELECT nextval('s')"):
            with pytest.raises(EngineError):
                engine.fetch(statement)
        admin.execute("CREATE SEQUENCE IF NOT EXISTS s")
        with pytest.raises(EngineError, match=r"'postgres::t': cannot execute nextval\(\) in a re"):
            engine.fetch("SELECT nextval('s')")
        assert engine.fetch("SELECT x FROM t")[0].tolist() == [1]
        pid = int(engine.fetch("SELECT pg_backend_pid()")[0][0])
        query = "SELECT state, application_name FROM pg_stat_activity WHERE pid = %s"
        assert admin.execute(query, [pid]).fetchone() == ("idle", "modlearn")


def test_a_lost_connection_is_made_again(admin, opened, caplog):
    filled(admin, {"x": "int"}, [(1,)])
    with opened("t") as engine:
        pid = int(engine.fetch("SELECT pg_backend_pid()")[0][0])
        admin.execute("SELECT pg_terminate_backend(%s, 5000)", [pid])
        with pytest.raises(EngineError, match=r"'postgres::t': .*terminat"):
            engine.fetch("SELECT 1")
        assert engine.fetch("SELECT x FROM t")[0].tolist() == [1]
        with pytest.raises(EngineError, match="division by zero"):
            engine.fetch("SELECT 1 / 0")
        assert engine.fetch("SELECT x FROM t")[0].tolist() == [1]
        engine.close()
        assert engine.fetch("SELECT x FROM t")[0].tolist() == [1]
    assert not caplog.records


INTERRUPTED = """
import sys
from modlearn._engines.postgresql import open_engine

engine = open_engine(sys.argv[1])
try:
    engine.fetch(sys.argv[2])
except KeyboardInterrupt:
    print("interrupted", engine.fetch("SELECT 7")[0].tolist())
"""
LONG = [
    "SELECT 1 FROM pg_sleep(600)",
    "SELECT i, pg_sleep(0.0001)::text FROM generate_series(1, 100000000) AS i",
]


@pytest.mark.parametrize("statement", LONG, ids=["before rows", "between rows"])
def test_an_interruption_stops_the_query(admin, postgres_server, statement):
    filled(admin, {"x": "int"}, [])
    code = [sys.executable, "-c", INTERRUPTED, f"{postgres_server}::t", statement]
    running = "SELECT count(*) FROM pg_stat_activity WHERE state = 'active' AND query = %s"
    with subprocess.Popen(
        code, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, encoding="utf-8"
    ) as process:
        wait_until(lambda: admin.execute(running, [statement]).fetchone() == (1,), process)
        time.sleep(0.3)
        process.send_signal(signal.SIGINT)
        begun = time.monotonic()
        out, err = process.communicate(timeout=20)
    assert (out, err, process.returncode) == ("interrupted [7]\n", "", 0)
    assert time.monotonic() - begun < 5
    assert admin.execute(running, [statement]).fetchone() == (0,)


def wait_until(is_done, process):
    end = time.monotonic() + 30
    while not is_done():
        assert process.poll() is None
        assert time.monotonic() < end
        time.sleep(0.05)


def test_an_address_without_a_table_is_answered_with_the_example_of_the_database(monkeypatch):
    (known,) = (one for one in _addresses.DATABASES if one.title == "PostgreSQL")
    other = replace(known, example="postgres://elsewhere/bank::loans")
    monkeypatch.setattr(_addresses, "DATABASES", (other,))
    with pytest.raises(EngineError, match="such as 'postgres://elsewhere/bank::loans'"):
        open_engine("postgresql://localhost/shop")


USER, PASSWORD = "gulliver", "hunter2!"
SECRET = f"postgresql://{USER}:{PASSWORD}@127.0.0.1"


@pytest.mark.parametrize(
    ("address", "match"),
    [
        (f"{SECRET}:1/shop::orders", "cannot open 'shop::orders': .*refused.*server is running"),
        (f"{SECRET}:PORT/shop::orders", 'cannot open .*role "\\*\\*\\*" does not exist'),
        (f"{SECRET}:1/shop", "names no table: add it after the database, such as 'postgresql://"),
        (f"{SECRET}:1/shop::", "names no table"),
        (f"{SECRET}:x{PASSWORD}/shop::t", "not one that PostgreSQL accepts"),
        (f"{SECRET}:1/sh%zzop{PASSWORD}::t", "not one that PostgreSQL accepts"),
        (f"postgresql://{USER}:a@{PASSWORD}@127.0.0.1:1/shop::t", "%40"),
        (f"postgresql://{USER}:/{PASSWORD}@127.0.0.1:1/shop::t", "%2F"),
        (f"postgresql://{USER}:/::{PASSWORD}@127.0.0.1:1/shop::t", "%2F"),
    ],
)
def test_errors_show_no_credentials(postgres_server, caplog, address, match):
    caplog.set_level(logging.DEBUG, "psycopg")
    port = postgres_server.rpartition(":")[2].partition("/")[0]
    with pytest.raises(EngineError, match=match) as caught:
        open_engine(address.replace("PORT", port))
    shown = "".join(traceback.format_exception(caught.value)) + repr(caught.value)
    assert USER not in shown
    assert PASSWORD not in shown + caplog.text


def test_credentials_are_not_shown_while_connected(admin, postgres_server, caplog):
    caplog.set_level(logging.DEBUG, "psycopg")
    filled(admin, {"x": "int"}, [(1,)])
    admin.execute(f"DROP ROLE IF EXISTS {USER}; CREATE ROLE {USER} LOGIN".encode())
    try:
        server = postgres_server.rpartition("@")[2]
        address = f"postgres://{USER}:{PASSWORD}@{server}::t"
        assert _addresses.database_of(address)
        with closing(open_engine(address)) as engine:
            with pytest.raises(EngineError, match="permission denied for table t") as caught:
                engine.fetch("SELECT x FROM t")
            shown = "".join(traceback.format_exception(caught.value)) + repr(engine) + engine.label
    finally:
        admin.execute(f"DROP ROLE {USER}".encode())
    for secret in (USER, PASSWORD):
        assert secret not in shown
    assert repr(engine) == "PostgresEngine('postgres::t')"
    assert PASSWORD not in caplog.text


@pytest.mark.parametrize("address", ["shop::orders", "t.csv", "mysql://localhost/shop::orders"])
def test_other_addresses_are_not_of_postgres(address):
    assert not _addresses.database_of(address)


def test_what_is_left_out_comes_from_the_environment(admin, postgres_server, monkeypatch):
    filled(admin, {"x": "int"}, [(1,)])
    user, _, rest = postgres_server.removeprefix("postgresql://").partition("@")
    host, port = rest.partition("/")[0].split(":")
    monkeypatch.setenv("PGPORT", port)
    monkeypatch.setenv("PGUSER", user)
    monkeypatch.setenv("PGDATABASE", "postgres")
    monkeypatch.setenv("PGHOST", host)
    with closing(open_engine("postgresql:///::t")) as engine:
        assert engine.label == "postgres::t"
        assert engine.fetch("SELECT x FROM t")[0].tolist() == [1]


@pytest.mark.parametrize("text", ["a\0b", "\ud800"])
def test_characters_that_cannot_be_stored_are_refused(admin, opened, text):
    filled(admin, {"x": "int"}, [])
    with opened("t") as engine:
        for write in (engine.text, engine.name):
            with pytest.raises(EngineError, match="has a character that PostgreSQL cannot store"):
                write(text)


def test_without_psycopg_the_error_names_the_extra(monkeypatch):
    monkeypatch.setitem(sys.modules, "psycopg", None)
    with pytest.raises(ImportError, match=r"pip install 'modlearn\[postgres\]'"):
        open_engine("postgresql://localhost/shop::orders")

"""The engine of Spark counts what NumPy counts, and leaves the user's session as it was."""

import datetime as dt
import os
import signal
import sys
import threading
import time
from contextlib import ExitStack, contextmanager

import numpy as np
import pandas as pd
import pytest
from tests._engines.twin import bins_twin, cells_twin, windows_twin
from tests.servers import USUAL

import modlearn
from modlearn._engines import spark_scans
from modlearn._engines.engine import Scan
from modlearn._engines.row_keys import key_sql, keys_of
from modlearn._engines.spark import is_spark_frame, open_spark
from modlearn.errors import ColumnError, EngineError
from modlearn.schema import Kind

N_GROUPS = 3
ENDLESS = 10**12


@pytest.fixture(params=["spark_session", "connect_session"])
def session(request):
    return request.getfixturevalue(request.param)


@contextmanager
def changed(session, settings):
    """Change settings of a session for a while."""
    before = {name: session.conf.get(name) for name in settings}
    try:
        for name, value in settings.items():
            session.conf.set(name, value)
        yield
    finally:
        for name, value in before.items():
            session.conf.set(name, value)


@pytest.fixture
def setting(spark_session):
    """Change settings of the session for one test."""
    with ExitStack() as stack:
        yield lambda name, value: stack.enter_context(changed(spark_session, {name: value}))


def random_rows(seed, n=500):
    """Three columns with missing values, ties and infinities, and groups."""
    rng = np.random.default_rng(seed)
    columns = [
        rng.normal(size=n),
        rng.integers(-3, 4, size=n).astype(float),
        rng.choice([-np.inf, -1e300, -0.0, 0.0, 1e-300, np.inf], size=n),
    ]
    for column in columns:
        column[rng.random(n) < 0.1] = np.nan
    return columns, rng.integers(0, N_GROUPS, size=n)


def random_edges(rng, values, n_edges):
    """Increasing edges, some at values and some infinite."""
    finite = values[np.isfinite(values)]
    edges = np.concatenate([rng.choice(finite, n_edges), rng.normal(size=n_edges), [-np.inf]])
    return np.unique(rng.choice(edges, n_edges))


def opened(session, columns, groups, n_partitions=3):
    """An engine of the rows, and the SQL of their columns."""
    rows = [
        (*(None if np.isnan(x) else x for x in row), group)
        for *row, group in zip(*(c.tolist() for c in columns), groups.tolist(), strict=True)
    ]
    names = [f"x{k}" for k in range(len(columns))]
    schema = ", ".join([*(f"{name} DOUBLE" for name in names), "g INT"])
    frame = session.createDataFrame(rows, schema).repartition(n_partitions)
    engine = open_spark(frame)
    return engine, [column.value for column in engine.columns[:-1]]


def ignore(n_rows):
    """Report to nobody."""


@pytest.mark.parametrize("seed", range(3))
def test_bins_are_those_of_numpy(session, seed):
    rng = np.random.default_rng(seed)
    columns, groups = random_rows(seed)
    engine, values = opened(session, columns, groups)
    edges = [random_edges(rng, column, n) for column, n in zip(columns, (0, 5, 3), strict=True)]
    scan = Scan(values, edges, "g", N_GROUPS, engine.relation)
    for found, column, some in zip(engine.count_bins(scan, ignore), columns, edges, strict=True):
        np.testing.assert_array_equal(found, bins_twin(column, some, groups, N_GROUPS))


def test_infinite_edges_are_edges(session):
    columns, groups = random_rows(7)
    engine, values = opened(session, columns, groups)
    edges = [np.array([-np.inf, 0.0, np.inf])] * 3
    scan = Scan(values, edges, "g", N_GROUPS, engine.relation)
    for found, column in zip(engine.count_bins(scan, ignore), columns, strict=True):
        np.testing.assert_array_equal(found, bins_twin(column, edges[0], groups, N_GROUPS))


@pytest.mark.parametrize("seed", range(3))
def test_windows_are_those_of_numpy(session, seed):
    rng = np.random.default_rng(seed)
    columns, groups = random_rows(seed)
    engine, values = opened(session, columns, groups)
    edges = [random_edges(rng, column, 9) for column in columns]
    edges = [some[: len(some) // 2 * 2] for some in edges]
    scan = Scan(values, edges, "g", N_GROUPS, engine.relation)
    for found, column, some in zip(engine.count_windows(scan, ignore), columns, edges, strict=True):
        for one, other in zip(found, windows_twin(column, some, groups), strict=True):
            np.testing.assert_array_equal(one, other)
            assert one.dtype == other.dtype


@pytest.mark.parametrize("seed", range(3))
def test_cells_are_those_of_numpy(session, seed):
    rng = np.random.default_rng(seed)
    columns, groups = random_rows(seed)
    engine, values = opened(session, columns, groups)
    edges = [random_edges(rng, column, 4) for column in columns]
    pairs = np.array([[0, 1], [2, 0]])
    scan = Scan(values, edges, "g", N_GROUPS, engine.relation)
    found = engine.count_cells(scan, pairs, 7, ignore)
    np.testing.assert_array_equal(found, cells_twin(columns, edges, groups, N_GROUPS, pairs, 7))


def test_a_condition_leaves_rows_out(spark_session):
    columns, groups = random_rows(3)
    engine, values = opened(spark_session, columns, groups)
    edges = [np.array([0.0])] * 3
    scan = Scan(values, edges, "g", N_GROUPS, engine.relation, "g <> 1")
    kept = groups != 1
    for found, column in zip(engine.count_bins(scan, ignore), columns, strict=True):
        np.testing.assert_array_equal(
            found, bins_twin(column[kept], edges[0], groups[kept], N_GROUPS)
        )


def test_no_rows_are_counted_as_none(spark_session):
    columns, groups = random_rows(3)
    engine, values = opened(spark_session, columns, groups)
    scan = Scan(values, [np.array([0.0, 1.0])] * 3, "g", N_GROUPS, engine.relation, "false")
    assert [found.sum() for found in engine.count_bins(scan, ignore)] == [0, 0, 0]
    assert [len(rows) for found in engine.count_windows(scan, ignore) for rows in found] == [0] * 9
    assert engine.count_cells(scan, np.array([[0, 1]]), 4, ignore).sum() == 0


def test_the_rows_of_a_scan_are_reported(session):
    columns, groups = random_rows(3)
    engine, values = opened(session, columns, groups)
    reported = []
    scan = Scan(values, [np.array([0.0])] * 3, "g", N_GROUPS, engine.relation, n_rows=500)
    engine.count_bins(scan, reported.append)
    assert reported[-1] == 500
    assert reported == sorted(reported)


def test_every_pass_over_the_rows_is_counted(spark_session):
    columns, groups = random_rows(3)
    engine, values = opened(spark_session, columns, groups)
    assert engine.n_scans == 0
    engine.fetch("SELECT 1")
    engine.fetch(f"SELECT max(x1) FROM {engine.relation}")
    engine.count_bins(Scan(values, [np.zeros(1)] * 3, "g", N_GROUPS, engine.relation), ignore)
    assert engine.n_scans == 2


# columns

MICROSECONDS = 1_000_000
MANY_TYPES = {
    "tiny": ("CAST(1 AS TINYINT)", Kind.NUMERIC, 1.0),
    "small": ("CAST(-2 AS SMALLINT)", Kind.NUMERIC, -2.0),
    "int": ("3", Kind.NUMERIC, 3.0),
    "big": ("CAST(9007199254740993 AS BIGINT)", Kind.NUMERIC, 9007199254740992.0),
    "float": ("CAST(0.1 AS FLOAT)", Kind.NUMERIC, float(np.float32(0.1))),
    "double": ("CAST(0.1 AS DOUBLE)", Kind.NUMERIC, 0.1),
    "nan": ("CAST('NaN' AS DOUBLE)", Kind.NUMERIC, np.nan),
    "float nan": ("CAST('NaN' AS FLOAT)", Kind.NUMERIC, np.nan),
    "decimal": ("CAST(12345.678 AS DECIMAL(30, 3))", Kind.NUMERIC, 12345.678),
    "void": ("NULL", Kind.NUMERIC, np.nan),
    "boolean": ("true", Kind.BOOLEAN, True),
    "date": ("DATE'1500-02-01'", Kind.DATETIME, dt.datetime(1500, 2, 1)),
    "timestamp": (
        "TIMESTAMP'2024-07-01 12:59:00.123456 UTC'",
        Kind.DATETIME,
        dt.datetime(2024, 7, 1, 12, 59, 0, 123456),
    ),
    # In New York, where the session is, there was no such time of day.
    "without zone": (
        "TIMESTAMP_NTZ'2024-03-10 02:59:59.999999'",
        Kind.DATETIME,
        dt.datetime(2024, 3, 10, 2, 59, 59, 999999),
    ),
    "early": (
        "TIMESTAMP_NTZ'1960-12-31 23:59:59.000001'",
        Kind.DATETIME,
        dt.datetime(1960, 12, 31, 23, 59, 59, 1),
    ),
    "time": (
        "TIME'23:59:03.5'",
        Kind.DURATION,
        dt.timedelta(hours=23, minutes=59, seconds=3.5),
    ),
    "interval": (
        "INTERVAL '-100 23:59:58.5' DAY TO SECOND",
        Kind.DURATION,
        -dt.timedelta(days=100, hours=23, minutes=59, seconds=58.5),
    ),
    "minutes": ("INTERVAL '5000' MINUTE", Kind.DURATION, dt.timedelta(minutes=5000)),
    "days": ("INTERVAL '3' DAY", Kind.DURATION, dt.timedelta(days=3)),
    "months": ("INTERVAL '1-2' YEAR TO MONTH", Kind.DURATION, dt.timedelta(days=14 * 30)),
    "text": ("'x'", Kind.TEXT, "x"),
    "collated": ("'Y' COLLATE UNICODE_CI", Kind.TEXT, "Y"),
    "array": ("array(1)", Kind.NESTED, None),
    "struct": ("named_struct('a', 1)", Kind.NESTED, None),
    "map": ("map(1, 2)", Kind.NESTED, None),
    "variant": ("parse_json('1')", Kind.NESTED, None),
    "binary": ("X'00'", Kind.NESTED, None),
}


def as_cell(value):
    if isinstance(value, dt.datetime):
        value -= dt.datetime(1970, 1, 1)
    return (
        float(value // dt.timedelta(microseconds=1)) if isinstance(value, dt.timedelta) else value
    )


@pytest.fixture(scope="module")
def many_types(spark_session):
    selected = ", ".join(f"{sql} AS `{name}`" for name, (sql, _, _) in MANY_TYPES.items())
    return spark_session.sql(f"SELECT {selected}")


def test_columns_have_the_kinds_of_their_types(many_types):
    engine = open_spark(many_types)
    assert {c.name: c.kind for c in engine.columns} == {n: k for n, (_, k, _) in MANY_TYPES.items()}
    assert [c.name for c in engine.columns if c.is_integer] == ["tiny", "small", "int", "big"]


@pytest.mark.parametrize("ansi", ["true", "false"])
def test_cells_are_read_as_their_kind(many_types, setting, ansi):
    setting("spark.sql.ansi.enabled", ansi)
    engine = open_spark(many_types)
    read = [column for column in engine.columns if column.kind is not Kind.NESTED]
    found = engine.fetch(f"SELECT {', '.join(c.value for c in read)} FROM {engine.relation}")
    cells = {c.name: cells.tolist()[0] for c, cells in zip(read, found, strict=True)}
    assert {name: repr(cell) for name, cell in cells.items()} == {
        column.name: repr(as_cell(MANY_TYPES[column.name][2])) for column in read
    }


def test_texts_of_another_collation_stay_apart(spark_session):
    frame = spark_session.sql("SELECT x COLLATE UNICODE_CI AS x FROM VALUES ('a'), ('A') AS t(x)")
    engine = open_spark(frame)
    value = engine.columns[0].value
    (found,) = engine.fetch(f"SELECT {value} FROM {engine.relation} GROUP BY 1 ORDER BY 1")
    assert found.tolist() == ["A", "a"]


def test_a_result_holds_numpy_arrays(session):
    engine = open_spark(session.range(1))
    found = engine.fetch(
        "SELECT * FROM VALUES (1, 2, 0.5, CAST(1.5 AS DECIMAL(9, 2)), 'a', true, NULL),"
        " (3, NULL, NULL, NULL, NULL, NULL, NULL) ORDER BY 1"
    )
    assert [column.dtype.kind for column in found] == ["i", "f", "f", "f", "O", "O", "f"]
    assert found[0].dtype == np.int64
    np.testing.assert_array_equal(
        np.stack(found[1:4]), [[2.0, np.nan], [0.5, np.nan], [1.5, np.nan]]
    )
    assert [found[4].tolist(), found[5].tolist()] == [["a", None], [True, None]]


def test_an_empty_result_has_its_types(spark_session):
    engine = open_spark(spark_session.range(1))
    found = engine.fetch(f"SELECT id, 'a', 1.5D FROM {engine.relation} WHERE id > 9")
    assert [(column.dtype.kind, len(column)) for column in found] == [("i", 0), ("O", 0), ("f", 0)]


# names and texts

HOSTILE = [
    "plain",
    "it's",
    'double "quotes"',
    "`back` ``ticks``",
    "dots.in.names",
    "{rows} {0} {} }{ {{x}}",
    "${spark.app.name} ${env:HOME} ${nothing}",
    "new\nline\ttab\\n \\' -- /* */ ;",
    "\u202eright to left \u05d0 \U0001f600 é",
    "?:name :x ? %s",
    " ",
    "\x00\x01",
]


@pytest.mark.parametrize("escaped", ["true", "false"])
def test_texts_reach_spark_as_they_are(spark_session, setting, escaped):
    setting("spark.sql.parser.escapedStringLiterals", escaped)
    engine = open_spark(spark_session.range(1))
    selected = ", ".join(f"{engine.text(text)} AS c{k}" for k, text in enumerate(HOSTILE))
    for rest in ("", f" FROM {engine.relation}"):
        found = engine.fetch(f"SELECT {selected}{rest}")
        assert [column.tolist() for column in found] == [[text] for text in HOSTILE]


def test_columns_of_any_name_are_counted(session):
    frame = session.createDataFrame([(1.0,) * len(HOSTILE), (None,) * len(HOSTILE)], HOSTILE)
    engine = open_spark(frame)
    assert [column.name for column in engine.columns] == HOSTILE
    names = [engine.name(name) for name in HOSTILE]
    sums = engine.fetch(
        f"SELECT {', '.join(f'sum({one})' for one in names)} FROM {engine.relation}"
    )
    assert [column.tolist() for column in sums] == [[1.0]] * len(HOSTILE)
    values = [column.value for column in engine.columns]
    scan = Scan(values, [np.array([0.0])] * len(HOSTILE), "0", 1, engine.relation)
    for found in engine.count_bins(scan, ignore):
        assert found.tolist() == [[1], [0], [1]]


@pytest.mark.parametrize("names", [("x", "x"), ("Size", "sIZE")])
def test_columns_that_spark_cannot_tell_apart_are_refused(spark_session, names):
    frame = spark_session.createDataFrame([(1, 2)], ["a", "b"]).toDF(*names)
    with pytest.raises(ColumnError, match=f"{names[0]!r} and {names[1]!r} apart by name: rename"):
        open_spark(frame)


def test_names_differ_by_case_if_the_session_says_so(spark_session, setting):
    setting("spark.sql.caseSensitive", "true")
    engine = open_spark(spark_session.createDataFrame([(1, 2)], ["x", "X"]))
    assert engine.fetch(f"SELECT `X` FROM {engine.relation}")[0].tolist() == [2]


# keys of rows


@pytest.mark.parametrize("ansi", ["true", "false"])
def test_keys_of_rows_are_those_in_memory(spark_session, setting, ansi):
    setting("spark.sql.ansi.enabled", ansi)
    rng = np.random.default_rng(0)
    n = 400
    large = rng.choice([-1.0, 1.0], n) * 10.0 ** rng.uniform(-20, 20, n)
    large[:6] = [1e14, 5e14, 9.99e14, 1e15, np.inf, np.nan]
    texts = rng.choice([*HOSTILE, None], n).tolist()
    times = [dt.datetime(1900, 1, 1) + dt.timedelta(seconds=s) for s in rng.uniform(0, 6e9, n)]
    flags = rng.choice([True, False, None], n).tolist()
    rows = list(zip(large.tolist(), texts, times, flags, strict=True))
    schema = "x DOUBLE, t STRING, at TIMESTAMP_NTZ, flag BOOLEAN"
    engine = open_spark(spark_session.createDataFrame(rows, schema))
    cells = [
        np.where(np.isnan(large), np.nan, large),
        np.array(texts, dtype=object),
        np.array([as_cell(time) for time in times]),
        np.array(flags, dtype=object),
    ]
    for columns, some in [
        *(([column], [array]) for column, array in zip(engine.columns, cells, strict=True)),
        (engine.columns, cells),
    ]:
        (found,) = engine.fetch(f"SELECT {key_sql(columns, 'spark', 7)} FROM {engine.relation}")
        assert sorted(found.tolist()) == sorted(keys_of(columns, some, 7).tolist())


# the user's session


def test_frames_of_spark_are_recognized(session):
    assert is_spark_frame(session.range(1))
    assert not is_spark_frame(session.range(1).groupBy("id"))
    assert not is_spark_frame(session)
    assert not is_spark_frame("rows")


def test_a_cached_frame_stays_cached(session, spark_session):
    frame = session.range(10).selectExpr("id + 1 AS x").cache()
    frame.count()
    engine = open_spark(frame)
    engine.fetch(f"SELECT count(*) FROM {engine.relation}")
    assert frame.storageLevel.useMemory
    frame.unpersist()


def test_a_cached_table_stays_cached_and_is_read_from_there(spark_session):
    spark_session.range(10).selectExpr("id + 1 AS x").createOrReplaceTempView("numbers_of_user")
    spark_session.catalog.cacheTable("numbers_of_user")
    engine = open_spark(spark_session.table("numbers_of_user"))
    engine.fetch(f"SELECT count(*) FROM {engine.relation}")
    assert spark_session.catalog.isCached("numbers_of_user")
    spark_session.catalog.dropTempView("numbers_of_user")


def test_nothing_is_left_in_the_session(session):
    before, views = session.conf.getAll, session.catalog.listTables()
    columns, groups = random_rows(3)
    engine, values = opened(session, columns, groups)
    engine.count_bins(Scan(values, [np.zeros(1)] * 3, "g", N_GROUPS, engine.relation), ignore)
    engine.close()
    assert session.catalog.listTables() == views
    assert session.getTags() == set()
    assert session.conf.getAll == before


def when_running(spark_session, act):
    """Do something as soon as a job runs, in a thread that is returned."""
    tracker = spark_session.sparkContext.statusTracker()

    def wait():
        while not tracker.getActiveJobsIds():
            time.sleep(0.05)
        act()

    thread = threading.Thread(target=wait)
    thread.start()
    return thread


def add_up(engine):
    """Run a query that takes hours."""
    return engine.fetch(f"SELECT sum(hash(id) % 7) FROM {engine.relation}")


def test_whoever_cancels_their_jobs_cancels_the_query(spark_session):
    context = spark_session.sparkContext
    engine = open_spark(spark_session.range(0, ENDLESS, 1, 2))
    context.setJobGroup("of the user", "what they do", interruptOnCancel=True)
    thread = when_running(spark_session, lambda: context.cancelJobGroup("of the user"))
    try:
        with pytest.raises(EngineError, match=r"^Spark: .* job group of the user"):
            add_up(engine)
    finally:
        thread.join()
        for key in ("spark.jobGroup.id", "spark.job.description", "spark.job.interruptOnCancel"):
            context.setLocalProperty(key, None)


def test_whoever_cancels_their_tag_cancels_the_query(connect_session, spark_session):
    engine = open_spark(connect_session.range(0, ENDLESS, 1, 2))
    connect_session.addTag("of-the-user")
    thread = when_running(spark_session, lambda: connect_session.interruptTag("of-the-user"))
    try:
        with pytest.raises(EngineError, match=r"^Spark: .*CANCELED"):
            add_up(engine)
    finally:
        thread.join()
        connect_session.removeTag("of-the-user")


# errors and interruptions


def test_an_error_is_the_first_line_of_spark(session):
    engine = open_spark(session.range(1))
    with pytest.raises(EngineError, match=r"^Spark: \[UNRESOLVED_COLUMN.* `nowhere` .*$") as found:
        engine.fetch(f"SELECT nowhere FROM {engine.relation}")
    assert "\n" not in str(found.value)
    assert found.value.__cause__ is None


def test_an_error_of_a_task_is_raised(session):
    engine = open_spark(session.range(3))
    scan = Scan(["raise_error('too bad')"], [np.zeros(1)], "0", 1, engine.relation)
    with pytest.raises(EngineError, match=r"^Spark: .*too bad"):
        engine.count_bins(scan, ignore)
    assert engine.fetch(f"SELECT count(*) FROM {engine.relation}")[0].tolist() == [3]


def test_an_error_of_python_on_a_worker_is_raised(session, monkeypatch):
    def scanner(*_):
        def scan(batches):
            import nowhere

            yield from nowhere.scan(batches)

        return scan

    monkeypatch.setattr(spark_scans, "bins_scanner", scanner)
    engine = open_spark(session.range(3))
    scan = Scan(["0"], [np.zeros(1)], "0", 1, engine.relation)
    message = r"^Spark: a worker raised ModuleNotFoundError: No module named 'nowhere'$"
    with pytest.raises(EngineError, match=message):
        engine.count_bins(scan, ignore)


def test_an_interruption_cancels_the_query(session, spark_session):
    engine = open_spark(session.range(0, ENDLESS, 1, 2))
    # PySpark's own handler cancels all jobs of a classic session, whosever they are.
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    thread = when_running(spark_session, lambda: os.kill(os.getpid(), signal.SIGINT))
    try:
        with pytest.raises(KeyboardInterrupt):
            add_up(engine)
    finally:
        thread.join()
        signal.signal(signal.SIGINT, handler)
    assert spark_session.sparkContext.statusTracker().getActiveJobsIds() == []
    assert engine.fetch("SELECT 1")[0].tolist() == [1]


def test_a_frame_is_analyzed_fitted_and_predicted_in_its_session(session):
    rng = np.random.default_rng(0)
    x = rng.normal(size=400)
    labels = np.where(x + rng.normal(size=400) / 2 > 0, "yes", "no")
    rows = list(zip(x.tolist(), labels.tolist(), strict=True))
    frame = session.createDataFrame(rows, "x DOUBLE, y STRING")
    with changed(session, USUAL):
        found = modlearn.fit(frame, "y", test=0.3)
        scored = found.predict(frame)
        predicted = [row[2] for row in scored.collect()]
    assert found.facts.source == "Spark DataFrame"
    assert modlearn.analyze(frame, "y").partitions["x"].labels == found.partitions["x"].labels
    assert list(modlearn.analyze(frame).columns) == ["x", "y"]
    assert type(scored) is type(frame)
    assert predicted == found.predict(pd.DataFrame({"x": x})).tolist()


def test_counts_are_the_same_in_compiled_queries(session):
    rng = np.random.default_rng(5)
    columns, groups = random_rows(5)
    engine, values = opened(session, columns, groups)
    edges = [random_edges(rng, column, 6) for column in columns]
    scan = Scan(values, edges, "g", N_GROUPS, engine.relation)
    pairs = np.array([[0, 1], [2, 0]])
    with changed(session, USUAL):
        compiled = engine.count_bins(scan, ignore), engine.count_cells(scan, pairs, 8, ignore)
    for found, known in zip(compiled[0], engine.count_bins(scan, ignore), strict=True):
        np.testing.assert_array_equal(found, known)
    np.testing.assert_array_equal(compiled[1], engine.count_cells(scan, pairs, 8, ignore))


def test_a_missing_library_is_named_with_its_command(monkeypatch):
    class Old:
        """A DataFrame of PySpark 3."""

    with pytest.raises(EngineError, match=r"PySpark 4.0 or later: pip install 'modlearn\[spark\]'"):
        open_spark(Old())
    Old.toArrow = None
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(EngineError, match=r"needs pyarrow: pip install 'modlearn\[spark\]'"):
        open_spark(Old())

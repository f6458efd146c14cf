"""SQL that predicts what Python predicts, in databases that really run."""

import sqlite3
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from tests._export.random_models import CONTROL, MAKERS, TEXTS, ScoringCase, random_case

import modlearn
from modlearn._export.dialects import DIALECTS
from modlearn._model.partitions import Groups
from modlearn._show.reasons import Reasons
from modlearn.errors import ColumnError, ModelError
from modlearn.schema import Column, Kind, Schema

sqlglot = pytest.importorskip("sqlglot", reason="SQLGlot is not installed: modlearn[sql]")

TYPES = {
    "duckdb": {"f": "DOUBLE", "i": "BIGINT", "M": "TIMESTAMP", "m": "INTERVAL", "b": "BOOLEAN"},
    "postgres": {
        **{"f": "DOUBLE PRECISION", "i": "BIGINT", "M": "TIMESTAMP", "m": "INTERVAL"},
        **{"b": "BOOLEAN"},
    },
    "spark": {
        **{"f": "double", "i": "long", "M": "timestamp_ntz", "m": "interval day to second"},
        **{"b": "boolean"},
    },
    "sqlite": {"f": "REAL", "i": "INTEGER", "M": "TEXT", "b": "INTEGER"},
}


def values_of(series, dialect):
    """Return the cells of a column as a database takes them, and the type of the column."""
    kind = series.dtype.kind
    cells = series.tolist()
    if kind != "f":  # NaN of numbers stays
        cells = [None if pd.isna(value) else value for value in cells]
    if any(isinstance(value, bool) for value in cells):
        kind = "b"
    if kind == "m":
        cells = [None if value is None else value.to_pytimedelta() for value in cells]
    if kind == "M":
        cells = [None if value is None else value.to_pydatetime() for value in cells]
        if dialect == "sqlite":
            cells = [None if value is None else str(value) for value in cells]
    return cells, TYPES[dialect].get(kind, "string" if dialect == "spark" else "TEXT")


def quoted(name):
    return '"' + str(name).replace('"', '""') + '"'


def filled(execute, insert, frame, dialect):
    """Create the table `rows` with the rows of a frame, and a column id."""
    columns = {name: values_of(frame[name], dialect) for name in frame}
    declared = ", ".join(f"{quoted(name)} {type_}" for name, (_, type_) in columns.items())
    execute("DROP TABLE IF EXISTS rows")
    execute(f"CREATE TABLE rows (id BIGINT, {declared})")
    marks = ", ".join(["%s" if dialect == "postgres" else "?"] * (len(columns) + 1))
    rows = zip(range(len(frame)), *(cells for cells, _ in columns.values()), strict=True)
    insert(f"INSERT INTO rows VALUES ({marks})", list(rows))


class DuckDB:
    dialect = "duckdb"

    def __init__(self):
        self.connection = duckdb.connect()
        self.connection.execute("SET TimeZone = 'America/New_York'")

    def run(self, frame, sql):
        connection = self.connection
        filled(connection.execute, connection.executemany, frame, "duckdb")
        return connection.execute(sql).fetchall()


class SQLite:
    dialect = "sqlite"

    def __init__(self):
        self.connection = sqlite3.connect(":memory:")

    def run(self, frame, sql):
        filled(self.connection.execute, self.connection.executemany, frame, "sqlite")
        return self.connection.execute(sql).fetchall()


class PostgreSQL:
    dialect = "postgres"

    def __init__(self, connection):
        self.connection = connection
        connection.execute("SET TimeZone = 'America/New_York'")

    def run(self, frame, sql):
        with self.connection.cursor() as cursor:
            filled(cursor.execute, cursor.executemany, frame, "postgres")
            return cursor.execute(sql.encode()).fetchall()


class Spark:
    dialect = "spark"

    def __init__(self, session):
        self.session = session

    def frame(self, frame):
        """Return rows as a frame of Spark, with a column id."""
        from pyspark.sql.types import StructType

        columns = {name: values_of(frame[name], "spark") for name in frame}
        schema = StructType().add("id", "long")
        for name, (_, type_) in columns.items():
            schema = schema.add(str(name), type_)
        rows = zip(range(len(frame)), *(cells for cells, _ in columns.values()), strict=True)
        return self.session.createDataFrame(list(rows), schema)

    def run(self, frame, sql):
        self.frame(frame).createOrReplaceTempView("rows")
        # The rules of ANSI must not matter: half of the statements run without them.
        self.session.conf.set("spark.sql.ansi.enabled", len(sql) % 2 == 0)
        return [tuple(row) for row in self.session.sql(sql).collect()]


@pytest.fixture(scope="module")
def postgres(postgres_server):
    import psycopg

    with psycopg.connect(postgres_server, autocommit=True, prepare_threshold=None) as connection:
        yield PostgreSQL(connection)


@pytest.fixture(scope="module", params=["duckdb", "sqlite", "postgres", "spark"])
def database(request):
    if request.param == "postgres":
        return request.getfixturevalue("postgres")
    if request.param == "spark":
        return Spark(request.getfixturevalue("spark_session"))
    return {"duckdb": DuckDB, "sqlite": SQLite}[request.param]()


def kinds_in(dialect):
    return [kind for kind in MAKERS if kind != "durations" or DIALECTS[dialect].duration]


def compared(case, database, n_reasons=0):
    """Run the statement, and compare labels, probabilities and reasons with those of Python."""
    sql = case.model.to_sql(database.dialect, "rows", keep=["id"], reasons=n_reasons)
    rows = sorted(database.run(case.frame, sql))
    J = len(case.model.classes)
    assert [row[0] for row in rows] == list(range(len(case.frame)))
    labels, wanted = [row[1] for row in rows], case.labels.tolist()
    assert labels == wanted
    if database.dialect == "duckdb":
        assert {type(label) for label in labels} == {type(label) for label in wanted}
    found = np.array([row[2 : 2 + J] for row in rows], dtype=float)
    np.testing.assert_allclose(found, case.probabilities, rtol=0, atol=1e-12)
    if n_reasons:
        # The runner-up is the first class where all but one have probability 0, up to rounding.
        is_clear = np.sort(found, axis=1)[:, -2:].min(axis=1) > 1e-300
        pairs = zip(rows, reasons_in_python(case, n_reasons), is_clear, strict=True)
        assert all(row[2 + J :] == wanted for row, wanted, clear in pairs if clear)


def reasons_in_python(case, n_reasons):
    model, codes = case.model, case.model.codes(case.batch)
    reasons, labels = Reasons(model, n_reasons), case.model.labels(case.batch)
    columns = reasons.of_rows(codes, labels, case.probabilities)
    texts = [[None if c < 0 else column.values[c] for c in column.codes] for column in columns]
    return list(zip(*texts, strict=True))


# A seed cannot be made simpler.
GENERATED = settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@GENERATED
@given(seed=st.integers(0, 2**32 - 1), n_reasons=st.sampled_from([0, 0, 2, 9]))
def test_a_database_predicts_what_python_predicts(database, seed, n_reasons):
    texts = [t for t in TEXTS if database.dialect != "postgres" or "\0" not in t]
    kinds = kinds_in(database.dialect)
    if database.dialect == "spark":
        n_reasons = min(n_reasons, 2)  # it takes seconds to compile more
    compared(
        random_case(seed, kinds=kinds, texts=texts, decides=seed % 3 == 0), database, n_reasons
    )


def model_of_groups(kind, groups):
    """Return a model of one column of categories, named x."""
    case = next(
        case
        for case in (random_case(seed, kinds=["texts"], texts=["a", "b"]) for seed in range(1000))
        if len(case.model.terms) == 1
        and case.model.terms[0].parts.n_parts == len(groups)
        and len(case.model.classes) == 2
    )
    (term,) = case.model.terms
    parts = replace(term.parts, name="x", groups=groups)
    schema = Schema((Column("x", kind, ordered=False),))
    return replace(case.model, schema=schema, terms=(replace(term, parts=parts),))


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("seed", range(4))
def test_every_dialect_is_read_by_its_reader(dialect, seed):
    kinds = [kind for kind in kinds_in(dialect) if kind != "numeric"]
    texts = [text for text in TEXTS if text]
    case = random_case(seed, kinds=["numeric", *kinds], texts=texts)
    sql = case.model.to_sql(dialect, "shop.rows", keep=["id"], reasons=1)
    (statement,) = sqlglot.parse(sql, read=dialect)
    assert statement.sql(dialect, pretty=True) == sql
    (table,) = [table for table in statement.find_all(sqlglot.exp.Table) if table.db]
    assert (table.db, table.name) == ("shop", "rows")
    read = {column.name for column in statement.find_all(sqlglot.exp.Column)}
    assert {str(name) for name in case.model.used_columns} <= read
    literals = {text.this for text in statement.find_all(sqlglot.exp.Literal) if text.is_string}
    literals |= {text.name for text in statement.find_all(sqlglot.exp.National)}
    values = {
        value
        for term in case.model.used_terms
        if isinstance(term.parts, Groups) and case.model.schema.by_name[term.name].view is None
        and case.model.schema.by_name[term.name].kind is Kind.TEXT
        for group in term.parts.groups
        for value in group
        if value is not None
    }  # fmt: skip
    assert values <= literals


def wine_result():
    """Return a small result of numbers, categories, a truth value and dates."""
    rng = np.random.default_rng(0)
    n = 400
    frame = pd.DataFrame(
        {
            "alcohol": np.round(rng.normal(13, 1, n), 1),
            "color": rng.choice(["red", "white", "it's"], n),
            "organic": rng.random(n) < 0.5,
            "sold": pd.Timestamp("2019-01-01") + pd.to_timedelta(rng.integers(0, 26280, n), "h"),
        }
    )
    score = (frame["alcohol"] > 13) * 2 + (frame["color"] == "red") + frame["organic"]
    score += frame["sold"].dt.hour > 11
    return modlearn.fit(frame.assign(good=score > 2), "good", pairs=1)


def wine_model():
    """Return its model with scores of few digits: the last ones depend on the processor."""
    model = wine_result().model
    terms = [
        replace(one, table=one.table.round(6), weight=round(one.weight, 6)) for one in model.terms
    ]
    return replace(model, base=model.base.round(6), terms=tuple(terms))


@pytest.mark.parametrize("dialect", DIALECTS)
def test_statements_are_as_they_were(dialect):
    path = Path(__file__).parent / "statements" / f"{dialect}.sql"
    found = wine_model().to_sql(dialect, "wines", keep=["id"], reasons=1) + "\n"
    assert found == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("text", CONTROL)
def test_control_characters_are_found(database, text):
    model = model_of_groups(Kind.TEXT, ((text,), ("c",)))
    if "\0" in text and database.dialect == "postgres":
        model.to_sql("postgres")  # no cell can hold it: nothing to compare with
        return
    compared(ScoringCase(model, pd.DataFrame({"x": [text, "c", None, "d"]})), database)


def test_integers_that_doubles_round_are_told_apart(database):
    model = model_of_groups(Kind.NUMERIC, ((2**60,), (2**60 + 1,)))
    compared(ScoringCase(model, pd.DataFrame({"x": [2**60, 2**60 + 1, 2**60 + 2]})), database)


def test_thousands_of_categories_are_found(database):
    texts = [f"v{i}" for i in range(1500)]
    model = model_of_groups(Kind.TEXT, (tuple(texts[:1100]), tuple(texts[1100:1400])))
    compared(ScoringCase(model, pd.DataFrame({"x": [*texts[::50], texts[-1], None]})), database)


def test_duckdb_keeps_the_order_of_rows():
    model = model_of_groups(Kind.TEXT, (tuple("abcdefghij"), tuple("klmnopqrst")))
    connection = duckdb.connect(config={"threads": 4})
    connection.execute(
        "CREATE TABLE rows AS SELECT range AS id, chr(97 + (range % 26)::INT) AS x "
        "FROM range(1_000_000)"
    )
    connection.execute(f"CREATE TABLE scored AS {model.to_sql('duckdb', 'rows', keep=['id'])}")
    ids = connection.execute("SELECT id FROM scored").fetchnumpy()["id"]
    assert (ids == np.arange(len(ids))).all()


def test_a_database_reads_dates_and_amounts_as_python_does():
    dates = pd.date_range("2019-01-01", periods=400).strftime("%d/%m/%Y")
    rng = np.random.default_rng(0)
    amounts = [f"${v:,.2f}" for v in rng.integers(0, 10_000, 400)]
    labels = (rng.permutation(400) < 40) ^ (pd.to_datetime(dates, dayfirst=True).month > 6)
    labels ^= np.array([len(text) > 7 for text in amounts])
    frame = pd.DataFrame({"when": dates, "paid": amounts})
    with tempfile.TemporaryDirectory() as folder:
        frame.assign(y=labels).to_csv(f"{folder}/t.csv", index=False)
        result = modlearn.fit(f"{folder}/t.csv", "y", trend=["when"], pairs="all")
        frame.to_csv(f"{folder}/new.csv", index=False)
        wanted = result.predict_proba(f"{folder}/new.csv")
    model = result.model
    assert {c.format for c in model.schema.sources.values()} == {"%d/%m/%Y", "1,234.5"}
    rows = sorted(DuckDB().run(frame, model.to_sql("duckdb", "rows", keep=["id"])))
    found = np.array([row[2:] for row in rows], dtype=float)
    np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12)
    with pytest.raises(ColumnError, match=r"in the format .*, which cannot be read in SQLite"):
        model.to_sql("sqlite")


@pytest.mark.parametrize("type_", ["timestamp", "timestamp_ntz", "date"])
def test_spark_reads_times_in_utc_in_every_time_zone(spark_session, type_):
    case = next(
        case
        for case in (random_case(seed, kinds=["calendar", "dates"]) for seed in range(99))
        if len(case.model.used_columns) > 2 and {c.view for c in case.model.schema.columns} > {None}
    )
    # In New York, the clocks go from 2:00 to 3:00 on this day.
    gap = pd.Timestamp("2020-03-08 02:30:00.25")
    frame = case.frame.assign(**dict.fromkeys(case.model.used_columns[:2], gap))
    if type_ == "date":
        frame = frame.apply(lambda column: column.dt.floor("D"))
    rows = Spark(spark_session).frame(frame)
    as_instant = "CAST(CONCAT(CAST(`{0}` AS STRING), 'Z') AS TIMESTAMP)"
    written = as_instant if type_ == "timestamp" else f"CAST(`{{0}}` AS {type_})"
    typed = rows.selectExpr("id", *(f"{written.format(name)} AS `{name}`" for name in frame))
    typed.createOrReplaceTempView("rows")
    assert spark_session.conf.get("spark.sql.session.timeZone") == "America/New_York"
    found = sorted(spark_session.sql(case.model.to_sql("spark", "rows", keep=["id"])).collect())
    wanted = ScoringCase(case.model, frame)
    assert [row[1] for row in found] == wanted.labels.tolist()
    values = np.array([row[2:] for row in found], dtype=float)
    np.testing.assert_allclose(values, wanted.probabilities, rtol=0, atol=1e-12)


def test_days_of_spreadsheets_are_dates(database):
    case = random_case(3, kinds=["calendar"])
    columns = tuple(replace(column, format="excel") for column in case.model.schema.columns)
    model = replace(case.model, schema=Schema(columns))
    days = [40939.0, 40939.75, 25569.0, 1.0, None, 0.5]
    dates = pd.to_datetime("1970-01-01") + pd.to_timedelta(np.array(days[:4]) - 25569, "D")
    frame = pd.DataFrame(dict.fromkeys(model.used_columns, days))
    as_dates = pd.DataFrame({n: [*dates, pd.NaT, pd.NaT] for n in model.used_columns})
    wanted = ScoringCase(case.model, as_dates).probabilities
    if database.dialect == "sqlite":
        frame = frame.astype(float)
    rows = sorted(database.run(frame, model.to_sql(database.dialect, "rows", keep=["id"])))
    np.testing.assert_allclose(np.array([r[2:] for r in rows], dtype=float), wanted, atol=1e-12)
    with pytest.raises(ColumnError, match="in the format 'excel', which cannot be read in MySQL"):
        model.to_sql("mysql")


def test_names_of_new_columns_differ_and_fit():
    model = wine_model()
    target = replace(model.target, name="x" * 100)
    sql = replace(model, target=target).to_sql("postgres", keep=["P(True)"])
    (statement,) = sqlglot.parse(sql, read="postgres")
    names = [column.alias for column in statement.selects]
    assert names == ["P(True)", f"predicted {'x' * 45}", "P(False)", "P(True)_1"]


def test_a_template_of_dbt_stays_a_template():
    model = model_of_groups(Kind.TEXT, (("{{ a }}",), ("b",)))
    sql = model.to_sql("postgres", "{{ ref('wines') }}")
    assert sql.startswith("{% raw %}WITH")
    assert "{% endraw %}" in sql.split("FROM {{ ref('wines') }}")[0] or "FROM {{ ref" in sql
    plain = wine_model().to_sql("postgres", "{{ ref('wines') }}")
    assert "FROM {{ ref('wines') }} AS input" in plain
    assert "raw" not in plain


def test_a_table_named_like_a_step_is_read():
    model = model_of_groups(Kind.TEXT, (("a",), ("b",)))
    connection = duckdb.connect()
    connection.execute("CREATE TABLE step_2 AS SELECT 'a' AS x")
    assert len(connection.execute(model.to_sql("duckdb", "step_2")).fetchall()) == 1


def test_what_cannot_be_written_is_refused():
    with pytest.raises(ValueError, match="There is no dialect 'cobol': pass one of duckdb, "):
        wine_model().to_sql("cobol")
    durations = next(
        case.model
        for case in (random_case(seed, kinds=["durations"]) for seed in range(9))
        if case.model.used_terms
    )
    with pytest.raises(ColumnError, match="holds durations, which SQLite has no type for"):
        durations.to_sql("sqlite")
    mixed = model_of_groups(Kind.TEXT, (("a", 1), ("b",)))
    with pytest.raises(ColumnError, match="holds both texts, such as 'a', and numbers, such as 1"):
        mixed.to_sql("duckdb")
    named = replace(wine_model().target, classes=np.array(["a\0", "b"], dtype=object))
    with pytest.raises(ModelError, match="character 0, which PostgreSQL cannot store"):
        replace(wine_model(), target=named).to_sql("postgres")


def test_a_missing_library_is_named_with_its_command(monkeypatch):
    monkeypatch.setitem(sys.modules, "sqlglot", None)
    with pytest.raises(ImportError, match=r"pip install 'modlearn\[sql\]'"):
        wine_model().to_sql("duckdb")


def test_duckdb_predicts_what_a_tree_predicts():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(rng.normal(size=(500, 3)).round(2), columns=["a", "b", "c"])
    odd = (table > 0).sum(axis=1) % 2 == 1
    table["c"] = np.where(table["c"] > 0, "high", "low")
    case = ScoringCase(modlearn.AdditiveClassifier(pairs=True).fit(table, odd).model_, table)
    assert list(case.model.trees) == [("a", "b", "c")]
    table.loc[:3, "c"] = "never seen"
    table.loc[4:8, "a"] = np.nan
    found = duckdb.sql(case.model.to_sql("duckdb", "table")).df().iloc[:, -2:].to_numpy(float)
    np.testing.assert_allclose(found, case.probabilities, rtol=0, atol=1e-12)

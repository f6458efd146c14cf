"""Lazy frames that get predictions and stay lazy, in the engines that really run."""

import re
import sys
from dataclasses import replace

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from tests._export.random_models import TEXTS, random_case
from tests._export.test_sql import DuckDB, Spark, filled, wine_model, wine_result

import modlearn
from modlearn._export.lazy import is_lazy
from modlearn._jobs.predict import predict_lazily
from modlearn.errors import ColumnError

pytest.importorskip("sqlglot", reason="SQLGlot is not installed: modlearn[sql]")


class InDuckDB:
    """A relation over a table; ``fetched`` runs it."""

    def __init__(self):
        self.connection = DuckDB().connection

    def lazy(self, frame):
        connection = self.connection
        filled(connection.execute, connection.executemany, frame, "duckdb")
        return connection.table("rows")

    def fetched(self, relation):
        return relation.columns, relation.fetchall()

    def failing(self, frame):
        return self.lazy(frame).filter("CASE WHEN id >= 0 THEN error('a row was read') END")

    def left_behind(self):
        views = "SELECT view_name FROM duckdb_views() WHERE NOT internal"
        return self.connection.execute(views).fetchall()


class InPolars:
    """A lazy frame over a frame in memory."""

    def lazy(self, frame):
        return pl.from_pandas(frame).with_row_index("id").lazy()

    def fetched(self, frame):
        found = frame.collect(engine="streaming")
        return found.columns, found.rows()

    def failing(self, frame):
        def fail(_):
            raise RuntimeError("a row was read")

        lazy = self.lazy(frame)
        return lazy.map_batches(fail, schema=lazy.collect_schema())

    def left_behind(self):
        return []


class InSpark:
    """A frame of Spark over rows that it was given."""

    def __init__(self, session):
        self.session = session

    def lazy(self, frame):
        return Spark(self.session).frame(frame)

    def fetched(self, frame):
        return frame.columns, [tuple(row) for row in frame.collect()]

    def failing(self, frame):
        return self.lazy(frame).where("id < 0 OR CAST(raise_error('a row was read') AS BOOLEAN)")

    def left_behind(self):
        return [table for table in self.session.catalog.listTables() if table.name != "rows"]


@pytest.fixture(scope="module", params=["duckdb", "polars", "spark", "connect"])
def engine(request):
    if request.param in ("spark", "connect"):
        return InSpark(request.getfixturevalue(f"{request.param}_session"))
    return InDuckDB() if request.param == "duckdb" else InPolars()


def predicted(model, frame, has_labels=True):
    return predict_lazily(model, frame, named=True, left_out=set(), has_labels=has_labels)


def compared(engine, case):
    """Compare what an engine fetches with what Python predicts."""
    lazy = engine.lazy(case.frame)
    found = predicted(case.model, lazy)
    assert type(found) is type(lazy)
    columns, rows = engine.fetched(found)
    J, names = len(case.model.classes), case.model.target.class_names
    before = len(case.frame.columns) + 1
    assert columns[:before] == ["id", *map(str, case.frame.columns)]
    assert len(columns) == before + 1 + J
    assert columns[before] == "predicted y"
    assert all(c.startswith(f"P({name})") for c, name in zip(columns[-J:], names, strict=True))
    rows = sorted(rows, key=lambda row: row[0])
    assert [row[0] for row in rows] == list(range(len(case.frame)))
    assert [row[before] for row in rows] == case.labels.tolist()
    shares = np.array([row[-J:] for row in rows], dtype=float)
    np.testing.assert_allclose(shares, case.probabilities, rtol=0, atol=1e-12)


@pytest.mark.parametrize("seed", range(12))
def test_a_lazy_frame_gets_what_python_predicts(engine, seed):
    compared(engine, random_case(seed, texts=TEXTS, decides=seed % 2 == 0))
    assert engine.left_behind() == []


def test_no_row_is_read_before_it_is_needed(engine):
    case = random_case(0, texts=TEXTS)
    found = predicted(case.model, engine.failing(case.frame))
    with pytest.raises(Exception, match="a row was read"):
        engine.fetched(found)


def test_probabilities_come_without_labels(engine):
    case = random_case(0, texts=TEXTS)
    lazy = engine.lazy(case.frame)
    all_columns, rows = engine.fetched(predicted(case.model, lazy))
    columns, without = engine.fetched(predicted(case.model, lazy, has_labels=False))
    assert columns == [name for name in all_columns if name != "predicted y"]
    position = all_columns.index("predicted y")
    assert repr(without) == repr([row[:position] + row[position + 1 :] for row in rows])


def test_a_second_prediction_has_other_names(engine):
    case = random_case(1, texts=TEXTS)
    once = predicted(case.model, engine.lazy(case.frame))
    columns, rows = engine.fetched(predicted(case.model, once))
    J = len(case.model.classes)
    assert columns[-J - 1] == "predicted y_1"
    assert [row[-J - 1 :] for row in rows] == [row[-2 * J - 2 : -J - 1] for row in rows]


def test_a_model_without_terms_predicts_every_row(engine):
    case = random_case(1, texts=TEXTS)
    terms = tuple(replace(term, weight=0.0) for term in case.model.terms)
    compared(engine, replace(case, model=replace(case.model, terms=terms)))


def test_a_column_that_is_missing_is_named(engine):
    model = wine_model()
    frame = pd.DataFrame({"alcohol": [13.0], "color": ["red"], "organic": [True]})
    with pytest.raises(ColumnError, match="has no column 'sold', which the model uses"):
        predicted(model, engine.lazy(frame))


def test_a_name_that_occurs_twice_is_refused(spark_session):
    relation = duckdb.sql("SELECT 1 AS a, 2 AS a")
    for frame in (relation, spark_session.sql("SELECT 1 AS a, 2 AS a")):
        with pytest.raises(ColumnError, match="Column 'a' occurs 2 times"):
            predicted(wine_model(), frame)


def test_a_column_of_another_type_is_refused_at_once(spark_session):
    sql = "SELECT '13' AS alcohol, 'red' AS color, TRUE AS organic, DATE '2020-01-01' AS sold"
    for frame in (duckdb.sql(sql), spark_session.sql(sql)):
        with pytest.raises(
            ColumnError, match=r"'alcohol' held numeric values .* holds text values"
        ):
            predicted(wine_model(), frame)
    nested = duckdb.sql(sql.replace("'13'", "[13]"))
    with pytest.raises(ColumnError, match=r"'alcohol' held numeric values .* holds nested values"):
        predicted(wine_model(), nested)


def test_polars_raises_what_python_raises():
    frame = pl.LazyFrame({"alcohol": ["much"], "color": "red", "organic": True, "sold": [None]})
    found = predicted(wine_model(), frame)
    with pytest.raises(ColumnError, match=r"Column 'alcohol' holds text \(row 0 is 'much'\)"):
        found.collect()


def test_columns_without_a_type_and_truth_values_are_numbers(spark_session):
    sql = "SELECT TRUE AS alcohol, 'red' AS color, NULL AS organic, DATE '2020-01-01' AS sold"
    frame = pd.DataFrame(
        {"alcohol": 1.0, "color": "red", "organic": [None], "sold": pd.Timestamp("2020-01-01")}
    )
    result = wine_result()
    wanted = result.predict_proba(frame)[0]
    relation = result.predict_proba(duckdb.sql(sql)).fetchall()
    np.testing.assert_allclose(relation[0][-2:], wanted, rtol=0, atol=1e-12)
    (row,) = result.predict_proba(spark_session.sql(sql)).collect()
    np.testing.assert_allclose(row[-2:], wanted, rtol=0, atol=1e-12)


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """Return a result of dates and amounts that are text, rows for it, and its probabilities."""
    rng = np.random.default_rng(0)
    dates = pd.date_range("2019-01-01", periods=400)
    amounts = rng.integers(0, 10_000, 400) + 0.5
    labels = (rng.permutation(400) < 40) ^ (dates.month > 6) ^ (amounts > 5_000)
    texts = [f"{v:,.2f}".replace(",", " ").replace(".", ",").replace(" ", ".") for v in amounts]
    frame = pd.DataFrame({"when": dates.strftime("%d/%m/%Y"), "paid": texts})
    path = tmp_path_factory.mktemp("written") / "t.csv"
    frame.assign(y=labels).to_csv(path, index=False, sep=";")
    result = modlearn.fit(path, "y", trend=["when"], pairs="all")
    assert result.model.used_columns == ("when", "paid")
    assert {c.format for c in result.model.schema.sources.values()} == {"%d/%m/%Y", "1.234,5"}
    typed = pd.DataFrame({"when": dates, "paid": amounts})
    return result, frame, typed, result.predict_proba(path)


def test_columns_in_a_format_may_be_text_or_have_a_type(engine, written):
    result, texts, typed, wanted = written
    for frame in (texts, typed):
        if frame is texts and isinstance(engine, InSpark):
            with pytest.raises(
                ColumnError, match=r"in the format .*, which cannot be read in Spark"
            ):
                result.predict(engine.lazy(frame))
            continue
        _, rows = engine.fetched(result.predict(engine.lazy(frame)))
        found = np.array([row[-2:] for row in sorted(rows)], dtype=float)
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12)


def test_costs_and_thresholds_decide(engine):
    result = wine_result()
    cells = {"alcohol": [12.0, 13.5, 14.0], "color": ["red", "white", "it's"], "organic": True}
    wine = pd.DataFrame({**cells, "sold": pd.Timestamp("2020-01-01 12:00")})
    for threshold in (0.001, 0.999):
        _, rows = engine.fetched(result.predict(engine.lazy(wine), threshold=threshold))
        wanted = result.predict(wine, threshold=threshold).tolist()
        assert [row[5] for row in sorted(rows)] == wanted


def test_polars_streams_and_reads_what_is_asked_for(tmp_path):
    result = wine_result()
    rng = np.random.default_rng(1)
    n = 300_000
    frame = pl.DataFrame(
        {
            "id": np.arange(n),
            "alcohol": rng.normal(13, 1, n),
            "color": rng.choice(["red", "white", "pink"], n),
            "organic": rng.random(n) < 0.5,
            "sold": pl.Series(rng.integers(0, 10**15, n)).cast(pl.Datetime("us")),
            "other": "x",
        }
    )
    frame.write_parquet(tmp_path / "wines.parquet")
    lazy = result.predict(pl.scan_parquet(tmp_path / "wines.parquet"))
    plan = lazy.filter(pl.col("id") < 9).select("P(True)").explain()
    assert re.search(r'SELECTION: \W*col\("id"\)+ < \(?9', plan)
    assert "PROJECT 5/6 COLUMNS" in plan
    lazy.sink_parquet(tmp_path / "scored.parquet")
    found = pl.read_parquet(tmp_path / "scored.parquet").sort("id")
    assert found["predicted good"].to_list() == result.predict(frame).tolist()
    assert (found.select("P(False)", "P(True)").to_numpy() == result.predict_proba(frame)).all()


def test_frames_in_memory_are_not_lazy(spark_session):
    frame = pd.DataFrame({"a": [1]})
    assert not any(map(is_lazy, [frame, pl.DataFrame(frame), frame.to_numpy(), "t.csv", [[1]]]))
    assert all(map(is_lazy, [pl.LazyFrame(), duckdb.sql("SELECT 1"), spark_session.range(1)]))


def test_a_missing_library_is_named_with_its_command(monkeypatch):
    monkeypatch.setitem(sys.modules, "sqlglot", None)
    relation = duckdb.sql("SELECT 1.0 AS alcohol, '' AS color, TRUE AS organic, NOW() AS sold")
    with pytest.raises(ImportError, match=r"pip install 'modlearn\[sql\]'"):
        predicted(wine_model(), relation)


SETTINGS = ["${spark.master}", "${env:HOME}", "${nothing}", "$ {", "plain"]


def test_settings_of_spark_do_not_replace_values_of_a_model(spark_session):
    random = np.random.default_rng(0)
    values = random.choice(SETTINGS, 400)
    noise = random.random(400) < 0.1
    labels = np.where(np.isin(values, SETTINGS[::2]) ^ noise, "yes", "no")
    frame = pd.DataFrame({"value": values})
    result = modlearn.fit(frame.assign(y=labels), "y", test=0.3)
    rows = spark_session.createDataFrame([(value,) for value in SETTINGS], ["value"])
    found = [row[-2:] for row in result.predict_proba(rows).collect()]
    np.testing.assert_allclose(
        found, result.predict_proba(pd.DataFrame({"value": SETTINGS})), rtol=0, atol=1e-12
    )


def test_names_that_spark_would_replace_are_refused():
    frame = pd.DataFrame({"${x}": np.arange(40.0), "y": [0, 1] * 20})
    result = modlearn.fit(frame, "y", test=0.3)
    with pytest.raises(
        ColumnError, match=r"'\$\{x\}' contains \$\{, which Spark replaces .*: rename it"
    ):
        result.model.to_sql("spark", "rows", keep=["${x}"])


def test_a_frame_that_is_cached_stays_cached(spark_session):
    frame = pd.DataFrame({"x": np.arange(40.0), "y": ["no"] * 20 + ["yes"] * 20})
    result = modlearn.fit(frame, "y", test=0.3)
    rows = spark_session.createDataFrame([(30.0,)], ["x"]).cache()
    assert result.predict(rows).collect()[0][1] == "yes"
    assert rows.storageLevel.useMemory
    rows.unpersist()

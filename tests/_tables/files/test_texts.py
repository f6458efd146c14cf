"""Texts as codes, numbered by DuckDB or in Python."""

import duckdb
import pytest

from modlearn._tables.files import texts
from modlearn._tables.files.formats import open_source


@pytest.fixture
def parquet(tmp_path):
    def write(sql):
        path = tmp_path / "x.parquet"
        duckdb.connect().execute(f"COPY ({sql}) TO '{path}' (FORMAT parquet)").fetchall()
        return open_source(path)

    return write


@pytest.mark.parametrize("most", [0, 5_000])
def test_texts_are_numbered_in_the_order_of_code_points_whatever_their_number(
    parquet, monkeypatch, most
):
    monkeypatch.setattr(texts, "MOST_ENUMERATED", most)
    monkeypatch.setattr(texts, "CHUNK", 3)
    words = ["é", "z", "Z", "😀", None, "it''s", "", "z", "\n"]
    rows = ", ".join("(NULL)" if t is None else f"('{t}')" for t in words)
    with parquet(f"SELECT v FROM (VALUES {rows}) AS t(v)") as source:
        column = source.read().categorical(0)
        batches = [b.categorical(0) for b in source.batches(n_rows=4)]
    expected = [t.replace("''", "'") if t else t for t in words]
    assert list(column.categories) == sorted({t for t in expected if t is not None})
    assert [None if c < 0 else column.categories[c] for c in column.codes] == expected
    parts = [None if c < 0 else b.categories[c] for b in batches for c in b.codes]
    assert parts == expected


def test_a_million_texts_are_no_million_python_strings(parquet, monkeypatch):
    monkeypatch.setattr(
        texts.TextEncoding, "_number_in_python", lambda *_: pytest.fail("in Python")
    )
    with parquet("SELECT 'category ' || range % 20 AS a FROM range(1000000)") as source:
        column = source.read().categorical(0)
    assert (len(column.categories), column.codes[21]) == (20, column.codes[1])

"""Keys of rows: the same numbers from SQL and from cells in memory."""

import duckdb
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modlearn._engines.engine import EngineColumn
from modlearn._engines.row_keys import DOUBLE, PRIME, TEXT, TEXT_KEYS, key_sql, keys_of
from modlearn.schema import Kind

CELLS = st.one_of(
    st.none(),
    st.floats(allow_nan=False, width=64),
    st.integers(-(2**53), 2**53).map(float),
)


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(CELLS, st.none() | st.text(max_size=5)), min_size=1, max_size=20))
def test_keys_are_those_of_python(rows):
    texts = [None if text is None else text.replace("\0", "") for _, text in rows]
    texts = [t if t is None else t.encode("utf-8", "replace").decode() for t in texts]
    numbers = [number for number, _ in rows]
    columns = [
        EngineColumn("x", Kind.NUMERIC, '"x"'),
        EngineColumn("t", Kind.TEXT, '"t"'),
        EngineColumn("d", Kind.DATETIME, '"x"'),
    ]
    with duckdb.connect() as connection:
        connection.execute("CREATE TABLE rows (i BIGINT, x DOUBLE, t VARCHAR)")
        filled = list(zip(range(len(rows)), numbers, texts, strict=True))
        connection.executemany("INSERT INTO rows VALUES (?, ?, ?)", filled)
        key = key_sql(columns, "duckdb", 7, "i")
        found = [k for (k,) in connection.execute(f"SELECT {key} FROM rows ORDER BY i").fetchall()]
    doubles = np.array([np.nan if x is None else x for x in numbers])
    cells = [doubles, np.array(texts, dtype=object), doubles]
    assert found == keys_of(columns, cells, 7, np.arange(len(rows))).tolist()


def test_every_dialect_has_its_types_and_its_key_of_texts():
    assert set(DOUBLE) == set(TEXT) == set(TEXT_KEYS) == {"duckdb", "postgres", "spark"}


NUMBERS = EngineColumn("x", Kind.NUMERIC, "x")


def test_keys_are_spread_evenly():
    keys = keys_of([NUMBERS], [np.arange(10_000.0)], 0)
    assert keys.min() >= 0
    assert keys.max() < PRIME
    assert np.bincount(keys % 10, minlength=10) == pytest.approx(np.full(10, 1000), rel=0.15)


def test_other_seeds_give_other_folds():
    cells = [np.arange(1_000.0)]
    same = keys_of([NUMBERS], cells, 0) % 10 == keys_of([NUMBERS], cells, 1) % 10
    assert np.count_nonzero(same) == pytest.approx(100, abs=50)


def test_a_number_distinguishes_equal_rows():
    cells = [np.zeros(1_000)]
    assert len(set(keys_of([NUMBERS], cells, 0).tolist())) == 1
    assert len(set(keys_of([NUMBERS], cells, 0, np.arange(1_000)).tolist())) == 1_000

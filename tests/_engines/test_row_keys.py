"""Keys of rows: the same numbers from SQL and from cells in memory."""

import duckdb
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from modlearn._addresses import DATABASES
from modlearn._engines.duckdb import DIALECT
from modlearn._engines.engine import EngineColumn
from modlearn._engines.row_keys import DIGITS, PRIME, key_sql, keys_of
from modlearn._export.dialects import DIALECTS
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
        key = key_sql(columns, DIALECT, 7, "i")
        found = [k for (k,) in connection.execute(f"SELECT {key} FROM rows ORDER BY i").fetchall()]
    doubles = np.array([np.nan if x is None else x for x in numbers])
    cells = [doubles, np.array(texts, dtype=object), doubles]
    assert found == keys_of(columns, cells, 7, np.arange(len(rows))).tolist()


def test_dialects_take_as_many_digits_of_texts_as_rows_in_memory():
    of_engines = {key: one.text_key for key, one in DIALECTS.items() if one.text_key}
    assert set(of_engines) == {DIALECT, *(one.dialect for one in DATABASES)}
    assert all(f", 1, {DIGITS})" in sql for sql in of_engines.values())


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


@pytest.mark.parametrize("distance", [1, 2, 7, 5_000])
def test_equal_rows_at_any_distance_are_sampled_independently(distance):
    numbers = np.arange(100_000)
    keys = keys_of([NUMBERS], [np.zeros(len(numbers))], 0, numbers)
    sampled = keys < 0.1 * PRIME
    both = np.count_nonzero(sampled[distance:] & sampled[:-distance])
    assert both == pytest.approx(0.01 * len(numbers), rel=0.15)


REPEATED = {
    "fractions": np.random.default_rng(0).random(200_000),
    "integers": np.arange(200_000.0),
    "amounts": np.random.default_rng(1).lognormal(6, 2, 200_000).round(2),
}
"""Numbers of rows that occur a second time."""


@pytest.mark.parametrize("numbers", REPEATED)
@pytest.mark.parametrize("others", [(0.0, 1.0), (0.0, np.nan), (2.0, 5.0), (0.5, -0.5)])
@pytest.mark.parametrize("is_first", [True, False])
def test_rows_that_differ_in_a_flag_are_sampled_and_divided_independently(
    numbers, others, is_first
):
    x, columns = REPEATED[numbers], [NUMBERS, NUMBERS]
    keys = []
    for other in others:
        cells = [x, np.full(len(x), other)]
        keys.append(keys_of(columns, cells if is_first else cells[::-1], 0))
    sampled = (keys[0] < 0.05 * PRIME) & (keys[1] < 0.05 * PRIME)
    assert np.count_nonzero(sampled) == pytest.approx(0.05**2 * len(x), rel=0.25)
    assert np.mean(keys[0] % 10 == keys[1] % 10) == pytest.approx(0.1, rel=0.1)


def test_missing_is_not_zero():
    keys = keys_of([NUMBERS], [np.array([0.0, np.nan])], 0)
    assert keys[0] != keys[1]

"""How many categories of each column fit in memory."""

import numpy as np
import pytest

from modlearn._engines.engine import EngineColumn
from modlearn._engines.shares import CategoryShares
from modlearn._engines.table import EngineTable, Extremes, Folds
from modlearn.schema import Column, Kind

FOLDS = Folds("0", 2)


def shares_of(n_values, memory, n_numbers=0, texts=("short",), n_rows=10**7):
    """Return the shares of columns with these numbers of values; no engine is asked."""
    names = [f"t{k}" for k in range(len(n_values))]
    columns = {name: EngineColumn(name, Kind.TEXT, name) for name in names}
    columns |= {f"x{k}": EngineColumn(f"x{k}", Kind.NUMERIC, "x") for k in range(n_numbers)}
    cells = {name: np.array(texts, dtype=object) for name in names}
    table = EngineTable.__new__(EngineTable)
    known = {name: Extremes(n_rows, 0, n) for name, n in zip(names, n_values, strict=True)}
    table.__dict__ |= {
        "columns": columns,
        "n_classes": 2,
        "n_rows": n_rows,
        "memory": memory,
        "sample_cells": cells,
        "n_distinct": lambda column: int(known[column.name].most),
    }
    of_categories = tuple(Column(name, Kind.TEXT, ordered=False) for name in names)
    return CategoryShares(table, of_categories, 1_000_000)


@pytest.mark.parametrize("n_columns", [1, 4, 12])
def test_columns_share_one_budget(n_columns):
    shares = shares_of([95_000] * n_columns, memory=100_000_000)
    assert 0.99 * 95_000_000 < shares.reserved(FOLDS) <= 100_000_000


def test_columns_with_few_values_leave_their_share():
    shares = shares_of([10, 20, 500_000, 900_000], memory=100_000_000)
    assert not shares.are_many("t0", FOLDS)
    assert shares.are_many("t2", FOLDS)
    assert shares.most(FOLDS) > 49_000


def test_numbers_keep_half_of_the_memory():
    assert shares_of([900_000], 100_000_000, n_numbers=1).reserved(FOLDS) <= 50_000_000


def test_long_texts_are_fewer():
    long = shares_of([900_000], 100_000_000, texts=("x" * 3_000,))
    assert long.most(FOLDS) < shares_of([900_000], 100_000_000).most(FOLDS) / 10


def test_more_folds_leave_fewer_values():
    shares = shares_of([900_000], 100_000_000)
    assert shares.most(Folds("0", 11)) < shares.most(FOLDS) / 3


def test_the_engine_is_not_asked_if_every_row_could_have_its_own_value():
    shares = shares_of([5], 100_000_000, n_rows=1_000)
    assert shares.n_values == [1_000]
    assert not shares.are_many("t0", FOLDS)

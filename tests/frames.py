"""A table of mixed types, in every kind of frame."""

import datetime as dt
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

Data = dict[str, list[Any]]


def rows_of(data: Data) -> list[list[Any]]:
    return [list(row) for row in zip(*data.values(), strict=True)]


FRAMES: dict[str, Callable[[Data], Any]] = {
    "pandas": pd.DataFrame,
    "pandas-nullable": lambda data: pd.DataFrame(data).convert_dtypes(),
    "pandas-arrow": lambda data: pa.table(data).to_pandas(types_mapper=pd.ArrowDtype),
    "polars": pl.DataFrame,
    "arrow": pa.table,
}
TABLES: dict[str, Callable[[Data], Any]] = {
    **FRAMES,
    "numpy": lambda data: np.array(rows_of(data), dtype=object),
    "rows": rows_of,
}


def make_people(n_rows: int = 120) -> tuple[Data, list[str]]:
    """Four columns of four types, two with missing values; three are informative about a target."""
    rng = np.random.default_rng(0)
    age = rng.integers(18, 80, n_rows)
    city = rng.choice(["Oslo", "Rome", "Bonn", "Lima", "Nice"], n_rows)
    member = rng.random(n_rows) < 0.5
    day = rng.integers(0, 700, n_rows)
    chance = np.where(age < 45, 0.1, 0.9) - np.where(np.isin(city, ["Oslo", "Nice"]), 0.3, 0)
    bought = rng.random(n_rows) < np.clip(chance + 0.2 * (day > 400), 0, 1)
    data = {
        "age": [None if i % 15 == 0 else float(a) for i, a in enumerate(age)],
        "city": [None if i % 20 == 0 else str(c) for i, c in enumerate(city)],
        "member": member.tolist(),
        "joined": [dt.datetime(2020, 1, 1) + dt.timedelta(days=int(d)) for d in day],
    }
    return data, np.where(bought, "yes", "no").tolist()

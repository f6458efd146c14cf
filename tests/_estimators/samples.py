"""A table of mixed types in every kind of frame, and what makes two partitions equal."""

import datetime as dt
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from sklearn.base import BaseEstimator, TransformerMixin

import modlearn
from modlearn._estimators.classifier import PartitionClassifier

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

PARTITIONERS: list[type[BaseEstimator]] = [
    public
    for public in (getattr(modlearn, name) for name in modlearn.__all__)
    if inspect.isclass(public)
    and issubclass(public, TransformerMixin)
    and public is not modlearn.PairEncoder
]

CLASSIFIERS: list[type[BaseEstimator]] = [
    public
    for public in (getattr(modlearn, name) for name in modlearn.__all__)
    if inspect.isclass(public) and issubclass(public, PartitionClassifier)
]


def make_people(n_rows: int = 120) -> tuple[Data, list[str]]:
    """Four columns of four types, two with missing values, and a target that three tell about."""
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


def facts_of(partition: Any) -> dict[str, Any]:
    """All that two equal partitions agree in, whatever the table was; costs exactly."""
    facts = {
        name: getattr(partition, name)
        for name in ("cost", "null_cost", "level", "proven_optimal", "labels")
    }
    where = partition.cuts.tolist() if hasattr(partition, "cuts") else partition.groups
    unlabeled = partition.unlabeled_counts.tolist()
    return facts | {"where": where, "counts": partition.counts.tolist(), "unlabeled": unlabeled}


def all_facts(fitted: Any) -> list[dict[str, Any]]:
    """Facts of every column, in the order of the table."""
    return [facts_of(partition) for partition in fitted.partitions_.values()]


def values_of(transformed: Any) -> list[list[Any]]:
    """Rows of a transformed table of any kind."""
    if isinstance(transformed, np.ndarray):
        return transformed.tolist()
    if isinstance(transformed, pd.DataFrame):
        return transformed.to_numpy().tolist()
    if isinstance(transformed, pa.Table):
        return rows_of(transformed.to_pydict())
    return rows_of(transformed.to_dict(as_series=False))


def numbers_of(people: tuple[Data, list[Any]]) -> tuple[pd.DataFrame, list[Any]]:
    """The numeric columns of a table, which all three estimators take, and the target."""
    data, y = people
    return pd.DataFrame({name: data[name] for name in ("age", "joined")}), y

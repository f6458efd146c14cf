"""The public estimators, and what makes two partitions equal."""

import inspect
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from sklearn.base import BaseEstimator, TransformerMixin
from tests.frames import Data, rows_of

import modlearn
from modlearn._estimators.classifier import PartitionClassifier

ESTIMATORS: list[type[BaseEstimator]] = [
    public
    for public in (getattr(modlearn, name) for name in modlearn.__all__)
    if inspect.isclass(public) and issubclass(public, BaseEstimator)
]
PARTITIONERS = [
    public
    for public in ESTIMATORS
    if issubclass(public, TransformerMixin) and public is not modlearn.PairEncoder
]
CLASSIFIERS = [public for public in ESTIMATORS if issubclass(public, PartitionClassifier)]


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

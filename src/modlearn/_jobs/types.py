"""What the columns of a table were when a model was fitted."""

from __future__ import annotations

from modlearn._estimators.classifier import PartitionClassifier
from modlearn._model.intervals import Intervals
from modlearn._model.partition import Partition

__all__ = ["types_of_fit"]


def types_of_fit(model: PartitionClassifier) -> dict[str, str]:
    """How each column is to be read, so that it is what it was in fit."""
    return {str(p.name): _type_of(p) for p in model.partitions_.values()}


def _type_of(partition: Partition) -> str:
    if isinstance(partition, Intervals):
        return partition.kind
    values = [value for group in partition.groups for value in group if value is not None]  # type: ignore[attr-defined]
    if values and all(isinstance(value, bool) for value in values):
        return "boolean"
    return "text" if any(isinstance(value, str) for value in values) else "numeric"

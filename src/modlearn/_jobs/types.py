"""What the columns of a table were when a model was fitted."""

from __future__ import annotations

from modlearn._estimators.classifier import PartitionClassifier

__all__ = ["types_of_fit"]


def types_of_fit(model: PartitionClassifier) -> dict[str, str]:
    """How each column is to be read, so that it is what it was in the training data."""
    return {str(column.name): column.kind.value for column in model.model_.schema.columns}

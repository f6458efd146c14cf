"""Codes of a column as one of four outputs, and columns as the kind of data frame passed in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from modlearn._model.grid import Grid
from modlearn._model.partitions import Partition
from modlearn._tables.memory.table import is_array_like
from modlearn.errors import ColumnError

__all__ = ["OUTPUTS", "PartitionLike", "as_frame_like", "output_names"]

Codes = NDArray[np.int32]
Columns = list[NDArray[Any]]

PartitionLike = Partition | Grid
"""What `transform` can return: objects with parts that have labels, counts and log odds."""

UNSEEN = "unseen"
"""Label of a value that was never seen in the training data; its code is -1."""


def _codes(partition: PartitionLike, codes: Codes) -> Columns:
    """The code of the part, -1 = unseen."""
    return [codes.astype(np.int64)]


def _labels(partition: PartitionLike, codes: Codes) -> Columns:
    """The readable label of the part."""
    # Code -1 indexes the last label.
    return [np.array([*partition.labels, UNSEEN], dtype=object)[codes]]


def _indicators(partition: PartitionLike, codes: Codes) -> Columns:
    """One column of 0 and 1 per part; an unseen value is 0 in all of them."""
    return [(codes == i).astype(np.float64) for i in range(partition.n_parts)]


def _log_odds(partition: PartitionLike, codes: Codes) -> Columns:
    """Log-likelihood ratios, one column per class; with two classes the second is enough.

    An unseen value has log odds 0: it is not evidence for any class.
    """
    odds = np.vstack((partition.log_odds, np.zeros(len(partition.classes))))
    return [odds[codes, j] for j in _output_classes(partition)]


def _output_classes(partition: PartitionLike) -> range:
    """Classes that get a column of log odds."""
    n_classes = len(partition.classes)
    return range(1, 2) if n_classes == 2 else range(n_classes)


OUTPUTS: dict[str, Callable[[PartitionLike, Codes], Columns]] = {
    "code": _codes,
    "label": _labels,
    "onehot": _indicators,
    "log_odds": _log_odds,
}


def output_names(partition: PartitionLike, name: Hashable, output: str) -> Sequence[Hashable]:
    """Return the names of the columns that a column becomes."""
    if output == "onehot":
        return [f"{name}={label}" for label in partition.labels]
    if output == "log_odds":
        return [f"{name}[{partition.class_names[j]}]" for j in _output_classes(partition)]
    return [name]


def as_frame_like(X: Any, columns: Columns, names: Sequence[Any]) -> Any:
    """Return columns as the kind of data frame X is, with its index; otherwise as an array."""
    _refuse_equal_names(names)
    if is_array_like(X):
        return np.column_stack(columns)
    import narwhals.stable.v2 as nw

    from modlearn._tables.memory.series import is_frame, wrap

    frame = wrap(X, "X")
    if not is_frame(frame):
        return np.column_stack(columns)
    table = nw.from_dict(dict(zip(names, columns, strict=True)), backend=frame.implementation)
    native = nw.to_native(table)
    index = nw.maybe_get_index(frame)
    if index is not None:
        native.index = index
    return native


def _refuse_equal_names(names: Sequence[Any]) -> None:
    """Raise if two columns of the output would have the same name."""
    twice = next((name for name, count in Counter(names).items() if count > 1), None)
    if twice is not None:
        raise ColumnError(
            f"Two columns of the output would be named {twice!r}: rename one of the columns they "
            "come from."
        )

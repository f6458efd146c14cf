"""The columns of a table against those of fit, in the manner of scikit-learn."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import _check_n_features, validate_data

from modlearn._tables.memory.table import Table, read_table

__all__ = ["check_columns", "name_columns", "read_columns"]


def read_columns(estimator: BaseEstimator, X: Any, reset: bool) -> Table:
    """Read a table; its columns are remembered, or brought into the order they had in fit.

    A data frame is read by name: other columns and another order are fine. An array has no names,
    and must have as many columns as in fit.
    """
    table = read_table(X)
    if reset:
        check_columns(estimator, X, reset=True)
        return table
    names = getattr(estimator, "feature_names_in_", None)
    if names is None or isinstance(X, Table) or not _is_frame_with(table, names):
        # scikit-learn says what is missing
        check_columns(estimator, X, reset=False)
        return table
    return _in_order_of_fit(table, names.tolist())


def _is_frame_with(table: Table, names: NDArray[np.object_]) -> bool:
    """Whether a table is a data frame that has columns of these names, in whatever order."""
    is_array = isinstance(table.sources[0], np.ndarray)
    return not is_array and set(names) <= set(table.names)


def _in_order_of_fit(table: Table, names: list[str]) -> Table:
    """Return the columns seen during fit, in their order."""
    if names == table.names:
        return table
    index = {name: i for i, name in enumerate(table.names)}
    return Table(list(names), table.n_rows, [table.sources[index[name]] for name in names])


def check_columns(estimator: BaseEstimator, X: Any, reset: bool) -> None:
    """Check the columns of a table against those of fit, or remember them."""
    if not isinstance(X, Table):
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        return
    # scikit-learn knows the names of data frames only
    if reset:
        estimator.n_features_in_ = len(X.names)
        estimator.feature_names_in_ = np.array(X.names, dtype=object)
        return
    names = getattr(estimator, "feature_names_in_", None)
    if names is None:
        _check_n_features(estimator, X, reset=False)
    elif list(names) != X.names:
        raise ValueError(_other_columns(list(names), X.names))


def _other_columns(then: list[Hashable], now: list[Hashable]) -> str:
    """Say how the columns differ from those of fit, in the first words of scikit-learn."""
    start = "The feature names should match those that were passed during fit: "
    for name in then:
        if name not in now:
            return f"{start}column {name!r} is missing."
    for name in now:
        if name not in then:
            return f"{start}column {name!r} was not in the training data, leave it out."
    return f"{start}the order differs, give {then[0]!r} first."


def name_columns(estimator: BaseEstimator, names: Sequence[Hashable], named: bool) -> None:
    """Set what scikit-learn knows about the columns of an estimator that was fitted elsewhere."""
    estimator.n_features_in_ = len(names)
    if named and all(isinstance(name, str) for name in names):
        estimator.feature_names_in_ = np.array(names, dtype=object)

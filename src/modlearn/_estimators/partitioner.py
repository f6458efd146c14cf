"""What the estimators share, fitting a table, and the transformers, applying partitions to it."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from numbers import Integral, Real
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin, _fit_context
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils._set_output import _get_output_config
from sklearn.utils.validation import _check_feature_names_in, check_is_fitted, validate_data

from modlearn._estimators.output import OUTPUTS, PartitionLike, as_frame_like, output_names
from modlearn._estimators.saving import SavedEstimator
from modlearn._estimators.transformer_parts import TransformerParts
from modlearn._fit.columns import fit_partitions
from modlearn._parallel import map_in_threads
from modlearn._search.intervals import Limits
from modlearn._statistics.batches import keep_shared
from modlearn._tables.memory.rows import MemoryRows, TableBatch
from modlearn._tables.memory.table import Table, read_table
from modlearn._tables.memory.target import TargetOptions, read_target
from modlearn.criteria import CRITERIA
from modlearn.schema import Column, Labels, Schema

__all__ = [
    "N_JOBS",
    "PAIRS",
    "Partitioner",
    "TableEstimator",
    "read_columns",
    "refuse_one_column",
]

N_JOBS: list[Any] = [
    Interval(Integral, 1, None, closed="left"),
    Interval(Integral, None, -1, closed="right"),
    None,
]
"""What the parameter `n_jobs` may be."""

PAIRS: list[Any] = [
    "boolean",
    StrOptions({"all"}),
    "array-like",
    Interval(Integral, 1, None, closed="left"),
    Interval(Real, 0, None, closed="neither"),
]
"""What the parameter `pairs` may be."""


def read_columns(estimator: BaseEstimator, X: Any, reset: bool) -> Table:
    """Read a table; its columns are remembered, or put in the order of the training data.

    A data frame is read by name: other columns and another order are fine. An array has no names,
    so it must have as many columns as the training data.
    """
    table = read_table(X)
    names = None if reset else getattr(estimator, "feature_names_in_", None)
    if names is None or not _is_frame_with(table, names):
        # scikit-learn raises an error that names the missing columns.
        validate_data(estimator, X, reset=reset, skip_check_array=True)
        return table
    return _in_order_of_fit(table, names.tolist())


def _is_frame_with(table: Table, names: NDArray[np.object_]) -> bool:
    """Whether a table is a data frame that has columns with these names, in any order."""
    is_array = isinstance(table.sources[0], np.ndarray)
    return not is_array and set(names) <= set(table.names)


def _in_order_of_fit(table: Table, names: list[str]) -> Table:
    """Return the columns of the training data, in their order."""
    if names == table.names:
        return table
    index = {name: i for i, name in enumerate(table.names)}
    return Table(list(names), table.n_rows, [table.sources[index[name]] for name in names])


class TableEstimator(SavedEstimator):
    """Base of the estimators that learn from a table; a subclass defines what is learned."""

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_jobs": N_JOBS,
        "unlabeled": [Hashable],
    }

    n_jobs: int | None
    unlabeled: Any

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Learn from a table which parts of its columns are most informative about a target.

        Parameters
        ----------
        X : frame or array-like of shape (n_rows, n_columns)
            Table of any kind: pandas, Polars, Arrow, NumPy.
        y : array-like of shape (n_rows,)
            The classes. Rows with a missing label are unlabeled; they help to position the cuts.
        sample_weight : array-like of shape (n_rows,), default=None
            How often each row counts, as non-negative integers.

        Returns
        -------
        self
        """
        self._forget()
        table = read_columns(self, X, reset=True)
        options = TargetOptions(self.unlabeled, sample_weight, labels=self._labels)
        target = read_target(y, table.n_rows, options)
        schema = Schema(tuple(map(self._treated, table.columns())))
        # Pairs use a column many times: read it once.
        rows = MemoryRows.of(
            table, schema, target, keeps=getattr(self, "pairs", False) is not False
        )
        self._show(*self._learn(rows))
        return self

    @property
    def _labels(self) -> Labels:
        """What the labels of the target are."""
        return Labels.CLASSES

    def _treated(self, column: Column) -> Column:
        """How a column is treated: cut into intervals, or its values grouped."""
        return column

    def _learn(self, rows: MemoryRows) -> tuple[Any, bool]:
        """Return what is learned from rows, and whether all requested pairs were searched."""
        raise NotImplementedError


class Partitioner(TransformerMixin, TableEstimator):
    """Base of the transformers; a subclass defines which columns are cut and which are grouped."""

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **TableEstimator._parameter_constraints,
        "max_parts": [Interval(Integral, 1, None, closed="left"), None],
        "min_part_size": [Interval(Integral, 1, None, closed="left")],
    }

    max_parts: int | None
    min_part_size: int

    @property
    def _method(self) -> str:
        return getattr(self, "method", "auto")

    @property
    def _labels(self) -> Labels:
        """What the criterion takes."""
        known = CRITERIA.get(self._method)
        return Labels.CLASSES if known is None else known.labels

    def _learn(self, rows: MemoryRows) -> tuple[TransformerParts, bool]:
        limits = Limits.within(self.max_parts, self.min_part_size)
        partitions = fit_partitions(rows, self.n_jobs, criterion=self._method, limits=limits)
        return TransformerParts(rows.target.classes, tuple(partitions)), True

    def _learned(self) -> TransformerParts:
        return TransformerParts(self.classes_, tuple(self.partitions_.values()))

    def _show(self, learned: TransformerParts, complete: bool) -> None:
        self.classes_ = learned.classes
        self.partitions_ = {p.name: p for p in learned.partitions}
        ranked = sorted(learned.partitions, key=lambda p: -p.level)
        self.levels_ = {p.name: p.level for p in ranked}

    def transform(self, X: Any) -> Any:
        """Replace every value by its part.

        Parameters
        ----------
        X : frame or array-like of shape (n_rows, n_columns)
            Table with the columns of the training data. A data frame may have them in any order,
            with other columns among them.

        Returns
        -------
        frame or ndarray
            A table of the same kind as X.
        """
        check_is_fitted(self)
        self._validate_params()
        table = read_columns(self, X, reset=False)
        write = OUTPUTS[self._output]
        parts = [shown for _, shown in self._shown()]
        batch = keep_shared(TableBatch(table, tuple(self.partitions_)), parts)
        pieces = map_in_threads(lambda one: write(one, one.codes_in(batch)), parts, self.n_jobs)
        columns = [column for piece in pieces for column in piece]
        if _get_output_config("transform", self)["dense"] != "default":
            return np.column_stack(columns)
        return as_frame_like(X, columns, self._names_out(table.names))

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[np.object_]:
        """Return the names of the columns that ``transform`` returns.

        Parameters
        ----------
        input_features : array-like of str, default=None
            The column names of the training data, or names for training data that had none.

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self)
        names = _check_feature_names_in(self, input_features)
        return np.array(self._names_out(names), dtype=object)

    def _names_out(self, names: Iterable[Hashable]) -> list[Hashable]:
        """Names of the columns that `transform` returns, from the names of the table."""
        named = list(names)
        return [
            out
            for columns, shown in self._shown()
            for out in output_names(shown, _joined([named[i] for i in columns]), self._output)
        ]

    def _shown(self) -> list[tuple[tuple[int, ...], PartitionLike]]:
        """What `transform` returns columns for, each with the indices of the columns it reads."""
        return [((i,), partition) for i, partition in enumerate(self.partitions_.values())]

    @property
    def _output(self) -> str:
        return getattr(self, "output", "code")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        tags.transformer_tags.preserves_dtype = []
        return tags


def _joined(names: list[Hashable]) -> Hashable:
    """The name of a column, or the joined names of a pair."""
    return names[0] if len(names) == 1 else " × ".join(map(str, names))


def refuse_one_column(schema: Schema) -> None:
    """Raise if the table has too few columns for a pair."""
    if len(schema.columns) < 2:
        raise ValueError(
            "Found array with 1 feature(s) while a minimum of 2 is required: a pair needs two "
            "columns, so pass a table with at least two."
        )

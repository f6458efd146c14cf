"""Predictions for rows that are not computed yet: the frame stays lazy, and nothing is read.

A relation of DuckDB and a data frame of Spark are scored by the exported SQL. A lazy frame of
Polars is scored in memory, batch by batch, when Polars asks for a batch.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any
from uuid import uuid4

import numpy as np
from numpy.typing import NDArray

from modlearn._export.sql import scoring_sql
from modlearn._model.additive import AdditiveModel
from modlearn.errors import ColumnError
from modlearn.schema import EXCEL, Column, Kind, Schema, free_names, prediction_names

__all__ = ["Score", "add_predictions", "columns_of", "is_lazy"]

Score = Callable[[Any], tuple[NDArray[np.intp], NDArray[np.float64]]]
"""Returns the predicted class, by index, and the probabilities of the rows of a data frame."""


def is_lazy(data: Any) -> bool:
    """Whether data is a DuckDB relation, a Polars LazyFrame or a Spark DataFrame."""
    # Imported late: users of arrays do not need narwhals.
    from narwhals import dependencies as find

    return (
        find.is_duckdb_relation(data)
        or find.is_polars_lazyframe(data)
        or find.is_pyspark_dataframe(data)
        or find.is_pyspark_connect_dataframe(data)
    )


def columns_of(frame: Any) -> list[str]:
    """Return the names of the columns of a lazy frame; ``ColumnError`` if one occurs twice."""
    from narwhals import dependencies as find

    # By its type: a frame of Spark Connect has every attribute.
    is_polars = find.is_polars_lazyframe(frame)
    names = list(frame.collect_schema().names() if is_polars else frame.columns)
    name, count = Counter(names).most_common(1)[0] if names else ("", 0)
    if count > 1:
        raise ColumnError(
            f"Column {name!r} occurs {count} times, but names of columns must differ. "
            "Rename or drop the duplicates."
        )
    return names


def add_predictions(model: AdditiveModel, frame: Any, score: Score, has_labels: bool) -> Any:
    """Return a lazy frame with a probability per class, and before them the label if asked for.

    The frame has the columns that the model uses. `score` predicts rows in memory.
    """
    from narwhals import dependencies as find

    if find.is_polars_lazyframe(frame):
        return _in_polars(model, frame, score, has_labels)
    add = _in_duckdb if find.is_duckdb_relation(frame) else _in_spark
    return add(_as_typed(model, _kinds_of(frame)), frame, has_labels)


def _in_duckdb(model: AdditiveModel, relation: Any, has_labels: bool) -> Any:
    """Query a relation; the name that the statement gives it is known nowhere else."""
    import duckdb

    columns, table = columns_of(relation), f"relation_{uuid4().hex}"
    found = relation.query(table, scoring_sql(model, "duckdb", table, columns, (), 0))
    label = found.columns[len(columns)]
    return found if has_labels else found.select(duckdb.StarExpression(exclude=[label]))


def _in_spark(model: AdditiveModel, frame: Any, has_labels: bool) -> Any:
    """Query a frame; a session, classic or Connect, replaces a name in braces by the frame."""
    columns, table = columns_of(frame), f"frame_{uuid4().hex}"
    sql = scoring_sql(model, "spark", table, columns, (), 0)
    sql = sql.replace("{", "{{").replace("}", "}}")
    # SQL reads the frame through a view; when PySpark drops the view, Spark forgets what is cached
    # for an equal plan. A condition makes another plan.
    rows = frame.where("true")
    found = frame.sparkSession.sql(sql.replace(f"`{table}`", "{frame}"), frame=rows)
    return found if has_labels else found.drop(found.columns[len(columns)])


def _in_polars(model: AdditiveModel, frame: Any, score: Score, has_labels: bool) -> Any:
    """Add an expression that scores batches; it is elementwise, so that Polars may stream."""
    import polars as pl

    columns, classes = columns_of(frame), pl.Series(model.classes.tolist())
    struct, *names = free_names(["prediction", *prediction_names(model.target)], columns)
    types: dict[str, Any] = dict.fromkeys(names, pl.Float64) | {names[0]: classes.dtype}
    if not has_labels:
        del types[names[0]]

    def predict(rows: pl.Series) -> pl.Series:
        if not len(rows):
            return pl.Series(dtype=pl.Struct(types))
        labels, probabilities = score(rows.struct.unnest())
        new = dict(zip(names, [classes.gather(labels), *probabilities.T], strict=True))
        return pl.DataFrame({name: new[name] for name in types}, schema=types).to_struct()

    # A model that uses no column still needs the number of rows.
    read = [str(name) for name in model.used_columns] or columns[:1]
    new = pl.struct(read).map_batches(predict, pl.Struct(types), is_elementwise=True)
    return frame.with_columns(new.alias(struct)).unnest(struct)


def _kinds_of(frame: Any) -> dict[str, Kind | None]:
    """Return what the columns of a lazy frame hold; None = their type is not known."""
    import narwhals.stable.v2 as nw

    from modlearn._tables.memory.series import kind_of_dtype

    types = nw.from_native(frame).collect_schema()
    return {
        name: None if isinstance(dtype, nw.Unknown) else kind_of_dtype(dtype)
        for name, dtype in types.items()
    }


def _as_typed(model: AdditiveModel, kinds: Mapping[str, Kind | None]) -> AdditiveModel:
    """Return a model that reads the columns of a table as their types say.

    A column that was text in a format in the training data may have a type of its own now; other
    changes of its type are refused.
    """
    formats = {}
    for name in model.used_columns:
        column, now = model.schema.sources[name], kinds[str(name)]
        formats[name] = column.format if _is_in_format(column, now) else None
        fits = now in (None, column.kind) or formats[name] is not None
        if not fits and (column.kind, now) != (Kind.NUMERIC, Kind.BOOLEAN):
            raise ColumnError(
                f"Column {name!r} held {column.kind} values in the training data but holds {now} "
                "values now: convert it to the type it had."
            )
    columns = (replace(c, format=formats.get(c.read.name)) for c in model.schema.columns)
    return replace(model, schema=Schema(tuple(columns)))


def _is_in_format(column: Column, now: Kind | None) -> bool:
    """Whether a column is still to be read in the format that it had in the training data."""
    if column.format is None:
        return False
    return now is Kind.TEXT or (column.format == EXCEL and now is Kind.NUMERIC)

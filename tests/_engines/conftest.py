"""A table as every engine holds it."""

from typing import Any

import pytest
from tests._engines.tables import ENGINES, in_postgres

from modlearn._jobs.engines import Room


@pytest.fixture(params=ENGINES)
def stored(request: Any, tmp_path: Any, monkeypatch: Any) -> Any:
    """Store a frame in an engine; return what is passed to `fit`."""

    def in_duckdb(frame: Any) -> Any:
        monkeypatch.setattr(Room, "holds", lambda *_: False)
        path = tmp_path / "rows.parquet"
        frame.to_parquet(path)
        return str(path)

    if request.param == "duckdb":
        return in_duckdb
    if request.param == "postgres":
        address = request.getfixturevalue("postgres_server")
        return lambda frame: in_postgres(frame, address)
    session = request.getfixturevalue(f"{request.param}_session")

    def in_spark(frame: Any) -> Any:
        cells = [python_values(frame[name]) for name in frame]
        return session.createDataFrame(list(zip(*cells, strict=True)), spark_schema(frame))

    return in_spark


def python_values(column: Any) -> list[Any]:
    cells = column.astype(object).where(column.notna(), None).tolist()
    return [one.to_pydatetime() if hasattr(one, "to_pydatetime") else one for one in cells]


def spark_schema(frame: Any) -> Any:
    """Return types with names as they are: texts of schemas are read like SQL, ${...} replaced."""
    from pyspark.sql import types

    kinds = {
        "f": types.DoubleType,
        "i": types.LongType,
        "M": types.TimestampNTZType,
        "b": types.BooleanType,
    }
    found = {name: kinds.get(frame[name].dtype.kind, types.StringType) for name in frame}
    return types.StructType([types.StructField(name, kind()) for name, kind in found.items()])

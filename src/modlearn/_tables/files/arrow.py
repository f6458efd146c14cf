"""Arrow files, read by pyarrow where it is installed: DuckDB alone cannot read them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from modlearn._tables.files.workspace import Workspace
from modlearn.errors import FileError

__all__ = ["import_arrow", "load_arrow"]


def import_arrow(shown: str) -> Any:
    """Import pyarrow, or raise an error that says how to install it."""
    try:
        import pyarrow
        import pyarrow.ipc
    except ImportError:
        raise FileError(
            f"Arrow files such as {shown!r} need pyarrow: install it with "
            "'pip install pyarrow', or use Parquet."
        ) from None
    return pyarrow


def load_arrow(workspace: Workspace, paths: Sequence[Path], shown: Sequence[str]) -> str:
    """Copy Arrow files into one table, a batch at a time; return its name."""
    arrow = import_arrow(shown[0])
    size = sum(path.stat().st_size for path in paths)
    table = workspace.new_table(size)
    for i, (path, name) in enumerate(zip(paths, shown, strict=True)):
        with path.open("rb") as file:
            try:
                schema, batches = _batches(arrow, file)
            except arrow.ArrowInvalid as error:
                raise FileError(
                    f"The file {name!r} is not a valid Arrow file: {error}. Write it again."
                ) from None
            reader = arrow.RecordBatchReader.from_batches(schema, batches)
            workspace.connection.register("arrow_batches", reader)
            start = f"INSERT INTO {table} BY NAME" if i else f"CREATE TABLE {table} AS"
            workspace.execute(f"{start} SELECT * FROM arrow_batches")
            workspace.connection.unregister("arrow_batches")
    return table


def _batches(arrow: Any, file: Any) -> tuple[Any, Iterator[Any]]:
    """Return schema and batches of a file in Arrow's file format or stream format."""
    if file.read(6) == b"ARROW1":
        reader = arrow.ipc.open_file(file)
        return reader.schema, (reader.get_batch(i) for i in range(reader.num_record_batches))
    file.seek(0)
    stream = arrow.ipc.open_stream(file)
    return stream.schema, iter(stream)

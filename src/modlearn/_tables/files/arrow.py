"""Parquet files, and Arrow files, which pyarrow reads where it is installed: DuckDB cannot."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from modlearn._tables.files.columns import natural_columns
from modlearn._tables.files.options import OpenRequest
from modlearn._tables.files.parse_errors import shortened
from modlearn._tables.files.relation import FileSource, Piece, copied, of_table
from modlearn._tables.files.workspace import Workspace, file_literal
from modlearn.errors import FileError

__all__ = ["import_arrow", "open_arrow", "open_parquet"]


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


def open_arrow(opening: OpenRequest) -> FileSource:
    """Copy Arrow files into one table, a batch at a time."""
    arrow, workspace = import_arrow(opening.shown[0]), opening.workspace
    table = workspace.new_table(sum(path.stat().st_size for path in opening.paths))
    for i, (path, name) in enumerate(zip(opening.paths, opening.shown, strict=True)):
        start = f"INSERT INTO {table} BY NAME" if i else f"CREATE TABLE {table} AS"
        faults: list[Exception] = []
        try:
            with path.open("rb") as file:
                schema, batches = _batches(arrow, file)
                schema = _readable(arrow, schema, name)
                checked = _checked(schema, batches, (arrow.ArrowException, OSError), faults)
                reader = arrow.RecordBatchReader.from_batches(schema, checked)
                workspace.connection.register("arrow_batches", reader)
                workspace.execute(f"{start} SELECT * FROM arrow_batches")
                workspace.connection.unregister("arrow_batches")
        except Exception as error:
            if isinstance(error, arrow.ArrowException | OSError):
                faults.append(error)
            if not faults:
                raise
            raise FileError(
                f"The file {name!r} is not a valid Arrow file, or is damaged: "
                f"{shortened(str(faults[0]), 200).rstrip('.')}. Write it again."
            ) from None
    return of_table(workspace, table)


def _readable(arrow: Any, schema: Any, shown: str) -> Any:
    """Return types that DuckDB can read: half floats become floats, and a few are refused."""
    for i, field in enumerate(schema):
        if arrow.types.is_float16(field.type):
            schema = schema.set(i, field.with_type(arrow.float32()))
        elif arrow.types.is_decimal256(field.type) or arrow.types.is_union(field.type):
            raise FileError(
                f"Column {field.name!r} of {shown!r} has the Arrow type "
                f"{shortened(str(field.type), 60)}, which cannot be read: store it as another type."
            )
    return schema


def _checked(
    schema: Any,
    batches: Iterator[Any],
    kinds: tuple[type[Exception], ...],
    faults: list[Exception],
) -> Iterator[Any]:
    """Yield batches whose every offset and index is checked: DuckDB would follow wrong ones."""
    try:
        for batch in batches:
            batch.validate(full=True)
            yield batch if batch.schema == schema else batch.cast(schema)
    except kinds as error:
        faults.append(error)  # DuckDB reports only that the batches ended
        raise


def _batches(arrow: Any, file: Any) -> tuple[Any, Iterator[Any]]:
    """Return schema and batches of a file in Arrow's file format or stream format."""
    if file.read(6) == b"ARROW1":
        reader = arrow.ipc.open_file(file)
        return reader.schema, (reader.get_batch(i) for i in range(reader.num_record_batches))
    file.seek(0)
    stream = arrow.ipc.open_stream(file)
    return stream.schema, iter(stream)


def open_parquet(opening: OpenRequest) -> FileSource:
    """Read Parquet without a copy: rows are found by their number in the file."""
    files = [file_literal(path) for path in opening.paths]
    sizes = [_size_of_parquet(opening.workspace, file) for file in files]
    whole = f"read_parquet([{', '.join(files)}], hive_partitioning = false)"
    columns = natural_columns(opening.workspace, whole)
    opening.workspace.allow_columns(len(columns))
    if any(column.name.lower() == "file_row_number" for column in columns):
        return copied(opening.workspace, f"SELECT * FROM {whole}", opening.paths)
    pieces = [
        Piece(
            f"read_parquet({file}, file_row_number = true, hive_partitioning = false)",
            "file_row_number",
            *size,
        )
        for file, size in zip(files, sizes, strict=True)
    ]
    return FileSource(opening.workspace, columns, whole, pieces, sum(n_rows for n_rows, _ in sizes))


def _size_of_parquet(workspace: Workspace, file: str) -> tuple[int, int]:
    """Return the number of rows of a file, and of a row group, which is decompressed at once."""
    sql = f"SELECT num_rows, num_row_groups FROM parquet_file_metadata({file})"
    ((n_rows, n_groups),) = workspace.execute(sql).fetchall()
    if not n_groups:
        return n_rows, 1
    sql = f"SELECT max(row_group_num_rows) FROM parquet_metadata({file}) WHERE row_group_id = 0"
    ((n_grouped,),) = workspace.execute(sql).fetchall()
    return n_rows, n_grouped or 1

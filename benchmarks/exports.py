"""Exported models: SQL in DuckDB against the command and against Python, and one row by ONNX."""

from __future__ import annotations

import dataclasses
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import duckdb
import numpy as np
import onnxruntime
import pandas as pd

import modlearn
from benchmarks import timing
from benchmarks.timing import Figure
from modlearn._export.dialects import DIALECTS

ROW_TARGET = 100.0
CHUNK = 1_000_000
"""Number of rows of a large file that are made at a time."""


def table(rows: int, seed: int = 0) -> pd.DataFrame:
    """Eight numbers, two texts and a target of four classes that depends on six of them."""
    random = np.random.default_rng(seed)
    frame = pd.DataFrame({f"x{i}": random.normal(size=rows) for i in range(8)})
    for name in ("c0", "c1"):
        frame[name] = random.choice(list("abcdefghijkl"), rows)
    total = frame["x0"] + frame["x1"] ** 2 + frame["x2"] * (frame["c0"] < "d")
    total += 0.3 * frame["x3"] + (frame["c1"] > "f")
    return frame.assign(y=np.digitize(total, [0, 1, 2]))


def sql_figures(result: modlearn.FitResult, rows: int) -> list[Figure]:
    """CPU time of scoring a table in DuckDB, and of the same rows in Python."""
    frame = table(rows).drop(columns="y")
    connection = duckdb.connect()
    connection.execute("SET threads = 1")
    connection.register("frame", frame)
    connection.execute("CREATE TABLE t AS FROM frame")
    assert result.model is not None
    statements = {"lists": result.model.to_sql("duckdb", "t")}
    with_lists = DIALECTS["duckdb"]
    DIALECTS["duckdb"] = dataclasses.replace(with_lists, lookup=None)
    statements["CASE"] = result.model.to_sql("duckdb", "t")
    DIALECTS["duckdb"] = with_lists
    figures = []
    for name, sql in statements.items():
        start = time.process_time()
        connection.execute(f"CREATE OR REPLACE TABLE scored AS {sql}")
        figures.append(Figure(f"SQL in DuckDB, {rows:.0e} rows, {name}", _since(start), unit=" s"))
    start = time.process_time()
    result.predict_proba(frame)
    figures.append(Figure(f"predict_proba, {rows:.0e} rows", _since(start), unit=" s"))
    return figures


def file_figures(result: modlearn.FitResult, rows: int, repeats: int, folder: Path) -> list[Figure]:
    """Parquet to Parquet by SQL in DuckDB, and by the command: whole processes, all cores."""
    assert result.model is not None
    columns = _write_rows(folder / "rows.parquet", rows)
    result.save(folder / "model.json")
    sql = result.model.to_sql("duckdb", "rows", keep=columns)
    query = f"CREATE VIEW rows AS FROM 'rows.parquet'; COPY ({sql}) TO 'by_sql.parquet'"
    (folder / "score.sql").write_text(query, encoding="utf-8")
    code = "import duckdb, pathlib; duckdb.execute(pathlib.Path('score.sql').read_text())"
    by_sql = [sys.executable, "-c", code]
    files = ["model.json", "rows.parquet", "-o", "by_command.parquet"]
    by_command = [sys.executable, "-m", "modlearn", "predict", *files]
    # They take turns, so that a slow spell affects both.
    runs = [(_run(by_sql, folder), _run(by_command, folder)) for _ in range(repeats)]
    title = f"{rows:.0e} rows, Parquet to Parquet, SQL in DuckDB / modlearn predict"
    figures = []
    for i, what in enumerate(("CPU", "wall")):
        ours, other = (min(run[side][i] for run in runs) for side in range(2))
        note = f"{ours:.1f} / {other:.1f} s"
        figures.append(Figure(f"{title}, {what} time", ours / other, unit=" x", note=note))
    return [*figures, *_differences(result, folder)]


def _write_rows(path: Path, rows: int) -> list[str]:
    """Write a table to score, without its target, and return the names of its columns."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    writer = None
    for seed, first in enumerate(range(0, rows, CHUNK)):
        frame = table(min(CHUNK, rows - first), seed + 1).drop(columns="y")
        chunk = pa.Table.from_pandas(frame, preserve_index=False)
        writer = writer or pq.ParquetWriter(path, chunk.schema)
        writer.write_table(chunk)
    assert writer is not None
    writer.close()
    return list(writer.schema.names)


def _run(command: Sequence[str], folder: Path) -> tuple[float, float]:
    """Seconds of all processors, and by the clock, of a process, which must succeed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return cpu, wall


def _differences(result: modlearn.FitResult, folder: Path) -> list[Figure]:
    """Whether both files hold the same predictions."""
    assert result.model is not None
    names = [f"P({name})" for name in result.model.target.class_names]
    largest = ", ".join(f'abs(a."{name}" - b."{name}")' for name in names)
    connection = duckdb.connect()
    found = connection.execute(
        f"""SELECT count_if(a."predicted y" <> b."predicted y"), max(greatest({largest}))
        FROM '{folder}/by_sql.parquet' a POSITIONAL JOIN '{folder}/by_command.parquet' b"""
    ).fetchone()
    assert found is not None
    return [
        Figure("labels that differ between both", found[0], 0),
        Figure("largest difference of a probability", found[1], 1e-12),
    ]


def _since(start: float) -> float:
    return time.process_time() - start


def row_figure(result: modlearn.FitResult, repeats: int) -> Figure:
    """Median time of one row in onnxruntime."""
    assert result.model is not None
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.onnx"
        result.model.to_onnx(path)
        session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])
    row = table(1)
    types = {"x": np.float64, "c": object}
    fed = {str(n): row[n].to_numpy(types[n[0]])[:, None] for n in result.model.used_columns}
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        session.run(None, fed)
        times.append(time.perf_counter() - start)
    title = f"one row by ONNX, {len(fed)} inputs, median"
    return Figure(title, 1e6 * float(np.median(times)), ROW_TARGET, unit=" µs")


def main() -> int:
    """Measure and report."""
    parser = timing.arguments_with_json(__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000, help="rows in memory")
    parser.add_argument("--file-rows", type=int, default=10_000_000, help="rows of a file")
    parser.add_argument("--file-repeats", type=int, default=3)
    parser.add_argument("--repeats", type=int, default=2_000)
    arguments = parser.parse_args()
    result = modlearn.fit(table(20_000), "y", test=0.3)
    figures = [row_figure(result, arguments.repeats), *sql_figures(result, arguments.rows)]
    with tempfile.TemporaryDirectory(prefix="exports_") as name:
        figures += file_figures(result, arguments.file_rows, arguments.file_repeats, Path(name))
    return timing.report("Exported models", figures, arguments.json)


if __name__ == "__main__":
    raise SystemExit(main())

"""Exported models: SQL in DuckDB against Python, and one row by ONNX."""

from __future__ import annotations

import dataclasses
import tempfile
import time
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


def table(rows: int) -> pd.DataFrame:
    """Eight numbers, two texts and a target of four classes that depends on six of them."""
    random = np.random.default_rng(0)
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
    DIALECTS["duckdb"] = dataclasses.replace(with_lists, has_lists=False)
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
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--repeats", type=int, default=2_000)
    arguments = parser.parse_args()
    result = modlearn.fit(table(20_000), "y", test=0.3)
    figures = [row_figure(result, arguments.repeats), *sql_figures(result, arguments.rows)]
    return timing.report("Exported models", figures, arguments.json)


if __name__ == "__main__":
    raise SystemExit(main())

"""Fitting a table that stays on disk: time against DuckDB's approx_quantile, and peak memory."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import duckdb

import modlearn
from benchmarks import timing
from benchmarks.timing import Figure
from modlearn._fit.columns import fit_partitions
from modlearn._jobs.prepare import prepare
from modlearn._jobs.source import ColumnRequest, Room
from modlearn._parallel import n_threads_of, no_progress

N_COLUMNS = 10
MEMORY = 2_000_000_000
ROWS_PER_FILE = 10_000_000

PARTITIONS_TARGET = 1.5
JOB_TARGET = 4.0
LINEAR_TARGET = 1.2


class Seconds(NamedTuple):
    """Seconds of all threads together, and on the clock."""

    cpu: float
    wall: float


def generate(folder: Path, n_rows: int) -> Path:
    """Write Parquet files with normal columns and a target that depends on four of them."""
    folder.mkdir(parents=True, exist_ok=True)
    connection = duckdb.connect()
    connection.execute("SET enable_progress_bar = false; SET memory_limit = '2GB'")
    connection.execute("SET preserve_insertion_order = false")
    columns = ", ".join(f"{_normal(k)} AS x{k}" for k in range(N_COLUMNS))
    score = f"0.8 * x0 + sin(2 * x1) + 0.7 * (x2 > 0.5)::INT + 0.3 * x3 * x3 + {_normal(50)}"
    for start in range(0, n_rows, ROWS_PER_FILE):
        path = folder / f"rows{start // ROWS_PER_FILE:03d}.parquet"
        stop = min(n_rows, start + ROWS_PER_FILE)
        if not path.exists():
            connection.execute(
                f"COPY (SELECT * EXCLUDE i, CASE WHEN {score} > 1 THEN 'yes' ELSE 'no' END AS y "
                f"FROM (SELECT i, {columns} FROM range({start}, {stop}) t(i))) "
                f"TO '{path}.partial' (FORMAT parquet)"
            )
            Path(f"{path}.partial").rename(path)
    return folder / "*.parquet"


def _normal(number: int) -> str:
    """SQL of a normal number for each row i, by the method of Box and Muller."""
    first, second = (f"(hash(i * 997 + {2 * number + k}) / 18446744073709551616)" for k in (0, 1))
    return f"sqrt(-2 * ln({first} + 1e-12)) * cos(2 * pi() * {second})"


def quantiles(path: Path) -> None:
    """Estimate the quartiles of all columns in one scan."""
    connection = duckdb.connect()
    connection.execute("SET enable_progress_bar = false")
    connection.execute(f"SET threads = {n_threads_of(-1)}; SET memory_limit = '{MEMORY // 2}B'")
    wanted = [f"approx_quantile(x{k}, [0.25, 0.5, 0.75])" for k in range(N_COLUMNS)]
    connection.execute(f"SELECT {', '.join(wanted)} FROM '{path}'").fetchall()


def partitions(path: Path) -> None:
    """Find the best partition of every column."""
    room = Room(MEMORY)
    fit_partitions(prepare(str(path), ColumnRequest("y"), None, no_progress, room).rows, -1)


def job(path: Path) -> modlearn.FitResult:
    """Fit: partitions, weights, evaluation on held-out rows, warnings."""
    return modlearn.fit(str(path), "y", memory=MEMORY)


def minimum(works: Mapping[str, Callable[[Path], object]], path: Path, repeats: int) -> Any:
    """Minimum times of each task; they take turns, so a slow spell affects all of them."""
    found: dict[str, list[Seconds]] = {name: [] for name in works}
    for _ in range(repeats):
        for name, work in works.items():
            cpu, wall = time.process_time(), time.perf_counter()
            work(path)
            found[name].append(Seconds(time.process_time() - cpu, time.perf_counter() - wall))
    return {
        name: Seconds(min(one.cpu for one in times), min(one.wall for one in times))
        for name, times in found.items()
    }


def ratio_figures(path: Path, n_rows: int, repeats: int) -> list[Figure]:
    """Times against DuckDB's own scan."""
    works = {"approx_quantile": quantiles, "partitions": partitions, "fit": job}
    times = minimum(works, path, repeats)
    peer = times["approx_quantile"]
    figures = []
    for name, target in (("partitions", PARTITIONS_TARGET), ("fit", JOB_TARGET)):
        for kind in ("cpu", "wall"):
            one, other = getattr(times[name], kind), getattr(peer, kind)
            note = f"{one:.2f} s against {other:.2f} s"
            work = f"{name} / approx_quantile, {n_rows:.0e} x {N_COLUMNS}, {kind}"
            figures.append(Figure(work, one / other, target, note=note))
    return figures


def _prepared(path: Path) -> Callable[[], modlearn.FitResult]:
    return lambda: job(path)


def _warm_up() -> None:
    import sklearn  # noqa: F401


def measured(path: Path, n_rows: int) -> tuple[Figure, timing.Call]:
    """Peak memory of a fit in a fresh process, and its time."""
    call = timing.call_beyond_input(_prepared, path, warm_up=_warm_up)
    work = f"peak memory of fit, {n_rows:.0e} x {N_COLUMNS}"
    return Figure(work, call.peak / 1e9, MEMORY / 1e9, unit=" GB"), call


def main() -> int:
    """Print the figures."""
    parser = timing.arguments_with_json(__doc__)
    parser.add_argument("--rows", type=float, default=1e7)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--folder", type=Path, help="folder where the tables are kept")
    parser.add_argument(
        "--large", type=float, help="also fit this many rows, such as 1e8 (8 GB), once"
    )
    arguments = parser.parse_args()
    n_rows = int(arguments.rows)
    with tempfile.TemporaryDirectory() as temporary:
        folder = arguments.folder or Path(temporary)
        path = generate(folder / f"{n_rows}", n_rows)
        figures = ratio_figures(path, n_rows, arguments.repeats)
        memory, small = measured(path, n_rows)
        figures.append(memory)
        if arguments.large:
            n_large = int(arguments.large)
            memory, large = measured(generate(folder / f"{n_large}", n_large), n_large)
            per_row = large.seconds / n_large / (small.seconds / n_rows)
            note = f"{large.seconds:.1f} s against {small.seconds:.1f} s"
            work = f"wall time per row, {n_large:.0e} against {n_rows:.0e} rows"
            figures += [memory, Figure(work, per_row, LINEAR_TARGET, note=note)]
    return timing.report("Engines", figures, arguments.json)


if __name__ == "__main__":
    raise SystemExit(main())

"""The cost model of docs/planning.md: what it computes for large tables, and a run to check it."""

from __future__ import annotations

import math
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

import modlearn
from benchmarks import timing
from benchmarks.engines import N_COLUMNS, generate
from benchmarks.timing import Figure
from modlearn._engines.counts import BYTES_PER_KEPT
from modlearn._engines.table import BYTES_PER_CELL, COLUMNS_IN_KEY, COLUMNS_PER_QUERY, MOST_SAMPLED
from modlearn._engines.tiers import MOST_ENGINE_BINS

MEMORY = 300_000_000
"""Too little for the measured tables, and enough for all bins of their columns."""

BYTES = 8
"""Bytes of a value."""

HELD_OUT = 0.3

N_CLASSES, N_FOLDS = 2, 2
"""Classes, and parts of the rows: those that are held out, and the others."""

WEIGHTED = 10
"""Number of columns with a weight, which scoring reads."""

SEARCH = 0.45
"""CPU seconds of the searches, weights and report, per column."""

CELL_BYTES = 9
"""Bytes of a cell of counts when Spark shuffles it."""

TASK_BYTES = 128e6
"""Bytes that a task of Spark reads by default."""

NODE_CORES = 16


@dataclass(frozen=True)
class Engine:
    """CPU time in ns, as measured: per value in each pass, per row for keys, per test row."""

    sample: float
    extremes: float
    bins: float
    windows: float
    keys: float
    scoring: float

    @property
    def per_value(self) -> float:
        """All passes over a value."""
        return self.sample + self.extremes + self.bins + self.windows


DUCKDB = Engine(sample=7, extremes=7, bins=53, windows=38, keys=260, scoring=1_200)
SPARK = Engine(sample=50, extremes=30, bins=310, windows=170, keys=300, scoring=10_000)


@dataclass(frozen=True)
class Job:
    """A fit of a table whose columns are all numeric and counted in bins."""

    n_rows: float
    n_columns: int

    def cpu_seconds(self, engine: Engine) -> float:
        """CPU time of all processes."""
        per_row = self.n_columns * engine.per_value + engine.keys + HELD_OUT * engine.scoring
        return self.n_rows * per_row * 1e-9 + self.n_columns * SEARCH

    @property
    def groups(self) -> int:
        """Number of groups of columns that are counted in one scan."""
        return math.ceil(self.n_columns / COLUMNS_PER_QUERY)

    @property
    def n_queries(self) -> int:
        """Number of queries: classes, sample, folds, two that score, and those of groups."""
        return 5 + 3 * self.groups

    @property
    def bytes_read(self) -> float:
        """Bytes read: four passes, the columns of keys where they are not counted, and scoring."""
        n_keys = COLUMNS_IN_KEY[0]
        again = n_keys * (1 + 2 * (self.groups - 1) + 1)
        return BYTES * self.n_rows * (4 * self.n_columns + again + WEIGHTED)

    def bytes_shuffled(self, rows_per_task: float) -> float:
        """Bytes of counts of bins that tasks of Spark return: cells that a task has rows in."""
        n_cells = MOST_ENGINE_BINS * N_CLASSES * N_FOLDS
        filled = n_cells * -math.expm1(-rows_per_task / n_cells)
        return self.n_rows / rows_per_task * self.n_columns * filled * CELL_BYTES

    @property
    def rows_of_default_task(self) -> float:
        """Rows of a task of Spark by default."""
        return TASK_BYTES / (BYTES * self.n_columns)

    @property
    def sample_bytes(self) -> float:
        """Memory of the driver for the sample."""
        return float(MOST_SAMPLED * self.n_columns * BYTES_PER_CELL)

    @property
    def counts_bytes(self) -> float:
        """Memory of the driver for the counts of all bins."""
        return float(BYTES_PER_KEPT * N_CLASSES * N_FOLDS * MOST_ENGINE_BINS * self.n_columns)

    @property
    def memory_for_bins(self) -> float:
        """The `memory` with which there are as many bins as possible; half of it is for counts."""
        n_groups = (N_CLASSES + 1) * N_FOLDS
        return 2.0 * 2 * BYTES_PER_KEPT * n_groups * MOST_ENGINE_BINS * self.n_columns

    def bins_in(self, memory: float) -> float:
        """Number of bins per column with this `memory`."""
        return MOST_ENGINE_BINS * min(1.0, memory / self.memory_for_bins)

    def sampled_in(self, memory: float) -> float:
        """Rows of the sample with this `memory`."""
        return min(MOST_SAMPLED, memory / 2 / (BYTES_PER_CELL * self.n_columns))


def plan(job: Job, rows_per_task: float) -> list[Figure]:
    """What a fit of a large table takes, as docs/planning.md states it."""
    duckdb, spark = (job.cpu_seconds(engine) / 3600 for engine in (DUCKDB, SPARK))
    nodes = spark / NODE_CORES
    # Bytes per second with which storage keeps 64 cores busy.
    rate = job.bytes_read / (duckdb * 3600 / 64) / 1e9
    figures = [
        ("bytes read", job.bytes_read / 1e12, " TB"),
        ("queries", job.n_queries, ""),
        ("DuckDB, CPU time", duckdb, " core-hours"),
        ("DuckDB, 64 cores", duckdb * 60 / 64, " minutes"),
        ("DuckDB, storage that keeps up with 64 cores", rate, " GB/s"),
        ("DuckDB, storage of 1 GB/s", job.bytes_read / 1e9 / 3600, " hours"),
        ("Spark, CPU time", spark, " core-hours"),
        ("Spark, nodes of 16 cores", nodes, " node-hours"),
        ("Spark, 8 nodes", nodes / 8, " hours"),
        ("Spark, 64 nodes", nodes / 64, " hours"),
        ("shuffled, default tasks", job.bytes_shuffled(job.rows_of_default_task) / 1e12, " TB"),
        (
            f"shuffled, tasks of {rows_per_task:.0e} rows",
            job.bytes_shuffled(rows_per_task) / 1e12,
            " TB",
        ),
        ("driver, sample", job.sample_bytes / 1e9, " GB"),
        ("driver, counts of bins", job.counts_bytes / 1e9, " GB"),
        ("memory for all bins", job.memory_for_bins / 1e9, " GB"),
        ("bins with memory=8GB", job.bins_in(8e9), ""),
        ("sampled rows with memory=8GB", job.sampled_in(8e9), ""),
        ("driver, searches on 2 cores", job.n_columns * SEARCH / 2 / 60, " minutes"),
    ]
    name = f"{job.n_rows:.0e} x {job.n_columns}"
    return [Figure(f"{name}: {work}", figure, unit=unit) for work, figure, unit in figures]


def check(path: Path, job: Job) -> Figure:
    """CPU time of a fit in DuckDB, measured and computed."""
    start = time.process_time()
    only = [f"x{k}" for k in range(job.n_columns)]
    modlearn.fit(str(path), "y", only=only, memory=MEMORY)
    measured, computed = time.process_time() - start, job.cpu_seconds(DUCKDB)
    return Figure(
        f"{job.n_rows:.0e} x {job.n_columns}: measured / computed CPU time",
        measured / computed,
        note=f"{measured:.1f} s measured, {computed:.1f} s computed",
    )


def main() -> int:
    """Print what is computed for large tables, and measured for small ones."""
    parser = timing.arguments_with_json(__doc__)
    parser.add_argument("--rows", type=float, default=5e6, help="measured rows, at least 2e6")
    parser.add_argument("--folder", type=Path, help="folder where the table is kept")
    arguments = parser.parse_args()
    n_rows = int(arguments.rows)
    figures = [
        *plan(Job(1e9, 125), 4e6),
        *plan(Job(1e10, 1_000), 1e7),
        *plan(Job(1e10, 10_000), 1e7)[-2:],
    ]
    with tempfile.TemporaryDirectory() as temporary:
        path = generate((arguments.folder or Path(temporary)) / f"{n_rows}", n_rows)
        figures += [check(path, Job(n_rows, k)) for k in (N_COLUMNS // 2, N_COLUMNS)]
    return timing.report("Planning", figures, arguments.json)


if __name__ == "__main__":
    raise SystemExit(main())

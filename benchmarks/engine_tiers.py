"""Cost of partitions from counts in bins above those of the same rows in memory."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from pathlib import Path
from unittest import mock

import duckdb
import numpy as np

from benchmarks import timing
from benchmarks.engine_columns import SHAPES
from benchmarks.timing import Figure
from modlearn._engines import counts as engine_counts
from modlearn._engines.rows import EngineRows
from modlearn._fit.columns import fit_partitions
from modlearn._jobs.prepare import prepare
from modlearn._jobs.source import ColumnRequest, Room
from modlearn._model.partitions import Partition
from modlearn._parallel import no_progress

TARGET = 0.001
"""Percent of the cost in memory."""

MEMORY = 2_000_000_000
"""Bytes that a job may use if the options do not say."""


class NoRoom(Room):
    """Room for counts, but not for a table."""

    def holds(self, n_rows: int, n_columns: int) -> bool:
        """Return that a table is too large, whatever its size."""
        return False


def partition(path: Path, room: Room) -> tuple[Partition, str]:
    """Return the partition of column x, and how the column was counted."""
    rows = prepare(str(path), ColumnRequest(target="y"), None, no_progress, room).rows
    found = fit_partitions(rows, None)[0]
    return found, rows.counts.tiers["x"] if isinstance(rows, EngineRows) else "memory"


def figure(
    name: str, n_rows: int, folder: Path, seed: int, memory: int, only_bins: bool, others: bool
) -> Figure:
    """Compare the partitions of one column."""
    number = list(SHAPES).index(name)
    x, y = SHAPES[name](np.random.default_rng([seed, number]), n_rows)
    path = folder / f"{name}.parquet"
    connection = duckdb.connect()
    connection.register("columns", {"x": x, "y": y, "z": np.arange(n_rows) % 101})
    # With z, rows that have the same value of x differ, so that they are sampled independently.
    selected = "x, 'c' || y AS y" + (", z" if others else "")
    connection.execute(f"COPY (SELECT {selected} FROM columns) TO '{path}' (FORMAT parquet)")
    exact, _ = partition(path, Room(10**12))
    # Distinct values of a million rows would be counted one by one.
    constants = {"MOST_VALUES": 1000}
    if only_bins:
        constants |= {"NEARLY_ALL": 0, "BINS_PER_CUT": 0, "MOST_RANGES": 0}
    with ExitStack() as patches:
        for constant, value in constants.items():
            patches.enter_context(mock.patch.object(engine_counts, constant, value))
        found, tier = partition(path, NoRoom(memory))
    path.unlink()
    above = found.cost - exact.cost
    note = f"{above:+.2f} of {exact.cost:.0f} nats, {found.n_parts} parts, counted by {tier}"
    return Figure(name, 100 * above / exact.cost, TARGET, unit=" %", note=note)


def main() -> int:
    """Print the figures of every column."""
    parser = timing.arguments_with_json(__doc__)
    parser.add_argument("--rows", type=float, default=1e6, help="rows of each column")
    parser.add_argument("--shapes", nargs="*", default=list(SHAPES), choices=list(SHAPES))
    parser.add_argument("--seed", type=int, default=0, help="other rows of the same shapes")
    parser.add_argument("--memory", type=float, default=MEMORY, help="bytes that a job may use")
    parser.add_argument(
        "--only-bins", action="store_true", help="bins also where values would be counted"
    )
    parser.add_argument(
        "--others", action="store_true", help="a second column, so that hardly any rows are equal"
    )
    arguments = parser.parse_args()
    n_rows = int(arguments.rows)
    memory = int(arguments.memory)
    options = arguments.seed, memory, arguments.only_bins, arguments.others
    with tempfile.TemporaryDirectory() as folder:
        figures = [figure(name, n_rows, Path(folder), *options) for name in arguments.shapes]
    return timing.report(f"Tiers, {n_rows:.0e} rows, memory {memory:.1e}", figures, arguments.json)


if __name__ == "__main__":
    raise SystemExit(main())

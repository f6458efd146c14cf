"""Khiops 11 with all pairs of one table: its grids, applied to the rows, and its CPU time."""

from __future__ import annotations

import json
import resource
import tempfile
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import is_numeric_dtype

from benchmarks import khiops_peer

Counts = NDArray[np.int64]
Report = dict[str, Any]


@dataclass(frozen=True)
class KhiopsGrid:
    """Rows per cell and class, shape (I1, I2, J): counted with Khiops' parts, and as reported.

    Khiops shows a grid only if both columns have parts in it; `reported` is None for the others.
    """

    counted: Counts
    reported: Counts | None


@dataclass(frozen=True)
class KhiopsPairs:
    """Grids by the indexes of their columns; CPU seconds of Khiops' processes."""

    grids: dict[tuple[int, int], KhiopsGrid]
    cpu: float


def analyze(frame: pd.DataFrame, codes: NDArray[np.int64], predictor: bool = False) -> KhiopsPairs:
    """One Khiops call for all pairs of columns; `predictor` adds its naive Bayes."""
    numeric = [is_numeric_dtype(kind) for kind in frame.dtypes]
    types = ["Numerical" if number else "Categorical" for number in numeric]
    table = frame.apply(lambda column: column if is_numeric_dtype(column) else _coded(column))
    with tempfile.TemporaryDirectory(prefix="khiops_pairs_") as name:
        folder = Path(name)
        khiops_peer.write_table(table, codes, folder / "table.txt")
        before = _children_cpu()
        # One core: with more, waiting processes would be charged too.
        khiops_peer.run(
            folder, types, max_cores=1, max_pairs=len(types) ** 2,
            do_data_preparation_only=not predictor,
        )  # fmt: skip
        cpu = _children_cpu() - before
        report = json.loads((folder / "report.khj").read_text(encoding="utf-8"))
    return KhiopsPairs(_grids(report, table, codes), cpu)


def _coded(column: pd.Series) -> pd.Series:
    """Values as v0, v1, ..., missing as v-1: no blanks or quotes that Khiops could change."""
    return pd.Series([f"v{code}" for code in pd.factorize(column)[0]], column.index)


def _children_cpu() -> float:
    """CPU seconds of the processes that were started and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _grids(
    report: Report, table: pd.DataFrame, codes: NDArray[np.int64]
) -> dict[tuple[int, int], KhiopsGrid]:
    """The grid of every pair; one cell for a pair that Khiops does not mention."""
    every_pair = combinations(range(table.shape[1]), 2)
    grids = {pair: KhiopsGrid(_counted(pair, [], table, codes), None) for pair in every_pair}
    alone = _alone(report["preparationReport"])
    pairs = report["bivariatePreparationReport"]
    shown = pairs.get("variablesPairsDetailedStatistics", {})
    for row in pairs["variablesPairsStatistics"]:
        first, second = sorted((_index(row["name1"]), _index(row["name2"])))
        if row["rank"] in shown:
            grid = shown[row["rank"]]["dataGrid"]
            dimensions, reported = grid["dimensions"][:2], _reported(grid)
        else:
            parts = {row["name1"]: row["parts1"], row["name2"]: row["parts2"]}
            dimensions = [alone[name] for name in parts if parts[name] > 1]
            reported = None
        counted = _counted((first, second), dimensions, table, codes)
        grids[first, second] = KhiopsGrid(counted, reported)
    return grids


def _alone(preparation: Report) -> dict[str, Report]:
    """The parts of every informative column alone."""
    shown = preparation.get("variablesDetailedStatistics", {}).values()
    grids = [variable["dataGrid"] for variable in shown if "dataGrid" in variable]
    return {grid["dimensions"][0]["variable"]: grid["dimensions"][0] for grid in grids}


def _index(name: str) -> int:
    """Index of the column x0, x1, ..."""
    return int(name.removeprefix("x"))


def _reported(grid: Report) -> Counts:
    """Khiops' own counts, the column with the smaller index first."""
    *columns, target = grid["dimensions"]
    shape = [len(dimension["partition"]) for dimension in grid["dimensions"]]
    counts = np.zeros(shape, dtype=np.int64)
    counts[tuple(np.transpose(grid["cellPartIndexes"]))] = grid["cellTargetFrequencies"]
    counts = counts[:, :, khiops_peer.class_order(target["partition"])]
    in_order = _index(columns[0]["variable"]) < _index(columns[1]["variable"])
    return counts if in_order else counts.transpose(1, 0, 2)


def _counted(
    pair: tuple[int, int],
    dimensions: list[Report],
    table: pd.DataFrame,
    codes: NDArray[np.int64],
) -> Counts:
    """Rows per cell and class; a column without a dimension has one part."""
    parts = {_index(d["variable"]): d for d in dimensions}
    shape = [len(parts[i]["partition"]) if i in parts else 1 for i in pair]
    zeros = np.zeros(len(codes), dtype=np.intp)
    cells = [_parts_of_rows(table.iloc[:, i], parts[i]) if i in parts else zeros for i in pair]
    counts = np.zeros((*shape, int(codes.max()) + 1), dtype=np.int64)
    np.add.at(counts, (*cells, codes), 1)
    return counts


def _parts_of_rows(column: pd.Series, dimension: Report) -> NDArray[np.intp]:
    """Interval or group of every row; values that Khiops does not list are in its default group."""
    partition = dimension["partition"]
    if dimension["type"] == "Numerical":
        return khiops_peer.intervals_of(column, khiops_peer.inner_bounds(partition))
    group = {value: i for i, values in enumerate(partition) for value in values}
    default = dimension["defaultGroupIndex"]
    return np.array([group.get(value, default) for value in column], dtype=np.intp)

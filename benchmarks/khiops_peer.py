"""Khiops 11 on one table, without pairs, and its partitions read from its report.

Run as a script it checks the reading: the classes counted in the data with Khiops' bounds are the
counts that Khiops itself reports.
"""

from __future__ import annotations

import json
import os
import re
import sys
import sysconfig
import tempfile
import time
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
from numpy.typing import NDArray

from benchmarks import timing
from benchmarks.timing import Figure

INSTALL = "pip install khiops khiops-core"
_PREPARATION_TIME = re.compile(r"Data preparation time: (\d+):(\d+):([\d.]+)")


@dataclass(frozen=True)
class KhiopsPartition:
    """Khiops' intervals ]a;b] of one variable.

    `cuts` are the inner bounds, -inf the one between the missing and all numbers; `reported` are
    Khiops' own counts, intervals x classes, or None where it found no information.
    """

    cuts: NDArray[np.float64]
    reported: NDArray[np.int64] | None
    level: float


@dataclass(frozen=True)
class KhiopsAnalysis:
    """Partitions by column name; seconds to write the file, to call, to prepare by its log."""

    partitions: dict[str, KhiopsPartition]
    writing: float
    analyzing: float
    preparing: float


def require_khiops() -> None:
    """Exit with code 2 and the remedy if Khiops is not installed; let it find its programs."""
    if find_spec("khiops") is None:
        print(f"Khiops is not installed: {INSTALL}", file=sys.stderr)
        raise SystemExit(2)
    # Khiops looks for its scripts on PATH, which lacks an environment that is not activated.
    os.environ["PATH"] = sysconfig.get_path("scripts") + os.pathsep + os.environ["PATH"]


def analyze(
    frame: pd.DataFrame, codes: NDArray[np.int64], cores: int = 2, classifier: bool = False
) -> KhiopsAnalysis:
    """One Khiops call for all columns of `frame`, all numeric; `codes` are the classes 0 .. J-1.

    Its partitions alone, or its selective naive Bayes classifier too.
    """
    with tempfile.TemporaryDirectory(prefix="khiops_peer_") as name:
        folder = Path(name)
        start = time.perf_counter()
        write_table(frame, codes, folder / "table.txt")
        written = time.perf_counter()
        run(
            folder, ["Numerical"] * frame.shape[1], max_cores=cores,
            do_data_preparation_only=not classifier,
        )  # fmt: skip
        analyzed = time.perf_counter()
        report = json.loads((folder / "report.khj").read_text(encoding="utf-8"))
        preparing = _preparation_seconds((folder / "log.txt").read_text(encoding="utf-8"))
    found = _read_partitions(report["preparationReport"])
    partitions = {column: found[f"x{i}"] for i, column in enumerate(frame.columns)}
    return KhiopsAnalysis(partitions, written - start, analyzed - written, preparing)


def write_table(frame: pd.DataFrame, codes: NDArray[np.int64], path: Path) -> None:
    """Tab-separated, missing empty; plain names, as Khiops changes results at quotes (#805)."""
    columns = {f"x{i}": pa.array(frame.iloc[:, i], from_pandas=True) for i in range(frame.shape[1])}
    labels = pa.array([f"c{code}" for code in range(codes.max() + 1)])
    columns["class"] = labels.take(pa.array(codes))
    path.write_text("\t".join(columns) + "\n", encoding="utf-8")
    options = pa.csv.WriteOptions(include_header=False, delimiter="\t", quoting_style="none")
    with path.open("ab") as file:
        pa.csv.write_csv(pa.table(columns), file, options)


def run(folder: Path, types: Sequence[str], **options: Any) -> None:
    """All rows; unless the options say so no pairs and no naive Bayes, never other variables."""
    from khiops import core as kh

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # sample data sets are not installed
        kh.train_predictor(
            _dictionary(types),
            "table",
            str(folder / "table.txt"),
            "class",
            str(folder / "report.khj"),
            detect_format=False,
            header_line=True,
            field_separator="\t",
            sample_percentage=100,
            use_complement_as_test=False,
            keep_selected_variables_only=False,
            max_constructed_variables=0,
            max_text_features=0,
            max_trees=0,
            log_file_path=str(folder / "log.txt"),
            **({"do_data_preparation_only": True, "max_pairs": 0} | options),
        )


def _dictionary(types: Sequence[str]) -> Any:
    """Khiops' schema: x0, x1, ... of these types, and the categorical class."""
    from khiops import core as kh

    domain, dictionary = kh.DictionaryDomain(), kh.Dictionary()
    dictionary.name = "table"
    columns = {f"x{i}": kind for i, kind in enumerate(types)} | {"class": "Categorical"}
    for name, kind in columns.items():
        variable = kh.Variable()
        variable.name, variable.type = name, kind
        dictionary.add_variable(variable)
    domain.add_dictionary(dictionary)
    return domain


def _preparation_seconds(log: str) -> float:
    """The time that Khiops' log gives for reading and analyzing, without starting processes."""
    found = _PREPARATION_TIME.search(log)
    if found is None:
        raise RuntimeError(f"Khiops' log has no preparation time:\n{log}")
    hours, minutes, seconds = map(float, found.groups())
    return 3600 * hours + 60 * minutes + seconds


def _read_partitions(preparation: dict[str, Any]) -> dict[str, KhiopsPartition]:
    """The partition of every variable; without a grid (level 0) it is one interval."""
    grids = preparation.get("variablesDetailedStatistics", {})
    partitions = {}
    for variable in preparation["variablesStatistics"]:
        grid = grids.get(variable["rank"], {}).get("dataGrid")
        if variable["parts"] > 1:
            cuts, reported = _read_grid(grid)
        else:
            cuts, reported = np.empty(0), None
        partitions[variable["name"]] = KhiopsPartition(cuts, reported, variable["level"])
    return partitions


def _read_grid(grid: dict[str, Any]) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """Inner bounds, and the reported counts with the classes in the order of their codes."""
    intervals, labels = (dimension["partition"] for dimension in grid["dimensions"])
    order = class_order(labels)
    return inner_bounds(intervals), np.array(grid["partTargetFrequencies"], np.int64)[:, order]


def inner_bounds(intervals: list[list[float]]) -> NDArray[np.float64]:
    """Bounds between the intervals of a report, -inf between the missing and all numbers."""
    # An interval of the missing alone has no bounds, and comes first.
    return np.array([i[1] if i else -np.inf for i in intervals[:-1]], float)


def class_order(labels: list[str]) -> NDArray[np.intp]:
    """Positions of the classes c0, c1, ... in a report."""
    return np.argsort([int(label.removeprefix("c")) for label in labels])


def count_classes(
    column: pd.Series, codes: NDArray[np.int64], cuts: NDArray[np.float64]
) -> NDArray[np.int64]:
    """Counts, intervals ]a;b] x classes."""
    shape = (cuts.size + 1, int(codes.max()) + 1)
    cells = np.ravel_multi_index((intervals_of(column, cuts), codes), shape)
    return np.bincount(cells, minlength=shape[0] * shape[1]).reshape(shape)


def intervals_of(column: pd.Series, cuts: NDArray[np.float64]) -> NDArray[np.intp]:
    """Interval ]a;b] of every row; a missing value lies at -inf."""
    values = column.to_numpy(dtype=float, na_value=np.nan)
    return np.searchsorted(cuts, np.where(np.isnan(values), -np.inf, values), side="left")


def read_uci(path: Path) -> tuple[pd.DataFrame, NDArray[np.int64]]:
    """The numeric columns of a Parquet file, and its column `class` as codes."""
    frame = pd.read_parquet(path)
    codes = pd.factorize(frame["class"], sort=True)[0].astype(np.int64)
    return frame.drop(columns="class").select_dtypes("number"), codes


def uci_files(folder: Path, names: list[str] | None) -> list[Path]:
    """Parquet files of the folder, or of its subfolder uci30; all of them or the named ones."""
    inner = folder / "uci30"
    files = sorted((inner if inner.is_dir() else folder).glob("*.parquet"))
    if names:
        files = [path for path in files if path.stem in names]
    if not files:
        raise SystemExit(
            f"There is no Parquet file in {folder}: pass the folder of the UCI data sets."
        )
    return files


def differing_variables(frame: pd.DataFrame, codes: NDArray[np.int64]) -> list[str]:
    """Columns where our counts with Khiops' bounds are not the counts of Khiops' report."""
    differing = []
    for name, partition in analyze(frame, codes).partitions.items():
        counted = count_classes(frame[name], codes, partition.cuts)
        if partition.reported is not None and not np.array_equal(counted, partition.reported):
            differing.append(name)
    return differing


def main() -> int:
    """Check the reading of Khiops' reports on a folder of Parquet files."""
    parser = timing.arguments_with_json(__doc__)
    parser.add_argument("--data", type=Path, required=True, help="folder of Parquet files")
    parser.add_argument("--sets", nargs="+", help="names of the data sets; default: all")
    arguments = parser.parse_args()
    require_khiops()
    figures = []
    for path in uci_files(arguments.data, arguments.sets):
        frame, codes = read_uci(path)
        if frame.shape[1]:
            differing = differing_variables(frame, codes)
            work = f"{path.stem}: of {frame.shape[1]} variables, differing"
            figures.append(Figure(work, len(differing), 0, note=", ".join(differing)))
    return timing.report("Counts with Khiops' bounds = Khiops' counts", figures, arguments.json)


if __name__ == "__main__":
    raise SystemExit(main())

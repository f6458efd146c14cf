"""Grouper.fit on one categorical column, against np.unique of the same column."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from benchmarks import synthetic, timing
from benchmarks.timing import Figure

CLASSES = (2, 5)
KINDS = ("int64", "object", "str")
TARGET = 4.0


def column_of(kind: str, codes: NDArray[np.int64]) -> tuple[Any, NDArray[Any], str]:
    """The table for Grouper, the same column as an array for np.unique, the column's name.

    Integers come as NumPy, strings as a pandas column of the dtype `kind`.
    """
    if kind == "int64":
        return codes.reshape(-1, 1), codes, "x0"
    words = np.array([f"value {code:06d}" for code in range(codes.max() + 1)], dtype=object)
    frame = pd.DataFrame({"word": pd.Series(words[codes], dtype=kind)})
    return frame, frame["word"].to_numpy(dtype=object), "word"


def figure_of(kind: str, rows: int, values: int, classes: int, repeats: int) -> Figure:
    """Fit and np.unique in turns."""
    from modlearn import Grouper

    codes, labels = synthetic.categorical_column(rows, values, classes)
    table, column, name = column_of(kind, codes)
    estimator = Grouper()
    best = timing.minimum_seconds(
        {"fit": lambda: estimator.fit(table, labels), "unique": lambda: np.unique(column)}, repeats
    )
    partition = estimator.partitions_[name]
    times = f"{best['fit'] * 1e3:.0f} / {best['unique'] * 1e3:.0f} ms"
    note = f"{times}, {len(partition.counts)} groups, level {partition.level:.4f}"
    work = f"fit / unique, {kind}, {classes} classes"
    return Figure(work, best["fit"] / best["unique"], TARGET, unit=" x", note=note)


def main() -> int:
    """Measure and report."""
    parser = timing.arguments_with_json(__doc__)
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--values", type=int, default=100_000)
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    rows, values = arguments.rows, arguments.values
    figures = [
        figure_of(kind, rows, values, classes, arguments.repeats)
        for kind in KINDS
        for classes in CLASSES
    ]
    return timing.report(f"Grouper.fit, {rows} rows, {values} values", figures, arguments.json)


if __name__ == "__main__":
    raise SystemExit(main())

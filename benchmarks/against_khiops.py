"""Encoder against Khiops 11: time on 1 M x 10 numbers, and the cost of the partitions found.

The cost of both partitions is formula 1 of their class counts, evaluated here and not by the
library, so that an error of the library cannot flatter it.
"""

from __future__ import annotations

import tempfile
from argparse import Namespace
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.special import gammaln

from benchmarks import khiops_peer, synthetic, timing
from benchmarks.khiops_peer import KhiopsAnalysis
from benchmarks.timing import Figure

SPEED_TARGET = 20.0
SPEED_TABLE = "noisy steps"
TOLERANCE = 1e-6  # nats; the logarithms of factorials of 1e6 are exact to about 1e-8


@dataclass(frozen=True)
class Comparison:
    """Costs of one variable in nats, and numbers of parts: ours first, then Khiops'."""

    data_set: str
    variable: str
    cost: float
    khiops_cost: float
    parts: int
    khiops_parts: int
    proven_optimal: bool
    stated_cost_error: float
    khiops_counts_agree: bool

    @property
    def gain(self) -> float:
        """How much better our partition is, in nats."""
        return self.khiops_cost - self.cost


def formula_1(counts: NDArray[np.int64]) -> float:
    """log N + log C(N+I-1, I-1) + sum_i [log (N_i+J-1)! - log (J-1)! - sum_j log N_ij!]."""
    parts, classes = counts.shape
    rows = counts.sum()
    bounds = gammaln(rows + parts) - gammaln(parts) - gammaln(rows + 1)
    part_costs = gammaln(counts.sum(axis=1) + classes) - gammaln(classes)
    return float(np.log(rows) + bounds + part_costs.sum() - gammaln(counts + 1).sum())


def recounted(column: pd.Series, codes: NDArray[np.int64], ours: Any) -> NDArray[np.int64]:
    """Return our counts after checking them against the rows, per part or with missing values."""
    counts = np.asarray(ours.counts)
    if column.isna().any():
        agree = np.array_equal(counts.sum(axis=0), np.bincount(codes))
    else:
        agree = np.array_equal(counts, khiops_peer.count_classes(column, codes, ours.cuts))
    if not agree:
        raise RuntimeError(f"Column {column.name!r}: the counts do not agree with the cuts.")
    return counts


def compare(
    data_set: str,
    frame: pd.DataFrame,
    codes: NDArray[np.int64],
    partitions: dict[str, Any],
    khiops: KhiopsAnalysis,
) -> list[Comparison]:
    """One comparison per column."""
    comparisons = []
    for name, peer in khiops.partitions.items():
        ours = partitions[name]
        cost = formula_1(recounted(frame[name], codes, ours))
        counted = khiops_peer.count_classes(frame[name], codes, peer.cuts)
        reported = counted if peer.reported is None else peer.reported
        comparisons.append(
            Comparison(
                data_set,
                str(name),
                cost,
                # They differ where a value and a bound agree in ten digits: the better one counts.
                min(formula_1(counted), formula_1(reported)),
                len(ours.counts),
                len(counted),
                bool(ours.proven_optimal),
                abs(cost - ours.cost),
                np.array_equal(counted, reported),
            )
        )
    return comparisons


def fit(frame: pd.DataFrame, codes: NDArray[np.int64]) -> dict[str, Any]:
    """Our partitions by column name."""
    from modlearn import Encoder

    return Encoder(n_jobs=2).fit(frame, codes).partitions_


def compare_uci(folder: Path, names: list[str] | None) -> Iterator[Comparison]:
    """Every numeric variable of the Parquet files; one Khiops call per file."""
    for path in khiops_peer.uci_files(folder, names):
        frame, codes = khiops_peer.read_uci(path)
        if frame.shape[1]:
            khiops = khiops_peer.analyze(frame, codes)
            yield from compare(path.stem, frame, codes, fit(frame, codes), khiops)


def compare_synthetic(rows: int, analyzed: dict[str, KhiopsAnalysis]) -> Iterator[Comparison]:
    """Every variable of the synthetic tables; those in `analyzed` are not given to Khiops again."""
    for name, generate in synthetic.TABLES.items():
        frame, codes = generate(rows)
        khiops = analyzed.get(name) or khiops_peer.analyze(frame, codes)
        yield from compare(name, frame, codes, fit(frame, codes), khiops)


def parquet_in_memory(rows: int) -> tuple[pd.DataFrame, NDArray[np.int64]]:
    """The table of the speed comparison as pandas reads it from a Parquet file."""
    frame, codes = synthetic.TABLES[SPEED_TABLE](rows)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "table.parquet"
        frame.assign(target=codes).to_parquet(path)
        frame = pd.read_parquet(path)
    return frame.drop(columns="target"), frame["target"].to_numpy()


def fastest_khiops(frame: pd.DataFrame, codes: NDArray[np.int64], repeats: int) -> KhiopsAnalysis:
    """The fastest of the repeated calls."""
    analyses = [khiops_peer.analyze(frame, codes) for _ in range(repeats)]
    return min(analyses, key=lambda analysis: analysis.analyzing)


def speed(rows: int, repeats: int, khiops_repeats: int) -> tuple[list[Figure], KhiopsAnalysis]:
    """Time of Khiops' call, without writing its file, over time of Encoder.fit."""
    from modlearn import Encoder

    frame, codes = parquet_in_memory(rows)
    khiops = fastest_khiops(frame, codes, khiops_repeats)
    works = {f"{jobs}": partial(Encoder(n_jobs=jobs).fit, frame, codes) for jobs in (2, 1)}
    ours = timing.minimum_seconds(works, repeats)
    logged = khiops.preparing / ours["2"]
    shape = f"{rows:.0e} x {frame.shape[1]}"
    times = f"{khiops.analyzing:.2f} / {ours['2']:.3f} s"
    return [
        Figure(
            f"Khiops / Encoder(n_jobs=2), {shape}",
            khiops.analyzing / ours["2"],
            SPEED_TARGET,
            at_least=True,
            unit=" x",
            note=times,
        ),
        Figure("  the same, Encoder(n_jobs=1)", khiops.analyzing / ours["1"], unit=" x"),
        Figure("  Khiops' preparation by its log / n_jobs=2", logged, unit=" x"),
        Figure("  Khiops' file writing, not counted", khiops.writing, unit=" s"),
    ], khiops


def quality_figures(comparisons: Sequence[Comparison]) -> list[Figure]:
    """Report wins, ties and losses in cost, and two checks of the comparison itself."""
    losses = [c for c in comparisons if c.gain < -TOLERANCE]
    wins = sum(c.gain > TOLERANCE for c in comparisons)
    worst = min(comparisons, key=lambda c: c.gain)
    disagreeing = sum(not c.khiops_counts_agree for c in comparisons)
    error = max(c.stated_cost_error for c in comparisons)
    lost = ", ".join(f"{c.data_set}/{c.variable}" for c in losses[:5])
    return [
        Figure("variables compared", len(comparisons)),
        Figure("  lower cost than Khiops' partition", wins),
        Figure("  equal", len(comparisons) - wins - len(losses)),
        Figure("  higher", len(losses), 0, note=lost),
        Figure("  worst loss", max(0.0, -worst.gain), TOLERANCE, unit=" nats", note=_where(worst)),
        Figure("  gained in total", sum(c.gain for c in comparisons), unit=" nats"),
        Figure("  proven optimal", sum(c.proven_optimal for c in comparisons)),
        Figure("  stated cost against formula 1", error, TOLERANCE, unit=" nats"),
        Figure("  Khiops' counts not those of its bounds", disagreeing, note="ten digits"),
    ]


def _where(comparison: Comparison) -> str:
    """The variable and its numbers of parts."""
    parts = f"{comparison.parts} against {comparison.khiops_parts} parts"
    return f"smallest gain: {comparison.data_set}/{comparison.variable}, {parts}"


def arguments() -> Namespace:
    """Options of the command line."""
    parser = timing.arguments_with_json(__doc__)
    parser.add_argument("--data", type=Path, help="folder of the UCI data sets (Parquet files)")
    parser.add_argument("--sets", nargs="+", help="names of the UCI data sets; default: all")
    parser.add_argument(
        "--rows", type=int, default=1_000_000, help="rows of synthetic tables; 0: none"
    )
    parser.add_argument("--repeats", type=int, default=5, help="repeats of Encoder.fit")
    parser.add_argument(
        "--khiops-repeats", type=int, default=2, help="repeats of the timed Khiops call"
    )
    parser.add_argument("--comparisons", type=Path, help="file for the cost of every variable")
    return parser.parse_args()


def main() -> int:
    """Measure and report."""
    options = arguments()
    khiops_peer.require_khiops()
    figures: list[Figure] = []
    comparisons: list[Comparison] = []
    if options.rows:
        figures, khiops = speed(options.rows, options.repeats, options.khiops_repeats)
        comparisons.extend(compare_synthetic(options.rows, {SPEED_TABLE: khiops}))
    if options.data:
        comparisons.extend(compare_uci(options.data, options.sets))
    if comparisons:
        figures += quality_figures(comparisons)
    if options.comparisons:
        timing.save_json(options.comparisons, {"variables": [asdict(c) for c in comparisons]})
    return timing.report("Encoder against Khiops 11", figures, options.json)


if __name__ == "__main__":
    raise SystemExit(main())

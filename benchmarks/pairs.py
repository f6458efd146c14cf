"""PairEncoder against Khiops 11: CPU time, and the cost of the grids found; growth of its time.

CPU time is that of all threads of ours and of all processes of Khiops, without our writing of its
file. Costs are formula 3 of the rows in the cells, counted here for both.
"""

from __future__ import annotations

import math
import time
from argparse import Namespace
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from pandas.api.types import is_numeric_dtype

from benchmarks import khiops_pairs, khiops_peer, synthetic, timing
from benchmarks.timing import Figure

UCI_SETS = (
    "iris", "wine", "glass", "hepatitis", "heart", "horsecolic", "crx", "pima", "vehicle",
    "tictactoe", "mushroom", "abalone", "letter",
)  # fmt: skip
PAIR_ROWS = 20_000
GROWTH_ROWS = (1_000, 10_000, 100_000)
GROWTH_COLUMNS = (10, 20, 40)
FEW_ROWS, FEW_COLUMNS = 500, 6

PAIR_TARGET = 50.0
LETTER_TARGET = 20.0
ROWS_TARGET = 1.2
COLUMNS_TARGET = 2.2
TOLERANCE = 1e-6


@dataclass(frozen=True)
class Comparison:
    """Costs of one pair in nats, and cells: ours first, then Khiops'."""

    data_set: str
    pair: tuple[str, str]
    cost: float
    khiops_cost: float
    cells: tuple[int, ...]
    khiops_cells: tuple[int, ...]
    stated_cost_error: float
    khiops_counts_agree: bool

    @property
    def gain(self) -> float:
        """How much better our grid is, in nats."""
        return self.khiops_cost - self.cost


def cpu_seconds(work: Callable[[], object], repeats: int = 1) -> float:
    """Least CPU time of a call, all threads together."""
    best = math.inf
    for _ in range(repeats):
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def time_analyses(
    frame: pd.DataFrame, codes: NDArray[np.int64], repeats: int, predictor: bool = False
) -> khiops_pairs.KhiopsPairs:
    """Return the Khiops call with the least CPU time, out of as many calls as ours."""
    calls = [khiops_pairs.analyze(frame, codes, predictor) for _ in range(repeats)]
    return min(calls, key=lambda call: call.cpu)


def fit_pairs(frame: pd.DataFrame, codes: NDArray[np.int64]) -> Any:
    """Our grids of all pairs."""
    from modlearn import PairEncoder

    return PairEncoder().fit(frame, codes)


def pair_figures(rows: int, repeats: int) -> list[Figure]:
    """CPU time of Khiops over ours, one pair of numbers, two classes; and both costs."""
    figures = []
    for shape, generate in synthetic.PLANES.items():
        frame, codes = generate(rows)
        khiops = time_analyses(frame, codes, repeats)
        ours = cpu_seconds(lambda frame=frame, codes=codes: fit_pairs(frame, codes), repeats)
        (found,) = compare(shape, frame, codes, fit_pairs(frame, codes), khiops)
        note = f"{khiops.cpu:.1f} / {ours:.3f} s; cost lower by {found.gain:.2f} nats"
        work = f"CPU of Khiops / ours, one pair, {shape}, {rows:,} rows"
        figures.append(Figure(work, khiops.cpu / ours, PAIR_TARGET, True, " x", note))
    return figures


def letter_figures(folder: Path, repeats: int) -> list[Figure]:
    """CPU time of Khiops over ours, all pairs of Letter and the selective naive Bayes."""
    from modlearn import SelectiveNaiveBayesClassifier

    (path,) = khiops_peer.uci_files(folder, ["letter"])
    frame, codes = read_uci(path)
    khiops = time_analyses(frame, codes, repeats, predictor=True)
    ours = cpu_seconds(lambda: SelectiveNaiveBayesClassifier(pairs=True).fit(frame, codes), repeats)
    work = "CPU of Khiops / ours, Letter, all pairs and SNB"
    note = f"{khiops.cpu:.1f} / {ours:.2f} s"
    return [Figure(work, khiops.cpu / ours, LETTER_TARGET, True, " x", note)]


def read_uci(path: Path) -> tuple[pd.DataFrame, NDArray[np.int64]]:
    """All columns of a Parquet file but `class`, and this one as codes."""
    frame = pd.read_parquet(path)
    codes = pd.factorize(frame["class"], sort=True)[0].astype(np.int64)
    return frame.drop(columns="class"), codes


def compare(
    data_set: str,
    frame: pd.DataFrame,
    codes: NDArray[np.int64],
    pairs: Any,
    khiops: khiops_pairs.KhiopsPairs,
) -> list[Comparison]:
    """One comparison per pair of columns."""
    from modlearn.criteria import grid_cost

    n_values = [
        None if is_numeric_dtype(frame[name]) else frame[name].nunique(dropna=False)
        for name in frame
    ]
    counted = recounted(frame, codes, pairs)
    comparisons = []
    for (i, k), peer in khiops.grids.items():
        pair, V = (frame.columns[i], frame.columns[k]), (n_values[i], n_values[k])
        cost = grid_cost(counted[pair], V)
        reported = peer.counted if peer.reported is None else peer.reported
        comparisons.append(
            Comparison(
                data_set,
                pair,
                cost,
                # They differ where a value and a bound agree in ten digits: the better one counts.
                min(grid_cost(peer.counted, V), grid_cost(reported, V)),
                counted[pair].shape[:2],
                peer.counted.shape[:2],
                abs(cost - pairs.grids_[pair].cost),
                np.array_equal(peer.counted, reported),
            )
        )
    return comparisons


def recounted(
    frame: pd.DataFrame, codes: NDArray[np.int64], pairs: Any
) -> dict[tuple[str, str], NDArray[np.int64]]:
    """Rows per cell and class of our grids, counted in the cells that transform gives."""
    cells = np.asarray(pairs.transform(frame), dtype=np.int64)
    counts = {}
    for column, (pair, grid) in enumerate(pairs.grids_.items()):
        keys = cells[:, column] * grid.counts.shape[2] + codes
        counts[pair] = np.bincount(keys, minlength=grid.counts.size).reshape(grid.counts.shape)
    return counts


def compare_uci(folder: Path, names: Sequence[str]) -> Iterator[Comparison]:
    """Every pair of the sets; one Khiops call per set."""
    for path in khiops_peer.uci_files(folder, list(names)):
        frame, codes = read_uci(path)
        khiops = khiops_pairs.analyze(frame, codes)
        yield from compare(path.stem, frame, codes, fit_pairs(frame, codes), khiops)


def quality_figures(comparisons: Sequence[Comparison]) -> list[Figure]:
    """Wins, ties and losses in cost, and two checks of the comparison itself."""
    losses = sorted((c for c in comparisons if c.gain < -TOLERANCE), key=lambda c: c.gain)
    wins = sum(c.gain > TOLERANCE for c in comparisons)
    worst = min(comparisons, key=lambda c: c.gain)
    disagreeing = sum(not c.khiops_counts_agree for c in comparisons)
    error = max(c.stated_cost_error for c in comparisons)
    lost = ", ".join(map(_where, losses[:5]))
    sets = len({c.data_set for c in comparisons})
    return [
        Figure(f"pairs compared, {sets} sets", len(comparisons)),
        Figure("  lower cost than Khiops' grid", wins),
        Figure("  equal", len(comparisons) - wins - len(losses)),
        Figure("  higher", len(losses), 0, note=lost),
        Figure("  worst loss", max(0.0, -worst.gain), TOLERANCE, unit=" nats", note=_where(worst)),
        Figure("  gained in total", sum(c.gain for c in comparisons), unit=" nats"),
        Figure("  stated cost against formula 3", error, TOLERANCE, unit=" nats"),
        Figure("  Khiops' counts not those of its parts", disagreeing, note="ten digits"),
    ]


def _where(comparison: Comparison) -> str:
    """The pair and its numbers of parts."""
    ours, peer = (" x ".join(map(str, c)) for c in (comparison.cells, comparison.khiops_cells))
    return f"{comparison.data_set}/{' x '.join(comparison.pair)} ({ours} against {peer})"


def growth_figures(repeats: int) -> list[Figure]:
    """Exponents of the time of all pairs, in the rows and in the columns."""
    rows = {n: _mixed_seconds(n, FEW_COLUMNS, repeats) for n in GROWTH_ROWS}
    columns = {n: _mixed_seconds(FEW_ROWS, n, repeats) for n in GROWTH_COLUMNS}
    return [
        _growth(f"growth in rows, {FEW_COLUMNS} columns", rows, ROWS_TARGET),
        _growth(f"growth in columns, {FEW_ROWS} rows", columns, COLUMNS_TARGET),
    ]


def _mixed_seconds(rows: int, columns: int, repeats: int) -> float:
    """CPU time of all pairs of a synthetic table."""
    frame, codes = synthetic.mixed_columns(rows, columns)
    return cpu_seconds(lambda: fit_pairs(frame, codes), repeats)


def _growth(work: str, times: dict[int, float], target: float) -> Figure:
    """The exponent from the least to the most."""
    least, most = min(times), max(times)
    exponent = math.log(times[most] / times[least]) / math.log(most / least)
    note = ", ".join(f"{n:,}: {seconds:.2f} s" for n, seconds in times.items())
    return Figure(f"{work}, exponent", exponent, target, note=note)


def arguments() -> Namespace:
    """Options of the command line."""
    parser = timing.arguments_with_json(__doc__)
    parser.add_argument("--data", type=Path, help="folder of the UCI data sets (Parquet files)")
    parser.add_argument("--sets", nargs="+", default=UCI_SETS, help="names of the UCI data sets")
    parser.add_argument(
        "--rows", type=int, default=PAIR_ROWS, help="rows of the timed pair; 0: none"
    )
    parser.add_argument("--repeats", type=int, default=3, help="repeats of timed calls, for both")
    parser.add_argument("--only-costs", action="store_true", help="do not measure times")
    parser.add_argument("--comparisons", type=Path, help="file for the cost of every pair")
    return parser.parse_args()


def main() -> int:
    """Measure and report."""
    options = arguments()
    khiops_peer.require_khiops()
    figures: list[Figure] = []
    if not options.only_costs:
        figures += pair_figures(options.rows, options.repeats) if options.rows else []
        figures += growth_figures(options.repeats)
        figures += letter_figures(options.data, options.repeats) if options.data else []
    comparisons = list(compare_uci(options.data, options.sets)) if options.data else []
    if comparisons:
        figures += quality_figures(comparisons)
    if options.comparisons:
        timing.save_json(options.comparisons, {"pairs": [asdict(c) for c in comparisons]})
    return timing.report("Pairs against Khiops 11", figures, options.json)


if __name__ == "__main__":
    raise SystemExit(main())

"""Accuracy of LabelDistributionPropagation with few labels, against peers that are tuned for it.

Accuracy is that of the unlabeled rows; to abstain is an error. Rows are shuffled first: files
sorted by class would give the class away where ties in distance go to the earlier row.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import rankdata

from benchmarks import timing
from benchmarks.propagation_peers import DENSE_METHODS, PEERS, Codes, DataSet, Mask, Method, Task
from benchmarks.timing import Figure

OURS = "LDP"
RATES_WITH_TARGET = (5, 10)

# set -> rate in % -> method -> draw -> accuracy, with the keys that JSON knows: strings
Accuracies = dict[str, dict[str, dict[str, dict[str, float]]]]


def propagate(task: Task, **parameters: Any) -> Codes:
    """Ours, on the table itself."""
    from modlearn import LabelDistributionPropagation

    propagation = LabelDistributionPropagation(**parameters)
    return propagation.fit(task.data.frame, task.labels).transduction_


METHODS: dict[str, Method] = {
    OURS: propagate,
    "LDP single pass": partial(propagate, n_neighbors=10, sweeps=0),  # as published
    **PEERS,
}


def files(folder: Path, names: Sequence[str] | None) -> list[Path]:
    """Parquet files below the folder in alphabetical order, or those of the named sets."""
    found = {path.stem: path for path in folder.rglob("*.parquet")}
    if unknown := set(names or ()) - set(found):
        raise SystemExit(
            f"There is no data set {sorted(unknown)} below {folder}: pass some of {sorted(found)}."
        )
    return [found[name] for name in sorted(names or found)]


def read(path: Path, most_rows: int) -> DataSet:
    """Shuffled rows, not more than most_rows; the column `class` is the target."""
    from modlearn._neighbors.embedding import learn_embedding

    frame = pd.read_parquet(path).sample(frac=1, random_state=0)[:most_rows]
    frame = frame.reset_index(drop=True)
    codes = pd.factorize(frame.pop("class"), sort=True)[0].astype(np.int64)
    _, points = learn_embedding(frame)
    dense = points.toarray() if hasattr(points, "toarray") else points
    return DataSet(frame, codes, np.asarray(dense, dtype=np.float64))


def draw(codes: Codes, rate: int, seed: int) -> Mask:
    """Rows to label: rate % of every class, one at least of a class that has two."""
    random = np.random.default_rng([rate, seed])
    labeled = np.zeros(len(codes), dtype=bool)
    for code in np.unique(codes):
        rows = random.permutation(np.flatnonzero(codes == code))
        if len(rows) > 1:
            labeled[rows[: max(1, round(rate / 100 * len(rows)))]] = True
    return labeled


def accuracy(method: Method, task: Task) -> float:
    """Share of the unlabeled rows classified correctly."""
    hidden = ~task.labeled
    return float(np.mean(method(task)[hidden] == task.data.codes[hidden]))


def missing(
    accuracies: Accuracies, name: str, rates: Sequence[int], draws: int, methods: Sequence[str]
) -> Iterator[tuple[int, int, list[str]]]:
    """Rates and draws of a set for which the accuracy of some method is not known yet."""
    for rate in rates:
        known = accuracies.get(name, {}).get(str(rate), {})
        for seed in range(draws):
            todo = [method for method in methods if str(seed) not in known.get(method, {})]
            if todo:
                yield rate, seed, todo


def measure(
    name: str,
    data: DataSet,
    todo: Sequence[tuple[int, int, list[str]]],
    accuracies: Accuracies,
    save: Callable[[], None],
) -> None:
    """Add the missing accuracies of one set; saved after every draw."""
    for rate, seed, methods in todo:
        start = time.perf_counter()
        task = Task(data, draw(data.codes, rate, seed))
        of_rate = accuracies.setdefault(name, {}).setdefault(str(rate), {})
        for method in methods:
            of_rate.setdefault(method, {})[str(seed)] = accuracy(METHODS[method], task)
        save()
        ours = of_rate.get(OURS, {}).get(str(seed), float("nan"))
        took = time.perf_counter() - start
        print(f"{name} {rate} % draw {seed}: {OURS} {ours:.4f}, {took:.1f} s", flush=True)


def mean_accuracies(accuracies: Accuracies, rate: int) -> pd.DataFrame:
    """Sets x methods, the mean over the draws; NaN where a method was left out."""
    rows = {
        name: {method: np.mean(list(draws.values())) for method, draws in rates[str(rate)].items()}
        for name, rates in sorted(accuracies.items())
        if str(rate) in rates
    }
    return pd.DataFrame.from_dict(rows, orient="index")


def mean_ranks(means: pd.DataFrame) -> pd.Series:
    """Mean rank of each method over the sets that it could run on, 1 = most accurate."""
    return means.apply(_ranks, axis=1).mean()


def _ranks(means: pd.Series) -> pd.Series:
    """Ranks among the methods that ran, equal ones share theirs."""
    ran = means.dropna()
    # Accuracies that differ by the order of summation only are equal.
    return pd.Series(rankdata(-ran.round(9)), index=ran.index)


def summary(accuracies: Accuracies, rate: int) -> str:
    """Mean accuracy, mean rank and number of sets of each method, best rank first."""
    means = mean_accuracies(accuracies, rate)
    ranks = mean_ranks(means).sort_values()
    lines = [
        f"\n{rate} % labeled, {len(means)} sets\nmethod                     accuracy  rank  sets"
    ]
    for method, rank in ranks.items():
        ran = means[method].dropna()
        lines.append(f"{method:25}  {100 * ran.mean():8.2f}  {rank:4.2f}  {len(ran):4}")
    return "\n".join(lines)


def rank_figure(accuracies: Accuracies, rate: int) -> Figure:
    """Mean rank of ours over that of the best peer, the target at the rates that have one."""
    ranks = mean_ranks(mean_accuracies(accuracies, rate))
    peers = ranks[[method for method in PEERS if method in ranks]]
    target = 1.0 if rate in RATES_WITH_TARGET else None
    note = f"{ranks[OURS]:.2f} / {peers.min():.2f} ({peers.idxmin()})"
    work = f"mean rank / the best peer's, {rate} % labeled"
    return Figure(work, ranks[OURS] / peers.min(), target, unit=" x", note=note)


def arguments_of() -> argparse.Namespace:
    """Options of the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="folder of Parquet files with the target `class`")
    parser.add_argument(
        "--rates", type=int, nargs="+", default=[5, 10, 20], help="labeled rows in %%"
    )
    parser.add_argument("--draws", type=int, default=10)
    parser.add_argument("--sets", nargs="+", help="names of the files; default: all")
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument(
        "--rows", type=int, default=12_000, help="most rows; larger data sets are sampled"
    )
    parser.add_argument("--dense-rows", type=int, default=2_500, help="most rows for rbf kernels")
    parser.add_argument("--out", type=Path, help="file for the accuracies; resumes from it")
    return parser.parse_args()


def main() -> int:
    """Measure what is missing and report."""
    arguments = arguments_of()
    protocol = {"rows": arguments.rows, "dense_rows": arguments.dense_rows}
    accuracies = resumed(arguments.out, protocol)

    def save() -> None:
        if arguments.out is not None:
            content = {**timing.machine(), "protocol": protocol, "accuracies": accuracies}
            timing.save_json(arguments.out, content)

    paths = files(arguments.folder, arguments.sets)
    for path in paths:
        data = read(path, arguments.rows)
        dense = len(data.codes) <= arguments.dense_rows
        methods = [name for name in arguments.methods if dense or name not in DENSE_METHODS]
        todo = list(missing(accuracies, path.stem, arguments.rates, arguments.draws, methods))
        measure(path.stem, data, todo, accuracies, save)
    chosen = {path.stem: accuracies[path.stem] for path in paths}
    for rate in arguments.rates:
        print(summary(chosen, rate))
    figures = [rank_figure(chosen, rate) for rate in arguments.rates]
    return timing.report(f"Accuracy with few labels, {len(paths)} sets", figures, None)


def resumed(path: Path | None, protocol: dict[str, int]) -> Accuracies:
    """Accuracies of an earlier run, if it had the same protocol."""
    if path is None or not path.exists():
        return {}
    content = json.loads(path.read_text(encoding="utf-8"))
    if content["protocol"] != protocol:
        raise SystemExit(f"{path} was measured with {content['protocol']}, not {protocol}.")
    return content["accuracies"]


if __name__ == "__main__":
    raise SystemExit(main())

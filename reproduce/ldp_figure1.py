"""kNN-LDP, figure 1: critical differences with 5, 10 and 20 % of the rows labeled.

The accuracies are measured by `benchmarks.propagation_accuracy` with the protocol below.
"""

import json
import subprocess
import sys
from pathlib import Path

import pandas as pd
from benchmarks.propagation_accuracy import METHODS, OURS, files, mean_accuracies, missing
from benchmarks.propagation_peers import DENSE_METHODS
from matplotlib.figure import Figure

from reproduce.critical_difference import SIGNIFICANCE, compare, draw_diagram
from reproduce.output import FOLDER, arguments_with_out, write

RATES = (5, 10, 20)
DRAWS, ROWS, DENSE_ROWS = 10, 12_000, 2_500
ACCURACIES = FOLDER.parents[1] / "build" / "propagation_accuracies.json"
OURS_BOTH = (OURS, "LDP single pass")


def measure(data: Path) -> None:
    """Measure the accuracies that are not known yet, on the sets below a folder."""
    ACCURACIES.parent.mkdir(exist_ok=True)
    protocol = ["--draws", DRAWS, "--rows", ROWS, "--dense-rows", DENSE_ROWS, "--out", ACCURACIES]
    command = [sys.executable, "-m", "benchmarks.propagation_accuracy", data, *protocol]
    # Its exit code says whether targets are met; the file says whether all is measured.
    subprocess.run([str(part) for part in command], check=False)
    known = json.loads(ACCURACIES.read_text(encoding="utf-8"))["accuracies"]
    sets = [path.stem for path in files(data, None)]
    if any(todo for name in sets for todo in missing(known, name, RATES, DRAWS, [OURS])):
        raise SystemExit("Some accuracies are missing; see above. Run the command again to resume.")


def compute(path: Path) -> dict:
    """Mean ranks per rate: of methods that can do all sets, and of all methods on small sets."""
    content = json.loads(path.read_text(encoding="utf-8"))
    tables = {rate: mean_accuracies(content["accuracies"], rate) for rate in RATES}
    return {
        "protocol": {**content["protocol"], "draws": _draws(content["accuracies"])},
        "significance": SIGNIFICANCE,
        "all sets": {f"{rate} %": _compared(_all_sets(tables[rate])) for rate in RATES},
        "small sets": {f"{rate} %": _compared(_small_sets(tables[rate])) for rate in RATES},
        "accuracies": {f"{rate} %": _by_set(tables[rate]) for rate in RATES},
    }


def _draws(accuracies: dict) -> int:
    """Draws for which every method has a result."""
    return min(
        len(draws)
        for rates in accuracies.values()
        for methods in rates.values()
        for draws in methods.values()
    )


def _all_sets(table: pd.DataFrame) -> pd.DataFrame:
    """Leave out the methods that cannot run on large data sets."""
    return table.drop(columns=list(DENSE_METHODS))


def _small_sets(table: pd.DataFrame) -> pd.DataFrame:
    """The sets that these methods ran on."""
    return table.dropna(subset=list(DENSE_METHODS))


def _compared(table: pd.DataFrame) -> dict:
    if table.isna().any(axis=None):
        raise SystemExit(
            f"Accuracies are missing for {list(table.index[table.isna().any(axis=1)])}."
        )
    methods = [method for method in METHODS if method in table]
    return compare(table[methods].to_numpy(), methods)


def _by_set(table: pd.DataFrame) -> dict:
    return {name: row.dropna().round(6).to_dict() for name, row in table.iterrows()}


def draw(numbers: dict) -> Figure:
    """A diagram per rate and field of sets."""
    figure = Figure(figsize=(14, 9.6))
    rows = figure.subplots(len(RATES), 2)
    largest = numbers["protocol"]["dense_rows"]
    fields = {"all sets": "{} sets", "small sets": f"the {{}} sets of up to {largest:,} rows"}
    for (left, right), rate in zip(rows, RATES, strict=True):
        for axes, (field, words) in zip((left, right), fields.items(), strict=True):
            comparison = numbers[field][f"{rate} %"]
            draw_diagram(axes, comparison, OURS_BOTH)
            axes.set_title(f"{rate} % labeled, {words.format(comparison['sets'])}", weight="bold")
    figure.suptitle(
        "Mean ranks of accuracy, 1 = best; bars join methods that do not differ significantly "
        f"(Nemenyi, {SIGNIFICANCE:g})\n"
    )
    return figure


if __name__ == "__main__":
    parser = arguments_with_out(__doc__)
    parser.add_argument("--accuracies", type=Path, default=ACCURACIES)
    arguments = parser.parse_args()
    write(sys.modules[__name__], compute(arguments.accuracies), arguments.out)

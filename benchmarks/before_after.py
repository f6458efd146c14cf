"""Figures of two installed versions of modlearn, measured by the same benchmarks in turns.

``python -m benchmarks.before_after OTHER startup "grouping --repeats 3"`` runs each benchmark with
this Python and with OTHER, the Python of an environment that has another version installed. They
take turns, so that a slow spell of the machine affects both, and the best figure of each counts.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from benchmarks import timing
from benchmarks.timing import Figure

TARGET = 1.05


def measured(python: str, command: str, folder: Path) -> dict[str, dict[str, Any]]:
    """Return the figures of one run by their names."""
    name, *options = command.split()
    found = folder / "figures.json"
    found.unlink(missing_ok=True)
    run = [python, "-m", f"benchmarks.{name}", *options, "--json", str(found)]
    # The exit code does not say whether there are figures: it also reports a missed target.
    output = subprocess.run(run, capture_output=True, text=True, check=False)
    if not found.exists():
        raise SystemExit(f"{' '.join(run)} gave no figures:\n{output.stdout}{output.stderr}")
    return {one["work"]: one for one in json.loads(found.read_text())["figures"]}


def compared(other: str, command: str, rounds: int, folder: Path) -> list[Figure]:
    """Return how many times worse each figure is now than with the other version."""
    runs: dict[str, list[dict[str, dict[str, Any]]]] = {other: [], sys.executable: []}
    for _ in range(rounds):
        for python, found in runs.items():
            found.append(measured(python, command, folder))
    before, now = (
        {work: _best([one[work] for one in found]) for work in found[0]} for found in runs.values()
    )
    return [
        Figure(
            work,
            before[work] / figure if runs[other][0][work]["at_least"] else figure / before[work],
            TARGET,
            unit=" x",
            note=f"{before[work]:.4g}, now {figure:.4g}{runs[other][0][work]['unit']}",
        )
        for work, figure in now.items()
        if before.get(work)
    ]


def _best(figures: list[dict[str, Any]]) -> float:
    """Return the least figure, or the largest of those that should be large."""
    best = max if figures[0]["at_least"] else min
    return float(best(one["figure"] for one in figures))


def main() -> int:
    """Print how the figures changed."""
    parser = timing.arguments_with_json(__doc__)
    parser.add_argument("other", help="the Python that has the other version")
    parser.add_argument("commands", nargs="+", help="benchmarks, each with its options in quotes")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each benchmark and version")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        figures = [
            figure
            for command in arguments.commands
            for figure in compared(arguments.other, command, arguments.rounds, Path(folder))
        ]
    return timing.report("Figures now, over those before", figures, arguments.json)


if __name__ == "__main__":
    raise SystemExit(main())

"""What modlearn finds in a table of wines: which columns tell the grower, and how.

Run it with ``make demo`` or ``python examples/demo.py``. It needs no network and no pandas.
"""

from __future__ import annotations

import os
from dataclasses import replace
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_wine

from modlearn import Encoder

PAGE = Path("modlearn-demo.html")
SHOWN = 4
"""Columns whose partition is printed."""

BAR = 40
"""Characters of the bar of a level of 1."""

SHADES = ("pale", "light", "medium", "deep", "dark", "inky")


def main() -> None:
    """Fit, print, and write the page."""
    columns, grower = wines()
    encoder = Encoder().fit(as_table(columns), grower)
    names = dict(zip(encoder.partitions_, columns, strict=True))
    found = [replace(encoder.partitions_[key], name=names[key]) for key in encoder.levels_]
    print(f"{len(grower)} wines, {len(columns)} columns, 3 growers. How much each column tells:\n")
    print("\n".join(level_lines(found)))
    for partition in found[:SHOWN]:
        print(f"\n{partition}")
    write(PAGE, page(found))
    print(f"\nAll {len(found)} partitions as pictures: {PAGE.resolve()}")


def wines() -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Columns by name, and the grower of every wine.

    To the measurements of the Wine data this adds what tables have in practice: text, a column
    that tells nothing, and missing cells, most of them in the wines of one grower.
    """
    wine = load_wine()
    rng = np.random.default_rng(0)
    columns = dict(zip(wine.feature_names, wine.data.T.copy(), strict=True))
    shade = np.searchsorted([2.5, 4, 5.5, 7, 9], columns.pop("color_intensity"))
    columns["shade"] = np.array(SHADES, dtype=object)[shade]
    columns["shelf"] = rng.choice(np.array(["A", "B", "C"], dtype=object), len(shade))
    columns["flavanoids"][rng.random(len(shade)) < 0.1] = np.nan
    columns["shade"][rng.random(len(shade)) < 0.1] = None
    columns["hue"][(wine.target == 1) & (rng.random(len(shade)) < 0.6)] = np.nan
    return columns, np.array(["Ada", "Bob", "Cleo"])[wine.target]


def as_table(columns: dict[str, np.ndarray]) -> Any:
    """Return a pandas frame, or an array of objects where pandas is not installed."""
    try:
        import pandas as pd
    except ImportError:
        return np.column_stack([column.astype(object) for column in columns.values()])
    return pd.DataFrame(columns)


def level_lines(partitions: list[Any]) -> list[str]:
    """One line per column: name, level, a bar."""
    width = max(len(partition.name) for partition in partitions)
    return [
        f"  {p.name.ljust(width)}  {p.level:.3f}  {'#' * round(BAR * p.level)}".rstrip()
        for p in partitions
    ]


def page(partitions: list[Any]) -> str:
    """A page with the picture that a notebook would show of every partition."""
    pictures = "\n".join(partition._repr_html_() for partition in partitions)
    title = escape("modlearn: which columns tell the grower of a wine")
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="utf-8"><title>{title}</title>\n'
        "<style>body { font: 15px sans-serif; margin: 2em auto; max-width: 60em; padding: 0 1em }\n"
        "body > div { margin: 2em 0 } td, th { padding: 0 1em 0 0; text-align: right }</style>\n"
        f"</head>\n<body>\n<h1>{title}</h1>\n{pictures}\n</body>\n</html>\n"
    )


def write(path: Path, text: str) -> None:
    """Replace a file as a whole, so that nobody sees half of it."""
    unfinished = path.with_name(f".{os.getpid()}-{path.name}")
    unfinished.write_text(text, encoding="utf-8")
    unfinished.replace(path)


if __name__ == "__main__":
    main()

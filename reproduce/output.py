"""Where a figure and its numbers go, and how the figures look."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import matplotlib as mpl

__all__ = ["BLUE", "GRAY", "GREEN", "ORANGE", "arguments_with_out", "run", "write"]

# Okabe and Ito's colors, told apart by color-blind readers too.
BLUE, ORANGE, GREEN, GRAY = "#0072B2", "#E69F00", "#009E73", "#666666"

FOLDER = Path(__file__).parents[1] / "docs" / "figures"

STYLE = {
    "font.size": 11,
    "axes.titlesize": 12,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#e6e6e6",
    "legend.frameon": False,
    "savefig.dpi": 150,
    "figure.facecolor": "white",
    "figure.constrained_layout.use": True,
}


def run(*figures: ModuleType) -> None:
    """Compute and draw figures into the folder that the command line names.

    A module of a figure has ``compute``, which gives its numbers as plain Python, and ``draw``,
    which makes a picture from them and nothing else.
    """
    description = figures[0].__doc__ if len(figures) == 1 else None
    folder = arguments_with_out(description).parse_args().out
    for figure in figures:
        write(figure, figure.compute(), folder)


def arguments_with_out(description: str | None) -> argparse.ArgumentParser:
    """Parser with the option that every figure has."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--out", type=Path, default=FOLDER, help="folder for the figures")
    return parser


def write(figure: ModuleType, numbers: dict[str, Any], folder: Path) -> None:
    """Draw the numbers of a figure, and save both."""
    folder.mkdir(parents=True, exist_ok=True)
    with mpl.rc_context(STYLE):
        _write(folder / f"{_name(figure)}.png", figure.draw(numbers).savefig)
    _write(folder / f"{_name(figure)}.json", lambda path: _write_json(path, numbers))
    print(folder / f"{_name(figure)}.png")


def _name(figure: ModuleType) -> str:
    """Name of the module's file; the module that is run is called __main__."""
    return Path(str(figure.__file__)).stem


def _write(path: Path, save: Callable[[Path], Any]) -> None:
    """Save under another name first, so that readers never see half a file."""
    unfinished = path.with_name(f".{os.getpid()}-{path.name}")
    try:
        save(unfinished)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)


def _write_json(path: Path, numbers: dict[str, Any]) -> None:
    path.write_text(json.dumps(numbers, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")

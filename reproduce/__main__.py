"""Recompute every figure."""

from reproduce import (
    bondu_figure1,
    bondu_figure3,
    bondu_figure5,
    boulle_figure1,
    boulle_figure2,
    boulle_figure3,
    overview,
)
from reproduce.output import run

FIGURES = (
    bondu_figure1,
    bondu_figure3,
    bondu_figure5,
    boulle_figure1,
    boulle_figure2,
    boulle_figure3,
    overview,
)

if __name__ == "__main__":
    run(*FIGURES)

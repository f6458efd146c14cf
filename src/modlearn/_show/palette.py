"""The colors of classes, once for the page, for notebooks and for plots."""

from __future__ import annotations

__all__ = ["COLORS", "GRAY", "style_of_classes"]

# Okabe and Ito's colors, which color-blind readers can distinguish; the last is for "other".
COLORS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#888888")

# The same on a dark ground, a little lighter.
DARK = ("#3F9BDC", "#EEB03A", "#2FBF94", "#D996BB", "#8ACCF2", "#F0814A", "#ECE26A", "#7B8694")

GRAY = COLORS[-1]
"""Of guides, and of what is not singled out."""


def style_of_classes() -> str:
    """Return CSS: the colors as variables ``--c0`` to ``--c7``, and a class ``c0`` ... for each."""
    classes = " ".join(f".c{i} {{ --c: var(--c{i}); }}" for i in range(len(COLORS)))
    dark = f"@media screen and (prefers-color-scheme: dark) {{ {_variables(DARK)} }}"
    return f"{_variables(COLORS)}\n{dark}\n{classes}\n"


def _variables(colors: tuple[str, ...]) -> str:
    return f":root {{ {' '.join(f'--c{i}: {color};' for i, color in enumerate(colors))} }}"

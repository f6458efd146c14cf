"""Limits that the writer and the reader of a model file share."""

__all__ = [
    "MOST_BINS",
    "MOST_COUNT",
    "MOST_CURVES",
    "MOST_EXAMPLES",
    "MOST_POINTS",
    "MOST_REASONS",
    "MOST_SCORE",
]

MOST_COUNT = 2**53
"""Counts are below this: beyond it they are not exact as floats."""

MOST_POINTS = 100
"""Points of a ROC or lift curve."""

MOST_CURVES = 30
"""Classes with a curve of their own."""

MOST_BINS = 10
"""Bins of a calibration curve."""

MOST_EXAMPLES = 100
"""Test rows that are explained."""

MOST_REASONS = 6
"""Reasons per explained row."""

MOST_SCORE = 1e100
"""Scores are smaller than this in magnitude, so that no sum of them overflows."""

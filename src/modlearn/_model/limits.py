"""Limits that the writer and the reader of a model file share."""

__all__ = [
    "CALIBRATION_BINS",
    "MOST_CELLS",
    "MOST_COST",
    "MOST_COUNT",
    "MOST_CURVES",
    "MOST_EXAMPLES",
    "MOST_MICROSECONDS",
    "MOST_POINTS",
    "MOST_REASONS",
    "MOST_SCORE",
]

MOST_COUNT = 2**53
"""Upper limit of counts: larger ones are not exact as floats."""

MOST_POINTS = 100
"""Most points of a ROC or lift curve."""

MOST_CURVES = 30
"""Most classes that have a curve."""

CALIBRATION_BINS = 10
"""Bins of a calibration curve; those without rows are left out."""

MOST_EXAMPLES = 100
"""Most test rows that are explained."""

MOST_REASONS = 6
"""Most reasons per explained row."""

MOST_SCORE = 1e100
"""Upper limit of the magnitude of scores, so that no sum of them overflows."""

MOST_COST = 1e100
"""Upper limit of the cost of an error, so that no sum of them overflows."""

MOST_MICROSECONDS = 2.0**63
"""Upper limit of the magnitude of dates and durations, which are 64-bit integers."""

MOST_CELLS = 1_000
"""Most cells of the axes of a tree; exports list the scores of each."""

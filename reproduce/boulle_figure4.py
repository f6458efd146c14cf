"""Boullé 2007, figure 4: accuracy beyond the majority class, of one column, a pair, and all."""

from matplotlib.figure import Figure

from reproduce.boulle_table2 import RESULTS, accuracies
from reproduce.differences import differences, draw_differences

REFERENCE, METHODS = "M", ("NB1", "B2", "B1")


def compute() -> dict:
    """Differences of accuracy by set and classifier."""
    return differences(accuracies(RESULTS), REFERENCE, METHODS)


def draw(numbers: dict) -> Figure:
    """A line per classifier over the sets."""
    return draw_differences(numbers, "Accuracy beyond that of the majority class")

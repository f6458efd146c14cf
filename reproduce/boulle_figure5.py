"""Boullé 2007, figure 5: accuracy beyond naive Bayes, by pairs and by the choice of variables."""

from matplotlib.figure import Figure

from reproduce.boulle_table2 import RESULTS, accuracies
from reproduce.differences import differences, draw_differences

REFERENCE, METHODS = "NB1", ("SNB2", "NB2", "SNB1")


def compute() -> dict:
    """Differences of accuracy by set and classifier."""
    return differences(accuracies(RESULTS), REFERENCE, METHODS)


def draw(numbers: dict) -> Figure:
    """A line per classifier over the sets."""
    return draw_differences(numbers, "Accuracy beyond that of naive Bayes without pairs (NB1)")

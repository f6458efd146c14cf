"""The propagation pipeline, from a table and a few labels to a fitted model."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from modlearn._neighbors.distributions import LabelDistributions, average_over, spread_labels
from modlearn._neighbors.graph import Graph, SearchedNeighbors
from modlearn._neighbors.labels import Decision, make_decision, read_label_distributions
from modlearn._neighbors.precomputed import PrecomputedNeighbors
from modlearn._neighbors.validation import HeldOutLabels, hold_out_labels
from modlearn._parallel import Progress, no_progress
from modlearn._tables.memory.target import read_votes

Neighborhood = SearchedNeighbors | PrecomputedNeighbors

__all__ = ["PropagationModel", "PropagationSettings", "propagate_labels"]


@dataclass(frozen=True)
class PropagationSettings:
    """How labels spread; see LabelDistributionPropagation for the meaning of each field."""

    n_neighbors: int = 10
    sweeps: int = 10
    representation: str = "auto"
    engine: str = "auto"
    class_prior: Any = "empirical"
    abstain: Any = None
    unlabeled: Any = -1
    held_out_score: bool = False
    n_threads: int = 1


@dataclass(frozen=True, eq=False)
class PropagationModel:
    """Training rows with their label distributions, and what is needed to score new rows."""

    neighborhood: Neighborhood  # finds the neighbors of new rows among the training rows
    rows: LabelDistributions  # what is known about each training row
    weights: NDArray[np.float64] | None  # (n,), how much each training row counts as a neighbor
    decision: Decision  # how distributions become classes
    order: NDArray[np.int32]  # (n_decided,), unlabeled rows in the order in which they were decided
    # How many labels are predicted correctly from the others, if that was requested and there are
    # two labels of a class.
    held_out: HeldOutLabels | None = None

    def average(self, X: Any, n_threads: int) -> LabelDistributions:
        """Return the average of the nearest training rows, for each row of X."""
        found = self.neighborhood.of_new(X)
        return average_over([(found.pointer, found.rows)], self.weights, self.rows, n_threads)


def propagate_labels(
    X: Any,
    y: Any,
    settings: PropagationSettings,
    sample_weight: Any = None,
    progress: Progress = no_progress,
) -> tuple[PropagationModel, Graph]:
    """Spread the labels of y over the rows of X: embed, find neighbors, propagate, decide.

    The graph of neighbors is returned too, as the model does not keep it.
    """
    neighborhood = _neighborhood(X, settings)
    labels = read_label_distributions(y, neighborhood.n_rows, settings.unlabeled)
    weights = read_votes(sample_weight, neighborhood.n_rows)
    decision = make_decision(
        labels.classes, labels.prior(weights), settings.class_prior, settings.abstain
    )
    graph = neighborhood.of_rows(partial(progress, "neighbors")).graph()
    sweeps, n_threads = settings.sweeps, settings.n_threads
    held_out = None
    if settings.held_out_score:
        held_out = hold_out_labels(
            graph, labels.distributions, weights, decision, sweeps, n_threads, progress
        )
    rows, order = spread_labels(graph, labels.distributions, weights, sweeps, n_threads, progress)
    return PropagationModel(neighborhood, rows, weights, decision, order, held_out), graph


def _neighborhood(X: Any, settings: PropagationSettings) -> Neighborhood:
    """Return the source of neighbors: a search, or a precomputed graph."""
    if settings.representation == "precomputed":
        return PrecomputedNeighbors(X, settings.n_neighbors)
    return SearchedNeighbors(
        X, settings.representation, settings.engine, settings.n_neighbors, settings.n_threads
    )

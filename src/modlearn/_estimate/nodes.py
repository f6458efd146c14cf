"""Rows and the nodes of the graph: mostly one each, but very many equal rows are one node."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from modlearn._model.propagation import LabelDistributions

__all__ = ["Nodes"]

Weights = NDArray[np.float64] | None


class Nodes:
    """The node of each row, and what rows and nodes know of each other.

    Parameters
    ----------
    of_row : ndarray of shape (n,), int
        Node of each row.
    """

    def __init__(self, of_row: NDArray[np.intp]) -> None:
        self.of_row = of_row
        self.n_nodes = int(of_row.max()) + 1

    def labels(self, labels: NDArray[np.float64], weights: Weights) -> NDArray[np.float64]:
        """Mean label of the labelled rows of each node, shape (n_nodes, J)."""
        counts = np.ones(len(labels)) if weights is None else weights
        counts = np.where(np.any(labels, axis=1), counts, 0.0)
        totals = self._summed(counts)
        columns = [self._summed(counts * column) for column in labels.T]
        return np.column_stack(columns) / np.where(totals > 0, totals, 1.0)[:, None]

    def weights(self, weights: Weights) -> Weights:
        """Mean weight of the rows of each node, shape (n_nodes,)."""
        if weights is None:
            return None
        return self._summed(weights) / self._summed(np.ones(len(weights)))

    def _summed(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.bincount(self.of_row, values, self.n_nodes).astype(np.float64, copy=False)

    def rows(self, nodes: LabelDistributions, labels: NDArray[np.float64]) -> LabelDistributions:
        """What is known of each row: its own label, or else that of its node."""
        known, masses = nodes.known[self.of_row], nodes.masses[self.of_row]
        totals = labels.sum(1)
        own = totals > 0
        known[own] = labels[own] / totals[own, None]
        masses["high"][own], masses["exponent"][own] = np.frexp(totals[own])
        masses["low"][own] = 0.0
        return LabelDistributions(known, masses)

    def order(
        self, order: NDArray[np.int32], rows: LabelDistributions, labels: NDArray[np.float64]
    ) -> NDArray[np.int32]:
        """Rows in the order in which their nodes were decided, those with a label first."""
        place = np.full(self.n_nodes, -1)
        place[order] = np.arange(len(order))
        open_rows = np.flatnonzero(~np.any(labels, axis=1) & ~rows.undecided)
        ranked = np.argsort(place[self.of_row[open_rows]], kind="stable")
        return open_rows[ranked].astype(np.int32)

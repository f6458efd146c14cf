"""How accurate spread labels are, and why rows remain undecided."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from modlearn._neighbors.distributions import LabelDistributions, spread_labels
from modlearn._neighbors.graph import Graph
from modlearn._neighbors.labels import Decision
from modlearn._parallel import Progress, no_progress

__all__ = ["HeldOutLabels", "UndecidedRows", "hold_out_labels", "undecided_rows"]

FOLDS = 10
"""Number of parts that are held out in turn."""

FEWER_FOLDS, MANY_ROWS = 3, 100_000
"""In larger tables, fewer parts are held out, as all labels spread again for each of them."""

Codes = NDArray[np.int64]


@dataclass(frozen=True)
class HeldOutLabels:
    """Labels that were held out in turn, and predicted from the others."""

    n_folds: int  # number of parts that the labels were divided into
    # Labels that were held out; predicted correctly; and not reached by the others.
    n_rows: int
    n_right: int
    n_undecided: int
    most_frequent: int  # index of the most frequent class among them
    n_most_frequent: int  # labels of this class, which always predicting it would get right


def hold_out_labels(
    graph: Graph,
    labels: NDArray[np.float64],
    weights: NDArray[np.float64] | None,
    decision: Decision,
    sweeps: int,
    n_jobs: int,
    progress: Progress = no_progress,
) -> HeldOutLabels | None:
    """Hold out the labels in turn, spread the others, and compare.

    Folds have about equal shares of every class, and do not depend on chance. A class with a single
    label cannot be predicted without it, so it is not tested. None = no class has two labels.
    `labels` (n, J) and `weights` (n,) are those of ``spread_labels``; the class of a row is its
    most probable one.
    """
    codes = np.where(labels.any(axis=1), labels.argmax(axis=1), -1)
    counts = np.bincount(codes[codes >= 0], minlength=labels.shape[1])
    tested = np.flatnonzero((codes >= 0) & (counts[codes] > 1))
    if not tested.size:
        return None
    n_folds = min(FOLDS if len(codes) <= MANY_ROWS else FEWER_FOLDS, len(tested))
    # Rows of a class are dealt to the folds one after another, and the next class continues; the
    # classes come in the order of their first rows, whatever their names.
    first = np.full(len(counts), len(codes))
    np.minimum.at(first, codes[tested], tested)
    tested = tested[np.argsort(first[codes[tested]], kind="stable")]
    folds = [tested[k::n_folds] for k in range(n_folds)]
    known, masses = [], []
    for k, held in enumerate(folds):
        train = labels.copy()
        train[held] = 0.0
        rows, _ = spread_labels(graph, train, weights, sweeps, n_jobs, lambda *_: None)
        known.append(rows.known[held])
        masses.append(rows.masses[held])
        progress("held-out labels", k + 1, n_folds)
    held_out = LabelDistributions(np.concatenate(known), np.concatenate(masses))
    truth, undecided = codes[np.concatenate(folds)], held_out.undecided
    right = (decision.probabilities(held_out).argmax(axis=1) == truth) & ~undecided
    most = int(np.bincount(truth).argmax())
    return HeldOutLabels(
        n_folds=n_folds,
        n_rows=len(tested),
        n_right=int(right.sum()),
        n_undecided=int(undecided.sum()),
        most_frequent=most,
        n_most_frequent=int((truth == most).sum()),
    )


@dataclass(frozen=True)
class UndecidedRows:
    """Rows that no label reaches."""

    n_rows: int  # number of these rows
    # For each group of rows that are neighbors only of each other, the number of its rows and the
    # first one, the largest group first.
    groups: tuple[tuple[int, int], ...]
    # Undecided rows outside these groups: a label is connected to them, but too far away.
    n_far: int


def undecided_rows(graph: Graph, codes: Codes, undecided: NDArray[np.bool_]) -> UndecidedRows:
    """Find the groups of rows that no label reaches, from neighbor to neighbor in any direction."""
    n = len(codes)
    edges = np.ones(len(graph.rows), dtype=np.int8)
    matrix = sp.csr_array((edges, graph.rows, graph.pointer), shape=(n, n))
    _, group = connected_components(matrix, directed=True, connection="weak")
    has_label = np.zeros(group.max(initial=-1) + 1, dtype=bool)
    has_label[group[codes >= 0]] = True
    rows = np.flatnonzero(undecided & ~has_label[group])
    _, first, sizes = np.unique(group[rows], return_index=True, return_counts=True)
    # Groups of equal size come in the order of their first rows.
    order = np.lexsort((first, -sizes))
    groups = tuple((int(sizes[i]), int(rows[first[i]])) for i in order)
    n_rows = int(undecided.sum())
    return UndecidedRows(n_rows, groups, n_rows - len(rows))

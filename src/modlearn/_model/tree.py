"""A tree on three columns or more, as the leaf of every cell of a grid on these columns."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from modlearn._model.forms import Counts, Items, RecordPosition
from modlearn._model.grid import PARTITION
from modlearn._model.limits import MOST_CELLS
from modlearn._model.merging import merged
from modlearn._model.partitions import Groups, Level, Partition
from modlearn._model.printing import FrameMixin, PrintMixin
from modlearn._model.record import Fault, Record
from modlearn._statistics.batches import Batch
from modlearn.criteria import part_log_odds

__all__ = ["Branch", "Tree"]


@dataclass(frozen=True)
class Branch:
    """A node of a tree that is divided.

    Parameters
    ----------
    axis : int
        Which of the columns divides it.
    following : tuple of int
        What follows for each part of the axis: the number of a later branch, or the number of
        branches plus that of a leaf.
    """

    axis: int
    following: tuple[int, ...]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Tree(PrintMixin, FrameMixin, Record):
    """Leaves that rows of several columns reach, each with its own class distribution.

    Each column has an axis: the parts made by all cuts of the tree. A row falls in a cell, which
    has one part of every axis, and the cell is in one leaf. Paths that lead to similar class
    distributions share a leaf.

    Parameters
    ----------
    axes : tuple of Partition
        The parts of each column, with their rows per class whatever the other columns hold.
    branches : tuple of Branch
        The nodes that are divided, the root first.
    counts : ndarray of shape (L, J), int64
        Labeled rows per leaf and class, the largest leaf first.
    cost, null_cost : float
        Cost of this tree and of a single leaf: minus the log of their probability, in nats.
    level : float
        How informative the tree is about the target: 1 - cost / null_cost, 0 = not at all.
    synergy : float
        What the tree saves beyond what its columns save alone, in pairs, or in smaller trees, in
        nats.

    See Also
    --------
    Grid : The parts of two columns together.
    Intervals : The parts of one column whose values have an order.
    Groups : The parts of one column whose values have no order.

    Examples
    --------
    >>> import pandas as pd
    >>> from modlearn import AdditiveClassifier
    >>> bits = pd.DataFrame([[k % 2, k // 2 % 2, k // 4 % 2] for k in range(400)], columns=[*"abc"])
    >>> is_odd = bits.sum(axis=1) % 2 == 1
    >>> tree = AdditiveClassifier(pairs=True).fit(bits, is_odd).trees_["a", "b", "c"]
    >>> tree.counts
    array([[200,   0],
           [  0, 200]])
    """

    axes: Annotated[tuple[Partition, ...], Items(PARTITION)]
    branches: tuple[Branch, ...]
    counts: Annotated[NDArray[np.int64], Counts((None, "classes"))]
    cost: float
    null_cost: float
    level: Level
    synergy: float

    @property
    def columns(self) -> tuple[Hashable, ...]:
        """Names of the columns."""
        return tuple(axis.name for axis in self.axes)

    @property
    def name(self) -> str:
        """All names in one text."""
        return " × ".join(map(str, self.columns))

    @property
    def classes(self) -> NDArray[Any]:
        """The classes of the target."""
        return self.axes[0].classes

    @property
    def class_names(self) -> list[str]:
        """The classes as text."""
        return self.axes[0].class_names

    @property
    def n_parts(self) -> int:
        """Number of leaves."""
        return len(self.counts)

    @property
    def cells(self) -> NDArray[np.int64]:
        """Rows per leaf and class, shape (L, J)."""
        return self.counts

    @property
    def log_odds(self) -> NDArray[np.float64]:
        """Log-likelihood ratio per leaf and class, shape (L, J)."""
        return part_log_odds(self.counts)

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of parts of each axis."""
        return tuple(axis.n_parts for axis in self.axes)

    @cached_property
    def part_of_cell(self) -> NDArray[np.intp]:
        """The leaf of every cell, the parts of the last axis running fastest."""
        # Later branches have higher numbers, and leaves the highest.
        at = np.zeros(self.shape, dtype=np.intp)
        for number, branch in enumerate(self.branches):
            here = np.nonzero(at == number)
            at[here] = np.array(branch.following)[here[branch.axis]]
        return at.ravel() - len(self.branches)

    def codes_in(self, batch: Batch) -> NDArray[np.int32]:
        """Return the leaf of every row of a batch; -1 = an unseen value on any axis.

        Parameters
        ----------
        batch : Batch
            Rows that have the columns.

        Returns
        -------
        ndarray of int32
        """
        cells = np.zeros(batch.n_rows, dtype=np.intp)
        unseen = np.zeros(batch.n_rows, dtype=np.bool_)
        for axis in self.axes:
            codes = axis.codes_in(batch)
            unseen |= codes < 0
            cells = cells * axis.n_parts + codes
        cells[unseen] = 0
        return np.where(unseen, -1, self.part_of_cell[cells]).astype(np.int32)

    def fits(self, partitions: Mapping[Hashable, Partition]) -> bool:
        """Whether each axis is of the same type as the partition of its column.

        Parameters
        ----------
        partitions : mapping of name to Partition
            The partitions of all columns.

        Returns
        -------
        bool
        """
        return all(type(axis) is type(partitions[axis.name]) for axis in self.axes)

    @cached_property
    def paths(self) -> list[list[str]]:
        """The paths to each leaf in words, such as ``persons in {4, more} and lug in {big}``."""
        found: list[list[str]] = [[] for _ in range(self.n_parts)]
        for leaf, passed in self._walk(0, [np.ones(n, dtype=np.bool_) for n in self.shape]):
            found[leaf].append(" and ".join(self._conditions(passed)))
        return found

    @cached_property
    def labels(self) -> list[str]:
        """A readable label per leaf: its paths."""
        return [" or ".join(paths) for paths in self.paths]

    @cached_property
    def ways(self) -> list[list[tuple[str, int]]]:
        """What follows each branch: the values that lead there in words, and its number.

        Numbers are those of ``Branch.following``: of a branch, or of a leaf after all branches.
        """
        found: list[list[tuple[str, int]]] = [[] for _ in self.branches]
        ahead = [(0, [np.ones(n, dtype=np.bool_) for n in self.shape])]
        while ahead:
            number, passed = ahead.pop()
            for one, kept in self._following(number, passed):
                axis = self.branches[number].axis
                found[number].append((_label(self.axes[axis], kept[axis]), one))
                if one < len(self.branches):
                    ahead.append((one, kept))
        return found

    def _following(
        self, number: int, passed: list[NDArray[np.bool_]]
    ) -> Iterator[tuple[int, list[NDArray[np.bool_]]]]:
        """Yield what follows a branch, and the parts of the axes that lead there."""
        branch = self.branches[number]
        following, own = np.array(branch.following), passed[branch.axis]
        for one in dict.fromkeys(following[own].tolist()):
            kept = list(passed)
            kept[branch.axis] = own & (following == one)
            yield one, kept

    def _walk(
        self, number: int, passed: list[NDArray[np.bool_]]
    ) -> Iterator[tuple[int, list[NDArray[np.bool_]]]]:
        """Yield the leaf at the end of each path below a node, and the parts of the axes on it."""
        if number >= len(self.branches):
            yield number - len(self.branches), passed
            return
        for one, kept in self._following(number, passed):
            yield from self._walk(one, kept)

    def _conditions(self, passed: list[NDArray[np.bool_]]) -> Iterator[str]:
        """Yield a condition for each column that a path asks for."""
        for axis, parts in zip(self.axes, passed, strict=True):
            if not parts.all():
                yield f"{axis.name} in {_label(axis, parts)}"

    def fault(self, at: RecordPosition) -> Fault | None:
        """Say which field of a record contradicts the others."""
        names = set(self.columns)
        if len(self.axes) < 3 or len(names) < len(self.axes) or prod(self.shape) > MOST_CELLS:
            return ("axes",), f"a list of three columns or more, with at most {MOST_CELLS:,} cells"
        totals = self.counts.sum(axis=0)
        if not all(np.array_equal(axis.counts.sum(axis=0), totals) for axis in self.axes):
            return ("counts",), "the rows of its axes"
        if not self.branches or not self._is_tree():
            return ("branches",), f"a tree with {self.n_parts} leaves, each branch after its own"
        return None

    def _is_tree(self) -> bool:
        """Whether each branch follows exactly one earlier branch, and all leaves are reached."""
        n_branches, reached = len(self.branches), []
        for number, branch in enumerate(self.branches):
            following = set(branch.following)
            if branch.axis >= len(self.axes) or (
                len(branch.following) != self.axes[branch.axis].n_parts or min(following) <= number
            ):
                return False
            reached += [one for one in following if one < n_branches]
        leaves = {n for one in self.branches for n in one.following if n >= n_branches}
        wanted = set(range(n_branches, n_branches + self.n_parts))
        return sorted(reached) == list(range(1, n_branches)) and leaves == wanted


def _label(axis: Partition, parts: NDArray[np.bool_]) -> str:
    """Return some parts of an axis in words, adjacent intervals as one."""
    runs = (~parts).astype(np.intp) if isinstance(axis, Groups) else _runs(parts)
    inside = np.unique(runs[parts]).tolist()
    labels = merged(axis, runs).labels
    return " or ".join(labels[run] for run in inside)


def _runs(parts: NDArray[np.bool_]) -> NDArray[np.intp]:
    """Return the number of the run of equal values that each one is in."""
    return np.concatenate(([0], np.cumsum(np.diff(parts))))

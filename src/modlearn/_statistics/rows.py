"""The protocols that every table implements, wherever its rows are stored."""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from modlearn._statistics.batches import LabeledBatch, RowParts
from modlearn._statistics.categories import CategoryCounts
from modlearn._statistics.numeric import NumericCounts
from modlearn._statistics.pairs import PairCounts
from modlearn._statistics.profiles import Profiles
from modlearn._statistics.scores import ScoredRows
from modlearn._statistics.summary import ColumnSummary
from modlearn.schema import Column, Schema, TargetSpec

__all__ = [
    "BinnedRows",
    "Bins",
    "Counting",
    "Division",
    "Fold",
    "Rows",
    "Scorer",
    "Split",
]

Pair = tuple[Hashable, Hashable]


@dataclass(frozen=True)
class Split:
    """How a table divides its labeled rows into training rows and test rows."""

    n_folds: int  # number of folds; 1 = a part is held out
    share: float | None  # share of the rows that is held out; None = folds
    seed: int  # random seed for the order of the rows
    # Name of a column whose equal values are never in both training rows and test rows.
    group: Hashable | None = None
    # Name of a column: the last share of the rows is tested in `n_folds` parts, each by what was
    # learned from the rows before it.
    time: Hashable | None = None
    # Training rows and test rows as the user divides them.
    parts: tuple[tuple[NDArray[np.intp], NDArray[np.intp]], ...] | None = None


@dataclass(frozen=True)
class Fold:
    """Training rows, which include the unlabeled ones, and test rows."""

    train: Rows
    test: Rows


@dataclass(frozen=True)
class Division:
    """All rows, and the folds they are divided into; they share their counts.

    `n_groups` = the number of groups of labeled rows, where whole groups are dealt out to folds.
    """

    whole: Rows
    folds: tuple[Fold, ...]
    n_groups: int | None = None


@dataclass(frozen=True)
class Bins:
    """A coarse view of a column, for counting many pairs at once."""

    column: Hashable
    bin_of_value: NDArray[np.uint8]  # (V,), bin of each of its distinct labeled values


@dataclass(frozen=True)
class Counting:
    """How an engine counted rows that stay where they are."""

    engine: str
    n_by_value: int  # number of columns that were counted by value, without those that were merged
    # Columns that were counted in bins refined around their cuts, with the number of bins.
    bins: Mapping[Hashable, int]
    n_sampled: int | None  # number of labeled rows that weights are learned from; None = all
    n_pair_bins: int | None  # most bins of a column in a pair; None = pairs are counted by value
    # Columns that were counted by value, one range of values after the other.
    ranges: tuple[Hashable, ...] = ()
    # Those of them whose values had to be merged to runs, with the number of runs.
    merged: Mapping[Hashable, int] = field(default_factory=dict)
    # Columns with too many values, whose rare ones were counted together.
    pooled: tuple[Hashable, ...] = ()


class BinnedRows(Protocol):
    """Labeled rows by the bins of several columns."""

    def cells(self, pairs: NDArray[np.int64]) -> NDArray[np.int64]:
        """Count the rows of pairs (P, 2) of columns by bin and class, shape (P, I, I, J)."""
        ...


class Scorer(Protocol):
    """Scores test rows where they are."""

    @property
    def engine(self) -> str:
        """Name of the engine."""
        ...

    @property
    def n_scored(self) -> int:
        """Number of rows that were scored; 0 if none were so far."""
        ...

    @property
    def steps(self) -> int:
        """Curves and AUC use log-odds rounded to 1/steps: probabilities move by 1/(8 steps)."""
        ...

    @property
    def failure(self) -> str:
        """Why the rows could not be scored, in the words of the engine; empty if they could."""
        ...

    @property
    def sample(self) -> Rows:
        """Some of the rows, in memory."""
        ...

    def scored(self, model: Any, positive: int | None, ranked: Sequence[int]) -> ScoredRows | None:
        """Score the rows by a model, and rank them by the probabilities of some classes.

        `positive` is the class of interest. None if the rows are better read in batches: there are
        few, or the engine cannot score them.
        """
        ...


class Rows(Protocol):
    """The rows of a table with a target, as the statistics that models are learned from.

    In memory, statistics are exact at full resolution. An engine may return fine bins instead.
    """

    @property
    def schema(self) -> Schema:
        """The columns."""
        ...

    @property
    def target(self) -> TargetSpec:
        """The classes and their rows."""
        ...

    @property
    def n_rows(self) -> int:
        """Number of rows, unlabeled ones included."""
        ...

    @property
    def counting(self) -> Counting | None:
        """How an engine has counted the rows so far; None = they are in memory."""
        ...

    def stop(self) -> None:
        """Stop what an engine counts in other threads, as the job has failed or was interrupted."""
        ...

    @property
    def scorer(self) -> Scorer | None:
        """What scores test rows where they are; None = they are read in batches."""
        ...

    def select(self, columns: Sequence[Column]) -> Rows:
        """Return these rows with only some of the columns, and with views of them."""
        ...

    def sample(self, n_rows: int, seed: int, labeled: bool = False) -> Rows:
        """Return a random sample of the rows, or of the labeled ones; all if there are fewer."""
        ...

    def divide(self, split: Split) -> Division:
        """Divide the rows into folds, whose statistics are those of all rows minus a fold."""
        ...

    def summaries(self, names: Sequence[Hashable]) -> list[ColumnSummary]:
        """Summarize columns."""
        ...

    def numeric(self, names: Sequence[Hashable]) -> list[NumericCounts]:
        """Count ordered columns by value and class."""
        ...

    def categories(self, names: Sequence[Hashable]) -> list[CategoryCounts]:
        """Count categorical columns by value and class."""
        ...

    def for_pairs(self, partitions: Sequence[Any]) -> tuple[Rows, Sequence[Any]]:
        """Return rows that count pairs of columns, and the partitions of those that it can pair.

        An engine answers there for all columns in the same few bins.
        """
        ...

    def around(self, grids: Mapping[Pair, Any], share: float) -> Iterator[tuple[Pair, Rows]]:
        """Yield pairs, each with rows whose bins are finer around the cuts of its grid.

        `share` = the share of the rows on each side of a cut that is divided into finer bins.
        Nothing is yielded where pairs are counted by value.
        """
        ...

    def cells(self, pairs: Sequence[Pair]) -> list[PairCounts]:
        """Count the labeled rows of pairs of columns by both values and class."""
        ...

    def binned(self, bins: Sequence[Bins], n_bins: int) -> BinnedRows:
        """Return a coarse view of the labeled rows, for counting many pairs."""
        ...

    def fingerprint(self) -> str:
        """Return a text that identifies the labeled rows and columns, in any order of rows."""
        ...

    def profiles(self, parts: Sequence[RowParts], n_jobs: int | None) -> Profiles:
        """Count the labeled rows by the parts they fall in and their class."""
        ...

    def batches(self, n_rows: int | None = None) -> Iterator[LabeledBatch]:
        """Yield the rows in batches of at most this number of rows, for scoring."""
        ...

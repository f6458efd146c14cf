"""PairEncoder: every pair of columns of a table."""

from __future__ import annotations

from dataclasses import replace
from os import PathLike
from typing import Any, ClassVar

from sklearn.utils._param_validation import StrOptions

from modlearn._estimators.output import OUTPUTS, PartitionLike
from modlearn._estimators.partitioner import PAIRS, Partitioner, TableEstimator, refuse_one_column
from modlearn._estimators.transformer_parts import TransformerParts
from modlearn._fit.columns import fit_partitions
from modlearn._fit.model import requested_pairs
from modlearn._fit.pairs import PairSearch, fit_pairs
from modlearn._parallel import Progress, no_progress
from modlearn._tables.memory.rows import MemoryRows

__all__ = ["PairEncoder"]


class PairEncoder(Partitioner):
    """Partition pairs of columns so that each pair is most informative about a target.

    Both columns of a pair are cut into intervals, or their values grouped, jointly: each cell of
    the resulting grid has its own class distribution. This reveals information that two columns
    carry only together, and columns that are redundant. There is nothing to tune.

    Parameters
    ----------
    pairs : {"all", True}, list of pairs of column names, int or float, default="all"
        Pairs to search: all; the pairs listed; the most promising ones, up to this number (int);
        or as many of those as can be started within this number of seconds (float). 1 is one pair,
        1.0 is one second. A pair is promising if a grid of 2 x 2, 4 x 4 or 8 x 8 cells, with cuts
        at quantiles, is more informative than the better of its columns cut at the same quantiles.
        This screening is quick, and it also finds columns that are not informative alone.
    output : {"code", "label", "onehot", "log_odds"}, default="code"
        What ``transform`` returns for a pair: the number of the cell; its readable label; an
        indicator column per cell; or its log-likelihood ratio for each class against the others
        (for two classes, only for the second).
    n_jobs : int, default=None
        Number of threads that work on pairs; -1 = all cores. The result does not depend on it.
    unlabeled : scalar, default=None
        A label that marks unlabeled rows, such as -1; missing labels always do. Each cut of a
        numeric column is moved to the median of the unlabeled values around it.
    checkpoint : path, default=None
        File in which finished pairs are saved; if it exists, the search resumes from it.
    progress : callable, default=None
        Called as ``progress(stage, done, total)`` during ``fit``.

    Attributes
    ----------
    grids_ : dict of (name, name) to Grid
        The grid of each pair: both partitions (``axes``), counts, cost, null_cost, level, gain,
        synergy. Print one to see its table.
    levels_ : dict of (name, name) to float
        How informative each pair is about the target, most informative first; 0 = not at all.
    gains_ : dict of (name, name) to float
        The level of each pair minus the level of its better column; negative if that column alone
        is the better model.
    synergy_ : dict of (name, name) to float
        What each pair saves beyond the sum of what its columns save alone, in nats. Positive: the
        columns are more informative together. Negative: they are redundant.
    partitions_ : dict of name to Intervals or Groups
        The partition of each column alone.
    complete_ : bool
        Whether all requested pairs were searched; False if the search was interrupted or its time
        was up.
    classes_ : ndarray
        The classes of the target.
    n_features_in_ : int
        Number of columns in the training data.
    feature_names_in_ : ndarray of str
        Names of the columns, if the table had any.

    See Also
    --------
    Encoder : Partitions each column alone.

    Examples
    --------
    Neither coin alone determines who wins, but both together do:

    >>> import pandas as pd
    >>> from modlearn import PairEncoder
    >>> coins = pd.DataFrame({"mine": ["head", "tail"] * 50, "yours": ["head"] * 50 + ["tail"] * 50})
    >>> wins = ["me" if same else "you" for same in coins["mine"] == coins["yours"]]
    >>> pairs = PairEncoder().fit(coins, wins)
    >>> {name: partition.level for name, partition in pairs.partitions_.items()}
    {'mine': 0.0, 'yours': 0.0}
    >>> {pair: round(level, 2) for pair, level in pairs.levels_.items()}
    {('mine', 'yours'): 0.78}
    >>> print(pairs.grids_["mine", "yours"])
    mine × yours: level 0.783, 2 × 2 cells, cost 15.80 against 72.79 for one cell, proven optimal; gain +0.783, synergy 56.98 nats
    rows of you / me
    mine \\ yours  {head}  {tail}
    {head}          0/25    25/0
    {tail}          25/0    0/25
    """  # noqa: E501

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **TableEstimator._parameter_constraints,
        "pairs": PAIRS,
        "output": [StrOptions(set(OUTPUTS))],
        "checkpoint": [str, PathLike, None],
        "progress": [callable, None],
    }

    def __init__(
        self,
        pairs: Any = "all",
        *,
        output: str = "code",
        n_jobs: int | None = None,
        unlabeled: Any = None,
        checkpoint: str | PathLike[str] | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.pairs = pairs
        self.output = output
        self.n_jobs = n_jobs
        self.unlabeled = unlabeled
        self.checkpoint = checkpoint
        self.progress = progress

    def _learn(self, rows: MemoryRows) -> tuple[TransformerParts, bool]:
        pairs = requested_pairs(self.pairs)
        if pairs is None:
            raise ValueError(
                "pairs is False, which leaves nothing to search: pass 'all', a number of pairs, or "
                "a list of pairs of column names."
            )
        refuse_one_column(rows.schema)
        partitions = fit_partitions(rows, self.n_jobs)
        progress = self.progress or no_progress
        search = PairSearch(pairs, self.n_jobs, progress, self.checkpoint)
        grids, complete = fit_pairs(rows, partitions, search)
        found = sorted(grids.values(), key=lambda grid: -grid.level)
        return TransformerParts(rows.target.classes, tuple(partitions), tuple(found)), complete

    def _learned(self) -> TransformerParts:
        return replace(super()._learned(), grids=tuple(self.grids_.values()))

    def _show(self, learned: TransformerParts, complete: bool) -> None:
        super()._show(learned, complete)
        self.complete_ = complete
        self.grids_ = {grid.names: grid for grid in learned.grids}
        self.levels_ = {pair: grid.level for pair, grid in self.grids_.items()}
        self.gains_ = {pair: grid.gain for pair, grid in self.grids_.items()}
        self.synergy_ = {pair: grid.synergy for pair, grid in self.grids_.items()}

    def _shown(self) -> list[tuple[tuple[int, ...], PartitionLike]]:
        index = {name: i for i, name in enumerate(self.partitions_)}
        return [
            ((index[first], index[second]), grid) for (first, second), grid in self.grids_.items()
        ]

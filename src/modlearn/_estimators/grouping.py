"""Grouper: groups of the values of categorical columns."""

from __future__ import annotations

from typing import Any

from modlearn._estimators.partitioner import Partitioner
from modlearn.schema import Column

__all__ = ["Grouper"]


class Grouper(Partitioner):
    """Replace categories by the groups of categories that are most informative about a target.

    Each column gets the most probable grouping of its values under the MODL criterion. Columns of
    any type can be grouped; numbers are treated as categories. Missing is a value of its own. A
    value never seen in the training data belongs to no group: its code is -1.

    Parameters
    ----------
    max_parts : int, default=None
        Maximum number of groups per column; None = as many as the data justify.
    min_part_size : int, default=1
        Minimum number of labeled rows per group.
    n_jobs : int, default=None
        Number of threads that work on columns; -1 = all cores.
    unlabeled : scalar, default=None
        A label that marks unlabeled rows, such as -1; missing labels always do. Unlabeled rows are
        not used: categories have no order, so a value is not informative about others.

    Attributes
    ----------
    partitions_ : dict of str to Groups
        The groups of each column: groups, counts, cost, null_cost, level, proven_optimal. Print
        one to see its table.
    levels_ : dict of str to float
        How informative each column is about the target, most informative first; 0 = not at all.
    classes_ : ndarray
        The classes of the target.
    n_features_in_ : int
        Number of columns in the training data.
    feature_names_in_ : ndarray of str
        Names of the columns, if the table had any.

    See Also
    --------
    Discretizer : Cuts numeric columns into intervals.
    Encoder : Partitions every column of a table, whatever its type.

    Examples
    --------
    >>> from modlearn import Grouper
    >>> colors = [["red"], ["blue"], ["green"]] * 20
    >>> safe = ["no", "yes", "yes"] * 20
    >>> grouper = Grouper().fit(colors, safe)
    >>> print(grouper.partitions_["x0"])
    x0: level 0.776, 2 parts, cost 9.24 against 41.18 for one part, proven optimal
                   no  yes  rows
    {blue, green}   0   40    40
    {red}          20    0    20
    >>> grouper.transform([["green"], ["red"], ["gray"]]).ravel()
    array([ 0,  1, -1])
    """

    def __init__(
        self,
        *,
        max_parts: int | None = None,
        min_part_size: int = 1,
        n_jobs: int | None = None,
        unlabeled: Any = None,
    ) -> None:
        self.max_parts = max_parts
        self.min_part_size = min_part_size
        self.n_jobs = n_jobs
        self.unlabeled = unlabeled

    def _treated(self, column: Column) -> Column:
        return Column(column.name, column.kind, ordered=False)

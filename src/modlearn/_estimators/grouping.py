"""Grouper: groups of the values of categorical columns."""

from __future__ import annotations

from typing import Any

from modlearn._estimators.partitioner import Partitioner
from modlearn.schema import Column

__all__ = ["Grouper"]


class Grouper(Partitioner):
    """Replace categories by the groups of categories that tell most about a target.

    Every column gets the grouping of its values that the MODL criterion finds most probable.
    Any column may be grouped; numbers are then categories too. Missing is a value of its own. A
    value never seen in the training data belongs to no group: its code is -1.

    Parameters
    ----------
    max_parts : int, default=None
        Most groups of a column; None = as many as the data justify.
    min_part_size : int, default=1
        Fewest labeled rows of a group.
    n_jobs : int, default=None
        Threads, over columns; -1 = all cores.
    unlabeled : scalar, default=None
        A label that means unlabeled, such as -1, beside missing ones. Unlabeled rows do not
        count: a value tells nothing of where its neighbors belong.

    Attributes
    ----------
    partitions_ : dict of str to Groups
        Per column: groups, counts, cost, null_cost, level, proven_optimal. Print one.
    levels_ : dict of str to float
        How much each column tells about the target, most informative first; 0 = nothing.
    classes_ : ndarray
        The classes of the target.
    n_features_in_ : int
        Number of columns seen in fit.
    feature_names_in_ : ndarray of str
        Their names, if the table had any.

    See Also
    --------
    Discretizer : The same for numeric columns.
    Encoder : Both, for a whole table.

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
    >>> grouper.transform([["green"], ["red"], ["grey"]]).ravel()
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

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        return tags

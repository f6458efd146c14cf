"""Discretizer: intervals of numeric columns."""

from __future__ import annotations

from typing import Any, ClassVar

from sklearn.utils._param_validation import StrOptions

from modlearn._estimators.partitioner import Partitioner
from modlearn._estimators.transformer_parts import TransformerParts
from modlearn._tables.memory.rows import MemoryRows
from modlearn.criteria import CRITERIA
from modlearn.errors import TextColumnError
from modlearn.schema import ORDERED, Column, Kind

__all__ = ["METHODS", "Discretizer"]

METHODS = frozenset({"auto", *CRITERIA})


class Discretizer(Partitioner):
    """Replace numbers by the intervals that are most informative about a target.

    Each column gets its most probable discretization under the MODL criterion, which determines
    both the number of intervals and the cuts. There is nothing to tune.

    Parameters
    ----------
    max_parts : int, default=None
        Maximum number of intervals per column; None = as many as the data justify.
    min_part_size : int, default=1
        Minimum number of labeled rows per interval; with method "map", unlabeled rows count too.
    n_jobs : int, default=None
        Number of threads that work on columns; -1 = all cores.
    unlabeled : scalar, default=None
        A label that marks unlabeled rows, such as -1; missing labels always do.
    method : {"auto", "supervised", "map", "averaged", "post_optimized"}, default="auto"
        How unlabeled rows are used. "supervised": not at all. "post_optimized": not in the search,
        but each cut is then moved to the median of the unlabeled values around it. "map" and
        "averaged": as part of the criterion, with the best completion of the labels or averaged
        over all completions. "auto": "post_optimized" if there are unlabeled rows, otherwise
        "supervised".

    Attributes
    ----------
    partitions_ : dict of str to Intervals
        The intervals of each column: cuts, counts, cost, null_cost, level, proven_optimal. Print
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
    Grouper : Groups the values of categorical columns.
    Encoder : Partitions every column of a table, whatever its type.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from modlearn import Discretizer
    >>> iris = load_iris(as_frame=True)
    >>> discretizer = Discretizer().fit(iris.data, iris.target)
    >>> print(discretizer.partitions_["petal width (cm)"])
    petal width (cm): level 0.685, 3 parts, cost 54.71 against 173.95 for one part, proven optimal
                  0   1   2  rows
    (-inf, 0.8]  50   0   0    50
    (0.8, 1.75]   0  49   5    54
    (1.75, inf)   0   1  45    46
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **Partitioner._parameter_constraints,
        "method": [StrOptions(METHODS)],
    }

    _takes_text = False

    def __init__(
        self,
        *,
        max_parts: int | None = None,
        min_part_size: int = 1,
        n_jobs: int | None = None,
        unlabeled: Any = None,
        method: str = "auto",
    ) -> None:
        self.max_parts = max_parts
        self.min_part_size = min_part_size
        self.n_jobs = n_jobs
        self.unlabeled = unlabeled
        self.method = method

    def _treated(self, column: Column) -> Column:
        # Booleans count as 0 and 1; text is refused when it is read.
        kind = column.kind if column.kind in ORDERED else Kind.NUMERIC
        return Column(column.name, kind, ordered=True)

    def _learn(self, rows: MemoryRows) -> tuple[TransformerParts, bool]:
        """Return the intervals that are learned from rows; text is refused."""
        try:
            return super()._learn(rows)
        except TextColumnError as error:
            raise error.advising("group its values with Grouper or Encoder") from None

"""Encoder: a whole table, each column by its type."""

from __future__ import annotations

from typing import Any, ClassVar

from sklearn.utils._param_validation import StrOptions

from modlearn._estimators.discretization import METHODS
from modlearn._estimators.output import OUTPUTS
from modlearn._estimators.partitioner import TablePartitioner

__all__ = ["Encoder"]


class Encoder(TablePartitioner):
    """Partition every column of a table so that it tells most about a target.

    Numbers, dates and durations are cut into intervals, text, booleans and categories are grouped.
    The table may be of any kind and mix types; missing values have their own place.

    Parameters
    ----------
    output : {"code", "label", "onehot", "log_odds"}, default="code"
        What transform gives for a column: the number of the part; its readable label, such as
        ``(2.95, 3.35]``; an indicator column per part; or the log-likelihood ratio of the part
        for every class against the others (for two classes: of the second one), which is the
        representation that suits a linear model.
    max_parts : int, default=None
        Most parts of a column; None = as many as the data justify.
    min_part_size : int, default=1
        Fewest rows of a part: labeled ones, with method "map" all in numeric columns.
    n_jobs : int, default=None
        Threads, over columns; -1 = all cores.
    unlabeled : scalar, default=None
        A label that means unlabeled, such as -1, beside missing ones.
    method : {"auto", "supervised", "map", "averaged", "post_optimized"}, default="auto"
        What unlabeled rows do for numeric columns; see Discretizer.

    Attributes
    ----------
    partitions_ : dict of str to Intervals or Groups
        Per column: cuts or groups, counts, cost, null_cost, level, proven_optimal. Print one.
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
    Discretizer : Intervals of numeric columns.
    Grouper : Groups of the values of categorical columns.

    Examples
    --------
    >>> import pandas as pd
    >>> from modlearn import Encoder
    >>> table = pd.DataFrame({"age": range(20, 80), "shirt": ["red", "blue", "green"] * 20})
    >>> bought = ["yes" if age < 45 else "no" for age in table["age"]]
    >>> encoder = Encoder(output="label").fit(table, bought)
    >>> {name: round(level, 2) for name, level in encoder.levels_.items()}
    {'age': 0.68, 'shirt': 0.0}
    >>> encoder.transform(table).iloc[[0, -1]]
                 age               shirt
    0   (-inf, 44.5]  {blue, green, red}
    59   (44.5, inf)  {blue, green, red}
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **TablePartitioner._parameter_constraints,
        "output": [StrOptions(set(OUTPUTS))],
        "method": [StrOptions(METHODS)],
    }

    def __init__(
        self,
        *,
        output: str = "code",
        max_parts: int | None = None,
        min_part_size: int = 1,
        n_jobs: int | None = None,
        unlabeled: Any = None,
        method: str = "auto",
    ) -> None:
        self.output = output
        self.max_parts = max_parts
        self.min_part_size = min_part_size
        self.n_jobs = n_jobs
        self.unlabeled = unlabeled
        self.method = method

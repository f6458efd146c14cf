"""Encoder: a whole table, each column by its type."""

from __future__ import annotations

from typing import Any, ClassVar

from sklearn.utils._param_validation import StrOptions

from modlearn._estimators.discretization import METHODS
from modlearn._estimators.output import OUTPUTS
from modlearn._estimators.partitioner import Partitioner

__all__ = ["Encoder"]


class Encoder(Partitioner):
    """Partition every column of a table so that it is most informative about a target.

    Numbers, dates and durations are cut into intervals; text, booleans and categories are grouped.
    The table may be of any kind and may mix types. Missing numbers sort below all others; missing
    is a category of its own.

    Parameters
    ----------
    output : {"code", "label", "onehot", "log_odds"}, default="code"
        What ``transform`` returns for a column: the number of the part; its readable label, such
        as ``(2.95, 3.35]``; an indicator column per part; or, as suits a linear model, the
        log-likelihood ratio of the part for each class against the others (for two classes, only
        for the second).
    max_parts : int, default=None
        Maximum number of parts per column; None = as many as the data justify.
    min_part_size : int, default=1
        Minimum number of labeled rows per part; with method "map", unlabeled rows count too in
        numeric columns.
    n_jobs : int, default=None
        Number of threads that work on columns; -1 = all cores.
    unlabeled : scalar, default=None
        A label that marks unlabeled rows, such as -1; missing labels always do.
    method : {"auto", "supervised", "map", "averaged", "post_optimized"}, default="auto"
        How unlabeled rows are used in numeric columns. "supervised": not at all. "post_optimized":
        each cut is moved to the median of the unlabeled values around it. "map" and "averaged": as
        part of the criterion, with the best completion of the labels or averaged over all
        completions. "auto": "post_optimized" if there are unlabeled rows.

    Attributes
    ----------
    partitions_ : dict of str to Intervals or Groups
        The partition of each column: cuts or groups, counts, cost, null_cost, level,
        proven_optimal. Print one to see its table.
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
    Grouper : Groups the values of categorical columns.

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
        **Partitioner._parameter_constraints,
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

"""Naive Bayes on partitions: all variables alike, and each with a weight."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import StrOptions

from modlearn._estimators.classifier import PairClassifier, codes_of_variable, keep_for_pairs
from modlearn._model.additive import Variable
from modlearn._model.grid import Grid
from modlearn._parallel import Progress, map_in_threads
from modlearn._search.weights import averaged_weights, optimized_weights
from modlearn._statistics.profiles import Profiles, count_profiles
from modlearn._tables.memory.table import Table
from modlearn._tables.target import Target
from modlearn.criteria import grid_price

__all__ = ["NaiveBayesClassifier", "SelectiveNaiveBayesClassifier"]

Weights = NDArray[np.float64]


class NaiveBayesClassifier(PairClassifier):
    """Naive Bayes over the optimal partition of every column that tells something.

    Parameters
    ----------
    pairs : bool, "all", list of pairs of column names, int or float, default=False
        Pairs of columns that are variables too: none; all of them (True or "all"); given ones; so
        many of the most promising; or as many of these as can be begun within so many seconds.
    n_jobs : int, default=None
        Threads, over columns; -1 = all cores.
    unlabeled : scalar, default=None
        A label that means unlabeled, such as -1, beside missing ones.
    progress : callable, default=None
        Called as ``progress(stage, done, total)`` while pairs are searched.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    class_prior_ : ndarray of shape (n_classes,)
        Share of each class among the labeled rows.
    partitions_ : dict of str to Intervals or Groups
        Of every column.
    grids_ : dict of (name, name) to Grid
        Of the pairs that were searched.
    complete_ : bool
        Whether all pairs asked for were searched, rather than interrupted or out of time.
    levels_ : dict of name or (name, name) to float
        How much each column or pair tells about the classes, most informative first; 0 = nothing.
    weights_ : dict of name or (name, name) to float
        1 for every column that tells something, and every pair whose grid cuts both columns.
    feature_importances_ : ndarray of shape (n_columns,)
        Level times weight of each column, adding up to 1; a pair's is shared by its columns.
    n_features_in_ : int
        Number of columns seen in fit.
    feature_names_in_ : ndarray of str
        Their names, if the table had any.

    See Also
    --------
    SelectiveNaiveBayesClassifier : With a weight per column, which cures overconfidence.
    BestUnivariateClassifier : The best column alone.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from modlearn import NaiveBayesClassifier
    >>> X, y = load_wine(return_X_y=True, as_frame=True)
    >>> bayes = NaiveBayesClassifier().fit(X[::2], y[::2])
    >>> round(bayes.score(X[1::2], y[1::2]), 2)
    0.96
    """

    def __init__(
        self,
        *,
        pairs: Any = False,
        n_jobs: int | None = None,
        unlabeled: Any = None,
        progress: Progress | None = None,
    ) -> None:
        self.pairs = pairs
        self.n_jobs = n_jobs
        self.unlabeled = unlabeled
        self.progress = progress

    def _weigh(
        self, table: Table, target: Target, variables: list[Variable], prior: Weights
    ) -> Weights:
        return np.ones(len(variables))


class SelectiveNaiveBayesClassifier(PairClassifier):
    """Naive Bayes over optimal partitions, each variable with a weight from 0 to 1.

    Variables that tell the same share one say: similar ones have a part of it each, and of copies
    one may have it all. Those that add nothing have none. The probabilities are good ones, and each
    prediction is a sum that can be read.

    Parameters
    ----------
    pairs : bool, "all", list of pairs of column names, int or float, default=False
        Pairs of columns that are variables too: none; all of them (True or "all"); given ones; so
        many of the most promising; or as many of these as can be begun within so many seconds.
    method : {"weighted", "averaged"}, default="weighted"
        How the weights are found. "weighted": those that make the classes most probable, each row
        judged by the others, under a price per unit of weight; a convex problem with one solution.
        "averaged": the published method; subsets of variables are searched in random orders, and a
        weight is a variable's share in all subsets tried, by how much they compress the classes.
    n_jobs : int, default=None
        Threads; -1 = all cores. The result does not depend on it.
    unlabeled : scalar, default=None
        A label that means unlabeled, such as -1, beside missing ones.
    random_state : int, RandomState instance or None, default=0
        Of the random orders of method "averaged"; None = another one at every fit.
    progress : callable, default=None
        Called as ``progress(stage, done, total)`` while pairs are searched.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    class_prior_ : ndarray of shape (n_classes,)
        Share of each class among the labeled rows.
    partitions_ : dict of str to Intervals or Groups
        Of every column.
    grids_ : dict of (name, name) to Grid
        Of the pairs that were searched.
    complete_ : bool
        Whether all pairs asked for were searched, rather than interrupted or out of time.
    levels_ : dict of name or (name, name) to float
        How much each column or pair tells about the classes, most informative first; 0 = nothing.
    weights_ : dict of name or (name, name) to float
        Weight of every column that tells something, and of every pair whose grid cuts both columns,
        the largest first.
    feature_importances_ : ndarray of shape (n_columns,)
        Level times weight of each column, adding up to 1; a pair's is shared by its columns.
    n_features_in_ : int
        Number of columns seen in fit.
    feature_names_in_ : ndarray of str
        Their names, if the table had any.

    See Also
    --------
    NaiveBayesClassifier : All weights 1.
    BestUnivariateClassifier : The best column alone.
    Encoder : The partitions as a transformer.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from modlearn import SelectiveNaiveBayesClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> X.columns = [name.removesuffix(" (cm)") for name in X]
    >>> y = y.map(dict(enumerate(["setosa", "versicolor", "virginica"])))
    >>> bayes = SelectiveNaiveBayesClassifier().fit(X, y)
    >>> {name: round(weight, 2) for name, weight in bayes.weights_.items()}
    {'petal width': 0.66, 'petal length': 0.61, 'sepal length': 0.0, 'sepal width': 0.0}
    >>> print(bayes.explain(X)[70])
                  setosa  versicolor  virginica
    (base)         -1.10       -1.10      -1.10
    petal width    -3.34       -2.42      -0.08
    petal length   -3.08       -1.28      -0.02
    score          -7.51       -4.79      -1.20
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **PairClassifier._parameter_constraints,
        "method": [StrOptions({"weighted", "averaged"})],
        "random_state": ["random_state"],
    }

    def __init__(
        self,
        *,
        pairs: Any = False,
        method: str = "weighted",
        n_jobs: int | None = None,
        unlabeled: Any = None,
        random_state: Any = 0,
        progress: Progress | None = None,
    ) -> None:
        self.progress = progress
        self.pairs = pairs
        self.method = method
        self.n_jobs = n_jobs
        self.unlabeled = unlabeled
        self.random_state = random_state

    def _weigh(
        self, table: Table, target: Target, variables: list[Variable], prior: Weights
    ) -> Weights:
        if not variables:
            return np.zeros(0)
        profiles = _profiles(table, target, variables, self.n_jobs)
        counts = [variable.counts for variable in variables]
        if self.method == "weighted":
            prices = [_own_price(variable) for variable in variables]
            return optimized_weights(profiles, counts, np.log(prior), self.n_jobs, prices)
        seed = check_random_state(self.random_state).randint(np.iinfo(np.int32).max)
        return averaged_weights(profiles, counts, np.log(prior), seed)


def _own_price(variable: Variable) -> float:
    """What a pair pays for its parts; a column nothing, as its parts are there in any case."""
    grid = variable.source
    if not isinstance(grid, Grid):
        return 0.0
    return grid_price(grid.counts, grid.cost, grid.null_cost)


def _profiles(
    table: Table, target: Target, variables: list[Variable], n_jobs: int | None
) -> Profiles:
    """Rows by the parts of the variables and the class."""
    codes = np.empty((len(variables), table.n_rows), dtype=np.int32)
    kept = keep_for_pairs(table, variables)

    def fill(k: int) -> None:
        codes[k] = codes_of_variable(kept, variables[k])

    map_in_threads(fill, range(len(variables)), n_jobs)
    return count_profiles(codes, target.codes, target.weights, target.n_classes)

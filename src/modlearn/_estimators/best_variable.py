"""Classifiers that look at one variable: the best column, or the best pair of columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from modlearn._estimators.classifier import PairClassifier, PartitionClassifier
from modlearn._fit.pairs import Pair, refuse_one_column
from modlearn._model.additive import Variable
from modlearn._model.grid import Grid
from modlearn._model.partition import Partition
from modlearn._parallel import Progress
from modlearn._tables.memory.table import Table
from modlearn._tables.target import Target
from modlearn.criteria import class_shares

__all__ = ["BestBivariateClassifier", "BestUnivariateClassifier", "weights_of_best"]

Weights = NDArray[np.float64]


def weights_of_best(variables: Sequence[Variable]) -> Weights:
    """1 for the most probable variable, the one of least cost; 0 for the others."""
    weights = np.zeros(len(variables))
    if variables:
        weights[np.argmin([variable.cost for variable in variables])] = 1.0
    return weights


class BestVariable(PartitionClassifier):
    """Base of both: the score of a class is the log of its share in the row's part."""

    def _weigh(
        self, table: Table, target: Target, variables: list[Variable], prior: Weights
    ) -> Weights:
        return weights_of_best(variables)

    def _log_likelihoods(self, variable: Variable, prior: Weights) -> NDArray[np.float64]:
        # The score is then the log of the class shares of the part.
        return np.asarray(np.log(class_shares(variable.counts)) - np.log(prior))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # Few columns cannot tell apart what it takes more for.
        tags.classifier_tags.poor_score = True
        return tags


class BestUnivariateClassifier(BestVariable):
    """Predict the most frequent class of the part that a row falls in, of the best column alone.

    The best column is the one whose partition is the most probable: the one of least cost. It shows
    how far a single column goes, and is a model that fits in a sentence.

    Parameters
    ----------
    n_jobs : int, default=None
        Threads, over columns; -1 = all cores.
    unlabeled : scalar, default=None
        A label that means unlabeled, such as -1, beside missing ones.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes.
    class_prior_ : ndarray of shape (n_classes,)
        Share of each class among the labeled rows.
    partitions_ : dict of str to Intervals or Groups
        Of every column.
    levels_ : dict of str to float
        How much each column tells about the classes, most informative first; 0 = nothing.
    weights_ : dict of str to float
        1 for the best column, 0 for the others that tell something.
    feature_importances_ : ndarray of shape (n_columns,)
        1 for the best column.
    n_features_in_ : int
        Number of columns seen in fit.
    feature_names_in_ : ndarray of str
        Their names, if the table had any.

    See Also
    --------
    NaiveBayesClassifier : All columns that tell something.
    SelectiveNaiveBayesClassifier : A weight for each of them.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from modlearn import BestUnivariateClassifier
    >>> X, y = load_iris(return_X_y=True, as_frame=True)
    >>> best = BestUnivariateClassifier().fit(X, y)
    >>> next(iter(best.weights_))
    'petal width (cm)'
    >>> round(best.score(X, y), 2)
    0.96
    """

    def __init__(self, *, n_jobs: int | None = None, unlabeled: Any = None) -> None:
        self.n_jobs = n_jobs
        self.unlabeled = unlabeled


class BestBivariateClassifier(BestVariable, PairClassifier):
    """Predict the most frequent class of the cell that a row falls in, of the best pair alone.

    The best pair is the one whose grid is the most probable: the one of least cost. A cell without
    rows predicts the most frequent class of all.

    Parameters
    ----------
    pairs : bool, "all", list of pairs of column names, int or float, default="all"
        Pairs to choose from: all; given ones; so many of the most promising; or as many of these as
        can be begun within so many seconds. False = none, which predicts the class prior.
    n_jobs : int, default=None
        Threads, over columns and pairs; -1 = all cores.
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
    partitions_ : dict of name to Intervals or Groups
        Of every column.
    grids_ : dict of (name, name) to Grid
        Of the pairs that were searched.
    complete_ : bool
        Whether all pairs asked for were searched, rather than interrupted or out of time.
    levels_ : dict of name or (name, name) to float
        How much each column or pair tells about the classes, most informative first; 0 = nothing.
    weights_ : dict of (name, name) to float
        1 for the best pair, 0 for the others that tell something.
    feature_importances_ : ndarray of shape (n_columns,)
        1/2 for both columns of the best pair.
    n_features_in_ : int
        Number of columns seen in fit.
    feature_names_in_ : ndarray of str
        Their names, if the table had any.

    See Also
    --------
    BestUnivariateClassifier : The best column alone.
    SelectiveNaiveBayesClassifier : A weight for each column and pair.

    Examples
    --------
    >>> import pandas as pd
    >>> from modlearn import BestBivariateClassifier
    >>> sides = {"mine": ["head", "tail"] * 50, "yours": ["head"] * 50 + ["tail"] * 50}
    >>> coins = pd.DataFrame(sides)
    >>> wins = ["me" if same else "you" for same in coins["mine"] == coins["yours"]]
    >>> best = BestBivariateClassifier().fit(coins, wins)
    >>> best.weights_, best.score(coins, wins)
    ({('mine', 'yours'): 1.0}, 1.0)
    """

    def __init__(
        self,
        *,
        pairs: Any = "all",
        n_jobs: int | None = None,
        unlabeled: Any = None,
        progress: Progress | None = None,
    ) -> None:
        self.pairs = pairs
        self.n_jobs = n_jobs
        self.unlabeled = unlabeled
        self.progress = progress

    def _fit_grids(
        self, table: Table, target: Target, partitions: list[Partition]
    ) -> dict[Pair, Grid]:
        refuse_one_column(table)
        return super()._fit_grids(table, target, partitions)

    def _is_used(self, variable: Variable) -> bool:
        return variable.level > 0 and isinstance(variable.source, Grid)

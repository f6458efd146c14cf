"""Naive Bayes on partitions: with equal weights, and with a weight for each column."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils._param_validation import StrOptions

from modlearn._estimators.classifier import PairClassifier
from modlearn._fit.model import Recipe
from modlearn._parallel import Progress

__all__ = ["NaiveBayesClassifier", "SelectiveNaiveBayesClassifier"]


class NaiveBayesClassifier(PairClassifier):
    """Naive Bayes over the optimal partition of every informative column.

    Parameters
    ----------
    pairs : bool, "all", list of pairs of column names, int or float, default=False
        Pairs of columns to use in addition: none; all (True or "all"); the pairs listed; the most
        promising ones, up to this number (int); or as many of those as can be started within this
        number of seconds (float).
    n_jobs : int, default=None
        Number of threads that work on columns and pairs; -1 = all cores.
    unlabeled : scalar, default=None
        A label that marks unlabeled rows, such as -1; missing labels always do.
    progress : callable, default=None
        Called as ``progress(stage, done, total)`` while pairs are searched.

    Attributes
    ----------
    model_ : AdditiveModel
        The model; all other attributes are read from it.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    class_prior_ : ndarray of shape (n_classes,)
        Share of each class among the labeled rows.
    partitions_ : dict of str to Intervals or Groups
        The parts of every column.
    grids_ : dict of (name, name) to Grid
        The parts of every pair that was searched.
    complete_ : bool
        Whether all requested pairs were searched; False if the search was interrupted or its time
        was up.
    levels_ : dict of name or (name, name) to float
        How informative each column or pair is about the classes, most informative first; 0 = not
        at all.
    weights_ : dict of name or (name, name) to float
        1 for every informative column, and every informative pair whose grid cuts both columns.
    feature_importances_ : ndarray of shape (n_columns,)
        Level times weight of each column, normalized to add up to 1; the importance of a pair is
        split between its columns.
    n_features_in_ : int
        Number of columns in the training data.
    feature_names_in_ : ndarray of str
        Names of the columns, if the table had any.

    See Also
    --------
    SelectiveNaiveBayesClassifier : A weight per column, which prevents overconfidence.
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


class SelectiveNaiveBayesClassifier(PairClassifier):
    """Naive Bayes over optimal partitions, each column or pair with a weight from 0 to 1.

    Columns that carry the same information share one weight: similar columns get a part of it
    each, and one of several copies may get all of it. Columns that add no information get weight 0.
    The probabilities are well calibrated, and each prediction is a sum of readable contributions.

    Parameters
    ----------
    pairs : bool, "all", list of pairs of column names, int or float, default=False
        Pairs of columns to use in addition: none; all (True or "all"); the pairs listed; the most
        promising ones, up to this number (int); or as many of those as can be started within this
        number of seconds (float).
    method : {"weighted", "averaged"}, default="weighted"
        How the weights are computed. "weighted": maximizes the leave-one-out likelihood of the
        classes, minus a price per unit of weight; a convex problem with one solution. "averaged":
        the published method, which searches subsets of columns in random orders; the weight of a
        column is its share of all subsets tried, weighted by how well they compress the classes.
    n_jobs : int, default=None
        Number of threads; -1 = all cores. The result does not depend on it.
    unlabeled : scalar, default=None
        A label that marks unlabeled rows, such as -1; missing labels always do.
    random_state : int, RandomState instance or None, default=0
        Seed for the random orders of method "averaged"; None = a new one for every fit.
    progress : callable, default=None
        Called as ``progress(stage, done, total)`` while pairs are searched.

    Attributes
    ----------
    model_ : AdditiveModel
        The model; all other attributes are read from it.
    classes_ : ndarray of shape (n_classes,)
        The classes.
    class_prior_ : ndarray of shape (n_classes,)
        Share of each class among the labeled rows.
    partitions_ : dict of str to Intervals or Groups
        The parts of every column.
    grids_ : dict of (name, name) to Grid
        The parts of every pair that was searched.
    complete_ : bool
        Whether all requested pairs were searched; False if the search was interrupted or its time
        was up.
    levels_ : dict of name or (name, name) to float
        How informative each column or pair is about the classes, most informative first; 0 = not
        at all.
    weights_ : dict of name or (name, name) to float
        Weight of every informative column, and of every informative pair whose grid cuts both
        columns, largest first.
    feature_importances_ : ndarray of shape (n_columns,)
        Level times weight of each column, normalized to add up to 1; the importance of a pair is
        split between its columns.
    n_features_in_ : int
        Number of columns in the training data.
    feature_names_in_ : ndarray of str
        Names of the columns, if the table had any.

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

    def _recipe(self) -> Recipe:
        return replace(super()._recipe(), weights=self.method, seed=self._seed())

    def _seed(self) -> int:
        """Seed for the random orders; a generator advances only if the method needs one."""
        if self.method != "averaged":
            return 0
        return int(check_random_state(self.random_state).randint(np.iinfo(np.int32).max))

"""Classifiers that use one term: the best column, or the best pair of columns."""

from __future__ import annotations

from typing import Any

from modlearn._estimators.classifier import PairClassifier, PartitionClassifier
from modlearn._estimators.partitioner import refuse_one_column
from modlearn._fit.model import informative_grids
from modlearn._model.additive import AdditiveModel
from modlearn._parallel import Progress
from modlearn._tables.memory.rows import MemoryRows

__all__ = ["BestBivariateClassifier", "BestUnivariateClassifier"]


class OneTermClassifier(PartitionClassifier):
    """Base of the classifiers that use one term."""

    _weights = "best"

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        # One column or pair cannot separate classes that need more.
        tags.classifier_tags.poor_score = True
        return tags


class BestUnivariateClassifier(OneTermClassifier):
    """Predict from the best column alone: the most frequent class of the part that a row falls in.

    The best column is the one whose partition is the most probable, that is, has the lowest cost.
    It shows how far a single column goes, with a model that fits in one sentence.

    Parameters
    ----------
    n_jobs : int, default=None
        Number of threads that work on columns; -1 = all cores.
    unlabeled : scalar, default=None
        A label that marks unlabeled rows, such as -1; missing labels always do.

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
    levels_ : dict of str to float
        How informative each column is about the classes, most informative first; 0 = not at all.
    weights_ : dict of str to float
        1 for the best column, 0 for the other informative ones.
    feature_importances_ : ndarray of shape (n_columns,)
        1 for the best column.
    n_features_in_ : int
        Number of columns in the training data.
    feature_names_in_ : ndarray of str
        Names of the columns, if the table had any.

    See Also
    --------
    NaiveBayesClassifier : All informative columns.
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


class BestBivariateClassifier(OneTermClassifier, PairClassifier):
    """Predict from the best pair alone: the most frequent class of the cell that a row falls in.

    The best pair is the one whose grid is the most probable, that is, has the lowest cost. A cell
    without rows predicts the most frequent class overall.

    Parameters
    ----------
    pairs : bool, "all", list of pairs of column names, int or float, default="all"
        Pairs to choose from: all; the pairs listed; the most promising ones, up to this number
        (int); or as many of those as can be started within this number of seconds (float). False =
        none, which predicts the class prior.
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
    partitions_ : dict of name to Intervals or Groups
        The parts of every column.
    grids_ : dict of (name, name) to Grid
        The parts of every pair that was searched.
    complete_ : bool
        Whether all requested pairs were searched; False if the search was interrupted or its time
        was up.
    levels_ : dict of name or (name, name) to float
        How informative each column or pair is about the classes, most informative first; 0 = not
        at all.
    weights_ : dict of (name, name) to float
        1 for the best pair, 0 for the other informative ones.
    feature_importances_ : ndarray of shape (n_columns,)
        1/2 for both columns of the best pair.
    n_features_in_ : int
        Number of columns in the training data.
    feature_names_in_ : ndarray of str
        Names of the columns, if the table had any.

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

    _choose = staticmethod(informative_grids)

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

    def _learn(self, rows: MemoryRows) -> tuple[AdditiveModel, bool]:
        refuse_one_column(rows.schema)
        return super()._learn(rows)

"""An additive model whose scores are learned directly: smooth curves, categories and grids."""

from __future__ import annotations

from dataclasses import replace
from numbers import Integral
from typing import Any, ClassVar

from sklearn.utils._param_validation import Interval

from modlearn._estimators.classifier import PairClassifier
from modlearn._fit.model import Recipe, all_parts
from modlearn._fit.trees import MOST_TREES
from modlearn._model.additive import AdditiveModel
from modlearn._parallel import Progress

__all__ = ["AdditiveClassifier"]


class AdditiveClassifier(PairClassifier):
    """A sum of one smooth curve per column, and of one table per pair, learned together.

    It is usually more accurate than SelectiveNaiveBayesClassifier, and still a sum that a person
    can read: each number has a curve over its ranks, each category a score, each pair a table of
    cells. How smooth the curves are is chosen by cross-validation over the training rows; there is
    nothing to tune. Every column may have a curve, also one that is not informative alone.

    Parameters
    ----------
    pairs : bool, "all", list of pairs of column names, int or float, default=False
        Pairs of columns to use in addition: none; all (True or "all"); the pairs listed; the most
        promising ones, up to this number (int); or as many of those as can be started within this
        number of seconds (float). Of these, the pairs that a selective naive Bayes would use get a
        table of scores.
    trees : bool or int, default=True
        Maximum number of trees on three or four columns to add if pairs are searched: ten (True),
        none (False), or this number. A tree is used only if it saves more nats than its columns do
        alone, in pairs, or in smaller trees; most tables have none.
    n_jobs : int, default=None
        Number of threads; -1 = all cores. The result does not depend on it.
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
        The optimal parts of every column. Scores belong to finer bins:
        ``model_.terms[0].to_frame()`` shows both.
    grids_ : dict of (name, name) to Grid
        The parts of the pairs with a table of scores.
    trees_ : dict of (name, name, name, ...) to Tree
        The trees, by their columns, those that add most to their pairs first.
    complete_ : bool
        Whether all requested pairs were searched; False if the search was interrupted or its time
        was up.
    levels_ : dict of name or (name, name) to float
        How informative each column or pair is about the classes, most informative first; 0 = not
        at all.
    weights_ : dict of name or (name, name) to float
        How strongly each column or pair moves the scores, largest first: its mean absolute score
        over the training rows, as a share of the largest one.
    feature_importances_ : ndarray of shape (n_columns,)
        Mean absolute score of each column, normalized to add up to 1; the importance of a pair is
        split between its columns.
    n_features_in_ : int
        Number of columns in the training data.
    feature_names_in_ : ndarray of str
        Names of the columns, if the table had any.

    See Also
    --------
    SelectiveNaiveBayesClassifier : Scores of optimal parts, with one weight per column.
    NaiveBayesClassifier : All weights 1.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from modlearn import AdditiveClassifier
    >>> X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    >>> additive = AdditiveClassifier().fit(X[::2], y[::2])
    >>> additive.score(X[1::2], y[1::2]) > 0.95
    True
    >>> additive.shapley_values(X[:1]).contributions.shape
    (1, 30, 2)
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        **PairClassifier._parameter_constraints,
        "trees": ["boolean", Interval(Integral, 0, None, closed="left")],
    }

    _weights = "additive"
    _choose = staticmethod(all_parts)

    def __init__(
        self,
        *,
        pairs: Any = False,
        trees: Any = True,
        n_jobs: int | None = None,
        unlabeled: Any = None,
        progress: Progress | None = None,
    ) -> None:
        self.pairs = pairs
        self.trees = trees
        self.n_jobs = n_jobs
        self.unlabeled = unlabeled
        self.progress = progress

    def _recipe(self) -> Recipe:
        n_trees = MOST_TREES if self.trees is True else int(self.trees)
        return replace(super()._recipe(), n_trees=n_trees)

    def _show(self, learned: AdditiveModel, complete: bool) -> None:
        super()._show(learned, complete)
        self.trees_ = learned.trees

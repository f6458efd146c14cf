"""LabelDistributionPropagation: classes of many rows from the labels of a few."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from functools import partial
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from joblib import effective_n_jobs
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted

from modlearn._estimators.accuracy import accuracy_of_labeled
from modlearn._estimators.columns import check_columns
from modlearn._neighbors.engines import ENGINES
from modlearn._neighbors.labels import Labels, read_labels
from modlearn._neighbors.model import Decision, LabelDistributions
from modlearn._neighbors.neighborhoods import GivenNeighbors, SearchedNeighbors
from modlearn._neighbors.spreading import average_over, spread_labels
from modlearn._parallel import Progress, no_progress
from modlearn._tables.memory.table import read_table
from modlearn._tables.memory.weights import read_votes

__all__ = ["LabelDistributionPropagation"]


class LabelDistributionPropagation(ClassifierMixin, BaseEstimator):
    """Spread the labels of a few rows over the others, from neighbor to neighbor.

    Every row becomes the average of its nearest neighbors, those of which most is known first.
    What is passed on is a distribution over the classes in which a part is unknown: it grows with
    the distance from labels, and rows that no label reaches stay undecided. Of two rows of which
    equally much is known, the one nearer to its last neighbor is first, then the earlier one.

    Parameters
    ----------
    n_neighbors : int, default=10
        Neighbors of a row, itself not counted.
    sweeps : int, default=10
        How often all rows are averaged again after the pass that decides them, now also over the
        rows that have them as neighbors. 0 = the published method, a single pass.
    representation : {"auto", "raw", "precomputed"}, default="auto"
        What distances are taken in. "auto": columns of any type, numbers scaled by their spread
        unless they share one range, categories as far apart as numbers typically are, a missing
        value neither near nor far from others.
        "raw": numbers as they are. "precomputed": X is the graph of neighbors, a sparse matrix of
        distances (others not stored) or a pair of arrays (n, k), row numbers and distances.
    engine : {"auto", "kdtree", "brute", "approximate"}, default="auto"
        What finds neighbors; `engine_` says what "auto" was. All but "approximate" are exact.
    class_prior : {"empirical", "uniform"} or array-like of shape (n_classes,), default="empirical"
        Share of each class that is expected of the rows to decide. It matters for the decision
        only; "empirical" = as among the labels.
    abstain : label, default=None
        What an undecided row gets: "prior" = the most frequent class, or the given label.
        None = -1 if labels are integers (None if -1 is a class), else None.
    unlabeled : scalar, default=-1
        The label that means unlabeled, beside missing ones; None = only missing ones do.
    n_jobs : int, default=-1
        Threads; -1 = all cores. The result does not depend on it.
    progress : callable, default=None
        Called as ``progress(stage, done, total)`` while fit works.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes; for soft labels the names of their columns.
    transduction_ : ndarray of shape (n_rows,)
        A label per row seen in fit.
    label_distributions_ : ndarray of shape (n_rows, n_classes)
        What is known of each row, adding up to 1; zero where undecided.
    unknown_mass_ : ndarray of shape (n_rows,)
        How much of each row is unknown; 1 where undecided.
    log_known_mass_ : ndarray of shape (n_rows,)
        Log of what is known, which tells rows apart whose unknown mass is 1 but for rounding.
    order_ : ndarray of shape (n_decided,)
        Rows without a label in the order in which they were decided.
    engine_ : str
        The engine that found the neighbors.
    recall_ : float
        Share of the true neighbors that it found, measured on a sample if it is not exact.
    n_features_in_ : int
        Number of columns seen in fit.
    feature_names_in_ : ndarray of str
        Their names, if the table had any.

    See Also
    --------
    Encoder : Which columns tell about the classes, with and without labels.

    Examples
    --------
    >>> from modlearn import LabelDistributionPropagation
    >>> X = [[1.0], [2.0], [3.0], [11.0], [12.0], [13.0]]
    >>> y = ["low", None, None, None, None, "high"]
    >>> spread = LabelDistributionPropagation(n_neighbors=2, sweeps=0).fit(X, y)
    >>> spread.transduction_.tolist()
    ['low', 'low', 'low', 'high', 'high', 'high']
    >>> spread.unknown_mass_.round(3).tolist()
    [0.0, 0.5, 0.25, 0.25, 0.5, 0.0]
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {
        "n_neighbors": [Interval(Integral, 1, None, closed="left")],
        "sweeps": [Interval(Integral, 0, None, closed="left")],
        "representation": [StrOptions({"auto", "raw", "precomputed"})],
        "engine": [StrOptions({"auto", *ENGINES})],
        "class_prior": [StrOptions({"empirical", "uniform"}), "array-like"],
        "abstain": [Hashable],
        "unlabeled": [Hashable],
        "n_jobs": [
            Interval(Integral, 1, None, closed="left"),
            Interval(Integral, None, -1, closed="right"),
            None,
        ],
        "progress": [callable, None],
    }

    def __init__(
        self,
        n_neighbors: int = 10,
        *,
        sweeps: int = 10,
        representation: str = "auto",
        engine: str = "auto",
        class_prior: Any = "empirical",
        abstain: Any = None,
        unlabeled: Any = -1,
        n_jobs: int | None = -1,
        progress: Progress | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.sweeps = sweeps
        self.representation = representation
        self.engine = engine
        self.class_prior = class_prior
        self.abstain = abstain
        self.unlabeled = unlabeled
        self.n_jobs = n_jobs
        self.progress = progress

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Spread the labels of y over the rows of X.

        Parameters
        ----------
        X : frame, array-like or sparse matrix of shape (n_rows, n_columns)
            Table of any kind, or a graph if ``representation="precomputed"``.
        y : array-like of shape (n_rows,) or (n_rows, n_classes)
            Labels, missing or `unlabeled` where there is none; or the distribution of each row
            over the classes, zero where it has no label.
        sample_weight : array-like of shape (n_rows,), default=None
            How much each row counts as a neighbor of others.

        Returns
        -------
        self
        """
        neighborhood = self._neighborhood(X)
        labels = read_labels(y, neighborhood.n_rows, self.unlabeled)
        weights = read_votes(sample_weight, neighborhood.n_rows)
        decision = self._decision(labels, weights)
        graph = neighborhood.of_rows(self._report("neighbors")).graph()
        rows, order = spread_labels(
            graph, labels.distributions, weights, self.sweeps, self._n_threads, self._progress
        )
        transduction, log_mass, unknown_mass = (
            decision.labels(rows),
            rows.log_mass,
            rows.unknown_mass,
        )
        # Nothing is set before all is done: an interrupted fit leaves the estimator as it was.
        self._check_columns(X, reset=True)
        self._neighborhood_, self._rows, self._weights = neighborhood, rows, weights
        self._decision_ = decision
        self.engine_, self.recall_ = neighborhood.engine, neighborhood.recall
        self.classes_, self.order_ = labels.classes, order
        self.transduction_, self.label_distributions_ = transduction, rows.known
        self.log_known_mass_, self.unknown_mass_ = log_mass, unknown_mass
        return self

    def predict(self, X: Any) -> np.ndarray:
        """Return the most probable class of new rows, or the abstention.

        Parameters
        ----------
        X : frame, array-like or sparse matrix of shape (n_rows, n_columns)
            Table with the columns seen in fit; or a graph to the rows seen in fit.

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        averages = self._averages(X)
        return self._decision_.labels(averages)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class for new rows; the class prior if undecided.

        Parameters
        ----------
        X : frame, array-like or sparse matrix of shape (n_rows, n_columns)
            Table with the columns seen in fit; or a graph to the rows seen in fit.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
        """
        averages = self._averages(X)
        return self._decision_.probabilities(averages)

    def predict_unknown(self, X: Any) -> NDArray[np.float64]:
        """Return how much of new rows is unknown; 1 if undecided.

        Parameters
        ----------
        X : frame, array-like or sparse matrix of shape (n_rows, n_columns)
            Table with the columns seen in fit; or a graph to the rows seen in fit.

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        return self._averages(X).unknown_mass

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of labeled rows whose class is predicted; to abstain is an error.

        Parameters
        ----------
        X : frame, array-like or sparse matrix of shape (n_rows, n_columns)
            Table with the columns seen in fit; or a graph to the rows seen in fit.
        y : array-like of shape (n_rows,)
            The classes; rows without one, missing or `unlabeled`, are left out.
        sample_weight : array-like of shape (n_rows,), default=None
            How much each row counts.

        Returns
        -------
        float
        """
        return accuracy_of_labeled(self.predict(X), y, self.unlabeled, sample_weight)

    def _averages(self, X: Any) -> LabelDistributions:
        """Average of the nearest rows seen in fit, for each row of X."""
        check_is_fitted(self)
        self._check_columns(X, reset=False)
        found = self._neighborhood_.of_new(X)
        lists = [(found.pointer, found.rows)]
        return average_over(lists, self._weights, self._rows, self._n_threads)

    def _neighborhood(self, X: Any) -> SearchedNeighbors | GivenNeighbors:
        """Where neighbors come from."""
        if self.representation == "precomputed":
            return GivenNeighbors(X, self.n_neighbors)
        return SearchedNeighbors(
            X, self.representation, self.engine, self.n_neighbors, self._n_threads
        )

    def _decision(self, labels: Labels, weights: NDArray[np.float64] | None) -> Decision:
        """How distributions become classes."""
        labeled = labels.prior(weights)
        prior = _prior(self.class_prior, labeled)
        return Decision(
            labels.classes, labeled, prior, _abstention(self.abstain, labels.classes, prior)
        )

    def _check_columns(self, X: Any, reset: bool) -> None:
        """Compare the columns with those seen in fit, or remember them."""
        if self.representation == "precomputed" and not sp.issparse(X):
            # Lists of neighbors have no columns; those of an earlier table are forgotten.
            for name in ("n_features_in_", "feature_names_in_") if reset else ():
                self.__dict__.pop(name, None)
            return
        if not sp.issparse(X):
            read_table(X)
        check_columns(self, X, reset)

    def _report(self, stage: str) -> Callable[[int, int], None]:
        """Report the progress of a stage."""
        return partial(self._progress, stage)

    @property
    def _progress(self) -> Progress:
        return self.progress or no_progress

    @property
    def _n_threads(self) -> int:
        return int(effective_n_jobs(self.n_jobs))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.representation == "auto"
        tags.input_tags.string = tags.input_tags.categorical = self.representation == "auto"
        tags.input_tags.pairwise = self.representation == "precomputed"
        return tags


def _prior(class_prior: Any, labeled: NDArray[np.float64]) -> NDArray[np.float64]:
    """Expected share of each class, shape (J,)."""
    if isinstance(class_prior, str):
        n_classes = len(labeled)
        return labeled if class_prior == "empirical" else np.full(n_classes, 1 / n_classes)
    try:
        prior = np.asarray(class_prior, dtype=np.float64)
    except (TypeError, ValueError):
        prior = np.empty(0)
    if prior.shape != labeled.shape or not (prior >= 0).all() or not np.isclose(prior.sum(), 1):
        given = class_prior.tolist() if isinstance(class_prior, np.ndarray) else class_prior
        raise ValueError(
            f"class_prior is {given}: give the share of each of the {len(labeled)} classes, in "
            "the order of classes_, adding up to 1."
        )
    return prior / prior.sum()


def _abstention(abstain: Any, classes: np.ndarray, prior: NDArray[np.float64]) -> Any:
    """Label of undecided rows."""
    if isinstance(abstain, str) and abstain == "prior":
        return classes[prior.argmax()]
    if abstain is None and classes.dtype.kind in "iu" and -1 not in classes:
        return -1
    return abstain

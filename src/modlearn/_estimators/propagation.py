"""LabelDistributionPropagation: predict many rows from the labels of a few."""

from __future__ import annotations

from collections.abc import Hashable
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, _fit_context
from sklearn.utils._param_validation import Interval, StrOptions
from sklearn.utils.validation import check_is_fitted, validate_data

from modlearn._estimators.accuracy import accuracy_of_labeled
from modlearn._estimators.partitioner import N_JOBS
from modlearn._neighbors.distributions import LabelDistributions
from modlearn._neighbors.engines import ENGINES
from modlearn._neighbors.model import PropagationSettings, propagate_labels
from modlearn._parallel import Progress, n_threads_of, no_progress
from modlearn._tables.memory.table import read_table

__all__ = ["LabelDistributionPropagation"]


class LabelDistributionPropagation(ClassifierMixin, BaseEstimator):
    """Spread the labels of a few rows over the others, from neighbor to neighbor.

    Each unlabeled row becomes the average of its nearest neighbors; rows with the most known mass
    are decided first. A row passes on a distribution over the classes, part of it unknown. The
    unknown part grows with the distance from labels, and rows that no label reaches remain
    undecided. Ties in the order go to the row that is nearer to its last neighbor, then to the
    earlier row.

    Parameters
    ----------
    n_neighbors : int, default=10
        Number of neighbors of a row, not counting the row itself.
    sweeps : int, default=10
        Number of times that all rows are averaged again after the pass that decides them, then
        also over the rows that have them as neighbors. 0 = the published method, a single pass.
    representation : {"auto", "raw", "precomputed"}, default="auto"
        The space in which distances are measured. "auto": columns of any type; numbers are scaled
        by their spread unless they share one range, different categories are as far apart as
        numbers typically are, and a missing value is neither near to nor far from others.
        "raw": numbers as they are. "precomputed": X is the graph of neighbors, either a sparse
        matrix that stores the distances to the neighbors only, or a pair of arrays of shape (n, k)
        with row numbers and distances.
    engine : {"auto", "kdtree", "brute", "approximate"}, default="auto"
        The method that finds neighbors; `engine_` is the one that "auto" selected. All except
        "approximate" are exact.
    class_prior : {"empirical", "uniform"} or array-like of shape (n_classes,), default="empirical"
        Expected share of each class among the rows to decide; "empirical" = as among the labels.
        It affects only the decision.
    abstain : label, default=None
        The label that undecided rows get; "prior" = the most frequent class. None = -1 if labels
        are integers and -1 is not a class, otherwise None.
    unlabeled : scalar, default=-1
        The label that marks unlabeled rows, in addition to missing ones; None = only missing ones.
    held_out_score : bool, default=False
        Whether to measure how accurate the labels are: they are held out in turn and predicted from
        the others, which takes several times as long as spreading them once.
    n_jobs : int, default=-1
        Number of threads; -1 = all cores. The result does not depend on it.
    progress : callable, default=None
        Called as ``progress(stage, done, total)`` during ``fit``.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
        The classes; the column names if labels are soft.
    transduction_ : ndarray of shape (n_rows,)
        A label for each training row.
    label_distributions_ : ndarray of shape (n_rows, n_classes)
        Distribution of each row over the classes, adding up to 1; zero if undecided.
    unknown_mass_ : ndarray of shape (n_rows,)
        The part of each row that is unknown; 1 if undecided.
    log_known_mass_ : ndarray of shape (n_rows,)
        Log of the part that is known; it distinguishes rows whose unknown mass rounds to 1.
    order_ : ndarray of shape (n_decided,)
        Unlabeled rows in the order in which they were decided.
    held_out_score_ : float
        Share of the labels that are predicted correctly from the others, if ``held_out_score`` is
        True; a label that the others do not reach is an error. NaN if no class has two labels.
    engine_ : str
        The engine that found the neighbors.
    recall_ : float
        Share of the true neighbors that the engine found; measured on a sample if not exact.
    n_features_in_ : int
        Number of columns in the training data.
    feature_names_in_ : ndarray of str
        Names of the columns, if the table had any.

    See Also
    --------
    Encoder : Finds which columns are informative about the classes.

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
        "held_out_score": ["boolean"],
        "n_jobs": N_JOBS,
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
        held_out_score: bool = False,
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
        self.held_out_score = held_out_score
        self.n_jobs = n_jobs
        self.progress = progress

    @_fit_context(prefer_skip_nested_validation=True)
    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Spread the labels of y over the rows of X.

        Parameters
        ----------
        X : frame, array-like or sparse matrix of shape (n_rows, n_columns)
            Table, or a graph of neighbors if ``representation="precomputed"``.
        y : array-like of shape (n_rows,) or (n_rows, n_classes)
            Labels, which are missing or equal to `unlabeled` in unlabeled rows; or distributions
            over the classes, which are zero in unlabeled rows.
        sample_weight : array-like of shape (n_rows,), default=None
            How much each row counts as a neighbor of others.

        Returns
        -------
        self
        """
        model, _ = propagate_labels(X, y, self._settings(), sample_weight, self._progress)
        decision, rows = model.decision, model.rows
        transduction, log_mass, unknown = decision.labels(rows), rows.log_mass, rows.unknown_mass
        # Set only when everything is computed: an interrupted fit leaves the estimator unchanged.
        self._check_columns(X, reset=True)
        self._model = model
        self.engine_, self.recall_ = model.neighborhood.engine, model.neighborhood.recall
        self.classes_, self.order_ = decision.classes, model.order
        self.transduction_, self.label_distributions_ = transduction, rows.known
        self.log_known_mass_, self.unknown_mass_ = log_mass, unknown
        self.__dict__.pop("held_out_score_", None)
        if self.held_out_score:
            held = model.held_out
            self.held_out_score_ = np.nan if held is None else held.n_right / held.n_rows
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the most probable class of new rows; undecided rows get the label of `abstain`.

        Parameters
        ----------
        X : frame, array-like or sparse matrix of shape (n_rows, n_columns)
            Table with the columns of the training data; or the graph from new rows to training
            rows if ``representation="precomputed"``.

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        averages = self._averages(X)
        return self._model.decision.labels(averages)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Return the probability of each class for new rows; the class prior if undecided.

        Parameters
        ----------
        X : frame, array-like or sparse matrix of shape (n_rows, n_columns)
            Table with the columns of the training data; or the graph from new rows to training
            rows if ``representation="precomputed"``.

        Returns
        -------
        ndarray of shape (n_rows, n_classes)
        """
        averages = self._averages(X)
        return self._model.decision.probabilities(averages)

    def predict_unknown(self, X: Any) -> NDArray[np.float64]:
        """Return the part of new rows that is unknown; 1 if undecided.

        Parameters
        ----------
        X : frame, array-like or sparse matrix of shape (n_rows, n_columns)
            Table with the columns of the training data; or the graph from new rows to training
            rows if ``representation="precomputed"``.

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        return self._averages(X).unknown_mass

    def score(self, X: Any, y: Any, sample_weight: Any = None) -> float:
        """Return the share of labeled rows classified correctly; abstaining is an error.

        Parameters
        ----------
        X : frame, array-like or sparse matrix of shape (n_rows, n_columns)
            Table with the columns of the training data; or the graph from new rows to training
            rows if ``representation="precomputed"``.
        y : array-like of shape (n_rows,)
            The classes; unlabeled rows, missing or equal to `unlabeled`, are left out.
        sample_weight : array-like of shape (n_rows,), default=None
            How much each row counts.

        Returns
        -------
        float
        """
        return accuracy_of_labeled(self.predict(X), y, self.unlabeled, sample_weight)

    def _averages(self, X: Any) -> LabelDistributions:
        """Average the nearest training rows of each row of X."""
        check_is_fitted(self)
        self._check_columns(X, reset=False)
        return self._model.average(X, self._n_threads)

    def _settings(self) -> PropagationSettings:
        """The parameters in the form that the pipeline takes."""
        return PropagationSettings(
            n_neighbors=self.n_neighbors,
            sweeps=self.sweeps,
            representation=self.representation,
            engine=self.engine,
            class_prior=self.class_prior,
            abstain=self.abstain,
            unlabeled=self.unlabeled,
            held_out_score=self.held_out_score,
            n_threads=self._n_threads,
        )

    def _check_columns(self, X: Any, reset: bool) -> None:
        """Compare the columns with those of the training data, or remember them."""
        if self.representation == "precomputed" and not sp.issparse(X):
            # Lists of neighbors have no columns: forget those of an earlier fit.
            for name in ("n_features_in_", "feature_names_in_") if reset else ():
                self.__dict__.pop(name, None)
            return
        if not sp.issparse(X):
            read_table(X)
        validate_data(self, X, reset=reset, skip_check_array=True)

    @property
    def _progress(self) -> Progress:
        return self.progress or no_progress

    @property
    def _n_threads(self) -> int:
        return n_threads_of(self.n_jobs)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.allow_nan = self.representation == "auto"
        tags.input_tags.string = tags.input_tags.categorical = self.representation == "auto"
        tags.input_tags.pairwise = self.representation == "precomputed"
        return tags

"""The base of the estimators that can be saved, or made from what was learned elsewhere."""

from __future__ import annotations

from os import PathLike
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted

from modlearn._estimators.transformer_parts import TransformerParts

if TYPE_CHECKING:  # transformers start without classifiers
    from modlearn._model.additive import AdditiveModel

__all__ = ["SavedEstimator", "show_fitted"]


class SavedEstimator(BaseEstimator):
    """Base of the estimators that can be saved: all they learn is one object."""

    _takes_text = True

    def save(self, path: str | PathLike[str]) -> None:
        """Write the fitted estimator to a JSON file, which ``modlearn.load`` reads.

        The file holds data, never code, and what is loaded predicts or transforms the same to the
        last bit. If writing fails, an existing file is left unchanged.

        Parameters
        ----------
        path : path
            The file to write, such as ``"wine.modlearn.json"``.

        Returns
        -------
        None
        """
        from modlearn._estimators.model_file import ModelFile  # takes long to import

        check_is_fitted(self)
        named, complete = hasattr(self, "feature_names_in_"), getattr(self, "complete_", True)
        ModelFile.of(self, self._learned(), named, complete).write(path)

    def _learned(self) -> AdditiveModel | TransformerParts:
        """What was learned, from which all fitted attributes follow."""
        raise NotImplementedError

    def _show(self, learned: Any, complete: bool) -> None:
        """Set all fitted attributes; `complete` = all requested pairs were searched."""
        raise NotImplementedError

    def _forget(self) -> None:
        """Remove the fitted attributes, so that a fit that fails leaves no mixture behind."""
        for name in [name for name in vars(self) if name.endswith("_")]:
            delattr(self, name)

    def __sklearn_is_fitted__(self) -> bool:
        # Column names alone are not enough: a fit that failed has set them, too.
        return hasattr(self, "classes_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = tags.input_tags.categorical = self._takes_text
        return tags


def show_fitted(
    estimator: SavedEstimator,
    learned: AdditiveModel | TransformerParts,
    complete: bool,
    named: bool,
) -> None:
    """Make an estimator a view of what was learned elsewhere: by a job, or before it was saved.

    Parameters
    ----------
    estimator : SavedEstimator
        The estimator to set; it is fitted afterwards.
    learned : AdditiveModel or TransformerParts
        What it predicts or transforms with.
    complete : bool
        Whether all requested pairs were searched.
    named : bool
        Whether the training data had column names, all of them text.
    """
    estimator._show(learned, complete)
    estimator.n_features_in_ = len(learned.columns)
    if named:
        estimator.feature_names_in_ = np.array(learned.columns, dtype=object)

"""How sure the scores of an additive model are, from the rows that it was learned from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from modlearn._model.additive import AdditiveModel
from modlearn._search.curvature import TableCovariance

__all__ = ["with_deviations"]

DIGITS = 6
"""Significant digits of deviations; more would only lengthen the file of a model."""


def with_deviations(
    model: AdditiveModel, varying: Sequence[int], found: TableCovariance
) -> AdditiveModel:
    """Return a model whose terms know how sure their scores are.

    Parameters
    ----------
    model : AdditiveModel
        The model.
    varying : sequence of int
        The positions of the terms with several parts; scores of the others are certainly 0.
    found : TableCovariance
        The covariance of the tables of these terms.

    Returns
    -------
    AdditiveModel
    """
    terms = [replace(term, deviation=np.zeros(term.table.shape)) for term in model.terms]
    J = len(model.classes)
    kept = [np.arange(J)]
    at = J
    for k, deviation, shapes in zip(varying, found.deviations, found.shapes, strict=True):
        # A table is stored before it is weighted, and so are its errors.
        weight = terms[k].weight or 1.0
        is_shaped = len(shapes) > 0 and terms[k].weight > 0
        terms[k] = replace(
            terms[k],
            deviation=_rounded(deviation / weight),
            shapes=_rounded(shapes / weight) if is_shaped else None,
        )
        kept.append(np.arange(at, at + len(shapes) * is_shaped))
        at += len(shapes)
    used = np.concatenate(kept)
    covariance = _rounded(found.covariance[np.ix_(used, used)])
    return replace(model, terms=tuple(terms), covariance=covariance)


def _rounded(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Round to `DIGITS` significant digits."""
    size = np.abs(values)
    digits = DIGITS - 1 - np.floor(np.log10(size, out=np.zeros(size.shape), where=size > 1e-12))
    scale = 10.0**digits
    return np.asarray(np.rint(values * scale) / scale) + 0.0

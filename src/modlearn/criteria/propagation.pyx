"""The equations of kNN label distribution propagation (Gøttcke et al. 2021)."""

from libc.math cimport exp
from libc.stdint cimport int32_t, int64_t

import numpy as np

from modlearn.criteria.mass cimport Mass, log_mass, mass_of
from modlearn.criteria.propagation cimport Lists, State, average, known_share

__all__ = ["average_distribution", "known_mass", "with_prior"]

MASS = np.dtype([("high", np.float64), ("low", np.float64), ("exponent", np.int64)])


def known_mass(distributions):
    """Return w(x), the sum of Pr(c|x) over the classes: the known mass (Eq. 6).

    Parameters
    ----------
    distributions : array-like of shape (..., J)
        Probabilities of the classes; the rest up to 1 is unknown.

    Returns
    -------
    float or ndarray of shape (...)

    Examples
    --------
    >>> from modlearn.criteria import known_mass
    >>> float(known_mass([0.5, 0.25]))
    0.75
    """
    return np.sum(distributions, axis=-1)


def average_distribution(neighbors, weights=None):
    """Return Pr(c|x), the weighted mean of the distributions of the neighbors of x (Eq. 5).

    Parameters
    ----------
    neighbors : array-like of shape (k, J)
        Probabilities of the classes for each neighbor; the rest up to 1 is unknown.
    weights : array-like of shape (k,), default=None
        How much each neighbor counts; None = equally, as in the published method.

    Returns
    -------
    ndarray of shape (J,)

    Examples
    --------
    >>> from modlearn.criteria import average_distribution
    >>> average_distribution([[1.0, 0.0], [0.0, 0.5], [0.0, 0.0], [0.0, 0.0]]).tolist()
    [0.25, 0.125]
    """
    given = np.array(neighbors, dtype=np.float64, ndmin=2)
    totals = known_mass(given)
    cdef const double[:, ::1] known = given / np.where(totals > 0, totals, 1.0)[:, None]
    cdef Mass[::1] masses = np.zeros(len(given), dtype=MASS)
    cdef const int64_t[::1] pointer = np.array([0, len(given)])
    cdef const int32_t[::1] rows = np.arange(len(given), dtype=np.int32)
    cdef const double[::1] votes = np.ones(len(given)) if weights is None else np.array(
        weights, dtype=np.float64
    )
    cdef double[::1] out = np.zeros(given.shape[1])
    cdef Lists lists
    cdef State state
    for row, total in enumerate(totals.tolist()):
        masses[row] = mass_of(total)
    lists.n, lists.pointers[0], lists.rows[0], lists.weights = 1, &pointer[0], &rows[0], &votes[0]
    state = State(given.shape[1], &masses[0], sizeof(Mass), &known[0, 0])
    share = known_share(&lists, 0, average(&lists, 0, &state, &out[0]))
    return np.asarray(out) * exp(log_mass(share))


def with_prior(known, labeled, prior):
    """Return distributions under another class prior (Eqs. 1 and 4), adding up to 1.

    Under the prior of the labels, the class sizes of Eq. 4 cancel, which leaves Eq. 5. Another
    prior weights each class by its expected share divided by its share among the labels.

    Parameters
    ----------
    known : array-like of shape (n, J)
        Distributions over the classes; zero where nothing is known.
    labeled, prior : array-like of shape (J,)
        Share of each class among the labels, and its expected share. A class without labels is
        left as it is.

    Returns
    -------
    ndarray of shape (n, J)
        The new distributions; equal to the prior where nothing is known.

    Examples
    --------
    >>> from modlearn.criteria import with_prior
    >>> with_prior([[0.75, 0.25], [0.0, 0.0]], [0.75, 0.25], [0.5, 0.5]).tolist()
    [[0.5, 0.5], [0.5, 0.5]]
    """
    known, labeled, prior = (np.asarray(a, dtype=np.float64) for a in (known, labeled, prior))
    # Equal priors leave the distributions as they are, to the last digit.
    same = np.array_equal(labeled, prior)
    # A class whose labels all have weight 0 is left as it is.
    factors = np.divide(prior, labeled, out=prior.copy(), where=labeled > 0)
    weighed = known.copy() if same else known * factors
    totals = weighed.sum(axis=1)
    empty = totals == 0
    weighed /= np.where(empty, 1.0, totals)[:, None]
    weighed[empty] = prior
    return weighed

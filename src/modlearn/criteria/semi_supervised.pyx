"""The semi-supervised criterion as a part cost: Eq. 8 at its best completion of the labels."""

from libc.stdint cimport int64_t

import numpy as np

from modlearn.criteria.discretization cimport map_part_cost
from modlearn.criteria.part_cost cimport PartCost

__all__ = ["MapCost"]


cdef class MapCost(PartCost):
    """The most probable completion of the labels of every part, Eq. 8 of Bondu et al. 2008.

    Labels 0 to J-1 are the classes, and label J stands for unlabeled rows.

    Parameters
    ----------
    n_classes : int
        J.
    prior : callable
        The prior of I parts.

    Examples
    --------
    >>> from modlearn.criteria import MapCost, map_cost, discretization_prior
    >>> cost = MapCost(2, lambda I: discretization_prior(11, I))
    >>> cost.total([[5, 1, 0], [0, 4, 1]]) == map_cost([[5, 1], [0, 4]], [0, 1])
    True
    """

    cdef int64_t J
    cdef int64_t[::1] completed  # (J,) the N_ij of one part

    def __init__(self, n_classes, prior):
        PartCost.__init__(self, n_classes + 1, prior)
        self.J, self.completed = n_classes, np.zeros(max(1, n_classes), dtype=np.int64)

    cdef double cost(self, const int64_t* counts) noexcept nogil:
        cdef int64_t j, labeled = 0
        for j in range(self.J):
            labeled += counts[j]
        return map_part_cost(counts, self.J, labeled, counts[self.J], &self.completed[0])

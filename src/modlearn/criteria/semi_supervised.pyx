"""The semi-supervised criterion as a part cost: Eq. 8 at its best completion of the labels."""

cimport cython
from libc.stdint cimport int32_t, int64_t

import numpy as np

from modlearn.criteria.discretization cimport map_part_cost
from modlearn.criteria.part_cost cimport PartCost, Sequence

__all__ = ["MapCost"]


@cython.final
cdef class MapCost(PartCost):
    """The cost of parts at the most probable completion of labels, Eq. 8 of Bondu et al. 2008.

    Labels 0 to J-1 are the classes, and label J stands for unlabeled rows.

    Parameters
    ----------
    n_classes : int
        J, the number of classes.
    prior : callable
        The prior of I parts.

    Examples
    --------
    >>> from modlearn.criteria import MapCost, map_cost, discretization_prior
    >>> cost = MapCost(2, lambda I: discretization_prior(11, I))
    >>> round(cost.total([[5, 1, 0], [0, 4, 1]]) - map_cost([[5, 1], [0, 4]], [0, 1]), 12)
    0.0
    """

    cdef int64_t J
    cdef int64_t[::1] completed  # (J,) the N_ij of one part

    def __init__(self, n_classes, prior):
        PartCost.__init__(self, n_classes + 1, prior)
        self.J, self.completed = n_classes, np.zeros(max(1, n_classes), dtype=np.int64)

    @property
    def n_alike(self):
        # The label of unlabeled rows, the last one, is like no other.
        return self.J

    cdef inline double cost_of(self, const int64_t* counts, int64_t rows) noexcept nogil:
        cdef int64_t unlabeled = counts[self.J]
        # `completed` is overwritten by every part: only its cost is kept.
        return map_part_cost(counts, self.J, rows - unlabeled, unlabeled, &self.completed[0])

    cdef double cost(self, const int64_t* counts) noexcept nogil:
        cdef int64_t j, rows = 0
        for j in range(self.n_labels):
            rows += counts[j]
        return self.cost_of(counts, rows)

    cdef void fill_row(
        self, const Sequence* blocks, int64_t first, int64_t end, double* row
    ) noexcept nogil:
        """As in the base class, but the rows are not added up anew for every interval."""
        cdef int64_t s, j, rows = 0
        cdef int32_t e
        for j in range(self.n_labels):
            self.sums[j] = 0
        # At the head of the loop `sums` and `rows` are those of blocks s+1 to before `end`.
        for s in range(end - 1, first - 1, -1):
            for e in range(blocks.pointer[s], blocks.pointer[s + 1]):
                self.sums[blocks.labels[e]] += blocks.counts[e]
                rows += blocks.counts[e]
            row[s] = self.cost_of(self.sums, rows)

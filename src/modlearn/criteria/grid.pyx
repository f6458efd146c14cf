"""Formula 3: the cost of a grid on two columns."""

import numpy as np

from modlearn.criteria.counts import as_counts
from modlearn.criteria.discretization import discretization_prior
from modlearn.criteria.grouping import grouping_prior

__all__ = ["axis_prior", "cell_costs", "grid_cost", "grid_price"]


def axis_prior(n_rows, n_values, I):
    """Return the prior of I intervals of N rows, or of I groups of V values if V is passed.

    Parameters
    ----------
    n_rows : int
        N, the number of rows.
    n_values : int or None
        V of a column whose values are grouped; None for a column cut into intervals.
    I : int or array-like of int
        Number of parts.

    Examples
    --------
    >>> from modlearn.criteria import axis_prior, discretization_prior, grouping_prior
    >>> bool(axis_prior(100, None, 3) == discretization_prior(100, 3))
    True
    >>> bool(axis_prior(100, 5, 3) == grouping_prior(5, 3))
    True
    """
    if n_values is None:
        return discretization_prior(n_rows, I)
    return grouping_prior(n_values, I)


def cell_costs(counts):
    """Return the sum over cells of log C(N_c+J-1, J-1) + log (N_c! / prod_j N_cj!).

    Parameters
    ----------
    counts : ndarray of shape (..., J), int64, contiguous
        Rows of class j in every cell; an empty cell costs nothing.

    Examples
    --------
    >>> import numpy as np
    >>> from modlearn.criteria import cell_costs, part_costs
    >>> counts = np.array([[3, 1], [0, 0]])
    >>> cell_costs(counts) == float(part_costs(counts).sum())
    True
    """
    cdef const int64_t[::1] flat = counts.reshape(-1)
    cdef int64_t J = counts.shape[counts.ndim - 1]
    return cells_cost(&flat[0], flat.shape[0] // J, J)


def grid_cost(counts, n_values=(None, None)):
    """Return the cost of a grid, formula 3 of Boullé 2007.

    Parameters
    ----------
    counts : array-like of int, shape (I1, I2, J)
        Rows of class j in the cell of part i1 of the first column and part i2 of the second.
    n_values : tuple of int or None, default=(None, None)
        V of each column whose values are grouped; None for a column cut into intervals.

    Examples
    --------
    Alcohol and flavanoids of Wine, as in figure 3 of Boullé 2007:

    >>> from modlearn.criteria import grid_cost
    >>> low = [[0, 4, 11], [0, 35, 0], [0, 23, 0]]
    >>> high = [[0, 0, 31], [0, 5, 6], [59, 4, 0]]
    >>> round(grid_cost([low, high]), 6)
    87.273712
    """
    table = np.asarray(counts)
    if table.ndim != 3:
        raise ValueError(
            "A grid has counts per part of the first column, part of the second and class, "
            f"got shape {table.shape}."
        )
    cells = as_counts(table.reshape(-1, table.shape[2]))
    cost = cell_costs(cells)
    for n_parts, n in zip(table.shape[:2], n_values, strict=True):
        if n is not None and n < n_parts:
            raise ValueError(f"{n_parts} groups need at least as many values, got V={n}.")
        cost += axis_prior(int(cells.sum()), n, n_parts)
    return float(cost)


def grid_price(counts, cost, null_cost):
    """Return what a pair pays for the parts of one of its columns, beyond those of one cell.

    The mean over both columns of log C(N+I-1, I-1), or of log B(V, I) for groups: half the
    difference between grid and single cell in the cost that does not depend on cells. The single
    columns have their partitions in any case, so a pair pays for only one of its two.

    Parameters
    ----------
    counts : ndarray of shape (I1, I2, J), int64, contiguous
        Rows of class j per cell.
    cost, null_cost : float
        Cost of the grid, and of one cell.

    Examples
    --------
    >>> import numpy as np
    >>> from modlearn.criteria import bounds_priors, grid_cost, grid_price
    >>> counts = np.array([[[9, 0], [0, 9]], [[0, 9], [9, 0]]])
    >>> one_cell = counts.sum(axis=(0, 1), keepdims=True)
    >>> price = grid_price(counts, grid_cost(counts), grid_cost(one_cell))
    >>> round(price, 6) == round(float(bounds_priors(36, 2)), 6)
    True
    """
    one_cell = np.ascontiguousarray(counts.sum(axis=(0, 1)))
    return float(cost - cell_costs(counts) - (null_cost - cell_costs(one_cell))) / 2

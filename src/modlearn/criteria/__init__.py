"""The equations of the papers: pure functions of count tables and of distributions.

Every cost is one term, or one whole criterion, in natural logarithms. The table in
``docs/criteria.md`` maps each to its paper and equation. A ``PartCost`` is what a search minimizes:
a prior on the number of parts, and the cost of every part.
"""

from modlearn.criteria.blending import blended, neighbor_shares
from modlearn.criteria.class_cost import ClassCost
from modlearn.criteria.combinatorics import log_binomials, log_factorials, log_partitions
from modlearn.criteria.counts import level
from modlearn.criteria.criterion import CRITERIA, SUPERVISED, Costing, Criterion
from modlearn.criteria.discretization import (
    apportionment,
    averaged_cost,
    bounds_priors,
    discretization_cost,
    discretization_prior,
    distribution_priors,
    likelihoods,
    map_cost,
    part_costs,
)
from modlearn.criteria.grid import axis_prior, cell_costs, grid_cost, grid_price
from modlearn.criteria.grid_axis import AxisCost, axis_cost
from modlearn.criteria.grouping import grouping_cost, grouping_prior
from modlearn.criteria.information import excess_information, mutual_information
from modlearn.criteria.naive_bayes import (
    class_shares,
    elsewhere_log_likelihoods,
    part_log_likelihoods,
    part_log_odds,
    part_variances,
    reassigned_log_likelihoods,
    share_variances,
    sparsity_slope,
    subset_cost,
    subset_prior,
)
from modlearn.criteria.part_cost import PartCost
from modlearn.criteria.propagation import average_distribution, known_mass, with_prior
from modlearn.criteria.semi_supervised import MapCost
from modlearn.criteria.target_intervals import TargetCost, rank_regression_cost
from modlearn.criteria.trees import LEAF_PRIOR, split_prior, tree_cost, tree_prior

__all__ = [
    "CRITERIA",
    "LEAF_PRIOR",
    "SUPERVISED",
    "AxisCost",
    "ClassCost",
    "Costing",
    "Criterion",
    "MapCost",
    "PartCost",
    "TargetCost",
    "apportionment",
    "average_distribution",
    "averaged_cost",
    "axis_cost",
    "axis_prior",
    "blended",
    "bounds_priors",
    "cell_costs",
    "class_shares",
    "discretization_cost",
    "discretization_prior",
    "distribution_priors",
    "elsewhere_log_likelihoods",
    "excess_information",
    "grid_cost",
    "grid_price",
    "grouping_cost",
    "grouping_prior",
    "known_mass",
    "level",
    "likelihoods",
    "log_binomials",
    "log_factorials",
    "log_partitions",
    "map_cost",
    "mutual_information",
    "neighbor_shares",
    "part_costs",
    "part_log_likelihoods",
    "part_log_odds",
    "part_variances",
    "rank_regression_cost",
    "reassigned_log_likelihoods",
    "share_variances",
    "sparsity_slope",
    "split_prior",
    "subset_cost",
    "subset_prior",
    "tree_cost",
    "tree_prior",
    "with_prior",
]

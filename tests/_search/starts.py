"""The slow twin of the local search: every position of a bound is tried, nothing is skipped."""

from itertools import pairwise

import numpy as np
from tests._search.columns import part_cost
from tests.oracles import discretization

from modlearn._search.refinement import part_costs_of


class EveryBound:
    """Every position of a bound is tried, nothing is skipped."""

    def __init__(self, blocks, min_part_size=1):
        table = blocks.dense()
        self.blocks = discretization.Blocks.of(table)
        self.rows_left = np.concatenate(([0], table.sum(axis=1).cumsum()))
        self.min_part_size = min_part_size

    def cost(self, bounds):
        bounds = np.asarray(bounds)
        return self.blocks.part_cost(bounds[:-1], bounds[1:]).sum()

    def costs_of_bounds(self, start, end):
        """Cost of both parts for every bound strictly between two, infinite where not allowed."""
        inside = np.arange(start + 1, end)
        costs = self.blocks.part_cost(start, inside) + self.blocks.part_cost(inside, end)
        left = self.rows_left[inside] - self.rows_left[start]
        right = self.rows_left[end] - self.rows_left[inside]
        return np.where(np.minimum(left, right) >= self.min_part_size, costs, np.inf)

    def best_split(self, start, end):
        """Least cost of both parts, infinite where no split is allowed."""
        return self.costs_of_bounds(start, end).min(initial=np.inf)

    def best_improvement(self, bounds, prior):
        """How much the best single move, merge or split lowers the cost; `prior` of I parts."""
        bounds, n_parts = np.asarray(bounds), len(bounds) - 1
        costs = [self.cost(part) for part in pairwise(bounds)]
        split_price = prior(n_parts + 1) - prior(n_parts)
        gains = [0.0]
        for i, (start, end) in enumerate(pairwise(bounds)):
            gains.append(costs[i] - self.best_split(start, end) - split_price)
        for i in range(n_parts - 1):
            start, end = bounds[i], bounds[i + 2]
            apart = costs[i] + costs[i + 1]
            gains.append(apart - self.best_split(start, end))
            gains.append(apart - self.cost([start, end]) + prior(n_parts) - prior(n_parts - 1))
        return max(gains)


class EveryBoundOfUnlabeledRows(EveryBound):
    """Every position of a bound under the map criterion, part by part."""

    def __init__(self, blocks, min_part_size=1):
        super().__init__(blocks, min_part_size)
        self.compact, self.part_cost = blocks, part_cost(blocks, with_unlabeled=True)

    def cost(self, bounds):
        bounds = np.asarray(bounds, dtype=np.int64)
        return part_costs_of(self.compact, self.part_cost, bounds).sum()

    def costs_of_bounds(self, start, end):
        return np.array([self.cost([start, bound, end]) for bound in range(start + 1, end)])

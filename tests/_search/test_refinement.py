import math
from itertools import pairwise

import numpy as np
import pytest
from tests._search.columns import part_cost, random_blocks
from tests._search.starts import EveryBound
from tests.oracles import discretization
from tests.oracles.semi_supervised import map_part_cost

from modlearn._search.blocks import from_dense
from modlearn._search.refinement import (
    merge_parts,
    move_bounds,
    part_costs_of,
    split_best_part,
    split_parts,
)
from modlearn.criteria import discretization_prior

TOLERANCE = 1e-8
SIZES = [2, 70, 1000, 5000]
CLASSES = [2, 3, 26]


def priors_of(blocks, most):
    n_rows = int(blocks.dense().sum())
    return np.concatenate(([0.0], discretization_prior(n_rows, np.arange(1, most + 1))))


def some_bounds(rng, n_blocks, n_parts):
    inner = rng.choice(np.arange(1, n_blocks), min(n_parts, n_blocks) - 1, replace=False)
    return np.array([0, *np.sort(inner), n_blocks])


@pytest.mark.parametrize("n_blocks", [500, 5000])
@pytest.mark.parametrize("n_classes", [*CLASSES, 150])
def test_part_costs_are_those_of_formula_1(n_classes, n_blocks):
    rng = np.random.default_rng(n_classes)
    blocks = random_blocks(rng, n_blocks, n_classes)
    bounds = some_bounds(rng, n_blocks, 6)
    parts = np.add.reduceat(blocks.dense(), bounds[:-1], axis=0).tolist()
    expected = [math.log(discretization.part_weight(tuple(row))) for row in parts]
    found = part_costs_of(blocks, part_cost(blocks), bounds)
    np.testing.assert_allclose(found, expected, atol=1e-9, rtol=0)


def test_part_costs_with_unlabeled_rows_are_those_of_the_map_criterion():
    rng = np.random.default_rng(0)
    blocks = random_blocks(rng, 600, 3, with_unlabeled=True)
    bounds = some_bounds(rng, 600, 9)
    parts = np.add.reduceat(blocks.dense(), bounds[:-1], axis=0).tolist()
    expected = [map_part_cost(tuple(row)) for row in parts]
    found = part_costs_of(blocks, part_cost(blocks, with_unlabeled=True), bounds)
    np.testing.assert_allclose(found, expected, atol=1e-9, rtol=0)


class TestMoveBounds:
    @pytest.mark.parametrize("min_part_size", [1, 40])
    @pytest.mark.parametrize("n_blocks", SIZES)
    @pytest.mark.parametrize("n_classes", CLASSES)
    def test_one_bound_goes_to_its_best_position_of_all(self, n_classes, n_blocks, min_part_size):
        rng = np.random.default_rng(n_blocks + n_classes)
        for rows in (1.0, 3.0, 20.0):
            blocks = random_blocks(rng, n_blocks, n_classes, rows=rows)
            twin = EveryBound(blocks, min_part_size)
            best = twin.best_split(0, n_blocks)
            for start in some_bounds(rng, n_blocks, 4)[1:-1]:
                bounds = np.array([0, start, n_blocks])
                moved = move_bounds(blocks, part_cost(blocks), bounds, TOLERANCE, min_part_size)
                before = twin.cost(bounds)
                assert twin.cost(moved) == pytest.approx(min(best, before), abs=2 * TOLERANCE)

    @pytest.mark.parametrize("n_blocks", SIZES[1:])
    @pytest.mark.parametrize("n_classes", CLASSES)
    def test_in_the_end_no_bound_has_a_better_position(self, n_classes, n_blocks):
        rng = np.random.default_rng(n_blocks * n_classes)
        blocks = random_blocks(rng, n_blocks, n_classes)
        twin, bounds = EveryBound(blocks), some_bounds(rng, n_blocks, 30)
        moved = move_bounds(blocks, part_cost(blocks), bounds, TOLERANCE)
        assert twin.cost(moved) < twin.cost(bounds)
        assert (np.diff(moved) > 0).all()
        assert (moved[0], moved[-1], len(moved)) == (0, n_blocks, len(bounds))
        for start, bound, end in zip(moved, moved[1:], moved[2:], strict=False):
            best = twin.best_split(start, end)
            assert twin.cost([start, bound, end]) <= best + 2 * TOLERANCE

    def test_with_unlabeled_rows_one_bound_goes_to_its_best_position_of_all(self):
        blocks = random_blocks(np.random.default_rng(1), 300, 3, with_unlabeled=True)
        cost = part_cost(blocks, with_unlabeled=True)
        every = [part_costs_of(blocks, cost, np.array([0, b, 300])).sum() for b in range(1, 300)]
        moved = move_bounds(blocks, cost, [0, 5, 300], TOLERANCE)
        assert part_costs_of(blocks, cost, moved).sum() == pytest.approx(min(every), abs=1e-8)

    def test_no_part_becomes_smaller_than_allowed(self):
        blocks = from_dense([(9, 0), (1, 8), (0, 9), (0, 9)])
        cost = part_cost(blocks)
        assert move_bounds(blocks, cost, [0, 2, 4], TOLERANCE).tolist() == [0, 1, 4]
        assert move_bounds(blocks, cost, [0, 2, 4], TOLERANCE, 10).tolist() == [0, 2, 4]

    def test_moving_ends_though_rounding_exceeds_the_tolerance(self):
        rng = np.random.default_rng(0)
        blocks = random_blocks(rng, 5000, 2, rows=1)
        bounds = some_bounds(rng, 5000, 30)
        cost = part_cost(blocks)
        moved = move_bounds(blocks, cost, bounds, tolerance=0.0)
        before = part_costs_of(blocks, cost, bounds).sum()
        assert part_costs_of(blocks, cost, moved).sum() < before

    def test_one_part_has_no_bound_to_move(self):
        blocks = from_dense([(1, 0), (0, 1)])
        assert move_bounds(blocks, part_cost(blocks), [0, 2], TOLERANCE).tolist() == [0, 2]


class TestMergeParts:
    @pytest.mark.parametrize("n_classes", CLASSES)
    def test_the_best_pair_merges_first_while_that_lowers_the_cost(self, n_classes):
        rng = np.random.default_rng(n_classes)
        blocks = random_blocks(rng, 2000, n_classes)
        bounds, prior = some_bounds(rng, 2000, 60), priors_of(blocks, 60)
        merged = merge_parts(blocks, part_cost(blocks), bounds, TOLERANCE)
        assert merged.tolist() == merged_one_by_one(EveryBound(blocks), bounds, prior)
        assert 2 < len(merged) < len(bounds)

    def test_parts_worth_their_price_stay(self):
        blocks = from_dense([(90, 0), (0, 90), (90, 0)])
        merged = merge_parts(blocks, part_cost(blocks), [0, 1, 2, 3], TOLERANCE)
        assert merged.tolist() == [0, 1, 2, 3]

    def test_equal_parts_become_one(self):
        blocks = from_dense([(5, 5)] * 8)
        merged = merge_parts(blocks, part_cost(blocks), range(9), TOLERANCE)
        assert merged.tolist() == [0, 8]


def merged_one_by_one(twin, bounds, prior):
    bounds = list(bounds)
    while len(bounds) > 2:
        without = [bounds[:k] + bounds[k + 1 :] for k in range(1, len(bounds) - 1)]
        best = min(without, key=twin.cost)
        n_parts = len(bounds) - 1
        if twin.cost(best) + prior[n_parts - 1] >= twin.cost(bounds) + prior[n_parts] - TOLERANCE:
            break
        bounds = best
    return bounds


class TestSplitParts:
    @pytest.mark.parametrize("min_part_size", [1, 40])
    @pytest.mark.parametrize("n_blocks", SIZES)
    @pytest.mark.parametrize("n_classes", CLASSES)
    def test_every_part_is_split_at_its_best_position_if_that_pays(
        self, n_classes, n_blocks, min_part_size
    ):
        rng = np.random.default_rng(n_blocks + 100 * n_classes)
        blocks = random_blocks(rng, n_blocks, n_classes)
        twin, bounds = EveryBound(blocks, min_part_size), some_bounds(rng, n_blocks, 6)
        prior, most = priors_of(blocks, 2 * len(bounds)), 2 * len(bounds)
        split = split_parts(blocks, part_cost(blocks), bounds, most, TOLERANCE, min_part_size)
        n_parts = len(bounds) - 1
        for start, end in pairwise(bounds.tolist()):
            within = split[(split >= start) & (split <= end)]
            best = twin.best_split(start, end)
            pays = best < twin.cost([start, end]) - prior[n_parts + 1] + prior[n_parts] - TOLERANCE
            assert len(within) == (3 if pays else 2)
            if pays:
                assert twin.cost(within) == pytest.approx(best, abs=2 * TOLERANCE)
            n_parts += pays
        assert len(split) == n_parts + 1

    def test_there_are_never_more_parts_than_allowed(self):
        blocks = from_dense([(90, 0), (0, 90), (90, 0), (0, 90)])
        for most in (4, 3, 2):
            split = split_parts(blocks, part_cost(blocks), [0, 2, 4], most, TOLERANCE)
            assert len(split) - 1 == most

    def test_noise_is_not_split(self):
        labels = np.random.default_rng(0).integers(0, 2, 5000)
        blocks = from_dense(np.eye(2, dtype=int)[labels])
        split = split_parts(blocks, part_cost(blocks), [0, 5000], 9, TOLERANCE)
        assert split.tolist() == [0, 5000]


class TestSplitBestPart:
    @pytest.mark.parametrize("min_part_size", [1, 40])
    @pytest.mark.parametrize("n_blocks", SIZES)
    @pytest.mark.parametrize("n_classes", CLASSES)
    def test_the_split_that_lowers_the_part_costs_most_is_made(
        self, n_classes, n_blocks, min_part_size
    ):
        rng = np.random.default_rng(n_blocks + 7 * n_classes)
        blocks = random_blocks(rng, n_blocks, n_classes)
        every_bound, bounds = EveryBound(blocks, min_part_size), some_bounds(rng, n_blocks, 6)
        changes = [
            every_bound.best_split(a, b) - every_bound.cost([a, b]) for a, b in pairwise(bounds)
        ]
        split = split_best_part(blocks, part_cost(blocks), bounds, min_part_size)
        if np.isinf(changes).all():
            assert split.tolist() == bounds.tolist()
        else:
            assert (len(split), set(bounds) - set(split)) == (len(bounds) + 1, set())
            change = every_bound.cost(split) - every_bound.cost(bounds)
            assert change == pytest.approx(min(changes), abs=1e-8)

    def test_a_window_of_the_blocks_is_split_within_it(self):
        blocks = from_dense([(90, 0), (9, 0), (0, 9), (0, 9), (90, 0)])
        assert split_best_part(blocks, part_cost(blocks), [1, 4]).tolist() == [1, 2, 4]

"""The oracles reproduce the published figures and agree with one another."""

import math
import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from tests.oracle_samples import exactly, small_samples
from tests.oracles import discretization, grouping, propagation
from tests.oracles.intervals import (
    Row,
    add_up,
    count_by_value,
    interval_of,
    midpoint,
    total,
)

NAN, INF = math.nan, math.inf


def iris(column: int) -> tuple[list[float], list[int]]:
    table, classes = load_iris(return_X_y=True)
    return table[:, column].tolist(), classes.tolist()


def waves(n_rows: int, n_classes: int, frequency: float) -> tuple[list[float], list[int]]:
    """Classes whose odds change smoothly with x: many blocks, many intervals."""
    rng = np.random.default_rng(n_rows)
    values = rng.normal(size=n_rows)
    shift = 2 * np.pi * np.arange(n_classes) / n_classes
    odds = 1 + np.sin(frequency * values[:, None] + shift)
    steps = (odds / odds.sum(axis=1, keepdims=True)).cumsum(axis=1)
    labels = (rng.random(n_rows)[:, None] > steps[:, :-1]).sum(axis=1)
    return values.tolist(), labels.tolist()


class TestPositions:
    def test_missing_is_a_position_below_minus_infinity(self) -> None:
        values, table = count_by_value([1.0, NAN, -INF, NAN], [0, 1, 0, 0], 2)
        assert math.isnan(values[0])
        assert values[1:] == [-INF, 1.0]
        assert table == ((1, 1), (1, 0), (1, 0))

    @pytest.mark.parametrize(
        ("left", "right"),
        [
            (1.0, 2.0),
            (-INF, 3.0),
            (3.0, INF),
            (-INF, INF),
            (NAN, -INF),
            (NAN, 1.0),
            (1.0, math.nextafter(1.0, 2.0)),
            (1.6e308, 1.7e308),
            (-1.7e308, 1.7e308),
        ],
    )
    def test_a_cut_separates_its_two_neighbors(self, left: float, right: float) -> None:
        cut = midpoint(left, right)
        assert (interval_of(left, [cut]), interval_of(right, [cut])) == (0, 1)


class TestDiscretization:
    @pytest.mark.parametrize(
        ("column", "cost", "cuts"),
        [
            (0, 121.33064856793688, (5.45, 6.15)),
            (1, 150.17818431973241, (2.95, 3.35)),
            (2, 56.898581017435266, (2.45, 4.75)),
            (3, 54.711827739966342, (0.8, 1.75)),
        ],
    )
    def test_iris_has_its_known_optimum(
        self, column: int, cost: float, cuts: tuple[float, ...]
    ) -> None:
        values, labels = iris(column)
        distinct, table = count_by_value(values, labels, 3)
        found, bounds = discretization.dynamic_program(table)
        assert found == pytest.approx(cost, abs=1e-13, rel=0)
        assert [midpoint(distinct[b - 1], distinct[b]) for b in bounds] == pytest.approx(cuts)
        three_parts = discretization.brute_force(values, labels, 3, max_parts=3)
        assert three_parts.cost == found
        assert three_parts.cuts == pytest.approx(cuts)
        rows_left = tuple(sum(map(sum, table[:b])) for b in bounds)
        greedy = discretization.greedy_then_exact(values, labels, 3)
        assert greedy == (exactly(cost), rows_left)

    def test_iris_sepal_width_is_the_published_figure(self) -> None:
        best = discretization.brute_force(*iris(1), 3, max_parts=3)
        assert best.counts == ((2, 34, 21), (17, 15, 24), (31, 1, 5))

    def test_the_cost_is_formula_1_term_by_term(self) -> None:
        expected = (
            math.log(10)
            + math.log(math.comb(11, 1))
            + math.log(math.comb(6, 2) * math.comb(8, 2))
            + math.log(math.factorial(4) // 6)
            + math.log(math.factorial(6) // (2 * 24))
        )
        assert discretization.cost([(3, 1, 0), (0, 2, 4)]) == exactly(expected)

    @settings(max_examples=60, deadline=None)
    @given(small_samples(), st.integers(1, 4), st.sampled_from([None, 1, 2, 3]))
    def test_dynamic_program_is_brute_force(
        self, sample: tuple[list[float], list[int], int], smallest: int, most: int | None
    ) -> None:
        _, table = count_by_value(*sample)
        best = discretization.brute_force(*sample, smallest, most)
        cost, bounds = discretization.dynamic_program(table, smallest, most)
        tied = discretization.all_optima(*sample, smallest, most)
        assert cost == exactly(best.cost)
        assert add_up(table, bounds) in [partition.counts for partition in tied]

    @settings(max_examples=60, deadline=None)
    @given(small_samples())
    def test_cuts_reproduce_the_counts(self, sample: tuple[list[float], list[int], int]) -> None:
        values, labels, n_classes = sample
        for partition in discretization.all_optima(*sample):
            counts = np.zeros((len(partition.cuts) + 1, n_classes), dtype=int)
            np.add.at(counts, ([interval_of(v, partition.cuts) for v in values], labels), 1)
            assert tuple(map(tuple, counts.tolist())) == partition.counts
            assert discretization.cost(partition.counts) == exactly(partition.cost)

    @settings(max_examples=100, deadline=None)
    @given(small_samples())
    def test_no_optimum_cuts_inside_a_pure_run(
        self, sample: tuple[list[float], list[int], int]
    ) -> None:
        distinct, table = count_by_value(*sample)
        bounds = discretization.pure_run_bounds(table)
        allowed = {midpoint(distinct[b - 1], distinct[b]) for b in bounds}
        for partition in discretization.all_optima(*sample):
            assert allowed.issuperset(partition.cuts)

    def test_a_least_part_size_can_force_a_cut_inside_a_pure_run(self) -> None:
        values = [0.0] * 3 + [1.0, 2, 3, 4, 5, 6, 7, 8]
        best = discretization.brute_force(values, [0] * 3 + [1] * 8, 2, min_part_size=4)
        assert best.counts == ((3, 1), (0, 7))

    @pytest.mark.parametrize("n_classes", [2, 3])
    def test_greedy_then_exact_is_the_optimum_when_nothing_needs_merging(
        self, n_classes: int
    ) -> None:
        values, labels = waves(400, n_classes, 4.0)
        _, table = count_by_value(values, labels, n_classes)
        cost, rows_left = discretization.greedy_then_exact(values, labels, n_classes)
        assert cost == exactly(discretization.dynamic_program(table)[0])
        assert cost == exactly(discretization.cost(add_up(table, rows_left)))

    def test_greedy_then_exact_holds_up_when_it_must_merge(self) -> None:
        values, labels = waves(2000, 3, 6.0)
        optimum, _ = discretization.greedy_then_exact(values, labels, 3, n_blocks=2000)
        for n_blocks in (200, 400):
            cost, _ = discretization.greedy_then_exact(values, labels, 3, n_blocks)
            assert optimum - 1e-9 <= cost <= optimum + 0.1

    def test_greedy_then_exact_scores_its_own_bounds_on_fifty_thousand_rows(self) -> None:
        values, labels = waves(50_000, 5, 10.0)
        cost, rows_left = discretization.greedy_then_exact(values, labels, 5)
        in_order = np.array(labels)[np.argsort(values)]
        parts = [np.bincount(part, minlength=5) for part in np.split(in_order, rows_left)]
        assert cost == pytest.approx(discretization.cost([tuple(p.tolist()) for p in parts]))
        assert discretization.level([tuple(p.tolist()) for p in parts]) > 0.1


# edible, poisonous; seed 002 figure 2 prints the edible share and the total
MUSHROOM_CAP_COLOR = {
    "BROWN": (889, 721),
    "GRAY": (892, 566),
    "RED": (429, 637),
    "YELLOW": (285, 458),
    "WHITE": (497, 214),
    "BUFF": (37, 85),
    "PINK": (40, 61),
    "CINNAMON": (22, 9),
    "GREEN": (13, 0),
    "PURPLE": (10, 0),
}


class TestGrouping:
    def test_mushroom_cap_color_has_the_published_groups(self) -> None:
        best = grouping.best_by_size(list(MUSHROOM_CAP_COLOR.values()))
        assert best[4].cost == exactly(3925.2101703773455)
        assert best[5].cost == exactly(3923.4078545952652)
        assert best[6].cost == exactly(3923.7924404326300)
        assert min(best.values()) == best[5]
        colors = list(MUSHROOM_CAP_COLOR)
        assert [{colors[v] for v in group} for group in best[5].groups] == [
            {"BROWN"},
            {"GRAY"},
            {"RED", "YELLOW", "BUFF", "PINK"},
            {"WHITE", "CINNAMON"},
            {"GREEN", "PURPLE"},
        ]

    def test_stirling_numbers_sum_to_bell_numbers(self) -> None:
        assert grouping.stirling_row(5) == (0, 1, 15, 25, 10, 1)
        assert [sum(grouping.stirling_row(v)) for v in range(1, 11)] == [
            *(1, 2, 5, 15, 52, 203, 877, 4140, 21147, 115975)
        ]
        assert sum(1 for _ in grouping.set_partitions(7)) == 877

    def test_log_b_is_zero_for_one_group_and_log_bell_for_all(self) -> None:
        assert grouping.log_b(6, 1) == 0
        assert grouping.log_b(10, 10) == math.log(115975)

    def test_greedy_merging_is_never_better_than_brute_force(self) -> None:
        rng = random.Random(0)
        for _ in range(30):
            rates = [rng.random() for _ in range(rng.randint(1, 6))]
            counts: list[Row] = [(int(30 * r), int(30 * (1 - r)), rng.randint(0, 2)) for r in rates]
            merged, best = grouping.greedy_merging(counts), grouping.brute_force(counts)
            assert merged.cost >= best.cost - 1e-9
            parts = [total([counts[v] for v in group]) for group in best.groups]
            assert grouping.cost(len(counts), parts) == exactly(best.cost)
            assert best in grouping.all_optima(counts)


class TestPropagation:
    """Four rows in a line, the first labeled."""

    LISTS = ((1,), (0, 2), (1, 3), (2,))
    LABELS = ((Fraction(1),), (Fraction(0),), (Fraction(0),), (Fraction(0),))

    def test_what_is_known_halves_from_neighbor_to_neighbor(self) -> None:
        spread = propagation.propagate(self.LISTS, [1.0] * 4, self.LABELS)
        assert [propagation.known_mass(row) for row in spread.rows] == [
            Fraction(1, 2**i) for i in (0, 1, 2, 2)
        ]
        assert spread.order == [1, 2, 3]

    def test_nothing_is_known_of_a_part_without_label(self) -> None:
        spread = propagation.propagate(((1,), (0,), (3,), (2,)), [1.0] * 4, self.LABELS)
        assert [propagation.log_mass(row) for row in spread.rows] == [0.0, 0.0, -INF, -INF]
        assert spread.order == [1]

    def test_a_sweep_averages_what_was_there_before_it(self) -> None:
        spread = propagation.propagate(self.LISTS, [1.0] * 4, self.LABELS)
        swept = propagation.sweep(self.LISTS, self.LABELS, spread.rows)
        assert [row[0] for row in swept] == [1, Fraction(5, 8), Fraction(3, 8), Fraction(1, 4)]

    def test_a_vote_of_zero_is_as_no_neighbor(self) -> None:
        votes = ((Fraction(1),), (Fraction(1), Fraction(0)), (Fraction(1),) * 2, (Fraction(1),))
        spread = propagation.propagate(self.LISTS, [1.0] * 4, self.LABELS, votes)
        assert spread.rows[1] == (1,)

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from tests.oracles import discretization as supervised
from tests.oracles import semi_supervised
from tests.oracles.intervals import add_up

from modlearn.criteria import (
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

CLOSE = {"abs": 1e-9, "rel": 0}


@st.composite
def tables(draw, largest=40, n_classes=None):
    """Counts of 1 to 5 parts, at least one row in all."""
    n_classes = n_classes or draw(st.integers(1, 4))
    row = st.tuples(*[st.integers(0, largest)] * n_classes)
    return draw(st.lists(row, min_size=1, max_size=5).filter(lambda rows: any(map(any, rows))))


@st.composite
def tables_with_unlabeled(draw, most_labels=4, most_unlabeled=6):
    """Rows of labeled counts, the unlabeled ones last."""
    labeled = draw(tables(most_labels))
    return [(*row, draw(st.integers(0, most_unlabeled))) for row in labeled]


def split_off(table):
    """Labeled counts, unlabeled counts."""
    return [row[:-1] for row in table], [row[-1] for row in table]


class TestSupervisedCost:
    @given(st.integers(1, 200), st.integers(1, 30))
    def test_the_prior_of_bounds_counts_them(self, n_rows, n_parts):
        ways = math.comb(n_rows + n_parts - 1, n_parts - 1)
        assert bounds_priors(n_rows, n_parts) == pytest.approx(math.log(ways), **CLOSE)

    @given(st.integers(1, 200), st.integers(1, 30))
    def test_the_prior_of_a_partition_is_exact(self, n_rows, n_parts):
        expected = math.log(supervised.prior_weight(n_rows, n_parts))
        assert discretization_prior(n_rows, n_parts) == pytest.approx(expected, **CLOSE)

    def test_priors_take_many_numbers_of_parts(self):
        found = discretization_prior(50, np.arange(1, 10))
        assert found.tolist() == [discretization_prior(50, i) for i in range(1, 10)]

    @given(tables())
    def test_the_prior_of_distributions_counts_them(self, table):
        n_classes = len(table[0])
        ways = [math.comb(sum(row) + n_classes - 1, n_classes - 1) for row in table]
        assert distribution_priors(table) == pytest.approx([math.log(w) for w in ways], **CLOSE)

    @given(tables())
    def test_likelihoods_count_the_orders_of_the_labels(self, table):
        factorial = math.factorial
        ways = [factorial(sum(row)) // math.prod(map(factorial, row)) for row in table]
        assert likelihoods(table) == pytest.approx([math.log(w) for w in ways], **CLOSE)

    @given(tables())
    def test_part_costs_are_exact(self, table):
        expected = [math.log(supervised.part_weight(row)) for row in table]
        assert part_costs(table) == pytest.approx(expected, **CLOSE)

    @given(tables())
    def test_the_cost_is_exact(self, table):
        assert discretization_cost(table) == pytest.approx(supervised.cost(table), **CLOSE)

    def test_the_cost_of_large_counts_is_exact(self):
        table = [(70_000, 3, 12_345), (65_535, 65_536, 65_537)]
        assert discretization_cost(table) == pytest.approx(supervised.cost(table), rel=1e-14)

    @pytest.mark.parametrize(
        ("column", "cuts", "cost"),
        [
            (0, [5.45, 6.15], 121.33064856793703),
            (1, [2.95, 3.35], 150.1781843197325),
            (2, [2.45, 4.75], 56.89858101743539),
            (3, [0.8, 1.75], 54.711827739966566),
        ],
    )
    def test_the_published_partitions_of_iris_have_their_costs(self, column, cuts, cost):
        values, classes = load_iris(return_X_y=True)
        table = np.zeros((3, 3), dtype=int)
        np.add.at(table, (np.searchsorted(cuts, values[:, column]), classes), 1)
        assert discretization_cost(table) == pytest.approx(cost, **CLOSE)


class TestApportionment:
    @settings(max_examples=300, deadline=None)
    @given(tables_with_unlabeled())
    def test_no_completion_of_the_labels_is_more_probable(self, table):
        labeled, unlabeled = split_off(table)
        completed = apportionment(labeled, unlabeled).tolist()
        for row, rest, found in zip(labeled, unlabeled, completed, strict=True):
            if any(row):
                best = semi_supervised.enumerated(row, rest)
                found_weight = semi_supervised.part_weight(row, tuple(found))
                assert found_weight == semi_supervised.part_weight(row, best)

    @settings(max_examples=200, deadline=None)
    @given(tables(60, n_classes=3), st.integers(0, 200))
    def test_it_is_as_good_as_the_rule_of_d_hondt(self, table, rest):
        completed = apportionment(table, [rest] * len(table)).tolist()
        for row, found in zip(table, completed, strict=True):
            if any(row):
                by_rule = semi_supervised.map_part_weight((*row, rest))
                assert semi_supervised.part_weight(row, tuple(found)) == by_rule

    @given(
        st.lists(st.integers(0, 10**5), min_size=2, max_size=6).filter(any),
        st.integers(0, 10**7),
    )
    @example([3, 2, 2], 2**31 - 8)
    @example([3, 2, 2], 2**31 - 7)
    @example([50, 17, 0, 33], 10**11)
    def test_it_gives_out_every_unlabeled_row_in_the_order_of_the_quotients(self, row, rest):
        found = apportionment([row], [rest])[0].tolist()
        assert sum(found) == sum(row) + rest
        assert all(n >= n_l for n, n_l in zip(found, row, strict=True))
        pairs = list(zip(row, found, strict=True))
        last_given = [Fraction(n_l, n) for n_l, n in pairs if n > n_l]
        next_to_give = max(Fraction(n_l, n + 1) for n_l, n in pairs)
        assert not last_given or min(last_given) >= next_to_give

    def test_the_units_that_lemma_b_leaves_over_are_given_out(self):
        assert semi_supervised.lemma_b((1, 1, 1), 2) == (1, 1, 1)
        assert sorted(apportionment([[1, 1, 1]], [2])[0].tolist()) == [1, 2, 2]

    def test_a_part_without_labels_stays_unassigned(self):
        assert apportionment([[0, 0], [1, 0]], [5, 5]).tolist() == [[0, 0], [6, 0]]

    def test_unlabeled_rows_must_be_given_for_every_part(self):
        with pytest.raises(ValueError, match="2 parts have 3 counts of unlabeled rows"):
            apportionment([[1, 0], [0, 1]], [1, 2, 3])

    def test_negative_numbers_of_unlabeled_rows_are_refused(self):
        with pytest.raises(ValueError, match="non-negative whole numbers"):
            apportionment([[1, 0]], [-1])


class TestSemiSupervisedCost:
    @settings(max_examples=200, deadline=None)
    @given(tables_with_unlabeled(12, 25))
    def test_the_map_cost_is_equation_8_at_its_best_parameters(self, table):
        expected = semi_supervised.partition_cost(table, semi_supervised.map_part_weight)
        assert map_cost(*split_off(table)) == pytest.approx(expected, **CLOSE)

    @settings(max_examples=200, deadline=None)
    @given(tables_with_unlabeled())
    def test_the_averaged_cost_is_the_sum_over_all_parameters(self, table):
        expected = semi_supervised.partition_cost(table, semi_supervised.averaged_part_weight)
        assert averaged_cost(*split_off(table)) == pytest.approx(expected, **CLOSE)

    @given(tables())
    def test_without_unlabeled_rows_all_criteria_are_the_supervised_one(self, table):
        none = [0] * len(table)
        expected = discretization_cost(table)
        assert map_cost(table, none) == pytest.approx(expected, **CLOSE)
        assert averaged_cost(table, none) == pytest.approx(expected, **CLOSE)

    def test_a_part_without_labels_costs_only_its_prior(self):
        alone = map_cost([[0, 0, 0]], [5]) - discretization_prior(5, 1)
        assert alone == pytest.approx(math.log(math.comb(7, 2)), **CLOSE)
        averaged = averaged_cost([[0, 0, 0]], [5]) - discretization_prior(5, 1)
        assert averaged == pytest.approx(0, **CLOSE)

    @pytest.mark.parametrize("criterion", [map_cost, averaged_cost])
    def test_unlabeled_rows_must_be_given_for_every_part(self, criterion):
        with pytest.raises(ValueError, match="2 parts have 1 counts of unlabeled rows"):
            criterion([[1, 0], [0, 1]], [1])

    def test_figure_3_averaged_cost_is_flat_over_the_unlabeled_area_only(self):
        costs = figure_3_costs(averaged_cost)
        np.testing.assert_allclose(costs[39:60], costs.min(), atol=1e-9, rtol=0)
        assert np.delete(costs, np.arange(39, 60)).min() > costs.min() + 1

    def test_figure_3_map_cost_is_least_at_both_ends_of_the_unlabeled_area(self):
        costs = figure_3_costs(map_cost)
        assert (1 + np.flatnonzero(costs < costs.min() + 1e-9)).tolist() == [40, 60]


def figure_3_costs(criterion):
    """Cost of two intervals for every bound: 40 rows, 20 unlabeled ones, 40 rows."""
    rows = [(1, 0, 0)] * 40 + [(0, 0, 1)] * 20 + [(0, 1, 0)] * 40
    return np.array([criterion(*split_off(add_up(rows, [bound]))) for bound in range(1, 100)])

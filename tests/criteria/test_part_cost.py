import numpy as np
import pytest

from modlearn.criteria import ClassCost, PartCost


def test_a_part_cost_without_a_cost_is_refused():
    with pytest.raises(TypeError, match="use one of its subclasses"):
        PartCost(2, np.zeros_like)


def test_counts_of_other_labels_are_refused():
    with pytest.raises(ValueError, match="Counts of 3 labels do not fit a cost of 2"):
        ClassCost(2, np.zeros_like).part_costs([[1, 2, 3]])


def test_the_total_is_the_prior_of_the_parts_and_their_costs():
    cost = ClassCost(2, lambda I: 10.0 * I)
    table = [[3, 1], [0, 4]]
    assert cost.total(table) == pytest.approx(20.0 + cost.part_costs(table).sum())


def test_priors_stand_at_their_number_of_parts():
    cost = ClassCost(2, lambda I: 10.0 * I)
    assert cost.priors(3).tolist() == [0.0, 10.0, 20.0, 30.0]

"""A criterion for counts is an entry of CRITERIA: its labels, its part cost and its cost."""

from itertools import combinations

import numpy as np
import pytest
from sklearn.utils._param_validation import StrOptions

from modlearn import Discretizer, Encoder
from modlearn.criteria import CRITERIA, Criterion, TargetCost
from modlearn.errors import TargetError
from modlearn.schema import Labels


def ranks(target, *_):
    """The ranks of a column within each of its intervals, for fixed numbers of equal labels."""
    return TargetCost(target.counts)


def cost_of_ranks(target, counts, _):
    return ranks(target).total(counts)


RANKS = Criterion(
    labels=Labels.COUNTS,
    part_cost=ranks,
    cost=cost_of_ranks,
    group_part_cost=ranks,
    group_cost=cost_of_ranks,
)


@pytest.fixture(autouse=True)
def _listed(monkeypatch):
    monkeypatch.setitem(CRITERIA, "ranks", RANKS)
    for estimator in (Discretizer, Encoder):
        monkeypatch.setitem(
            estimator._parameter_constraints, "method", [StrOptions({"ranks", "auto"})]
        )


def accidents(n_rows=400, seed=0):
    """Counts with more distinct values than a target of classes may have."""
    rng = np.random.default_rng(seed)
    x = rng.random((n_rows, 1))
    return x, rng.poisson(np.where(x[:, 0] < 0.5, 30, 300))


def lowest_cost(x, y):
    """The lowest cost of all partitions of distinct values."""
    labels = np.unique(y)
    table = (y[np.argsort(x), None] == labels).astype(np.int64)
    cost, N = TargetCost(table.sum(axis=0)), len(y)
    cuts = (cut for n in range(N) for cut in combinations(range(1, N), n))
    return min(cost.total(np.add.reduceat(table, [0, *cut])) for cut in cuts)


@pytest.mark.parametrize("seed", range(5))
def test_the_search_minimizes_the_cost_of_the_entry(seed):
    rng = np.random.default_rng(seed)
    x, y = rng.random(9), np.sort(rng.integers(0, 3, 9)) * 5
    found = Discretizer(method="ranks").fit(x[:, None], y).partitions_
    (intervals,) = found.values()
    assert intervals.cost == pytest.approx(lowest_cost(x, y), rel=1e-12)


def test_counts_are_not_refused_as_a_quantity():
    x, y = accidents()
    assert len(np.unique(y)) > 50
    with pytest.raises(TargetError, match="looks like a continuous quantity"):
        Discretizer().fit(x, y)
    (intervals,) = Discretizer(method="ranks").fit(x, y).partitions_.values()
    assert np.abs(intervals.cuts - 0.5).min() < 0.02


def test_values_are_grouped_by_the_cost_of_the_entry():
    x, y = accidents()
    words = np.where(x < 0.5, "dry", "wet").astype(object)
    (groups,) = Encoder(method="ranks").fit(words, y).partitions_.values()
    assert {frozenset(group) for group in groups.groups} == {frozenset({"dry"}), frozenset({"wet"})}


@pytest.mark.parametrize(
    "groups", [{}, {"group_part_cost": ranks}, {"group_cost": cost_of_ranks}], ids=list
)
def test_a_criterion_for_counts_without_its_costs_of_groups_is_refused(groups):
    with pytest.raises(TypeError, match="pass group_part_cost and group_cost"):
        Criterion(labels=Labels.COUNTS, part_cost=ranks, cost=cost_of_ranks, **groups)


@pytest.mark.parametrize("label", [-1, 2.5])
def test_labels_that_are_not_counts_are_refused(label):
    x, y = accidents()
    wrong = y.astype(float)
    wrong[7] = label
    with pytest.raises(TargetError, match=rf"whole numbers from 0, but row 7 holds {label}"):
        Discretizer(method="ranks").fit(x, wrong)


def test_texts_and_truth_values_are_not_counts():
    x, y = accidents()
    for labels in (y.astype(str).astype(object), y > 100):
        with pytest.raises(TargetError, match="must hold counts"):
            Discretizer(method="ranks").fit(x, labels)

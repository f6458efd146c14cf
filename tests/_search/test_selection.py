import numpy as np
import pytest
from tests._search.profiles import as_profiles, log_prior, make_rows
from tests.oracles import naive_bayes as twin

from modlearn._search.selection import SubsetSearch
from modlearn.criteria import subset_prior


def search_of(codes, classes):
    profiles, tables, _ = as_profiles(codes, classes)
    K = len(tables)
    return SubsetSearch(
        profiles.codes,
        profiles.classes,
        profiles.rows,
        np.concatenate(tables),
        np.cumsum([0, *(len(table) for table in tables[:-1])]),
        log_prior(classes),
        np.array([subset_prior(K, size) for size in range(K + 1)]),
    )


@pytest.mark.parametrize("seed", range(5))
def test_a_search_reaches_the_cost_of_one_of_the_subsets(seed):
    codes, classes = make_rows(seed, 50, 5, 3)
    costs = twin.all_subset_costs(codes, classes, 3)
    reached = search_of(codes, classes).search(np.arange(5, dtype=np.int32), 2)
    assert min(abs(reached - cost) for cost in costs.values()) < 1e-4
    assert reached <= costs[()]


@pytest.mark.parametrize("seed", range(5))
def test_the_best_of_several_searches_is_the_best_subset_of_few_variables(seed):
    codes, classes = make_rows(seed, 60, 4, 2)
    search = search_of(codes, classes)
    rng = np.random.default_rng(0)
    reached = min(search.search(rng.permutation(4).astype(np.int32), 2) for _ in range(8))
    assert reached == pytest.approx(min(twin.all_subset_costs(codes, classes, 2).values()))


def test_without_a_search_there_is_no_weight():
    codes, classes = make_rows(0, 30, 3, 2)
    assert search_of(codes, classes).weights().tolist() == [0.0, 0.0, 0.0]


def test_many_classes_are_more_than_one_vector_of_them():
    codes, classes = make_rows(0, 200, 3, 11)
    reached = search_of(codes, classes).search(np.arange(3, dtype=np.int32), 2)
    costs = twin.all_subset_costs(codes, classes, 11).values()
    assert min(abs(reached - cost) for cost in costs) < 1e-3

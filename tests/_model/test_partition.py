import dataclasses
import pickle

import numpy as np
import pytest


def test_the_number_of_parts_is_that_of_the_rows_of_counts(intervals):
    assert intervals([1, 2, 3]).n_parts == 4


def test_a_partition_cannot_be_changed(intervals):
    with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'level'"):
        intervals().level = 1.0


def test_a_partition_survives_pickling(groups):
    partition = groups([["a", None], ["b"]], name="color")
    again = pickle.loads(pickle.dumps(partition))
    assert (again.name, again.groups, again.labels) == (
        "color",
        partition.groups,
        partition.labels,
    )
    assert again.codes(["b", "a"]).tolist() == [1, 0]


def test_log_odds_of_two_classes_are_those_computed_by_hand(intervals):
    # By Laplace: odds of class 1 in part 0 are 1/31, in part 1 11/1, in all rows 11/31.
    partition = intervals(counts=[[30, 0], [0, 10]])
    np.testing.assert_allclose(partition.log_odds[:, 1], np.log([1 / 11, 31]), rtol=1e-14)


def test_log_odds_of_two_classes_are_opposite(intervals):
    odds = intervals([1, 2], counts=[[3, 1], [0, 9], [2, 2]]).log_odds
    np.testing.assert_allclose(odds[:, 0], -odds[:, 1], rtol=1e-14)


def test_log_odds_of_three_classes_are_those_computed_by_hand(intervals):
    # Class 0 in part 0: odds (4+1)/(1+2); in all rows: (4+1)/(6+2).
    partition = intervals(counts=[[4, 1, 0], [0, 2, 3]])
    assert partition.log_odds.shape == (2, 3)
    np.testing.assert_allclose(partition.log_odds[0, 0], np.log((5 / 3) / (5 / 8)), rtol=1e-14)


def test_log_odds_of_one_part_are_exactly_zero(intervals):
    assert intervals([], counts=[[7, 0, 5]]).log_odds.tolist() == [[0.0, 0.0, 0.0]]


def test_log_odds_of_one_class_are_zero(intervals):
    assert intervals(counts=[[7], [5]]).log_odds.tolist() == [[0.0], [0.0]]


def test_log_odds_of_pure_parts_are_finite(intervals):
    assert np.isfinite(intervals(counts=[[10**12, 0], [0, 1]]).log_odds).all()

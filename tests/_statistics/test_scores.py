"""Counts of scored rows add up, and rank as the rows themselves do."""

import numpy as np

from modlearn._statistics.scores import FINEST, RankCounts, ScoredRows, log_odds_steps


def rank(scores, is_class, rows):
    counts = RankCounts.of(np.array(scores), np.array(is_class), np.array(rows))
    return counts.scores.tolist(), counts.own.tolist(), counts.others.tolist()


def test_rows_of_equal_score_are_added_up_in_decreasing_order():
    found = rank([3, -1, 3, 3], [True, False, False, True], [5, 1, 2, 4])
    assert found == ([3, -1], [9, 0], [2, 1])


def test_rankings_of_two_folds_are_one_ranking():
    one = RankCounts(np.array([4, 2]), np.array([1, 2]), np.array([0, 3]))
    other = RankCounts(np.array([3, 2]), np.array([5, 1]), np.array([7, 1]))
    both = one + other
    assert both.scores.tolist() == [4, 3, 2]
    others, own = both.above()
    assert others.tolist() == [0, 0, 7, 11]
    assert own.tolist() == [0, 1, 6, 9]


def test_folds_are_joined_also_where_one_lacks_a_class():
    cells = np.arange(8).reshape(2, 2, 2)
    ranking = RankCounts(np.array([1]), np.array([2]), np.array([3]))
    one = ScoredRows(cells, np.array([0.5, 1.0]), 2.5, {0: ranking, 1: ranking})
    other = ScoredRows(cells, np.array([1.0, 0.0]), 1.5, {1: ranking})
    joined = ScoredRows.joined([one, other])
    assert joined.n_rows == 56
    assert joined.confusion.tolist() == [[2, 10], [18, 26]]
    assert (joined.chances.tolist(), joined.loss) == ([1.5, 1.0], 4.0)
    assert joined.rankings[0].own.tolist() == [2]
    assert joined.rankings[1].own.tolist() == [4]


def test_log_odds_are_rounded_to_a_step_and_bounded():
    shares = np.array([[0.2, 0.3, 0.5], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
    found = log_odds_steps(shares, 0)
    assert found[0] == round(np.log(0.2 / 0.8) * FINEST)
    assert found[1] == -found[2] == round(np.log(1e-20) * FINEST)

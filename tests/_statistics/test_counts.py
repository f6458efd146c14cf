import numpy as np
from modlearn._statistics.counts import CategoryCounts, NumericCounts


def column(rows=None):
    return NumericCounts(
        np.array([np.nan, 1.0, 2.0, 2.0]),
        np.array([0, 2, 1, 2], dtype=np.int32),
        None if rows is None else np.array(rows),
        2,
    )


def test_a_column_without_weights_has_as_many_rows_as_entries():
    assert column().n_rows == 4


def test_a_weighted_column_has_the_sum_of_its_weights():
    assert column([3, 1, 0, 5]).n_rows == 9


def test_labeled_and_unlabeled_entries_are_told_apart():
    labeled, unlabeled = column([3, 1, 2, 5]).labeled(), column([3, 1, 2, 5]).unlabeled()
    np.testing.assert_array_equal(labeled.values, [np.nan, 2.0])
    assert (labeled.classes.tolist(), labeled.rows.tolist()) == ([0, 1], [3, 2])
    assert unlabeled.values.tolist() == [1.0, 2.0]
    assert (unlabeled.n_rows, unlabeled.n_classes) == (6, 2)


def test_a_wholly_labeled_column_is_not_copied():
    labeled = column().labeled()
    assert labeled.labeled() is labeled
    assert labeled.unlabeled().n_rows == 0


def test_values_are_summed_by_group():
    values = CategoryCounts(
        np.array([0, 2, 3, 4]),
        np.array([0, 2, 1, 2], dtype=np.int32),
        np.array([5, 1, 7, 2]),
        3,
    )
    assert values.n_values == 3
    assert values.summed(np.array([1, 0, 1])).tolist() == [[0, 7, 0], [5, 0, 3]]

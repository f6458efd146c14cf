import datetime as dt

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist

from modlearn._neighbors.embedding import DENSE_COORDINATES, RawPoints, learn_embedding
from modlearn.errors import ColumnError


def points_of(X, other=None):
    """Points of a table, or of another one with its embedding, as a dense array."""
    embedding, points = learn_embedding(X)
    points = points if other is None else embedding.points(other)
    return points.toarray() if sp.issparse(points) else points


def distances(X, other=None):
    points = points_of(X, other)
    return cdist(points, points)


NUMBERS = [1.0, 2.0, 4.0, 7.0, 11.0, 16.0, 22.0]


def test_training_rows_have_the_points_that_new_rows_with_their_values_have():
    X = pd.DataFrame(
        {"a": NUMBERS, "b": list("xyxyzzx"), "c": [1.0] * 7, "d": [None, *"pqpqp", ""]}
    )
    embedding, points = learn_embedding(X)
    np.testing.assert_array_equal(embedding.points(X), points)


# numbers


@pytest.mark.parametrize("shift", [-1000.0, 0.5, 1e6])
def test_a_shift_does_not_move_the_points(shift):
    X = np.column_stack((NUMBERS, NUMBERS[::-1]))
    np.testing.assert_allclose(distances(X + shift), distances(X), rtol=1e-9)


@pytest.mark.parametrize("unit", [1e-290, 1e-200, 1e-9, 0.001, 1000.0, 1e12, 1e200, 1e300])
def test_the_unit_of_a_column_does_not_move_the_points(unit):
    X = np.column_stack((NUMBERS, 50 * np.array(NUMBERS[::-1])))
    np.testing.assert_allclose(distances(X * [unit, 1.0]), distances(X), rtol=1e-9)


@pytest.mark.parametrize("unit", [1e-290, 1e-200, 1e-9, 1000.0, 1e200, 1e300])
def test_the_unit_that_columns_share_does_not_move_the_points(unit):
    X = np.column_stack((NUMBERS, NUMBERS[::-1]))
    np.testing.assert_allclose(distances(X * unit), distances(X), rtol=1e-9)


def test_rows_keep_their_coordinates_in_another_order():
    X = np.random.default_rng(0).normal(size=(50, 3))
    order = np.random.default_rng(1).permutation(50)
    np.testing.assert_allclose(points_of(X[order]), points_of(X)[order], rtol=1e-12, atol=1e-12)


def test_an_outlier_hardly_changes_the_scale_of_the_others():
    rng = np.random.default_rng(0)
    x = rng.normal(size=(500, 1))
    far = np.append(x, [[1e9]], axis=0)
    assert distances(far)[:100, :100].max() > 0.5 * distances(x)[:100, :100].max()


def test_a_column_of_mostly_equal_numbers_has_a_scale():
    x = np.array([0.0] * 90 + [1.0] * 10)[:, None]
    apart = distances(x)[0, -1]
    assert np.isfinite(apart)
    assert apart > 0


def test_infinite_numbers_lie_at_the_ends():
    x = np.array([*NUMBERS, np.inf, -np.inf])[:, None]
    points = points_of(x)[:, 0]
    assert np.isfinite(points).all()
    assert points[:-2].max() < points[-2]
    assert points[:-2].min() > points[-1]


# categories


def test_different_categories_lie_equally_far_apart(frame):
    apart = distances(frame({"a": ["x", "y", "z", "x"]}))
    np.testing.assert_allclose(apart[0] / apart[0, 1], [0, 1, 1, 0], rtol=1e-15)
    np.testing.assert_allclose(apart[1] / apart[0, 1], [1, 0, 1, 1], rtol=1e-15)


def test_categories_that_differ_in_two_columns_are_farther_apart(frame):
    apart = distances(frame({"a": ["x", "y", "y"], "b": ["u", "u", "v"]}))
    assert apart[0, 2] > apart[0, 1] == apart[1, 2]


def test_the_names_of_categories_do_not_matter():
    one = pd.DataFrame({"a": ["x", "y", "z", "x"], "b": NUMBERS[:4]})
    other = one.assign(a=["sea", "hill", "bay", "sea"])
    np.testing.assert_allclose(distances(other), distances(one), rtol=1e-15)


def test_an_unseen_category_lies_as_far_from_every_other():
    X = pd.DataFrame({"a": ["x", "y", "z"]})
    new = points_of(X, pd.DataFrame({"a": ["unseen"]}))
    apart = cdist(new, points_of(X))
    assert np.ptp(apart) < 1e-15
    assert 0 < apart[0, 0] < distances(X)[0, 1]


def test_numbers_as_text_are_categories():
    apart = distances(pd.DataFrame({"a": ["1", "2", "100"]}))
    assert np.ptp(apart[np.triu_indices(3, 1)]) < 1e-15


# missing values


def test_a_missing_category_lies_as_far_from_every_other(frame):
    apart = distances(frame({"a": ["x", "y", "z", None]}))
    assert np.ptp(apart[3, :3]) < 1e-15
    assert 0 < apart[3, 0] < apart[0, 1]


def test_a_missing_number_lies_in_the_middle(frame):
    apart = distances(frame({"a": [*NUMBERS, None]}))[7, :7]
    assert apart.argmin() == 3
    assert apart.max() < distances(frame({"a": NUMBERS})).max()


def test_rows_with_a_missing_value_are_near_those_that_agree_elsewhere(frame):
    X = frame({"a": [1.0, 2.0, 3.0, None, None], "b": ["x", "x", "y", "y", "y"]})
    apart = distances(X)
    assert apart[3, 4] == 0
    assert apart[3, 2] < apart[3, :2].max()


# columns that are not informative


@pytest.mark.parametrize("constant", [[5.0] * 7, ["same"] * 7, [None] * 7, [np.nan] * 7])
def test_a_constant_column_drops_out(constant):
    X = pd.DataFrame({"a": NUMBERS, "b": constant})
    np.testing.assert_array_equal(distances(X), distances(X[["a"]]))


def test_a_table_of_constants_is_one_point():
    X = pd.DataFrame({"a": [1.0, 1.0, 1.0], "b": ["x", "x", None]})
    assert not distances(X).any()


def test_a_constant_column_may_vary_later():
    X = pd.DataFrame({"a": NUMBERS, "b": [5.0] * 7})
    later = X.assign(b=NUMBERS)
    np.testing.assert_array_equal(points_of(X, later), points_of(X))


# types


def test_every_frame_gives_the_same_points(frame):
    data = {
        "a": NUMBERS,
        "b": ["x", "y", None, "x", "z", "y", "x"],
        "c": [True, False] * 3 + [None],
    }
    np.testing.assert_array_equal(distances(frame(data)), distances(pd.DataFrame(data)))


def test_dates_lie_by_their_time(frame):
    days = [dt.datetime(2020, 1, 1) + dt.timedelta(days=d) for d in NUMBERS]
    np.testing.assert_allclose(
        distances(frame({"a": days})), distances(frame({"a": NUMBERS})), rtol=1e-9
    )


def test_a_date_where_numbers_were_is_refused():
    embedding, _ = learn_embedding(pd.DataFrame({"a": NUMBERS}))
    message = "'a' held numeric values in the training data but holds datetime values now: convert"
    with pytest.raises(ColumnError, match=message):
        embedding.points(pd.DataFrame({"a": pd.to_datetime(["2020-01-01"])}))


def test_a_column_missing_later_is_of_any_type():
    embedding, _ = learn_embedding(pd.DataFrame({"a": NUMBERS}))
    assert embedding.points(pd.DataFrame({"a": [None, None]})).tolist() == [[0.0], [0.0]]


def test_text_where_numbers_were_is_refused():
    embedding, _ = learn_embedding(pd.DataFrame({"a": NUMBERS}))
    with pytest.raises(ColumnError, match=r"Column 'a' holds text \(row 0 is 'x'\)"):
        embedding.points(pd.DataFrame({"a": ["x"]}))


# very many categories


@pytest.fixture
def wide():
    """A table with more categories than are made dense, and one with few of its rows."""
    rng = np.random.default_rng(0)
    n = 4 * DENSE_COORDINATES
    categories = [f"c{i}" for i in rng.integers(0, 2 * DENSE_COORDINATES, n)]
    categories[0] = None
    X = pd.DataFrame({"a": rng.normal(size=n), "b": categories, "c": ["x", "y"] * (n // 2)})
    X.loc[1, "a"] = None
    return X


def test_with_very_many_categories_points_are_sparse(wide):
    _, points = learn_embedding(wide)
    assert sp.issparse(points)
    assert points.nnz <= 3 * len(wide)


def test_sparse_points_lie_as_far_apart_as_dense_ones(wide, monkeypatch):
    apart = distances(wide)
    monkeypatch.setattr("modlearn._neighbors.embedding.DENSE_COORDINATES", 10**9)
    _, dense = learn_embedding(wide)
    assert isinstance(dense, np.ndarray)
    np.testing.assert_allclose(cdist(dense, dense), apart, rtol=1e-12, atol=1e-12)


def test_unseen_categories_among_very_many_have_no_entry(wide):
    later = wide.assign(b="unseen", c=None)
    points = learn_embedding(wide)[0].points(later)
    assert points.nnz <= len(wide)


# numbers as they are


@pytest.mark.parametrize("kind", [np.float64, np.float32])
def test_raw_floats_are_used_as_they_are(kind):
    X = np.array([[1, 1e9], [2, 0.5]], dtype=kind)
    points = RawPoints().points(X)
    np.testing.assert_array_equal(points, X)
    assert points.dtype == kind


@pytest.mark.parametrize("kind", [np.int64, np.uint8, np.bool_])
def test_raw_integers_become_floats(kind):
    points = RawPoints().points(np.array([[1, 0], [1, 1]], dtype=kind))
    assert points.tolist() == [[1, 0], [1, 1]]
    assert points.dtype.kind == "f"


@pytest.mark.parametrize("container", [sp.csr_matrix, sp.csc_array, sp.coo_array])
def test_raw_sparse_matrices_stay_sparse(container):
    X = np.array([[0.0, 2.0], [3.0, 0.0]])
    points = RawPoints().points(container(X))
    assert points.format == "csr"
    np.testing.assert_array_equal(points.toarray(), X)


def test_raw_points_of_a_frame_are_its_numbers(frame):
    points = RawPoints().points(frame({"a": [1, 2], "b": [0.5, 4.0]}))
    assert points.tolist() == [[1.0, 0.5], [2.0, 4.0]]


@pytest.mark.parametrize("make", [np.asfortranarray, lambda X: np.repeat(X, 2, axis=1)[:, ::2]])
def test_raw_points_lie_row_by_row_in_memory(make):
    X = np.arange(6.0).reshape(3, 2)
    points = RawPoints().points(make(X))
    np.testing.assert_array_equal(points, X)
    assert points.flags.c_contiguous


def test_raw_refuses_a_missing_value_and_says_what_to_do(frame):
    message = r"Column 'b' contains NaN, first in row 1: replace it, or use representation=\"auto\""
    with pytest.raises(ColumnError, match=message):
        RawPoints().points(frame({"a": [1.0, 2.0], "b": [1.0, None]}))


@pytest.mark.parametrize(
    ("value", "sentence"),
    [
        (
            np.nan,
            "'x1' contains NaN, first in row 2: .*auto.*, which puts it in a neutral position",
        ),
        (np.inf, "'x1' contains infinity, first in row 2: .* puts it farthest out"),
    ],
)
@pytest.mark.parametrize("wrap", [np.array, pd.DataFrame, lambda rows: rows])
def test_raw_refuses_what_is_not_finite(value, sentence, wrap):
    X = wrap([[1.0, 2.0], [1.0, 2.0], [1.0, value]])
    with pytest.raises(ColumnError, match=sentence.replace("'x1'", "('x1'|1)")):
        RawPoints().points(X)


def test_raw_refuses_text(frame):
    with pytest.raises(ColumnError, match=r"Column 'a' holds text \(row 0 is 'x'\)"):
        RawPoints().points(frame({"a": ["x", "y"]}))


def test_sparse_matrices_are_used_as_they_are():
    X = sp.csr_array(np.array([[0.0, 200.0], [3.0, 0.0]]))
    np.testing.assert_array_equal(points_of(X), X.toarray())


def test_a_column_wider_than_all_floats_is_named():
    X = pd.DataFrame({"a": NUMBERS, "b": [-1.7e308, 1.7e308, *NUMBERS[2:]]})
    with pytest.raises(ColumnError, match=r"^Column 'b' holds values from -1\.7e\+308 to 1\.7e\+"):
        learn_embedding(X)


def test_columns_near_the_largest_float_are_points():
    wide = np.array(NUMBERS) * 7.5e306
    assert np.isfinite(points_of(pd.DataFrame({"a": wide, "b": wide[::-1], "c": wide}))).all()

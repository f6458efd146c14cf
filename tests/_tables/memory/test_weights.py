import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from sklearn.utils.estimator_checks import _NotAnArray

from modlearn._tables.memory.target import read_votes, read_weights
from modlearn.errors import TargetError


def test_no_weights_stay_none():
    assert read_weights(None, 3) is None


@pytest.mark.parametrize(
    "wrap",
    [
        list,
        np.array,
        _NotAnArray,
        lambda values: np.array(values, dtype=float),
        lambda values: np.array(values)[:, None],
        pd.Series,
        lambda values: pd.Series(values, dtype="Int64"),
        pl.Series,
        lambda values: pa.chunked_array([values]),
    ],
)
def test_weights_become_integers(wrap):
    weights = read_weights(wrap([2, 0, 1]), 3)
    assert weights.tolist() == [2, 0, 1]
    assert weights.dtype == np.int64


def test_booleans_are_weights():
    assert read_weights([True, False], 2).tolist() == [1, 0]


@pytest.mark.parametrize("weight", [2, 2.0, True])
def test_a_number_is_the_weight_of_every_row(weight):
    assert read_weights(weight, 3).tolist() == [int(weight)] * 3


@pytest.mark.parametrize("bad", [-1, 0.5, np.nan, np.inf, None])
def test_the_first_bad_weight_is_named(bad):
    message = r"sample_weight row 1 is .*weights are repetitions of rows"
    with pytest.raises(TargetError, match=message):
        read_weights([1, bad, -5], 3)


def test_text_is_no_weight():
    with pytest.raises(TargetError, match="sample_weight row 0 is 'a': weights are repetitions"):
        read_weights(["a", "b"], 2)


def test_a_wrong_length_is_named():
    with pytest.raises(ValueError, match="sample_weight has 2 rows but X has 3"):
        read_weights([1, 1], 3)


def test_two_columns_of_weights_are_refused():
    with pytest.raises(ValueError, match="should be a 1d array"):
        read_weights(np.ones((3, 2)), 3)


def test_weights_that_are_all_zero_are_refused():
    with pytest.raises(TargetError, match="All sample weights are zero: give at least one"):
        read_weights([0, 0], 2)


# votes


def test_no_votes_stay_none():
    assert read_votes(None, 3) is None


@pytest.mark.parametrize(
    "wrap", [list, np.array, _NotAnArray, pd.Series, pl.Series, lambda values: pa.array(values)]
)
def test_votes_keep_their_ratios(wrap):
    votes = read_votes(wrap([0.5, 0.0, 3.25]), 3)
    assert (votes / votes[0]).tolist() == [1.0, 0.0, 6.5]
    assert votes.dtype == np.float64


@pytest.mark.parametrize("size", [1e-320, 1e-300, 1.0, 1e300, 1.7e308])
def test_votes_of_any_size_can_be_added_up(size):
    votes = read_votes([size, size, 0.0], 3)
    assert np.isfinite(votes.sum() * 1e100)
    assert (votes / votes[0]).tolist() == [1.0, 1.0, 0.0]


@pytest.mark.parametrize("small", [1e-323, 1e-310, 1e-290])
def test_the_least_votes_can_be_divided_by(small):
    votes = read_votes([small, 1e10, 0.0], 3)
    assert votes[0] > 0
    assert votes[2] == 0
    assert np.isfinite(votes[1] / votes[0] * 1e30)


def test_a_number_is_the_vote_of_every_row():
    assert len(set(read_votes(0.5, 3).tolist())) == 1


@pytest.mark.parametrize("bad", [-0.5, np.nan, np.inf, None])
def test_the_first_bad_vote_is_named(bad):
    message = r"sample_weight row 1 is .*weights must be finite and not negative"
    with pytest.raises(TargetError, match=message):
        read_votes([1, bad, -5], 3)


def test_text_is_no_vote():
    with pytest.raises(TargetError, match="sample_weight row 0 is 'a': weights must be finite"):
        read_votes(["a", "b"], 2)


def test_a_wrong_number_of_votes_is_named():
    with pytest.raises(ValueError, match="sample_weight has 2 rows but X has 3"):
        read_votes([1, 1], 3)


def test_votes_that_are_all_zero_are_refused():
    with pytest.raises(TargetError, match="All sample weights are zero: give at least one"):
        read_votes([0, 0], 2)

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.oracles import information as twin

from modlearn.criteria import excess_information, level, mutual_information
from modlearn.criteria.information import as_counts

TABLES = st.integers(1, 4).flatmap(
    lambda J: st.lists(
        st.lists(st.integers(0, 40), min_size=J, max_size=J), min_size=1, max_size=4
    ).filter(lambda counts: any(map(any, counts)))
)


def test_the_level_is_the_share_of_the_null_cost_that_is_saved():
    assert level(54.711827739966566, 173.95) == pytest.approx(1 - 54.711827739966566 / 173.95)


def test_a_partition_that_saves_nothing_has_level_zero():
    assert level(100.0, 100.0) == 0.0
    assert level(100.5, 100.0) == 0.0


def test_a_column_that_costs_nothing_tells_nothing():
    assert level(0.0, 0.0) == 0.0


@given(TABLES)
def test_information_is_that_of_exact_shares(counts):
    assert mutual_information(counts) == pytest.approx(twin.mutual_information(counts), abs=1e-12)
    assert excess_information(counts) == pytest.approx(twin.excess_information(counts), abs=1e-12)


def test_parts_that_tell_nothing_have_no_excess_on_average():
    rng = np.random.default_rng(0)
    tables = [rng.multinomial(500, np.full(20, 1 / 20)).reshape(5, 4) for _ in range(500)]
    assert np.mean([excess_information(t) for t in tables]) == pytest.approx(0, abs=5e-4)
    assert np.mean([mutual_information(t) for t in tables]) == pytest.approx(0.012, abs=5e-4)


def test_a_table_without_rows_tells_nothing():
    assert mutual_information([[0, 0]]) == excess_information([[0, 0]]) == 0


# tables of counts


def test_whole_numbers_of_any_type_are_counts():
    counts = [[1, 2], [3, 0]]
    for table in map(as_counts, (counts, np.array(counts, dtype=float), np.uint8(counts))):
        assert table.dtype == np.int64
        assert table.tolist() == [[1, 2], [3, 0]]


def test_a_transposed_table_becomes_contiguous():
    table = as_counts(np.arange(6).reshape(2, 3).T)
    assert table.flags.c_contiguous
    assert table.tolist() == [[0, 3], [1, 4], [2, 5]]


@pytest.mark.parametrize("shape", [(3,), (0, 2), (2, 0), (2, 2, 2), ()])
def test_another_shape_is_named_in_the_refusal(shape):
    with pytest.raises(ValueError, match=re.escape(f"per class, got shape {shape}.")):
        as_counts(np.ones(shape, dtype=int))


@pytest.mark.parametrize("entry", [-1, 0.5, np.nan, np.inf])
def test_what_is_not_a_count_is_refused(entry):
    with pytest.raises(ValueError, match="Counts must be non-negative whole numbers"):
        as_counts([[1, entry]])

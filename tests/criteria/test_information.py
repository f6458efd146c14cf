import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.oracles import information as twin

from modlearn.criteria import excess_information, mutual_information

TABLES = st.integers(1, 4).flatmap(
    lambda J: st.lists(
        st.lists(st.integers(0, 40), min_size=J, max_size=J), min_size=1, max_size=4
    ).filter(lambda counts: any(map(any, counts)))
)


@given(TABLES)
def test_information_is_that_of_exact_shares(counts):
    assert mutual_information(counts) == pytest.approx(twin.mutual_information(counts), abs=1e-12)
    assert excess_information(counts) == pytest.approx(twin.excess_information(counts), abs=1e-12)


def test_parts_without_information_have_no_excess_on_average():
    rng = np.random.default_rng(0)
    tables = [rng.multinomial(500, np.full(20, 1 / 20)).reshape(5, 4) for _ in range(500)]
    assert np.mean([excess_information(t) for t in tables]) == pytest.approx(0, abs=5e-4)
    assert np.mean([mutual_information(t) for t in tables]) == pytest.approx(0.012, abs=5e-4)


def test_a_table_without_rows_is_not_informative():
    assert mutual_information([[0, 0]]) == excess_information([[0, 0]]) == 0


# tables of counts

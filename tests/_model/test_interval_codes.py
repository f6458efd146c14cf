import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from modlearn._model._interval_codes import interval_codes

numbers = st.floats(allow_nan=False, width=16)


@given(st.lists(numbers), st.sets(st.floats(-100, 100, width=16), max_size=20), st.booleans())
def test_codes_are_those_of_searchsorted(values, cuts, missing_alone):
    values, cuts = np.array(values, dtype=float), np.array(sorted(cuts), dtype=float)
    expected = np.searchsorted(cuts, values, side="left") + missing_alone
    assert interval_codes(values, cuts, missing_alone).tolist() == expected.tolist()


@pytest.mark.parametrize("cuts", [[], [0.0], [-1.0, 2.0, 3.0]])
@pytest.mark.parametrize("missing_alone", [True, False])
def test_missing_is_at_the_first_code(cuts, missing_alone):
    codes = interval_codes(np.array([np.nan, -np.inf]), np.array(cuts), missing_alone)
    assert codes.tolist() == [0, int(missing_alone)]


def test_a_column_of_a_table_need_not_lie_in_a_row():
    table = np.arange(12.0).reshape(4, 3)
    assert interval_codes(table[:, 1], np.array([3.5, 6.5]), False).tolist() == [0, 1, 2, 2]

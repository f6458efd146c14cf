"""A short campaign; `make fuzz` runs a long one."""

import pytest
from tools.fuzz import models


@pytest.mark.parametrize("first", range(0, 400, 100))
def test_a_damaged_model_is_refused_or_works(first, tmp_path):
    outcomes = {models.attack(seed, tmp_path) for seed in range(first, first + 100)}
    assert outcomes == {"refused", "result"}

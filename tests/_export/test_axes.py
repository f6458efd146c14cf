"""Step functions, cells and views."""

import numpy as np
import pytest
from tests._export.random_models import MAKERS, random_case

from modlearn._export.axes import axes_of, cell_numbers, cell_scores, number_of_view, steps_of
from modlearn._model.partitions import Intervals
from modlearn.errors import ColumnError
from modlearn.schema import Column, Kind, View


def test_views_that_are_not_whole_numbers_are_refused():
    initial = View("initial", Kind.TEXT, lambda texts: texts, {})
    column = Column("a: initial", Kind.NUMERIC, ordered=True, source="a", view=initial)
    with pytest.raises(ColumnError, match="is the initial of 'a', which PMML cannot compute"):
        number_of_view(column, 0, "PMML")


@pytest.mark.parametrize("seed", range(20))
def test_steps_are_the_codes_of_intervals(seed):
    case = random_case(seed, kinds=["numeric"])
    values = case.frame.to_numpy().ravel()
    for axis in case.model.partitions.values():
        assert isinstance(axis, Intervals)
        steps = steps_of(axis, case.model.schema.by_name[axis.name])
        reached = values[:, None] >= np.array(steps.bounds)
        found = steps.start + reached @ np.array(steps.jumps, dtype=int)
        assert found.tolist() == (axis.codes(values) + 1).tolist()


@pytest.mark.parametrize("seed", range(5))
def test_numbers_of_cells_differ_and_leave_room_for_unseen_values(seed):
    for term in random_case(seed, kinds=list(MAKERS)).model.terms:
        numbers = cell_numbers(term)
        n_lines = np.prod([axis.n_parts + 1 for axis in axes_of(term)])
        assert len(set(numbers)) == len(numbers) == len(cell_scores(term, term.table))
        assert 0 < min(numbers) <= max(numbers) < n_lines

"""A grid as people see it."""

import numpy as np
import pytest
from tests._model.conftest import make_grid
from tests._show.test_partition import HOSTILE, Document

from modlearn._show.grid import MOST_PARTS


def test_text_shows_the_rows_of_each_class_per_cell():
    assert str(make_grid()).splitlines() == [
        "width × color: level 0.750, 2 × 2 cells, cost 10.00 against 40.00 for one cell, "
        "best found; gain +0.250, synergy 3.50 nats",
        "rows of 1 / 0",
        "width \\ color  {value 0}  {value 1}",
        "(-inf, 0.5]          1/3          -",
        "(0.5, inf)           5/1       0/20",
    ]


def test_text_of_many_classes_shows_the_most_frequent_one():
    counts = np.zeros((1, 1, 6), dtype=np.int64)
    counts[0, 0] = [1, 0, 0, 8, 0, 1]
    assert str(make_grid(counts)).endswith("3 80% of 10")


def test_columns_with_the_same_information_are_called_redundant():
    assert "redundancy 2.00 nats" in repr(make_grid(synergy=-2.0))


@pytest.mark.parametrize("shape", [(MOST_PARTS + 3, 2), (2, MOST_PARTS + 3)])
def test_parts_beyond_those_shown_are_counted(shape):
    grid = make_grid(np.ones((*shape, 2), dtype=np.int64))
    assert "... 3 more parts of" in str(grid)
    assert "... 3 more parts of" in " ".join(Document(grid._repr_html_()).text)


def test_picture_has_a_bar_per_cell_and_no_element_of_a_hostile_name():
    page = Document(make_grid(names=(HOSTILE, HOSTILE))._repr_html_())
    tags = [tag for tag, _ in page.elements]
    assert tags.count("svg") == 4
    assert "script" not in tags
    assert {a.get("src") for _, a in page.elements} == {None}


def test_bars_are_as_wide_as_the_shares():
    page = Document(make_grid()._repr_html_())
    widths = [float(a["width"]) for tag, a in page.elements if tag == "rect"]
    assert widths == [18.0, 54.0, 0.0, 0.0, 60.0, 12.0, 0.0, 72.0]


def test_a_name_that_reads_like_the_headline_does_not_break_it():
    grid = make_grid(names=("noise: level 9", "color"))
    assert "<b>noise: level 9 × color: level 0.750</b>, 2 × 2 cells" in grid._repr_html_()


@pytest.mark.parametrize("synergy", [0.0, 2.0])
def test_columns_that_are_not_redundant_have_synergy(synergy):
    assert f"synergy {synergy:.2f} nats" in repr(make_grid(synergy=synergy))

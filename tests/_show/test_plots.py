import subprocess
import sys

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt

from modlearn import Encoder, PairEncoder

WITHOUT_MATPLOTLIB = """
import sys
sys.modules["matplotlib"] = None
from modlearn import Encoder
partition = next(iter(Encoder().fit([[1], [2]] * 20, [0, 1] * 20).partitions_.values()))
partition.plot()
"""


@pytest.fixture(autouse=True)
def _figures():
    with mpl.rc_context({"backend": "agg"}):
        yield
    plt.close("all")


@pytest.fixture
def grid():
    cells = [("head", "head"), ("head", "tail"), ("tail", "head"), ("tail", "tail")]
    return PairEncoder().fit(cells * 20, ["me", "you", "you", "me"] * 20).grids_["x0", "x1"]


def test_a_bar_per_part_and_class_adds_up_to_100_percent(intervals):
    axes = intervals((2.5, 3.5), [[10, 0], [5, 5], [0, 0]]).plot()
    widths = np.array([[bar.get_width() for bar in bars] for bars in axes.containers])
    assert widths.T.tolist() == [[0, 100], [50, 50], [0, 0]]
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert labels == ["(-inf, 2.5]  (10)", "(2.5, 3.5]  (10)", "(3.5, inf)  (0)"]


def test_a_partition_is_drawn_on_the_axes_it_is_given(groups):
    _, axes = plt.subplots()
    assert groups([["a"], ["b"]]).plot(ax=axes) is axes


def test_of_many_parts_the_rest_is_counted(intervals):
    axes = intervals(range(50)).plot()
    assert [text.get_text() for text in axes.texts if "more" in text.get_text()] == [
        "... 11 more parts"
    ]


def test_a_dollar_in_a_value_is_not_a_formula():
    prices = [("$", r"$\foo$"), ("$", "b"), ("c", r"$\foo$"), ("c", "b")]
    pairs = PairEncoder().fit(prices * 20, ["me", "you", "you", "me"] * 20)
    one = Encoder().fit(prices * 20, ["me", "you"] * 40)
    for found in (pairs.grids_["x0", "x1"], one.partitions_["x1"]):
        axes = found.plot()
        axes.figure.canvas.draw()
        assert any(
            r"\$\foo\$" in label.get_text()
            for label in axes.get_yticklabels() + axes.get_xticklabels()
        )


def test_a_dollar_in_a_name_is_not_a_formula(intervals):
    axes = intervals(name="price in $ and $x^", classes=np.array(["$a$", "$"])).plot()
    axes.figure.canvas.draw()
    assert axes.get_title() == r"price in \$ and \$x^: level 0.750"


def test_classes_whose_names_begin_with_an_underscore_are_in_the_legend(intervals):
    axes = intervals((2.5,), classes=np.array(["_a", "_$"])).plot()
    axes.figure.canvas.draw()
    assert [text.get_text() for text in axes.get_legend().get_texts()] == [r"_\$", "_a"]


def test_many_classes_share_the_last_color(intervals):
    axes = intervals((2.5,), np.ones((2, 26), dtype=np.int64)).plot()
    assert len(axes.containers) == 8
    assert axes.get_legend().get_texts()[-1].get_text() == "other"


def test_a_grid_shows_the_leading_class_of_every_cell(grid):
    axes = grid.plot()
    axes.figure.canvas.draw()
    texts = [text.get_text() for text in axes.texts]
    leading = [text.split("\n")[0] for text in texts]
    assert leading == ["me: 100%", "you: 100%", "you: 100%", "me: 100%"]
    assert (axes.get_ylabel(), axes.get_xlabel()) == ("x0", "x1")


def test_a_grid_is_drawn_on_the_axes_it_is_given(grid):
    _, axes = plt.subplots()
    assert grid.plot(ax=axes) is axes


def test_without_matplotlib_the_error_names_the_extra():
    result = subprocess.run(
        [sys.executable, "-c", WITHOUT_MATPLOTLIB], capture_output=True, text=True, check=False
    )
    assert result.stderr.strip().endswith("pip install 'modlearn[plot]'")


def test_of_two_classes_the_rarer_comes_first_and_its_share_is_on_every_bar(intervals):
    axes = intervals((2.5,), [[970, 30], [500, 500]]).plot()
    shares = [text.get_text() for text in axes.texts if text.get_text()]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["1", "0"]
    assert shares == ["50", "3.0", "97", "50"]

"""Explanations as bars in a notebook and as a waterfall plot."""

import re

import numpy as np
import pytest
from matplotlib import pyplot

from modlearn._model.additive import Explanation


@pytest.fixture(autouse=True)
def close_figures():
    yield
    pyplot.close("all")


def explanation(n_rows=2, names=("x", ("y", "z"), "w"), positive=None):
    added = np.zeros((n_rows, len(names), 2))
    added[:, :3, 1] = [0.25, -1.5, 0.5]
    added[:, :3, 0] = [-0.25, 0.5, 0.0]
    classes = np.array(["no", "yes"])
    return Explanation(tuple(names), classes, np.log([0.75, 0.25]), added, positive)


def three_classes():
    added = np.array([[[0.0, 2.0, -1.0], [0.5, 0.0, 0.0]]])
    return Explanation(("x", "y"), np.array(["a", "b", "c"]), np.zeros(3), added)


def lines_of(html):
    """Names and numbers of a table with bars."""
    return re.findall(r'">([^<>]*)</td><td>.*?</td><td[^>]*>([^<>]*)</td>', html)


def test_a_row_of_two_classes_is_a_signed_column_strongest_first():
    html = explanation(1)._repr_html_()
    assert "<b>log odds of yes</b>" in html
    assert lines_of(html) == [
        ("base", "-1.10"),
        ("y × z", "-2.00"),
        ("x", "0.50"),
        ("w", "0.50"),
        ("score", "-2.10"),
    ]


def test_the_class_of_interest_is_the_one_with_positive_numbers():
    html = explanation(1, positive=0)._repr_html_()
    assert "<b>log odds of no</b>" in html
    assert lines_of(html)[1] == ("y × z", "2.00")


def test_a_few_rows_are_numbered_and_of_many_the_mean_is_shown():
    assert re.findall(r"<b>Row (\d):", explanation(3)._repr_html_()) == ["0", "1", "2"]
    assert explanation(6)._repr_html_().startswith("<pre>mean of 6 rows")
    assert explanation(0)._repr_html_().startswith("<pre>")


def test_of_several_classes_the_most_probable_is_compared_with_the_next():
    html = three_classes()._repr_html_()
    assert "<b>evidence for b over a (nats)</b>" in html
    assert lines_of(html) == [("base", "0.00"), ("x", "2.00"), ("y", "-0.50"), ("score", "1.50")]


def test_markup_in_names_is_text():
    html = explanation(1, names=("<b>x", "y", "z"))._repr_html_()
    assert "&lt;b&gt;x" in html
    assert "<b>x" not in html


def test_a_waterfall_goes_from_the_base_to_the_score():
    axes = explanation().plot(row=1)
    bars = axes.patches
    assert [label.get_text() for label in axes.get_yticklabels()] == [
        "base", "y × z", "x", "w", "score",
    ]  # fmt: skip
    ends = [bar.get_x() + bar.get_width() for bar in bars]
    starts = [bar.get_x() for bar in bars]
    assert starts[1:4] == pytest.approx(ends[:3])
    assert ends[4] == pytest.approx(ends[3]) == pytest.approx(explanation().signed().scores[1, 0])
    assert axes.get_xlabel() == "log odds of yes"
    assert axes.get_title() == "Row 1"


def test_a_waterfall_is_drawn_on_given_axes():
    _, axes = pyplot.subplots()
    assert explanation().plot(0, axes) is axes


def test_many_variables_are_summed_up():
    names = [f"v{k}" for k in range(40)]
    labels = [label.get_text() for label in explanation(names=names).plot().get_yticklabels()]
    assert len(labels) == 15
    assert labels[-2] == "28 others"


@pytest.mark.parametrize("row", [2, -3])
def test_a_row_that_is_not_explained_is_refused(row):
    with pytest.raises(IndexError, match=f"row is {row}, but 2 rows are explained, numbered from"):
        explanation().plot(row)

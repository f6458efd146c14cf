import matplotlib as mpl
import pytest
from matplotlib import pyplot as plt

from modlearn._show.displays import (
    CalibrationDisplay,
    ConfusionDisplay,
    LiftDisplay,
    RocDisplay,
)

DISPLAYS = [RocDisplay, LiftDisplay, CalibrationDisplay, ConfusionDisplay]


@pytest.fixture(autouse=True)
def _figures():
    with mpl.rc_context({"backend": "agg"}):
        yield
    plt.close("all")


@pytest.mark.parametrize("name", ["iris", "mushrooms", "letters", "hostile", "one class tested"])
@pytest.mark.parametrize("display", DISPLAYS)
def test_every_display_is_drawn(summaries, display, name):
    drawn = display.from_summary(summaries(name)).plot()
    drawn.figure_.canvas.draw()
    assert drawn.ax_.get_title()


@pytest.mark.parametrize("display", DISPLAYS)
def test_a_display_draws_on_the_axes_it_is_given(summaries, display):
    figure, axes = plt.subplots()
    drawn = display.from_summary(summaries("iris")).plot(ax=axes)
    assert (drawn.ax_, drawn.figure_) == (axes, figure)


@pytest.mark.parametrize("display", DISPLAYS)
def test_an_analysis_has_nothing_to_draw(summaries, display):
    with pytest.raises(ValueError, match="no evaluation to draw"):
        display.from_summary(summaries("holes"))


def test_few_curves_are_all_named(summaries):
    drawn = RocDisplay.from_summary(summaries("iris")).plot()
    labels = [text.get_text() for text in drawn.ax_.get_legend().get_texts()]
    assert [label.split(" (AUC")[0] for label in labels] == ["setosa", "versicolor", "virginica"]


def test_a_class_whose_name_begins_with_an_underscore_is_named(summaries):
    summary = summaries("iris")
    classes = [of | {"name": f"_{of['name']}"} for of in summary["classes"]]
    drawn = LiftDisplay.from_summary(summary | {"classes": classes}).plot()
    labels = [text.get_text() for text in drawn.ax_.get_legend().get_texts()]
    assert labels == ["_setosa", "_versicolor", "_virginica"]


def test_of_many_curves_the_worst_is_named(summaries):
    summary = summaries("letters")
    worst = min(summary["evaluation"]["curves"], key=lambda curve: curve["auc"])["class"]
    drawn = LiftDisplay.from_summary(summary).plot()
    (label,) = drawn.ax_.get_legend().get_texts()
    assert label.get_text() == summary["classes"][worst]["name"]


def test_a_confusion_matrix_shows_its_rows(summaries):
    summary = summaries("iris")
    drawn = ConfusionDisplay.from_summary(summary).plot()
    expected = [str(n) for line in summary["evaluation"]["confusion"] for n in line]
    assert [text.get_text() for text in drawn.ax_.texts] == expected

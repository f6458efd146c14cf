import matplotlib as mpl
import pytest
from matplotlib import pyplot as plt

from modlearn._show.displays import plot_evaluation

KINDS = ["roc", "lift", "calibration", "confusion"]


@pytest.fixture(autouse=True)
def _figures():
    with mpl.rc_context({"backend": "agg"}):
        yield
    plt.close("all")


@pytest.mark.parametrize("name", ["iris", "mushrooms", "letters", "hostile", "one class tested"])
@pytest.mark.parametrize("kind", KINDS)
def test_every_display_is_drawn(summaries, kind, name):
    drawn = plot_evaluation(summaries(name), kind)
    drawn.figure_.canvas.draw()
    assert drawn.ax_.get_title()


@pytest.mark.parametrize("kind", KINDS)
def test_a_display_draws_on_the_axes_it_is_given(summaries, kind):
    figure, axes = plt.subplots()
    drawn = plot_evaluation(summaries("iris"), kind, axes)
    assert (drawn.ax_, drawn.figure_) == (axes, figure)


@pytest.mark.parametrize("kind", KINDS)
def test_an_analysis_has_nothing_to_draw(summaries, kind):
    with pytest.raises(ValueError, match="no evaluation to plot"):
        plot_evaluation(summaries("holes"), kind)


def test_few_curves_are_all_named(summaries):
    drawn = plot_evaluation(summaries("iris"), "roc")
    labels = [text.get_text() for text in drawn.ax_.get_legend().get_texts()]
    assert [label.split(" (pooled AUC")[0] for label in labels] == [
        "setosa",
        "versicolor",
        "virginica",
    ]


@pytest.mark.parametrize("kind", ["roc", "lift"])
def test_a_class_whose_name_begins_with_an_underscore_is_named(summaries, kind):
    summary = summaries("iris")
    classes = [of | {"name": f"_{of['name']}"} for of in summary["classes"]]
    drawn = plot_evaluation(summary | {"classes": classes}, kind)
    labels = [text.get_text() for text in drawn.ax_.get_legend().get_texts()]
    names = [label.split(" (pooled AUC")[0] for label in labels]
    assert names == ["_setosa", "_versicolor", "_virginica"]


@pytest.mark.parametrize("kind", ["roc", "lift"])
def test_of_many_curves_the_worst_is_named(summaries, kind):
    summary = summaries("letters")
    worst = min(summary["evaluation"]["curves"], key=lambda curve: curve["auc"])["class"]
    drawn = plot_evaluation(summary, kind)
    (label,) = drawn.ax_.get_legend().get_texts()
    assert label.get_text().split(" (pooled AUC")[0] == summary["classes"][worst]["name"]


def test_a_confusion_matrix_shows_its_rows(summaries):
    summary = summaries("iris")
    drawn = plot_evaluation(summary, "confusion")
    expected = [str(n) for line in summary["evaluation"]["confusion"] for n in line]
    assert [text.get_text() for text in drawn.ax_.texts] == expected


def test_displays_are_those_of_scikit_learn_where_it_has_them(summaries):
    names = [type(plot_evaluation(summaries("iris"), kind)).__name__ for kind in KINDS]
    assert names == [
        "RocCurveDisplay", "LiftDisplay", "CalibrationDisplay", "ConfusionMatrixDisplay",
    ]  # fmt: skip


def test_another_kind_is_refused(summaries):
    with pytest.raises(ValueError, match="kind is 'pie': use one of 'roc', 'lift', "):
        plot_evaluation(summaries("iris"), "pie")


def test_a_confusion_matrix_begins_with_the_class_of_interest(summaries):
    summary = summaries("buyers")
    display = plot_evaluation(summary, "confusion")
    assert list(display.display_labels) == ["yes", "no"]
    (nn, ny), (yn, yy) = summary["evaluation"]["confusion"]
    assert display.confusion_matrix.tolist() == [[yy, yn], [ny, nn]]

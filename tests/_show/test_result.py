"""A printed result: headline, measures, variables, pairs and warnings."""

import pytest
from tests._jobs.conftest import make_orders

import modlearn
from modlearn._show.result import result_as_text


def lines_of(frame, target="paid", **options):
    return str(modlearn.fit(frame, target, **options)).splitlines()


def test_a_printed_result_says_how_good_on_what(orders):
    headline, accuracy, others, alone, empty, header, *rows = lines_of(orders)
    assert headline == "paid, 2 classes, 200 rows, 3 columns (2 left out)"
    assert accuracy.startswith("accuracy 0.")
    assert accuracy.endswith(" (10-fold cross-validation, 200 test rows)")
    assert [text.split(" 0")[0] for text in others.split(", ")] == [
        "balanced accuracy",
        "AUC",
        "log-loss",
    ]
    assert alone.startswith("for comparison: most frequent class 0.")
    assert empty == ""
    assert header.split() == ["variable", "level", "weight", "parts"]
    *variables, others = rows
    assert {row.split()[0] for row in variables} == {"amount", "country"}
    assert others == "... and 1 variable that is not informative"


def test_unlabeled_rows_are_counted(orders):
    orders.loc[:4, "paid"] = None
    assert lines_of(orders)[0].startswith("paid, 2 classes, 200 rows (5 unlabeled), ")


def test_informative_pairs_are_shown(orders):
    text = str(modlearn.fit(orders, "paid", pairs="all"))
    assert "\npair              " in text
    assert "amount × country" in text


def test_an_analysis_shows_no_weights(orders):
    text = str(modlearn.analyze(orders, "paid"))
    assert "weight" not in text
    assert "accuracy" not in text


def test_many_variables_and_warnings_are_counted():
    orders = make_orders()
    for i in range(30):
        orders[f"half {i}"] = orders["amount"].where((orders.index + i) % 4 == 0)
        orders[f"copy {i}"] = orders["amount"] + i
    text = str(modlearn.analyze(orders, "paid"))
    assert "\n... and 22 more and 31 variables that are not informative\n" in text
    assert text.count("\nwarning: ") == text.count(" This also applies to ") == 2


def test_a_rare_class_is_reported_by_its_share_among_the_first_rows(summaries):
    text = result_as_text(summaries("buyers"))
    assert "\nThe quarter of rows ranked highest holds " in text


def test_odd_names_stay_on_their_line(orders):
    orders["new\nline"] = orders["amount"].round()
    orders["x" * 100] = orders["amount"].round(-1)
    text = str(modlearn.analyze(orders, "paid"))
    assert r"new\nline" in text
    assert "x" * 39 + "…" in text
    assert "x" * 41 not in text


@pytest.mark.parametrize("share", [0.01])
def test_a_measure_that_is_not_defined_is_said(share):
    orders = make_orders(60)
    text = str(modlearn.fit(orders, "paid", test=share))
    assert "AUC not defined" in text

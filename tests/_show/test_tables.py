"""The ranking of variables and pairs: the same rows in every skin."""

import re

import pytest

from modlearn._show.tables import as_html, as_lines, rank_pairs, rank_variables


def variable(name, level, weight=0.5, n_parts=2):
    return {"name": name, "level": level, "weight": weight, "parts": ["part"] * n_parts}


def summary(*variables, pairs=(), n_pairs=0):
    return {"variables": list(variables), "pairs": list(pairs), "pairs_searched": n_pairs}


PAIR = {"names": ["a", "b"], "level": 0.5, "weight": 0.25, "gain": 0.125, "synergy": -3.14}


def test_variables_have_level_weight_parts_and_a_bar_of_their_level():
    ranking = rank_variables(summary(variable("a", 0.4), variable("b", 0.1, 0.0, 1_000)), 5)
    assert ranking.columns == ("level", "weight", "parts")
    assert [row.cells for row in ranking.rows] == [
        ("0.400", "0.50", "2"),
        ("0.100", "0.00", "1,000"),
    ]
    assert [row.bar for row in ranking.rows] == [0.4, 0.1]
    assert ranking.rest == ""


def test_pairs_have_gain_and_synergy():
    ranking = rank_pairs(summary(pairs=[PAIR], n_pairs=3), 5)
    assert ranking.columns == ("level", "weight", "gain", "synergy")
    assert (ranking.rows[0].name, ranking.rows[0].cells) == (
        "a × b", ("0.500", "0.25", "+0.125", "-3.1"),
    )  # fmt: skip
    assert ranking.rest == "... and 2 pairs that are not informative"


def test_without_weights_there_is_no_column_of_weights():
    ranking = rank_variables(summary(variable("a", 0.4, None)), 5)
    assert ranking.columns == ("level", "parts")


@pytest.mark.parametrize(("weight", "shown"), [(0.004, "<0.01"), (0.0, "0.00"), (1.0, "1.00")])
def test_a_weight_that_is_not_0_does_not_look_like_0(weight, shown):
    assert rank_variables(summary(variable("a", 0.4, weight)), 5).rows[0].cells[1] == shown


def test_what_is_not_listed_is_counted():
    many = [variable(f"v{i}", 0.5) for i in range(1_250)]
    rest = rank_variables(summary(*many, variable("z", 0.0)), 10).rest
    assert rest == "... and 1,240 more and 1 variable that is not informative"
    assert rank_variables(summary(variable("z", 0.0)), 10).rest == (
        "No variable is informative about the target."
    )


def test_text_and_html_show_the_same_cells():
    ranking = rank_variables(summary(variable("a", 0.4), variable("<b>", 0.1)), 5)
    assert as_lines(ranking) == [
        "variable  level  weight  parts",
        "a         0.400    0.50      2",
        "<b>       0.100    0.50      2",
    ]
    cells = re.findall(r">([^<>]+)</(?:td|th|bdi)>", as_html(ranking))
    assert cells == [
        "variable", "level", "weight", "parts", "a", "0.400", "0.50", "2", "&lt;b&gt;", "0.100",
        "0.50", "2",
    ]  # fmt: skip


@pytest.mark.parametrize("name", [": level ", " × ", "(a, b]", "missing or", "{}", "{0}"])
def test_names_that_look_like_ours_are_names(name):
    assert rank_variables(summary(variable(name, 0.4)), 5).rows[0].name == name
    both = rank_pairs(summary(pairs=[{**PAIR, "names": [name, name]}], n_pairs=1), 5)
    assert both.rows[0].name == f"{name} × {name}"

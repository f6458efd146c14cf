"""Tables for a terminal, as text of 80 columns."""

import io
import re

import pytest
from rich.console import Console

from modlearn._show import terminal
from modlearn._show.tables import rank_variables


def printed(renderable):
    console = Console(file=io.StringIO(), width=80)
    console.print(renderable)
    return [line.rstrip() for line in console.file.getvalue().splitlines()]


def variables(found):
    return terminal.ranking_table(rank_variables(found, 12))


def evaluation(**measures):
    found = {
        "how": "test file",
        "n_folds": None,
        "n_test": 20,
        "measures": measures,
        "majority": {"class": "a", "accuracy": 0.6},
        "best_variable": None,
    }
    nothing = dict.fromkeys(("positive", "decision", "top_quarter", "certainty"))
    return {"evaluation": found, **nothing}


def test_measures_have_their_spread():
    lines = printed(terminal.evaluation_table(evaluation(auc={"mean": 0.5, "spread": 0.25})))
    assert lines[0].split() == ["AUC", "0.500", "±", "0.250"]


@pytest.mark.parametrize(
    ("measure", "shown"),
    [
        ({"mean": None, "spread": None}, ["AUC", "not", "defined"]),
        ({"mean": 0.5, "spread": None}, ["AUC", "0.500"]),
    ],
)
def test_what_is_not_defined_is_said(measure, shown):
    assert printed(terminal.evaluation_table(evaluation(auc=measure)))[0].split() == shown


def test_without_an_informative_variable_none_is_compared_with():
    lines = printed(terminal.evaluation_table(evaluation()))
    assert [line.split()[1] for line in lines] == ["most"]


def summary(*levels, name="x", weight=0.5):
    parts = ["a", "b"]
    variables = [{"name": name, "level": v, "weight": weight, "parts": parts} for v in levels]
    return {"variables": variables, "pairs": []}


def test_bars_are_as_long_as_levels_and_none_that_is_informative_is_empty():
    lines = printed(variables(summary(1.0, 0.5, 0.001)))
    bars = [line.split()[1] for line in lines[1:]]
    assert [len(bar) for bar in bars] == [20, 10, 1]


def test_a_full_bar_is_a_level_of_1():
    lines = printed(variables(summary(0.2, 0.1)))
    assert [len(line.split()[1]) for line in lines[1:]] == [4, 2]


def test_the_share_of_the_class_of_interest_in_the_first_rows_is_reported(summaries):
    lines = printed(terminal.evaluation_table(summaries("buyers")))
    line = r"yes in the highest quarter +0\.\d{3}  \(\d\.\d times a random quarter\)"
    assert any(re.fullmatch(line, one) for one in lines)
    assert "rank rows by their probability instead" in " ".join(lines)


def test_variables_that_are_not_informative_are_counted():
    lines = printed(variables(summary(0.5, 0.0, 0.0)))
    assert lines[-1] == "... and 2 variables that are not informative"
    assert printed(variables(summary(0.0))) == ["No variable is informative about the target."]


def test_names_of_any_length_leave_room_for_the_numbers():
    lines = printed(variables(summary(0.5, name="n\n" * 5000)))
    assert len(lines) == 2
    assert "0.500" in lines[1]


def test_the_table_is_described_in_words():
    data = {
        "target": "churn",
        "n_rows": 1200,
        "n_unlabeled": 200,
        "left_out": [{"name": "id", "reason": "all_different"}],
    }
    kinds = {"age": "numeric", "city": "categorical", "height": "numeric"}
    lines = printed(terminal.data_table(data, {"no": 700, "yes": 300}, kinds))
    assert lines == [
        "rows         1,200 (200 unlabeled)",
        "numeric      age, height",
        "categorical  city",
        "churn        no (700), yes (300)",
        "left out     id: no value occurs twice",
    ]


def test_sentences_about_long_names_are_cut():
    fact = {"kind": "leak", "columns": ["x" * 5000], "numbers": {"accuracy": 1.0}}
    lines = printed(terminal.warning_list([fact]))
    assert len(lines) < 8
    assert lines[-1].endswith("--drop.")


def test_many_notes_are_counted():
    lines = printed(
        terminal.note_list([{"kind": "not_evaluated", "numbers": {}, "names": []}] * 40)
    )
    assert lines[-1] == "and 28 more notes"


def test_classes_have_their_share_of_rows():
    lines = printed(terminal.class_table({"a": 3, "b": 1, "c": 0}))
    assert [line.split() for line in lines] == [
        ["a", "3", "█" * 15],
        ["b", "1", "█" * 5],
        ["c", "0"],
    ]


def test_predictions_are_evaluated_with_the_class_of_interest_first():
    found = evaluation(accuracy={"mean": 0.9, "spread": 0.01})
    found["evaluation"] |= {"confusion": [[70, 10], [2, 18]], "n_test": 100}
    found |= {"classes": [{"name": "no"}, {"name": "yes"}], "positive": 1}
    (heading, _), (_, table) = terminal.prediction_results(found)
    assert heading == "Evaluation (100 rows whose class is known)"
    assert [line.split() for line in printed(table)] == [
        ["true", "class", "predicted", "yes", "predicted", "no"],
        ["yes", "18", "2"],
        ["no", "10", "70"],
    ]
    found["classes"] = [{"name": str(k)} for k in range(9)]
    assert len(terminal.prediction_results(found)) == 1


def test_the_decision_stands_below_the_measures():
    found = evaluation(accuracy={"mean": 0.9, "spread": 0.01})
    found["evaluation"]["confusion"] = [[70, 10], [2, 18]]
    found["decision"] = {"class": 1, "threshold": 0.2, "costs": []}
    found["classes"] = [{"name": "no"}, {"name": "yes"}]
    *_, rule, finds = printed(terminal.evaluation_table(found))
    assert rule == "“yes” is predicted if its probability is at least 20%."
    assert finds.startswith("This finds 90% of the “yes” rows")

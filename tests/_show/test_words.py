"""Facts become sentences: what happened, why it matters, and what to type."""

import pytest
from tests._show.samples import HOSTILE, warning

from modlearn._model.evaluation import DataWarning, Note
from modlearn._show.words import (
    LEFT_OUT,
    NOTES,
    WARNINGS,
    left_out_sentence,
    note_sentence,
    sentences_of,
    warning_labels,
    warning_lines,
    warning_sentence,
)

NUMBERS = {
    "unchecked": 2,
    "tests": 4,
    "with": 0.5,
    "without": 0.6,
    "accuracy": 0.99,
    "rows": 3,
    "class": "yes",
    "share": 0.75,
    "value": 0.0,
    "part": "(1, 2]",
    "train_share": 0.5,
    "test_share": 0.25,
    "text": "A note of a file.",
    "because": "large",
    "folds": 7,
    "usual": 10,
    "classes": 2,
    "right": 2,
    "undecided": 1,
    "majority": 0.5,
    "groups": 2,
    "first": 5,
    "neighbors": 10,
    "weight": 0.5,
    "by_rows": 0.75,
    "unseen": 0.6,
    "n_values": 40,
    "n_numbers": 1,
}

COUNTED = {
    **{"engine": "DuckDB", "by_value": 2, "in_bins": 1, "bins": 32_768, "columns": 2, "runs": 9},
    **{"rows": 10, "all": 20, "steps": 10_000, "moved": "1/80,000", "sampled": 10},
    "reason": "The server is gone",
}

READING = {
    "no_header": {"file": "x.csv", "n_columns": 3},
    "repeated_name": {"file": "x.csv", "column": "a"},
    "encoding_guessed": {"file": "x.csv"},
    "thousands_comma": {"column": "a", "example": "1,234"},
    "decimal_comma": {"column": "a", "example": "1,5"},
    "amounts": {"column": "a", "example": "$1,234", "value": 1234.0},
    "day_order": {
        "column": "a",
        "example": "01/02/2012",
        "first": "month",
        "other_format": "%d/%m/%Y",
    },
    "dates_excel": {"column": "a", "example": "40939"},
    "dates_compact": {"column": "a", "example": "20120131"},
    "other_sheets": {
        "file": "x.csv",
        "sheet": "May",
        "n_sheets": 3,
        "example": "x.csv::June",
    },
    "missing_words": {"column": "a", "example": "?", "n_cells": 2, "others": "dates"},
    "mostly_dates": {"column": "a", "example": "soon", "n_dates": 5_000, "n_others": 2},
    "mostly_numbers": {"column": "a", "example": "2 kg", "n_numbers": 5_000, "n_others": 2},
}


@pytest.mark.parametrize("kind", WARNINGS)
@pytest.mark.parametrize("spelling", ["python", "command"])
def test_every_warning_is_a_sentence(kind, spelling):
    text = warning_sentence(warning(kind, ["a b", "c"], **NUMBERS), spelling)
    assert text[0].isupper() or text[0].isdigit()
    assert text.endswith(".")
    has_option = any(words in text for words in ("out with", "evaluate ", ", pass "))
    assert ("--" in text) == (has_option and spelling == "command")
    assert ("drop=" in text) == ("out with" in text and spelling == "python")


@pytest.mark.parametrize("kind", NOTES)
def test_every_note_is_a_sentence(kind):
    numbers = {**NUMBERS, **COUNTED, **READING.get(kind, {})}
    text = note_sentence({"kind": kind, "numbers": numbers, "names": ["a", "b"]})
    assert text[0].isupper() or text[0].isdigit()
    assert text.endswith(".")


def reading_note(kind, **changes):
    numbers = {**READING[kind], **changes}
    return note_sentence({"kind": kind, "numbers": numbers, "names": []}, "command")


@pytest.mark.parametrize("kind", READING)
def test_a_note_on_reading_names_its_file_or_column(kind):
    text = reading_note(kind)
    assert "'x.csv'" in text or "Column 'a'" in text
    assert text.endswith(".")


def test_the_other_order_of_day_and_month_is_spelled_as_it_is_typed():
    fact = {"kind": "day_order", "numbers": READING["day_order"], "names": []}
    numbers = {**READING["day_order"], "column": "sent at"}
    assert "the month comes first; if not, pass date_format={'a': '%d/%m/%Y'}." in note_sentence(
        fact
    )
    text = note_sentence({**fact, "numbers": numbers}, "command")
    assert text.endswith("pass --date-format 'sent at=%d/%m/%Y'.")
    numbers = {**READING["day_order"], "column": "x" * 5_000}
    text = note_sentence({**fact, "numbers": numbers}, "command")
    assert text.endswith("pass --date-format COLUMN=%d/%m/%Y.")


def test_an_amount_is_shown_next_to_its_number():
    assert reading_note("amounts").endswith("were read as numbers, such as '$1,234' as 1,234.")


def test_one_cell_is_not_several():
    assert "1 cell was read as missing" in reading_note("missing_words", n_cells=1)
    assert "2 cells were read as missing" in reading_note("missing_words")
    assert "because 1 cell is not, such as '2 kg'" in reading_note("mostly_numbers", n_others=1)
    assert "5,000 of its cells are dates, because 2 cells are not" in reading_note("mostly_dates")
    assert "5,000 of its cells are numbers, because 2 cells are not" in reading_note(
        "mostly_numbers"
    )


@pytest.mark.parametrize("kind", ["unknown kind", *WARNINGS])
def test_a_warning_that_lacks_its_numbers_is_shown_as_it_is(kind):
    # A model file is not trusted: it may hold any kind with any numbers.
    assert warning_sentence(warning(kind, []))
    assert warning_sentence(warning(kind, ["x"], accuracy="high", share="?", more="many"))


def test_a_warning_of_an_unknown_kind_names_kind_and_columns():
    assert warning_sentence(warning("new_kind", ["a", "b"])) == "new kind: 'a', 'b'"


def test_python_and_the_command_line_spell_the_remedy_as_it_is_typed():
    leak = warning("leak", ["sent at"], accuracy=1.0)
    assert warning_sentence(leak).endswith("leave it out with drop=['sent at'].")
    assert warning_sentence(leak, "command").endswith("leave it out with --drop 'sent at'.")


def test_a_warning_of_new_values_has_both_figures_and_the_option_that_helps():
    fact = warning("unseen_values", ["customer id"], by_rows=0.744, unseen=0.686)
    assert warning_sentence(fact) == (
        "The most probable class is correct for 74.4% of rows held out at random, but for 68.6% of "
        "rows whose value of 'customer id' was not in the training data. If new rows have new "
        "values, evaluate with group='customer id', which leaves the column out of the model, too."
    )
    assert "evaluate with --group 'customer id', which" in warning_sentence(fact, "command")


def test_a_warning_of_a_date_says_how_to_evaluate_it():
    fact = warning("date", ["sent at"], weight=0.96)
    assert warning_sentence(fact).startswith("The date 'sent at' itself has weight 0.96.")
    assert warning_sentence(fact).endswith("evaluate forward in time with time='sent at'.")
    assert warning_sentence(fact, "command").endswith("forward in time with --time 'sent at'.")


@pytest.mark.parametrize("name", ["x" * 5_000, "\u202e" * 5_000, "'" * 5_000])
def test_a_long_name_is_cut_and_what_to_do_is_not(name):
    (label,) = warning_labels([warning("identifier", [name])])
    assert len(label["text"]) < 500
    assert label["text"].endswith("if it is one, leave it out with drop=.")
    assert len(label["title"]) > 5_000


def test_a_leak_is_only_suspected():
    labels = warning_labels(
        [warning("leak", ["a"], accuracy=1.0), warning("rare_class", [], **NUMBERS)]
    )
    assert [label["kind"] for label in labels] == ["leak?", "rare class"]


def test_many_warnings_of_a_kind_are_one_line():
    copies = [warning("duplicate", [f"copy {k}", "x"]) for k in range(10)]
    facts = [*copies, warning("duplicate", ["copy 10", "copy 11"], more=2)]
    facts.insert(3, warning("few_rows", [], rows=20))
    first, second = warning_lines(facts)
    assert first == (
        "Column 'copy 0' holds the same values as 'x' and adds nothing: leave it out with "
        "drop=['copy 0']. This also applies to 11 more columns, such as 'copy 1', 'copy 2', "
        "'copy 3', 'copy 4', 'copy 5'."
    )
    assert second.startswith("The table has only 20 labeled rows")
    label, _ = warning_labels(facts)
    assert label["text"] == first
    assert len(label["others"]) == 10
    assert label["others"][0].startswith("Column 'copy 1' holds the same values as 'x'")


def test_two_warnings_of_a_kind_are_two_lines():
    lines = warning_lines([warning("identifier", ["a"]), warning("identifier", ["b"])])
    assert [line.split("'")[1] for line in lines] == ["a", "b"]


@pytest.mark.parametrize("name", [*HOSTILE, ": level ", "{0}", "{name}", "%s", "--drop"])
def test_no_name_is_taken_for_a_part_of_the_sentence(name):
    text = warning_sentence(warning("identifier", [name]), longest=100_000)
    assert text.startswith(f"Column {name!r} increases from row to row")


def test_a_name_from_right_to_left_keeps_its_direction_in_a_sentence():
    text = warning_sentence(warning("identifier", ["שלום"]))
    assert text.startswith("Column \u2068'שלום'\u2069 increases")
    assert text.endswith("drop=.")


def test_one_row_is_not_called_rows():
    assert str(Note("unlabeled", {"rows": 1})).startswith("1 row has no label.")
    assert str(Note("unlabeled", {"rows": 1200})).startswith("1,200 rows have no label.")
    assert "only 1 labeled row," in str(DataWarning("rare_class", (), {"class": "a", "rows": 1}))


def test_the_reason_why_a_column_is_left_out_names_the_option():
    column = {"name": "x", "reason": "dropped"}
    assert left_out_sentence(column) == "excluded by drop="
    assert left_out_sentence(column, "command") == "excluded by --drop"
    assert left_out_sentence({"name": "x", "reason": "other"}) == "other"


def test_the_reason_why_a_date_is_left_out_names_it_as_it_is_typed():
    column = {"name": "sent at", "reason": "date"}
    assert left_out_sentence(column).endswith("pass trend=['sent at']")
    assert left_out_sentence(column, "command").endswith("pass --trend 'sent at'")
    column = {"name": "x" * 5_000, "reason": "date"}
    assert left_out_sentence(column, "command").endswith("pass --trend")


@pytest.mark.parametrize("reason", LEFT_OUT)
@pytest.mark.parametrize("spelling", ["python", "command"])
def test_every_reason_has_words(reason, spelling):
    text = left_out_sentence({"name": "x", "reason": reason}, spelling)
    assert " " in text
    assert ("--" in text) <= (spelling == "command")


def test_a_report_for_scripts_has_facts_and_sentences(summaries):
    found = sentences_of(summaries("wine"), "command")
    assert found["warnings"][0]["numbers"] == {"class": "grower 3", "rows": 48}
    assert found["warnings"][0]["text"].startswith("Class 'grower 3' has only 48 labeled rows")
    assert found["data"]["left_out"][0]["text"] == "no value occurs twice"
    assert "text" not in summaries("wine")["warnings"][0]

"""Facts become sentences: what happened, why it matters, and what to type."""

import copy

import pytest
from scipy.stats import binomtest
from tests._show.samples import HOSTILE, warning

from modlearn._model.evaluation import DataWarning, Note
from modlearn._show.words import (
    LEFT_OUT,
    NOTES,
    WARNINGS,
    data_line,
    explained_by,
    interval,
    left_out_sentence,
    mean_and_spread,
    measures,
    note_sentence,
    percent,
    quoted,
    rounded,
    sentences_of,
    verdict,
    visible,
    warning_label,
    warning_sentence,
)


@pytest.fixture
def iris(summaries):
    return copy.deepcopy(summaries("iris"))


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.972, "97.2%"), (0.4, "40%"), (1.0, "100%"), (0.0, "0%"), (0.99999, "over 99.9%"),
     (0.00001, "under 0.1%")],
)  # fmt: skip
def test_a_share_is_100_percent_only_where_it_is_all(share, text):
    assert percent(share) == text


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("a\u202eb\u2066c", r"a\u202eb\u2066c"),
        ("two\nlines\t\x00", r"two\nlines\t\x00"),
        ("end\u2028 mark\u200f byte order\ufeff", r"end\u2028 mark\u200f byte order\ufeff"),
        ("👩\u200d🔬 Zürich", "👩\u200d🔬 Zürich"),
    ],
)
def test_what_is_hidden_or_turns_the_line_is_written_out(text, seen):
    assert visible(text, 50) == seen


def test_a_word_from_right_to_left_keeps_its_direction_to_itself():
    assert visible("שלום", 50) == "\u2068שלום\u2069"
    assert visible("ש" * 100, 50) == f"\u2068{'ש' * 49}…\u2069"


def test_a_quoted_name_cannot_turn_its_sentence_round():
    assert quoted("gnp\u202e.exe") == r"“gnp\u202e.exe”"


def test_the_first_sentence_says_how_good(iris):
    iris["evaluation"]["measures"]["accuracy"]["mean"] = 0.94
    assert verdict(iris)[0] == "The model classifies 94% of held-out rows correctly."


def test_the_second_sentence_says_how_sure(iris):
    sentence = verdict(iris)[1]
    assert sentence.startswith(
        "Measured by 5-fold cross-validation on 150 rows (standard deviation "
    )
    assert "; the 95% confidence interval of the accuracy is 88.2% to 96.3%." in sentence


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("held-out part", "150 rows held out from training"),
        ("test file", "150 rows of a test file"),
    ],
)
def test_a_part_held_out_is_called_so(iris, how, words):
    iris["evaluation"] |= {"how": how, "n_folds": None}
    assert verdict(iris)[1].startswith(f"Measured by {words}; the 95% confidence")


def test_the_model_is_compared_with_its_rivals(iris):
    assert verdict(iris)[2].startswith(
        "Always predicting “setosa” would be correct for 33.3%; “petal "
    )


def test_a_model_no_better_than_the_majority_is_called_so(iris):
    iris["evaluation"]["measures"]["accuracy"]["mean"] = 0.35
    assert "not clearly better" in verdict(iris)[3]


def test_an_analysis_says_what_is_informative(summaries):
    first, second, third = verdict(summaries("holes"))
    assert first == "4 of 9 variables are informative about “churn”."
    assert second.startswith("The most informative one is “when it is missing”")
    assert "gains most" in third


def test_an_analysis_that_found_nothing_says_so(iris):
    iris["evaluation"] = None
    for variable in iris["variables"]:
        variable["level"] = 0
    assert verdict(iris)[0].startswith("None of 4 variables is informative about “class”.")


@pytest.mark.parametrize(
    ("how", "said"),
    [
        (
            "cross-validation",
            "trained on the other folds: its parts, pairs and weights may differ",
        ),
        ("held-out part", "trained without the held-out rows: its parts, pairs"),
    ],
)
def test_rows_explained_by_another_model_are_said_to_be(iris, how, said):
    iris["evaluation"]["how"] = how
    assert said in explained_by(iris)


def test_rows_of_a_test_file_are_explained_by_the_model_itself(iris):
    iris["evaluation"]["how"] = "test file"
    assert explained_by(iris) == ""


def test_measures_that_are_unknown_are_left_out(iris):
    iris["evaluation"]["measures"]["auc"] = None
    names = [measure["name"] for measure in measures(iris)]
    assert names == ["Accuracy", "Balanced accuracy", "Log-loss"]


def test_a_measure_without_a_value_is_called_not_defined(summaries):
    found = {one["name"]: one for one in measures(summaries("one class tested"))}
    assert (found["AUC"]["value"], found["AUC"]["spread"]) == ("not defined", "")
    assert (found["Accuracy"]["value"], found["Accuracy"]["spread"]) == ("100%", "")


@pytest.mark.parametrize(
    ("mean", "spread", "shown"),
    [
        (0.9321, 0.0449, ("0.932", "± 0.045")),
        (1.0, 0.0, ("1.000", "")),
        (0.5, None, ("0.500", "")),
        (None, None, ("not defined", "")),
    ],
)
def test_a_spread_is_shown_where_there_is_one(mean, spread, shown):
    assert mean_and_spread({"mean": mean, "spread": spread}) == shown


def test_the_line_below_the_title_counts(summaries):
    assert data_line(summaries("iris")) == "iris.csv · 150 rows · 4 variables · 3 classes"


@pytest.mark.parametrize(("right", "rows"), [(81, 263), (0, 10), (150, 150)])
def test_the_interval_is_wilsons(right, rows):
    expected = binomtest(right, rows).proportion_ci(method="wilson")
    assert interval(right / rows, rows) == pytest.approx(expected, abs=1e-4)


def test_without_rows_nothing_is_known():
    assert interval(0.0, 0) == (0.0, 1.0)


NUMBERS = {
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
}


READING = {
    "no_header": {"file": "x.csv", "n_columns": 3},
    "repeated_name": {"file": "x.csv", "column": "a"},
    "encoding_guessed": {"file": "x.csv"},
    "thousands_comma": {"column": "a", "example": "1,234"},
    "decimal_comma": {"column": "a", "example": "1,5"},
    "missing_words": {"column": "a", "example": "?", "n_cells": 2, "others": "dates"},
    "mostly_numbers": {"column": "a", "example": "2 kg", "n_numbers": 5_000, "n_others": 2},
}


@pytest.mark.parametrize("kind", WARNINGS)
@pytest.mark.parametrize("spelling", ["python", "command"])
def test_every_warning_is_a_sentence(kind, spelling):
    text = warning_sentence(warning(kind, ["a b", "c"], **NUMBERS), spelling)
    assert text[0].isupper() or text[0].isdigit()
    assert text.endswith(".")
    assert ("--" in text) == ("out with" in text and spelling == "command")
    assert ("drop=" in text) == ("out with" in text and spelling == "python")


@pytest.mark.parametrize("kind", NOTES)
def test_every_note_is_a_sentence(kind):
    numbers = {**NUMBERS, **READING.get(kind, {})}
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


def test_one_cell_is_not_several():
    assert "1 cell was read as missing" in reading_note("missing_words", n_cells=1)
    assert "2 cells were read as missing" in reading_note("missing_words")
    assert "because 1 cell is not, such as '2 kg'" in reading_note("mostly_numbers", n_others=1)
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


@pytest.mark.parametrize("name", ["x" * 5_000, "\u202e" * 5_000, "'" * 5_000])
def test_a_long_name_is_cut_and_what_to_do_is_not(name):
    label = warning_label(warning("identifier", [name]))
    assert len(label["text"]) < 500
    assert label["text"].endswith("if it is one, leave it out with drop=.")
    assert len(label["title"]) > 5_000


def test_a_leak_is_only_suspected():
    assert warning_label(warning("leak", ["a"], accuracy=1.0))["kind"] == "leak?"
    assert warning_label(warning("rare_class", [], **NUMBERS))["kind"] == "rare class"


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


@pytest.mark.parametrize(
    ("value", "expected"),
    [(0.123456, 0.1235), (2.0, 2), (1.0, 1), (0.0, 0), (3.99999, 4), (None, None), ("a", "a")],
)
def test_numbers_have_the_digits_that_are_shown(value, expected):
    assert rounded(value, 4) == expected


def test_a_probability_is_0_or_1_only_where_it_is():
    assert 0 < rounded(1e-12, 4) < 0.001
    assert 0.999 < rounded(1 - 1e-12, 4) < 1

"""Notes about how a table was read."""

import pytest

from modlearn._tables.notes import SENTENCES, ReadingNote

NOTES = {
    "no_header": {"file": "x.csv", "n_columns": 3},
    "repeated_name": {"file": "x.csv", "column": "a"},
    "encoding_guessed": {"file": "x.csv"},
    "thousands_comma": {"column": "a", "example": "1,234"},
    "decimal_comma": {"column": "a", "example": "1,5"},
    "missing_words": {"column": "a", "example": "?", "n_cells": 2, "others": "dates"},
    "mostly_numbers": {"column": "a", "example": "2 kg", "n_numbers": 5_000, "n_others": 2},
}


@pytest.mark.parametrize("kind", SENTENCES)
def test_every_kind_has_a_sentence(kind):
    sentence = str(ReadingNote(kind, NOTES[kind]))
    assert sentence.endswith(".")
    assert "'" in sentence


def test_one_cell_is_not_several():
    words = {**NOTES["missing_words"], "n_cells": 1}
    assert "the cell '?' was read as missing" in str(ReadingNote("missing_words", words))
    assert "2 cells such as '?' were read" in str(
        ReadingNote("missing_words", NOTES["missing_words"])
    )
    numbers = {**NOTES["mostly_numbers"], "n_others": 1}
    assert "numbers: 1 is not, such as '2 kg'" in str(ReadingNote("mostly_numbers", numbers))


def test_notes_of_the_same_facts_are_equal():
    assert ReadingNote("encoding_guessed", {"file": "a"}) == ReadingNote(
        "encoding_guessed", {"file": "a"}
    )
    assert ReadingNote("encoding_guessed", {"file": "a"}) != ReadingNote(
        "encoding_guessed", {"file": "b"}
    )

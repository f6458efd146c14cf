"""Notes about how a table was read."""

from modlearn._tables.notes import ReadingNote


def test_notes_of_the_same_facts_are_equal():
    one = ReadingNote("encoding_guessed", {"file": "a"})
    assert one == ReadingNote("encoding_guessed", {"file": "a"})
    assert one != ReadingNote("encoding_guessed", {"file": "b"})


def test_a_note_may_have_no_numbers():
    assert ReadingNote("encoding_guessed").numbers == {}

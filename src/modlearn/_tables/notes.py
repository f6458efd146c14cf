"""What a user should know about how a table was read, as facts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

__all__ = ["Note"]


@dataclass(frozen=True)
class Note:
    """A fact about how a table was read.

    Parameters
    ----------
    kind : str
        What happened, such as "encoding_guessed".
    numbers : mapping of str to str, int or float
        The file, the column, an example and counts.
    """

    kind: str
    numbers: Mapping[str, str | int | float] = field(default_factory=dict)

    def __str__(self) -> str:
        """Return the note as a sentence."""
        return SENTENCES[self.kind](self.numbers)


def _missing_words(of: Mapping[str, str | int | float]) -> str:
    cells = "the cell" if of["n_cells"] == 1 else f"{of['n_cells']:,} cells such as"
    verb = "was" if of["n_cells"] == 1 else "were"
    return (
        f"Column {of['column']!r}: {cells} {of['example']!r} {verb} read as missing, since all "
        f"others are {of['others']}."
    )


def _mostly_numbers(of: Mapping[str, str | int | float]) -> str:
    others = "1 is not" if of["n_others"] == 1 else f"{of['n_others']:,} are not"
    return (
        f"Column {of['column']!r} is read as text although {of['n_numbers']:,} of its cells are "
        f"numbers: {others}, such as {of['example']!r}. Correct such cells, or declare them "
        "missing (on the command line: --missing)."
    )


SENTENCES: dict[str, Callable[[Mapping[str, str | int | float]], str]] = {
    "no_header": lambda of: (
        f"The first line of {of['file']!r} holds values, not names, so its columns are called "
        f"column0 to column{int(of['n_columns']) - 1}. If it is a header, say so (on the command "
        "line: --header)."
    ),
    "repeated_name": lambda of: (
        f"Column {of['column']!r} occurs several times in {of['file']!r}: a number was added to "
        "the names of the later ones."
    ),
    "encoding_guessed": lambda of: (
        f"The file {of['file']!r} is not valid UTF-8 and was read as Windows-1252 (Western "
        "European). If letters look wrong, give its encoding (on the command line: --encoding)."
    ),
    "thousands_comma": lambda of: (
        f"Column {of['column']!r}: the comma in cells such as {of['example']!r} was read as a "
        "thousands separator. If it is a decimal comma, say so (on the command line: --decimal ,)."
    ),
    "decimal_comma": lambda of: (
        f"Column {of['column']!r}: cells such as {of['example']!r} were read as decimal numbers."
    ),
    "missing_words": _missing_words,
    "mostly_numbers": _mostly_numbers,
}

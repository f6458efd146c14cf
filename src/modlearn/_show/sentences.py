"""Facts become sentences: warnings, notes and the reasons why columns are left out.

A sentence says what happened, why it matters and what to type, spelled for Python (``drop=``) or
for the command line (``--drop``). Facts may come from a model file, which is not trusted: if the
kind is unknown or numbers are missing, the kind and the names are shown as they are.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

from modlearn._show.words import FROM_RIGHT, LONGEST_NAME, counted, percent, visible

__all__ = [
    "Spelling",
    "left_out_sentence",
    "note_sentence",
    "sentences_of",
    "warning_label",
    "warning_sentence",
]

Spelling = Literal["python", "command"]
Fact = Mapping[str, Any]

LONGEST_SENTENCE_NAME = 200
"""Characters of a name in a sentence that stands alone."""

LONGEST_TITLE = 12_000
"""Characters of the whole text behind one that was cut."""

SUSPECTED = {"leak"}
"""Kinds of warnings that only the reader can settle."""


class _Words:
    """The names and numbers of one fact, as they are written into its sentence."""

    def __init__(self, fact: Fact, names: str, spelling: Spelling, longest: int) -> None:
        self.names: list[str] = list(fact[names])
        self.numbers: Fact = fact["numbers"]
        self.spelling, self.longest = spelling, longest

    def name(self, i: int = 0) -> str:
        return _in_quotes(self.names[i], self.longest)

    def text(self, key: str) -> str:
        """A text, in quotes as it is data; a number as it is."""
        value = self.numbers[key]
        if isinstance(value, str):
            return _in_quotes(value, min(self.longest, 40))
        return f"{int(value):,}" if float(value).is_integer() else f"{value:g}"

    def part(self) -> str:
        """The label of a part, which has brackets or braces of its own."""
        return visible(str(self.numbers["part"]), self.longest)

    def share(self, key: str) -> str:
        return percent(float(self.numbers[key]))

    def rows(self, what: str = "row") -> str:
        return counted(int(self.numbers["rows"]), what)

    def verb(self, one: str, several: str) -> str:
        return one if self.numbers["rows"] == 1 else several

    def drop(self) -> str:
        return f"leave it out with {_option('drop', self.names[0], self.spelling, self.longest)}"

    def option(self, option: str, value: str = "") -> str:
        """An option for reading a file, as the user types it."""
        if self.spelling == "command":
            return f"--{option} {value}".rstrip()
        return f"{option}={value!r}" if value else f"{option}="

    def listed(self, n_all: int) -> str:
        """The names, and how many more there are."""
        shown = [_in_quotes(name, self.longest) for name in self.names]
        more = [f"{n_all - len(shown):,} more"] if n_all > len(shown) else []
        *first, last = [*shown, *more]
        return f"{', '.join(first)} and {last}" if first else last


def _in_quotes(name: str, longest: int) -> str:
    """A name as Python writes it, cut short if long, with its direction isolated."""
    quoted = repr(name if len(name) <= longest else f"{name[: longest - 1]}…")
    return f"\u2068{quoted}\u2069" if FROM_RIGHT.search(quoted) else quoted


def _option(option: str, name: str, spelling: Spelling, longest: int) -> str:
    """An option as the user types it; without the name, if that is too long to be read."""
    command = f"--{option.replace('_', '-')}"
    if len(name) > longest or not name.isprintable() or FROM_RIGHT.search(name):
        return command if spelling == "command" else f"{option}="
    return f"{command} {shlex.quote(name)}" if spelling == "command" else f"{option}=[{name!r}]"


WARNINGS: dict[str, Callable[[_Words], str]] = {
    "leak": lambda w: (
        f"Column {w.name()} alone classifies {w.share('accuracy')} of rows correctly, which "
        f"suggests a leak: if its value is known only after the target, {w.drop()}."
    ),
    "identifier": lambda w: (
        f"Column {w.name()} increases from row to row like a row number: if it is one, {w.drop()}."
    ),
    "few_rows": lambda w: (
        f"The table has only {w.rows('labeled row')}, so all results are uncertain: collect more "
        "before you rely on them."
    ),
    "rare_class": lambda w: (
        f"Class {w.text('class')} has only {w.rows('labeled row')}, too few to learn much about "
        "it: collect more, or merge it with another class."
    ),
    "duplicate": lambda w: (
        f"Column {w.name()} holds the same values as {w.name(1)} and adds nothing: {w.drop()}."
    ),
    "many_missing": lambda w: (
        f"Column {w.name()} is missing in {w.share('share')} of rows: check that it will be known "
        f"when the model is used; otherwise {w.drop()}."
    ),
    "constant": lambda w: (
        f"Column {w.name()} is {w.text('value')} in {w.share('share')} of rows: if the exceptions "
        f"are noise, {w.drop()}."
    ),
    "drift": lambda w: (
        f"Column {w.name()} is distributed differently in the two tables: {w.part()} holds "
        f"{w.share('train_share')} of the training rows but {w.share('test_share')} of the test "
        f"rows. Find out why; if the difference will persist, {w.drop()}."
    ),
    "class_drift": lambda w: (
        f"The classes of {w.name()} have different shares in the two tables: {w.part()} is "
        f"{w.share('train_share')} of the training rows but {w.share('test_share')} of the test "
        "rows. Keep this in mind when you read the measures."
    ),
    "new_class": lambda w: (
        f"{w.rows('test row')} {w.verb('has', 'have')} a class that the training data does not "
        f"have, such as {w.text('class')}. They are not evaluated: add rows of that class to the "
        "training table."
    ),
}

NOTES: dict[str, Callable[[_Words], str]] = {
    "no_header": lambda w: (
        f"The first line of {w.text('file')} holds values, not names, so its columns are called "
        f"column0 to column{int(w.numbers['n_columns']) - 1}. If it is a header, say so with "
        f"{w.option('header')}."
    ),
    "repeated_name": lambda w: (
        f"Column {w.text('column')} occurs several times in {w.text('file')}: a number was added "
        "to the names of the later ones."
    ),
    "encoding_guessed": lambda w: (
        f"The file {w.text('file')} is not valid UTF-8 and was read as Windows-1252 (Western "
        f"European). If letters look wrong, pass its encoding with {w.option('encoding')}."
    ),
    "thousands_comma": lambda w: (
        f"Column {w.text('column')}: the comma in cells such as {w.text('example')} was read as a "
        "thousands separator. If it is a decimal comma, say so with "
        f"{w.option('decimal', ',')}."
    ),
    "decimal_comma": lambda w: (
        f"Column {w.text('column')}: cells such as {w.text('example')} were read as decimal "
        "numbers."
    ),
    "missing_words": lambda w: (
        f"Column {w.text('column')}: the cell {w.text('example')} was read as missing, since all "
        f"others are {w.numbers['others']}."
        if w.numbers["n_cells"] == 1
        else f"Column {w.text('column')}: {w.text('n_cells')} cells such as {w.text('example')} "
        f"were read as missing, since all others are {w.numbers['others']}."
    ),
    "mostly_numbers": lambda w: (
        f"Column {w.text('column')} is read as text although {w.text('n_numbers')} of its cells "
        f"are numbers: {w.text('n_others')} {'is' if w.numbers['n_others'] == 1 else 'are'} not, "
        f"such as {w.text('example')}. Correct such cells, or declare them missing with "
        f"{w.option('missing')}."
    ),
    "unlabeled": lambda w: (
        f"{w.rows()} {w.verb('has', 'have')} no label. Unlabeled rows help to place the cuts; they "
        "are not used in the evaluation."
    ),
    "test_unlabeled": lambda w: (
        f"{w.rows()} of the test table {w.verb('has', 'have')} no label and "
        f"{w.verb('is', 'are')} not evaluated."
    ),
    "held_out": lambda w: (
        f"{w.share('share')} of the labeled rows were held out for the evaluation instead of "
        f"ten-fold cross-validation, because {HELD_OUT[w.numbers['because']]}; the final model is "
        "trained on all rows."
    ),
    "fewer_folds": lambda w: (
        f"Cross-validation uses {w.numbers['folds']} folds instead of {w.numbers['usual']}, "
        f"because class {w.name()} has only {w.rows()}."
    ),
    "untested_classes": lambda w: (
        f"Class {w.name()} has one row, which is used for training and never tested."
        if w.numbers["classes"] == 1
        else f"Classes {w.listed(int(w.numbers['classes']))} have one row each, which is used for "
        "training and never tested."
    ),
    "not_evaluated": lambda w: (
        "The model is not evaluated: every class has a single row, so none can be held out."
    ),
    "model_alone": lambda w: (
        "This model was saved without facts about its table and without an evaluation."
    ),
    "never_missing_in_training": lambda w: (
        f"Column {w.name()} is missing in {w.rows()} but was never missing in the training data; "
        f"{w.verb('this row is', 'these rows are')} scored as if the value were below all others."
    ),
}

HELD_OUT = {
    "large": "the table is large",
    "timed": "the search for pairs has a time limit",
}

LEFT_OUT: dict[str, str] = {
    "nested": "each cell holds several values",
    "all_missing": "all values are missing",
    "constant": "all rows have the same value",
    "all_different": "no value occurs twice",
}

LEFT_OUT_BY_USER = {
    "dropped": {"python": "excluded by drop=", "command": "excluded by --drop"},
    "not_selected": {"python": "not listed in only=", "command": "not listed in --only"},
}


def warning_sentence(
    fact: Fact, spelling: Spelling = "python", longest: int = LONGEST_SENTENCE_NAME
) -> str:
    """Return a warning as a sentence with a remedy; names beyond ``longest`` characters are cut."""
    if "more" in fact["numbers"]:
        return _more(fact, longest)
    return _sentence(WARNINGS, fact, "columns", spelling, longest)


def note_sentence(
    fact: Fact, spelling: Spelling = "python", longest: int = LONGEST_SENTENCE_NAME
) -> str:
    """Return a note as a sentence."""
    return _sentence(NOTES, fact, "names", spelling, longest)


def left_out_sentence(column: Fact, spelling: Spelling = "python") -> str:
    """Return why a column is left out."""
    reason = str(column["reason"])
    if reason in LEFT_OUT_BY_USER:
        return LEFT_OUT_BY_USER[reason][spelling]
    return LEFT_OUT.get(reason, visible(reason, LONGEST_SENTENCE_NAME))


def warning_label(fact: Fact, spelling: Spelling = "python") -> dict[str, str]:
    """Return the kind, the sentence with short names, and as title the whole one if it differs."""
    kind = str(fact["kind"])
    short = warning_sentence(fact, spelling, LONGEST_NAME)
    whole = visible(warning_sentence(fact, spelling, LONGEST_TITLE), LONGEST_TITLE)
    return {
        "kind": visible(kind.replace("_", " "), LONGEST_NAME) + "?" * (kind in SUSPECTED),
        "text": short,
        "title": "" if short == whole else whole,
    }


def sentences_of(summary: Fact, spelling: Spelling) -> dict[str, Any]:
    """Return a summary whose warnings, notes and columns left out have a ``text`` too."""
    data = dict(summary["data"])
    writers: dict[str, Callable[[Fact], str]] = {
        "notes": lambda fact: note_sentence(fact, spelling),
        "left_out": lambda fact: left_out_sentence(fact, spelling),
    }
    for key, write in writers.items():
        data[key] = [{**fact, "text": write(fact)} for fact in data.get(key) or []]
    warnings = [{**one, "text": warning_sentence(one, spelling)} for one in summary["warnings"]]
    return {**summary, "data": data, "warnings": warnings}


def _sentence(
    table: Mapping[str, Callable[[_Words], str]],
    fact: Fact,
    names: str,
    spelling: Spelling,
    longest: int,
) -> str:
    write = table.get(fact["kind"])
    try:
        if write is not None:
            return write(_Words(fact, names, spelling, longest))
    except (KeyError, IndexError, ValueError, TypeError):
        pass  # facts of a file that lack what this kind needs
    return _unknown(fact["kind"], fact[names], longest)


def _unknown(kind: str, names: Sequence[str], longest: int) -> str:
    """A fact that there is no sentence for."""
    about = ", ".join(_in_quotes(name, longest) for name in names)
    kind = visible(kind.replace("_", " "), longest)
    return f"{kind}: {about}" if about else f"{kind}."


def _more(fact: Fact, longest: int) -> str:
    """One sentence for warnings of a kind that are not listed."""
    more = fact["numbers"]["more"]
    n_more = f"{more:,}" if isinstance(more, int) else str(more)
    if not fact["columns"]:
        return f"The same applies to {n_more} more classes."
    named = ", ".join(_in_quotes(name, longest) for name in fact["columns"])
    return f"The same applies to {n_more} more columns, such as {named}."

"""Facts become sentences: warnings, notes and the reasons why columns are left out.

A sentence says what happened, why it matters and what to type, spelled for Python (``drop=``) or
for the command line (``--drop``). Facts may come from a model file, which is not trusted: if the
kind is unknown or numbers are missing, the kind and the names are shown as they are.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from modlearn._show.words import FROM_RIGHT, LONGEST_NAME, percent, visible

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

LONGEST_VALUE = 40
"""Characters of a value or a class in a sentence."""

SUSPECTED = {"leak"}
"""Kinds of warnings that only the reader can settle."""

# {0} and {1} are names, {drop} is the remedy, {rows:row has|rows have} a count with its noun.
WARNINGS = {
    "leak": "Column {0} alone classifies {accuracy} of rows correctly, which suggests a leak: if "
    "its value is known only after the target, {drop}.",
    "identifier": "Column {0} increases from row to row like a row number: if it is one, {drop}.",
    "few_rows": "The table has only {rows:labeled row}, so all results are uncertain: collect more "
    "before you rely on them.",
    "rare_class": "Class {class} has only {rows:labeled row}, too few to learn much about it: "
    "collect more, or merge it with another class.",
    "duplicate": "Column {0} holds the same values as {1} and adds nothing: {drop}.",
    "many_missing": "Column {0} is missing in {share} of rows: check that it will be known when "
    "the model is used; otherwise {drop}.",
    "constant": "Column {0} is {value} in {share} of rows: if the exceptions are noise, {drop}.",
    "drift": "Column {0} is distributed differently in the two tables: {part} holds {train_share} "
    "of the training rows but {test_share} of the test rows. Find out why; if the difference will "
    "persist, {drop}.",
    "class_drift": "The classes of {0} have different shares in the two tables: {part} is "
    "{train_share} of the training rows but {test_share} of the test rows. Keep this in mind when "
    "you read the measures.",
    "new_class": "{rows:test row has|test rows have} a class that the training data does not have, "
    "such as {class}, and cannot be evaluated: add rows of that class to the training table.",
}
MORE = "The same applies to {more:more column}, such as {every}."
MORE_CLASSES = "The same applies to {more:more class|more classes}."

NOTES = {
    "no_header": "The first line of {file} holds values, not names, so its columns are called "
    "column0, column1 and so on. If it is a header, say so with {header}.",
    "repeated_name": "Column {column} occurs several times in {file}: a number was added to the "
    "names of the later ones.",
    "encoding_guessed": "The file {file} is not valid UTF-8 and was read as Windows-1252 (Western "
    "European). If letters look wrong, pass its encoding with {encoding}.",
    "thousands_comma": "Column {column}: the comma in cells such as {example} was read as a "
    "thousands separator. If it is a decimal comma, say so with {decimal}.",
    "decimal_comma": "Column {column}: cells such as {example} were read as decimal numbers.",
    "missing_words": "Column {column}: {n_cells:cell was|cells were} read as missing, such as "
    "{example}, since all others are {others}.",
    "mostly_numbers": "Column {column} is read as text although {n_numbers} of its cells are "
    "numbers, because {n_others:cell is|cells are} not, such as {example}. Correct such cells, or "
    "declare them missing with {missing}.",
    "unlabeled": "{rows:row has|rows have} no label. Unlabeled rows help to place the cuts; they "
    "are not used in the evaluation.",
    "test_unlabeled": "{rows:row of the test table has|rows of the test table have} no label and "
    "cannot be evaluated.",
    "held_out": "{share} of the labeled rows were held out for the evaluation instead of ten-fold "
    "cross-validation, because {because}; the final model is trained on all rows.",
    "fewer_folds": "Cross-validation uses {folds} folds instead of {usual}, because class {0} has "
    "only {rows:row}.",
    "untested_classes": "{classes:class has|classes have} a single row, which is used for training "
    "and never tested: {every}.",
    "not_evaluated": "The model is not evaluated: every class has a single row, so none can be "
    "held out.",
    "model_alone": "This model was saved without facts about its table and without an evaluation.",
    "never_missing_in_training": "Column {0} is missing in {rows:row} but was never missing in the "
    "training data; the value is treated as if it were below all others.",
}

TEXTS = {"large": "the table is large", "timed": "the search for pairs has a time limit"}
"""Words that stand for a reason."""

SHARES = {"accuracy", "share", "train_share", "test_share"}
AS_THEY_ARE = {"part", "others"}
"""Texts that are labels or sentences of their own; all others are data, and in quotes."""

LEFT_OUT: dict[str, str | dict[Spelling, str]] = {
    "dropped": {"python": "excluded by drop=", "command": "excluded by --drop"},
    "not_selected": {"python": "not listed in only=", "command": "not listed in --only"},
    "nested": "each cell holds several values",
    "all_missing": "all values are missing",
    "constant": "all rows have the same value",
    "all_different": "no value occurs twice",
}


class _Count(int):
    """A number of things: ``f"{n:row}"`` is "1 row" or "2 rows", ``f"{n:mouse|mice}"`` as given."""

    def __format__(self, nouns: str) -> str:
        one, _, several = nouns.partition("|")
        noun = one if self == 1 else several or (f"{one}s" if one else "")
        return f"{int(self):,} {noun}".rstrip()


def warning_sentence(
    fact: Fact, spelling: Spelling = "python", longest: int = LONGEST_SENTENCE_NAME
) -> str:
    """Return a warning as a sentence with a remedy; names beyond ``longest`` characters are cut."""
    template = WARNINGS.get(fact["kind"])
    if "more" in fact["numbers"]:
        template = MORE if fact["columns"] else MORE_CLASSES
    return _filled(template, fact, fact["columns"], spelling, longest)


def note_sentence(
    fact: Fact, spelling: Spelling = "python", longest: int = LONGEST_SENTENCE_NAME
) -> str:
    """Return a note as a sentence."""
    return _filled(NOTES.get(fact["kind"]), fact, fact["names"], spelling, longest)


def left_out_sentence(column: Fact, spelling: Spelling = "python") -> str:
    """Return why a column is left out."""
    reason = LEFT_OUT.get(column["reason"], str(column["reason"]))
    return reason[spelling] if isinstance(reason, dict) else visible(reason, LONGEST_SENTENCE_NAME)


def warning_label(fact: Fact, spelling: Spelling = "python") -> dict[str, str]:
    """Return the kind, the sentence with short names, and as title the whole one if it differs."""
    short = warning_sentence(fact, spelling, LONGEST_NAME)
    whole = visible(warning_sentence(fact, spelling, LONGEST_TITLE), LONGEST_TITLE)
    kind = visible(fact["kind"].replace("_", " "), LONGEST_NAME)
    return {
        "kind": kind + "?" * (fact["kind"] in SUSPECTED),
        "text": short,
        "title": "" if short == whole else whole,
    }


def sentences_of(summary: Fact, spelling: Spelling) -> dict[str, Any]:
    """Return a summary whose warnings, notes and columns left out have a ``text`` too."""
    data = summary["data"]
    notes = [{**one, "text": note_sentence(one, spelling)} for one in data["notes"]]
    left_out = [{**one, "text": left_out_sentence(one, spelling)} for one in data["left_out"]]
    warnings = [{**one, "text": warning_sentence(one, spelling)} for one in summary["warnings"]]
    return {**summary, "data": {**data, "notes": notes, "left_out": left_out}, "warnings": warnings}


def _filled(
    template: str | None, fact: Fact, names: Sequence[str], spelling: Spelling, longest: int
) -> str:
    """A sentence with its names and numbers; without them, if they are not what it needs."""
    quoted = [_in_quotes(name, longest) for name in names]
    texts: dict[str, Any] = {"every": ", ".join(quoted)}
    try:
        if fact["numbers"].get("classes", 0) > len(names):
            texts["every"] += ", …"
        texts |= {key: _text(key, value, longest) for key, value in fact["numbers"].items()}
        texts |= {name: _option(name, spelling) for name in READING_OPTIONS}
        if names:
            texts["drop"] = f"leave it out with {_drop(names[0], spelling, longest)}"
        if template is not None:
            return template.format(*quoted, **texts)
    except (KeyError, IndexError, ValueError, TypeError):
        pass  # a file may lack what this kind needs
    kind = visible(fact["kind"].replace("_", " "), longest)
    return f"{kind}: {texts['every']}" if names else f"{kind}."


def _text(key: str, value: Any, longest: int) -> Any:
    """A number or a word of a fact, as it is written into a sentence."""
    if key in SHARES:
        return percent(float(value))
    if isinstance(value, str):
        if key in AS_THEY_ARE:
            return visible(value, longest)
        return TEXTS[value] if key == "because" else _in_quotes(value, min(longest, LONGEST_VALUE))
    return _Count(value) if float(value).is_integer() else f"{value:g}"


def _in_quotes(name: str, longest: int) -> str:
    """A name as Python writes it, cut short if long, with its direction isolated."""
    quoted = repr(name if len(name) <= longest else f"{name[: longest - 1]}…")
    return f"\u2068{quoted}\u2069" if FROM_RIGHT.search(quoted) else quoted


def _drop(name: str, spelling: Spelling, longest: int) -> str:
    """The option as the user types it; without a name that cannot be typed as it is shown."""
    is_typed = len(name) <= longest and name.isprintable() and not FROM_RIGHT.search(name)
    if spelling == "command":
        return f"--drop {shlex.quote(name)}" if is_typed else "--drop"
    return f"drop=[{name!r}]" if is_typed else "drop="


def _option(name: str, spelling: Spelling) -> str:
    """An option for reading files, as the user types it."""
    return f"--{name}" if spelling == "command" else f"--{name} on the command line"


READING_OPTIONS = ("header", "encoding", "decimal", "missing")

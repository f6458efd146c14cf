"""Warnings, notes and columns left out, as sentences."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from itertools import zip_longest
from typing import Any, Literal

from modlearn._show.phrases import (
    FROM_RIGHT,
    LONGEST_NAME,
    LONGEST_TITLE,
    headings,
    percent,
    visible,
)

__all__ = [
    "LONGEST_LIST",
    "MOST_LISTED",
    "Spelling",
    "left_out_sentence",
    "listed",
    "note_sentence",
    "sentences_of",
    "table_lines",
    "warning_labels",
    "warning_lines",
    "warning_sentence",
]

Fact = Mapping[str, Any]
Spelling = Literal["python", "command"]

MOST_LISTED = 12
"""Most names, variables and pairs that a line or a terminal lists; the report has all of them."""

LONGEST_LIST = 200
"""Most warnings, notes or columns left out that a page lists; the rest is counted."""

LONGEST_SENTENCE_NAME = 200
"""Most characters of a name in a sentence that stands alone."""

LONGEST_VALUE = 40
"""Most characters of a value or a class in a sentence."""

MANY_ALIKE = 4
"""Warnings of one kind that are one line; fewer have a line each."""

MOST_NAMED = 5
"""Most columns that a line names besides the first."""

SUSPECTED = {"leak"}
"""Kinds of warnings that only the reader can decide."""

# {0} and {1} are names, {drop} is the remedy, {rows:row has|rows have} a count with its noun.
WARNINGS = {
    "leak": "Column {0} alone classifies {accuracy} of rows correctly, which suggests a leak: if "
    "its value is known only after the target, {drop}.",
    "identifier": "Column {0} increases from row to row like a row number: if it is one, {drop}.",
    "date": "The date {0} itself has weight {weight}. It distinguishes rows of one day from "
    "rows of another, and new rows have other days: evaluate forward in time with {time}.",
    "unseen_values": "The most probable class is correct for {by_rows} of rows held out at random, "
    "but for {unseen} of rows whose value of {0} was not in the training data. If new "
    "rows have new values, evaluate with {group}, which leaves the column out of the model, too.",
    "merged_numbers": "Column {0} has values with more digits than a floating-point number can "
    "hold: {n_values} distinct values become {n_numbers}. If they are identifiers, pass "
    "{as_categorical}, which keeps all digits.",
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
MORE = "This also applies to {more:more column}, such as {every}."
MORE_CLASSES = "This also applies to {more:more class|more classes}."

NOTES = {
    "no_header": "The first line of {file} holds values, not names, so its columns are called "
    "column0, column1 and so on. If it is a header, pass {header}.",
    "repeated_name": "Column {column} occurs several times in {file}: a number was added to the "
    "names of the later ones.",
    "encoding_guessed": "The file {file} is not valid UTF-8 and was read as Windows-1252 (Western "
    "European). If letters look wrong, pass its encoding with {encoding}.",
    "thousands_comma": "Column {column}: the comma in cells such as {example} was read as a "
    "thousands separator. If it is a decimal comma, pass {decimal}.",
    "decimal_comma": "Column {column}: cells such as {example} were read as decimal numbers.",
    "amounts": "Column {column}: cells were read as numbers, such as {example} as {value}.",
    "day_order": "Column {column}: cells such as {example} do not show whether the day or the "
    "month comes first, as neither is over 12. It was assumed that the {first} comes first; if "
    "not, pass {date_format}.",
    "dates_excel": "Column {column}: numbers such as {example} were read as dates, counted in days "
    "as spreadsheets do.",
    "dates_compact": "Column {column}: numbers such as {example} were read as dates.",
    "other_sheets": "The workbook {file} has {n_sheets} sheets, and {sheet} was read. To read "
    "another one, name it, such as {example}.",
    "missing_words": "Column {column}: {n_cells:cell was|cells were} read as missing, such as "
    "{example}, since all others are {others}.",
    "mostly_numbers": "Column {column} is read as text although {n_numbers} of its cells are "
    "numbers, because {n_others:cell is|cells are} not, such as {example}. Correct such cells, or "
    "declare them missing with {missing}.",
    "mostly_dates": "Column {column} is read as text although {n_dates} of its cells are dates, "
    "because {n_others:cell is|cells are} not, such as {example}. Correct such cells, or declare "
    "them missing with {missing}.",
    "unlabeled": "{rows:row has|rows have} no label. Unlabeled rows help to position the cuts; "
    "they are not used in the evaluation.",
    "unlabeled_by_model": "Most rows are unlabeled. In Python, result.unlabeled predicts them by "
    "the model alone. On {tests:label} held out in turn, its log-loss is {without}, compared with "
    "{with} for its geometric mean with the class shares of the nearest rows.",
    "unlabeled_by_blend": "Most rows are unlabeled. In Python, result.unlabeled predicts them by "
    "the geometric mean of the model's probabilities and the class shares of the nearest rows. On "
    "{tests:label} held out in turn, its log-loss is {with}, compared with {without} for the model "
    "alone.",
    "unlabeled_in_python": "Most rows are unlabeled. In Python, modlearn.fit also predicts them, "
    "with the help of their neighbors if that predicts labels better: see result.unlabeled.",
    "test_unlabeled": "{rows:row of the test table has|rows of the test table have} no label and "
    "cannot be evaluated.",
    "held_out": "{share} of the labeled rows were held out for the evaluation instead of ten-fold "
    "cross-validation, because {because}; the final model is trained on all rows.",
    "fewer_folds": "Cross-validation uses {folds} folds instead of {usual}, because class {0} has "
    "only {rows:row}.",
    "untested_classes": "{classes:class has|classes have} a single row, which is used for training "
    "and never tested: {every}.",
    "never_tested": "{classes:class is|classes are} never tested, because no training "
    "row has them once whole groups or later rows are held out: {every}.",
    "few_groups": "Cross-validation uses {folds} folds instead of {usual}, because column {0} has "
    "only {groups:group}.",
    "untested_times": "Only {folds:part is|parts are} tested forward in time instead of {usual}: "
    "either there are few distinct times, or all rows before the other parts have other classes "
    "or belong to the same groups.",
    "untested_folds": "Only {folds:fold is|folds are} tested instead of {usual}: in the others, no "
    "test row has a class of the training rows.",
    "names_not_checked": "{unchecked:more column with many values was|more columns with many "
    "values were} not tested on values missing from the training data: {every}.",
    "counted_by_value": "The table stayed where it is: {engine} counted {by_value:column} by "
    "value.",
    "counted_in_bins": "The table stayed where it is: {engine} counted {in_bins:column} in up to "
    "{bins} bins, refined around the cuts.",
    "counted_both_ways": "The table stayed where it is: {engine} counted {by_value:column} by "
    "value and {in_bins:column} in up to {bins} bins, refined around the cuts.",
    "counted_in_runs": "The table stayed where it is: {engine} counted its columns in runs of "
    "neighboring values.",
    "counted_by_range": "{columns:column has|columns have} more values than can be counted at "
    "once in the memory allowed. They were counted one range of values after the other: {every}.",
    "merged_values": "The counts of {columns:column|columns} still did not fit in memory. "
    "Neighboring values were merged into up to {runs:run}, refined around the cuts: {every}.",
    "pairs_in_bins": "Pairs were counted in up to {bins} bins of each column; columns with more "
    "categories than that were not paired.",
    "pooled_values": "{columns:column has|columns have} more values than fit in memory: the rare "
    "ones were counted together, and are neutral in predictions, like values never seen in "
    "the training data: {every}.",
    "weights_sampled": "The weights were learned from a sample of {rows:row}; intervals and groups "
    "were learned from all rows.",
    "tested_on_sample": "The model was tested on {rows} of {all:test row}, chosen by a hash of "
    "their content.",
    "scored_in_engine": "{rows:test row was|test rows were} scored in {engine}. Curves and AUC use "
    "log-odds rounded to 1/{steps}, which moves a probability by at most 1/{moved}; the other "
    "measures are not rounded.",
    "not_scored": "{rows:test row was|test rows were} read instead of scored in {engine}, as that "
    "failed: {reason}.",
    "not_evaluated": "The model is not evaluated: every class has a single row, so none can be "
    "held out.",
    "date_used": "The date {0} itself is used, too: in {tests:test} on later rows, it lowers the "
    "log-loss from {without} to {with}.",
    "date_not_used": "The date {0} itself is not used: in {tests:test} on later rows, the log-loss "
    "is {with} with it and {without} without it.",
    "overview_sampled": "Quartiles, bars and the rows of frequent values are estimated from a "
    "sample of {rows:row} out of {all}; missing values, extremes and numbers of categories are "
    "those of all rows.",
    "model_alone": "This model was saved without an evaluation and without facts about its table.",
    "held_out_labels": "Held out in turn, {right} of {rows:label was|labels were} predicted "
    "correctly from the others ({share}). Always predicting {0} would be correct for {majority}.",
    "held_out_undecided": "Held out in turn, {right} of {rows:label was|labels were} predicted "
    "correctly from the others ({share}), and {undecided:was|were} not reached by them. Always "
    "predicting {0} would be correct for {majority}.",
    "labels_not_tested": "The accuracy of the labels could not be measured: no class has two "
    "labels, so none can be held out. Label more rows.",
    "apart_from_labels": "{rows:row remains|rows remain} undecided in {groups:group|groups} apart "
    "from all labels: no chain of neighbors leads to a labeled row. Label a row of each group, "
    "such as row {first} of the table, or pass more --neighbors than {neighbors}.",
    "far_from_labels": "{rows:row remains|rows remain} undecided because labels are too many "
    "neighbors away. Label rows nearer to them, or pass more --neighbors than {neighbors}.",
    "never_missing_in_training": "Column {0} is missing in {rows:row} but was never missing in the "
    "training data; the value is treated as if it were below all others.",
}

TEXTS = {"large": "the table is large", "timed": "the search for pairs has a time limit"}
"""Reasons in words."""

SHARES = {"accuracy", "by_rows", "majority", "share", "train_share", "test_share", "unseen"}
AS_THEY_ARE = {"part", "others", "first", "engine", "reason"}
"""Fields whose text is a label or a sentence; all other texts are data, and put in quotes."""

LEFT_OUT: dict[str, str | dict[Spelling, str]] = {
    "dropped": {"python": "excluded by drop=", "command": "excluded by --drop"},
    "not_selected": {"python": "not listed in only=", "command": "not listed in --only"},
    "group": "used only to split the rows for the evaluation",
    "time": "used only to order the rows for the evaluation",
    "date": "replaced by what repeats in the date, such as its weekday; to use the date itself, "
    "too, pass {trend}",
    "nested": "each cell holds several values",
    "all_missing": "all values are missing",
    "constant": "all rows have the same value",
    "merged": {
        "python": "all rows have the same value once rounded; to keep all digits, list it in "
        "as_categorical=",
        "command": "all rows have the same value once rounded; to keep all digits, pass "
        "--as-categorical",
    },
    "all_different": "no value occurs twice",
}


class _Count(int):
    """A count with its noun: ``f"{n:row}"`` is "1 row" or "2 rows"; ``f"{n:mouse|mice}"``."""

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


def warning_lines(
    facts: Sequence[Fact], spelling: Spelling = "python", longest: int = LONGEST_SENTENCE_NAME
) -> list[str]:
    """Return a line per warning; many of one kind are one line."""
    return [
        " ".join(warning_sentence(fact, spelling, longest) for fact in _summed_up(alike))
        for alike in _alike(facts)
    ]


def _alike(facts: Sequence[Fact]) -> list[list[Fact]]:
    """Return warnings of one kind together if there are many; each other one alone."""
    kinds: dict[str, list[Fact]] = {}
    for fact in facts:
        kinds.setdefault(fact["kind"], []).append(fact)
    return [
        group
        for alike in kinds.values()
        for group in ([alike] if len(alike) >= MANY_ALIKE else [[fact] for fact in alike])
    ]


def _summed_up(alike: Sequence[Fact]) -> list[Fact]:
    """Return the first warning, and a fact that counts and names the others."""
    first, *others = alike
    if not others:
        return [first]
    more = sum(int(fact["numbers"].get("more", 1)) for fact in others)
    # A warning is about its first column, unless it sums up others.
    firsts = [fact["columns"][: None if "more" in fact["numbers"] else 1] for fact in others]
    names = [name for columns in firsts for name in columns][:MOST_NAMED]
    return [first, {"kind": first["kind"], "columns": names, "numbers": {"more": more}}]


def note_sentence(
    fact: Fact, spelling: Spelling = "python", longest: int = LONGEST_SENTENCE_NAME
) -> str:
    """Return a note as a sentence."""
    return _filled(NOTES.get(fact["kind"]), fact, fact["names"], spelling, longest)


def left_out_sentence(column: Fact, spelling: Spelling = "python") -> str:
    """Return why a column is left out."""
    if column["reason"] == "date":
        option = _listing("trend", column["name"], spelling, LONGEST_SENTENCE_NAME)
        return str(LEFT_OUT["date"]).format(trend=option)
    reason = LEFT_OUT.get(column["reason"], str(column["reason"]))
    return reason[spelling] if isinstance(reason, dict) else visible(reason, LONGEST_SENTENCE_NAME)


def warning_labels(facts: Sequence[Fact], spelling: Spelling = "python") -> list[dict[str, Any]]:
    """Return a line per warning, or per kind if there are many, for a page.

    Each has its kind, the sentence with short names, the full one as title if it differs, and the
    sentences of the others that it sums up.
    """
    short = warning_lines(facts, spelling, LONGEST_NAME)
    whole = warning_lines(facts, spelling, LONGEST_TITLE)
    return [
        {
            "kind": visible(alike[0]["kind"].replace("_", " "), LONGEST_NAME)
            + "?" * (alike[0]["kind"] in SUSPECTED),
            "text": text,
            "title": "" if text == title else visible(title, LONGEST_TITLE),
            "others": [
                warning_sentence(fact, spelling, LONGEST_NAME) for fact in alike[1:LONGEST_LIST]
            ],
        }
        for alike, text, title in zip(_alike(facts), short, whole, strict=True)
    ]


def table_lines(
    data: Fact, classes: Mapping[str, int], kinds: Mapping[str, str]
) -> list[tuple[str, str]]:
    """Return how a table was read: rows, columns by kind, classes, and what is left out."""
    unlabeled = f" ({data['n_unlabeled']:,} unlabeled)" if data["n_unlabeled"] else ""
    lines = [("rows", f"{data['n_rows']:,}{unlabeled}")]
    by_kind: dict[str, list[str]] = {}
    for name, kind in kinds.items():
        by_kind.setdefault(kind, []).append(name)
    lines += [(kind, _listed(names)) for kind, names in by_kind.items()]
    rows = [f" ({n:,})" for n in classes.values()]
    lines.append((visible(data["target"], LONGEST_NAME), _listed(list(classes), rows)))
    by_reason: dict[str, list[str]] = {}
    for column in data["left_out"]:
        by_reason.setdefault(left_out_sentence(column, "command"), []).append(column["name"])
    return lines + [
        ("left out", f"{_listed(names)}: {reason}") for reason, names in by_reason.items()
    ]


def _listed(names: Sequence[str], notes: Sequence[str] = ()) -> str:
    """Return the first names, each with its note, and how many more there are."""
    shown = zip_longest(names[:MOST_LISTED], notes[:MOST_LISTED], fillvalue="")
    more = f" and {len(names) - MOST_LISTED:,} more" if len(names) > MOST_LISTED else ""
    return ", ".join(visible(name, LONGEST_NAME) + note for name, note in shown) + more


def sentences_of(summary: Fact, spelling: Spelling) -> dict[str, Any]:
    """Return a summary in which warnings, notes and columns left out have a ``text``."""
    data = summary["data"]
    notes = [{**one, "text": note_sentence(one, spelling)} for one in data["notes"]]
    left_out = [{**one, "text": left_out_sentence(one, spelling)} for one in data["left_out"]]
    warnings = [{**one, "text": warning_sentence(one, spelling)} for one in summary["warnings"]]
    return {**summary, "data": {**data, "notes": notes, "left_out": left_out}, "warnings": warnings}


def listed(summary: Fact, spelling: Spelling) -> dict[str, tuple[list[Any], int]]:
    """Return warnings, notes and columns left out for a page, each with the number of more."""
    data = summary["data"]
    warnings, notes, left_out = (
        facts or [] for facts in (summary["warnings"], data.get("notes"), data.get("left_out"))
    )
    labels = warning_labels(warnings, spelling)
    reasons = [left_out_sentence(one, spelling) for one in left_out[:LONGEST_LIST]]
    names = headings([one["name"] for one in left_out[:LONGEST_LIST]])
    lines: dict[str, list[Any]] = {
        "warnings": labels[:LONGEST_LIST],
        "notes": [note_sentence(one, spelling) for one in notes[:LONGEST_LIST]],
        "left_out": list(zip(names, reasons, strict=True)),
    }
    numbers = (len(facts[LONGEST_LIST:]) for facts in (labels, notes, left_out))
    return {key: (lines[key], more) for key, more in zip(lines, numbers, strict=True)}


def _filled(
    template: str | None, fact: Fact, names: Sequence[str], spelling: Spelling, longest: int
) -> str:
    """Fill in the names and numbers of a sentence; leave them out if they do not fit it."""
    quoted = [_in_quotes(name, longest) for name in names]
    texts: dict[str, Any] = {"every": ", ".join(quoted)}
    try:
        if fact["numbers"].get("classes", 0) > len(names):
            texts["every"] += ", …"
        texts |= {key: _text(key, value, longest) for key, value in fact["numbers"].items()}
        texts |= {name: _option(name, spelling) for name in READING_OPTIONS}
        if "other_format" in fact["numbers"]:
            texts["date_format"] = _date_format(fact["numbers"], spelling, longest)
        if names:
            # A view of a date cannot be left out alone, only the column it is computed from.
            source = str(fact["numbers"].get("source", names[0]))
            texts["drop"] = f"leave it out with {_listing('drop', source, spelling, longest)}"
            texts |= {
                name: _named(name, names[0], spelling, longest)
                for name in ("as_categorical", "group", "time")
            }
        if template is not None:
            return template.format(*quoted, **texts)
    except (KeyError, IndexError, ValueError, TypeError):
        pass  # a file may lack what this kind needs
    kind = visible(fact["kind"].replace("_", " "), longest)
    return f"{kind}: {texts['every']}" if names else f"{kind}."


def _text(key: str, value: Any, longest: int) -> Any:
    """Return a number or a word of a fact, as it is written in a sentence."""
    if key in SHARES:
        return percent(float(value))
    if isinstance(value, str):
        if key in AS_THEY_ARE:
            return visible(value, longest)
        return TEXTS[value] if key == "because" else _in_quotes(value, min(longest, LONGEST_VALUE))
    return _Count(value) if float(value).is_integer() else f"{value:g}"


def _in_quotes(name: str, longest: int) -> str:
    """Return a name as Python writes it, cut short if long, with its direction isolated."""
    quoted = repr(name if len(name) <= longest else f"{name[: longest - 1]}…")
    return f"\u2068{quoted}\u2069" if FROM_RIGHT.search(quoted) else quoted


def _listing(option: str, name: str, spelling: Spelling, longest: int) -> str:
    """Return an option that takes several columns, with one; without it if it cannot be typed."""
    is_typed = _is_typed(name, longest)
    if spelling == "command":
        return f"--{option} {shlex.quote(name)}" if is_typed else f"--{option}"
    return f"{option}=[{name!r}]" if is_typed else f"{option}="


def _named(option: str, name: str, spelling: Spelling, longest: int) -> str:
    """Return an option that takes the name of a column, as the user types it."""
    is_typed = _is_typed(name, longest)
    if spelling == "command":
        typed = f"--{option.replace('_', '-')}"
        return f"{typed} {shlex.quote(name)}" if is_typed else typed
    return f"{option}={name!r}" if is_typed else f"{option}="


def _date_format(numbers: Fact, spelling: Spelling, longest: int) -> str:
    """Return the option that names another format of dates, as the user types it."""
    column, format = str(numbers["column"]), str(numbers["other_format"])
    if not _is_typed(column, longest):
        column = "COLUMN"
    if spelling == "command":
        return f"--date-format {shlex.quote(f'{column}={format}')}"
    return f"date_format={{{column!r}: {format!r}}}"


def _is_typed(name: str, longest: int) -> bool:
    """Whether a user can type a name."""
    return len(name) <= longest and name.isprintable() and not FROM_RIGHT.search(name)


def _option(name: str, spelling: Spelling) -> str:
    """Return an option for reading files, as the user types it."""
    return f"--{name}" if spelling == "command" else f"--{name} on the command line"


READING_OPTIONS = ("header", "encoding", "decimal", "missing")

"""The sentences of a report: how good the model is, how certain that is, and its baselines."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from itertools import zip_longest
from typing import Any, Literal

from modlearn._model.evaluation import MEASURES

__all__ = [
    "DIGITS_OF_SHARES",
    "LONGEST_NAME",
    "MOST_LISTED",
    "Spelling",
    "counted",
    "data_line",
    "evaluated_by",
    "evaluation_lines",
    "explained_by",
    "interval",
    "left_out_sentence",
    "mean_and_spread",
    "measures",
    "names_in_lines",
    "note_sentence",
    "page_texts",
    "percent",
    "quoted",
    "rounded",
    "sentences_of",
    "shown_values",
    "table_lines",
    "verdict",
    "visible",
    "warning_label",
    "warning_sentence",
]

MEANINGS = {
    "accuracy": "share of rows classified correctly",
    "balanced_accuracy": "mean recall of the classes",
    "auc": "probability that a row of a class is ranked above one of another; 0.5 is chance",
    "log_loss": "penalty for probabilities that are wrong; 0 is perfect",
}
"""What each measure means."""

LONGEST_TEXT = 300
"""Most characters of the name of a file, and of a text in the data of a page."""

LONGEST_HEADING = 80
"""Most characters of a name in a heading or a list; a longer one would fill a phone."""

MOST_LISTED = 12
"""Most names, variables and pairs that a line or a terminal lists; the report has all of them."""

LONGEST_LIST = 200
"""Most warnings, notes or columns left out that a page lists; the rest is counted."""

CONFIDENCE = 1.96
"""Half the width of a 95 % interval, in standard deviations."""

LONGEST_NAME = 50
"""Most characters of a name in a sentence."""

# Control characters, line ends, direction marks and overrides, and zero-width spaces. Joiners are
# not among them: emoji and Persian words need them.
HIDDEN = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]"
)

FROM_RIGHT = re.compile(
    r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
"""Letters that are written from right to left, such as Hebrew and Arabic."""

Summary = Mapping[str, Any]
Fact = Mapping[str, Any]
Spelling = Literal["python", "command"]


def percent(share: float) -> str:
    """Return a share such as ``97.2%``; 100% and 0% only if they are exact."""
    # Six digits: a mean over folds may differ from its decimal value by rounding.
    text = f"{100 * round(share, 6):.1f}%"
    if (text == "100.0%" and share < 1) or (text == "0.0%" and share > 0):
        return "over 99.9%" if share > 0.5 else "under 0.1%"
    return text.replace(".0%", "%")


DIGITS_OF_SHARES = 6


def visible(text: str, most: int) -> str:
    """Return a text that is safe to embed in a line, cut short if longer than ``most``.

    Characters that are invisible or reverse the line are escaped, such as ``\\u202e``. Words
    written from right to left stay as they are, between marks that isolate their direction.
    """
    short = text if len(text) <= most else f"{text[: most - 1]}…"
    escaped = HIDDEN.sub(lambda found: ascii(found[0])[1:-1], short)
    return f"\u2068{escaped}\u2069" if FROM_RIGHT.search(escaped) else escaped


def shown_values(value: Any, digits: Mapping[str, int], decimals: int = DIGITS_OF_SHARES) -> Any:
    """Return lists and dicts with every text cut short and every number rounded, as shown.

    ``digits`` has the decimals of numbers under a key of a dict.
    """
    if isinstance(value, Mapping):
        return {k: shown_values(v, digits, digits.get(k, decimals)) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [shown_values(item, digits, decimals) for item in value]
    if isinstance(value, str):
        return visible(value, LONGEST_TEXT)
    return rounded(value, decimals)


def rounded(value: Any, digits: int) -> Any:
    """Return a number with the given decimals, whole ones without; anything else as it is."""
    if not isinstance(value, float):
        return value
    short = round(value, digits)
    if short != value and short in (0, 1) and 0 < value < 1 and digits:
        # A probability is 0 or 1 only where it is.
        short = abs(short - 10.0**-digits)
    return int(short) if short.is_integer() else short


def names_in_lines(records: Sequence[Fact]) -> list[str]:
    """Return names of variables, or both names of pairs, that leave room for numbers."""
    return [
        visible(record["name"], 40)
        if "name" in record
        else " × ".join(visible(name, 28) for name in record["names"])
        for record in records
    ]


def quoted(name: str) -> str:
    """Return a name in quotes, so that it is not read as part of a sentence; cut short if long."""
    return f"“{visible(name, LONGEST_NAME)}”"


def counted(n: int, noun: str) -> str:
    """Return a number with its noun, such as ``1,234 rows``."""
    plural = f"{noun}es" if noun.endswith("s") else f"{noun}s"
    return f"{n:,} {noun if n == 1 else plural}"


def data_line(summary: Summary) -> str:
    """Return what the report is about: source, rows, columns, classes."""
    data = summary["data"]
    n_rows = data.get("n_rows")
    if n_rows is None:
        n_rows = sum(group["rows"] for group in summary["classes"])
    source = visible(str(data.get("source") or ""), LONGEST_TEXT)
    facts = [source, counted(n_rows, "row"), counted(len(summary["variables"]), "variable")]
    facts.append(counted(len(summary["classes"]), "class"))
    if data.get("n_unlabeled"):
        facts.append(f"{counted(data['n_unlabeled'], 'row')} unlabeled")
    return " · ".join(str(fact) for fact in facts if fact)


def verdict(summary: Summary) -> list[str]:
    """Return a few sentences, most important first."""
    if summary["evaluation"] is None:
        return _analysis(summary)
    return [_how_good(summary), _how_certain(summary), *_compared(summary)]


def _analysis(summary: Summary) -> list[str]:
    """Return what was found, if no model was fitted."""
    informative = [v for v in summary["variables"] if v["level"] > 0]
    target = summary["data"].get("target")
    target = quoted(target) if target else "the target"
    n_variables = counted(len(summary["variables"]), "variable")
    if not informative:
        return [f"None of {n_variables} is informative about {target}."]
    verb = "is" if len(informative) == 1 else "are"
    best = informative[0]
    lines = [
        f"{len(informative):,} of {n_variables} {verb} informative about {target}.",
        f"The most informative one is {quoted(best['name'])}, with a level of {best['level']:.2f}.",
    ]
    together = [pair for pair in summary["pairs"] if pair["gain"] > 0]
    if together:
        first, second = map(quoted, max(together, key=lambda pair: pair["gain"])["names"])
        verb = "are" if together[1:] else "is"
        lines.append(
            f"{counted(len(together), 'pair')} of variables {verb} more informative than the "
            f"better of the two alone; {first} with {second} gains most."
        )
    return lines


def _how_good(summary: Summary) -> str:
    share = summary["evaluation"]["measures"]["accuracy"]["mean"]
    return f"The model classifies {percent(share)} of held-out rows correctly."


def evaluated_by(evaluation: Mapping[str, Any]) -> str:
    """Return where the test rows come from, such as ``10-fold cross-validation, 178 test rows``."""
    folds = f"{evaluation['n_folds']}-fold " if evaluation.get("n_folds") else ""
    return f"{folds}{evaluation['how']}, {counted(evaluation['n_test'], 'test row')}"


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


def _how_certain(summary: Summary) -> str:
    """Return how accuracy was measured, and its confidence interval."""
    evaluation = summary["evaluation"]
    accuracy = evaluation["measures"]["accuracy"]
    low, high = interval(accuracy["mean"], evaluation["n_test"])
    rows = counted(evaluation["n_test"], "row")
    how = {
        "cross-validation": f"{evaluation.get('n_folds')}-fold cross-validation on {rows}",
        "held-out part": f"{rows} held out from training",
        "test file": f"{rows} of a test file",
    }.get(evaluation["how"], f"{evaluation['how']}, {rows}")
    # The spread of a single test is a standard error, which the interval shows better.
    spread = accuracy.get("spread") if evaluation["how"] == "cross-validation" else None
    between = f" (standard deviation between folds: {100 * spread:.1f} points)" if spread else ""
    return (
        f"Measured by {how}{between}; the 95% confidence interval of the accuracy is "
        f"{percent(low)} to {percent(high)}."
    )


def interval(share: float, n_rows: int) -> tuple[float, float]:
    """Return the 95 % Wilson confidence interval of a share."""
    if n_rows <= 0:
        return 0.0, 1.0
    square = CONFIDENCE**2 / n_rows
    middle = (share + square / 2) / (1 + square)
    half = (
        CONFIDENCE / (1 + square) * math.sqrt(share * (1 - share) / n_rows + square / (4 * n_rows))
    )
    return max(0.0, middle - half), min(1.0, middle + half)


def _compared(summary: Summary) -> list[str]:
    """Compare the model with the majority class and the best variable."""
    evaluation = summary["evaluation"]
    share, majority = evaluation["measures"]["accuracy"]["mean"], evaluation["majority"]
    name, best = quoted(majority["class"]), evaluation.get("best_variable")
    alone = f"; {quoted(best['name'])} alone, {percent(best['accuracy'])}" if best else ""
    lines = [
        f"Always predicting {name} would be correct for {percent(majority['accuracy'])}{alone}."
    ]
    if share <= interval(majority["accuracy"], evaluation["n_test"])[1]:
        lines.append(
            "The model is not clearly better than always predicting the most frequent class: do "
            "not rely on it."
        )
    elif majority["accuracy"] < 1:
        avoided = (share - majority["accuracy"]) / (1 - majority["accuracy"])
        lines.append(
            f"The model avoids {percent(avoided)} of the errors of always predicting {name}."
        )
    return lines


def explained_by(summary: Summary) -> str:
    """Return which model explains the rows, if it is not the model of the report."""
    how = str((summary["evaluation"] or {}).get("how"))
    trained = {
        "cross-validation": "Each row is explained by the model that predicted it, trained on the "
        "other folds",
        "held-out part": "The rows are explained by the model that predicted them, trained without "
        "the held-out rows",
    }.get(how)
    if trained is None:
        return ""
    return (
        f"{trained}: its parts, pairs and weights may differ from those of the final model above."
    )


def measures(summary: Summary) -> list[dict[str, str]]:
    """Return name, value, spread and meaning of each measure, as texts."""
    evaluation = summary["evaluation"] or {"measures": {}}
    return [
        _measure(key, evaluation["measures"][key])
        for key in MEASURES
        if evaluation["measures"].get(key)
    ]


def _measure(key: str, found: Mapping[str, Any]) -> dict[str, str]:
    name = MEASURES[key]
    is_share = key.endswith("accuracy") and found["mean"] is not None
    value, spread = _in_percent(found) if is_share else mean_and_spread(found)
    return {
        "name": name[0].upper() + name[1:],
        "value": value,
        "spread": spread,
        "meaning": MEANINGS[key],
    }


def evaluation_lines(evaluation: Fact) -> list[tuple[str, str, str]]:
    """Return name, value and spread of each measure, then the accuracy of the baselines."""
    found = evaluation["measures"]
    lines = [(MEASURES[key], *mean_and_spread(found[key])) for key in MEASURES if found.get(key)]
    for key, name in (("majority", "most frequent class"), ("best_variable", "best variable")):
        other = evaluation.get(key)
        if other is not None:
            which = visible(other.get("class", other.get("name")), LONGEST_NAME)
            lines.append((f"accuracy, {name}", f"{other['accuracy']:.3f}", f"({which})"))
    return lines


def mean_and_spread(found: Mapping[str, Any]) -> tuple[str, str]:
    """Return a measure as texts such as ``0.932`` and ``± 0.045``; the latter may be empty."""
    if found["mean"] is None:
        # Test rows of a single class cannot be ranked against another.
        return "not defined", ""
    return f"{found['mean']:.3f}", f"± {found['spread']:.3f}" if found.get("spread") else ""


def _in_percent(found: Mapping[str, Any]) -> tuple[str, str]:
    """Return a share of rows and its spread, in percent."""
    spread = found.get("spread")
    return percent(found["mean"]), f"± {100 * spread:.1f}" if spread else ""


LONGEST_SENTENCE_NAME = 200
"""Most characters of a name in a sentence that stands alone."""

LONGEST_TITLE = 12_000
"""Most characters of the full text behind one that was cut short."""

LONGEST_VALUE = 40
"""Most characters of a value or a class in a sentence."""

SUSPECTED = {"leak"}
"""Kinds of warnings that only the reader can decide."""

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
    "missing_words": "Column {column}: {n_cells:cell was|cells were} read as missing, such as "
    "{example}, since all others are {others}.",
    "mostly_numbers": "Column {column} is read as text although {n_numbers} of its cells are "
    "numbers, because {n_others:cell is|cells are} not, such as {example}. Correct such cells, or "
    "declare them missing with {missing}.",
    "unlabeled": "{rows:row has|rows have} no label. Unlabeled rows help to position the cuts; "
    "they are not used in the evaluation.",
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
"""Reasons in words."""

SHARES = {"accuracy", "share", "train_share", "test_share"}
AS_THEY_ARE = {"part", "others"}
"""Fields whose text is a label or a sentence; all other texts are data, and put in quotes."""

LEFT_OUT: dict[str, str | dict[Spelling, str]] = {
    "dropped": {"python": "excluded by drop=", "command": "excluded by --drop"},
    "not_selected": {"python": "not listed in only=", "command": "not listed in --only"},
    "nested": "each cell holds several values",
    "all_missing": "all values are missing",
    "constant": "all rows have the same value",
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
    """Return the kind, the sentence with short names, and the full one as title if it differs."""
    short = warning_sentence(fact, spelling, LONGEST_NAME)
    whole = visible(warning_sentence(fact, spelling, LONGEST_TITLE), LONGEST_TITLE)
    kind = visible(fact["kind"].replace("_", " "), LONGEST_NAME)
    return {
        "kind": kind + "?" * (fact["kind"] in SUSPECTED),
        "text": short,
        "title": "" if short == whole else whole,
    }


def sentences_of(summary: Fact, spelling: Spelling) -> dict[str, Any]:
    """Return a summary in which warnings, notes and columns left out have a ``text``."""
    data = summary["data"]
    notes = [{**one, "text": note_sentence(one, spelling)} for one in data["notes"]]
    left_out = [{**one, "text": left_out_sentence(one, spelling)} for one in data["left_out"]]
    warnings = [{**one, "text": warning_sentence(one, spelling)} for one in summary["warnings"]]
    return {**summary, "data": {**data, "notes": notes, "left_out": left_out}, "warnings": warnings}


def page_texts(summary: Summary, spelling: Spelling) -> dict[str, Any]:
    """Return the texts of a page that its script does not write.

    Warnings, notes and columns left out are lists, each with the number of further ones.
    """
    data = summary["data"]
    target = str(data.get("target") or "the target")
    lists: dict[str, tuple[Sequence[Fact], Callable[[Fact], Any]]] = {
        "warnings": (summary["warnings"], lambda fact: warning_label(fact, spelling)),
        "notes": (data.get("notes") or (), lambda fact: note_sentence(fact, spelling)),
        "left_out": (
            data.get("left_out") or (),
            lambda fact: (_headed(fact["name"]), left_out_sentence(fact, spelling)),
        ),
    }
    return {
        "verb": "Predicting" if summary["evaluation"] else "What is informative about",
        "title": visible(target, LONGEST_NAME),
        "target": _headed(target),
        "line": data_line(summary),
        "verdict": verdict(summary),
        "measures": measures(summary),
        "explained_by": explained_by(summary),
        "listed": {
            key: ([write(fact) for fact in facts[:LONGEST_LIST]], len(facts[LONGEST_LIST:]))
            for key, (facts, write) in lists.items()
        },
    }


def _headed(name: str) -> dict[str, str]:
    """Return a name for a heading or a list, and all of it as title if it is cut."""
    whole = visible(name, LONGEST_TITLE) if len(name) > LONGEST_HEADING else ""
    return {"text": visible(name, LONGEST_HEADING), "title": whole}


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
        if names:
            texts["drop"] = f"leave it out with {_drop(names[0], spelling, longest)}"
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


def _drop(name: str, spelling: Spelling, longest: int) -> str:
    """Return the option as the user types it; without the name if that cannot be typed."""
    is_typed = len(name) <= longest and name.isprintable() and not FROM_RIGHT.search(name)
    if spelling == "command":
        return f"--drop {shlex.quote(name)}" if is_typed else "--drop"
    return f"drop=[{name!r}]" if is_typed else "drop="


def _option(name: str, spelling: Spelling) -> str:
    """Return an option for reading files, as the user types it."""
    return f"--{name}" if spelling == "command" else f"--{name} on the command line"


READING_OPTIONS = ("header", "encoding", "decimal", "missing")

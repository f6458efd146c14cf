"""What a report says in sentences: how good, on what, how sure, compared with what."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from modlearn._model.evaluation import MEASURES

__all__ = [
    "counted",
    "data_line",
    "explained_by",
    "interval",
    "mean_and_spread",
    "measures",
    "percent",
    "quoted",
    "verdict",
    "visible",
    "warning",
]

MEANINGS = {
    "accuracy": "rows whose most probable class is the true one",
    "balanced_accuracy": "the same, with every class counting alike",
    "auc": "chance that a row of a class is ranked above one of another; 0.5 = by chance",
    "log_loss": "how wrong the probabilities are; 0 = sure and right",
}
"""What each measure tells."""

LONGEST_SOURCE = 300
"""Characters of the name of a file."""

LONGEST_WARNING = 500
"""Characters of a warning as it is read."""

LONGEST_TITLE = 12_000
"""Characters of the whole text behind one that was cut."""

SUSPECTED = {"leak"}
"""Kinds of warnings that only the reader can settle."""

SURE = 1.96
"""Standard deviations on either side that hold 95 of 100."""

LONGEST_NAME = 50
"""Characters of a name in a sentence."""

# Controls, ends of lines, marks and overrides of the direction, and spaces without width. Joiners
# are not among them: emoji and Persian words are written with them.
HIDDEN = re.compile(
    r"[\x00-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]"
)

FROM_RIGHT = re.compile(
    r"[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
"""Letters that are written from right to left, such as Hebrew and Arabic ones."""

Summary = Mapping[str, Any]


def percent(share: float) -> str:
    """Return a share such as ``97.2%``; 100% and 0% only where that is so."""
    # Six digits: a mean of folds may differ from its decimal number by rounding.
    text = f"{100 * round(share, 6):.1f}%"
    if (text == "100.0%" and share < 1) or (text == "0.0%" and share > 0):
        return "over 99.9%" if share > 0.5 else "under 0.1%"
    return text.replace(".0%", "%")


def visible(text: str, most: int) -> str:
    """Return a text that changes nothing around it, cut short if longer than ``most``.

    What would be invisible or turn the line round is written out, such as ``\\u202e``. Words from
    right to left stay as they are, between marks that keep their direction to themselves.
    """
    short = text if len(text) <= most else f"{text[: most - 1]}…"
    seen = HIDDEN.sub(lambda found: ascii(found[0])[1:-1], short)
    return f"\u2068{seen}\u2069" if FROM_RIGHT.search(seen) else seen


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
    source = visible(str(data.get("source") or ""), LONGEST_SOURCE)
    facts = [source, counted(n_rows, "row"), counted(_n_variables(summary), "variable")]
    facts.append(counted(len(summary["classes"]), "class"))
    if data.get("n_unlabeled"):
        facts.append(f"{counted(data['n_unlabeled'], 'row')} unlabeled")
    return " · ".join(str(fact) for fact in facts if fact)


def _n_variables(summary: Summary) -> int:
    return len(summary["variables"])


def verdict(summary: Summary) -> list[str]:
    """Return a few sentences, the most important first."""
    if summary["evaluation"] is None:
        return _analysis(summary)
    return [_how_good(summary), _how_sure(summary), *_compared(summary)]


def _analysis(summary: Summary) -> list[str]:
    """What was found where no model was made."""
    telling = [v for v in summary["variables"] if v["level"] > 0]
    target = summary["data"].get("target")
    target = quoted(target) if target else "the target"
    n_variables = counted(_n_variables(summary), "variable")
    if not telling:
        return [f"None of {n_variables} tells anything about {target} that chance could not."]
    verb = "tells" if len(telling) == 1 else "tell"
    lines = [f"{len(telling):,} of {n_variables} {verb} something about {target}."]
    best = telling[0]
    lines.append(f"Most is told by {quoted(best['name'])}, with a level of {best['level']:.2f}.")
    together = [pair for pair in summary["pairs"] if pair["gain"] > 0]
    if together:
        first, second = map(quoted, max(together, key=lambda pair: pair["gain"])["names"])
        lines.append(
            f"{counted(len(together), 'pair')} of variables {'tell' if together[1:] else 'tells'} "
            f"more than the better of the two; {first} with {second} gains most."
        )
    return lines


def _how_good(summary: Summary) -> str:
    share = summary["evaluation"]["measures"]["accuracy"]["mean"]
    return f"The model is right for {percent(share)} of the rows it had not seen."


def _how_sure(summary: Summary) -> str:
    """How it was measured, and what chance may have done."""
    evaluation = summary["evaluation"]
    accuracy = evaluation["measures"]["accuracy"]
    low, high = interval(accuracy["mean"], evaluation["n_test"])
    rows = counted(evaluation["n_test"], "row")
    how = {
        "cross-validation": f"{evaluation.get('n_folds')}-fold cross-validation on {rows}",
        "held-out part": f"{rows} held out from training",
        "test file": f"{rows} of a test file",
    }.get(evaluation["how"], f"{evaluation['how']}, {rows}")
    # Of a single test the spread is a standard error, which the interval tells better.
    spread = accuracy.get("spread") if evaluation["how"] == "cross-validation" else None
    between = f", ± {100 * spread:.1f} points between folds" if spread else ""
    return (
        f"Measured by {how}{between}; with so many rows, chance leaves the true value "
        f"between {percent(low)} and {percent(high)} (95 of 100 times)."
    )


def interval(share: float, n_rows: int) -> tuple[float, float]:
    """Return Wilson's interval: where the true share lies, 95 of 100 times."""
    if n_rows <= 0:
        return 0.0, 1.0
    square = SURE**2 / n_rows
    middle = (share + square / 2) / (1 + square)
    half = SURE / (1 + square) * math.sqrt(share * (1 - share) / n_rows + square / (4 * n_rows))
    return max(0.0, middle - half), min(1.0, middle + half)


def _compared(summary: Summary) -> list[str]:
    """The model beside the majority class and the best variable."""
    evaluation = summary["evaluation"]
    share, majority = evaluation["measures"]["accuracy"]["mean"], evaluation["majority"]
    name = quoted(majority["class"])
    best, lines = evaluation.get("best_variable"), []
    lines.append(
        f"Always saying {name} would be right for {percent(majority['accuracy'])}"
        + (f", {quoted(best['name'])} alone for {percent(best['accuracy'])}." if best else ".")
    )
    if share <= interval(majority["accuracy"], evaluation["n_test"])[1]:
        lines.append("That is no clear gain over always saying the same: use it with care.")
    elif majority["accuracy"] < 1:
        avoided = (share - majority["accuracy"]) / (1 - majority["accuracy"])
        lines.append(
            f"The model avoids {percent(avoided)} of the mistakes of always saying {name}."
        )
    return lines


def warning(one: Mapping[str, Any]) -> dict[str, str]:
    """Return kind, sentence and, where the sentence is cut, the whole as title."""
    column, text = one.get("column") or "", one["text"]
    # In a sentence a name stands as it is, or with its odd characters written out.
    names = (repr(column)[1:-1], column) if column else ()
    for name in filter(_is_long, names):
        # The end of a sentence says what to do: the name is cut, not the sentence.
        text = text.replace(name, f"{name[: LONGEST_NAME - 1]}…")
    whole, sentence = visible(one["text"], LONGEST_TITLE), visible(text, LONGEST_WARNING)
    is_named = not column or any(name in one["text"] for name in names)
    return {
        "kind": visible(one["kind"], LONGEST_NAME) + "?" * (one["kind"] in SUSPECTED),
        "text": sentence if is_named else f"{quoted(column)}: {sentence}",
        "title": "" if sentence == whole else whole,
    }


def _is_long(name: str) -> bool:
    return len(name) > LONGEST_NAME


def explained_by(summary: Summary) -> str:
    """Return which model explains the rows, where it is not the one of the report."""
    how = str((summary["evaluation"] or {}).get("how"))
    learned = {
        "cross-validation": "Each is explained by the model that judged it, learned from the other "
        "folds",
        "held-out part": "They are explained by the model that judged them, learned without the "
        "rows held out",
    }.get(how)
    if learned is None:
        return ""
    return (
        f"{learned}: its parts, pairs and weights may differ from those of the final model above."
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


def mean_and_spread(found: Mapping[str, Any]) -> tuple[str, str]:
    """Return a measure as texts such as ``0.932`` and ``± 0.045``, empty where folds agree."""
    if found["mean"] is None:
        # Of one class in the test rows nothing is ranked above another.
        return "not defined", ""
    return f"{found['mean']:.3f}", f"± {found['spread']:.3f}" if found.get("spread") else ""


def _in_percent(found: Mapping[str, Any]) -> tuple[str, str]:
    """The same of a share of rows."""
    spread = found.get("spread")
    return percent(found["mean"]), f"± {100 * spread:.1f}" if spread else ""

"""The sentences of a report: how good the model is, how certain that is, and compared with what."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from modlearn._model.evaluation import MEASURES

__all__ = [
    "LONGEST_NAME",
    "counted",
    "data_line",
    "evaluated_by",
    "explained_by",
    "interval",
    "mean_and_spread",
    "measures",
    "percent",
    "quoted",
    "verdict",
    "visible",
]

MEANINGS = {
    "accuracy": "share of rows classified correctly",
    "balanced_accuracy": "mean recall of the classes",
    "auc": "probability that a row of a class is ranked above one of another; 0.5 is chance",
    "log_loss": "penalty for probabilities that are wrong; 0 is perfect",
}
"""What each measure means."""

LONGEST_SOURCE = 300
"""Characters of the name of a file."""

CONFIDENCE = 1.96
"""Standard deviations on either side that make an interval of 95 %."""

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
    """Return a share such as ``97.2%``; 100% and 0% only if they are exact."""
    # Six digits: a mean of folds may differ from its decimal number by rounding.
    text = f"{100 * round(share, 6):.1f}%"
    if (text == "100.0%" and share < 1) or (text == "0.0%" and share > 0):
        return "over 99.9%" if share > 0.5 else "under 0.1%"
    return text.replace(".0%", "%")


def visible(text: str, most: int) -> str:
    """Return a text that changes nothing around it, cut short if longer than ``most``.

    Characters that are invisible or reverse the line are written out, such as ``\\u202e``. Words
    from right to left stay as they are, between marks that isolate their direction.
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
    return [_how_good(summary), _how_certain(summary), *_compared(summary)]


def _analysis(summary: Summary) -> list[str]:
    """What was found, where no model was fitted."""
    informative = [v for v in summary["variables"] if v["level"] > 0]
    target = summary["data"].get("target")
    target = quoted(target) if target else "the target"
    n_variables = counted(_n_variables(summary), "variable")
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


def _how_certain(summary: Summary) -> str:
    """How it was measured, and the confidence interval."""
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
    """Return Wilson's confidence interval of a share, at 95 %."""
    if n_rows <= 0:
        return 0.0, 1.0
    square = CONFIDENCE**2 / n_rows
    middle = (share + square / 2) / (1 + square)
    half = (
        CONFIDENCE / (1 + square) * math.sqrt(share * (1 - share) / n_rows + square / (4 * n_rows))
    )
    return max(0.0, middle - half), min(1.0, middle + half)


def _compared(summary: Summary) -> list[str]:
    """The model next to the majority class and the best variable."""
    evaluation = summary["evaluation"]
    share, majority = evaluation["measures"]["accuracy"]["mean"], evaluation["majority"]
    name, best = quoted(majority["class"]), evaluation.get("best_variable")
    alone = f"; {quoted(best['name'])} alone, {percent(best['accuracy'])}" if best else ""
    lines = [
        f"Always predicting {name} would be correct for {percent(majority['accuracy'])}{alone}."
    ]
    if share <= interval(majority["accuracy"], evaluation["n_test"])[1]:
        lines.append(
            "The model is not clearly better than always predicting the most frequent class: use "
            "it with caution."
        )
    elif majority["accuracy"] < 1:
        avoided = (share - majority["accuracy"]) / (1 - majority["accuracy"])
        lines.append(
            f"The model avoids {percent(avoided)} of the errors of always predicting {name}."
        )
    return lines


def explained_by(summary: Summary) -> str:
    """Return which model explains the rows, if it is not the one of the report."""
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


def mean_and_spread(found: Mapping[str, Any]) -> tuple[str, str]:
    """Return a measure as texts such as ``0.932`` and ``± 0.045``; the latter may be empty."""
    if found["mean"] is None:
        # Test rows of a single class cannot be ranked against another.
        return "not defined", ""
    return f"{found['mean']:.3f}", f"± {found['spread']:.3f}" if found.get("spread") else ""


def _in_percent(found: Mapping[str, Any]) -> tuple[str, str]:
    """A share of rows and its spread, in percent."""
    spread = found.get("spread")
    return percent(found["mean"]), f"± {100 * spread:.1f}" if spread else ""

"""How names and numbers are written, and in phrases how good a model is and how certain that is."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from modlearn._evaluate.measures import QUARTER
from modlearn._model.evaluation import MEASURES

__all__ = [
    "FROM_RIGHT",
    "LONGEST_NAME",
    "LONGEST_TITLE",
    "advice",
    "cost_lines",
    "counted",
    "data_line",
    "decision_lines",
    "evaluated_by",
    "evaluation_lines",
    "exact_percent",
    "explained_by",
    "head",
    "headings",
    "mean_and_spread",
    "measures",
    "names_in_lines",
    "percent",
    "quoted",
    "rounded",
    "shown_values",
    "thousandths",
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

LONGEST_HEADING = 80
"""Most characters of a name in a heading or a list; a longer one would fill a phone."""

LONGEST_TITLE = 12_000
"""Most characters of the full text behind one that was cut short."""

LONGEST_TEXT = 300
"""Most characters of the name of a file, and of a text in the data of a page."""

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


def percent(share: float) -> str:
    """Return a share such as ``97.2%``; 100% and 0% only if they are exact."""
    # Six digits: a mean over folds may differ from its decimal value by rounding.
    text = f"{100 * round(share, 6):.1f}%"
    if (text == "100.0%" and share < 1) or (text == "0.0%" and share > 0):
        return "over 99.9%" if share > 0.5 else "under 0.1%"
    return text.replace(".0%", "%")


def thousandths(value: float) -> str:
    """Return a number with three decimals, rounded as `percent` rounds it."""
    return f"{float(f'{100 * round(value, 6):.1f}') / 100:.3f}"


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


def headings(names: Sequence[str]) -> list[dict[str, str]]:
    """Return names for a heading or a list, each with all of it as title if it is cut."""
    return [
        {
            "text": visible(name, LONGEST_HEADING),
            "title": visible(name, LONGEST_TITLE) if len(name) > LONGEST_HEADING else "",
        }
        for name in names
    ]


def quoted(name: str) -> str:
    """Return a name in quotes, so that it is not read as part of a sentence; cut short if long."""
    return f"“{visible(name, LONGEST_NAME)}”"


def counted(n: int, noun: str) -> str:
    """Return a number with its noun, such as ``1,234 rows``."""
    plural = f"{noun}es" if noun.endswith("s") else f"{noun}s"
    return f"{n:,} {noun if n == 1 else plural}"


def head(summary: Summary) -> dict[str, Any]:
    """Return the texts at the head of a page: what it is about, and how good the model is."""
    target = str(summary["data"].get("target") or "the target")
    return {
        "verb": "Predicting" if summary["evaluation"] else "What is informative about",
        "title": visible(target, LONGEST_NAME),
        "target": headings([target])[0],
        "line": data_line(summary),
        "verdict": verdict(summary),
        "measures": measures(summary),
        "explained_by": explained_by(summary),
    }


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
    first = summary["top_quarter"]
    lead = [_ranked(first)] if first and first["leads"] else []
    decided = [*decision_lines(summary), *cost_lines(summary)] if summary["decision"] else []
    good, certain = _how_good(summary), _how_certain(summary)
    return [*lead, good, *decided, certain, *_compared(summary)]


def decision_lines(summary: Summary) -> list[str]:
    """Return which class is predicted, and how much of it that finds, if there are two."""
    decision, evaluation = summary["decision"], summary["evaluation"]
    names = [quoted(one["name"]) for one in summary["classes"]]
    rule = _decision(decision, names)
    if evaluation is None or decision["class"] is None:
        return [rule]
    return [rule, _found(evaluation["confusion"], decision["class"], names)]


def cost_lines(summary: Summary) -> list[str]:
    """Return what the errors cost, and what those of the cheapest constant prediction would."""
    cost = (summary["evaluation"] or {}).get("cost")
    if cost is None:
        return []
    return [
        f"The errors cost {cost['mean']:.3f} per row; always predicting "
        f"{quoted(cost['constant'])}, the cheapest constant prediction, would cost "
        f"{cost['constant_mean']:.3f}."
    ]


MOST_COSTS = 4
"""Most costs that a sentence lists."""


def _decision(decision: Fact, names: Sequence[str]) -> str:
    """Return which class is predicted, and why."""
    costs = {(one["truth"], one["predicted"]): one["cost"] for one in decision["costs"]}
    label = decision["class"]
    if label is None:
        listed = [
            f"{_amount(cost)} for predicting {names[predicted]} when the true class is "
            f"{names[truth]}"
            for (truth, predicted), cost in costs.items()
        ]
        more = f" and {len(listed) - MOST_COSTS:,} more" if len(listed) > MOST_COSTS else ""
        return (
            f"The class with the lowest expected cost is predicted. Errors cost "
            f"{'; '.join(listed[:MOST_COSTS])}{more}; every other error costs 1."
        )
    rule = f"{names[label]} is predicted if its probability is at least "
    rule += exact_percent(decision["threshold"])
    if not costs:
        return f"{rule}."
    missed, alarm = costs.get((label, 1 - label), 1.0), costs.get((1 - label, label), 1.0)
    return f"{rule}, because {_compared_costs(missed, alarm, names[label])}."


def _compared_costs(missed: float, alarm: float, name: str) -> str:
    """Return how the costs of the two errors compare."""
    miss, false = f"missing a {name} row", f"predicting {name} wrongly"
    if missed == alarm:
        return f"{miss} costs as much as {false}"
    more, less = (miss, false) if missed > alarm else (false, miss)
    low, high = sorted((missed, alarm))
    if not low:
        return f"{less} costs nothing"
    return f"{more} costs {_amount(high / low)} times as much as {less}"


def _found(confusion: Sequence[Sequence[int]], label: int, names: Sequence[str]) -> str:
    """Return how many rows of a class are found, and how many predictions of it are correct."""
    hits, rows = confusion[label][label], sum(confusion[label])
    predicted = sum(line[label] for line in confusion)
    found = f"finds {percent(hits / rows)} of the {names[label]} rows" if rows else "is not tested"
    if not predicted:
        return f"This {found}, because it is never predicted."
    right = f"{percent(hits / predicted)} of its {names[label]} predictions are correct"
    return f"This {found}; {right}."


def _amount(value: float) -> str:
    """Return a cost with three significant digits, whole ones in full."""
    return f"{value:,.0f}" if value >= 100 or float(value).is_integer() else f"{value:.3g}"


def exact_percent(share: float) -> str:
    """Return a threshold in percent, to one decimal unless that would make it 0% or 100%."""
    return percent(share) if 0.001 <= share <= 0.999 else f"{100 * share:.4g}%"


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
        f"The most informative one is {quoted(best['name'])}, with a level of {best['level']:.3f}.",
    ]
    together = [pair for pair in summary["pairs"] if pair["gain"] > 0]
    if together:
        first, second = map(quoted, max(together, key=lambda pair: pair["gain"])["names"])
        verb = "are" if together[1:] else "is"
        lines.append(
            f"{counted(len(together), 'pair')} of variables {verb} more informative than the "
            f"better of the two alone; the largest gain is that of {first} with {second}."
        )
    return lines


def _how_good(summary: Summary) -> str:
    share = summary["evaluation"]["measures"]["accuracy"]["mean"]
    return f"The model classifies {percent(share)} of held-out rows correctly."


def _ranked(first: Mapping[str, Any]) -> str:
    return (
        f"The quarter of rows ranked highest holds {percent(first['share'])} of all "
        f"{quoted(first['class'])} rows, {first['share'] / QUARTER:.1f} times as many as a random "
        "quarter."
    )


def evaluated_by(evaluation: Mapping[str, Any]) -> str:
    """Return where the test rows come from, such as ``10-fold cross-validation, 178 test rows``."""
    n_folds, how = int(evaluation.get("n_folds") or 1), evaluation["how"]
    folds = f"{n_folds}-fold {how}" if how == "cross-validation" else how
    if how == "test file":
        folds = "another table"
    elif how in ("forward in time", "given splits"):
        folds = f"{how}, {counted(n_folds, 'part')}"
    group = evaluation.get("group")
    whole = "" if group is None else f", {_whole_groups(group)}"
    return f"{folds}{whole}, {counted(evaluation['n_test'], 'test row')}"


def _whole_groups(group: str) -> str:
    return f"no {quoted(group)} in both training and test rows"


def _how_certain(summary: Summary) -> str:
    """Return how accuracy was measured, and its confidence interval."""
    evaluation = summary["evaluation"]
    accuracy = evaluation["measures"]["accuracy"]
    low, high = summary["certainty"]["interval"]
    rows = counted(evaluation["n_test"], "row")
    how = {
        "cross-validation": f"by {evaluation.get('n_folds')}-fold cross-validation on {rows}",
        "held-out part": f"on {rows} held out from training",
        "test file": f"on {rows} of another table",
        "forward in time": f"on the last {rows} by {quoted(evaluation.get('time') or '')}, in "
        f"{counted(evaluation.get('n_folds') or 1, 'step')}, each predicted by a model trained on "
        "all earlier rows",
        "given splits": f"by {counted(evaluation.get('n_folds') or 1, 'given split')}, {rows}",
    }.get(evaluation["how"], f"by {evaluation['how']}, {rows}")
    if evaluation.get("group") is not None:
        how += f", with {_whole_groups(evaluation['group'])}"
    # The spread of a single test is a standard error, which the interval shows better.
    spread = accuracy.get("spread") if evaluation["how"] == "cross-validation" else None
    between = f" (standard deviation between folds: {100 * spread:.1f} points)" if spread else ""
    return (
        f"Measured {how}{between}; the 95% confidence interval of the accuracy is "
        f"{_interval(low, high)}."
    )


def _interval(low: float, high: float) -> str:
    """Return a range of shares, such as ``99.7% to almost 100%``."""
    first, last = percent(low), percent(high)
    if first == last:
        return first
    first, last = (
        "almost 0%" if low and first == percent(1e-9) else first,
        "almost 100%" if last == percent(1 - 1e-9) else last,
    )
    return f"{first} to {last}"


def advice(summary: Summary) -> list[str]:
    """Return what to do if the most probable class is not clearly a good prediction."""
    first, certain = summary["top_quarter"], summary["certainty"]
    if certain is None or certain["gains"] or summary["decision"]:
        return []
    if not first or not first["leads"]:
        return [
            "The model is not clearly better than always predicting the most frequent class: do "
            "not rely on it."
        ]
    recall = f"only {percent(first['recall'])}" if first["recall"] else "none"
    return [
        f"Predicting the most probable class is not clearly better, as it finds {recall} of the "
        f"{quoted(first['class'])} rows: rank rows by their probability instead, or set a lower "
        "threshold."
    ]


def _compared(summary: Summary) -> list[str]:
    """Compare the model with the majority class and the best variable."""
    evaluation = summary["evaluation"]
    share, majority = evaluation["measures"]["accuracy"]["mean"], evaluation["majority"]
    name, best = quoted(majority["class"]), evaluation.get("best_variable")
    alone = f"; {quoted(best['name'])} alone, {percent(best['accuracy'])}" if best else ""
    lines = [
        f"Always predicting {name} would be correct for {percent(majority['accuracy'])}{alone}."
    ]
    if summary["decision"]:
        return lines
    if not summary["certainty"]["gains"]:
        lines += advice(summary)
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
        "forward in time": "Each row is explained by the model that predicted it, trained on all "
        "earlier rows",
        "given splits": "Each row is explained by the model that predicted it, trained on the "
        "training rows of its split",
    }.get(how)
    if trained is None:
        return ""
    return (
        f"{trained}: its parts, pairs and weights may differ from those of the final model above."
    )


def measures(summary: Summary) -> list[dict[str, str]]:
    """Return name, value, spread and meaning of each measure, as texts."""
    evaluation = summary["evaluation"] or {"measures": {}}
    found = [
        _measure(key, evaluation["measures"][key])
        for key in MEASURES
        if evaluation["measures"].get(key)
    ]
    n_folds, cost = evaluation.get("n_folds") or 1, evaluation.get("cost")
    for one in found if n_folds > 1 else ():
        # The AUC of a curve is that of all folds together.
        one["meaning"] += f"; mean of {n_folds} folds" * (one["name"] == MEASURES["auc"])
    if cost is not None:
        always = f"always predicting {quoted(cost['constant'])}: {cost['constant_mean']:.3f}"
        value = f"{cost['mean']:.3f}"
        found.append({"name": "Cost per row", "value": value, "spread": "", "meaning": always})
    return found


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


def evaluation_lines(summary: Summary) -> list[tuple[str, str, str]]:
    """Return name, value and spread of each measure, then the accuracy of the baselines."""
    evaluation, first = summary["evaluation"], summary["top_quarter"]
    found = evaluation["measures"]
    lines = [(MEASURES[key], *mean_and_spread(found[key])) for key in MEASURES if found.get(key)]
    for key, name in (("majority", "most frequent class"), ("best_variable", "best variable")):
        other = evaluation.get(key)
        if other is not None:
            which = visible(other.get("class", other.get("name")), LONGEST_NAME)
            lines.append((f"accuracy, {name}", thousandths(other["accuracy"]), f"({which})"))
    cost = evaluation.get("cost")
    if cost is not None:
        always = f"(always {visible(cost['constant'], LONGEST_NAME)}: {cost['constant_mean']:.3f})"
        lines.append(("cost per row", f"{cost['mean']:.3f}", always))
    if first is not None:
        times = f"({first['share'] / QUARTER:.1f} times a random quarter)"
        name = f"{visible(first['class'], LONGEST_NAME)} in the highest quarter"
        lines.append((name, thousandths(first["share"]), times))
    return lines


def mean_and_spread(found: Mapping[str, Any]) -> tuple[str, str]:
    """Return a measure as texts such as ``0.932`` and ``± 0.045``; the latter may be empty."""
    if found["mean"] is None:
        # Test rows of a single class cannot be ranked against another.
        return "not defined", ""
    spread = found.get("spread")
    return thousandths(found["mean"]), f"± {thousandths(spread)}" if spread else ""


def _in_percent(found: Mapping[str, Any]) -> tuple[str, str]:
    """Return a share of rows and its spread, in percent."""
    spread = found.get("spread")
    return percent(found["mean"]), f"± {100 * spread:.1f}" if spread else ""

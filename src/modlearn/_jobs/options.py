"""The options of a job, checked before anything is read."""

from __future__ import annotations

import re
import shlex
from collections.abc import Hashable, Iterable, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from difflib import get_close_matches
from numbers import Integral, Real
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from modlearn._model.decision import Decision, ErrorCost
from modlearn._model.limits import MOST_COST
from modlearn._tables.cells import CodedCells
from modlearn._tables.memory.table import CategoricalColumn
from modlearn.errors import ColumnError, OptionError, TargetError, spelled
from modlearn.schema import TargetSpec, class_names, listed

__all__ = [
    "METHODS",
    "NEW_CLASS",
    "as_names",
    "both_passed",
    "check_share",
    "classes_by_name",
    "find_column",
    "find_decision",
    "find_positive",
    "known_labels",
    "labels_as_cells",
    "nearest",
    "not_by_error",
    "read_memory",
    "read_pairs",
    "similar",
]

METHODS = ("weighted", "averaged", "additive")

SECONDS = {"ms": 0.001, "s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0}
TIME = re.compile(r"(\d+(?:\.\d+)?)\s*(ms|s|min|m|h)")


def read_pairs(pairs: Any) -> Any:
    """Return the `pairs` of a classifier: False, True, a number, seconds as a float, or a list.

    Examples
    --------
    >>> [read_pairs(pairs) for pairs in ("none", "all", 20, "20", "60s", "1.5m")]
    [False, True, 20, 20, 60.0, 90.0]
    """
    if pairs is None or isinstance(pairs, bool):
        return bool(pairs)
    if isinstance(pairs, str):
        return _read_pairs_text(pairs.strip().lower())
    if isinstance(pairs, Real):
        if not isinstance(pairs, Integral) or int(pairs) < 0:
            raise _wrong_pairs(pairs)
        return int(pairs) or False
    return list(pairs)


def _read_pairs_text(text: str) -> Any:
    if text in ("none", "all"):
        return text == "all"
    if text.isdecimal():
        return int(text) or False
    time = TIME.fullmatch(text)
    if time is None or not float(time[1]):
        raise _wrong_pairs(text)
    return float(time[1]) * SECONDS[time[2]]


def _wrong_pairs(pairs: Any) -> OptionError:
    allowed = "pass {}, {}, a number of pairs such as 20, or a time such as {} or {}."
    words = ("none", "all", "60s", "5m")
    return OptionError(
        f"pairs is {pairs!r}: {allowed.format(*map(repr, words))}",
        f"--pairs is {pairs!r}: {allowed.format(*words)}",
    )


MEMORY = re.compile(r"(\d+(?:\.\d+)?)\s*(|k|m|g|t)i?b?")
LEAST_MEMORY = 100_000_000


def read_memory(memory: Any) -> int | None:
    """Return a number of bytes, or None.

    Examples
    --------
    >>> [read_memory(memory) for memory in (None, 3_000_000_000, "2GB", "512 MB")]
    [None, 3000000000, 2000000000, 512000000]
    """
    if memory is None:
        return None
    found = MEMORY.fullmatch(str(memory).strip().lower())
    n_bytes = 0.0 if found is None else float(found[1]) * 1000.0 ** " kmgt".index(found[2] or " ")
    if n_bytes < LEAST_MEMORY:
        unit = ", which has no unit" if found and isinstance(memory, str) and not found[2] else ""
        allowed = f"is {memory!r}{unit}: pass an amount of at least 100MB, such as"
        raise OptionError(f"memory {allowed} '2GB'.", f"--memory {allowed} 2GB.")
    return int(n_bytes)


def check_share(test: Any, option: str = "test") -> float | None:
    """Return a share of rows between 0 and 1, or None."""
    if test is None:
        return None
    if isinstance(test, bool) or not isinstance(test, Real) or not 0 < float(test) < 1:
        raise ValueError(
            f"{option} is {_shown(test)}: pass the share of the rows to hold out, such as 0.3; to "
            "evaluate on another table, pass it as test_file."
        )
    return float(test)


def _shown(value: Any) -> str:
    """Return a value as it would be typed, and a table or array by its type."""
    return f"of type {type(value).__name__}" if hasattr(value, "shape") else repr(value)


def not_by_error(cost: Any) -> OptionError:
    """Return the error of costs that are not passed by error."""
    return OptionError(
        f"cost is {_shown(cost)}: pass a dict of errors and what they cost, such as "
        "{('yes', 'no'): 10} if a missed 'yes' costs 10."
    )


def as_names(names: Any) -> list[Hashable]:
    """Return one name or several names as a list."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        return [names]
    return list(names)


def find_column(names: Sequence[Hashable], name: Hashable, option: str) -> int:
    """Return the index of the column that an option names, itself or as text."""
    if name in names:
        return list(names).index(name)
    texts = [str(known) for known in names]
    if str(name) in texts:
        return texts.index(str(name))
    found = _several(str(name), texts, option) or nearest(str(name), texts)
    raise ColumnError(
        *spelled(
            lambda spell: (
                f"{spell(option)} names the column {str(name)!r}, which the table does "
                f"not have{found}"
            )
        )
    )


def _several(name: str, names: Sequence[str], option: str) -> str:
    """Return the end of a sentence that helps if a name is a list of columns with commas."""
    listed = [part.strip() for part in name.split(",")]
    if option == "target" or not set(listed) <= set(names):
        return ""
    typed = " ".join(f"--{option.replace('_', '-')} {shlex.quote(part)}" for part in listed)
    return f": name each column by itself, {typed} (in Python, {option}={listed!r})."


def nearest(name: str, names: Sequence[str], there_are: str = "it has") -> str:
    """Return the end of a sentence that helps: the most similar name, or a list of all names."""
    close = similar(name, names)
    return f": did you mean {close!r}?" if close else f": {there_are} {listed(names, 10)}."


def similar(name: str, names: Sequence[str]) -> str | None:
    """Return the most similar name, whatever its case; None if none is similar."""
    lowered = {known.lower(): known for known in names}
    close = get_close_matches(name.lower(), lowered, n=1)
    return lowered[close[0]] if close else None


NEW_CLASS = -2
"""Code of a label that is not one of the classes."""


def classes_by_name(column: CategoricalColumn, classes: NDArray[Any]) -> NDArray[np.int32]:
    """Return the class of each row of another table: -1 = unlabeled, NEW_CLASS = unknown."""
    index = {name: j for j, name in enumerate(class_names(classes))}
    texts = class_names(column.categories)
    found = (index.get(text, index.get(_as_class(text), NEW_CLASS)) for text in texts)
    lookup = np.array([*found, -1], dtype=np.int32)
    return np.asarray(lookup[column.codes])


def _as_class(text: str) -> str:
    """Return how a class is spelled that another table spells "1.0" or "2024-01-31 10:00"."""
    with suppress(ValueError):
        return datetime.fromisoformat(text).isoformat().removesuffix("T00:00:00")
    return re.sub(r"^([+-]?\d+)\.0+$", r"\1", text)


def labels_as_cells(classes: NDArray[Any], labels: NDArray[Any]) -> Any:
    """Return labels to be written from class indices, -1 = none; numbers stay numbers."""
    if classes.dtype.kind in "iuf":
        return (
            np.ma.array(classes[labels], mask=labels < 0) if (labels < 0).any() else classes[labels]
        )
    return CodedCells(labels.astype(np.int32), class_names(classes))


def find_positive(positive: Any, target: TargetSpec) -> int | None:
    """Return the index of the class of interest: the rarer of two classes if none is named.

    If both are equally frequent, it is the second.
    """
    names = target.class_names
    if positive is None:
        return int(target.counts[1] <= target.counts[0]) if len(names) == 2 else None
    found = find_class(positive, target, "positive")
    if len(names) != 2:
        raise TargetError(
            *spelled(
                lambda spell: (
                    f"{spell('positive')} is {names[found]!r}, but there are "
                    f"{len(names)} classes, and only one of two can be the class of interest: "
                    f"remove {spell('positive')}."
                )
            )
        )
    return found


def find_class(name: Any, target: TargetSpec, option: str) -> int:
    """Return the index of the class that an option names, itself or as text."""
    names, text = target.class_names, class_names([name])[0]
    if text.capitalize() in names and target.classes.dtype.kind == "b":
        text = text.capitalize()  # files spell booleans as true and false
    if text in names:
        return names.index(text)
    there = nearest(text, names, "the classes are")
    raise TargetError(
        *spelled(
            lambda spell: (
                f"{spell(option)} names {text!r}, which is not a class of the target{there}"
            )
        )
    )


def both_passed(one: str, other: str) -> OptionError:
    """Return the error of two options that cannot be combined."""
    return OptionError(
        *spelled(
            lambda spell: (
                f"{spell(one)} and {spell(other)} cannot be combined: pass only one of them."
            )
        )
    )


def find_decision(
    cost: Mapping[Any, Any] | None, threshold: Any, target: TargetSpec, positive: int | None
) -> Decision | None:
    """Return which class is predicted; None = the most probable one.

    `cost` holds errors (true class, predicted class), or texts such as ``yes:no``, that do not cost
    1. `positive`, the class of interest, is predicted if its probability is at least `threshold`.
    """
    if cost and threshold is not None:
        raise both_passed("cost", "threshold")
    if cost:
        return _decision_of_costs(cost, target, positive)
    if threshold is None:
        return None
    n_classes = len(target.classes)
    if positive is None:
        raise TargetError(
            *spelled(
                lambda spell: (
                    f"{spell('threshold')} needs two classes, and there are {n_classes}: "
                    f"pass {spell('cost')} instead."
                )
            )
        )
    if not _is_number(threshold) or not 0 < float(threshold) < 1:
        raise OptionError(
            *spelled(
                lambda spell: (
                    f"{spell('threshold')} is {threshold!r}: pass a probability between "
                    "0 and 1, such as 0.2."
                )
            )
        )
    return Decision(label=positive, threshold=float(threshold), costs=())


def _decision_of_costs(
    cost: Mapping[Any, Any], target: TargetSpec, positive: int | None
) -> Decision:
    """Return the decision of least cost."""
    costs = {_error_of(key, target): value for key, value in cost.items()}
    for (truth, predicted), value in costs.items():
        if truth == predicted or not _is_number(value) or not 0 <= value <= MOST_COST:
            _refuse_cost([target.class_names[j] for j in (truth, predicted)], value)
    if len(costs) == 2 == len(target.classes) and not any(costs.values()):
        raise OptionError("No error costs anything: pass a cost greater than 0.")
    found = tuple(ErrorCost(*error, float(value)) for error, value in costs.items())
    return Decision.of_costs(found, positive)


def _refuse_cost(names: list[str], value: Any) -> NoReturn:
    raise OptionError(
        *spelled(
            lambda spell: (
                f"{spell('cost')} of {':'.join(names)} is {value!r}: pass the true class, "
                f"a different predicted class, and a cost from 0 to {MOST_COST:g}."
            )
        )
    )


def _error_of(key: Any, target: TargetSpec) -> tuple[int, int]:
    """Return the true and the predicted class; names in a text such as a:b may have colons, too."""
    pair = key
    if isinstance(key, str):
        parts = key.split(":")
        pairs = [(":".join(parts[:i]), ":".join(parts[i:])) for i in range(1, len(parts))]
        known = set(target.class_names)
        pair = next((one for one in pairs if known.issuperset(one)), pairs[0] if pairs else key)
    if not isinstance(pair, tuple) or len(pair) != 2:
        raise OptionError(
            *spelled(
                lambda spell: (
                    f"{spell('cost')} has the key {key!r}: pass the true class and the "
                    "predicted class, such as ('yes', 'no')."
                )
            )
        )
    truth, predicted = (find_class(name, target, "cost") for name in pair)
    return truth, predicted


def _is_number(value: Any) -> bool:
    return isinstance(value, Real) and not isinstance(value, bool)


def known_labels(column: CategoricalColumn, target: TargetSpec, name: str) -> NDArray[np.int32]:
    """Return the class of each row of another table; raise if no row has a known one."""
    labels = classes_by_name(column, target.classes)
    if not (labels >= 0).any():
        raise TargetError(
            f"The test table has no row whose {name!r} is a class of the training data, so nothing "
            "can be evaluated: pass a table with labels."
        )
    return labels

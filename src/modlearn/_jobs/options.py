"""What a user asks for, checked before anything is read."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence
from difflib import get_close_matches
from numbers import Integral, Real
from typing import Any

from modlearn._tables.names import listed
from modlearn.errors import ColumnError

__all__ = ["METHODS", "as_names", "check_share", "find_column", "nearest", "read_pairs"]

METHODS = ("weighted", "averaged")

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
            raise ValueError(_wrong_pairs(pairs))
        return int(pairs) or False
    return list(pairs)


def _read_pairs_text(text: str) -> Any:
    if text in ("none", "all"):
        return text == "all"
    if text.isdecimal():
        return int(text) or False
    time = TIME.fullmatch(text)
    if time is None or not float(time[1]):
        raise ValueError(_wrong_pairs(text))
    return float(time[1]) * SECONDS[time[2]]


def _wrong_pairs(pairs: Any) -> str:
    return (
        f"pairs is {pairs!r}: give 'none', 'all', a number of pairs such as 20, or a time such as "
        "'60s' or '5m'."
    )


def check_share(test: Any) -> float | None:
    """A share of rows between 0 and 1, or None."""
    if test is None:
        return None
    if isinstance(test, bool) or not isinstance(test, Real) or not 0 < float(test) < 1:
        raise ValueError(
            f"test is {test!r}: give the share of the rows to hold out, such as 0.3; a table of "
            "its own is given as test_file."
        )
    return float(test)


def as_names(names: Any) -> list[Hashable]:
    """One name or several as a list."""
    if isinstance(names, str) or not isinstance(names, Iterable):
        return [names]
    return list(names)


def find_column(names: Sequence[Hashable], wanted: Hashable, option: str) -> int:
    """Place of a column that an option names; its text serves too."""
    if wanted in names:
        return list(names).index(wanted)
    texts = [str(name) for name in names]
    if str(wanted) in texts:
        return texts.index(str(wanted))
    raise ColumnError(
        f"{option} names the column {str(wanted)!r}, which the table does not have"
        f"{nearest(str(wanted), texts)}"
    )


def nearest(wanted: str, names: Sequence[str], there_are: str = "it has") -> str:
    """The end of a sentence that leads to what was meant: the nearest name, or those there are."""
    lowered = {name.lower(): name for name in names}
    close = get_close_matches(wanted.lower(), lowered, n=1)
    if close:
        return f": did you mean {lowered[close[0]]!r}?"
    return f": {there_are} {listed(names, 10)}."

"""Names for new columns of a table."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["free_names"]


def free_names(wanted: Iterable[str], taken: Iterable[str]) -> list[str]:
    """Names with a number behind those that are taken; case does not tell two of them apart."""
    known = {name.lower() for name in taken}
    chosen = []
    for name in wanted:
        number, free = 1, name
        while free.lower() in known:
            number += 1
            free = f"{name} ({number})"
        known.add(free.lower())
        chosen.append(free)
    return chosen

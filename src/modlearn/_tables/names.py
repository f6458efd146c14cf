"""Names of columns in sentences, and ones that differ.

They differ to DuckDB too, which takes upper and lower case for the same.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

__all__ = ["free_name", "free_names", "listed", "unique_names"]


def listed(names: Sequence[Hashable], most: int) -> str:
    """The first names in quotes, and how many more there are."""
    shown = ", ".join(map(repr, names[:most]))
    return shown if len(names) <= most else f"{shown} and {len(names) - most:,} more"


def unique_names(titles: Sequence[str]) -> tuple[list[str], list[str]]:
    """Names that differ in more than upper and lower case, and which titles had to change."""
    names: list[str] = []
    changed, taken = [], {title.lower() for title in titles}
    seen: set[str] = set()
    for i, title in enumerate(titles):
        name = title or f"column{i}"
        if name.lower() in seen:
            changed.append(title)
            name = free_name(name, taken | seen)
        seen.add(name.lower())
        names.append(name)
    return names, changed


def free_name(name: str, taken: set[str]) -> str:
    """The name with the first number behind it that is not taken."""
    number = 1
    while f"{name}_{number}".lower() in taken:
        number += 1
    return f"{name}_{number}"


def free_names(wanted: Iterable[str], taken: Iterable[str]) -> list[str]:
    """Names for new columns; those that are taken get a number."""
    known = {name.lower() for name in taken}
    chosen = []
    for name in wanted:
        free = free_name(name, known) if name.lower() in known else name
        known.add(free.lower())
        chosen.append(free)
    return chosen

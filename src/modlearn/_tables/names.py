"""Names of columns: listing them in sentences, and finding unique ones.

Names that differ only in case are the same to DuckDB, so they count as the same here.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence

__all__ = ["free_name", "free_names", "listed", "unique_names"]


def listed(names: Sequence[Hashable], most: int) -> str:
    """Return the first names in quotes, and the number of the others."""
    shown = ", ".join(map(repr, names[:most]))
    return shown if len(names) <= most else f"{shown} and {len(names) - most:,} more"


def unique_names(titles: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return names that differ in more than case, and the titles that had to change."""
    names: list[str] = []
    changed, taken = [], {title.lower() for title in titles}
    used: set[str] = set()
    for i, title in enumerate(titles):
        name = title or f"column{i}"
        if name.lower() in used:
            changed.append(title)
            name = free_name(name, taken | used)
        used.add(name.lower())
        names.append(name)
    return names, changed


def free_name(name: str, taken: set[str]) -> str:
    """Return the name with the first number appended that makes it differ from those taken."""
    number = 1
    while f"{name}_{number}".lower() in taken:
        number += 1
    return f"{name}_{number}"


def free_names(names: Iterable[str], taken: Iterable[str]) -> list[str]:
    """Return names for new columns; a number is appended to those already taken."""
    known = {name.lower() for name in taken}
    free = []
    for name in names:
        free.append(free_name(name, known) if name.lower() in known else name)
        known.add(free[-1].lower())
    return free

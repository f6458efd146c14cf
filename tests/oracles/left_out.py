"""Where a left-out row finds its value, row by row: the groups that its other rows fit best."""

from math import log, prod

Row = tuple[tuple[int, ...], int]
"""Its value, or its two values, and its class."""


def lines(rows: list[Row], parts_of: list[dict[int, int]], renewed: list[bool]) -> list[int]:
    """Line that each row finds: c = its own cell c, C + c = another one, 2 C = none.

    `parts_of` has the part of each value for each axis, `renewed` whether its values are assigned
    anew; those of intervals are not.
    """
    return [_line(rows, parts_of, renewed, n) for n in range(len(rows))]


def _line(rows: list[Row], parts_of: list[dict[int, int]], renewed: list[bool], n: int) -> int:
    sizes = [max(parts.values()) + 1 for parts in parts_of]
    own = _cell(rows[n][0], parts_of)
    found = list(own)
    for k, is_renewed in enumerate(renewed):
        if is_renewed:
            group = _group(rows, parts_of, k, n)
            if group is None:
                return 2 * prod(sizes)
            found[k] = group
    number = _number(sizes, found)
    return number if found == list(own) else prod(sizes) + number


def _number(sizes: list[int], cell: list[int]) -> int:
    return cell[0] if len(sizes) == 1 else cell[0] * sizes[1] + cell[1]


def _cell(values: tuple[int, ...], parts_of: list[dict[int, int]]) -> tuple[int, ...]:
    return tuple(parts[value] for value, parts in zip(values, parts_of, strict=True))


def _group(rows: list[Row], parts_of: list[dict[int, int]], k: int, n: int) -> int | None:
    """Group of axis k where the other rows of the value of row n are most probable."""
    value = rows[n][0][k]
    others = [row for i, row in enumerate(rows) if row[0][k] == value and i != n]
    if not others:
        return None

    def fit(group: int) -> float:
        total = 0.0
        for values, label in others:
            cell = list(_cell(values, parts_of))
            cell[k] = group
            total += log(_share(rows, parts_of, tuple(cell), label))
        return total

    own = parts_of[k][value]
    fits = {group: fit(group) for group in sorted(set(parts_of[k].values()))}
    alike = [group for group, found in fits.items() if found >= max(fits.values()) - 1e-9]
    return own if own in alike else alike[0]


def _share(
    rows: list[Row], parts_of: list[dict[int, int]], cell: tuple[int, ...], label: int
) -> float:
    """P(class | cell), from all rows, with one more row that is distributed like all of them."""
    here = [j for values, j in rows if _cell(values, parts_of) == cell]
    in_all = sum(j == label for _, j in rows) / len(rows)
    return (here.count(label) + in_all) / (len(here) + 1)

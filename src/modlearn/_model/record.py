"""Partitions and grids as plain records of JSON, and back.

Nothing in a record is trusted: whatever its fields hold, reading gives a model that works, or a
ModelError that names the field.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from math import isfinite
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from modlearn._model.grid import Grid
from modlearn._model.groups import Groups
from modlearn._model.intervals import Intervals
from modlearn._model.partition import Partition
from modlearn.criteria import level
from modlearn.errors import ModelError

__all__ = [
    "MOST",
    "Fields",
    "classes_record",
    "grid_record",
    "partition_record",
    "read_classes",
    "read_grid",
    "read_partition",
]

Record = dict[str, Any]
Item = TypeVar("Item")

MOST = 2**53
"""Counts beyond this are not exact as floats."""

KINDS = ("numeric", "datetime", "duration")

INFINITIES = {"inf": np.inf, "-inf": -np.inf}
"""Numbers that JSON has no digits for."""


class Fields:
    """The fields of a record, each asked for with what it must be."""

    def __init__(self, record: Any, where: str) -> None:
        if not isinstance(record, dict):
            raise ModelError(f"{where} is no object.")
        self.record, self.where = record, where

    def refuse(self, name: str, wanted: str) -> ModelError:
        """An error that says where something else than wanted stands."""
        return ModelError(f"{self.where}: {name!r} is not {wanted}.")

    def any(self, name: str) -> Any:
        """A field of any type, which must be there."""
        if name not in self.record:
            raise ModelError(f"{self.where} has no {name!r}.")
        return self.record[name]

    def text(self, name: str, choices: Sequence[str] | None = None) -> str:
        """A text, one of the choices if there are any."""
        value = self.any(name)
        if not isinstance(value, str) or (choices is not None and value not in choices):
            raise self.refuse(name, "one of " + ", ".join(choices) if choices else "a text")
        return value

    def flag(self, name: str) -> bool:
        """True or false."""
        value = self.any(name)
        if not isinstance(value, bool):
            raise self.refuse(name, "true or false")
        return value

    def number(self, name: str) -> float:
        """A finite number."""
        value = self.any(name)
        if isinstance(value, bool) or not isinstance(value, int | float) or not _is_double(value):
            raise self.refuse(name, "a number")
        return float(value)

    def items(self, name: str, read: Callable[[Any, str], Item]) -> list[Item]:
        """A list, every item of which is read."""
        values = self.any(name)
        if not isinstance(values, list):
            raise self.refuse(name, "a list")
        return [read(value, f"{self.where}: {name} {i}") for i, value in enumerate(values)]

    def floats(self, name: str) -> NDArray[np.float64]:
        """A list of numbers, infinite ones as text."""
        values = self.any(name)
        if not isinstance(values, list):
            raise self.refuse(name, "a list of numbers")
        return np.array([self._float(name, value) for value in values], dtype=np.float64)

    def _float(self, name: str, value: Any) -> float:
        if isinstance(value, str) and value in INFINITIES:
            return INFINITIES[value]
        if isinstance(value, bool) or not isinstance(value, int | float) or not _is_double(value):
            raise self.refuse(name, "a list of numbers")
        return float(value)

    def counts(self, name: str, shape: tuple[int | None, ...]) -> NDArray[np.int64]:
        """Whole numbers, not negative, of a shape; None = any length but 0."""
        table = _nested(self.any(name), len(shape))
        if table is None or any(
            n == 0 or (wanted is not None and n != wanted)
            for n, wanted in zip(table.shape, shape, strict=True)
        ):
            lengths = " × ".join("any" if n is None else str(n) for n in shape)
            raise self.refuse(name, f"a table of {lengths} counts")
        return table


def _is_double(value: float) -> bool:
    """Whether a number is finite as a double."""
    try:
        return isfinite(float(value))
    except OverflowError:
        return False


def _nested(value: Any, depth: int) -> NDArray[np.int64] | None:
    """Lists in lists of counts as an array; None if they are something else."""
    shape: list[int] = []
    level_items = [value]
    for _ in range(depth):
        if not all(isinstance(item, list) for item in level_items):
            return None
        lengths = {len(item) for item in level_items}
        if len(lengths) != 1:
            return None
        shape.append(lengths.pop())
        level_items = [item for items in level_items for item in items]
    if not all(type(item) is int and 0 <= item < MOST for item in level_items):
        return None
    table = np.array(level_items, dtype=np.int64).reshape(shape)
    return table if table.sum(dtype=np.float64) < MOST else None


def classes_record(classes: NDArray[np.generic]) -> Record:
    """The classes with their type."""
    kind = classes.dtype.kind
    values = classes.tolist()
    if kind in "OU" and all(isinstance(value, str) for value in values):
        return {"type": "text", "values": values}
    if kind in "iufb":
        return {"type": classes.dtype.str.lstrip("<>|="), "values": values}
    raise ModelError(
        f"Classes of type {classes.dtype} cannot be written to a file: make the target text or "
        "numbers."
    )


CLASS_TYPES = ("text", "b1", *(f"{k}{n}" for k in "iu" for n in (1, 2, 4, 8)), "f4", "f8", "f2")


def read_classes(record: Any, where: str) -> NDArray[Any]:
    """The classes of a record: different ones, at least one."""
    fields = Fields(record, where)
    kind = fields.text("type", CLASS_TYPES)
    python = str if kind == "text" else {"b": bool, "f": float}.get(kind[0], int)
    values = fields.items("values", lambda value, _: value)
    if not values or any(type(value) is not python for value in values):
        raise fields.refuse("values", f"a list of classes of type {kind}")
    try:
        classes = np.array(values, dtype=object if kind == "text" else kind)
    except (OverflowError, ValueError):
        raise fields.refuse("values", f"a list of classes of type {kind}") from None
    if len(set(classes.tolist())) != len(values):
        raise fields.refuse("values", "a list of different classes")
    return classes


def partition_record(partition: Partition) -> Record:
    """A partition, but for the classes."""
    record = {
        "name": _name(partition.name),
        "counts": partition.counts.tolist(),
        "unlabeled_counts": partition.unlabeled_counts.tolist(),
        "cost": partition.cost,
        "null_cost": partition.null_cost,
        "proven_optimal": bool(partition.proven_optimal),
    }
    if isinstance(partition, Intervals):
        return record | {
            "type": partition.kind,
            "cuts": _numbers(partition.cuts),
            "beside_cuts": [_numbers(pair) for pair in partition.sides],
            "missing_alone": bool(partition.missing_alone),
            "n_missing": int(partition.n_missing),
        }
    assert isinstance(partition, Groups)
    groups = [[_value(v, partition.name) for v in group] for group in partition.groups]
    return record | {"type": "categorical", "groups": groups}


def _name(name: Hashable) -> str | int:
    """The name of a column, if JSON has it."""
    if isinstance(name, str) or type(name) is int:
        return name
    raise ModelError(
        f"The column name {name!r} cannot be written to a file: give the columns names of text."
    )


def _value(value: Hashable, name: Hashable) -> Any:
    """A category, if JSON has it."""
    if (
        value is None
        or type(value) in (str, int, bool)
        or (type(value) is float and isfinite(value))
    ):
        return value
    raise ModelError(
        f"Column {name!r} has the category {value!r}, which cannot be written to a file: make the "
        "column text."
    )


def _numbers(values: NDArray[np.float64]) -> list[float | str]:
    """Numbers for JSON, to the last bit; infinite ones as text."""
    return [v if isfinite(v) else ("inf" if v > 0 else "-inf") for v in values.tolist()]


def read_partition(record: Any, classes: NDArray[Any], where: str) -> Partition:
    """The partition of a record."""
    fields = Fields(record, where)
    kind = fields.text("type", (*KINDS, "categorical"))
    name = fields.any("name")
    if not (isinstance(name, str) or type(name) is int):
        raise fields.refuse("name", "a text or a whole number")
    counts = fields.counts("counts", (None, len(classes)))
    cost, null_cost = fields.number("cost"), fields.number("null_cost")
    common: Record = {
        "name": name,
        "classes": classes,
        "counts": counts,
        "unlabeled_counts": fields.counts("unlabeled_counts", (len(counts),)),
        "cost": cost,
        "null_cost": null_cost,
        "level": level(cost, null_cost),
        "proven_optimal": fields.flag("proven_optimal"),
    }
    if kind == "categorical":
        return Groups(groups=_read_groups(fields, len(counts)), **common)
    return Intervals(kind=kind, **_read_cuts(fields, len(counts)), **common)


def _read_cuts(fields: Fields, n_parts: int) -> Record:
    """What intervals have beside the rest: as many cuts as there are parts, in order."""
    alone = fields.flag("missing_alone")
    cuts = fields.floats("cuts")
    if len(cuts) != n_parts - 1 - alone or np.any(np.diff(cuts) <= 0):
        raise fields.refuse("cuts", f"a list of {max(0, n_parts - 1 - alone)} increasing numbers")
    beside = fields.items("beside_cuts", lambda pair, at: Fields({"pair": pair}, at).floats("pair"))
    if len(beside) != len(cuts) or any(len(pair) != 2 for pair in beside):
        raise fields.refuse("beside_cuts", "a pair of numbers per cut")
    n_missing = fields.counts("n_missing", ())
    sides = np.array(beside, dtype=np.float64).reshape(-1, 2)
    return {"cuts": cuts, "sides": sides, "missing_alone": alone, "n_missing": int(n_missing)}


def _read_groups(fields: Fields, n_parts: int) -> tuple[tuple[Hashable, ...], ...]:
    """The values of every group, each in one group."""
    groups = fields.items("groups", lambda group, at: _read_group(fields, group))
    values = [value for group in groups for value in group]
    # True is 1 to Python, and may not stand beside it: which group would it be in?
    if len(groups) != n_parts or len(set(values)) != len(values):
        raise fields.refuse("groups", f"{n_parts} lists of different values")
    return tuple(groups)


def _read_group(fields: Fields, group: Any) -> tuple[Hashable, ...]:
    allowed = (str, int, bool, float, type(None))
    if not isinstance(group, list) or not group or any(type(v) not in allowed for v in group):
        raise fields.refuse("groups", "lists of values")
    if any(type(value) is float and not isfinite(value) for value in group):
        raise fields.refuse("groups", "lists of values")
    return tuple(group)


def grid_record(grid: Grid) -> Record:
    """A grid, but for the classes."""
    return {
        "axes": [partition_record(axis) for axis in grid.axes],
        "counts": grid.counts.tolist(),
        "cost": grid.cost,
        "null_cost": grid.null_cost,
        "gain": grid.gain,
        "synergy": grid.synergy,
        "proven_optimal": bool(grid.proven_optimal),
    }


def read_grid(record: Any, classes: NDArray[Any], where: str) -> Grid:
    """The grid of a record."""
    fields = Fields(record, where)
    axes = fields.items("axes", lambda axis, at: read_partition(axis, classes, at))
    if len(axes) != 2:
        raise fields.refuse("axes", "a pair of partitions")
    first, second = axes
    counts = fields.counts("counts", (first.n_parts, second.n_parts, len(classes)))
    if not (
        np.array_equal(counts.sum(axis=1), first.counts)
        and np.array_equal(counts.sum(axis=0), second.counts)
    ):
        raise fields.refuse("counts", "the rows of its axes")
    cost, null_cost = fields.number("cost"), fields.number("null_cost")
    return Grid(
        axes=(first, second),
        counts=counts,
        cost=cost,
        null_cost=null_cost,
        level=level(cost, null_cost),
        gain=fields.number("gain"),
        synergy=fields.number("synergy"),
        proven_optimal=fields.flag("proven_optimal"),
    )

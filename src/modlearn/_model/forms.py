"""How single values stand in a record: what is written for each, and what is accepted back.

A form writes a value as JSON types and reads it back. Nothing that is read is trusted: a value of
another type, or out of its bounds, is a ModelError that names the field.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from math import isfinite, prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from modlearn._model.limits import MOST_COUNT
from modlearn._views import view_named
from modlearn.errors import ModelError
from modlearn.schema import View, class_names

__all__ = [
    "Categories",
    "CategoryError",
    "ClassIndex",
    "ClassName",
    "Classes",
    "ColumnName",
    "Counts",
    "Dictionary",
    "Flag",
    "Floats",
    "Form",
    "Items",
    "Number",
    "Optional",
    "Pair",
    "RecordPosition",
    "Scalar",
    "Text",
    "Variable",
    "ViewName",
    "WholeNumber",
]

INFINITIES = {"inf": np.inf, "-inf": -np.inf}
"""Numbers that JSON has no digits for."""

SURROGATE = re.compile("[\ud800-\udfff]")

CLASS_TYPES = ("text", "b1", *(f"{k}{n}" for k in "iu" for n in (1, 2, 4, 8)), "f4", "f8", "f2")


@dataclass(frozen=True)
class RecordPosition:
    """Where in a file the reader is, and what it knows of the target by then.

    Parameters
    ----------
    path : tuple of str
        Fields from the outermost inwards; empty = the file itself.
    classes : ndarray of shape (J,), or None
        The classes of the target.
    """

    path: tuple[str, ...] = ()
    classes: NDArray[Any] | None = None

    def inside(self, name: str) -> RecordPosition:
        """Return the position of a field."""
        return RecordPosition((*self.path, name), self.classes)

    def item(self, i: int) -> RecordPosition:
        """Return the position of an item of a list."""
        *path, last = self.path
        return RecordPosition((*path, f"{last} {i}"), self.classes)

    def refuse(self, wanted: str) -> ModelError:
        """Return an error that says what should stand here."""
        *path, last = self.path or ("The file",)
        return ModelError(": ".join([*path, f"{last!r} is not {wanted}."]))

    def lacks(self, name: str) -> ModelError:
        """Return an error that says which field is missing here."""
        return ModelError(f"{': '.join(self.path) or 'The file'} has no {name!r}.")

    @property
    def class_names(self) -> list[str]:
        """The classes as text; nothing that depends on them can be read before them."""
        if self.classes is None:
            raise self.refuse("allowed without a model, which has the classes")
        return class_names(self.classes)


class Form:
    """One kind of value; most are written by their type alone."""

    def is_special(self) -> bool:
        """Whether the form has its own way of writing."""
        return type(self).write is not Form.write

    def write(self, value: Any) -> Any:
        """Return a value as JSON types, where its type alone does not say how."""
        return value

    def read(self, value: Any, at: RecordPosition) -> Any:
        """Return the value that JSON types stand for."""
        raise NotImplementedError


@dataclass(eq=False, repr=False)
class Text(Form):
    """A text: one of the choices, or of a pattern, if there are any."""

    choices: Sequence[str] | None = None
    pattern: str | None = None
    wanted: str = "a text"

    def read(self, value: Any, at: RecordPosition) -> str:
        """Return the text."""
        if not _is_text(value):
            raise at.refuse(self._allowed)
        if self.choices is not None and value not in self.choices:
            raise at.refuse(self._allowed)
        if self.pattern is not None and not re.fullmatch(self.pattern, value):
            raise at.refuse(self._allowed)
        return str(value)

    @property
    def _allowed(self) -> str:
        return self.wanted if self.choices is None else "one of " + ", ".join(self.choices)


class ViewName(Form):
    """A view of a column, by its name."""

    def write(self, value: View) -> str:
        """Return the name."""
        return value.name

    def read(self, value: Any, at: RecordPosition) -> View:
        """Return the view."""
        view = view_named(Text().read(value, at))
        if view is None:
            raise at.refuse("the name of a view, such as 'weekday'")
        return view


class Flag(Form):
    """True or false."""

    def read(self, value: Any, at: RecordPosition) -> bool:
        """Return the boolean."""
        if not isinstance(value, bool):
            raise at.refuse("true or false")
        return value


@dataclass(eq=False, repr=False)
class Number(Form):
    """A finite number within bounds."""

    low: float | None = None
    high: float | None = None

    def read(self, value: Any, at: RecordPosition) -> float:
        """Return the number."""
        number = _finite(value)
        outside = number is not None and (
            (self.low is not None and number < self.low)
            or (self.high is not None and number > self.high)
        )
        if number is None or outside:
            raise at.refuse(self._wanted)
        return number

    @property
    def _wanted(self) -> str:
        if self.low is not None and self.high is not None:
            return f"a number from {self.low:g} to {self.high:g}"
        return "a number" if self.low is None else f"a number of at least {self.low:g}"


class WholeNumber(Form):
    """A whole number of at least 0."""

    def read(self, value: Any, at: RecordPosition) -> int:
        """Return the number."""
        if type(value) is not int or not 0 <= value < MOST_COUNT:
            raise at.refuse("a whole number of at least 0")
        return value


class ClassIndex(WholeNumber):
    """The index of a class."""

    def read(self, value: Any, at: RecordPosition) -> int:
        """Return the index."""
        index, n_classes = super().read(value, at), len(at.class_names)
        if index >= n_classes:
            raise at.refuse(f"the index of a class, less than {n_classes}")
        return index


class ClassName(Form):
    """The name of a class."""

    def read(self, value: Any, at: RecordPosition) -> str:
        """Return the name."""
        return Text(at.class_names).read(value, at)


class ColumnName(Form):
    """The name of a column: a text or a whole number."""

    def write(self, value: Hashable) -> str | int:
        """Return the name if JSON can hold it."""
        if isinstance(value, str) or type(value) is int:
            return value
        raise ModelError(
            f"The column name {value!r} cannot be written to a file: use text as column names."
        )

    def read(self, value: Any, at: RecordPosition) -> str | int:
        """Return the name."""
        if not (_is_text(value) or type(value) is int):
            raise at.refuse("a text or a whole number")
        return value  # type: ignore[no-any-return]


class Variable(Form):
    """The name of a column as text, or the names of the columns of a pair or a tree."""

    def read(self, value: Any, at: RecordPosition) -> str | tuple[str, ...]:
        """Return the name or the names."""
        if _is_text(value):
            return str(value)
        if isinstance(value, list) and len(value) > 1 and all(map(_is_text, value)):
            return tuple(value)
        raise at.refuse("a name or a list of names")


@dataclass(eq=False, repr=False)
class Optional(Form):
    """A value that may be null."""

    inner: Form

    def is_special(self) -> bool:
        """Whether what is inside has its own way of writing."""
        return self.inner.is_special()

    def write(self, value: Any) -> Any:
        """Return the value, or null."""
        return None if value is None else self.inner.write(value)

    def read(self, value: Any, at: RecordPosition) -> Any:
        """Return the value, or None."""
        return None if value is None else self.inner.read(value, at)


@dataclass(eq=False, repr=False)
class Items(Form):
    """A list of values, not longer than a limit if there is one."""

    inner: Form
    at_most: int | None = None

    def is_special(self) -> bool:
        """Whether what is inside has its own way of writing."""
        return self.inner.is_special()

    def write(self, value: Iterable[Any]) -> list[Any]:
        """Return the values as a list."""
        return [self.inner.write(item) for item in value]

    def read(self, value: Any, at: RecordPosition) -> tuple[Any, ...]:
        """Return the values as a tuple."""
        if not isinstance(value, list):
            raise at.refuse("a list")
        if self.at_most is not None and len(value) > self.at_most:
            raise at.refuse(f"a list of at most {self.at_most}")
        return tuple(self.inner.read(item, at.item(i)) for i, item in enumerate(value))


@dataclass(eq=False, repr=False)
class Pair(Items):
    """A list of exactly two values."""

    def read(self, value: Any, at: RecordPosition) -> tuple[Any, ...]:
        """Return the two values."""
        if not isinstance(value, list) or len(value) != 2:
            raise at.refuse("a pair")
        return super().read(value, at)


@dataclass(eq=False, repr=False)
class Dictionary(Form):
    """An object whose values have one form; its keys are given, or any text."""

    inner: Form
    keys: Sequence[str] | None = None

    def is_special(self) -> bool:
        """Whether what is inside has its own way of writing."""
        return self.inner.is_special()

    def write(self, value: dict[str, Any]) -> dict[str, Any]:
        """Return the object."""
        return {key: self.inner.write(item) for key, item in value.items()}

    def read(self, value: Any, at: RecordPosition) -> dict[str, Any]:
        """Return the values by their keys, in the order of the keys that are given."""
        if not isinstance(value, dict):
            raise at.refuse("an object")
        if self.keys is not None and set(value) != set(self.keys):
            raise at.refuse(f"an object with {', '.join(self.keys)}")
        if not all(map(_is_text, value)):
            raise at.refuse("an object whose keys are text")
        keys = list(value) if self.keys is None else self.keys
        return {key: self.inner.read(value[key], at.inside(key)) for key in keys}


Length = int | str | None
"""Of an axis of a table: a number, "classes", or None = any length but 0."""


@dataclass(eq=False, repr=False)
class Scalar(Form):
    """A finite number or a text."""

    def read(self, value: Any, at: RecordPosition) -> float | int | str:
        """Return the number or the text."""
        if not _is_text(value) and _finite(value) is None:
            raise at.refuse("a number or a text")
        return value  # type: ignore[no-any-return]


@dataclass(eq=False, repr=False)
class Counts(Form):
    """A table of whole numbers of at least 0."""

    shape: tuple[Length, ...] = field(default=(None,))

    def read(self, value: Any, at: RecordPosition) -> NDArray[np.int64]:
        """Return the table."""
        shape, items = _nested(value, len(self.shape))
        counts = [item for item in items if type(item) is int and 0 <= item < MOST_COUNT]
        if not _fits(shape, self.shape, at) or len(counts) != len(items):
            raise at.refuse(f"a table of {_lengths(self.shape, at)} counts")
        if sum(counts) >= MOST_COUNT:
            raise at.refuse(f"a table of {_lengths(self.shape, at)} counts")
        return np.array(counts, dtype=np.int64).reshape(shape)


@dataclass(eq=False, repr=False)
class Floats(Form):
    """A table of numbers to the last bit, infinite ones as text where they are allowed."""

    shape: tuple[Length, ...] = field(default=(None,))
    infinite: bool = False
    empty: bool = False
    below: float = np.inf

    def read(self, value: Any, at: RecordPosition) -> NDArray[np.float64]:
        """Return the table."""
        if self.empty and value == [] and isinstance(value, list):
            return np.empty((0, *(n for n in self.shape[1:] if isinstance(n, int))))
        shape, items = _nested(value, len(self.shape))
        numbers = [self._number(item) for item in items]
        if not _fits(shape, self.shape, at) or None in numbers:
            raise at.refuse(f"a table of {_lengths(self.shape, at)} numbers")
        return np.array(numbers, dtype=np.float64).reshape(shape)

    def _number(self, item: Any) -> float | None:
        if self.infinite and isinstance(item, str):
            return INFINITIES.get(item)
        number = _finite(item)
        return None if number is None or abs(number) >= self.below else number


def _nested(value: Any, depth: int) -> tuple[tuple[int, ...] | None, list[Any]]:
    """Shape of lists in lists, and their items; no shape if they are something else."""
    shape: list[int] = []
    items = [value]
    for _ in range(depth):
        if not all(isinstance(item, list) for item in items):
            return None, []
        lengths = {len(item) for item in items}
        if len(lengths) != 1:
            return None, []
        shape.append(lengths.pop())
        items = [inner for item in items for inner in item]
    return tuple(shape), items


def _fits(shape: tuple[int, ...] | None, wanted: tuple[Length, ...], at: RecordPosition) -> bool:
    """Whether a table has the lengths wanted, none of them 0."""
    return (
        shape is not None
        and prod(shape) > 0
        and all(
            length is None or n == length
            for n, length in zip(shape, _resolved(wanted, at), strict=True)
        )
    )


def _resolved(shape: tuple[Length, ...], at: RecordPosition) -> list[int | None]:
    return [len(at.class_names) if isinstance(n, str) else n for n in shape]


def _lengths(shape: tuple[Length, ...], at: RecordPosition) -> str:
    return " × ".join("any" if n is None else str(n) for n in _resolved(shape, at))


def _finite(value: Any) -> float | None:
    """A number that is finite as a double, or None."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value) if isfinite(float(value)) else None
    except OverflowError:
        return None


class CategoryError(ModelError):
    """JSON does not have a category; whoever knows its column names it as the subject."""

    def __init__(self, category: Hashable, subject: str = "The column") -> None:
        super().__init__(
            f"{subject} has the category {category!r}, which cannot be written to a file: replace "
            "it, or convert the column to text."
        )
        self.category = category


class Categories(Form):
    """The values of a group, at least one."""

    def write(self, value: tuple[Hashable, ...]) -> list[Any]:
        """Return the values if JSON can hold them."""
        for category in value:
            if not _is_category(category):
                raise CategoryError(category)
        return list(value)

    def read(self, value: Any, at: RecordPosition) -> tuple[Hashable, ...]:
        """Return the values."""
        if not isinstance(value, list) or not value or not all(map(_is_category, value)):
            raise at.refuse("a list of values")
        return tuple(value)


def _is_category(value: Any) -> bool:
    """Whether JSON has a value; None is missing."""
    if type(value) is float:
        return isfinite(value)
    return value is None or type(value) in (int, bool) or _is_text(value)


def _is_text(value: Any) -> bool:
    """Whether a value is text that a file can hold; half a surrogate pair is not a character."""
    return isinstance(value, str) and (value.isascii() or not SURROGATE.search(value))


class Classes(Form):
    """The classes with their type: different ones, at least one."""

    def write(self, value: NDArray[Any]) -> dict[str, Any]:
        """Return type and values."""
        kind, values = value.dtype.kind, value.tolist()
        if kind in "OU" and all(isinstance(label, str) for label in values):
            return {"type": "text", "values": values}
        if kind in "iufb":
            return {"type": value.dtype.str.lstrip("<>|="), "values": values}
        raise ModelError(
            f"Classes of type {value.dtype} cannot be written to a file: make the target text or "
            "numbers."
        )

    def read(self, value: Any, at: RecordPosition) -> NDArray[Any]:
        """Return the classes."""
        if not isinstance(value, dict):
            raise at.refuse("an object")
        for name in ("type", "values"):
            if name not in value:
                raise at.lacks(name)
        kind = Text(CLASS_TYPES).read(value["type"], at.inside("type"))
        python = str if kind == "text" else {"b": bool, "f": float}.get(kind[0], int)
        labels = value["values"]
        wanted = f"a list of different classes of type {kind}"
        if not isinstance(labels, list) or not labels or {*map(type, labels)} != {python}:
            raise at.inside("values").refuse(wanted)
        if python is str and not all(map(_is_text, labels)):
            raise at.inside("values").refuse(wanted)
        try:
            classes = np.array(labels, dtype=object if kind == "text" else kind)
        except (OverflowError, ValueError):
            raise at.inside("values").refuse(wanted) from None
        if len(set(classes.tolist())) != len(labels):
            raise at.inside("values").refuse(wanted)
        return classes

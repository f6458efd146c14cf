"""Dataclasses as plain records of JSON, declared once per field.

A dataclass that derives from ``Record`` declares each field once: its annotation says what
stands in the file. Plain types (``str``, ``bool``, ``int``, ``float``, an enumeration, another
record, tuples and optional ones of these) are understood; everything else, and every bound, is a
form in ``Annotated``. ``Key`` gives a field another name in the file, ``DerivedField`` a value
that is computed rather than written. Writing and reading are mirrors because both follow the
declaration. Once the field with the classes has been read, the fields after it know them.

Nothing in a record is trusted: reading gives an object that works, or a ModelError that names the
field.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Hashable
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from math import isfinite
from typing import Annotated, Any, Self, get_args, get_origin, get_type_hints

from modlearn._model.forms import (
    CategoryError,
    Classes,
    ColumnName,
    Dictionary,
    Flag,
    Form,
    Items,
    Number,
    Optional,
    RecordPosition,
    Text,
    ViewName,
    WholeNumber,
)
from modlearn.errors import ModelError
from modlearn.schema import View

__all__ = [
    "DerivedField",
    "Fault",
    "Key",
    "NestedRecord",
    "Record",
    "RecordUnion",
    "as_json",
    "declare",
    "read_record",
    "to_record",
]

Fault = tuple[tuple[str, ...], str]
"""A field that contradicts the others, and what it should be."""


@dataclass(frozen=True)
class Key:
    """The name of a field in the file, where it is another one."""

    name: str


@dataclass(frozen=True)
class DerivedField:
    """A field that is not in the file: it follows from the fields before it, and the position."""

    compute: Callable[[dict[str, Any], RecordPosition], Any]


@dataclass(frozen=True)
class _Entry:
    """A field of a dataclass, and how it stands in a record."""

    attribute: str
    key: str
    form: Form | DerivedField
    special: bool


class Record:
    """Dataclasses that can be written to a file and read back."""

    def to_dict(self) -> dict[str, Any]:
        """Return the object as a dict of JSON types.

        Returns
        -------
        dict
        """
        return to_record(self)

    @classmethod
    def from_dict(cls, record: Any, at: RecordPosition) -> Self:
        """Read the object from a dict of JSON types. Nothing in it is trusted."""
        return typing.cast(Self, read_record(cls, record, at))

    def fault(self, at: RecordPosition) -> Fault | None:
        """Say which field contradicts the others; None if none does."""
        return None


def to_record(value: Any) -> dict[str, Any]:
    """Return a dataclass as a dict of JSON types."""
    record = {}
    for entry in _entries(type(value)):
        if isinstance(entry.form, Form):
            item = getattr(value, entry.attribute)
            record[entry.key] = entry.form.write(item) if entry.special else as_json(item)
    return record


def as_json(value: Any) -> Any:
    """Return a value in JSON types: records as dicts, arrays as lists, infinite numbers as text."""
    if hasattr(value, "__dataclass_fields__"):
        return to_record(value)
    if hasattr(value, "tolist"):  # what NumPy holds
        value = value.tolist()
    if isinstance(value, dict):
        return {key: as_json(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [as_json(item) for item in value]
    if isinstance(value, StrEnum):
        return value.value
    if isinstance(value, float) and not isfinite(value):
        return "inf" if value > 0 else "-inf"
    return value


def read_record(cls: type[Any], record: Any, at: RecordPosition) -> Any:
    """Return the object of a dataclass that a record holds."""
    if not isinstance(record, dict):
        raise at.refuse("an object")
    values: dict[str, Any] = {}
    for entry in _entries(cls):
        if isinstance(entry.form, DerivedField):
            values[entry.attribute] = entry.form.compute(values, at)
            continue
        if entry.key not in record:
            raise at.lacks(entry.key)
        value = entry.form.read(record[entry.key], at.inside(entry.key))
        values[entry.attribute] = value
        if at.classes is None:  # the fields after the target have a number per class
            classes = value if isinstance(entry.form, Classes) else getattr(value, "classes", None)
            at = replace(at, classes=classes)
    found = cls(**values)
    fault = found.fault(at) if isinstance(found, Record) else None
    if fault is not None:
        path, wanted = fault
        for name in path:
            at = at.inside(name)
        raise at.refuse(wanted)
    return found


_DECLARED: dict[type[Any], dict[str, Form]] = {}


def declare(cls: type[Any], **forms: Form) -> None:
    """Declare forms for a dataclass of a lower stage, which knows nothing of files."""
    _DECLARED[cls] = forms


def _entries(cls: type[Any]) -> tuple[_Entry, ...]:
    """The fields of a dataclass that a record holds."""
    if cls not in _ENTRIES:
        _ENTRIES[cls] = _read_declaration(cls)
    return _ENTRIES[cls]


_ENTRIES: dict[type[Any], tuple[_Entry, ...]] = {}


def _read_declaration(cls: type[Any]) -> tuple[_Entry, ...]:
    """The fields of a dataclass that a record holds; derived ones last, as they need the others."""
    hints = get_type_hints(cls, include_extras=True)
    declared = _DECLARED.get(cls, {})
    found = []
    for field in fields(cls):
        hint = hints[field.name]
        marks = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
        key = next((mark.name for mark in marks if isinstance(mark, Key)), field.name)
        derived = next((mark for mark in marks if isinstance(mark, DerivedField)), None)
        form = derived or declared.get(field.name) or _form(hint)
        special = isinstance(form, Form) and form.is_special()
        found.append(_Entry(field.name, key, form, special))
    return tuple(sorted(found, key=lambda entry: isinstance(entry.form, DerivedField)))


PLAIN: dict[Any, Form] = {
    str: Text(),
    bool: Flag(),
    int: WholeNumber(),
    float: Number(),
    Hashable: ColumnName(),
    View: ViewName(),
}
"""Types that need no bound."""


def _form(hint: Any) -> Form:
    """How a type stands in a record."""
    if get_origin(hint) is Annotated:
        inner, *marks = get_args(hint)
        return next((mark for mark in marks if isinstance(mark, Form)), None) or _form(inner)
    if hint in PLAIN:
        return PLAIN[hint]
    arguments = get_args(hint)
    if get_origin(hint) in (types.UnionType, typing.Union) and type(None) in arguments:
        (inner,) = (argument for argument in arguments if argument is not type(None))
        return Optional(_form(inner))
    if get_origin(hint) is tuple and arguments[1:] == (...,):
        return Items(_form(arguments[0]))
    if get_origin(hint) is dict and arguments[0] is str:
        return Dictionary(_form(arguments[1]))
    if isinstance(hint, type) and issubclass(hint, StrEnum):
        return EnumMember(hint)
    if isinstance(hint, type) and hasattr(hint, "__dataclass_fields__"):
        return NestedRecord(hint)
    raise TypeError(f"{hint!r} has no form in a record: give one in Annotated.")


@dataclass(eq=False, repr=False)
class EnumMember(Form):
    """A member of an enumeration of texts."""

    members: type[StrEnum]

    def read(self, value: Any, at: RecordPosition) -> StrEnum:
        """Return the member."""
        return self.members(Text([member.value for member in self.members]).read(value, at))


@dataclass(eq=False, repr=False)
class NestedRecord(Form):
    """A record within a record."""

    cls: type[Any]

    def read(self, value: Any, at: RecordPosition) -> Any:
        """Return the object."""
        return read_record(self.cls, value, at)


class RecordUnion(Form):
    """A record of one of several dataclasses, named by its ``type``."""

    def __init__(self, **classes: type[Any]) -> None:
        self.classes = classes

    def write(self, value: Any) -> dict[str, Any]:
        """Return the record with its type."""
        tag = next(tag for tag, cls in self.classes.items() if cls is type(value))
        try:
            # A dataclass with several types writes the one it has.
            return {"type": tag, **to_record(value)}
        except CategoryError as error:
            named = CategoryError(error.category, f"Column {str(value.name)!r}")
            raise ModelError(str(named)) from None

    def read(self, value: Any, at: RecordPosition) -> Any:
        """Return the object."""
        if not isinstance(value, dict):
            raise at.refuse("an object")
        if "type" not in value:
            raise at.lacks("type")
        tag = Text(tuple(self.classes)).read(value["type"], at.inside("type"))
        return read_record(self.classes[tag], value, at)

"""Reading NumPy vectors."""

import numpy as np

from modlearn._tables.cells import Cells, CodedCells
from modlearn._tables.memory.objects import object_cells, object_kind
from modlearn.schema import Kind

__all__ = ["KINDS", "array_cells", "array_kind"]

KINDS: dict[str, Kind] = {
    "b": Kind.BOOLEAN,
    "i": Kind.NUMERIC,
    "u": Kind.NUMERIC,
    "f": Kind.NUMERIC,
    "M": Kind.DATETIME,
    "m": Kind.DURATION,
}


def array_kind(values: np.ndarray, subject: str) -> Kind:
    """Return the kind of a vector; cells are inspected only if they are text or objects."""
    letter = values.dtype.kind
    return KINDS[letter] if letter in KINDS else object_kind(_objects(values), subject)


def array_cells(values: np.ndarray, subject: str) -> Cells | CodedCells:
    """Read a vector, masked or not; ``subject`` begins error messages."""
    if values.dtype.kind not in KINDS:
        return object_cells(_objects(values), subject)
    if values.dtype.kind == "f" and values.dtype.itemsize > 8:
        values = values.astype(np.float64)  # Python has no float as wide as NumPy's longdouble
    if isinstance(values, np.ma.MaskedArray):
        return Cells(values.data, np.ma.getmaskarray(values))
    return Cells(values)


def _objects(values: np.ndarray) -> np.ndarray:
    """Return text or objects as an object array, masked cells as None."""
    if not isinstance(values, np.ma.MaskedArray):
        return values.astype(object, copy=False)
    objects = values.data.astype(object)
    objects[np.ma.getmaskarray(values)] = None
    return objects

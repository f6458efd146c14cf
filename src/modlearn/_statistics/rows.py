"""What is asked of rows, wherever they lie: the protocols that tables answer."""

from __future__ import annotations

from collections.abc import Hashable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from modlearn.schema import Kind

__all__ = ["Batch"]


class Batch(Protocol):
    """Some rows whose columns are read by name, each when it is asked for, by any thread."""

    @property
    def n_rows(self) -> int:
        """Number of rows."""
        ...

    def kind(self, name: Hashable) -> Kind:
        """What the numbers of a column stand for: numbers, instants or lengths of time."""
        ...

    def numeric(self, name: Hashable) -> NDArray[np.float64]:
        """Values of a column, shape (n,); NaN = missing."""
        ...

    def categorical(self, name: Hashable) -> tuple[NDArray[np.int32], tuple[Hashable, ...]]:
        """Codes of a column, shape (n,), -1 = missing; and the categories they count."""
        ...

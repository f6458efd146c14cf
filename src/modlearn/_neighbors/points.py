"""Types of the neighbor search: points, candidates, and progress callbacks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["Array", "Candidates", "Points", "RowProgress"]

Array: TypeAlias = NDArray[Any]

Points: TypeAlias = Any
"""An ndarray or a sparse csr_array of shape (n, d)."""

Candidates: TypeAlias = tuple[NDArray[np.int32], NDArray[np.float64]]
"""Row numbers (m, c) of points that may be nearest, and their distances (m, c)."""

RowProgress: TypeAlias = Callable[[int, int], None]
"""Called with the number of rows done and the number of rows in total."""

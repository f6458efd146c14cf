import numpy as np
from numpy.typing import NDArray

__all__ = ["Edges"]

CELLS_PER_EDGE: int
LEAST_CELLS: int

class Edges:
    def __init__(self, edges: NDArray[np.float64]) -> None: ...
    def count(
        self,
        values: NDArray[np.float64],
        groups: NDArray[np.uint8] | NDArray[np.uint16] | NDArray[np.int32],
        counts: NDArray[np.int64],
    ) -> None: ...
    def codes(self, values: NDArray[np.float64]) -> NDArray[np.int32]: ...
    def inside(self, values: NDArray[np.float64]) -> NDArray[np.intp]: ...

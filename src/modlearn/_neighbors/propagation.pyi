from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Lists = tuple[NDArray[np.int64], NDArray[np.int32]]

class Propagation:
    def __init__(
        self,
        pointer: NDArray[np.int64],
        neighbors: NDArray[np.int32],
        weights: NDArray[np.float64] | None,
        radii: NDArray[np.float64],
        labels: NDArray[np.float64],
    ) -> None: ...
    def advance(self, n_rows: int) -> tuple[int, bool]: ...
    def result(self) -> tuple[NDArray[np.float64], np.ndarray, NDArray[np.int32]]: ...
    def reverse_lists(self) -> Lists: ...

def average_rows(
    lists: Sequence[Lists],
    weights: NDArray[np.float64] | None,
    masses: np.ndarray,
    known: NDArray[np.float64],
    first: int,
    last: int,
    out: NDArray[np.float64],
    out_masses: np.ndarray,
) -> None: ...
def log_masses(masses: np.ndarray) -> NDArray[np.float64]: ...

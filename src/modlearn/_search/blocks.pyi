import numpy as np
from numpy.typing import ArrayLike, NDArray

from modlearn._statistics.numeric import ClassNumbers

class Blocks:
    def __init__(
        self,
        start: NDArray[np.int32],
        pointer: NDArray[np.int32],
        labels: NDArray[np.int32],
        counts: NDArray[np.int64],
        n_labels: int,
    ) -> None: ...
    @property
    def n_blocks(self) -> int: ...
    @property
    def n_labels(self) -> int: ...
    @property
    def starts(self) -> NDArray[np.int32]: ...
    def sort_labels(self, n_sorted: int) -> NDArray[np.intp]: ...
    def dense(self) -> NDArray[np.int64]: ...

def from_dense(table: ArrayLike) -> Blocks: ...
def elementary_blocks(
    values: NDArray[np.float64],
    labels: ClassNumbers,
    counts: NDArray[np.int64] | None,
    n_labels: int,
    join_pure_runs: bool = True,
) -> Blocks: ...
def combined(blocks: Blocks, starts: NDArray[np.int64]) -> Blocks: ...

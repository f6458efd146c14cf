import numpy as np
from numpy.typing import ArrayLike, NDArray

from modlearn._statistics.numeric import ClassNumbers

class Blocks:
    n_blocks: int
    n_classes: int
    cell_size: int
    with_unlabeled: bool
    @property
    def starts(self) -> NDArray[np.int32]: ...
    def sort_classes(self) -> NDArray[np.intp]: ...
    def dense(self) -> NDArray[np.int64]: ...

def from_dense(table: ArrayLike, with_unlabeled: bool = False) -> Blocks: ...
def elementary_blocks(
    values: NDArray[np.float64],
    classes: ClassNumbers,
    counts: NDArray[np.int64] | None,
    n_classes: int,
    with_unlabeled: bool = False,
    join_pure_runs: bool = True,
    cell_size: int | None = None,
) -> Blocks: ...
def combined(blocks: Blocks, starts: NDArray[np.int64]) -> Blocks: ...

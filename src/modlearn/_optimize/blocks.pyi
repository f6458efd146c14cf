import numpy as np
from numpy.typing import ArrayLike, NDArray

class Blocks:
    n_blocks: int
    n_classes: int
    with_unlabeled: bool
    @property
    def starts(self) -> NDArray[np.int32]: ...
    def class_totals(self) -> NDArray[np.int64]: ...
    def dense(self) -> NDArray[np.int64]: ...

def from_dense(table: ArrayLike, with_unlabeled: bool = False) -> Blocks: ...
def elementary_blocks(
    values: NDArray[np.float64],
    classes: NDArray[np.int32],
    counts: NDArray[np.int64] | None,
    n_classes: int,
    with_unlabeled: bool = False,
    join_pure_runs: bool = True,
) -> Blocks: ...
def combined(blocks: Blocks, starts: NDArray[np.int64]) -> Blocks: ...

import numpy as np
from numpy.typing import NDArray

def count_cells(
    parts: tuple[NDArray[np.intp], NDArray[np.intp]],
    codes: tuple[NDArray[np.int32], NDArray[np.int32]],
    classes: NDArray[np.int32],
    rows: NDArray[np.int64] | None,
    n_classes: int,
) -> NDArray[np.int64]: ...
def count_coarse_cells(
    runs: NDArray[np.uint8],
    classes: NDArray[np.int32],
    rows: NDArray[np.int64] | None,
    n_classes: int,
    pairs: NDArray[np.int64],
    n_runs: int,
) -> NDArray[np.int64]: ...

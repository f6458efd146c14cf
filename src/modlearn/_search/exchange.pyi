import numpy as np
from numpy.typing import NDArray

def merge_groups(
    counts: NDArray[np.int64],
    prior: NDArray[np.float64],
    max_groups: int,
    min_part_size: int,
    tolerance: float,
    cell_size: int | None = None,
) -> NDArray[np.intp]: ...
def exchange_items(
    items: NDArray[np.int64],
    groups: NDArray[np.intp],
    prior: NDArray[np.float64],
    min_part_size: int,
    tolerance: float,
    cell_size: int | None = None,
) -> NDArray[np.intp]: ...

import numpy as np
from numpy.typing import NDArray

def best_grouping_of_few(
    counts: NDArray[np.int64],
    prior: NDArray[np.float64],
    max_groups: int,
    min_part_size: int,
    tolerance: float,
    cell_size: int | None = None,
) -> NDArray[np.intp]: ...

import numpy as np
from numpy.typing import ArrayLike, NDArray

from modlearn.criteria import PartCost

def best_grouping_of_few(
    counts: ArrayLike, cost: PartCost, max_groups: int, min_part_size: int, tolerance: float
) -> NDArray[np.intp]: ...

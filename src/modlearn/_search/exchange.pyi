import numpy as np
from numpy.typing import NDArray

from modlearn.criteria import PartCost

def merge_groups(
    counts: NDArray[np.int64],
    cost: PartCost,
    max_groups: int,
    min_part_size: int,
    tolerance: float,
) -> NDArray[np.intp]: ...
def exchange_items(
    items: NDArray[np.int64],
    groups: NDArray[np.intp],
    cost: PartCost,
    max_groups: int,
    min_part_size: int,
    tolerance: float,
) -> NDArray[np.intp]: ...

import numpy as np
from numpy.typing import NDArray

from modlearn._search.blocks import Blocks
from modlearn.criteria import PartCost

def part_costs_of(
    blocks: Blocks, cost: PartCost, bounds: NDArray[np.int64]
) -> NDArray[np.float64]: ...
def move_bounds(
    blocks: Blocks,
    cost: PartCost,
    bounds: NDArray[np.int64],
    tolerance: float,
    min_part_size: int = 1,
) -> NDArray[np.int64]: ...
def merge_parts(
    blocks: Blocks, cost: PartCost, bounds: NDArray[np.int64], tolerance: float
) -> NDArray[np.int64]: ...
def split_parts(
    blocks: Blocks,
    cost: PartCost,
    bounds: NDArray[np.int64],
    most_parts: int,
    tolerance: float,
    min_part_size: int = 1,
) -> NDArray[np.int64]: ...
def split_best_part(
    blocks: Blocks, cost: PartCost, bounds: NDArray[np.int64], min_part_size: int = 1
) -> NDArray[np.int64]: ...

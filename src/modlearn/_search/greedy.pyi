from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from modlearn._search.blocks import Blocks
from modlearn.criteria import PartCost

def merge_greedily(
    blocks: Blocks, cost: PartCost, goals: Iterable[tuple[int, float]]
) -> list[NDArray[np.int64]]: ...
def merge_segment(
    blocks: Blocks, cost: PartCost, first: int, last: int, least: float, most_blocks: int
) -> tuple[NDArray[np.int64], NDArray[np.uint64], float]: ...

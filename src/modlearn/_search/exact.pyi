from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from modlearn._search.blocks import Blocks
from modlearn.criteria import PartCost

class IntervalCosts:
    @property
    def n_blocks(self) -> int: ...
    def __init__(
        self,
        blocks: Blocks,
        cost: PartCost,
        firsts: NDArray[np.int64],
        tolerance: float,
        min_part_size: int = 1,
    ) -> None: ...
    def penalized(self, penalty: float) -> tuple[NDArray[np.int64], float]: ...
    def best_with(
        self, n_parts: int
    ) -> tuple[NDArray[np.float64], Callable[[int], NDArray[np.int64]]]: ...

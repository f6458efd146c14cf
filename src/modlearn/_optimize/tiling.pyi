import numpy as np
from numpy.typing import NDArray

from modlearn._optimize.blocks import Blocks

def merge_into_tiles(
    blocks: Blocks,
    first: int,
    last: int,
    width: int,
    prior_step: float,
    row_cost: NDArray[np.float64],
    remarkable: float,
) -> Blocks: ...

import numpy as np
from numpy.typing import NDArray

from modlearn._optimize.blocks import Blocks

def merge_greedily(
    blocks: Blocks, most_blocks: int, prior_steps: NDArray[np.float64]
) -> Blocks: ...

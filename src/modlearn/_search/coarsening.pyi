import numpy as np
from numpy.typing import NDArray

from modlearn._search.blocks import Blocks
from modlearn.criteria import PartCost

def merge_in_rounds(blocks: Blocks, cost: PartCost, most_blocks: int) -> NDArray[np.int64]: ...

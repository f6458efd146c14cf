import numpy as np
from numpy.typing import NDArray

from modlearn._search.blocks import Blocks

def merge_in_rounds(blocks: Blocks, most_blocks: int) -> NDArray[np.int64]: ...

from collections.abc import Callable

from modlearn._optimize.blocks import Blocks

def merge_greedily(
    blocks: Blocks, most_blocks: int, prior_step: Callable[[int], float]
) -> Blocks: ...

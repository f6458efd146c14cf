from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

def row_keys(
    codes: Iterable[NDArray[np.int32]], classes: NDArray[np.int32]
) -> NDArray[np.uint64]: ...

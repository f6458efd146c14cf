import numpy as np
from numpy.typing import NDArray

def interval_codes(
    values: NDArray[np.float64], cuts: NDArray[np.float64], missing_alone: bool
) -> NDArray[np.int32]: ...

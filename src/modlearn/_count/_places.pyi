import numpy as np
from numpy.typing import NDArray

def places_among(
    values: NDArray[np.float64], cuts: NDArray[np.float64], missing_alone: bool
) -> NDArray[np.int32]: ...

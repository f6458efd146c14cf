import numpy as np
from numpy.typing import NDArray

def sort_with_payload(
    values: NDArray[np.float64], payload: NDArray[np.int32]
) -> tuple[NDArray[np.float64], NDArray[np.int32]]: ...

import numpy as np
from numpy.typing import NDArray

def distances_to(
    points: np.ndarray, queries: np.ndarray, candidates: NDArray[np.int32]
) -> NDArray[np.float64]: ...
def nearest(
    candidates: NDArray[np.int32], distances: NDArray[np.float64], first_own: int, k: int
) -> tuple[NDArray[np.int32], NDArray[np.float64]]: ...
